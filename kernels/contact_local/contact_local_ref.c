// SPDX-License-Identifier: MIT
// One contact alone against its own diagonal response, scalar: the oracle of the wide form.
//
// Everywhere h stands for h + tau. Normal direction: y = a + Wn pi(y). Where pi > 0 this is Wn k d h y^2 - q y + g = 0, and the root wanted is
// the smaller one, 2 g/(q + sqrt(disc)). With K = Wn k the discriminant q^2 - 4 K d h g is expanded to
//   disc = 1 + K [ 2 (d delta0 + h) - 4 d h a ] + K^2 (d delta0 - h)^2  >= 1,
// since pi(a) > 0 means a < min(1/d, delta0/h). The two large squares of stiff contacts no longer cancel.
//
// Tangential direction: v the new speed, c = Wt mu p. Sticking under the quadratic law solves
// v = U - c (v/v_s)(2 - v/v_s), that is
//   v/U = 2 v_s/D,  D = v_s + 2 c + sqrt(v_s^2 + 4 c (v_s + c - U)),
// free of cancellation too, as v_s + c - U > 0 there; under the linear law v/U = v_s/(v_s + c).
// Sliding (U >= v_s + c): v = U - c. Only the factor v/U is used; U may be 0.
//
// The force is written on u, not on nu: sliding mu p/U, sticking mu p (2 - x) 2/D with x = v/v_s = 2 U/D,
// linear mu p/(v_s + c). So the one quotient of the factor serves the force as well, and nothing is divided
// by v_s. With `bound` the normal force returned is bound: nu = w + hW (f - fl) holds for what is returned.
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
    for (int32_t i = 0; i < n; i++) {
        const double h = p->tau ? p->h + p->tau[i] : p->h;
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
        const double edge = v_s + c;
        const int slide = U >= edge;
        const double stick_num = p->linear ? v_s : 2.0 * v_s;
        const double stick_den =
            p->linear ? edge : v_s + 2.0 * c + sqrt(v_s * v_s + 4.0 * c * plus(edge - U));
        const double inv_den = 1.0 / (slide ? U : stick_den); // U >= v_s > 0 where it is used
        const double factor = (slide ? U - c : stick_num) * inv_den;

        nu[i] = live ? factor * ux : 0.0;
        nu[ld + i] = live ? factor * uy : 0.0;
        nu[2 * ld + i] = live ? y : 0.0;
        if (f) {
            const double twice = 2.0 * inv_den;
            const double coulomb = mu * inv_den; // sliding, and the linear law altogether
            const double over_u = force * (slide || p->linear ? coulomb : mu * (2.0 - U * twice) * twice);
            f[i] = live ? -over_u * ux : 0.0;
            f[ld + i] = live ? -over_u * uy : 0.0;
            f[2 * ld + i] = live ? force : 0.0;
        }
    }
}
