// SPDX-License-Identifier: MIT
// Dots and combinations of a basis, TL_LANES elements at a time. Bound by loads: two for each
// multiplication of a dot, one of a combination (y stays in registers over the columns).
#include "vector_sums.h"
#include "simd.h"

#define REGISTERS (TL_DOT_SUMS / TL_LANES)

static inline tl_vd load_some(const double* p, int64_t left)
{
    return left < TL_LANES ? tl_load_part(p, (int)left) : tl_load(p);
}

static inline double dot(int64_t n, const double* x, const double* y)
{
    tl_vd s[REGISTERS] = {{0}};
    int64_t i = 0;
    for (; i + TL_DOT_SUMS <= n; i += TL_DOT_SUMS)
        for (int32_t r = 0; r < REGISTERS; r++)
            s[r] += tl_load(x + i + r * TL_LANES) * tl_load(y + i + r * TL_LANES);
    for (int32_t r = 0; i < n; i += TL_LANES, r++) // short islands are all tail
        s[r] += load_some(x + i, n - i) * load_some(y + i, n - i);
    for (int32_t r = 0; r < REGISTERS / 2; r++)
        s[r] += s[r + REGISTERS / 2];
    return tl_sum_eight(s);
}

void TL_KERNEL(vector_dots)(int64_t n, int32_t count, const double* X, int64_t ldx, const double* y,
                            double* out)
{
    for (int32_t c = 0; c < count; c++)
        out[c] = dot(n, X + c * ldx, y);
}

void TL_KERNEL(vector_combine)(int64_t n, int32_t count, const double* a, const double* X, int64_t ldx,
                               double* y)
{
    int64_t i = 0;
    for (; i + 2 * TL_LANES <= n; i += 2 * TL_LANES) {
        tl_vd p = tl_load(y + i), q = tl_load(y + i + TL_LANES);
        const double* x = X + i;
        for (int32_t c = 0; c < count; c++, x += ldx) {
            const tl_vd f = tl_set(a[c]);
            p += f * tl_load(x);
            q += f * tl_load(x + TL_LANES);
        }
        tl_store(y + i, p);
        tl_store(y + i + TL_LANES, q);
    }
    for (; i < n; i += TL_LANES) {
        tl_vd p = load_some(y + i, n - i);
        for (int32_t c = 0; c < count; c++)
            p += tl_set(a[c]) * load_some(X + c * ldx + i, n - i);
        if (n - i < TL_LANES)
            tl_store_part(y + i, p, (int)(n - i));
        else
            tl_store(y + i, p);
    }
}
