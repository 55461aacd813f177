// SPDX-License-Identifier: MIT
// Contact stiffness and dissipation of one geom: its own, or mapped from solref and solimp, or the default.
//
// MuJoCo's contact is a spring and damper in acceleration space. At rest with impedance D = solimp[1] (dmax)
// a mass m on it moves like a spring of stiffness K and a damper C with, for solref = (timeconst T, dampratio
// z),
//     K = m / ((1 - D) T^2 z^2),   C = 2 m / ((1 - D) T)
// and for solref = (-stiffness, -damping)
//     K = m stiffness / (1 - D),   C = m damping / (1 - D).
// Ours: two equal geoms in contact have half the stiffness of one, so k = 2 K; and Hunt-Crossley dissipation
// F = k delta (1 + d delta') equals the damper at the depth where the spring carries the weight m g: d = C /
// (m g).
#include "scene.h"

#include <math.h>

#define DEFAULT_K 1e6  // N/m
#define DEFAULT_D 50.0 // s/m

void tl_material(const tl_spec_geom* g, double mass, double gravity, double* k, double* d)
{
    static const double solref[2] = {0.02, 1.0}, solimp[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
    *k = DEFAULT_K;
    *d = DEFAULT_D;
    if (memcmp(g->solref, solref, sizeof solref) != 0 || memcmp(g->solimp, solimp, sizeof solimp) != 0) {
        const double soft = 1.0 - fmax(1e-4, fmin(0.9999, g->solimp[1]));
        const double a = g->solref[0], b = g->solref[1];
        if (a > 0.0 && b > 0.0) {
            *k = 2.0 * mass / (soft * a * a * b * b);
            *d = 2.0 / (soft * a * gravity);
        } else if (a < 0.0 && b <= 0.0) {
            *k = -2.0 * mass * a / soft;
            *d = -b / (soft * gravity);
        }
    }
    if (!isnan(g->k))
        *k = g->k;
    if (!isnan(g->d))
        *d = g->d;
}
