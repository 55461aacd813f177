// SPDX-License-Identifier: MIT
// C11: friction from 0 to 100. Elsewhere mu = 8 sinks and mu = 1e-4 gives NaN. A flat slab is pulled with
// half its weight: it accelerates with (0.5 - mu) g or sticks, and always lies at depth m g / 4k.
#include "scene.h"

static void pulled(double mu, double expected)
{
    scene s;
    scene_begin(&s, 1);
    scene_slab(&s, 0.0, mu, 0.0, 1);
    scene_start(&s, NULL);
    s.force[0] = 0.5 * SCENE_G;
    scene_run(&s, 1e-3, 1000);
    const double v1 = s.v[0];
    scene_run(&s, 1e-3, 500);
    const double a = (s.v[0] - v1) / 0.5;
    const talus_contacts c = talus_sim_contacts(s.sim);
    assert_int_equal(c.count, 4);
    double depth = 0.0;
    for (int32_t i = 0; i < 4; i++)
        depth += c.depth[i] / 4.0;
    print_message("mu %g: acceleration %.7f, expected %.7f; mean depth %.6e m\n", mu, a, expected, depth);
    test_near("acceleration", &a, &expected, 1, 5e-6, 1.0);
    test_near1("rest depth", depth, 1.22625e-4, 1e-6);
    if (expected == 0.0) // creep of regularized friction only
        assert_true(fabs(s.v[0]) <= 1e-4 && fabs(s.q[0]) <= 1.5e-4);
    scene_end(&s);
}

static void friction__zero(void** state)
{
    (void)state;
    pulled(0.0, 4.905);
}

static void friction__tiny(void** state)
{
    (void)state;
    pulled(1e-4, 4.904019); // (0.5 - 1e-4) g, rounded to 4.90402 in the report
}

static void friction__eight(void** state)
{
    (void)state;
    pulled(8.0, 0.0);
}

static void friction__hundred(void** state)
{
    (void)state;
    pulled(100.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction__zero),
        cmocka_unit_test(friction__tiny),
        cmocka_unit_test(friction__eight),
        cmocka_unit_test(friction__hundred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
