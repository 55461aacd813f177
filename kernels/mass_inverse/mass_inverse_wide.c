// SPDX-License-Identifier: MIT
// Columns in registers: six rows are one of eight lanes, and bodies one after the other overlap. Others by columns in
// memory, from the register with the diagonal on; what that writes above the diagonal is never read.
#include "mass_inverse.h"
#include "simd.h"

#include <float.h>

#if TL_LANES == 8
#define UNROLL _Pragma("GCC unroll 6")

static inline tl_vd lane(tl_vd x, int l)
{
    return (tl_vd)_mm512_permutexvar_pd(_mm512_set1_epi64(l), (__m512d)x);
}

static inline tl_vd put(tl_vd x, int l, tl_vd from)
{
    return (tl_vd)_mm512_mask_mov_pd((__m512d)x, (__mmask8)(1u << l), (__m512d)from);
}

static inline int invert_six(const double* m, double* inv)
{
    tl_vd c[6];
    int good = 1;
    UNROLL for (int j = 0; j < 6; j++) c[j] = tl_load_part(m + 6 * j, 6);
    UNROLL for (int k = 0; k < 6; k++)
    {
        tl_vd s[6], v = c[k]; // s[j]: v_j in all lanes
        UNROLL for (int j = 0; j < 6; j++)
        {
            s[j] = j < k ? lane(c[j], k) : lane(c[k], j);
            v = j < k ? put(v, j, s[j]) : v;
        }
        const tl_vd d = tl_set(1.0) / s[k], w = v * d;
        good &= s[k][0] >= DBL_MIN && s[k][0] <= DBL_MAX;
        UNROLL for (int j = 0; j < 6; j++) if (j != k)
        {
            c[j] = c[j] - w * s[j];
            if (j < k)
                c[j] = put(c[j], k, s[j] * d);
        }
        c[k] = put(w, k, -d);
    }
    UNROLL for (int j = 0; j < 6; j++) c[j] = -c[j];
    UNROLL for (int j = 1; j < 6; j++) UNROLL for (int i = 0; i < j; i++) c[j] = put(c[j], i, lane(c[i], j));
    UNROLL for (int j = 0; j < 6; j++) tl_store_part(inv + 6 * j, c[j], 6);
    return good;
}
#endif

enum { REGISTERS = 5 }; // of a column

// up to 8 REGISTERS rows, in a copy whose columns are whole registers: w stays in registers for a pivot
static inline __attribute__((always_inline)) int invert_some(int32_t n, int nr, const double* m, double* inv)
{
    const int32_t ld = nr * TL_LANES;
    _Alignas(64) double a[REGISTERS * TL_LANES * REGISTERS * TL_LANES];
    for (int32_t j = 0; j < n; j++)
        for (int r = 0; r < nr; r++) {
            const int32_t left = n - r * TL_LANES;
            tl_store(a + j * ld + r * TL_LANES,
                     tl_load_part(m + j * n + r * TL_LANES, left < TL_LANES ? left : TL_LANES));
        }
    for (int32_t k = 0; k < n; k++) {
        _Alignas(64) double v[REGISTERS * TL_LANES];
        tl_vd w[REGISTERS];
        const double pivot = a[k + k * ld], d = 1.0 / pivot;
        if (!(pivot >= DBL_MIN && pivot <= DBL_MAX))
            return 0;
        for (int r = k / TL_LANES; r < nr; r++)
            tl_store(v + r * TL_LANES, tl_load(a + k * ld + r * TL_LANES));
        for (int32_t i = 0; i < k; i++)
            v[i] = a[k + i * ld];
        v[k] = 0.0;
        for (int r = 0; r < nr; r++)
            w[r] = tl_load(v + r * TL_LANES) * tl_set(d);
#pragma GCC unroll 5
        for (int r0 = 0; r0 < nr; r0++) { // columns whose diagonals are in register r0
            const int32_t end = r0 * TL_LANES + TL_LANES < n ? r0 * TL_LANES + TL_LANES : n;
            for (int32_t j = r0 * TL_LANES; j < end; j++) {
                const tl_vd vj = tl_set(v[j]);
#pragma GCC unroll 5
                for (int r = r0; r < nr; r++) {
                    double* at = a + j * ld + r * TL_LANES;
                    tl_store(at, tl_load(at) - w[r] * vj);
                }
            }
        }
        for (int32_t i = 0; i < k; i++)
            a[k + i * ld] = v[i] * d;
        for (int r = k / TL_LANES; r < nr; r++)
            tl_store(a + k * ld + r * TL_LANES, w[r]);
        a[k + k * ld] = -d;
    }
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j; i < n; i++)
            inv[j + i * n] = inv[i + j * n] = -a[i + j * ld];
    return 1;
}

int TL_KERNEL(mass_inverse)(int32_t n, const double* m, double* inv)
{
#if TL_LANES == 8
    if (n == 6)
        return invert_six(m, inv);
#endif
    switch ((n + TL_LANES - 1) / TL_LANES) {
    case 1:
        return invert_some(n, 1, m, inv);
    case 2:
        return invert_some(n, 2, m, inv);
    case 3:
        return invert_some(n, 3, m, inv);
    case 4:
        return invert_some(n, 4, m, inv);
    case 5:
        return invert_some(n, 5, m, inv);
    default:
        break;
    }
    enum { MOST = 64 }; // rows whose v and w are on the stack at a time
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            inv[i + j * n] = m[i + j * n];
    for (int64_t k = 0; k < n; k++) {
        const double pivot = inv[k + k * n], d = 1.0 / pivot;
        if (!(pivot >= DBL_MIN && pivot <= DBL_MAX))
            return 0;
        // rows in pieces of MOST; columns up to the end of a piece reach into it
        for (int64_t r0 = 0; r0 < n; r0 += MOST) {
            const int64_t r1 = r0 + MOST < n ? r0 + MOST : n;
            double w[MOST];
            for (int64_t i = r0; i < r1; i++)
                w[i - r0] = (i == k ? 0.0 : i < k ? inv[k + i * n] : inv[i + k * n]) * d;
            for (int64_t j = 0; j < r1; j++) {
                if (j == k)
                    continue;
                const tl_vd vj = tl_set(j < k ? inv[k + j * n] : inv[j + k * n]);
                double* at = inv + j * n;
                int64_t i = j <= r0 ? r0 : r0 + (j - r0) / TL_LANES * TL_LANES;
                for (; i + TL_LANES <= r1; i += TL_LANES)
                    tl_store(at + i, tl_load(at + i) - tl_load(w + i - r0) * vj);
                if (i < r1)
                    tl_store_part(at + i,
                                  tl_load_part(at + i, (int)(r1 - i)) -
                                      tl_load_part(w + i - r0, (int)(r1 - i)) * vj,
                                  (int)(r1 - i));
            }
        }
        for (int64_t i = 0; i < k; i++)
            inv[k + i * n] *= d;
        for (int64_t i = k + 1; i < n; i++)
            inv[i + k * n] *= d;
        inv[k + k * n] = -d;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            inv[j + i * n] = inv[i + j * n] = -inv[i + j * n];
    return 1;
}
