// SPDX-License-Identifier: MIT
// TL_LANES doubles in one register: tl_vd values and tl_vm masks, for the *_wide.c files only. Arithmetic is
// the compiler's vector extension (+ - * /); what it lacks in C, or what compilers do badly, stands here.
// Comparisons are ordered: false for NaN. Nothing here rounds differently from the scalar operation of the
// same name.
#pragma once

#include <stdint.h>
#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#if !defined(TL_ISA) || !defined(TL_LANES)
#error "TL_ISA and TL_LANES name the set being built: see kernels/CMakeLists.txt"
#endif

#define TL_PASTE2(a, b) a##_##b
#define TL_PASTE(a, b) TL_PASTE2(a, b)
/// tl_OP_ISA
#define TL_KERNEL(op) TL_PASTE(tl_##op, TL_ISA)

typedef double tl_vd __attribute__((vector_size(8 * TL_LANES)));
typedef double tl_vd_mem __attribute__((vector_size(8 * TL_LANES), aligned(8), may_alias));
typedef int64_t tl_vi __attribute__((vector_size(8 * TL_LANES)));

static inline tl_vd tl_load(const double* p)
{
    return *(const tl_vd_mem*)p;
}

static inline void tl_store(double* p, tl_vd x)
{
    *(tl_vd_mem*)p = x;
}

/// The first k < TL_LANES values, zeros after them; nothing behind them is touched.
static inline tl_vd tl_load_part(const double* p, int k)
{
#if defined(__AVX512F__) && TL_LANES == 8
    return _mm512_maskz_loadu_pd((__mmask8)((1u << k) - 1u), p);
#elif defined(__AVX2__) && TL_LANES == 4
    const __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(k), lane));
#else
    tl_vd x = {0};
    for (int i = 0; i < k; i++)
        x[i] = p[i];
    return x;
#endif
}

static inline tl_vd tl_set(double x)
{
    return x - (tl_vd){0}; // x - 0 keeps the sign of zero
}

#if defined(__AVX512F__) && TL_LANES == 8

typedef __mmask8 tl_vm; // mask registers: the compiler does not find them through 64-bit masks

static inline tl_vm tl_lt(tl_vd a, tl_vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

static inline tl_vm tl_le(tl_vd a, tl_vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

static inline tl_vm tl_eq(tl_vd a, tl_vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

/// m ? a : b
static inline tl_vd tl_select(tl_vm m, tl_vd a, tl_vd b)
{
    return _mm512_mask_blend_pd(m, b, a);
}

static inline tl_vd tl_sqrt(tl_vd x)
{
    return _mm512_sqrt_pd(x);
}

#else

typedef tl_vi tl_vm; // all bits of a lane

static inline tl_vm tl_lt(tl_vd a, tl_vd b)
{
    return (tl_vm)(a < b);
}

static inline tl_vm tl_le(tl_vd a, tl_vd b)
{
    return (tl_vm)(a <= b);
}

static inline tl_vm tl_eq(tl_vd a, tl_vd b)
{
    return (tl_vm)(a == b);
}

/// m ? a : b
static inline tl_vd tl_select(tl_vm m, tl_vd a, tl_vd b)
{
#if defined(__AVX2__) && TL_LANES == 4
    return _mm256_blendv_pd(b, a, (tl_vd)m);
#elif defined(__SSE2__) && TL_LANES == 2
    // written with operators gcc takes it for a conditional, which it does lane by lane without SSE4.1
    return _mm_or_pd(_mm_and_pd((tl_vd)m, a), _mm_andnot_pd((tl_vd)m, b));
#else
    return (tl_vd)((m & (tl_vi)a) | (~m & (tl_vi)b));
#endif
}

static inline tl_vd tl_sqrt(tl_vd x)
{
#if defined(__AVX2__) && TL_LANES == 4
    return _mm256_sqrt_pd(x);
#elif defined(__SSE2__) && TL_LANES == 2
    return _mm_sqrt_pd(x);
#else
    tl_vd r;
    for (int i = 0; i < TL_LANES; i++)
        r[i] = __builtin_sqrt(x[i]);
    return r;
#endif
}

#endif

/// Bit l is lane l.
static inline unsigned tl_bits(tl_vm m)
{
#if defined(__AVX512F__) && TL_LANES == 8
    return m;
#elif defined(__AVX2__) && TL_LANES == 4
    return (unsigned)_mm256_movemask_pd((tl_vd)m);
#elif defined(__SSE2__) && TL_LANES == 2
    return (unsigned)_mm_movemask_pd((tl_vd)m);
#else
    unsigned bits = 0;
    for (int i = 0; i < TL_LANES; i++)
        bits |= (unsigned)(m[i] != 0) << i;
    return bits;
#endif
}

/// m ? a : 0
static inline tl_vd tl_keep(tl_vm m, tl_vd a)
{
    return tl_select(m, a, (tl_vd){0});
}

/// a > b ? a : b, so b where either is NaN; the x86 instruction is defined that way
static inline tl_vd tl_max(tl_vd a, tl_vd b)
{
#if defined(__AVX512F__) && TL_LANES == 8
    return _mm512_max_pd(a, b);
#elif defined(__AVX2__) && TL_LANES == 4
    return _mm256_max_pd(a, b);
#elif defined(__SSE2__) && TL_LANES == 2
    return _mm_max_pd(a, b);
#else
    return tl_select(tl_lt(b, a), a, b);
#endif
}

/// (x)+ = x < 0 ? 0 : x, which passes NaN on
static inline tl_vd tl_plus(tl_vd x)
{
    return tl_max((tl_vd){0}, x);
}

static inline tl_vd tl_abs(tl_vd x)
{
    return (tl_vd)((tl_vi)x & (INT64_MAX + (tl_vi){0}));
}
