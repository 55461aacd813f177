// SPDX-License-Identifier: MIT
// C06: two plates of 0.1 kg press a thin box with 15 N a side. Elsewhere the contact force oscillated at 15 N
// and not at 20 N: the stop test looked at tangential speed only. 4 points a side with k = 3.75e6 N/m (1 um
// deep), no gravity.
#include "scene.h"

static void squeeze(double d)
{
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 3.75e6, d, 0.5, 0.0, 0.0, 0.0);
    // box 40 x 10 x 40 mm; plates 20 mm thick, touching it
    scene_add(&s,
              "<body name=\"box\"><freejoint/>\n"
              "  <inertial pos=\"0 0 0\" mass=\"0.05\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
              0.05 * (1e-4 + 1.6e-3) / 12.0, 0.05 * (1.6e-3 + 1.6e-3) / 12.0, 0.05 * (1e-4 + 1.6e-3) / 12.0);
    for (int32_t i = 0; i < 8; i++)
        scene_add(&s, "  <geom type=\"sphere\" size=\"0.002\" pos=\"%g %g %g\"/>\n", i & 1 ? 0.02 : -0.02,
                  i & 2 ? 0.003 : -0.003, i & 4 ? 0.02 : -0.02);
    scene_add(&s, "</body>\n");
    for (int32_t side = 0; side < 2; side++)
        scene_add(&s,
                  "<body name=\"%s\" pos=\"0 %g 0\"><joint type=\"slide\" axis=\"0 1 0\"/>\n"
                  "  <geom type=\"box\" size=\"0.05 0.01 0.05\" mass=\"0.1\"/></body>\n",
                  side ? "right" : "left", side ? 0.015 : -0.015);
    scene_tail(&s);
    talus_sim_options opt = talus_sim_options_default();
    opt.v_s = 1e-3;
    scene_start(&s, &opt);
    s.force[6] = 15.0;
    s.force[7] = -15.0;
    double worst = 0.0;
    const int32_t box = scene_body(&s, "box");
    for (int32_t i = 0; i < 500; i++) {
        scene_step(&s, 1e-3);
        if (i < 300)
            continue;
        for (int32_t side = 0; side < 2; side++) {
            double f[3];
            assert_int_equal(scene_contact_force(&s, box, scene_body(&s, side ? "right" : "left"), f), 4);
            worst = fmax(worst, fabs(f[1] - (side ? -15.0 : 15.0)));
        }
    }
    print_message("d = %g s/m: worst error of a side's normal force after 0.3 s %.3g N\n", d, worst);
    assert_true(worst <= 1e-4 * test_tol_scale());
    scene_end(&s);
}

static void squeeze__without_dissipation(void** state)
{
    (void)state;
    squeeze(0.0);
}

static void squeeze__with_dissipation(void** state)
{
    (void)state;
    squeeze(10.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squeeze__without_dissipation),
        cmocka_unit_test(squeeze__with_dissipation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
