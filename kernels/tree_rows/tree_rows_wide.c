// SPDX-License-Identifier: MIT
// Products for trees of any size, TL_LANES columns or rows of a block at a time; the last ones as a part of a
// register. Three rows of a contact are taken together, so that v, J^T and the columns of M^-1 are loaded once.
#include "tree_rows.h"
#include "simd.h"

#define REGISTERS (TL_ROW_SUMS / TL_LANES)

typedef struct sums {
    tl_vd s[3][REGISTERS]; // rows t1, t2, n
} sums;

static inline tl_vd load_some(const double* p, int32_t k)
{
    return k >= TL_LANES ? tl_load(p) : tl_load_part(p, k);
}

static inline void store_some(double* p, tl_vd x, int32_t k)
{
    if (k >= TL_LANES)
        tl_store(p, x);
    else
        tl_store_part(p, x, k);
}

/// s_r += row_r . y over n columns; rows are `stride` apart
static inline void add_dots(int32_t n, const double* row, int64_t stride, const double* y, sums* s)
{
    for (int32_t c = 0; c < n; c += TL_ROW_SUMS)
        for (int k = 0; k < REGISTERS; k++) {
            const int32_t at = c + k * TL_LANES, left = n - at;
            if (left <= 0)
                break;
            const tl_vd v = left >= TL_LANES ? tl_load(y + at) : tl_load_pieces(y + at, left);
            for (int r = 0; r < 3; r++)
                s->s[r][k] += load_some(row + r * stride + at, left) * v;
        }
}

static inline int32_t size(const tl_tree_rows* J, int32_t t)
{
    return t < 0 ? 0 : J->dof[t + 1] - J->dof[t];
}

void TL_KERNEL(rows_apply)(int32_t n, const int32_t* list, const tl_tree_rows* J, const double* v, int64_t ld,
                           double* w)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        sums s = {{{{0}}}};
        if (i >= 0) {
            const int32_t a = J->a[i], b = J->b[i], na = size(J, a), nb = size(J, b);
            const double* row = J->rows + J->at[i];
            add_dots(na, row, na + nb, v + J->dof[a], &s);
            if (b >= 0)
                add_dots(nb, row + na, na + nb, v + J->dof[b], &s);
        }
        for (int r = 0; r < 3; r++)
            w[r * ld + place] = tl_sum_eight(s.s[r]);
    }
}

#define ADD_PIECE(type)                                                                                      \
    *(type*)(v + c) += (*(const type*)(row + c) * g[0] + *(const type*)(row + stride + c) * g[1]) +          \
                       *(const type*)(row + 2 * stride + c) * g[2]

// the rest after whole registers in pieces of four, two and one: see tl_load_pieces
static inline void add_rows(int32_t n, const double* row, int64_t stride, const double* g, double* v)
{
    int32_t c = 0;
    for (; c + TL_LANES <= n; c += TL_LANES)
        ADD_PIECE(tl_vd_mem);
    if (TL_LANES > 4 && n - c >= 4) {
        ADD_PIECE(tl_quad_mem);
        c += 4;
    }
    if (TL_LANES > 2 && n - c >= 2) {
        ADD_PIECE(tl_pair_mem);
        c += 2;
    }
    if (c < n)
        v[c] += (row[c] * g[0] + row[stride + c] * g[1]) + row[2 * stride + c] * g[2];
}

void TL_KERNEL(rows_add)(int32_t n, const int32_t* list, const tl_tree_rows* J, double scale, const double* f,
                         int64_t ld, double* v)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        const double g[3] = {scale * f[place], scale * f[ld + place], scale * f[2 * ld + place]};
        if (i < 0 || (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0))
            continue;
        const int32_t a = J->a[i], b = J->b[i], na = size(J, a), nb = size(J, b);
        const double* row = J->rows + J->at[i];
        add_rows(na, row, na + nb, g, v + J->dof[a]);
        if (b >= 0)
            add_rows(nb, row + na, na + nb, g, v + J->dof[b]);
    }
}

void TL_KERNEL(rows_gather)(int32_t begin, int32_t end, const int32_t* start, const int32_t* list,
                            const tl_tree_rows* J, double scale, const double* f, int64_t ld, double* v)
{
    for (int32_t t = begin; t < end; t++)
        for (int32_t e = start[t]; e < start[t + 1]; e++) {
            const int32_t i = list[e] >> 1, na = size(J, J->a[i]), stride = na + size(J, J->b[i]);
            const double g[3] = {scale * f[i], scale * f[ld + i], scale * f[2 * ld + i]};
            if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0)
                continue;
            add_rows(size(J, t), J->rows + J->at[i] + (list[e] & 1 ? na : 0), stride, g, v + J->dof[t]);
        }
}

// columns [from, to) hold all that is not zero in the three rows: a body's Jacobian ends with its own joint
static inline void nonzero_columns(int32_t n, const double* row, int64_t stride, int32_t* from, int32_t* to)
{
    *from = 0;
    *to = n;
    while (*to > 0 && row[*to - 1] == 0.0 && row[stride + *to - 1] == 0.0 && row[2 * stride + *to - 1] == 0.0)
        --*to;
    while (*from < *to && row[*from] == 0.0 && row[stride + *from] == 0.0 && row[2 * stride + *from] == 0.0)
        ++*from;
}

static inline void respond(int32_t n, const double* Minv, double h, const double* row, int64_t stride,
                           double* B)
{
    int32_t from, to;
    nonzero_columns(n, row, stride, &from, &to);
    for (int32_t i = 0; i < n; i += TL_LANES) {
        const int32_t left = n - i;
        tl_vd b0 = {0}, b1 = {0}, b2 = {0};
        for (int32_t j = from; j < to; j++) {
            const tl_vd m = load_some(Minv + (int64_t)n * j + i, left);
            b0 += m * tl_set(h * row[j]);
            b1 += m * tl_set(h * row[stride + j]);
            b2 += m * tl_set(h * row[2 * stride + j]);
        }
        store_some(B + i, b0, left);
        store_some(B + stride + i, b1, left);
        store_some(B + 2 * stride + i, b2, left);
    }
}

// s_r += J_r . B_r
static inline void add_products(int32_t n, const double* J, const double* B, int64_t stride, sums* s)
{
    for (int32_t c = 0; c < n; c += TL_ROW_SUMS)
        for (int k = 0; k < REGISTERS; k++) {
            const int32_t at = c + k * TL_LANES, left = n - at;
            if (left <= 0)
                break;
            for (int r = 0; r < 3; r++)
                s->s[r][k] += load_some(J + r * stride + at, left) * load_some(B + r * stride + at, left);
        }
}

void TL_KERNEL(rows_response)(int32_t n, const tl_tree_rows* J, const double* const* Minv, double h,
                              double* B, double* Wt, double* Wn)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = J->a[i], b = J->b[i], na = size(J, a), nb = size(J, b), stride = na + nb;
        const double* row = J->rows + J->at[i];
        double* out = B + J->at[i];
        sums s = {{{{0}}}};
        respond(na, Minv[a], h, row, stride, out);
        add_products(na, row, out, stride, &s);
        if (b >= 0) {
            respond(nb, Minv[b], h, row + na, stride, out + na);
            add_products(nb, row + na, out + na, stride, &s);
        }
        Wt[i] = 0.5 * (tl_sum_eight(s.s[0]) + tl_sum_eight(s.s[1]));
        Wn[i] = tl_sum_eight(s.s[2]);
    }
}

void TL_KERNEL(block_multiply)(int32_t ntree, const int32_t* dof, const double* const* A, const double* x,
                               double* y)
{
    for (int32_t t = 0; t < ntree; t++) {
        const int32_t n = dof[t + 1] - dof[t];
        const double *a = A[t], *xt = x + dof[t];
        double* yt = y + dof[t];
        for (int32_t i = 0; i < n; i += TL_LANES) {
            const int32_t left = n - i;
            tl_vd s = {0};
            for (int32_t j = 0; j < n; j++)
                s += load_some(a + (int64_t)n * j + i, left) * tl_set(xt[j]);
            store_some(yt + i, s, left);
        }
    }
}

void TL_KERNEL(block_add)(int32_t m, int32_t n, const double* X, const double* T, int64_t stride, int lower,
                          double* C)
{
    for (int32_t j = 0; j < n; j++) {
        const double t[3] = {T[j], T[stride + j], T[2 * stride + j]};
        if (t[0] == 0.0 && t[1] == 0.0 && t[2] == 0.0)
            continue;
        double* c = C + (int64_t)m * j;
        const tl_vd t0 = tl_set(t[0]), t1 = tl_set(t[1]), t2 = tl_set(t[2]);
        for (int32_t i = lower ? j : 0; i < m; i += TL_LANES) {
            const int32_t left = m - i;
            store_some(c + i,
                       load_some(c + i, left) +
                           ((load_some(X + i, left) * t0 + load_some(X + stride + i, left) * t1) +
                            load_some(X + 2 * stride + i, left) * t2),
                       left);
        }
    }
}
