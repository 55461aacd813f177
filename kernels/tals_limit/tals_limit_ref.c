// SPDX-License-Identifier: MIT
// The transition-aware step length of every contact, scalar: the oracle of the wide form.
//
// Speeds are compared by their squares, and the segment's distance from the origin is |v x dv|/|dv|: two
// square roots and two quotients in all, and no cancellation in the closest point of long steps.
//
// The angle limit asks for the smallest positive root of |v|^2 |v + a dv|^2 cos^2 = (v . (v + a dv))^2. That
// quadratic is the product of two lines at theta_max and pi - theta_max from v. Walking along dv the angle
// grows from 0, so with theta_max <= pi/2 the line met first is the one at theta_max. In axes along and
// across v the moving point is (|v|^2 + a v.dv, a |v x dv|)/|v|, so the root is
//   a = |v|^2 sin / (|v x dv| cos - (v.dv) sin)
// with a positive denominator wherever the turn exceeds theta_max: no squares of squares, no choice of sign.
#include "tals_limit.h"

#include <math.h>

void tl_tals_limit_ref(int32_t n, int64_t ld, const double* v, const double* dv, const double* v_s,
                       double theta_max, double* alpha)
{
    const double cosine = cos(theta_max), sine = sin(theta_max);
    for (int32_t i = 0; i < n; i++) {
        const double vs = v_s[i], vs2 = vs * vs, eps = 1e-2 * vs, eps2 = eps * eps;
        const double x = v[i], y = v[ld + i], dx = dv[i], dy = dv[ld + i];
        const double x1 = x + dx, y1 = y + dy;
        const double A = x * x + y * y, A1 = x1 * x1 + y1 * y1; // squared speeds at both ends
        const double B = x * dx + y * dy, C = dx * dx + dy * dy, cross = fabs(x * dy - y * dx);
        alpha[i] = 1.0;
        if (!(C >= eps2) || !(C > 0.0))
            continue;

        const double inv_length = 1.0 / sqrt(C);
        const double half = 0.5 * vs * inv_length; // the step that moves v_s/2
        const double a = -B * inv_length * inv_length, closest = cross * inv_length;
        if (A < eps2 && A1 > vs2) {
            alpha[i] = half;
        } else if (A1 < eps2 && A > vs2) {
            alpha[i] = 1.0 - half;
        } else if (A > vs2 && A1 > vs2) {
            if (a > 0.0 && a < 1.0 && closest < vs) {
                alpha[i] = closest > eps ? a : a - half;
            } else if (x * x1 + y * y1 < cosine * sqrt(A * A1)) {
                const double root = A * sine / (cross * cosine - B * sine);
                alpha[i] = root > 0.0 && root < 1.0 ? root : 1.0;
            }
        }
    }
}
