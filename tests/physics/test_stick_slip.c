// SPDX-License-Identifier: MIT
// The stick-slip box of Castro et al. 2020: m dv/dt = 4 cos(2 pi t) - W clip(v / v_s, -1, 1), W = 0.33 x 9.8
// N, v_s = 1e-4 m/s, h = 10 ms, Newton from the last velocity. Plain Newton cycles for ever on the step from
// 0.160 s; the transition-aware methods do not. Reference values: an independent program.
#include <talus/solver.h>
#include "test.h"

#define MASS 0.33
#define WEIGHT (0.33 * 9.8)

// one step from v0 at t; returns iterations, or -1 when it did not converge
static int32_t step(talus_solver* s, double t, double h, double v0, double* v)
{
    const int32_t one = 1, zero = 0;
    const double M = MASS, bound = WEIGHT,
                 v_star = v0 + h * 4.0 * cos(2.0 * 3.14159265358979323846 * (t + h)) / MASS;
    talus_problem_view p = talus_problem_default();
    p.ntree = 1;
    p.tree_nv = &one;
    p.M = &M;
    p.v0 = &v0;
    p.v_star = &v_star;
    p.h = h;
    p.friction = TALUS_FRICTION_LINEAR;
    p.nf = 1;
    p.loss_tree = p.loss_dof = &zero;
    p.loss_bound = &bound;
    p.loss_v_s = 1e-4;
    talus_solution sol = {.v = v};
    talus_solve_info info;
    const talus_status status = talus_solver_step(s, &p, &sol, &info);
    assert_true(status >= 0);
    return status == TALUS_OK ? info.iterations : -1;
}

static talus_solver* make(talus_context* ctx, int32_t globalization)
{
    talus_solver_options opt = talus_solver_options_default();
    opt.globalization = globalization;
    opt.max_iter = 100;
    opt.tol = 1e-10;
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, &opt, &s), TALUS_OK);
    return s;
}

// run 1 s, going on with a method that does converge; the first step that `kind` fails, or -1
static int32_t first_failure(int32_t kind, double* mean, double* largest)
{
    talus_context* ctx = test_context(1);
    talus_solver *a = make(ctx, kind), *b = make(ctx, TALUS_GLOBALIZATION_TALS);
    double v = 0.0, next;
    int32_t failed = -1, total = 0;
    *largest = 0.0;
    for (int32_t n = 0; n < 100; n++) {
        const int32_t k = step(a, 0.01 * n, 0.01, v, &next);
        if (k < 0) {
            failed = failed < 0 ? n : failed;
            assert_true(step(b, 0.01 * n, 0.01, v, &next) >= 0);
        }
        total += TL_MAX(k, 0);
        v = next;
        *largest = fmax(*largest, fabs(v));
    }
    *mean = total / 100.0;
    talus_solver_destroy(a);
    talus_solver_destroy(b);
    talus_context_destroy(ctx);
    return failed;
}

static void stick_slip__plain_newton_fails_at_0160(void** state)
{
    (void)state;
    double mean, largest;
    assert_int_equal(first_failure(TALUS_GLOBALIZATION_NONE, &mean, &largest), 16);
    test_near1("max |v|", largest, 0.30726, 2e-5);
}

static void stick_slip__tals_converges(void** state)
{
    (void)state;
    double mean, largest;
    assert_int_equal(first_failure(TALUS_GLOBALIZATION_TALS, &mean, &largest), -1);
    test_near1("max |v|", largest, 0.30726, 2e-5);
    test_near1("iterations a step", mean, 1.05, 0.06);
}

static void stick_slip__lifting_converges(void** state)
{
    (void)state;
    double mean, largest;
    assert_int_equal(first_failure(TALUS_GLOBALIZATION_LIFTING, &mean, &largest), -1);
    test_near1("max |v|", largest, 0.30726, 2e-5);
    // one contact alone is solved by its local equation: no iteration is left for Newton but in quiet steps
    assert_true(mean <= 1.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stick_slip__plain_newton_fails_at_0160),
        cmocka_unit_test(stick_slip__tals_converges),
        cmocka_unit_test(stick_slip__lifting_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
