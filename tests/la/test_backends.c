// SPDX-License-Identifier: MIT
// Every backend against the matrix itself (componentwise backward error) and against the dense one.
#include "problem.h"

static const tl_backend_kind kinds[] = {TL_BACKEND_OWN, TL_BACKEND_DENSE, TL_BACKEND_CHOLMOD,
                                        TL_BACKEND_UMFPACK};

static double* solve(const tl_backend* be, tl_factor* f, const problem* q, tl_order order, uint64_t seed,
                     double** b)
{
    const tl_values v = {.lower = q->lower, .upper = q->upper};
    double* x = calloc((size_t)q->nrow + 1, sizeof(double));
    *b = calloc((size_t)q->nrow + 1, sizeof(double));
    random_vector(*b, q->nrow, seed);
    memcpy(x, *b, sizeof(double) * (size_t)q->nrow);
    assert_int_equal(be->analyze(f, &q->p, order), TALUS_OK);
    assert_int_equal(be->factor(f, &v), TALUS_OK);
    be->solve(f, x, false);
    return x;
}

// one problem through all backends: small residuals, and x of each equal to the dense one
static void check_all(talus_context* ctx, const problem* q, tl_order order, double agree, double residual)
{
    double *b, *want = NULL;
    tl_factor* f;
    const tl_backend* dense = tl_backend_get(TL_BACKEND_DENSE);
    assert_int_equal(dense->create(ctx, &f), TALUS_OK);
    want = solve(dense, f, q, order, 5, &b);
    dense->destroy(f);
    free(b);
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        const tl_backend* be = tl_backend_get(kinds[k]);
        if (!be || (q->upper && !be->nonsymmetric))
            continue;
        assert_int_equal(be->create(ctx, &f), TALUS_OK);
        double* x = solve(be, f, q, order, 5, &b);
        const double e = problem_backward_error(q, x, b);
        if (!(e <= residual * test_tol_scale()))
            fail_msg("%s, %d nodes: backward error %.3g, allowed %.3g", be->name, q->p.n, e, residual);
        test_near(be->name, x, want, q->nrow, agree, 0.0);
        be->destroy(f);
        free(x);
        free(b);
    }
    free(want);
}

static void backends__agree_on_random_graphs(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    static const struct {
        int32_t n, size;
    } shapes[] = {{1, -6},  {2, 40}, {13, 40},  {40, 12},  {60, -6},
                  {90, -1}, {90, 3}, {25, -24}, {10, -40}, {30, -8}};
    for (int32_t s = 0; s < TL_COUNT(shapes); s++) {
        for (int32_t kind = 0; kind < GRAPH_KINDS; kind++) {
            for (int32_t symmetric = 0; symmetric < 2; symmetric++) {
                problem q = problem_make((graph_kind)kind, shapes[s].n, shapes[s].size, symmetric, 100 + s);
                problem_fill(&q, 1.0, 7);
                check_all(ctx, &q, (tl_order)(s % 4), 1e-12, 1e-13);
                problem_free(&q);
            }
        }
    }
    talus_context_destroy(ctx);
}

// wide fronts: more than one outer block of 96, more than one panel of columns
static void backends__agree_on_wide_fronts(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t symmetric = 0; symmetric < 2; symmetric++) {
        problem q = problem_make(DENSE, 23, 19, symmetric, 3);
        problem_fill(&q, 1.0, 4);
        check_all(ctx, &q, TL_ORDER_AUTO, 1e-12, 1e-13);
        problem_free(&q);
        q = problem_make(PILE, 150, -6, symmetric, 3);
        problem_fill(&q, 1.0, 4);
        check_all(ctx, &q, TL_ORDER_METIS, 1e-12, 1e-13);
        problem_free(&q);
    }
    talus_context_destroy(ctx);
}

// stiffness over eight decades: the residual must not see it, the solution may (condition 1e8 and more)
static void backends__survive_bad_scaling(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    for (int32_t symmetric = 0; symmetric < 2; symmetric++) {
        for (int32_t seed = 0; seed < 5; seed++) {
            problem q = problem_make(PILE, 60, -6, symmetric, 11 + seed);
            problem_fill(&q, 8.0, 12 + seed);
            check_all(ctx, &q, TL_ORDER_AUTO, 1e-7, 1e-13);
            problem_free(&q);
        }
    }
    talus_context_destroy(ctx);
}

// A preconditioner in single precision is a fixed map near the inverse: x += P (b - A x) gains digits every time, its
// first answer has a single's. Where the values did not ask for it, or do not fit, it is the solve itself.
static void own__preconditions_by_a_rounded_factor(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    problem q = problem_make(PILE, 600, -6, true, 7);
    problem_fill(&q, 3.0, 8);
    const size_t bytes = sizeof(double) * (size_t)q.nrow;
    double *b = malloc(bytes), *x = malloc(bytes), *r = malloc(bytes), *y = malloc(2 * bytes);
    random_vector(b, q.nrow, 9);
    tl_factor* f;
    assert_int_equal(be->create(ctx, &f), TALUS_OK);
    assert_int_equal(be->analyze(f, &q.p, TL_ORDER_AUTO), TALUS_OK);
    tl_values v = {.lower = q.lower, .precondition = true};
    assert_int_equal(be->factor(f, &v), TALUS_OK);
    memset(x, 0, bytes);
    double first = 0.0, before = INFINITY;
    for (int32_t round = 0; round < 8; round++) {
        problem_multiply(&q, x, y, y + q.nrow);
        double norm = 0.0;
        for (int32_t i = 0; i < q.nrow; i++) {
            r[i] = b[i] - y[i];
            norm = fmax(norm, fabs(r[i]));
        }
        if (round == 1)
            first = norm;
        assert_true(norm <= fmax(0.01 * before, 1e-11));
        before = norm;
        be->precondition(f, r, false);
        for (int32_t i = 0; i < q.nrow; i++)
            x[i] += r[i];
    }
    print_message("residual after one preconditioned step %.2e, after eight %.2e\n", first, before);
    assert_true(first > 1e-9);
    assert_true(problem_backward_error(&q, x, b) <= 1e-12);

    // not asked for, and beyond the range of single precision: the same bits as solve
    for (int32_t k = 0; k < 2; k++) {
        v.precondition = k == 1;
        for (int32_t i = 0; k == 1 && i < q.off[q.ptr[q.p.n]]; i++)
            q.lower[i] *= 1e80;
        assert_int_equal(be->factor(f, &v), TALUS_OK);
        memcpy(x, b, bytes);
        memcpy(r, b, bytes);
        be->solve(f, x, false);
        be->precondition(f, r, false);
        assert_memory_equal(x, r, bytes);
    }
    be->destroy(f);
    problem_free(&q);
    free(b);
    free(x);
    free(r);
    free(y);
    talus_context_destroy(ctx);
}

static void backends__accept_an_empty_matrix(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const int32_t ptr[1] = {0};
    const double none[1] = {0};
    const tl_pattern p = {.n = 0, .ptr = ptr};
    const tl_values v = {.lower = none};
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        const tl_backend* be = tl_backend_get(kinds[k]);
        if (!be)
            continue;
        tl_factor* f;
        double x[1] = {3.0};
        assert_int_equal(be->create(ctx, &f), TALUS_OK);
        assert_int_equal(be->analyze(f, &p, TL_ORDER_AUTO), TALUS_OK);
        assert_int_equal(be->factor(f, &v), TALUS_OK);
        be->solve(f, x, false);
        assert_true(x[0] == 3.0);
        assert_int_equal(be->stats(f).nnz, 0);
        be->destroy(f);
    }
    talus_context_destroy(ctx);
}

// an indefinite, a singular and a NaN matrix: a status, and the factor serves again afterwards
static void backends__refuse_indefinite_values(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    problem q = problem_make(PILE, 50, -6, true, 2);
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        const tl_backend* be = tl_backend_get(kinds[k]);
        if (!be)
            continue;
        tl_factor* f;
        assert_int_equal(be->create(ctx, &f), TALUS_OK);
        assert_int_equal(be->analyze(f, &q.p, TL_ORDER_AUTO), TALUS_OK);
        const double bad[] = {-1e-3, 0.0, NAN, INFINITY, -INFINITY};
        for (int32_t i = 0; i < TL_COUNT(bad); i++) {
            // UMFPACK pivots: it factors what is indefinite too
            for (int32_t node = 0; node < q.p.n && (kinds[k] != TL_BACKEND_UMFPACK || !isfinite(bad[i]));
                 node += 7) {
                problem_fill(&q, 1.0, 3);
                // one entry of the diagonal; x^T A x < 0 or undefined for that unit vector
                q.lower[q.off[q.ptr[node]] + 7 * (node % 6)] = bad[i];
                const tl_values v = {.lower = q.lower};
                assert_int_equal(be->factor(f, &v), TALUS_ERR_SINGULAR);
            }
        }
        problem_fill(&q, 1.0, 3);
        double* b;
        double* x = solve(be, f, &q, TL_ORDER_AUTO, 9, &b);
        assert_true(problem_backward_error(&q, x, b) < 1e-13);
        free(x);
        free(b);
        be->destroy(f);
    }
    problem_free(&q);
    // values with `upper`: a zero diagonal block is singular for pivoting inside blocks, a NaN for everybody
    q = problem_make(CHAIN, 9, -6, false, 2);
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        const tl_backend* be = tl_backend_get(kinds[k]);
        if (!be || !be->nonsymmetric)
            continue;
        tl_factor* f;
        assert_int_equal(be->create(ctx, &f), TALUS_OK);
        assert_int_equal(be->analyze(f, &q.p, TL_ORDER_AUTO), TALUS_OK);
        problem_fill(&q, 1.0, 3);
        q.upper[q.off[q.ptr[3] + 1] + 5] = NAN;
        const tl_values v = {.lower = q.lower, .upper = q.upper};
        assert_int_equal(be->factor(f, &v), TALUS_ERR_SINGULAR);
        memset(q.lower, 0, sizeof(double) * (size_t)q.off[q.ptr[q.p.n]]);
        memset(q.upper, 0, sizeof(double) * (size_t)q.off[q.ptr[q.p.n]]);
        assert_int_equal(be->factor(f, &v), TALUS_ERR_SINGULAR);
        be->destroy(f);
    }
    problem_free(&q);
    talus_context_destroy(ctx);
}

// symmetric values: entries above the diagonal of a diagonal block are not looked at
static void backends__read_lower_triangles_only(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    problem q = problem_make(PILE, 30, -6, true, 2);
    problem_fill(&q, 1.0, 3);
    problem clean = problem_make(PILE, 30, -6, true, 2);
    problem_fill(&clean, 1.0, 3);
    for (int32_t j = 0; j < q.p.n; j++)
        for (int32_t c = 0; c < 6; c++)
            for (int32_t i = 0; i < c; i++)
                q.lower[q.off[q.ptr[j]] + i + 6 * c] = NAN;
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        const tl_backend* be = tl_backend_get(kinds[k]);
        if (!be)
            continue;
        tl_factor* f;
        double* b;
        assert_int_equal(be->create(ctx, &f), TALUS_OK);
        double* x = solve(be, f, &q, TL_ORDER_AUTO, 9, &b);
        assert_true(problem_backward_error(&clean, x, b) < 1e-13);
        free(x);
        free(b);
        be->destroy(f);
    }
    problem_free(&q);
    problem_free(&clean);
    talus_context_destroy(ctx);
}

// a factor object that has seen other patterns and values gives the same bits as a fresh one
static void own__repeats_bit_for_bit(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    tl_factor *used, *fresh;
    assert_int_equal(be->create(ctx, &used), TALUS_OK);
    for (int32_t round = 0; round < 6; round++) {
        problem q =
            problem_make(round % 3 ? PILE : GRID, 30 + 20 * (round % 4), 9, round % 2 == 0, 40 + round);
        double *b, *c;
        problem_fill(&q, 2.0, 50 + round);
        double* x = solve(be, used, &q, TL_ORDER_AUTO, 60, &b);
        assert_int_equal(be->create(ctx, &fresh), TALUS_OK);
        double* y = solve(be, fresh, &q, TL_ORDER_AUTO, 60, &c);
        assert_memory_equal(x, y, sizeof(double) * (size_t)q.nrow);
        be->destroy(fresh);
        free(x);
        free(b);
        // new values, old pattern
        problem_fill(&q, 2.0, 70 + round);
        x = solve(be, used, &q, TL_ORDER_AUTO, 60, &b);
        assert_true(problem_backward_error(&q, x, b) < 1e-13);
        free(x);
        free(b);
        free(y);
        free(c);
        problem_free(&q);
    }
    be->destroy(used);
    talus_context_destroy(ctx);
}

// after two rounds over the largest pattern nothing is allocated, with the pattern the same or changing
static void own__allocates_nothing_when_warm(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    tl_factor* f;
    assert_int_equal(be->create(ctx, &f), TALUS_OK);
    problem q[2] = {problem_make(PILE, 120, -6, false, 1), problem_make(PILE, 80, -6, false, 2)};
    problem_fill(&q[0], 1.0, 1);
    problem_fill(&q[1], 1.0, 1);
    int64_t before = 0;
    for (int32_t round = 0; round < 8; round++) {
        if (round == 4)
            before = talus_context_allocations(ctx);
        double* b;
        free(solve(be, f, &q[round % 2], TL_ORDER_AUTO, 1, &b));
        free(b);
    }
    assert_int_equal(talus_context_allocations(ctx), before);
    be->destroy(f);
    problem_free(&q[0]);
    problem_free(&q[1]);
    talus_context_destroy(ctx);
}

// fill and work of a chain in natural order are known: n - 1 blocks beside the diagonal, whatever is merged
// adds to it
static void own__chain_has_no_fill(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    tl_factor* f;
    assert_int_equal(be->create(ctx, &f), TALUS_OK);
    // blocks of 40 are too large to be merged
    problem q = problem_make(CHAIN, 12, -40, true, 1);
    double* b;
    problem_fill(&q, 1.0, 1);
    free(solve(be, f, &q, TL_ORDER_NATURAL, 1, &b));
    free(b);
    const tl_factor_stats s = be->stats(f);
    // the last two nodes form one supernode: the rows of one are the other
    assert_int_equal(s.nnz, 12 * 40 * 41 / 2 + 11 * 40 * 40);
    assert_int_equal(s.nsuper, 11);
    assert_int_equal(s.largest, 80);
    be->destroy(f);
    problem_free(&q);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends__agree_on_random_graphs),
        cmocka_unit_test(backends__agree_on_wide_fronts),
        cmocka_unit_test(backends__survive_bad_scaling),
        cmocka_unit_test(own__preconditions_by_a_rounded_factor),
        cmocka_unit_test(backends__accept_an_empty_matrix),
        cmocka_unit_test(backends__refuse_indefinite_values),
        cmocka_unit_test(backends__read_lower_triangles_only),
        cmocka_unit_test(own__repeats_bit_for_bit),
        cmocka_unit_test(own__allocates_nothing_when_warm),
        cmocka_unit_test(own__chain_has_no_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
