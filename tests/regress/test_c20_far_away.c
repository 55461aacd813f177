// SPDX-License-Identifier: MIT
// C20: far from the origin. The slab of C01 at x = 1e5 m moves as at the origin, velocities to 1e-6 v_s; at
// 1e7 m, where positions are resolved to 2e-9 m, a warning says so before the first step.
#include "scene.h"

#define V_S 1e-4

static void slide(double x, double degrees, double v[][6], scene_log* log)
{
    scene s;
    scene_begin(&s, 1);
    scene_slab(&s, degrees, 0.5, x, 1);
    talus_sim_options opt = talus_sim_options_default();
    opt.v_s = V_S;
    opt.solver.tol = 1e-11; // else the two runs stop at different places within the tolerance
    scene_start(&s, &opt);
    for (int32_t i = 0; i < 2000; i++) {
        scene_step(&s, 1e-3);
        assert_int_equal(s.info.contacts, 4);
        memcpy(v[i], s.v, sizeof v[i]);
    }
    *log = s.log;
    scene_end(&s);
}

static double difference(double a[][6], double b[][6])
{
    double most = 0.0;
    for (int32_t i = 0; i < 2000; i++)
        for (int32_t k = 0; k < 6; k++) // of a corner for the turning
            most = fmax(most, (k < 3 ? 1.0 : 0.2) * fabs(a[i][k] - b[i][k]));
    return most;
}

static double here[2000][6], there[2000][6];

static void far_away__same_velocities_at_1e5_m(void** state)
{
    (void)state;
    const double degrees[] = {26.0, 27.0};
    for (int32_t i = 0; i < 2; i++) {
        scene_log log;
        slide(0.0, degrees[i], here, &log);
        assert_int_equal(log.count[TALUS_WARNING], 0);
        slide(1e5, degrees[i], there, &log);
        assert_int_equal(log.count[TALUS_WARNING], 0);
        const double e = difference(here, there);
        print_message("%g deg, 1e5 m: velocities differ by %.3g v_s\n", degrees[i], e / V_S);
        assert_true(e <= 1e-6 * V_S * test_tol_scale());
    }
}

static void far_away__warns_at_1e7_m(void** state)
{
    (void)state;
    scene_log log;
    slide(0.0, 27.0, here, &log);
    slide(1e7, 27.0, there, &log);
    print_message("27 deg, 1e7 m: velocities differ by %.3g v_s; %s\n", difference(here, there) / V_S,
                  log.last[TALUS_WARNING]);
    assert_int_equal(log.count[TALUS_WARNING], 1);
    assert_non_null(strstr(log.last[TALUS_WARNING], "'slab'"));
    assert_non_null(strstr(log.last[TALUS_WARNING], "1e+07 m"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_away__same_velocities_at_1e5_m),
        cmocka_unit_test(far_away__warns_at_1e7_m),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
