// SPDX-License-Identifier: MIT
// Contact force f and gradient G = -df/dv_c of every contact, scalar: the oracle of the wide form.
//
// With h for h + tau, gap = delta0 - h v_n and damp = 1 - d v_n (src/README.md#contact-law),
//   pi = k (damp)+ (gap)+                 -pi' = k [ d H(damp) (gap)+ + h H(gap) (damp)+ ]
//   x = s/v_s < 1:  quadratic mu~/s = mu (2 - x)/v_s, mu~' = mu (2 - 2x)/v_s;   linear both mu/v_s
//   x >= 1:         mu~/s = mu/s, mu~' = 0
// so that f_t = -(mu~/s) b v_t needs no case for s = 0; b is pi or the given bound.
//
// The tangential block is b [ (mu~/s) I + (mu~' - mu~/s) vhat vhat^T ]: at s = 0 both coefficients are the
// same number, their difference is exactly 0, and the direction's value does not matter.
//
// 1/s and 1/v_s come from one quotient, 1/(s v_s): quotients bound the speed of the wide form. A speed whose
// square does not underflow is above 1e-162, so the floor of 1e-200 under s stands for 0 and leaves room for
// v_s.
//
// The wide form must give the same bits: every sum and product below is in the order it uses, and lanes of
// padding (k = mu = 0) are put to zero at the end, whatever their other entries hold.
#include "contact_force.h"

#include <math.h>

static double plus(double x)
{
    return x < 0.0 ? 0.0 : x; // passes NaN on
}

void tl_contact_force_ref(int32_t n, int64_t ld, const tl_contact_params* p, const double* v,
                          const double* bound, int32_t secant, double* f, double* G)
{
    for (int32_t i = 0; i < n; i++) {
        const double h = p->tau ? p->h + p->tau[i] : p->h;
        const double k = p->k[i], d = p->d[i], mu = p->mu[i];
        const double vx = v[i], vy = v[ld + i], vn = v[2 * ld + i];
        const int live = k > 0.0 || mu > 0.0;

        // normal force and its slope -pi'
        const double damp = 1.0 - d * vn, gap = p->delta0[i] - h * vn;
        const double damp_plus = plus(damp), gap_plus = plus(gap);
        const double pi = k * damp_plus * gap_plus;
        const double slope = k * ((damp > 0.0 ? d * gap_plus : 0.0) + (gap > 0.0 ? h * damp_plus : 0.0));
        const double b = bound ? bound[i] : pi;

        // friction coefficient over speed, its derivative, and the direction
        const double s = sqrt(vx * vx + vy * vy);
        const double s_safe = s > 1e-200 ? s : 1e-200, v_s = p->v_s[i], inv = 1.0 / (s_safe * v_s);
        const double inv_s = inv * v_s, inv_vs = inv * s_safe;
        const double x = s * inv_vs, mu_vs = mu * inv_vs;
        const double ratio = x < 1.0 ? (p->linear ? mu_vs : mu_vs * (2.0 - x)) : mu * inv_s;
        const double slope_t = x < 1.0 ? (p->linear ? mu_vs : mu_vs * (2.0 - 2.0 * x)) : 0.0;
        const double ex = vx * inv_s, ey = vy * inv_s;
        const double b_ratio = b * ratio;

        if (f) {
            f[i] = live ? -b_ratio * vx : 0.0;
            f[ld + i] = live ? -b_ratio * vy : 0.0;
            f[2 * ld + i] = live ? pi : 0.0;
        }
        if (G) {
            const double along = secant ? 0.0 : b * (slope_t - ratio);
            const double couple = bound ? 0.0 : -(ratio * s * slope);
            G[TL_G_XX * ld + i] = live ? b_ratio + along * ex * ex : 0.0;
            G[TL_G_XY * ld + i] = live ? along * ex * ey : 0.0;
            G[TL_G_YY * ld + i] = live ? b_ratio + along * ey * ey : 0.0;
            G[TL_G_XN * ld + i] = live ? couple * ex : 0.0;
            G[TL_G_YN * ld + i] = live ? couple * ey : 0.0;
            G[TL_G_NN * ld + i] = live ? slope : 0.0;
        }
    }
}
