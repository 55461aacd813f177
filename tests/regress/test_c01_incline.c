// SPDX-License-Identifier: MIT
// C01: a slab on a slope holds up to atan(mu) and slides with g (sin a - mu cos a) beyond. Other simulators
// let it creep or slide with accelerations a few percent off.
#include "scene.h"

#define H 1e-3

static void incline__holds_below_friction_angle(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_slab(&s, 26.0, 0.5, 0.0, 1);
    scene_start(&s, NULL);
    // the slab tips by 1e-4 rad until the lower points carry their share; then it may only creep
    scene_run(&s, H, 500);
    double fastest = 0.0;
    for (int32_t i = 500; i < 2000; i++) {
        scene_step(&s, H);
        fastest = fmax(fastest, hypot(s.v[0], s.v[1]));
    }
    // quadratic law: x (2 - x) = tan a / mu
    const double creep = (1.0 - sqrt(1.0 - tan(26.0 * 3.14159265358979323846 / 180.0) / 0.5)) * 1e-4;
    print_message("26 deg: fastest %.6g m/s, creep by the law %.6g, v_s 1e-4 m/s\n", fastest, creep);
    assert_true(fastest <= 1e-4);
    test_near1("creep", hypot(s.v[0], s.v[1]), creep, 1e-2);
    assert_true(s.q[0] < 2.0 * 1e-4 + 1e-4);
    scene_end(&s);
}

static void slides_with(double degrees, double expected)
{
    scene s;
    scene_begin(&s, 1);
    scene_slab(&s, degrees, 0.5, 0.0, 1);
    scene_start(&s, NULL);
    scene_run(&s, H, 1000);
    const double v1 = s.v[0];
    scene_run(&s, H, 1000);
    const double a = s.v[0] - v1;
    print_message("%g deg: %.6f m/s2, expected %.6f\n", degrees, a, expected);
    test_near("acceleration", &a, &expected, 1, 1e-4, 1.0);
    scene_end(&s);
}

static void incline__slides_just_beyond_friction_angle(void** state)
{
    (void)state;
    slides_with(27.0, 0.083260);
}

static void incline__slides_at_30_degrees(void** state)
{
    (void)state;
    slides_with(30.0, 0.657145);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incline__holds_below_friction_angle),
        cmocka_unit_test(incline__slides_just_beyond_friction_angle),
        cmocka_unit_test(incline__slides_at_30_degrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
