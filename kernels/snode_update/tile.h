// SPDX-License-Identifier: MIT
// Vectors and register tiles of the dense kernels, one source for every instruction set: TL_LANES doubles a vector
// (2, 4, 8), TL_ISA in the names.
//
// Products run on register tiles of T strips (8 T rows) by 8 columns, T = 3 where the rows last:
//
//     AVX-512  24 x 8  one pass: 24 sums + 3 rows + 1 broadcast of 32 registers
//     AVX2     12 x 4  four passes a tile: 12 + 3 + 1 of 16
//     2 lanes   4 x 4  twelve passes: 8 + 2 + 1, no fused multiply-add
#pragma once

#include "snode_update.h"

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
// columns of 8 stay in registers where there are enough of them: all indices are literal then
#if TL_LANES == 8
#define COLUMNS UNROLL
#define FIRST(j) 0
#else
#define COLUMNS
#define FIRST(j) ((j) + 1)
#endif

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
