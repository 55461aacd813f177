// SPDX-License-Identifier: MIT
// Every allocation of every backend fails once: a status comes back, nothing leaks, and the same factor
// object serves when memory is there again.
#include "problem.h"
#include "counted.h"

static talus_context* counted_context(counted* c)
{
    talus_context_def def = talus_context_default();
    talus_context* ctx = NULL;
    def.nthreads = 1;
    def.allocator = counted_allocator(c);
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    return ctx;
}

// create, analyze and factor `first`, then `second`: the arenas enlarge their blocks on the way
static talus_status work(const tl_backend* be, tl_factor** f, talus_context* ctx, const problem* first,
                         const problem* second, tl_order order)
{
    const tl_values a = {.lower = first->lower, .upper = first->upper};
    const tl_values b = {.lower = second->lower, .upper = second->upper};
    if (!*f)
        TL_TRY(be->create(ctx, f));
    TL_TRY(be->analyze(*f, &first->p, order));
    TL_TRY(be->factor(*f, &a));
    TL_TRY(be->analyze(*f, &second->p, order));
    return be->factor(*f, &b);
}

static void fail_each(tl_backend_kind kind, bool symmetric, tl_order order)
{
    const tl_backend* be = tl_backend_get(kind);
    if (!be || (!symmetric && !be->nonsymmetric))
        return;
    problem q[2] = {problem_make(PILE, 20, 9, symmetric, 1), problem_make(PILE, 40, 9, symmetric, 2)};
    problem_fill(&q[0], 1.0, 1);
    problem_fill(&q[1], 1.0, 2);
    double* x = calloc((size_t)q[1].nrow * 2, sizeof(double));
    double* b = x + q[1].nrow;
    random_vector(b, q[1].nrow, 3);
    for (int64_t at = 0, failures = 1; failures > 0; at++) {
        counted c = {.fail_at = -1};
        talus_context* ctx = counted_context(&c);
        tl_factor* f = NULL;
        c.calls = 0;
        c.fail_at = at;
        const talus_status status = work(be, &f, ctx, &q[0], &q[1], order);
        failures = c.calls > at;
        assert_int_equal(status, failures ? TALUS_ERR_NOMEM : TALUS_OK);
        // the failed call left no half-made state behind
        c.fail_at = -1;
        assert_int_equal(work(be, &f, ctx, &q[0], &q[1], order), TALUS_OK);
        memcpy(x, b, sizeof(double) * (size_t)q[1].nrow);
        be->solve(f, x, false);
        assert_true(problem_backward_error(&q[1], x, b) < 1e-13);
        be->destroy(f);
        talus_context_destroy(ctx);
        assert_int_equal(c.live, 0);
    }
    free(x);
    problem_free(&q[0]);
    problem_free(&q[1]);
}

static void backends__survive_each_failed_allocation(void** state)
{
    (void)state;
    static const tl_backend_kind kinds[] = {TL_BACKEND_OWN, TL_BACKEND_DENSE, TL_BACKEND_CHOLMOD,
                                            TL_BACKEND_UMFPACK};
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        fail_each(kinds[k], true, TL_ORDER_AUTO);
        fail_each(kinds[k], true, TL_ORDER_METIS);
        fail_each(kinds[k], false, TL_ORDER_AUTO);
    }
}

static void backends__destroy_accepts_null(void** state)
{
    (void)state;
    static const tl_backend_kind kinds[] = {TL_BACKEND_OWN, TL_BACKEND_DENSE, TL_BACKEND_CHOLMOD,
                                            TL_BACKEND_UMFPACK};
    for (int32_t k = 0; k < TL_COUNT(kinds); k++)
        if (tl_backend_get(kinds[k]))
            tl_backend_get(kinds[k])->destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends__survive_each_failed_allocation),
        cmocka_unit_test(backends__destroy_accepts_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
