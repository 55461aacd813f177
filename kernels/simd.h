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

/// The first k < TL_LANES values only.
static inline void tl_store_part(double* p, tl_vd x, int k)
{
#if defined(__AVX512F__) && TL_LANES == 8
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << k) - 1u), x);
#elif defined(__AVX2__) && TL_LANES == 4
    const __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
    _mm256_maskstore_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(k), lane), x);
#else
    for (int i = 0; i < k; i++)
        p[i] = x[i];
#endif
}

typedef double tl_quad_mem __attribute__((vector_size(32), aligned(8), may_alias));
typedef double tl_pair_mem __attribute__((vector_size(16), aligned(8), may_alias));

/// tl_load_part in pieces of four, two and one, for what was stored that way a moment ago: a load of
/// all at once would wait until these stores have left for the cache.
static inline tl_vd tl_load_pieces(const double* p, int k)
{
#if defined(__AVX512F__) && TL_LANES == 8
    const double* rest = p + (k & 4);
    __m256d tail = _mm256_setzero_pd();
    if (k & 2)
        tail = _mm256_zextpd128_pd256(_mm_loadu_pd(rest));
    if ((k & 3) == 1)
        tail = _mm256_zextpd128_pd256(_mm_load_sd(rest));
    if ((k & 3) == 3)
        tail = _mm256_insertf128_pd(tail, _mm_load_sd(rest + 2), 1);
    return k & 4 ? _mm512_insertf64x4(_mm512_zextpd256_pd512(_mm256_loadu_pd(p)), tail, 1)
                 : _mm512_zextpd256_pd512(tail);
#elif defined(__AVX2__) && TL_LANES == 4
    if (k == 1)
        return _mm256_zextpd128_pd256(_mm_load_sd(p));
    const __m256d two = _mm256_zextpd128_pd256(_mm_loadu_pd(p));
    return k == 2 ? two : _mm256_insertf128_pd(two, _mm_load_sd(p + 2), 1);
#else
    return tl_load_part(p, k);
#endif
}

#if TL_LANES > 1
/// s_l += s_l+4, s_l += s_l+2, s_0 + s_1 of eight values in 8 / TL_LANES registers
static inline double tl_sum_eight(const tl_vd* s)
{
#if TL_LANES == 8
    const __m256d q = _mm512_castpd512_pd256(s[0]) + _mm512_extractf64x4_pd(s[0], 1);
#elif TL_LANES == 4
    const tl_vd q = s[0] + s[1];
#endif
#if TL_LANES >= 4
    const tl_pair_mem t = (tl_pair_mem){q[0], q[1]} + (tl_pair_mem){q[2], q[3]};
#else
    const tl_vd t = (s[0] + s[2]) + (s[1] + s[3]);
#endif
    return t[0] + t[1];
}
#endif

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

// masks: with the operators of C those of AVX-512 travel to integer registers and back
#if defined(__AVX512DQ__) && TL_LANES == 8
static inline tl_vm tl_and(tl_vm a, tl_vm b)
{
    return _kand_mask8(a, b);
}

static inline tl_vm tl_or(tl_vm a, tl_vm b)
{
    return _kor_mask8(a, b);
}

static inline tl_vm tl_xor(tl_vm a, tl_vm b)
{
    return _kxor_mask8(a, b);
}

/// a and not b
static inline tl_vm tl_and_not(tl_vm a, tl_vm b)
{
    return _kandn_mask8(b, a);
}
#else
static inline tl_vm tl_and(tl_vm a, tl_vm b)
{
    return (tl_vm)(a & b);
}

static inline tl_vm tl_or(tl_vm a, tl_vm b)
{
    return (tl_vm)(a | b);
}

static inline tl_vm tl_xor(tl_vm a, tl_vm b)
{
    return (tl_vm)(a ^ b);
}

/// a and not b
static inline tl_vm tl_and_not(tl_vm a, tl_vm b)
{
    return (tl_vm)(a & ~b);
}
#endif

static inline tl_vm tl_none(void)
{
    return tl_lt((tl_vd){0}, (tl_vd){0});
}

static inline tl_vm tl_all(void)
{
    return tl_le((tl_vd){0}, (tl_vd){0});
}

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

/// a < b ? a : b, so b where either is NaN
static inline tl_vd tl_min(tl_vd a, tl_vd b)
{
#if defined(__AVX512F__) && TL_LANES == 8
    return _mm512_min_pd(a, b);
#elif defined(__AVX2__) && TL_LANES == 4
    return _mm256_min_pd(a, b);
#elif defined(__SSE2__) && TL_LANES == 2
    return _mm_min_pd(a, b);
#else
    return tl_select(tl_lt(a, b), a, b);
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

/// Eight numbers of each of TL_LANES rows to eight columns: out[k] holds row[l][k] in lane l.
static inline void tl_columns(const double* const* row, tl_vd* out)
{
#if defined(__AVX512F__) && TL_LANES == 8
    __m512d a[8], b[8];
    for (int i = 0; i < 4; i++) { // pairs of rows: even and odd columns
        const __m512d u = _mm512_loadu_pd(row[2 * i]), v = _mm512_loadu_pd(row[2 * i + 1]);
        a[2 * i] = _mm512_unpacklo_pd(u, v);
        a[2 * i + 1] = _mm512_unpackhi_pd(u, v);
    }
    for (int i = 0; i < 2; i++) // four rows: columns c and c + 4 of rows 4 i .. 4 i + 3 in alternate halves
        for (int j = 0; j < 2; j++) {
            const __m512d u = a[4 * i + j], v = a[4 * i + 2 + j];
            b[4 * i + j] = _mm512_shuffle_f64x2(u, v, 0x88);     // 128-bit blocks 0 2 of both
            b[4 * i + 2 + j] = _mm512_shuffle_f64x2(u, v, 0xdd); // blocks 1 3
        }
    for (int j = 0; j < 4; j++) { // eight rows
        out[j] = _mm512_shuffle_f64x2(b[j], b[4 + j], 0x88);
        out[4 + j] = _mm512_shuffle_f64x2(b[j], b[4 + j], 0xdd);
    }
#elif defined(__AVX2__) && TL_LANES == 4
    for (int k = 0; k < 8; k += 4) {
        const __m256d r0 = _mm256_loadu_pd(row[0] + k), r1 = _mm256_loadu_pd(row[1] + k),
                      r2 = _mm256_loadu_pd(row[2] + k), r3 = _mm256_loadu_pd(row[3] + k);
        const __m256d a = _mm256_unpacklo_pd(r0, r1), b = _mm256_unpackhi_pd(r0, r1),
                      c = _mm256_unpacklo_pd(r2, r3), d = _mm256_unpackhi_pd(r2, r3);
        out[k] = _mm256_permute2f128_pd(a, c, 0x20);
        out[k + 1] = _mm256_permute2f128_pd(b, d, 0x20);
        out[k + 2] = _mm256_permute2f128_pd(a, c, 0x31);
        out[k + 3] = _mm256_permute2f128_pd(b, d, 0x31);
    }
#elif defined(__SSE2__) && TL_LANES == 2
    for (int k = 0; k < 8; k += 2) {
        const __m128d a = _mm_loadu_pd(row[0] + k), b = _mm_loadu_pd(row[1] + k);
        out[k] = _mm_unpacklo_pd(a, b);
        out[k + 1] = _mm_unpackhi_pd(a, b);
    }
#else
    for (int k = 0; k < 8; k++) {
        tl_vd v = {0};
        for (int l = 0; l < TL_LANES; l++)
            v[l] = row[l][k];
        out[k] = v;
    }
#endif
}
