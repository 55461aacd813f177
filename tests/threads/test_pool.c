// SPDX-License-Identifier: MIT
// The built-in pool: every task of every region runs once, regions inside tasks and of a second host thread run
// too, threads that are not there are done without.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define MOST 300

typedef struct job {
    talus_context* ctx;
    atomic_int ran[MOST];
    int32_t depth, grain;
} job;

static void count(void* arg, int32_t begin, int32_t end, int32_t block)
{
    job* j = arg;
    assert_int_equal(begin, block * j->grain);
    for (int32_t i = begin; i < end; i++)
        atomic_fetch_add(&j->ran[i], 1);
    if (j->depth) {
        job inner = {.ctx = j->ctx, .grain = 2};
        tl_parallel_for(j->ctx, 7, 2, count, &inner);
        for (int32_t i = 0; i < 7; i++)
            assert_int_equal(inner.ran[i], 1);
    }
}

static void run_regions(talus_context* ctx, int32_t regions, int32_t depth)
{
    job* j = calloc(1, sizeof *j);
    j->ctx = ctx;
    j->depth = depth;
    for (int32_t r = 1; r <= regions; r++) {
        const int32_t n = 1 + r % (MOST - 1);
        j->grain = 1 + r % 5;
        for (int32_t i = 0; i < MOST; i++)
            atomic_store(&j->ran[i], 0);
        if (r % 2)
            tl_parallel_for(ctx, n, j->grain, count, j);
        else
            tl_parallel_light(ctx, n, j->grain, count, j);
        for (int32_t i = 0; i < MOST; i++)
            if (atomic_load(&j->ran[i]) != (i < n))
                fail_msg("region %d of %d indices: index %d ran %d times", r, n, i, j->ran[i]);
        if (r % 500 == 0)
            usleep(2000); // the workers fall asleep
    }
    free(j);
}

static void pool__runs_every_task_once(void** state)
{
    (void)state;
    const int32_t threads[] = {1, 2, 3, 8};
    for (int32_t i = 0; i < TL_COUNT(threads); i++) {
        talus_context* ctx = test_context(threads[i]);
        run_regions(ctx, threads[i] > 2 ? 1000 : 5000, 0);
        run_regions(ctx, 100, 1);
        talus_context_destroy(ctx);
    }
}

static void* use_context(void* ctx)
{
    run_regions(ctx, 1000, 0);
    return NULL;
}

static void pool__is_shared_by_host_threads(void** state)
{
    (void)state;
    pthread_t host[3];
    talus_context* ctx = test_context(2);
    for (int32_t i = 0; i < TL_COUNT(host); i++)
        assert_int_equal(pthread_create(host + i, NULL, use_context, ctx), 0);
    for (int32_t i = 0; i < TL_COUNT(host); i++)
        pthread_join(host[i], NULL);
    talus_context_destroy(ctx);
}

static void note(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    pthread_t* who = arg;
    for (int32_t i = begin; i < end; i++)
        who[i] = pthread_self();
    usleep(1000);
}

// a pool that never wakes its workers would pass everything else
static void pool__has_a_second_thread(void** state)
{
    (void)state;
    pthread_t who[20];
    talus_context* ctx = test_context(2);
    tl_parallel_for(ctx, 20, 1, note, who);
    usleep(10000); // asleep by now
    tl_parallel_for(ctx, 20, 1, note, who);
    int32_t other = 0;
    for (int32_t i = 0; i < 20; i++)
        other += !pthread_equal(who[i], pthread_self());
    assert_in_range(other, 1, 19);
    talus_context_destroy(ctx);
}

static void pool__outlives_a_fork(void** state)
{
    (void)state;
    talus_context* ctx = test_context(2);
    run_regions(ctx, 10, 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        run_regions(ctx, 100, 0);
        talus_context_destroy(ctx);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run_regions(ctx, 10, 0);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool__runs_every_task_once),
        cmocka_unit_test(pool__is_shared_by_host_threads),
        cmocka_unit_test(pool__has_a_second_thread),
        cmocka_unit_test(pool__outlives_a_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
