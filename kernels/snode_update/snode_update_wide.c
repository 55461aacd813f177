// SPDX-License-Identifier: MIT
// Vector forms, one source for every instruction set: TL_LANES doubles a vector (2, 4, 8), TL_ISA in the
// names.
//
// Products run on register tiles of T strips (8 T rows) by 8 columns, T = 3 where the rows last:
//
//     AVX-512  24 x 8  one pass: 24 sums + 3 rows + 1 broadcast of 32 registers
//     AVX2     12 x 4  four passes a tile: 12 + 3 + 1 of 16
//     2 lanes   4 x 4  twelve passes: 8 + 2 + 1, no fused multiply-add
//
// Row tiles are the outer loop: a tile's rows stay in the first-level cache while column strips stream by.
#include "snode_update.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#if TL_LANES > 2
#include <immintrin.h>
#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(op) JOIN(tl_snode_##op##_, TL_ISA)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

enum {
    STRIP = TL_SNODE_STRIP,
    BLOCK = TL_SNODE_BLOCK,
    VS = STRIP / TL_LANES,      // vectors of a strip
    VB = BLOCK / TL_LANES,      // vectors of a block column
    NC = TL_LANES == 8 ? 8 : 4, // columns of a register tile
    VMAX = 3                    // vectors of a register tile at most
};

typedef double vd __attribute__((vector_size(8 * TL_LANES), may_alias));
typedef double vu __attribute__((vector_size(8 * TL_LANES), may_alias, aligned(8)));
typedef float vf __attribute__((vector_size(4 * TL_LANES), may_alias));
typedef int64_t vi __attribute__((vector_size(8 * TL_LANES), may_alias));
typedef int64_t viu __attribute__((vector_size(8 * TL_LANES), may_alias, aligned(8)));

INLINE vd splat(double x)
{
#if TL_LANES == 8
    return (vd)_mm512_set1_pd(x);
#elif TL_LANES == 4
    return (vd)_mm256_set1_pd(x);
#else
    return (vd){x, x};
#endif
}

// a b + c, and c - a b
INLINE vd fma_v(vd a, vd b, vd c)
{
#if TL_LANES == 8
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif TL_LANES == 4
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return c + a * b;
#endif
}

INLINE vd fnma_v(vd a, vd b, vd c)
{
#if TL_LANES == 8
    return (vd)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif TL_LANES == 4
    return (vd)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return c - a * b;
#endif
}

// ---- pivot blocks
// ----------------------------------------------------------------------------------------------

// the block goes through a dense copy w (ld 24), columns as VB vectors of which `nv` are used
INLINE void put_block(int32_t n, int32_t nstrip, const double* w, double* d, int64_t stride, double* zt)
{
    for (int32_t c = 0; c < n; c++)
        for (int32_t t = 0; t < nstrip; t++)
            memcpy(d + t * stride + c * STRIP, w + c * BLOCK + t * STRIP, STRIP * sizeof(double));
    for (int32_t g = 0; g < nstrip; g++) {
        double* z = zt + g * BLOCK * STRIP;
        for (int32_t p = 0; p < n; p++)
            for (int32_t i = 0; i < STRIP; i++)
                z[p * STRIP + i] = w[p + (g * STRIP + i) * BLOCK];
    }
}

// Right-looking D = L D' L^T on w and, in the same steps, the columns of L^-T on z, which starts as the
// identity: column c > j loses l_cj times column j, rows >= j of w and rows <= j of z. Vectors of w above and
// of z below the strip of j are left out. Columns of z are scaled by 1/sqrt(d') at the end, off the critical
// path.
INLINE int32_t pivot_block(int32_t n, const int32_t nstrip, double* d, int64_t stride, double* zt)
{
    double w[BLOCK * BLOCK] __attribute__((aligned(64)));
    double z[BLOCK * BLOCK] __attribute__((aligned(64)));
    double scale[BLOCK];
    const int32_t nv = nstrip * VS;
    for (int32_t c = 0; c < n; c++)
        for (int32_t t = 0; t < nstrip; t++)
            memcpy(w + c * BLOCK + t * STRIP, d + t * stride + c * STRIP, STRIP * sizeof(double));
    memset(z, 0, (size_t)(nstrip * STRIP * BLOCK) * sizeof(double));
    UNROLL for (int32_t t = 0; t < nstrip; t++)
    {
        const int32_t end = n < (t + 1) * STRIP ? n : (t + 1) * STRIP;
        for (int32_t j = t * STRIP; j < end; j++) {
            double *wj = w + j * BLOCK, *zj = z + j * BLOCK;
            const double pivot = wj[j];
            if (!(pivot > 0.0 && pivot <= DBL_MAX))
                return 1;
            const double r = 1.0 / pivot;
            scale[j] = r;
            zj[j] = 1.0;
            vd wcol[VB], zcol[VB];
            UNROLL for (int32_t v = t * VS; v < nv; v++) wcol[v] = *(const vd*)(wj + v * TL_LANES);
            UNROLL for (int32_t v = 0; v < (t + 1) * VS; v++) zcol[v] = *(const vd*)(zj + v * TL_LANES);
            for (int32_t c = j + 1; c < n; c++) {
                const vd l = splat(wj[c] * r);
                double *wc = w + c * BLOCK, *zc = z + c * BLOCK;
                UNROLL for (int32_t v = t * VS; v < nv; v++) * (vd*)(wc + v * TL_LANES) =
                    fnma_v(wcol[v], l, *(const vd*)(wc + v * TL_LANES));
                UNROLL for (int32_t v = 0; v < (t + 1) * VS; v++) * (vd*)(zc + v * TL_LANES) =
                    fnma_v(zcol[v], l, *(const vd*)(zc + v * TL_LANES));
            }
        }
    }
    for (int32_t c = 0; c < n; c++) {
        const vd s = splat(sqrt(scale[c]));
        UNROLL for (int32_t v = 0; v < nv; v++) * (vd*)(z + c * BLOCK + v * TL_LANES) *= s;
    }
    put_block(n, nstrip, z, d, stride, zt);
    return 0;
}

int32_t NAME(pivot)(int32_t n, double* d, int64_t stride, double* zt)
{
    if (n <= STRIP)
        return pivot_block(n, 1, d, stride, zt);
    if (n <= 2 * STRIP)
        return pivot_block(n, 2, d, stride, zt);
    return pivot_block(n, 3, d, stride, zt);
}

INLINE bool any_lane(vi x)
{
#if TL_LANES == 8
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x) != 0;
#elif TL_LANES == 4
    return _mm256_movemask_pd((__m256d)x) != 0;
#else
    return (x[0] | x[1]) != 0;
#endif
}

// exchange rows j and p of the columns in list
INLINE void exchange_rows(double* w, int32_t j, int32_t p, const int32_t* list, int32_t n)
{
    for (int32_t q = 0; q < n; q++) {
        double* c = w + (list ? list[q] : q) * BLOCK;
        const double t = c[j];
        c[j] = c[p];
        c[p] = t;
    }
}

// bring the largest entry of column j, rows j and below, to the diagonal
static void exchange_pivot(int32_t j, int32_t n, double* w, double* y, int32_t* orig)
{
    const double* wj = w + j * BLOCK;
    int32_t p = j;
    for (int32_t i = j + 1; i < n; i++)
        p = fabs(wj[i]) > fabs(wj[p]) ? i : p;
    exchange_rows(w, j, p, NULL, n);
    exchange_rows(y, j, p, orig, j);
    const int32_t o = orig[j];
    orig[j] = orig[p];
    orig[p] = o;
}

// U^-1 column by column: v(:, c) = (e_c - sum_p v(:, p) u(p, c)) / u(c, c)
INLINE void invert_upper(int32_t n, const int32_t nv, const double* w, const double* r, double* z)
{
    for (int32_t c = 0; c < n; c++) {
        const double* wc = w + c * BLOCK;
        vd sum[VB];
        UNROLL for (int32_t v = 0; v < nv; v++) sum[v] = splat(0.0);
        for (int32_t p = 0; p < c; p++)
            UNROLL for (int32_t v = 0; v < nv; v++) sum[v] =
                fnma_v(*(const vd*)(z + p * BLOCK + v * TL_LANES), splat(wc[p]), sum[v]);
        UNROLL for (int32_t v = 0; v < nv; v++) * (vd*)(z + c * BLOCK + v * TL_LANES) = sum[v] * splat(r[c]);
        z[c + c * BLOCK] = r[c];
    }
}

// Right-looking on w, and in the same steps on y, which becomes L^-1 P: its column orig[q] is zero but for
// rows already eliminated until row q is.
INLINE int32_t lu_block(int32_t n, const int32_t nstrip, double* d, double* u, int64_t stride, double* zt,
                        double* yt)
{
    double w[BLOCK * BLOCK] __attribute__((aligned(64)));
    double y[BLOCK * BLOCK] __attribute__((aligned(64)));
    double z[BLOCK * BLOCK] __attribute__((aligned(64)));
    double reciprocal[BLOCK];
    int64_t iota[BLOCK] __attribute__((aligned(64)));
    int32_t orig[BLOCK];
    const int32_t nv = nstrip * VS;
    for (int32_t c = 0; c < n; c++) {
        orig[c] = c;
        for (int32_t i = 0; i < c; i++)
            w[i + c * BLOCK] = u[c / STRIP * stride + i * STRIP + c % STRIP];
        for (int32_t i = c; i < nstrip * STRIP; i++)
            w[i + c * BLOCK] = d[i / STRIP * stride + c * STRIP + i % STRIP];
    }
    for (int32_t i = 0; i < BLOCK; i++)
        iota[i] = i;
    memset(y, 0, (size_t)(nstrip * STRIP * BLOCK) * sizeof(double));
    memset(z, 0, (size_t)(nstrip * STRIP * BLOCK) * sizeof(double));
    // rows above the strip of j are done: their vectors are left out
    UNROLL for (int32_t t = 0; t < nstrip; t++)
    {
        const int32_t end = n < (t + 1) * STRIP ? n : (t + 1) * STRIP;
        for (int32_t j = t * STRIP; j < end; j++) {
            double* wj = w + j * BLOCK;
            const vd bound = splat(100.0 * fabs(wj[j]));
            vi below[VB], larger = {0};
            UNROLL for (int32_t v = t * VS; v < nv; v++)
            {
                below[v] = *(const vi*)(iota + v * TL_LANES) > (int64_t)j;
                larger |= below[v] & (vi)((vd)(*(const vi*)(wj + v * TL_LANES) & INT64_MAX) > bound);
            }
            if (any_lane(larger))
                exchange_pivot(j, n, w, y, orig);
            if (!(fabs(wj[j]) > 0.0 && fabs(wj[j]) <= DBL_MAX))
                return 1;
            reciprocal[j] = 1.0 / wj[j];
            y[j + orig[j] * BLOCK] = 1.0;
            // multipliers, zero for rows already done
            vd l[VB];
            UNROLL for (int32_t v = t * VS; v < nv; v++) l[v] =
                (vd)((vi)(*(const vd*)(wj + v * TL_LANES) * splat(reciprocal[j])) & below[v]);
            for (int32_t q = 0; q < n; q++) {
                double* c = q <= j ? y + orig[q] * BLOCK : w + q * BLOCK;
                const vd s = splat(c[j]);
                UNROLL for (int32_t v = t * VS; v < nv; v++) * (vd*)(c + v * TL_LANES) =
                    fnma_v(l[v], s, *(const vd*)(c + v * TL_LANES));
            }
        }
    }
    invert_upper(n, nv, w, reciprocal, z);
    put_block(n, nstrip, z, d, stride, zt);
    // Y is the transpose of y: its column strips are those of y's rows
    for (int32_t g = 0; g < nstrip; g++)
        for (int32_t p = 0; p < n; p++)
            memcpy(yt + g * BLOCK * STRIP + p * STRIP, y + p * BLOCK + g * STRIP, STRIP * sizeof(double));
    for (int32_t c = 0; c < n; c++)
        for (int32_t p = 0; p < n; p++)
            u[p / STRIP * stride + c * STRIP + p % STRIP] = y[c + p * BLOCK];
    return 0;
}

int32_t NAME(lu)(int32_t n, double* d, double* u, int64_t stride, double* zt, double* yt)
{
    if (n <= STRIP)
        return lu_block(n, 1, d, u, stride, zt, yt);
    if (n <= 2 * STRIP)
        return lu_block(n, 2, d, u, stride, zt, yt);
    return lu_block(n, 3, d, u, stride, zt, yt);
}

// ---- products
// --------------------------------------------------------------------------------------------------

// vector v of a tile lies in strip v / VS
INLINE int64_t vector_at(int32_t v, int64_t strip)
{
    return v / VS * strip + v % VS * TL_LANES;
}

// sum[v][c] = sum_p A(vector v0 + v, p) B(c0 + c, p)
INLINE void product(const int32_t nv, int32_t v0, int32_t c0, int32_t depth, const double* a, int64_t stride,
                    const double* b, vd sum[VMAX][NC])
{
    const double* row[VMAX];
    UNROLL for (int32_t v = 0; v < nv; v++)
    {
        row[v] = a + vector_at(v0 + v, stride);
        UNROLL for (int32_t c = 0; c < NC; c++) sum[v][c] = splat(0.0);
    }
    b += c0;
    for (int32_t p = 0; p < depth; p++) {
        vd x[VMAX];
        UNROLL for (int32_t v = 0; v < nv; v++) x[v] = *(const vd*)(row[v] + p * STRIP);
        UNROLL for (int32_t c = 0; c < NC; c++)
        {
            const vd y = splat(b[p * STRIP + c]);
            UNROLL for (int32_t v = 0; v < nv; v++) sum[v][c] = fma_v(x[v], y, sum[v][c]);
        }
    }
}

// vectors of one pass over a tile of T strips
INLINE int32_t pass_vectors(int32_t strips)
{
    return TL_LANES == 8 ? strips : TL_LANES == 4 && strips == 3 ? 3 : 2;
}

INLINE void update_tile(const int32_t strips, int32_t depth, const double* a, const double* b, int64_t stride,
                        double* c, int64_t c_strip, int64_t c_col, bool set)
{
    const int32_t nv = pass_vectors(strips);
    for (int32_t v0 = 0; v0 < strips * VS; v0 += nv) {
        for (int32_t c0 = 0; c0 < STRIP; c0 += NC) {
            vd sum[VMAX][NC];
            product(nv, v0, c0, depth, a, stride, b, sum);
            UNROLL for (int32_t j = 0; j < NC; j++)
            {
                UNROLL for (int32_t v = 0; v < nv; v++)
                {
                    vd* out = (vd*)(c + vector_at(v0 + v, c_strip) + (c0 + j) * c_col);
                    if (set)
                        *out = -sum[v][j];
                    else
                        *out -= sum[v][j];
                }
            }
        }
    }
}

INLINE void update_strips(int32_t strips, int32_t depth, const double* a, const double* b, int64_t stride,
                          double* c, int64_t c_strip, int64_t c_col, bool set)
{
    switch (strips) {
    case 1:
        update_tile(1, depth, a, b, stride, c, c_strip, c_col, set);
        break;
    case 2:
        update_tile(2, depth, a, b, stride, c, c_strip, c_col, set);
        break;
    default:
        update_tile(3, depth, a, b, stride, c, c_strip, c_col, set);
    }
}

void NAME(update)(int32_t row0, int32_t nrow, int32_t ncol, int32_t depth, const double* a, const double* b,
                  int64_t stride, double* c, int64_t c_strip, int64_t c_col, int32_t set)
{
    for (int32_t i = row0; i < nrow; i += 3) {
        const int32_t end = i + 3 < nrow ? i + 3 : nrow;
        for (int32_t j = 0; j < ncol && j < end; j++) {
            const int32_t top = j > i ? j : i; // strips above the diagonal are left out
            update_strips(end - top, depth, a + top * stride, b + j * stride, stride,
                          c + top * c_strip + (int64_t)j * STRIP * c_col, c_strip, c_col, set);
        }
    }
}

// last column strip first: with Z upper triangular it reads columns that are not yet overwritten
INLINE void scale_tile(const int32_t strips, int32_t n, double* a, int64_t stride, const double* zt,
                       bool full)
{
    const int32_t nv = pass_vectors(strips), ng = (n + STRIP - 1) / STRIP;
    double copy[3 * BLOCK * STRIP] __attribute__((aligned(64)));
    const double* from = a;
    int64_t from_stride = stride;
    if (full) {
        for (int32_t t = 0; t < strips; t++)
            memcpy(copy + t * BLOCK * STRIP, a + t * stride, (size_t)n * STRIP * sizeof(double));
        from = copy;
        from_stride = BLOCK * STRIP;
    }
    for (int32_t g = ng - 1; g >= 0; g--) {
        const int32_t depth = full || (g + 1) * STRIP > n ? n : (g + 1) * STRIP;
        const double* z = zt + g * BLOCK * STRIP;
        for (int32_t v0 = 0; v0 < strips * VS; v0 += nv) {
            vd sum[STRIP / NC][VMAX][NC];
            UNROLL for (int32_t h = 0; h < STRIP / NC; h++)
                product(nv, v0, h * NC, depth, from, from_stride, z, sum[h]);
            UNROLL for (int32_t j = 0; j < STRIP; j++) UNROLL for (int32_t v = 0; v < nv; v++) *
                (vd*)(a + vector_at(v0 + v, stride) + (g * STRIP + j) * STRIP) = sum[j / NC][v][j % NC];
        }
    }
}

void NAME(scale)(int32_t nstrip, int32_t n, double* a, int64_t stride, const double* zt, int32_t full)
{
    int32_t i = 0;
    for (; i + 3 <= nstrip; i += 3)
        scale_tile(3, n, a + i * stride, stride, zt, full);
    if (nstrip - i == 2)
        scale_tile(2, n, a + i * stride, stride, zt, full);
    else if (nstrip - i == 1)
        scale_tile(1, n, a + i * stride, stride, zt, full);
}

// ---- assembly
// --------------------------------------------------------------------------------------------------

// whole strips are rewritten; lanes outside [lo, hi) get back what they had
INLINE void add_piece(double* dst, const double* src, const tl_snode_piece* q)
{
#if TL_LANES == 8
    const __m512d d = _mm512_load_pd(dst);
    _mm512_store_pd(dst, _mm512_mask_add_pd(d, q->mask, d, _mm512_loadu_pd(src)));
#else
    // lanes >= lo: from[8 - lo + lane], lanes < hi: until[8 - hi + lane]
    static const int64_t from[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    static const int64_t until[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    UNROLL for (int32_t v = 0; v < STRIP; v += TL_LANES)
    {
        const vi keep = *(const viu*)(from + 8 - q->lo + v) & *(const viu*)(until + 8 - q->hi + v);
        const vi s = (vi)(vd)(*(const vu*)(src + v)) & keep;
        *(vd*)(dst + v) += (vd)s;
    }
#endif
}

void NAME(extend)(int32_t c0, int32_t c1, const double* src, int64_t ld, const int32_t* col, int32_t col0,
                  const tl_snode_piece* piece, int32_t npiece, int32_t strip0, double* dst, int64_t d_strip,
                  int64_t d_col)
{
    int32_t first = 0;
    for (int32_t c = c0; c < c1; c++) {
        const double* s = src + c * ld;
        double* d = dst + (int64_t)(col[c] - col0) * d_col;
        // pieces that end above the diagonal
        while (piece[first].src + piece[first].hi <= c)
            first++;
        for (int32_t q = first; q < npiece; q++)
            add_piece(d + (piece[q].strip - strip0) * d_strip, s + piece[q].src, piece + q);
    }
}

// ---- solves
// ----------------------------------------------------------------------------------------------------

// a vector of the panel from entry i on (the compilers' own conversion takes halves apart)
INLINE vd entries(const void* a, int64_t i, bool single)
{
    if (!single)
        return *(const vd*)((const double*)a + i);
    const float* f = (const float*)a + i;
#if TL_LANES == 8
    return (vd)_mm512_cvtps_pd(_mm256_load_ps(f));
#elif TL_LANES == 4
    return (vd)_mm256_cvtps_pd(_mm_load_ps(f));
#else
    return (vd){(double)f[0], (double)f[1]};
#endif
}

INLINE void forward_panel(int32_t nstrip, int32_t n, const void* a, bool single, int64_t stride,
                          const double* x, double* y, int32_t set)
{
    int64_t at = 0;
    for (int32_t i = 0; i < nstrip; i++, at += stride, y += STRIP) {
        // four sums hide the latency of a single chain
        vd sum[4][VS];
        UNROLL for (int32_t s = 0; s < 4; s++) UNROLL for (int32_t v = 0; v < VS; v++) sum[s][v] = splat(0.0);
        int32_t p = 0;
        for (; p + 4 <= n; p += 4)
            UNROLL for (int32_t s = 0; s < 4; s++) UNROLL for (int32_t v = 0; v < VS; v++) sum[s][v] =
                fma_v(entries(a, at + (p + s) * STRIP + v * TL_LANES, single), splat(x[p + s]), sum[s][v]);
        for (; p < n; p++)
            UNROLL for (int32_t v = 0; v < VS; v++) sum[0][v] =
                fma_v(entries(a, at + p * STRIP + v * TL_LANES, single), splat(x[p]), sum[0][v]);
        UNROLL for (int32_t v = 0; v < VS; v++)
        {
            const vd total = (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]);
            vd* out = (vd*)(y + v * TL_LANES);
            if (set)
                *out = -total;
            else
                *out -= total;
        }
    }
}

void NAME(forward)(int32_t nstrip, int32_t n, const double* a, int64_t stride, const double* x, double* y,
                   int32_t set)
{
    forward_panel(nstrip, n, a, false, stride, x, y, set);
}

void NAME(forward_single)(int32_t nstrip, int32_t n, const float* a, int64_t stride, const double* x,
                          double* y, int32_t set)
{
    forward_panel(nstrip, n, a, true, stride, x, y, set);
}

// x[c] -= total of the lanes of sum[c]: all eight at once, by transposing while adding
INLINE void subtract_totals(const vd* sum, double* x)
{
#if TL_LANES == 8
    __m512d pair[4], quad[2];
    UNROLL for (int32_t i = 0; i < 4; i++)
    {
        const __m512d a = (__m512d)sum[2 * i], b = (__m512d)sum[2 * i + 1];
        pair[i] = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
    }
    UNROLL for (int32_t i = 0; i < 2; i++) quad[i] =
        _mm512_add_pd(_mm512_shuffle_f64x2(pair[2 * i], pair[2 * i + 1], 0x88),
                      _mm512_shuffle_f64x2(pair[2 * i], pair[2 * i + 1], 0xdd));
    const __m512d total = _mm512_add_pd(_mm512_shuffle_f64x2(quad[0], quad[1], 0x88),
                                        _mm512_shuffle_f64x2(quad[0], quad[1], 0xdd));
    _mm512_storeu_pd(x, _mm512_sub_pd(_mm512_loadu_pd(x), total));
#elif TL_LANES == 4
    UNROLL for (int32_t i = 0; i < 8; i += 4)
    {
        const __m256d p = _mm256_hadd_pd((__m256d)sum[i], (__m256d)sum[i + 1]);
        const __m256d q = _mm256_hadd_pd((__m256d)sum[i + 2], (__m256d)sum[i + 3]);
        const __m256d total =
            _mm256_add_pd(_mm256_permute2f128_pd(p, q, 0x20), _mm256_permute2f128_pd(p, q, 0x31));
        _mm256_storeu_pd(x + i, _mm256_sub_pd(_mm256_loadu_pd(x + i), total));
    }
#else
    UNROLL for (int32_t c = 0; c < 8; c++) x[c] -= sum[c][0] + sum[c][1];
#endif
}

INLINE void backward_panel(int32_t nstrip, int32_t n, const void* a, bool single, int64_t stride,
                           const double* y, double* x)
{
    for (int32_t p = 0; p < n; p += STRIP) {
        int64_t at = (int64_t)p * STRIP;
        vd sum[STRIP];
        UNROLL for (int32_t c = 0; c < STRIP; c++) sum[c] = splat(0.0);
        for (int32_t i = 0; i < nstrip; i++, at += stride)
            UNROLL for (int32_t v = 0; v < VS; v++)
            {
                const vd yv = *(const vd*)(y + i * STRIP + v * TL_LANES);
                UNROLL for (int32_t c = 0; c < STRIP; c++) sum[c] =
                    fma_v(entries(a, at + c * STRIP + v * TL_LANES, single), yv, sum[c]);
            }
        subtract_totals(sum, x + p);
    }
}

void NAME(backward)(int32_t nstrip, int32_t n, const double* a, int64_t stride, const double* y, double* x)
{
    backward_panel(nstrip, n, a, false, stride, y, x);
}

void NAME(backward_single)(int32_t nstrip, int32_t n, const float* a, int64_t stride, const double* y,
                           double* x)
{
    backward_panel(nstrip, n, a, true, stride, y, x);
}

int32_t NAME(round)(int64_t n, const double* a, float* out)
{
    vi bad = {0};
    for (int64_t i = 0; i < n; i += TL_LANES) {
        const vd x = *(const vd*)(a + i);
        bad |= ~((x <= splat(FLT_MAX)) & (x >= splat(-FLT_MAX)));
        *(vf*)(out + i) = __builtin_convertvector(x, vf);
    }
    for (int32_t l = 0; l < TL_LANES; l++)
        if (bad[l])
            return 1;
    return 0;
}

// a run is mostly a few bodies of six rows: whole vectors, then what is left of one
void NAME(gather)(int32_t nrun, const tl_snode_run* run, const double* b, double* t)
{
    for (int32_t q = 0; q < nrun; q++) {
        const double* from = b + run[q].at;
        const int32_t n = run[q].n;
        int32_t i = 0;
        for (; i + TL_LANES <= n; i += TL_LANES)
            *(vu*)(t + i) = *(const vu*)(from + i);
#if TL_LANES == 8
        const __mmask8 rest = (__mmask8)((1u << (n - i)) - 1);
        _mm512_mask_storeu_pd(t + i, rest, _mm512_maskz_loadu_pd(rest, from + i));
#else
        for (; i < n; i++)
            t[i] = from[i];
#endif
        t += n;
    }
}

void NAME(scatter)(int32_t nrun, const tl_snode_run* run, const double* t, double* b)
{
    for (int32_t q = 0; q < nrun; q++) {
        double* to = b + run[q].at;
        const int32_t n = run[q].n;
        int32_t i = 0;
        for (; i + TL_LANES <= n; i += TL_LANES)
            *(vu*)(to + i) += *(const vu*)(t + i);
#if TL_LANES == 8
        const __mmask8 rest = (__mmask8)((1u << (n - i)) - 1);
        _mm512_mask_storeu_pd(
            to + i, rest,
            _mm512_add_pd(_mm512_maskz_loadu_pd(rest, to + i), _mm512_maskz_loadu_pd(rest, t + i)));
#else
        for (; i < n; i++)
            to[i] += t[i];
#endif
        t += n;
    }
}
