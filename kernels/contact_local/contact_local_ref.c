// SPDX-License-Identifier: MIT
// One contact alone against its own diagonal response, scalar: the oracle of the wide form.
//
// Normal direction: y = a + Wn pi(y). Where pi > 0 this is Wn k d h y^2 - q y + g = 0, and the root wanted is
// the smaller one, 2 g/(q + sqrt(disc)). With K = Wn k the discriminant q^2 - 4 K d h g is expanded to
//   disc = 1 + K [ 2 (d delta0 + h) - 4 d h a ] + K^2 (d delta0 - h)^2  >= 1,
// since pi(a) > 0 means a < min(1/d, delta0/h): no cancellation between the two large squares of stiff
// contacts.
//
// Tangential direction: x v_s the new speed, z = c/v_s, X = U/v_s. Sticking solves x = X - z x (2 - x), that
// is
//   x = 2 X/(1 + 2 z + sqrt(1 + 4 z (1 + z - X))),   and 1 + z - X > 0 there, so this is free of cancellation
//   too.
// Sliding (X >= 1 + z): x = X - z. Only the factor x/X is used; U may be 0.
//
// The force is written on u, not on nu: sliding mu p/U, sticking mu (2 - x)/v_s times the factor. That saves
// a square root and a quotient. With `bound` the normal force returned is bound: nu = w + hW (f - fl) holds
// for what is returned.
#include "contact_local.h"

#include <math.h>

static double plus(double x)
{
    return x < 0.0 ? 0.0 : x; // passes NaN on
}

void tl_contact_local_ref(int32_t n, int64_t ld, const tl_contact_params* p, const double* Wt,
                          const double* Wn, const double* w, const double* fl, const double* bound,
                          double* nu, double* f)
{
    const double h = p->h;
    for (int32_t i = 0; i < n; i++) {
        const double k = p->k[i], d = p->d[i], mu = p->mu[i], delta0 = p->delta0[i], v_s = p->v_s[i];
        const int live = k > 0.0 || mu > 0.0;

        // normal velocity y and force
        const double a = w[2 * ld + i] - Wn[i] * fl[2 * ld + i];
        double y, force;
        if (bound) {
            force = bound[i];
            y = a + Wn[i] * force;
        } else {
            const double K = Wn[i] * k, dde = d * delta0;
            const double q = 1.0 + K * (dde + h), g = K * delta0 + a;
            const double disc =
                1.0 + K * (2.0 * (dde + h) - 4.0 * (d * h) * a) + (K * (dde - h)) * (K * (dde - h));
            const double root = 2.0 * g / (q + sqrt(plus(disc)));
            y = k * plus(1.0 - d * a) * plus(delta0 - h * a) == 0.0 ? a : root;
            force = k * plus(1.0 - d * y) * plus(delta0 - h * y);
        }

        // tangential factor nu_t/u and force over u
        const double ux = w[i] - Wt[i] * fl[i], uy = w[ld + i] - Wt[i] * fl[ld + i];
        const double U = sqrt(ux * ux + uy * uy), c = Wt[i] * mu * force;
        const double inv_vs = 1.0 / v_s, X = U * inv_vs, z = c * inv_vs;
        const int slide = U >= v_s + c;
        const double stick_num = p->linear ? 1.0 : 2.0;
        const double stick_den =
            p->linear ? 1.0 + z : 1.0 + 2.0 * z + sqrt(1.0 + 4.0 * z * plus(1.0 + z - X));
        const double inv_den = 1.0 / (slide ? U : stick_den); // U >= v_s > 0 where it is used
        const double factor = (slide ? U - c : stick_num) * inv_den;

        nu[i] = live ? factor * ux : 0.0;
        nu[ld + i] = live ? factor * uy : 0.0;
        nu[2 * ld + i] = live ? y : 0.0;
        if (f) {
            const double x = factor * X;
            const double stick = (p->linear ? mu * inv_vs : mu * inv_vs * (2.0 - x)) * factor;
            const double over_u = force * (slide ? mu * inv_den : stick);
            f[i] = live ? -over_u * ux : 0.0;
            f[ld + i] = live ? -over_u * uy : 0.0;
            f[2 * ld + i] = live ? force : 0.0;
        }
    }
}
