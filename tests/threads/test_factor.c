// SPDX-License-Identifier: MIT
// The own factorization on several threads: matrices large enough for subtrees as tasks and fronts in slices give the
// bits of one thread with a pool of POSIX threads and with the built-in one, and a bad pivot is found in any task.
#define _GNU_SOURCE
#include "la/problem.h"
#include "pool.h"

// workers < 0: the built-in pool with that many threads. @return a hash of the solution, 0: refused
static uint64_t hash_with(int32_t workers, bool parallel, const problem* q, tl_order order, int32_t* regions)
{
    pool p = {.workers = workers};
    talus_context_def def = talus_context_default();
    def.nthreads = abs(workers);
    if (workers > 0) {
        def.run = run_tasks;
        def.run_user = &p;
        def.run_light = 1;
    }
    talus_context* ctx;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    const tl_values v = {.lower = q->lower, .upper = q->upper, .parallel = parallel, .precondition = true};
    tl_factor* f;
    double* x = calloc((size_t)q->nrow, sizeof(double));
    random_vector(x, q->nrow, 11);
    assert_int_equal(be->create(ctx, &f), TALUS_OK);
    assert_int_equal(be->analyze(f, &q->p, order), TALUS_OK);
    uint64_t hash = 0;
    if (be->factor(f, &v) == TALUS_OK) {
        be->solve(f, x, parallel);
        be->precondition(f, x, parallel);
        hash = tl_hash(x, sizeof(double) * (size_t)q->nrow, 0);
    }
    *regions = p.regions;
    be->destroy(f);
    free(x);
    talus_context_destroy(ctx);
    return hash;
}

static void check(problem q, tl_order order)
{
    static const int32_t workers[] = {1, 2, 3, 8, -1, -2, -3};
    int32_t regions;
    problem_fill(&q, 3.0, 61);
    const uint64_t want = hash_with(1, false, &q, order, &regions);
    assert_true(want != 0 && regions == 0);
    for (int32_t i = 0; i < TL_COUNT(workers); i++) {
        assert_true(hash_with(workers[i], true, &q, order, &regions) == want);
        assert_true(workers[i] < 2 || regions > 0); // it must have shared work for the test to mean anything
    }
    // storage for tasks, but no task
    assert_true(hash_with(2, false, &q, order, &regions) == want && regions == 0);
    for (int32_t node = 0; node < q.p.n; node += 1 + q.p.n / 4) {
        double* d = q.lower + q.off[q.ptr[node]];
        const double keep = *d;
        *d = NAN;
        assert_true(hash_with(3, true, &q, order, &regions) == 0);
        *d = keep;
    }
    problem_free(&q);
}

static void factor__same_bits_for_any_pool(void** state)
{
    (void)state;
    check(problem_make(PILE, 1000, -12, true, 60), TL_ORDER_FILL);
    check(problem_make(PILE, 1000, 24, true, 60), TL_ORDER_METIS);
    check(problem_make(PILE, 1000, -12, false, 60), TL_ORDER_FILL);
    check(problem_make(DENSE, 120, -12, true, 60), TL_ORDER_FILL); // one front
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factor__same_bits_for_any_pool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
