// SPDX-License-Identifier: MIT
// Orders of the own backend, judged by the fill they make: none on forests, no more work than other orders
// on piles; and repeatable whatever happened before (C40).
#include "problem.h"

#include <stdlib.h>

static tl_factor_stats stats_of(talus_context* ctx, const problem* q, tl_order order)
{
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    tl_factor* f;
    assert_int_equal(be->create(ctx, &f), TALUS_OK);
    assert_int_equal(be->analyze(f, &q->p, order), TALUS_OK);
    const tl_factor_stats s = be->stats(f);
    be->destroy(f);
    return s;
}

// blocks of 40 are too large for supernodes to be merged, so L has no entry that elimination does not make
static void fill__is_none_on_forests(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    static const graph_kind kinds[] = {CHAIN, STAR, SINGLE};
    for (int32_t k = 0; k < TL_COUNT(kinds); k++) {
        problem q = problem_make(kinds[k], 30, -40, true, 1);
        const int64_t edges = q.ptr[30] - 30;
        assert_int_equal(stats_of(ctx, &q, TL_ORDER_FILL).nnz, 30 * 40 * 41 / 2 + edges * 40 * 40);
        problem_free(&q);
    }
    talus_context_destroy(ctx);
}

static void fill__of_a_dense_graph_is_the_graph(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    problem q = problem_make(DENSE, 70, -6, true, 1);
    const tl_factor_stats s = stats_of(ctx, &q, TL_ORDER_FILL);
    assert_int_equal(s.nnz, 420 * 421 / 2);
    assert_int_equal(s.nsuper, 1);
    problem_free(&q);
    talus_context_destroy(ctx);
}

// AMD (SuiteSparse, or least fill again where it is not built) and nested dissection as yardsticks
static void fill__makes_no_more_work_than_others(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    static const int32_t sizes[] = {60, 150, 400};
    double ours = 0.0, amd = 0.0, natural = 0.0;
    for (int32_t k = 0; k < TL_COUNT(sizes); k++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            problem q = problem_make(PILE, sizes[k], -6, true, seed);
            ours += stats_of(ctx, &q, TL_ORDER_FILL).flops;
            amd += stats_of(ctx, &q, TL_ORDER_AMD).flops;
            natural += stats_of(ctx, &q, TL_ORDER_NATURAL).flops;
            problem_free(&q);
        }
    print_message("flops: least fill / AMD %.3f, / natural %.4f\n", ours / amd, ours / natural);
    assert_true(ours < 1.1 * amd);
    assert_true(ours < 0.2 * natural);
    talus_context_destroy(ctx);
}

// C40: the same graph gives the same factor: on another context, after other graphs, whatever srand was
static void order__is_a_function_of_the_pattern(void** state)
{
    (void)state;
    static const tl_order orders[] = {TL_ORDER_AUTO, TL_ORDER_FILL, TL_ORDER_AMD, TL_ORDER_METIS};
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    // one more than METIS is taken from
    problem big = problem_make(GRID, 1501, -2, true, 3), small = problem_make(PILE, 90, -6, true, 4);
    for (int32_t k = 0; k < TL_COUNT(orders); k++) {
        uint64_t hash[3];
        for (int32_t run = 0; run < 3; run++) {
            talus_context* ctx = test_context(1 + run % 2);
            tl_factor* f;
            srand(100u + (unsigned)run);
            assert_int_equal(be->create(ctx, &f), TALUS_OK);
            if (run == 2) {
                const tl_values v = {.lower = small.lower};
                problem_fill(&small, 1.0, 5);
                assert_int_equal(be->analyze(f, &small.p, orders[k]), TALUS_OK);
                assert_int_equal(be->factor(f, &v), TALUS_OK);
            }
            problem_fill(&big, 1.0, 6);
            const tl_values v = {.lower = big.lower};
            double* x = calloc((size_t)big.nrow, sizeof(double));
            for (int32_t i = 0; i < big.nrow; i++)
                x[i] = 1.0 / (1 + i);
            assert_int_equal(be->analyze(f, &big.p, orders[k]), TALUS_OK);
            assert_int_equal(be->factor(f, &v), TALUS_OK);
            be->solve(f, x, false);
            hash[run] = tl_hash(x, sizeof(double) * (size_t)big.nrow, 0);
            free(x);
            be->destroy(f);
            talus_context_destroy(ctx);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
    problem_free(&big);
    problem_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill__is_none_on_forests),
        cmocka_unit_test(fill__of_a_dense_graph_is_the_graph),
        cmocka_unit_test(fill__makes_no_more_work_than_others),
        cmocka_unit_test(order__is_a_function_of_the_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
