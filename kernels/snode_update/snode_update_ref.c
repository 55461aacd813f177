// SPDX-License-Identifier: MIT
// Reference forms, element by element from the definitions in snode_update.h, and the table of built sets.
#include "snode_update.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { STRIP = TL_SNODE_STRIP, BLOCK = TL_SNODE_BLOCK };

static int64_t at(int64_t i, int64_t p, int64_t stride)
{
    return i / STRIP * stride + p * STRIP + i % STRIP;
}

// store a dense n x n block (ld 24) to the panel and by column strips; columns up to a multiple of 8 are
// zeros
static void put_block(int32_t n, const double* z, double* d, int64_t stride, double* zt)
{
    const int32_t np = (n + STRIP - 1) / STRIP * STRIP;
    for (int32_t c = 0; c < np; c++) {
        for (int32_t p = 0; p < n; p++) {
            const double v = c < n ? z[p + c * BLOCK] : 0.0;
            if (c < n)
                d[at(p, c, stride)] = v;
            zt[c / STRIP * BLOCK * STRIP + p * STRIP + c % STRIP] = v;
        }
    }
}

int32_t tl_snode_pivot_ref(int32_t n, double* d, int64_t stride, double* zt)
{
    double l[BLOCK * BLOCK] = {0}, z[BLOCK * BLOCK] = {0};
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            double s = d[at(i, j, stride)];
            for (int32_t p = 0; p < j; p++)
                s -= l[i + p * BLOCK] * l[j + p * BLOCK];
            if (i == j && !(s > 0.0 && s <= DBL_MAX))
                return 1;
            l[i + j * BLOCK] = i == j ? sqrt(s) : s / l[j + j * BLOCK];
        }
    }
    // row c of L^-1 is column c of Z
    for (int32_t p = 0; p < n; p++) {
        for (int32_t c = p; c < n; c++) {
            double s = c == p ? 1.0 : 0.0;
            for (int32_t q = p; q < c; q++)
                s -= l[c + q * BLOCK] * z[p + q * BLOCK];
            z[p + c * BLOCK] = s / l[c + c * BLOCK];
        }
    }
    put_block(n, z, d, stride, zt);
    return 0;
}

int32_t tl_snode_lu_ref(int32_t n, double* d, double* u, int64_t stride, double* zt, double* yt)
{
    double w[BLOCK * BLOCK], z[BLOCK * BLOCK] = {0}, y[BLOCK * BLOCK] = {0};
    int32_t orig[BLOCK];
    for (int32_t j = 0; j < n; j++) {
        orig[j] = j;
        for (int32_t i = 0; i < n; i++)
            w[i + j * BLOCK] = i >= j ? d[at(i, j, stride)] : u[at(j, i, stride)];
    }
    for (int32_t j = 0; j < n; j++) {
        int32_t p = j;
        for (int32_t i = j + 1; i < n; i++)
            if (fabs(w[i + j * BLOCK]) > fabs(w[p + j * BLOCK]))
                p = i;
        if (fabs(w[j + j * BLOCK]) >= 0.01 * fabs(w[p + j * BLOCK]))
            p = j;
        for (int32_t c = 0; c < n; c++) {
            const double t = w[j + c * BLOCK];
            w[j + c * BLOCK] = w[p + c * BLOCK];
            w[p + c * BLOCK] = t;
        }
        const int32_t o = orig[j];
        orig[j] = orig[p];
        orig[p] = o;
        const double pivot = w[j + j * BLOCK];
        if (!(fabs(pivot) > 0.0 && fabs(pivot) <= DBL_MAX))
            return 1;
        for (int32_t i = j + 1; i < n; i++) {
            w[i + j * BLOCK] /= pivot;
            for (int32_t c = j + 1; c < n; c++)
                w[i + c * BLOCK] -= w[i + j * BLOCK] * w[j + c * BLOCK];
        }
    }
    for (int32_t p = 0; p < n; p++) {
        for (int32_t c = p; c < n; c++) {
            // U^-1 from its columns, L^-1 from its rows; row p of P^T L^-T is row orig of the block
            double s = c == p ? 1.0 : 0.0, t = s;
            for (int32_t q = p; q < c; q++) {
                s -= z[p + q * BLOCK] * w[q + c * BLOCK];
                t -= w[c + q * BLOCK] * y[orig[p] + q * BLOCK];
            }
            z[p + c * BLOCK] = s / w[c + c * BLOCK];
            y[orig[p] + c * BLOCK] = t;
        }
    }
    put_block(n, z, d, stride, zt);
    put_block(n, y, u, stride, yt);
    return 0;
}

void tl_snode_scale_ref(int32_t nstrip, int32_t n, double* a, int64_t stride, const double* zt, int32_t full)
{
    const int32_t np = (n + STRIP - 1) / STRIP * STRIP;
    for (int64_t i = 0; i < (int64_t)nstrip * STRIP; i++) {
        double row[BLOCK];
        for (int32_t c = 0; c < np; c++) {
            row[c] = 0.0;
            for (int32_t p = 0; p < n && (full || p <= c); p++)
                row[c] += a[at(i, p, stride)] * zt[c / STRIP * BLOCK * STRIP + p * STRIP + c % STRIP];
        }
        for (int32_t c = 0; c < np; c++)
            a[at(i, c, stride)] = row[c];
    }
}

void tl_snode_update_ref(int32_t row0, int32_t nrow, int32_t ncol, int32_t depth, const double* a,
                         const double* b, int64_t stride, double* c, int64_t c_strip, int64_t c_col,
                         int32_t set)
{
    for (int64_t j = 0; j < (int64_t)ncol * STRIP; j++) {
        const int64_t top = j / STRIP > row0 ? j / STRIP : row0;
        for (int64_t i = top * STRIP; i < (int64_t)nrow * STRIP; i++) {
            double s = 0.0;
            for (int32_t p = 0; p < depth; p++)
                s += a[at(i, p, stride)] * b[at(j, p, stride)];
            double* cij = c + i / STRIP * c_strip + j * c_col + i % STRIP;
            *cij = set ? -s : *cij - s;
        }
    }
}

void tl_snode_extend_ref(int32_t c0, int32_t c1, const double* src, int64_t ld, const int32_t* col,
                         int32_t col0, const tl_snode_piece* piece, int32_t npiece, int32_t strip0,
                         double* dst, int64_t d_strip, int64_t d_col)
{
    for (int32_t c = c0; c < c1; c++)
        for (int32_t q = 0; q < npiece; q++)
            for (int32_t i = piece[q].lo; i < piece[q].hi; i++)
                if (piece[q].src + i >= c)
                    dst[(piece[q].strip - strip0) * d_strip + (col[c] - col0) * d_col + i] +=
                        src[piece[q].src + i + c * ld];
}

void tl_snode_forward_ref(int32_t nstrip, int32_t n, const double* a, int64_t stride, const double* x,
                          double* y, int32_t set)
{
    for (int64_t i = 0; i < (int64_t)nstrip * STRIP; i++) {
        double s = set ? 0.0 : y[i];
        for (int32_t p = 0; p < n; p++)
            s -= a[at(i, p, stride)] * x[p];
        y[i] = s;
    }
}

void tl_snode_backward_ref(int32_t nstrip, int32_t n, const double* a, int64_t stride, const double* y,
                           double* x)
{
    for (int32_t p = 0; p < n; p++)
        for (int64_t i = 0; i < (int64_t)nstrip * STRIP; i++)
            x[p] -= a[at(i, p, stride)] * y[i];
}

void tl_snode_forward_single_ref(int32_t nstrip, int32_t n, const float* a, int64_t stride, const double* x,
                                 double* y, int32_t set)
{
    for (int64_t i = 0; i < (int64_t)nstrip * STRIP; i++) {
        double s = set ? 0.0 : y[i];
        for (int32_t p = 0; p < n; p++)
            s -= (double)a[at(i, p, stride)] * x[p];
        y[i] = s;
    }
}

void tl_snode_backward_single_ref(int32_t nstrip, int32_t n, const float* a, int64_t stride, const double* y,
                                  double* x)
{
    for (int32_t p = 0; p < n; p++)
        for (int64_t i = 0; i < (int64_t)nstrip * STRIP; i++)
            x[p] -= (double)a[at(i, p, stride)] * y[i];
}

int32_t tl_snode_round_ref(int64_t n, const double* a, float* out)
{
    int32_t bad = 0;
    for (int64_t i = 0; i < n; i++) {
        bad |= !(fabs(a[i]) <= FLT_MAX);
        out[i] = (float)a[i];
    }
    return bad;
}

void tl_snode_gather_ref(int32_t nrun, const tl_snode_run* run, const double* b, double* t)
{
    for (int32_t q = 0; q < nrun; q++)
        for (int32_t i = 0; i < run[q].n; i++)
            *t++ = b[run[q].at + i];
}

void tl_snode_scatter_ref(int32_t nrun, const tl_snode_run* run, const double* t, double* b)
{
    for (int32_t q = 0; q < nrun; q++)
        for (int32_t i = 0; i < run[q].n; i++)
            b[run[q].at + i] += *t++;
}

#define SET(name)                                                                                            \
    {                                                                                                        \
        .isa = #name, .pivot = tl_snode_pivot_##name, .lu = tl_snode_lu_##name,                              \
        .scale = tl_snode_scale_##name, .update = tl_snode_update_##name, .extend = tl_snode_extend_##name,  \
        .forward = tl_snode_forward_##name, .backward = tl_snode_backward_##name,                            \
        .forward_single = tl_snode_forward_single_##name,                                                    \
        .backward_single = tl_snode_backward_single_##name, .round = tl_snode_round_##name,                  \
        .gather = tl_snode_gather_##name, .scatter = tl_snode_scatter_##name                                 \
    }

const tl_snode_kernels* tl_snode_by_name(const char* isa)
{
    static const tl_snode_kernels sets[] = {
        SET(ref),
#ifdef TL_HAVE_W2
        SET(w2),
#endif
#ifdef TL_HAVE_AVX2
        SET(avx2),
#endif
#ifdef TL_HAVE_AVX512
        SET(avx512),
#endif
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (strcmp(sets[i].isa, isa) == 0)
            return &sets[i];
    return &sets[0];
}
