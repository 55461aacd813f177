// SPDX-License-Identifier: MIT
// Vector forms of products, assembly and solves. Row tiles are the outer loop: a tile's rows stay in the
// first-level cache while column strips stream by. Pivot blocks: snode_pivot_wide.c.
#include "tile.h"

#include <float.h>

// ---- products
// --------------------------------------------------------------------------------------------------

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

// `n` columns of one piece: whole strips are rewritten, lanes outside [lo, hi) get back what they had
INLINE void add_piece(const int32_t n, double* dst, int64_t d_col, const double* src, int64_t ld,
                      const tl_snode_piece* q)
{
#if TL_LANES == 8
    const __mmask8 mask = q->mask;
    UNROLL for (int32_t c = 0; c < n; c++)
    {
        const __m512d d = _mm512_load_pd(dst + c * d_col);
        _mm512_store_pd(dst + c * d_col, _mm512_mask_add_pd(d, mask, d, _mm512_loadu_pd(src + c * ld)));
    }
#else
    // lanes >= lo: from[8 - lo + lane], lanes < hi: until[8 - hi + lane]
    static const int64_t from[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    static const int64_t until[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    UNROLL for (int32_t v = 0; v < STRIP; v += TL_LANES)
    {
        const vi keep = *(const viu*)(from + 8 - q->lo + v) & *(const viu*)(until + 8 - q->hi + v);
        UNROLL for (int32_t c = 0; c < n; c++)
        {
            const vi s = (vi)(vd)(*(const vu*)(src + c * ld + v)) & keep;
            *(vd*)(dst + c * d_col + v) += (vd)s;
        }
    }
#endif
}

INLINE void add_pieces(const int32_t n, double* dst, int64_t d_strip, int64_t d_col, const double* src,
                       int64_t ld, const tl_snode_piece* piece, const tl_snode_piece* end, int32_t strip0)
{
    for (; piece < end; piece++)
        add_piece(n, dst + (piece->strip - strip0) * d_strip, d_col, src + piece->src, ld, piece);
}

// the six columns of a free body are neighbours in the parent, too: a piece is looked at once for all of them
void NAME(extend)(int32_t c0, int32_t c1, const double* src, int64_t ld, const int32_t* col, int32_t col0,
                  const tl_snode_piece* piece, int32_t npiece, int32_t strip0, double* dst, int64_t d_strip,
                  int64_t d_col)
{
    const tl_snode_piece *first = piece, *end = piece + npiece;
    for (int32_t c = c0, n; c < c1; c += n) {
        const double* s = src + c * ld;
        double* d = dst + (int64_t)(col[c] - col0) * d_col;
        // pieces that end above the diagonal
        while (first < end && first->src + first->hi <= c)
            first++;
        if (first == end)
            return;
        n = c + 6 <= c1 && col[c + 5] == col[c] + 5 ? 6 : 1;
        if (n == 6)
            add_pieces(6, d, d_strip, d_col, s, ld, first, end, strip0);
        else
            add_pieces(1, d, d_strip, d_col, s, ld, first, end, strip0);
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
