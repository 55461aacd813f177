// SPDX-License-Identifier: MIT
// C52: the contact report adds up and has the right sign. Forces are on the first body of a contact, in
// newtons of this step; the other body feels the opposite, bit for bit.
#include "scene.h"

#define H 1e-3

static void settle(scene* s, int32_t steps)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-10;
    scene_start(s, &opt);
    scene_run(s, H, steps);
}

// momentum gained in one more step = h (weight + reported forces), for a free body of mass m at dof `at`
static void impulse_is_force(scene* s, const char* body, int32_t at, double m)
{
    double v0[3], sum[3], gain[3], want[3];
    memcpy(v0, s->v + at, sizeof v0);
    scene_step(s, H);
    scene_contact_force(s, scene_body(s, body), -1, sum);
    for (int32_t i = 0; i < 3; i++) {
        gain[i] = m * (s->v[at + i] - v0[i]) / H;
        want[i] = sum[i] + (i == 2 ? -m * SCENE_G : 0.0);
    }
    test_near("impulse / h", gain, want, 3, 1e-8, m * SCENE_G);
}

static void action_is_reaction(const scene* s, int32_t a, int32_t b)
{
    double on_a[3], on_b[3];
    assert_true(scene_contact_force(s, a, b, on_a) > 0);
    scene_contact_force(s, b, a, on_b);
    for (int32_t i = 0; i < 3; i++)
        assert_true(on_a[i] == -on_b[i]);
}

static void cube__at_rest(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"1 1 1\"/>\n"
                  "<body name=\"cube\" pos=\"0 0 0.1\"><freejoint/><inertial pos=\"0 0 0\" mass=\"10\" "
                  "diaginertia=\"0.07 0.07 0.07\"/>\n");
    scene_points(&s, 0.1, 0.1, 0.1, 0.01);
    scene_add(&s, "</body>\n");
    scene_tail(&s);
    settle(&s, 1000);
    double cube[3], ground[3];
    assert_int_equal(scene_contact_force(&s, scene_body(&s, "cube"), -1, cube), 4);
    assert_int_equal(scene_contact_force(&s, 0, -1, ground), 4);
    const double up[3] = {0.0, 0.0, 98.1}, down[3] = {0.0, 0.0, -98.1};
    test_near("on the cube", cube, up, 3, 1e-8, 0.0);
    test_near("on the ground", ground, down, 3, 1e-8, 0.0);
    action_is_reaction(&s, scene_body(&s, "cube"), 0);
    s.v[0] = 0.1; // friction, too
    impulse_is_force(&s, "cube", 0, 10.0);
    double sum[3];
    scene_contact_force(&s, scene_body(&s, "cube"), -1, sum);
    assert_true(sum[0] < -10.0); // against the slip
    scene_end(&s);
}

static void cube__held_by_fingers(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e6, 5.0, 0.8, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<body name=\"cube\" pos=\"0 0 1\"><freejoint/>"
                  "<geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"10\"/></body>\n");
    for (int32_t side = 0; side < 2; side++)
        scene_add(&s,
                  "<body name=\"%s\" pos=\"%g 0 1\"><joint type=\"slide\" axis=\"1 0 0\"/>\n"
                  "  <geom type=\"box\" size=\"0.02 0.03 0.03\" mass=\"0.5\"/></body>\n",
                  side ? "right" : "left", side ? 0.12 : -0.12);
    scene_tail(&s);
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-10;
    scene_start(&s, &opt);
    s.force[6] = 200.0;
    s.force[7] = -200.0;
    scene_run(&s, H, 1000);
    const int32_t cube = scene_body(&s, "cube"), left = scene_body(&s, "left"),
                  right = scene_body(&s, "right");
    double f[2][3], sum[3];
    scene_contact_force(&s, cube, left, f[0]);
    scene_contact_force(&s, cube, right, f[1]);
    for (int32_t i = 0; i < 3; i++)
        sum[i] = f[0][i] + f[1][i];
    print_message("fingers on the cube: %.6f %.6f %.6f and %.6f %.6f %.6f N\n", f[0][0], f[0][1], f[0][2],
                  f[1][0], f[1][1], f[1][2]);
    const double up[3] = {0.0, 0.0, 98.1};
    test_near("fingers", sum, up, 3, 1e-6, 0.0);
    test_near1("left pushes right", f[0][0], 200.0, 1e-6);
    test_near1("each carries half", f[0][2], 49.05, 1e-6);
    action_is_reaction(&s, cube, left);
    action_is_reaction(&s, cube, right);
    impulse_is_force(&s, "cube", 0, 10.0);
    scene_end(&s);
}

static void heavy__on_light(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e6, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"1 1 1\"/>\n");
    for (int32_t i = 0; i < 2; i++)
        scene_add(&s,
                  "<body name=\"%s\" pos=\"0 0 %g\"><freejoint/>"
                  "<geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"%d\"/></body>\n",
                  i ? "heavy" : "light", 0.1 + 0.2 * i, i ? 1000 : 1);
    scene_tail(&s);
    settle(&s, 3000);
    const int32_t light = scene_body(&s, "light"), heavy = scene_body(&s, "heavy");
    double on_heavy[3], on_light[3], ground[3];
    scene_contact_force(&s, heavy, light, on_heavy);
    scene_contact_force(&s, light, -1, on_light);
    scene_contact_force(&s, 0, light, ground);
    const double heavy_up[3] = {0.0, 0.0, 9810.0}, light_up[3] = {0.0, 0.0, 9.81},
                 down[3] = {0.0, 0.0, -9819.81};
    test_near("on the heavy one", on_heavy, heavy_up, 3, 1e-8, 0.0);
    test_near("on the light one", on_light, light_up, 3, 1e-8, 9810.0);
    test_near("on the ground", ground, down, 3, 1e-8, 0.0);
    action_is_reaction(&s, light, heavy);
    impulse_is_force(&s, "heavy", 6, 1000.0);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube__at_rest),
        cmocka_unit_test(cube__held_by_fingers),
        cmocka_unit_test(heavy__on_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
