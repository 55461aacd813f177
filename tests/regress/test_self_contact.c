// SPDX-License-Identifier: MIT
// A contact between two bodies of one tree has one block of columns, the sum of both: a two-link arm whose links touch,
// against the same problem with the rows added by hand.
#include "../solver/problems.h"

static void self_contact__is_the_sum_of_both_rows(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const int32_t two = 2;
    double v[2][2];
    for (int32_t k = 0; k < 2; k++) {
        test_problem t;
        test_problem_alloc(&t, 1, &two, 1);
        t.M[0] = 2.0;
        t.M[1] = t.M[2] = 0.5;
        t.M[3] = 1.0;
        t.v_star[0] = -1.0;
        t.v_star[1] = 0.5;
        t.view.h = 1e-2;
        t.delta0[0] = 1e-3;
        t.k[0] = 1e4;
        t.mu[0] = 0.3;
        // rows t1 t2 n of body A, then of body B
        const double A[6] = {0.3, 0.1, 0.2, -0.4, 1.0, 0.25}, B[6] = {0.2, 0.0, 0.1, 0.3, -0.5, -0.75};
        t.tree_a[0] = 0;
        t.tree_b[0] = k ? -1 : 0;
        for (int32_t i = 0; i < 6; i++) {
            t.J[i] = k ? A[i] + B[i] : A[i];
            t.J[6 + i] = B[i];
        }
        talus_solver_options opt = talus_solver_options_default();
        opt.tol = 1e-13;
        talus_solver* s;
        assert_int_equal(talus_solver_create(ctx, &opt, &s), TALUS_OK);
        talus_solution sol = {.v = v[k]};
        assert_int_equal(talus_solver_step(s, &t.view, &sol, NULL), TALUS_OK);
        talus_solver_destroy(s);
        test_problem_free(&t);
    }
    test_near("v", v[0], v[1], 2, 1e-13, 1.0);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(self_contact__is_the_sum_of_both_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
