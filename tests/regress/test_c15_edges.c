// SPDX-License-Identifier: MIT
// C15: the edges of the iteration. An exact guess needs no iteration and no iteration budget; convergence in
// the last allowed iteration counts; zero force at zero slip has a gradient; a 100 m/s impact on k = 1e12
// stays finite, and the transition-aware steps turn the slip by at most pi/3.
#include "scene.h"

// one tree with three dofs and one contact, J = 1
typedef struct point {
    talus_problem_view view;
    double M[9], v0[3], v_star[3], J[9], delta0, k, d, mu, f0[3];
    int32_t nv, a, b;
} point;

static void point_init(point* p, double h)
{
    *p = (point){.M = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                 .J = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                 .mu = 0.5,
                 .nv = 3,
                 .b = -1};
    p->view = talus_problem_default();
    p->view.ntree = p->view.nc = 1;
    p->view.h = h;
    p->view.tree_nv = &p->nv;
    p->view.M = p->M;
    p->view.v0 = p->v0;
    p->view.v_star = p->v_star;
    p->view.tree_a = &p->a;
    p->view.tree_b = &p->b;
    p->view.J = p->J;
    p->view.delta0 = &p->delta0;
    p->view.k = &p->k;
    p->view.d = &p->d;
    p->view.mu = &p->mu;
    p->view.f0 = p->f0;
}

static talus_status solve(const point* p, const talus_solver_options* opt, double* v, talus_solve_info* info)
{
    talus_context* ctx = test_context(1);
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, opt, &s), TALUS_OK);
    talus_solution sol = {.v = v};
    const talus_status status = talus_solver_step(s, &p->view, &sol, info);
    talus_solver_destroy(s);
    talus_context_destroy(ctx);
    return status;
}

static void exact_guess__needs_no_iteration(void** state)
{
    (void)state;
    for (int32_t method = TALUS_GLOBALIZATION_LIFTING; method <= TALUS_GLOBALIZATION_NONE; method++) {
        point p;
        point_init(&p, 1e-2);
        p.k = 1e4;
        p.d = 5.0;
        p.delta0 = SCENE_G / p.k; // at rest: v = 0 carries the weight
        p.v_star[2] = -SCENE_G * 1e-2;
        p.f0[2] = SCENE_G;
        talus_solver_options opt = talus_solver_options_default();
        opt.globalization = method;
        opt.max_iter = opt.max_iter_restart = 0;
        opt.substeps_max = opt.lagged = 0;
        double v[3];
        talus_solve_info info;
        assert_int_equal(solve(&p, &opt, v, &info), TALUS_OK);
        assert_int_equal(info.iterations, 0);
        assert_true(v[0] == 0.0 && v[1] == 0.0 && fabs(v[2]) < 1e-15);
    }
}

// an oblique impact; M couples normal and tangential motion, so that slip turns
static void impact(point* p, double k)
{
    static const double M[9] = {1.0, 0.2, 0.5, 0.2, 1.0, -0.4, 0.5, -0.4, 1.0}, v0[3] = {50.0, -20.0, -100.0};
    point_init(p, 1e-2);
    memcpy(p->M, M, sizeof M);
    memcpy(p->v0, v0, sizeof v0);
    memcpy(p->v_star, v0, sizeof v0);
    p->k = k;
    p->delta0 = 1e-3;
}

static void last_allowed_iteration__counts(void** state)
{
    (void)state;
    for (int32_t method = TALUS_GLOBALIZATION_LIFTING; method <= TALUS_GLOBALIZATION_TALS; method++) {
        point p;
        impact(&p, 1e6);
        talus_solver_options opt = talus_solver_options_default();
        opt.globalization = method;
        opt.sweeps = 0;
        opt.max_iter = 1000;
        opt.resweep = opt.substeps_max = opt.lagged = opt.max_iter_restart = 0;
        double v[3];
        talus_solve_info info;
        assert_int_equal(solve(&p, &opt, v, &info), TALUS_OK);
        const int32_t needed = info.iterations;
        assert_true(needed > 1);
        opt.max_iter = needed;
        assert_int_equal(solve(&p, &opt, v, &info), TALUS_OK);
        assert_int_equal(info.iterations, needed);
        opt.max_iter = needed - 1;
        assert_int_equal(solve(&p, &opt, v, &info), TALUS_NOT_CONVERGED);
    }
}

static void zero_force_at_zero_slip__has_a_gradient(void** state)
{
    (void)state;
    point p;
    point_init(&p, 1.0 / 128.0); // binary fractions: delta0 - h v_n is 0 exactly
    p.k = 1e6;
    p.delta0 = 1.0 / 512.0;
    p.v0[2] = p.v_star[2] = 0.25;
    talus_context* ctx = test_context(1);
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, NULL, &s), TALUS_OK);
    const double x[3] = {1.0, 2.0, 3.0};
    double y[3], r[3], relative;
    assert_int_equal(talus_problem_residual(s, &p.view, p.v0, r, &relative), TALUS_OK);
    assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0 && relative == 0.0);
    assert_int_equal(talus_problem_apply_A(s, &p.view, p.v0, x, y), TALUS_OK);
    // no force: nothing tangential; the normal part is one of the two one-sided slopes, 0 or h^2 k
    assert_true(y[0] == 1.0 && y[1] == 2.0);
    const double slope = y[2] / 3.0 - 1.0, stiff = p.k / (128.0 * 128.0);
    assert_true(fabs(slope) < 1e-12 || fabs(slope - stiff) < 1e-12 * stiff);
    double v[3];
    talus_solve_info info;
    assert_int_equal(solve(&p, NULL, v, &info), TALUS_OK);
    assert_true(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.25);
    talus_solver_destroy(s);
    talus_context_destroy(ctx);
}

static void stiff_impact__is_finite(void** state)
{
    (void)state;
    for (int32_t method = TALUS_GLOBALIZATION_LIFTING; method <= TALUS_GLOBALIZATION_TALS; method++) {
        point p;
        impact(&p, 1e12);
        talus_solver_options opt = talus_solver_options_default();
        opt.globalization = method;
        opt.max_iter = 200;
        double v[3];
        talus_solve_info info;
        assert_int_equal(solve(&p, &opt, v, &info), TALUS_OK);
        print_message("k = 1e12, 100 m/s, %s: %d iterations, v = %g %g %g m/s\n", method ? "tals" : "lifting",
                      info.iterations, v[0], v[1], v[2]);
        for (int32_t i = 0; i < 3; i++)
            assert_true(isfinite(v[i]));
        assert_int_equal(info.restarted, 0); // sweeping again leaves Newton its steps in a row
        // the overlap is let out within the step
        test_near1("normal velocity", v[2], p.delta0 / 1e-2, 1e-3);
    }
}

static void tals__turns_slip_by_at_most_the_transition_angle(void** state)
{
    (void)state;
    const double stiffness[] = {1e5, 1e8, 1e12};
    int32_t all = 0;
    for (int32_t j = 0; j < TL_COUNT(stiffness); j++) {
        point p;
        impact(&p, stiffness[j]);
        p.mu = 0.1; // goes on sliding
        talus_solver_options opt = talus_solver_options_default();
        opt.globalization = TALUS_GLOBALIZATION_TALS;
        double last[3] = {p.v0[0], p.v0[1], p.v0[2]}, largest = 0.0;
        int32_t turns = 0;
        for (opt.max_iter = 1; opt.max_iter <= 200; opt.max_iter++) {
            double v[3];
            talus_solve_info info;
            const talus_status status = solve(&p, &opt, v, &info); // the iterate after max_iter iterations
            assert_true(status >= 0);
            const double a = hypot(last[0], last[1]), b = hypot(v[0], v[1]);
            if (a > 1e-4 && b > 1e-4) {
                const double c = (last[0] * v[0] + last[1] * v[1]) / (a * b);
                largest = fmax(largest, acos(fmin(1.0, c)));
                turns++;
            }
            memcpy(last, v, sizeof v);
            if (status == TALUS_OK)
                break;
        }
        print_message("k = %g: %d iterations outside the stiction disc, largest turn %.4f, pi/3 = 1.0472\n",
                      stiffness[j], turns, largest);
        all += turns;
        assert_true(largest <= 1.0471975511965976 * (1.0 + 1e-9));
    }
    assert_true(all >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_guess__needs_no_iteration),
        cmocka_unit_test(last_allowed_iteration__counts),
        cmocka_unit_test(zero_force_at_zero_slip__has_a_gradient),
        cmocka_unit_test(stiff_impact__is_finite),
        cmocka_unit_test(tals__turns_slip_by_at_most_the_transition_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
