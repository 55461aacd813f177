// SPDX-License-Identifier: MIT
// Vector forms of the pivot blocks. A block of at most 24 goes through copies on the stack, in strips as panels are.
#include "tile.h"

#include <float.h>
#include <math.h>

// lane j of x in all lanes
INLINE vd lane(vd x, int32_t j)
{
#if TL_LANES == 8
    return (vd)_mm512_permutexvar_pd(_mm512_set1_epi64(j), (__m512d)x);
#else
    return splat(x[j]);
#endif
}

// 8 x 8 transposed: `to`, columns STRIP apart, gets rows of `from`, columns `ld` apart
INLINE void transpose_tile(const int32_t ld, const double* from, double* to)
{
#if TL_LANES == 8
    __m512d pair[2][4];
    UNROLL for (int32_t i = 0; i < 4; i++)
    {
        const __m512d a = _mm512_load_pd(from + 2 * i * ld), b = _mm512_load_pd(from + (2 * i + 1) * ld);
        pair[0][i] = _mm512_unpacklo_pd(a, b);
        pair[1][i] = _mm512_unpackhi_pd(a, b);
    }
    UNROLL for (int32_t odd = 0; odd < 2; odd++)
    {
        const __m512d* t = pair[odd];
        const __m512d a = _mm512_shuffle_f64x2(t[0], t[1], 0x88), b = _mm512_shuffle_f64x2(t[2], t[3], 0x88);
        const __m512d c = _mm512_shuffle_f64x2(t[0], t[1], 0xdd), d = _mm512_shuffle_f64x2(t[2], t[3], 0xdd);
        _mm512_store_pd(to + odd * STRIP, _mm512_shuffle_f64x2(a, b, 0x88));
        _mm512_store_pd(to + (odd + 2) * STRIP, _mm512_shuffle_f64x2(c, d, 0x88));
        _mm512_store_pd(to + (odd + 4) * STRIP, _mm512_shuffle_f64x2(a, b, 0xdd));
        _mm512_store_pd(to + (odd + 6) * STRIP, _mm512_shuffle_f64x2(c, d, 0xdd));
    }
#else
    for (int32_t c = 0; c < STRIP; c++)
        for (int32_t r = 0; r < STRIP; r++)
            to[r * STRIP + c] = from[c * ld + r];
#endif
}

// Z, a dense copy w (ld 24), to the place of the pivot block and by column strips to zt
INLINE void put_block(int32_t n, int32_t nstrip, const double* w, double* d, int64_t stride, double* zt)
{
    for (int32_t c = 0; c < n; c++)
        for (int32_t t = 0; t < nstrip; t++)
            memcpy(d + t * stride + c * STRIP, w + c * BLOCK + t * STRIP, STRIP * sizeof(double));
    for (int32_t g = 0; g < nstrip; g++)
        for (int32_t t = 0; t < nstrip; t++)
            transpose_tile(BLOCK, w + g * STRIP * BLOCK + t * STRIP,
                           zt + g * BLOCK * STRIP + t * STRIP * STRIP);
}

// D = L D' L^T, 8 columns at a time: what the columns before take from them is a product, and among themselves
// they are eliminated in registers. All in strips, as panels are: w, the columns as pivots (L D'), l, divided by
// them (L), z, the columns of L^-T, which go the same way with the same multipliers, rows down to the strip of
// their own, and are scaled by 1/sqrt(d') at the end.
enum { TILE = BLOCK * STRIP }; // doubles of a strip

typedef struct pivots {
    double w[BLOCK * BLOCK] __attribute__((aligned(64)));
    double l[BLOCK * BLOCK] __attribute__((aligned(64)));
    double z[BLOCK * BLOCK] __attribute__((aligned(64)));
    double scale[BLOCK] __attribute__((aligned(64)));
} pivots;

// out = first (in strips `stride` apart) - A B^T for nv vectors of rows and the 8 columns of one strip
INLINE void subtract_product(const int32_t nv, int32_t depth, const double* a, const double* b,
                             const double* first, int64_t stride, vd out[STRIP][VB])
{
    const int32_t n = VS == 1 ? nv : 2; // vectors of a pass
    UNROLL for (int32_t v0 = 0; v0 < nv; v0 += n)
    {
        UNROLL for (int32_t c0 = 0; c0 < STRIP; c0 += NC)
        {
            vd sum[VMAX][NC];
            product(n, v0, c0, depth, a, TILE, b, sum);
            UNROLL for (int32_t c = 0; c < NC; c++) UNROLL for (int32_t v = 0; v < n; v++)
            {
                const double* f = first + vector_at(v0 + v, stride) + (c0 + c) * STRIP;
                out[c0 + c][v0 + v] = *(const vd*)f - sum[v][c];
            }
        }
    }
}

// columns of strip t with rows in strips [t, nstrip). @return 0, or 1: a pivot is not positive and finite
INLINE int32_t pivot_columns(int32_t n, const int32_t t, const int32_t nstrip, const double* d,
                             int64_t stride, pivots* b)
{
    const int32_t nv = (nstrip - t) * VS, c0 = t * STRIP;
    double *w = b->w + t * TILE + c0 * STRIP, *lo = b->l + t * TILE + c0 * STRIP;
    vd x[STRIP][VB];
    subtract_product(nv, c0, b->w + t * TILE, b->l + t * TILE, d + t * stride + c0 * STRIP, stride, x);
    COLUMNS for (int32_t j = 0; j < STRIP; j++)
    {
        if (c0 + j < n) {
            const double pivot = x[j][j / TL_LANES][j % TL_LANES];
            if (!(pivot > 0.0 && pivot <= DBL_MAX))
                return 1;
            const double r = 1.0 / pivot;
            b->scale[c0 + j] = r;
            vd l[VB];
            UNROLL for (int32_t v = 0; v < nv; v++)
            {
                l[v] = x[j][v] * splat(r);
                *(vd*)(w + vector_at(v, TILE) + j * STRIP) = x[j][v];
                *(vd*)(lo + vector_at(v, TILE) + j * STRIP) = l[v];
            }
            COLUMNS for (int32_t c = FIRST(j); c < STRIP; c++)
            {
                if (c <= j)
                    continue;
                // the next pivot waits for this one; the others have time to go through memory
                const vd y =
                    c == j + 1 ? lane(x[j][c / TL_LANES], c % TL_LANES) : (vd)splat(w[j * STRIP + c]);
                UNROLL for (int32_t v = 0; v < nv; v++) x[c][v] = fnma_v(l[v], y, x[c][v]);
            }
        }
    }
    return 0;
}

// What columns of strip t were reduced by, `by` (in strips), for other rows: out = first - (earlier columns, in
// strip `rows`, times by^T), then among themselves. Columns n and further become zero.
INLINE void reduce_strip(int32_t n, const int32_t t, int32_t depth, const double* rows, const double* by,
                         const double* first, double* out)
{
    const double* own = by + t * STRIP * STRIP;
    vd x[STRIP][VB];
    subtract_product(VS, depth, rows + (t * STRIP - depth) * STRIP, by + (t * STRIP - depth) * STRIP, first,
                     0, x);
    COLUMNS for (int32_t j = 0; j < STRIP; j++)
    {
        if (t * STRIP + j < n) {
            UNROLL for (int32_t v = 0; v < VS; v++) * (vd*)(out + j * STRIP + v * TL_LANES) = x[j][v];
            COLUMNS for (int32_t c = FIRST(j); c < STRIP; c++)
            {
                if (c <= j)
                    continue;
                const vd y = splat(own[j * STRIP + c]);
                UNROLL for (int32_t v = 0; v < VS; v++) x[c][v] = fnma_v(x[j][v], y, x[c][v]);
            }
        } else {
            UNROLL for (int32_t v = 0; v < VS; v++) * (vd*)(out + j * STRIP + v * TL_LANES) = splat(0.0);
        }
    }
}

// columns of strip t of the inverse of the unit triangle that `by` holds the transpose of: z upper triangular
INLINE void invert_columns(int32_t n, const int32_t t, const double* by, double* z)
{
    static const double one[STRIP * STRIP] __attribute__((aligned(64))) = {
        [0] = 1.0, [9] = 1.0, [18] = 1.0, [27] = 1.0, [36] = 1.0, [45] = 1.0, [54] = 1.0, [63] = 1.0};
    static const double none[STRIP * STRIP] __attribute__((aligned(64))) = {0.0};
    const int32_t at = t * STRIP * STRIP;
    const double* b = by + t * TILE;
    reduce_strip(n, t, t * STRIP, z, b, t == 0 ? one : none, z + at);
    if (t > 0)
        reduce_strip(n, t, (t - 1) * STRIP, z + TILE, b, t == 1 ? one : none, z + TILE + at);
    if (t > 1)
        reduce_strip(n, t, 0, z + 2 * TILE, b, one, z + 2 * TILE + at);
}

// upper triangular z, its columns times scale (NULL: 1), to the place of the pivot block and by columns to zt
INLINE void put_triangle(int32_t n, const int32_t nstrip, double* z, const double* scale, double* d,
                         int64_t stride, double* zt)
{
    for (int32_t row = 0; row < nstrip; row++) {
        for (int32_t c = 0; c < n; c++) {
            double* column = z + row * TILE + c * STRIP;
            const vd s = splat(scale ? scale[c] : 1.0);
            UNROLL for (int32_t v = 0; v < STRIP; v += TL_LANES)
            {
                vd x = splat(0.0);
                if (c >= row * STRIP)
                    x = *(vd*)(column + v) *= s;
                *(vd*)(d + row * stride + c * STRIP + v) = x;
            }
        }
        for (int32_t g = 0; g < nstrip; g++) {
            double* to = zt + g * TILE + row * STRIP * STRIP;
            if (g < row)
                memset(to, 0, STRIP * STRIP * sizeof(double));
            else
                transpose_tile(STRIP, z + row * TILE + g * STRIP * STRIP, to);
        }
    }
}

INLINE int32_t pivot_strip(int32_t n, const int32_t t, const int32_t nstrip, const double* d, int64_t stride,
                           pivots* b)
{
    if (pivot_columns(n, t, nstrip, d, stride, b))
        return 1;
    invert_columns(n, t, b->l, b->z);
    return 0;
}

INLINE int32_t pivot_block(int32_t n, const int32_t nstrip, double* d, int64_t stride, double* zt)
{
    pivots b;
    if (pivot_strip(n, 0, nstrip, d, stride, &b) ||
        (nstrip > 1 && pivot_strip(n, 1, nstrip, d, stride, &b)) ||
        (nstrip > 2 && pivot_strip(n, 2, nstrip, d, stride, &b)))
        return 1;
    for (int32_t c = 0; c < n; c++)
        b.scale[c] = sqrt(b.scale[c]);
    put_triangle(n, nstrip, b.z, b.scale, d, stride, zt);
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

// The same without exchanges, 8 columns at a time as in pivot_columns: D = L U with L unit lower, by strips of L
// and of U^T, each of which takes from the other what its earlier columns are multiplied by. us: rows of U
// divided by their pivots. @return 0; 1: a pivot wants an exchange or is not finite, d and u are as they were
typedef struct factors {
    double l[BLOCK * BLOCK] __attribute__((aligned(64)));
    double ut[BLOCK * BLOCK] __attribute__((aligned(64)));
    double us[BLOCK * BLOCK] __attribute__((aligned(64)));
    double z[BLOCK * BLOCK] __attribute__((aligned(64)));
    double y[BLOCK * BLOCK] __attribute__((aligned(64)));
    double reciprocal[BLOCK];
} factors;

// rows of a strip from i on: from_row[STRIP - i + row]
static const int64_t from_row[2 * STRIP] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

// A B of one vector, zero for rows [0, j]
INLINE vd below_row(vd a, vd b, int32_t j)
{
#if TL_LANES == 8
    return (vd)_mm512_maskz_mul_pd((__mmask8)(0xfe << j), (__m512d)a, (__m512d)b);
#else
    return (vd)((vi)(a * b) & *(const viu*)(from_row + STRIP - 1 - j));
#endif
}

INLINE int32_t lu_columns(int32_t n, const int32_t t, const int32_t nstrip, const double* d, const double* u,
                          int64_t stride, factors* b)
{
    const int32_t nv = (nstrip - t) * VS, c0 = t * STRIP, tile = t * TILE + c0 * STRIP;
    double first[3 * STRIP * STRIP] __attribute__((aligned(64))),
        whole[STRIP * STRIP] __attribute__((aligned(64)));
    vd x[STRIP][VB];
    vi bad[VB] = {{0}};
    // the diagonal tile is whole, what is left of the panel below it
    transpose_tile(STRIP, u + t * stride + c0 * STRIP, first);
    for (int32_t c = 0; c < STRIP; c++)
        UNROLL for (int32_t v = 0; v < VS; v++)
        {
            vd* to = (vd*)(first + c * STRIP + v * TL_LANES);
            const vi keep = *(const viu*)(from_row + STRIP - c + v * TL_LANES);
            const vi lower = *(const vi*)(d + t * stride + (c0 + c) * STRIP + v * TL_LANES);
            *to = (vd)((lower & keep) | ((vi)*to & ~keep));
        }
    for (int32_t s = t + 1; s < nstrip; s++)
        memcpy(first + (s - t) * STRIP * STRIP, d + s * stride + c0 * STRIP, sizeof whole);
    subtract_product(nv, c0, b->l + t * TILE, b->ut + t * TILE, first, STRIP * STRIP, x);
    COLUMNS for (int32_t j = 0; j < STRIP; j++)
    {
        if (c0 + j < n) {
            const double pivot = x[j][j / TL_LANES][j % TL_LANES];
            if (!(fabs(pivot) > 0.0 && fabs(pivot) <= DBL_MAX))
                return 1;
            const vd r = splat(b->reciprocal[c0 + j] = 1.0 / pivot);
            vd l[VB];
            UNROLL for (int32_t v = 0; v < nv; v++)
            {
                l[v] = v < VS ? below_row(x[j][v], r, j - v * TL_LANES) : (vd)(x[j][v] * r);
                bad[v] |= ~((vd)((vi)l[v] & INT64_MAX) <= splat(100.0));
                *(vd*)(b->l + tile + vector_at(v, TILE) + j * STRIP) = l[v];
                if (v < VS)
                    *(vd*)(whole + j * STRIP + v * TL_LANES) = x[j][v];
            }
            COLUMNS for (int32_t c = FIRST(j); c < STRIP; c++)
            {
                if (c <= j)
                    continue;
                const vd y = lane(x[c][j / TL_LANES], j % TL_LANES);
                UNROLL for (int32_t v = 0; v < nv; v++) x[c][v] = fnma_v(l[v], y, x[c][v]);
            }
        } else {
            UNROLL for (int32_t v = 0; v < VS; v++) * (vd*)(whole + j * STRIP + v * TL_LANES) = splat(0.0);
        }
    }
    UNROLL for (int32_t v = 0; v < nv; v++) if (any_lane(bad[v])) return 1;
    transpose_tile(STRIP, whole, b->ut + tile);
    return 0;
}

INLINE int32_t lu_strip(int32_t n, const int32_t t, const int32_t nstrip, const double* d, const double* u,
                        int64_t stride, factors* b)
{
    const int32_t c0 = t * STRIP;
    if (lu_columns(n, t, nstrip, d, u, stride, b))
        return 1;
    for (int32_t s = t + 1; s < nstrip; s++)
        reduce_strip(n, t, c0, b->ut + s * TILE, b->l + t * TILE, u + s * stride + c0 * STRIP,
                     b->ut + s * TILE + c0 * STRIP);
    const int32_t end = n < c0 + STRIP ? n : c0 + STRIP;
    for (int32_t s = t; s < nstrip; s++)
        for (int32_t p = c0; p < end; p++)
            UNROLL for (int32_t v = 0; v < STRIP; v += TL_LANES) * (vd*)(b->us + s * TILE + p * STRIP + v) =
                *(const vd*)(b->ut + s * TILE + p * STRIP + v) * splat(b->reciprocal[p]);
    invert_columns(n, t, b->us, b->z);
    invert_columns(n, t, b->l, b->y);
    return 0;
}

INLINE int32_t lu_in_order(int32_t n, const int32_t nstrip, double* d, double* u, int64_t stride, double* zt,
                           double* yt)
{
    factors b;
    if (lu_strip(n, 0, nstrip, d, u, stride, &b) ||
        (nstrip > 1 && lu_strip(n, 1, nstrip, d, u, stride, &b)) ||
        (nstrip > 2 && lu_strip(n, 2, nstrip, d, u, stride, &b)))
        return 1;
    put_triangle(n, nstrip, b.z, b.reciprocal, d, stride, zt);
    put_triangle(n, nstrip, b.y, NULL, u, stride, yt);
    return 0;
}

static int32_t try_in_order(int32_t n, double* d, double* u, int64_t stride, double* zt, double* yt)
{
    if (n <= STRIP)
        return lu_in_order(n, 1, d, u, stride, zt, yt);
    if (n <= 2 * STRIP)
        return lu_in_order(n, 2, d, u, stride, zt, yt);
    return lu_in_order(n, 3, d, u, stride, zt, yt);
}

int32_t NAME(lu)(int32_t n, double* d, double* u, int64_t stride, double* zt, double* yt)
{
    if (!try_in_order(n, d, u, stride, zt, yt))
        return 0;
    if (n <= STRIP)
        return lu_block(n, 1, d, u, stride, zt, yt);
    if (n <= 2 * STRIP)
        return lu_block(n, 2, d, u, stride, zt, yt);
    return lu_block(n, 3, d, u, stride, zt, yt);
}
