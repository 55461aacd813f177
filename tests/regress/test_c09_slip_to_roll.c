// SPDX-License-Identifier: MIT
// C09: a sphere thrown without spin slides, then rolls. Coulomb's law: slip ends at t = 2 v0 / (7 mu g), then
// v = 5/7 v0 and w = v / r for ever.
#include "scene.h"

#define H 2e-5

static void sphere__rolls_at_five_sevenths(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 0.0, 0.2, 0.0, 0.0, -SCENE_G);
    scene_add(&s,
              "<geom type=\"plane\" size=\"9 9 1\"/>\n"
              "<body name=\"ball\" pos=\"0 0 %.17g\"><freejoint/>\n"
              "  <geom type=\"sphere\" size=\"0.1\" mass=\"1\"/></body>\n",
              0.1 - SCENE_G / 1e5);
    scene_tail(&s);
    scene_start(&s, NULL);
    s.v[0] = 1.0;
    double rolling = -1.0, v[2] = {0}, w[2] = {0};
    for (int32_t i = 0; i < 25000; i++) {
        scene_step(&s, H);
        const talus_contacts c = talus_sim_contacts(s.sim);
        assert_int_equal(c.count, 1);
        if (rolling < 0.0 && c.slip[0] < 1e-4)
            rolling = talus_state_time(s.state);
        if (i == 10000 || i == 24999) {
            double angvel[6];
            assert_int_equal(talus_sim_bodies(s.sim, s.state, NULL, NULL, NULL, angvel), TALUS_OK);
            v[i > 10000] = s.v[0];
            w[i > 10000] = angvel[4];
        }
    }
    print_message("rolls from %.6f s at %.6f m/s, %.6f rad/s\n", rolling, v[0], w[0]);
    test_near1("time of rolling", rolling, 0.145624, 1e-3);
    for (int32_t i = 0; i < 2; i++) {
        test_near1("speed", v[i], 0.714286, 1e-3);
        test_near1("spin", w[i], 7.14286, 1e-3);
    }
    test_near1("speed stays", v[1], v[0], 1e-9);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sphere__rolls_at_five_sevenths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
