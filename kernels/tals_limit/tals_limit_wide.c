// SPDX-License-Identifier: MIT
// The transition-aware step length, TL_LANES contacts at a time; cases and closed forms in tals_limit_ref.c.
//
// Every case is computed and blended, the one tested first laid on last. Quotients of cases that do not apply
// may be infinite or NaN and are dropped by the blend.
#include "tals_limit.h"
#include "simd.h"

#include <math.h>

void TL_KERNEL(tals_limit)(int32_t n, int64_t ld, const double* v, const double* dv, const double* v_s,
                           double theta_max, double* alpha)
{
    const tl_vd cosine = tl_set(cos(theta_max)), sine = tl_set(sin(theta_max));
    const tl_vd zero = {0}, one = tl_set(1.0), half_one = tl_set(0.5), almost = tl_set(1e-2);
    for (int32_t i = 0; i < n; i += TL_LANES) {
        const tl_vd vs = tl_load(v_s + i), vs2 = vs * vs, eps = almost * vs, eps2 = eps * eps;
        const tl_vd x = tl_load(v + i), y = tl_load(v + ld + i), dx = tl_load(dv + i),
                    dy = tl_load(dv + ld + i);
        const tl_vd x1 = x + dx, y1 = y + dy;
        const tl_vd A = x * x + y * y, A1 = x1 * x1 + y1 * y1;
        const tl_vd B = x * dx + y * dy, C = dx * dx + dy * dy, cross = tl_abs(x * dy - y * dx);
        const tl_vm moves = tl_le(eps2, C) & tl_lt(zero, C);
        const tl_vm fast0 = tl_lt(vs2, A), fast1 = tl_lt(vs2, A1);

        const tl_vd inv_length = one / tl_sqrt(C);
        const tl_vd half = half_one * vs * inv_length;
        const tl_vd a = -B * inv_length * inv_length, closest = cross * inv_length;

        // turning by more than theta_max
        const tl_vd root = A * sine / (cross * cosine - B * sine);
        const tl_vm turns =
            tl_lt(x * x1 + y * y1, cosine * tl_sqrt(A * A1)) & tl_lt(zero, root) & tl_lt(root, one);
        tl_vd r = tl_select(turns, root, one);
        // passing through the disc
        const tl_vm through = tl_lt(zero, a) & tl_lt(a, one) & tl_lt(closest, vs);
        r = tl_select(through, tl_select(tl_lt(eps, closest), a, a - half), r);
        r = tl_select(fast0 & fast1, r, one);
        // to rest and from rest
        r = tl_select(tl_lt(A1, eps2) & fast0, one - half, r);
        r = tl_select(tl_lt(A, eps2) & fast1, half, r);
        tl_store(alpha + i, tl_select(moves, r, one));
    }
}
