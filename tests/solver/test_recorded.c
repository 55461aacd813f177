// SPDX-License-Identifier: MIT
// Recorded contact problems: every globalization and backend finds the same velocity, the residual is checked
// by an independent evaluation of the equations, and factorization counts stay at the specification's.
#include "problems.h"

static const char* const names[] = {"spheres-8", "spheres-27", "spheres-64", "boxes-64", "humanoids-4"};
// factorizations of the reference implementation's restarts (max over islands): sweeps from f = 0
static const int32_t reference_sweeps[] = {2, 3, 4, 2, 3};

static bool load(const char* name, test_problem* t)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/problems/%s.bin", TALUS_SHARED_DIR, name);
    return test_problem_recorded(path, t);
}

// |r|_{M^-1} / max(|M v*|, |h J^T f|)_{M^-1} written from the equations, dense and slow
static double independent_residual(const test_problem* t, const double* v)
{
    const talus_problem_view* p = &t->view;
    const int32_t nv = t->nv;
    double *r = test_zeros((size_t)nv, 8), *jf = test_zeros((size_t)nv, 8), *mv = test_zeros((size_t)nv, 8);
    int32_t* dof = test_zeros((size_t)p->ntree + 1, 4);
    for (int32_t i = 0; i < p->ntree; i++)
        dof[i + 1] = dof[i] + p->tree_nv[i];
    const double* J = p->J;
    for (int32_t c = 0; c < p->nc; c++) {
        const int32_t tree[2] = {p->tree_a[c], p->tree_b[c]};
        double w[3] = {0};
        const double* Jc = J;
        for (int32_t s = 0; s < 2; s++) {
            const int32_t n = tree[s] < 0 ? 0 : p->tree_nv[tree[s]];
            for (int32_t i = 0; i < 3 * n; i++)
                w[i / n] += Jc[i] * v[dof[tree[s]] + i % n];
            Jc += 3 * n;
        }
        const double a = 1.0 - p->d[c] * w[2], b = p->delta0[c] - p->h * w[2];
        const double pi = p->delta0[c] > 0.0 && a > 0.0 && b > 0.0 ? p->k[c] * a * b : 0.0;
        const double s = sqrt(w[0] * w[0] + w[1] * w[1]), x = s / p->v_s;
        const double mu = p->mu[c] * (x < 1.0 ? x * (2.0 - x) : 1.0);
        const double f[3] = {s > 0.0 ? -mu * pi * w[0] / s : 0.0, s > 0.0 ? -mu * pi * w[1] / s : 0.0, pi};
        for (int32_t q = 0; q < 2; q++) {
            const int32_t n = tree[q] < 0 ? 0 : p->tree_nv[tree[q]];
            for (int32_t i = 0; i < 3 * n; i++)
                jf[dof[tree[q]] + i % n] += p->h * J[i] * f[i / n];
            J += 3 * n;
        }
    }
    double norm[3] = {0};
    const double* M = p->M;
    for (int32_t t0 = 0; t0 < p->ntree; t0++) {
        const int32_t n = p->tree_nv[t0];
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++) {
                r[dof[t0] + i] += M[i * n + j] * (v[dof[t0] + j] - p->v_star[dof[t0] + j]);
                mv[dof[t0] + i] += M[i * n + j] * p->v_star[dof[t0] + j];
            }
        for (int32_t i = 0; i < n; i++)
            r[dof[t0] + i] -= jf[dof[t0] + i];
        const double* x[3] = {r, mv, jf};
        for (int32_t q = 0; q < 3; q++) { // x^T M^-1 x by Gauss-Jordan
            double A[32 * 33];
            for (int32_t i = 0; i < n; i++) {
                memcpy(A + 33 * i, M + i * n, sizeof(double) * (size_t)n);
                A[33 * i + 32] = x[q][dof[t0] + i];
            }
            for (int32_t k = 0; k < n; k++)
                for (int32_t i = 0; i < n; i++) {
                    const double l = i == k ? 0.0 : A[33 * i + k] / A[33 * k + k];
                    for (int32_t j = k; j < n && l != 0.0; j++)
                        A[33 * i + j] -= l * A[33 * k + j];
                    A[33 * i + 32] -= l * A[33 * k + 32];
                }
            for (int32_t i = 0; i < n; i++)
                norm[q] += x[q][dof[t0] + i] * A[33 * i + 32] / A[33 * i + i];
        }
        M += n * n;
    }
    free(r);
    free(jf);
    free(mv);
    free(dof);
    return sqrt(norm[0]) / sqrt(fmax(norm[1], norm[2]));
}

static void solve(talus_context* ctx, const test_problem* t, const talus_solver_options* opt, double* v,
                  talus_solve_info* info)
{
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, opt, &s), TALUS_OK);
    talus_solution sol = {.v = v};
    assert_int_equal(talus_solver_step(s, &t->view, &sol, info), TALUS_OK);
    talus_solver_destroy(s);
}

static void recorded__exact_by_independent_check(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t i = 0; i < TL_COUNT(names); i++) {
        test_problem t;
        if (!load(names[i], &t)) {
            talus_context_destroy(ctx);
            skip();
        }
        double* v = test_zeros((size_t)t.nv, 8);
        talus_solver_options opt = talus_solver_options_default();
        opt.tol = 1e-10;
        talus_solve_info info;
        solve(ctx, &t, &opt, v, &info);
        const double r = independent_residual(&t, v);
        if (!(r <= 1e-9))
            fail_msg("%s: residual %g", names[i], r);
        free(v);
        test_problem_free(&t);
    }
    talus_context_destroy(ctx);
}

static void recorded__factorizations_as_the_reference(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t i = 0; i < TL_COUNT(names); i++) {
        test_problem t;
        if (!load(names[i], &t)) {
            talus_context_destroy(ctx);
            skip();
        }
        double* v = test_zeros((size_t)t.nv, 8);
        talus_solver_options opt = talus_solver_options_default();
        opt.reuse = 0;
        opt.quiet = 0.0;
        talus_solve_info info;
        solve(ctx, &t, &opt, v, &info);
        print_message("%-12s lifting %d", names[i], info.factorizations_max);
        assert_true(info.factorizations_max <= reference_sweeps[i]);
        opt.globalization = TALUS_GLOBALIZATION_TALS;
        opt.max_iter = 100;
        solve(ctx, &t, &opt, v, &info);
        print_message("  tals (one step length for all) %d\n", info.factorizations_max);
        free(v);
        test_problem_free(&t);
    }
    talus_context_destroy(ctx);
}

static void recorded__methods_and_backends_agree(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t i = 0; i < TL_COUNT(names); i++) {
        test_problem t;
        if (!load(names[i], &t)) {
            talus_context_destroy(ctx);
            skip();
        }
        const int32_t variants[][2] = {{TALUS_GLOBALIZATION_LIFTING, TALUS_BACKEND_DENSE},
                                       {TALUS_GLOBALIZATION_LIFTING, TALUS_BACKEND_OWN},
                                       {TALUS_GLOBALIZATION_TALS, TALUS_BACKEND_DENSE},
                                       {TALUS_GLOBALIZATION_TALS, TALUS_BACKEND_OWN}};
        double* want = test_zeros((size_t)t.nv, 8);
        double* got = test_zeros((size_t)t.nv, 8);
        for (int32_t k = 0; k < TL_COUNT(variants); k++) {
            talus_solver_options opt = talus_solver_options_default();
            opt.tol = 1e-12;
            opt.globalization = variants[k][0];
            opt.backend = variants[k][1];
            opt.max_iter = 100;
            talus_solve_info info;
            solve(ctx, &t, &opt, k ? got : want, &info);
            if (k) // 1e-4 v_s of contact velocity on bodies of order 0.1 m
                test_near(names[i], got, want, t.nv, 1e-7, 1.0);
        }
        free(want);
        free(got);
        test_problem_free(&t);
    }
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded__exact_by_independent_check),
        cmocka_unit_test(recorded__factorizations_as_the_reference),
        cmocka_unit_test(recorded__methods_and_backends_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
