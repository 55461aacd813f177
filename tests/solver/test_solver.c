// SPDX-License-Identifier: MIT
// Properties of the solver on random problems of free bodies: operators against finite differences, islands,
// threads, units, allocation, fallbacks, bad input.
#include "problems.h"
#include "solver_internal.h"

// n bodies in groups that touch only among themselves; every contact has random rows; nc contacts
static void random_problem(test_problem* t, uint64_t seed, int32_t n, int32_t group, int32_t nc)
{
    tl_rng r;
    tl_rng_seed(&r, seed);
    int32_t* six = test_zeros((size_t)n, 4);
    for (int32_t i = 0; i < n; i++)
        six[i] = 6;
    test_problem_alloc(t, n, six, nc);
    free(six);
    for (int32_t b = 0; b < n; b++) {
        double* M = t->M + 36 * b;
        for (int32_t i = 0; i < 6; i++) {
            M[7 * i] = tl_rng_uniform(&r, 1.0, 2.0);
            for (int32_t j = 0; j < i; j++)
                M[6 * i + j] = M[6 * j + i] = tl_rng_uniform(&r, -0.1, 0.1);
        }
    }
    for (int32_t i = 0; i < t->nv; i++) {
        t->v0[i] = 0.1 * tl_rng_normal(&r);
        t->v_star[i] = t->v0[i] + 0.05 * tl_rng_normal(&r);
    }
    double* J = t->J;
    for (int32_t c = 0; c < nc; c++) {
        const int32_t a = (int32_t)tl_rng_uniform(&r, 0, n), g = a / group * group;
        int32_t b = g + (int32_t)tl_rng_uniform(&r, 0, TL_MIN(group, n - g));
        b = b == a ? -1 : b;
        t->tree_a[c] = a;
        t->tree_b[c] = b;
        t->pair[c] = (int64_t)a * n + b;
        for (int32_t i = 0; i < (b < 0 ? 18 : 36); i++)
            *J++ = tl_rng_uniform(&r, -1.0, 1.0);
        t->delta0[c] = tl_rng_uniform(&r, 0.0, 1e-3);
        t->k[c] = 1e4;
        t->d[c] = 1.0;
        t->mu[c] = 0.5;
    }
    t->view.h = 2e-3;
    t->view.v_s = 1e-3;
}

static talus_status run(talus_context* ctx, const test_problem* t, const talus_solver_options* opt, double* v,
                        talus_solve_info* info)
{
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, opt, &s), TALUS_OK);
    talus_solution sol = {.v = v};
    const talus_status status = talus_solver_step(s, &t->view, &sol, info);
    talus_solver_destroy(s);
    return status;
}

static void operator__A_is_the_derivative_of_the_residual(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t law = 0; law < 2; law++) {
        test_problem t;
        random_problem(&t, 3, 12, 6, 30);
        t.view.friction = (talus_friction)law;
        const int32_t nv = t.nv;
        double* x = test_zeros(6 * (size_t)nv, 8);
        double *v = x, *dx = x + nv, *y = x + 2 * nv, *fd = x + 3 * nv, *r0 = x + 4 * nv, *r1 = x + 5 * nv;
        tl_rng r;
        tl_rng_seed(&r, 5);
        for (int32_t i = 0; i < nv; i++) {
            v[i] = 0.01 * tl_rng_normal(&r);
            dx[i] = tl_rng_normal(&r);
        }
        talus_solver* s;
        assert_int_equal(talus_solver_create(ctx, NULL, &s), TALUS_OK);
        assert_int_equal(talus_problem_apply_A(s, &t.view, v, dx, y), TALUS_OK);
        const double e = 1e-8;
        for (int32_t i = 0; i < nv; i++)
            fd[i] = v[i] + e * dx[i];
        assert_int_equal(talus_problem_residual(s, &t.view, fd, r1, NULL), TALUS_OK);
        for (int32_t i = 0; i < nv; i++)
            fd[i] = v[i] - e * dx[i];
        assert_int_equal(talus_problem_residual(s, &t.view, fd, r0, NULL), TALUS_OK);
        for (int32_t i = 0; i < nv; i++)
            fd[i] = (r1[i] - r0[i]) / (2.0 * e);
        test_near("A x", y, fd, nv, 2e-6, 0.0);
        talus_solver_destroy(s);
        free(x);
        test_problem_free(&t);
    }
    talus_context_destroy(ctx);
}

// dense A by columns of the definition M + h J^T G J, G by finite differences of nothing: from the force
// law's own derivative formulas written out here
static void dense_A(const test_problem* t, const double* v, double* A)
{
    const talus_problem_view* p = &t->view;
    const int32_t nv = t->nv;
    memset(A, 0, sizeof(double) * (size_t)nv * (size_t)nv);
    for (int32_t b = 0; b < p->ntree; b++)
        for (int32_t i = 0; i < 6; i++)
            for (int32_t j = 0; j < 6; j++)
                A[(6 * b + i) * nv + 6 * b + j] = p->M[36 * b + 6 * i + j];
    double* rows = test_zeros(3 * (size_t)nv, 8);
    const double* J = p->J;
    for (int32_t c = 0; c < p->nc; c++) {
        memset(rows, 0, sizeof(double) * 3 * (size_t)nv);
        const int32_t tree[2] = {p->tree_a[c], p->tree_b[c]};
        for (int32_t s = 0; s < 2; s++)
            for (int32_t i = 0; i < 18 && tree[s] >= 0; i++)
                rows[(i / 6) * nv + 6 * tree[s] + i % 6] = *J++;
        double w[3] = {0}, G[3][3] = {{0}};
        for (int32_t r = 0; r < 3; r++)
            for (int32_t i = 0; i < nv; i++)
                w[r] += rows[r * nv + i] * v[i];
        const double s = hypot(w[0], w[1]), x = s / p->v_s, k = p->k[c], d = p->d[c], h = p->h,
                     de = p->delta0[c];
        const double damp = 1.0 - d * w[2], gap = de - h * w[2];
        if (de <= 0.0 || damp <= 0.0 || gap <= 0.0)
            continue;
        const double pi = k * damp * gap, dpi = -k * (d * gap + h * damp), mu = p->mu[c];
        const double m = x < 1.0 ? mu * x * (2.0 - x) : mu,
                     dm = x < 1.0 ? 2.0 * mu * (1.0 - x) / p->v_s : 0.0;
        const double e[2] = {w[0] / s, w[1] / s};
        for (int32_t i = 0; i < 2; i++) {
            for (int32_t j = 0; j < 2; j++)
                G[i][j] = pi * (dm * e[i] * e[j] + m / s * ((i == j) - e[i] * e[j]));
            G[i][2] = m * e[i] * dpi;
        }
        G[2][2] = -dpi;
        for (int32_t i = 0; i < nv; i++)
            for (int32_t j = 0; j < nv; j++)
                for (int32_t a = 0; a < 3; a++)
                    for (int32_t b = 0; b < 3; b++)
                        A[i * nv + j] += h * rows[a * nv + i] * G[a][b] * rows[b * nv + j];
    }
    free(rows);
}

static void operator__matrix_free_is_the_assembled(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    test_problem t;
    random_problem(&t, 11, 10, 10, 40);
    const int32_t nv = t.nv;
    double* A = test_zeros((size_t)nv * (size_t)nv, 8);
    double* x = test_zeros(4 * (size_t)nv, 8);
    double *v = x, *dx = x + nv, *y = x + 2 * nv, *want = x + 3 * nv;
    tl_rng r;
    tl_rng_seed(&r, 6);
    for (int32_t i = 0; i < nv; i++) {
        v[i] = 1e-3 * tl_rng_normal(&r);
        dx[i] = tl_rng_normal(&r);
    }
    dense_A(&t, v, A);
    for (int32_t i = 0; i < nv; i++)
        for (int32_t j = 0; j < nv; j++)
            want[i] += A[i * nv + j] * dx[j];
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, NULL, &s), TALUS_OK);
    assert_int_equal(talus_problem_apply_A(s, &t.view, v, dx, y), TALUS_OK);
    test_near("A x", y, want, nv, 1e-12, 0.0);
    talus_solver_destroy(s);
    free(A);
    free(x);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

static void islands__apart_or_together_give_one_answer(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    test_problem t;
    random_problem(&t, 21, 60, 6, 120);
    talus_solver_options opt = talus_solver_options_default();
    opt.tol = 1e-13;
    double *a = test_zeros((size_t)t.nv, 8), *b = test_zeros((size_t)t.nv, 8);
    talus_solve_info ia, ib;
    assert_int_equal(run(ctx, &t, &opt, a, &ia), TALUS_OK);
    opt.islands = 0;
    assert_int_equal(run(ctx, &t, &opt, b, &ib), TALUS_OK);
    assert_true(ia.nislands >= 10);
    assert_int_equal(ib.nislands, 1);
    test_near("v", b, a, t.nv, 1e-9, 0.1);
    free(a);
    free(b);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

// moving islands of one task are swept together; whoever is beside it must not change a bit of an island
static void islands__company_changes_no_bit(void** state)
{
    (void)state;
    enum { BODIES = 30, GROUP = 5 };
    for (int32_t coupling = TALUS_COUPLING_TWO_WAY; coupling <= TALUS_COUPLING_ONE_WAY; coupling++) {
        talus_context* ctx = test_context(1);
        test_problem t;
        random_problem(&t, 23, BODIES, GROUP, 90);
        talus_solver_options opt = talus_solver_options_default();
        opt.coupling = coupling;
        double *together = test_zeros((size_t)t.nv, 8), *alone = test_zeros((size_t)t.nv, 8);
        talus_solve_info info;
        assert_int_equal(run(ctx, &t, &opt, together, &info), TALUS_OK);
        assert_true(info.nislands >= BODIES / GROUP);
        double* delta0 = test_zeros((size_t)t.view.nc, 8);
        memcpy(delta0, t.delta0, sizeof(double) * (size_t)t.view.nc);
        for (int32_t g = 0; g < BODIES; g += GROUP) {
            for (int32_t c = 0; c < t.view.nc; c++) // open contacts take no part
                t.delta0[c] = t.tree_a[c] / GROUP * GROUP == g ? delta0[c] : -1.0;
            assert_int_equal(run(ctx, &t, &opt, alone, &info), TALUS_OK);
            assert_memory_equal(alone + 6 * g, together + 6 * g, sizeof(double) * 6 * GROUP);
        }
        free(delta0);
        free(together);
        free(alone);
        test_problem_free(&t);
        talus_context_destroy(ctx);
    }
}

static void threads__same_bits(void** state)
{
    (void)state;
    test_problem t;
    random_problem(&t, 22, 800, 5, 1600); // several tasks
    double *a = test_zeros((size_t)t.nv, 8), *b = test_zeros((size_t)t.nv, 8);
    for (int32_t n = 1; n <= 8; n++) {
        talus_context* ctx = test_context(n);
        talus_solve_info info;
        assert_int_equal(run(ctx, &t, NULL, n == 1 ? a : b, &info), TALUS_OK);
        if (n > 1)
            assert_memory_equal(a, b, sizeof(double) * (size_t)t.nv);
        talus_context_destroy(ctx);
    }
    free(a);
    free(b);
    test_problem_free(&t);
}

static void memory__steady_solves_allocate_nothing(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    test_problem t;
    random_problem(&t, 23, 60, 20, 200);
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, NULL, &s), TALUS_OK);
    double* v = test_zeros((size_t)t.nv, 8);
    talus_solution sol = {.v = v};
    for (int32_t i = 0; i < 3; i++)
        assert_int_equal(talus_solver_step(s, &t.view, &sol, NULL), TALUS_OK);
    const int64_t before = talus_context_allocations(ctx);
    for (int32_t i = 0; i < 10; i++)
        assert_int_equal(talus_solver_step(s, &t.view, &sol, NULL), TALUS_OK);
    assert_int_equal(talus_context_allocations(ctx) - before, 0);
    talus_solver_destroy(s);
    free(v);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

// lengths x s, times x sqrt(s), masses x s^3; M in mixed units, so scale the translational form: all rows are
// lengths
static void units__scaled_problem_same_counts(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t k = 0; k < 2; k++) {
        const double s = k ? 1e3 : 1e-3, rs = sqrt(s);
        test_problem t, u;
        random_problem(&t, 24, 40, 10, 90);
        random_problem(&u, 24, 40, 10, 90);
        for (int32_t i = 0; i < 36 * 40; i++)
            u.M[i] *= s * s * s;
        for (int32_t i = 0; i < u.nv; i++) {
            u.v0[i] *= rs;
            u.v_star[i] *= rs;
        }
        for (int32_t i = 0; i < 90; i++) {
            u.delta0[i] *= s;
            u.k[i] *= s * s;
            u.d[i] /= rs;
        }
        u.view.h *= rs;
        u.view.v_s *= rs;
        double *a = test_zeros((size_t)t.nv, 8), *b = test_zeros((size_t)t.nv, 8);
        talus_solve_info ia, ib;
        assert_int_equal(run(ctx, &t, NULL, a, &ia), TALUS_OK);
        assert_int_equal(run(ctx, &u, NULL, b, &ib), TALUS_OK);
        assert_int_equal(ia.iterations, ib.iterations);
        assert_int_equal(ia.factorizations, ib.factorizations);
        assert_int_equal(ia.linear_steps, ib.linear_steps);
        for (int32_t i = 0; i < t.nv; i++)
            a[i] *= rs;
        test_near("scaled v", b, a, t.nv, 1e-9, 0.0);
        free(a);
        free(b);
        test_problem_free(&t);
        test_problem_free(&u);
    }
    talus_context_destroy(ctx);
}

// C15 a: an exact guess needs no iteration
static void start__exact_guess_needs_no_iteration(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    test_problem t;
    random_problem(&t, 25, 5, 5, 10);
    talus_solver_options opt = talus_solver_options_default();
    opt.tol = 1e-10;
    double* v = test_zeros((size_t)t.nv, 8);
    talus_solve_info info;
    assert_int_equal(run(ctx, &t, &opt, v, &info), TALUS_OK);
    // move the start there, keeping M (v0 - v*) out of it: v* does not change
    memcpy(t.v0, v, sizeof(double) * (size_t)t.nv);
    opt.tol = 1e-6;
    opt.max_iter = opt.max_iter_restart = 0;
    opt.substeps_max = 0;
    opt.lagged = 0;
    assert_int_equal(run(ctx, &t, &opt, v, &info), TALUS_OK);
    assert_int_equal(info.iterations, 0);
    free(v);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

// C15 b, c: no slip and no force at once; a stiff hit at 100 m/s
static void start__degenerate_contacts_stay_finite(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const int32_t six = 6;
    test_problem t;
    test_problem_alloc(&t, 1, &six, 1);
    for (int32_t i = 0; i < 6; i++)
        t.M[7 * i] = 1.0;
    t.tree_b[0] = -1;
    t.J[0] = t.J[7] = t.J[14] = 1.0;
    t.k[0] = 1e4;
    t.delta0[0] = 1e-300;
    t.mu[0] = 0.5;
    t.view.h = 1e-2;
    double v[6];
    talus_solve_info info;
    assert_int_equal(run(ctx, &t, NULL, v, &info), TALUS_OK);
    assert_int_equal(tl_first_nonfinite(v, 6), -1);
    t.k[0] = 1e12;
    t.delta0[0] = 1e-3;
    t.v0[2] = t.v_star[2] = -100.0;
    t.v0[0] = t.v_star[0] = 50.0;
    for (int32_t g = 0; g < 2; g++) {
        talus_solver_options opt = talus_solver_options_default();
        opt.globalization = g;
        opt.max_iter = 200;
        assert_int_equal(run(ctx, &t, &opt, v, &info), TALUS_OK);
        assert_int_equal(tl_first_nonfinite(v, 6), -1);
    }
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

static void sizes__zero_is_solved_without_iterations(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, NULL, &s), TALUS_OK);
    talus_problem_view p = talus_problem_default();
    p.h = 1e-3;
    double v[6] = {0};
    talus_solution sol = {.v = v};
    talus_solve_info info;
    assert_int_equal(talus_solver_step(s, &p, &sol, &info), TALUS_OK);
    assert_int_equal(info.iterations, 0);
    // bodies without contact take v*
    const int32_t six = 6;
    test_problem t;
    test_problem_alloc(&t, 1, &six, 1);
    for (int32_t i = 0; i < 6; i++) {
        t.M[7 * i] = 2.0;
        t.v_star[i] = i + 1.0;
    }
    t.view.h = 1e-3;
    t.view.nc = 0;
    assert_int_equal(talus_solver_step(s, &t.view, &sol, &info), TALUS_OK);
    assert_memory_equal(v, t.v_star, sizeof v);
    // a contact of the world with itself
    t.view.nc = 1;
    t.tree_a[0] = t.tree_b[0] = -1;
    t.delta0[0] = t.k[0] = 1.0;
    assert_int_equal(talus_solver_step(s, &t.view, &sol, &info), TALUS_OK);
    assert_int_equal(info.iterations, 0);
    test_problem_free(&t);
    talus_solver_destroy(s);
    talus_context_destroy(ctx);
}

static void count_message(void* user, const talus_message* m)
{
    snprintf(user, 200, "%s", m->text);
}

static void input__bad_values_are_named_and_change_nothing(void** state)
{
    (void)state;
    char text[200];
    talus_context_def def = talus_context_default();
    def.message = count_message;
    def.message_user = text;
    talus_context* ctx;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    test_problem t;
    random_problem(&t, 26, 4, 4, 5);
    double* fields[] = {t.M + 7, t.v0 + 3, t.v_star + 2, t.J + 5, t.delta0 + 1, t.k + 2, t.d + 3, t.mu + 4};
    const char* names[] = {"M[7]", "v0[3]", "v_star[2]", "J[5]", "delta0[1]", "k[2]", "d[3]", "mu[4]"};
    const double bad[] = {NAN, INFINITY, 1e300};
    double* v = test_zeros((size_t)t.nv, 8);
    for (int32_t i = 0; i < TL_COUNT(fields); i++)
        for (int32_t k = 0; k < 3; k++) {
            const double keep = *fields[i];
            *fields[i] = bad[k];
            text[0] = 0;
            talus_solve_info info;
            assert_int_equal(run(ctx, &t, NULL, v, &info), TALUS_ERR_INPUT);
            assert_non_null(strstr(text, names[i]));
            *fields[i] = keep;
        }
    t.k[2] = -1.0;
    assert_int_equal(run(ctx, &t, NULL, v, NULL), TALUS_ERR_INPUT);
    t.k[2] = 1.0;
    t.mu[0] = -0.1;
    assert_int_equal(run(ctx, &t, NULL, v, NULL), TALUS_ERR_INPUT);
    t.mu[0] = 0.1;
    t.view.h = 0.0;
    assert_int_equal(run(ctx, &t, NULL, v, NULL), TALUS_ERR_INPUT);
    t.view.h = -1.0;
    assert_int_equal(run(ctx, &t, NULL, v, NULL), TALUS_ERR_INPUT);
    t.view.h = 1e-3;
    t.M[0] = -1.0;
    assert_int_equal(run(ctx, &t, NULL, v, NULL), TALUS_ERR_INPUT);
    assert_non_null(strstr(text, "tree 0"));
    t.tree_a[1] = 99;
    assert_int_equal(run(ctx, &t, NULL, v, NULL), TALUS_ERR_INPUT);
    for (int32_t i = 0; i < t.nv; i++)
        assert_true(v[i] == 0.0);
    free(v);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

// the last resort is reached by taking the others away
static void fallback__lagged_is_near_the_exact_velocity(void** state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/data/problems/spheres-27.bin", TALUS_SHARED_DIR);
    test_problem t;
    if (!test_problem_recorded(path, &t))
        skip();
    talus_context* ctx = test_context(1);
    talus_solver_options opt = talus_solver_options_default();
    opt.tol = 1e-11;
    double *exact = test_zeros((size_t)t.nv, 8), *v = test_zeros((size_t)t.nv, 8);
    talus_solve_info info;
    assert_int_equal(run(ctx, &t, &opt, exact, &info), TALUS_OK);
    opt.max_iter = opt.max_iter_restart = opt.substeps_max = 0;
    opt.tol = 1e-6;
    assert_int_equal(run(ctx, &t, &opt, v, &info), TALUS_LAGGED);
    assert_true(info.lagged >= 1 && info.lagged_err < 0.1);
    print_message("lagged: err %.3g\n", info.lagged_err);
    opt.lagged = 0;
    assert_int_equal(run(ctx, &t, &opt, v, &info), TALUS_NOT_CONVERGED);
    assert_true(info.worst_contact >= 0 && info.worst_contact < t.view.nc);
    free(exact);
    free(v);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

// four substeps of h/4 by hand are the island's substeps
static void fallback__substeps_are_shorter_steps(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    test_problem t;
    random_problem(&t, 27, 6, 6, 12);
    const int32_t nv = t.nv;
    talus_solver_options opt = talus_solver_options_default();
    opt.tol = 1e-12;
    talus_solver* s;
    assert_int_equal(talus_solver_create(ctx, &opt, &s), TALUS_OK);
    tl_islands all;
    assert_int_equal(tl_islands_make(s, &t.view, TL_GROUP_ALL, &all), TALUS_OK);
    tl_slot slot = {.current = -1};
    all.island[0].slot = &slot;
    assert_true(all.island[0].nv == nv);
    assert_true(tl_isl_substeps(all.island, 4));
    double* got = test_zeros(2 * (size_t)nv, 8);
    memcpy(got, all.island[0].v, sizeof(double) * (size_t)nv);
    memcpy(got + nv, all.island[0].v_mean, sizeof(double) * (size_t)nv);
    double *v0 = test_zeros((size_t)nv, 8), *v_star = test_zeros((size_t)nv, 8),
           *v = test_zeros((size_t)nv, 8);
    double* mean = test_zeros((size_t)nv, 8);
    memcpy(v0, t.v0, sizeof(double) * (size_t)nv);
    memcpy(v_star, t.v_star, sizeof(double) * (size_t)nv);
    t.view.h /= 4.0;
    for (int32_t k = 0; k < 4; k++) {
        for (int32_t i = 0; i < nv; i++)
            t.v_star[i] = t.v0[i] + (v_star[i] - v0[i]) / 4.0;
        talus_solve_info info;
        assert_int_equal(run(ctx, &t, &opt, v, &info), TALUS_OK);
        const double* J = t.J;
        for (int32_t c = 0; c < t.view.nc; c++) {
            double vn = 0.0;
            const int32_t tree[2] = {t.tree_a[c], t.tree_b[c]};
            for (int32_t q = 0; q < 2; q++) {
                if (tree[q] < 0)
                    continue;
                for (int32_t i = 0; i < 6; i++)
                    vn += J[12 + i] * v[6 * tree[q] + i];
                J += 18;
            }
            t.delta0[c] -= t.view.h * vn;
        }
        for (int32_t i = 0; i < nv; i++) {
            mean[i] += v[i] / 4.0;
            t.v0[i] = v[i];
        }
    }
    // the hand-made loop drops contacts that have separated, the frozen ones keep them with no force: the
    // same law
    test_near("v", got, v, nv, 1e-8, 0.1);
    test_near("mean v", got + nv, mean, nv, 1e-8, 0.1);
    for (int32_t k = 0; k < 2; k++)
        if (slot.factor[k])
            slot.backend[k]->destroy(slot.factor[k]);
    tl_free(ctx, slot.tree);
    free(got);
    free(v0);
    free(v_star);
    free(v);
    free(mean);
    talus_solver_destroy(s);
    test_problem_free(&t);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operator__A_is_the_derivative_of_the_residual),
        cmocka_unit_test(operator__matrix_free_is_the_assembled),
        cmocka_unit_test(islands__apart_or_together_give_one_answer),
        cmocka_unit_test(islands__company_changes_no_bit),
        cmocka_unit_test(threads__same_bits),
        cmocka_unit_test(memory__steady_solves_allocate_nothing),
        cmocka_unit_test(units__scaled_problem_same_counts),
        cmocka_unit_test(start__exact_guess_needs_no_iteration),
        cmocka_unit_test(start__degenerate_contacts_stay_finite),
        cmocka_unit_test(sizes__zero_is_solved_without_iterations),
        cmocka_unit_test(input__bad_values_are_named_and_change_nothing),
        cmocka_unit_test(fallback__lagged_is_near_the_exact_velocity),
        cmocka_unit_test(fallback__substeps_are_shorter_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
