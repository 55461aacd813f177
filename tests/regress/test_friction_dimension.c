// SPDX-License-Identifier: MIT
// Who has friction with whom in a file of MuJoCo: condim 1 of both geoms means none, the geom with the higher priority
// speaks for both, an explicit pair may say its own, and a mu of Talus' own takes the mark off. A box lies on a plane
// under gravity (4.9, 0, -8.5): it slides with 4.9 - mu 8.5 or holds where mu > 0.576.
#include "scene.h"

#define H 1e-3

/// Acceleration along x over half a second, m/s^2. @param more  elements after the worldbody
static double acceleration(const char* plane, const char* box, const char* more)
{
    scene s;
    scene_begin(&s, 1);
    scene_add(
        &s,
        "<mujoco><option gravity='4.9 0 -8.5'/><worldbody><geom name='p' type='plane' size='9 9 1' %s/>"
        "<body name='b' pos='0 0 0.1'><freejoint/><geom name='g' type='box' size='0.2 0.2 0.1' %s/></body>"
        "</worldbody>%s</mujoco>",
        plane, box, more);
    scene_start(&s, NULL);
    scene_run(&s, H, 200);
    const double before = s.v[0];
    scene_run(&s, H, 500);
    const double a = (s.v[0] - before) / 0.5;
    scene_end(&s);
    return a;
}

static void friction__of_two_geoms(void** state)
{
    (void)state;
    test_near1("condim 1 of both", acceleration("condim='1'", "condim='1'", ""), 4.9, 1e-9);
    assert_true(fabs(acceleration("condim='1'", "", "")) < 1e-6); // the larger dimension of the two
    assert_true(fabs(acceleration("", "condim='1'", "")) < 1e-6);
    // 4.9 - 0.2 * 8.5
    test_near1("priority", acceleration("", "priority='1' friction='0.2'", ""), 3.2, 1e-3);
    test_near1("priority of the plane", acceleration("priority='2' friction='0.2'", "priority='1'", ""), 3.2,
               1e-3);
    test_near1("priority of condim 1", acceleration("", "priority='1' condim='1'", ""), 4.9, 1e-9);
    assert_true(fabs(acceleration("condim='1'", "priority='1'", "")) < 1e-6);
    assert_true(fabs(acceleration("condim='1'", "condim='1'",
                                  "<custom><text name='talus.default' data='mu=1'/></custom>")) < 1e-6);
}

static void friction__of_a_pair(void** state)
{
    (void)state;
    test_near1("condim 1 of the pair",
               acceleration("", "", "<contact><pair geom1='p' geom2='g' condim='1'/></contact>"), 4.9, 1e-9);
    test_near1("geoms' condim in a pair",
               acceleration("condim='1'", "condim='1'",
                            "<contact><pair geom1='p' geom2='g' friction='1'/></contact>"),
               4.9, 1e-9);
    test_near1("a pair's friction",
               acceleration("", "", "<contact><pair geom1='p' geom2='g' friction='0.2'/></contact>"), 3.2,
               1e-3);
    assert_true(fabs(acceleration("condim='1'", "condim='1'",
                                  "<contact><pair geom1='p' geom2='g' condim='3'/></contact>")) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction__of_two_geoms),
        cmocka_unit_test(friction__of_a_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
