// SPDX-License-Identifier: MIT
// A coin that slides and spins on its face (Masterjohn et al. 2022, Sec. V-A): sliding and spinning end at the
// same moment, and at the end eps = v / (omega R) has one value whatever it was at the start.
//
// On a fan of 152 triangles with one contact at each centroid that value is the fixed point of F(e) = 2 e T(e),
// F = <(e - y)/s>, T = <(r^2 - e y)/s>, s = |(e - y, x)|, averaged over the centroids: 0.6441529; on the whole
// disc it is 0.6530018. Without a fixed point yet reached (0.1, 10) an independent program's values are used.
#define _DEFAULT_SOURCE // M_PI
#include "regress/scene.h"

#define R 0.01213
#define T 1.75e-3
#define MASS 5.67e-3
#define SECTORS 152

static double fixed_point(int32_t sectors)
{
    // centroids of the triangles lie on a circle of two thirds of the height
    const double r = 2.0 / 3.0 * cos(M_PI / sectors);
    double lo = 0.3, hi = 1.0;
    for (int k = 0; k < 60; k++) {
        const double e = 0.5 * (lo + hi);
        double F = 0.0, Tq = 0.0;
        for (int32_t i = 0; i < sectors; i++) {
            const double a = 2 * M_PI * (i + 0.5) / sectors, x = r * cos(a), y = r * sin(a),
                         s = hypot(e - y, x);
            F += (e - y) / s;
            Tq += (r * r - e * y) / s;
        }
        if (F > 2 * e * Tq)
            hi = e;
        else
            lo = e;
    }
    return lo;
}

static double last_ratio(double eps0)
{
    const double spin = fmin(1.0, 2.0 / eps0), E = 1e9, hint = 0.00050141477235258;
    // depth at which E A t_depth / T carries the weight
    const double area = 0.5 * SECTORS * R * R * sin(2 * M_PI / SECTORS),
                 depth = MASS * SCENE_G * T / (area * E);
    talus_sim_options o = talus_sim_options_default();
    o.v_s = 1e-6;
    scene s;
    scene_begin(&s, 1);
    scene_add(
        &s,
        "<mujoco><worldbody><geom name='table' type='plane' size='1 1 1'/><body pos='0 0 %.17g'><freejoint/>"
        "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
        "<geom name='coin' type='cylinder' size='%.17g %.17g'/></body></worldbody><custom>"
        "<text name='talus.default' data='mu=0.2 d=10'/>"
        "<text name='talus.geom.table' data='contact=compliant E=1e9 thickness=%.17g'/>"
        "<text name='talus.geom.coin' data='contact=rigid hint=%.17g'/></custom></mujoco>",
        T / 2 - depth, MASS, MASS * R * R / 4, MASS * R * R / 4, MASS * R * R / 2, R, T / 2, T, hint);
    scene_start(&s, &o);
    s.v[0] = eps0 * spin;
    s.v[5] = spin / R;
    double ratio = 0.0;
    for (int k = 0; k < 2000; k++) {
        scene_run(&s, 1e-3, 1);
        if (k == 0)
            assert_int_equal(s.info.contacts, SECTORS); // side slivers have no gradient along their normal
        const double v = hypot(s.v[0], s.v[1]), w = fabs(s.v[5]) * R;
        if (fmax(v, w) <= 2e-3)
            break;
        ratio = v / w;
    }
    scene_end(&s);
    return ratio;
}

static void fan__has_the_papers_fixed_point(void** state)
{
    (void)state;
    const double e = fixed_point(SECTORS), want = 0.6441529;
    test_near("fixed point", &e, &want, 1, 1e-6, want);
}

static void coin__forgets_how_it_started(void** state)
{
    (void)state;
    const double eps0[] = {0.1, 0.2, 0.5, 1, 2, 5, 10},
                 want[] = {0.62671, 0.64361, 0.64415, 0.64415, 0.64415, 0.64422, 0.64570};
    for (int k = 0; k < TL_COUNT(eps0); k++) {
        const double got = last_ratio(eps0[k]);
        print_message("eps0 = %g: %.5f at the end, %.5f expected\n", eps0[k], got, want[k]);
        // a coin that hardly spins is still on its way at 2 mm/s, which it loses in one step
        test_near("eps", &got, &want[k], 1, eps0[k] < 10 ? 4e-4 : 3e-3, 1.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fan__has_the_papers_fixed_point),
        cmocka_unit_test(coin__forgets_how_it_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
