// SPDX-License-Identifier: MIT
// C12: a joint limit next to a contact. A 0.5 kg finger on a slider with range 0 .. 0.04 m is pushed with 40
// N into a wall, k = 1e5, that begins before the limit (0.0395) or beyond it (0.0405); limit k = 1e6. Only
// what is reached carries, and the report tells limit from contact.
#include "scene.h"

static void finger(scene* s, double wall)
{
    scene_begin(s, 1);
    scene_head(s, 1e5, 1.0, 0.5, 0.0, 0.0, 0.0);
    // the tip is a sphere whose front is at x = q
    scene_add(s,
              "<geom type=\"box\" size=\"0.05 0.05 0.05\" pos=\"%.17g 0 0\"/>\n"
              "<body name=\"finger\"><joint name=\"slide\" type=\"slide\" axis=\"1 0 0\" limited=\"true\" "
              "range=\"0 0.04\"/>\n"
              "  <geom type=\"sphere\" size=\"0.01\" pos=\"-0.01 0 0\" mass=\"0.5\"/></body>\n",
              wall + 0.05);
    scene_tail(s);
    talus_sim_options opt = talus_sim_options_default();
    opt.limit_k = 1e6;
    scene_start(s, &opt);
    s->force[0] = 40.0;
    scene_run(s, 1e-3, 2000);
}

static void wall_first__contact_carries(void** state)
{
    (void)state;
    scene s;
    finger(&s, 0.0395);
    const talus_contacts c = talus_sim_contacts(s.sim);
    assert_int_equal(c.count, 1);
    double f[3];
    scene_contact_force(&s, scene_body(&s, "finger"), 0, f);
    print_message("wall first: depth %.9g m, contact %.9g N, limit %g N\n", c.depth[0], f[0],
                  talus_sim_limit_force(s.sim)[0]);
    test_near1("depth", c.depth[0], 0.4e-3, 1e-6);
    test_near1("contact force", f[0], -40.0, 1e-6);
    assert_true(talus_sim_limit_force(s.sim)[0] == 0.0);
    assert_int_equal(s.info.limits, 0);
    scene_end(&s);
}

static void limit_first__limit_carries(void** state)
{
    (void)state;
    scene s;
    finger(&s, 0.0405);
    print_message("limit first: q %.9g m, limit %.9g N, contacts %d\n", s.q[0],
                  talus_sim_limit_force(s.sim)[0], talus_sim_contacts(s.sim).count);
    test_near1("position", s.q[0], 0.04 + 40e-6, 1e-9);
    test_near1("limit force", talus_sim_limit_force(s.sim)[0], -40.0, 1e-6);
    assert_int_equal(talus_sim_contacts(s.sim).count, 0);
    assert_int_equal(s.info.limits, 1);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wall_first__contact_carries),
        cmocka_unit_test(limit_first__limit_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
