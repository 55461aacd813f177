// SPDX-License-Identifier: MIT
// C41: orderings are repeatable and do not serialise. 64 patterns of 2000 to 4000 unknowns are analysed by 1 and 2
// threads, twice, after the caller used srand() and rand() as it liked: the same permutations every time, and two
// threads are not slower than one. Elsewhere METIS drew from the process's random numbers, under a lock.
#define _GNU_SOURCE
#include "la/problem.h"

#include "own.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define PATTERNS 64
#define ROUNDS 3      // at least
#define ROUNDS_MAX 20 // until the least times agree: the machine has other work too

typedef struct analyses {
    talus_context* ctx;
    const problem* problem;
    tl_order order;
    uint64_t hash[PATTERNS];
} analyses;

static void analyse(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    analyses* a = arg;
    const tl_backend* be = tl_backend_get(TL_BACKEND_OWN);
    for (int32_t i = begin; i < end; i++) {
        tl_factor* f;
        a->hash[i] = 0;
        if (be->create(a->ctx, &f) < 0)
            continue;
        if (be->analyze(f, &a->problem[i].p, a->order) == TALUS_OK)
            a->hash[i] = tl_hash(f->sym.perm, sizeof(int32_t) * (size_t)a->problem[i].p.n, 1);
        be->destroy(f);
    }
}

static double process_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(tl_order order, const char* name, const problem* p)
{
    talus_context* ctx[2] = {test_context(1), test_context(2)};
    double wall[2] = {INFINITY, INFINITY}, cpu[2] = {INFINITY, INFINITY};
    analyses first = {.ctx = ctx[0], .problem = p, .order = order}, a;
    analyse(&first, 0, PATTERNS, 0);
    for (int32_t i = 0; i < PATTERNS; i++)
        assert_true(first.hash[i] != 0);
    assert_true(first.hash[0] != first.hash[1]);
    bool fair = false;
    for (int32_t round = 0; round < ROUNDS || (round < ROUNDS_MAX && !fair); round++) {
        for (int32_t t = 0; t < 2; t++) {
            srand((unsigned)(7 + round));
            const int32_t before = rand();
            a = (analyses){.ctx = ctx[t], .problem = p, .order = order};
            const double start = tl_now(), used = process_cpu();
            tl_parallel_for(ctx[t], PATTERNS, 1, analyse, &a);
            wall[t] = fmin(wall[t], tl_now() - start);
            cpu[t] = fmin(cpu[t], process_cpu() - used);
            // and the caller's own draws go on as if nothing had happened
            const int32_t after = rand();
            srand((unsigned)(7 + round));
            assert_true(rand() == before && rand() == after);
            for (int32_t i = 0; i < PATTERNS; i++)
                if (a.hash[i] != first.hash[i])
                    fail_msg("%s, %d threads, round %d: another order of pattern %d", name, t + 1, round, i);
        }
        // work that waits for a lock shows as wall time, work that fights for one as CPU time
        fair = wall[1] <= 1.2 * wall[0] && cpu[1] <= 1.3 * cpu[0];
    }
    print_message("%s: %d patterns in %.1f ms with one thread, %.1f ms with two; CPU time %.1f, %.1f ms\n",
                  name, PATTERNS, 1e3 * wall[0], 1e3 * wall[1], 1e3 * cpu[0], 1e3 * cpu[1]);
    assert_true(wall[1] <= 1.2 * wall[0]);
    assert_true(cpu[1] <= 1.3 * cpu[0]);
    talus_context_destroy(ctx[0]);
    talus_context_destroy(ctx[1]);
}

static void orders__repeat_and_do_not_serialise(void** state)
{
    (void)state;
    problem p[PATTERNS];
    for (int32_t i = 0; i < PATTERNS; i++)
        p[i] = problem_make(PILE, 334 + 332 * i / (PATTERNS - 1), -6, true, (uint64_t)i + 1);
    assert_true(p[0].nrow >= 2000 && p[PATTERNS - 1].nrow <= 4000);
    check(TL_ORDER_AUTO, "least fill", p);
    check(TL_ORDER_AMD, "AMD", p);
    check(TL_ORDER_METIS, "METIS", p);
    for (int32_t i = 0; i < PATTERNS; i++)
        problem_free(&p[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders__repeat_and_do_not_serialise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
