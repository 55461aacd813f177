// SPDX-License-Identifier: MIT
// C16: problems of size zero succeed without iterations: no bodies, no contacts, contact of fixed bodies, no
// time. Free fall is exact: after k steps of semi-implicit Euler z = -g h^2 k (k + 1) / 2.
#include "scene.h"

static void no_bodies__step(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco><worldbody/></mujoco>");
    scene_start(&s, NULL);
    assert_int_equal(talus_model_get_info(s.model).nv, 0);
    scene_run(&s, 1e-3, 10);
    assert_int_equal(s.info.solve.iterations, 0);
    test_near1("time", talus_state_time(s.state), 0.01, 1e-12);
    scene_end(&s);
}

static void no_contacts__fall_is_exact(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<body name=\"free\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\"/></body>\n"
                  "<body name=\"rail\" pos=\"5 0 0\"><joint type=\"slide\" axis=\"0 0 1\"/>"
                  "<geom type=\"sphere\" size=\"0.1\"/></body>\n");
    scene_tail(&s);
    scene_start(&s, NULL);
    const double h = 1e-3;
    for (int32_t k = 1; k <= 1000; k++) {
        scene_step(&s, h);
        assert_int_equal(s.info.solve.iterations, 0);
        assert_int_equal(s.info.contacts, 0);
        const double z = -SCENE_G * h * h * k * (k + 1.0) / 2.0;
        test_near1("free body", s.q[2], z, 1e-12);
        test_near1("slider", s.q[7], z, 1e-12);
    }
    scene_end(&s);
}

static void fixed_bodies__do_not_collide(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"1 1 1\"/>\n"
                  "<body name=\"a\"><geom type=\"sphere\" size=\"0.1\"/></body>\n"
                  "<body name=\"b\" pos=\"0.1 0 0\"><geom type=\"sphere\" size=\"0.1\"/></body>\n");
    scene_tail(&s);
    scene_start(&s, NULL);
    scene_run(&s, 1e-3, 10);
    assert_int_equal(s.info.solve.iterations, 0);
    assert_int_equal(s.info.contacts, 0);
    scene_end(&s);
}

// the solver alone: nothing at all, and a contact of the world with itself
static void solver__takes_empty_problems(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, NULL, &s), TALUS_OK);
    const int32_t world = -1;
    const double one = 1.0;
    talus_problem_view p = talus_problem_default();
    p.h = 1e-3;
    double v[1], f[3] = {1.0, 1.0, 1.0};
    talus_solution sol = {.v = v, .f = f};
    talus_solve_info info;
    assert_int_equal(talus_solver_step(s, &p, &sol, &info), TALUS_OK);
    assert_int_equal(info.iterations, 0);
    p.nc = 1;
    p.tree_a = p.tree_b = &world;
    p.delta0 = p.k = p.d = p.mu = p.J = &one;
    assert_int_equal(talus_solver_step(s, &p, &sol, &info), TALUS_OK);
    assert_int_equal(info.iterations, 0);
    for (int32_t i = 0; i < 3; i++)
        assert_true(isfinite(f[i]));
    talus_solver_destroy(s);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bodies__step),
        cmocka_unit_test(no_contacts__fall_is_exact),
        cmocka_unit_test(fixed_bodies__do_not_collide),
        cmocka_unit_test(solver__takes_empty_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
