// SPDX-License-Identifier: MIT
// Whole steps on several threads: a host's own pool of POSIX threads (which the thread sanitizer understands) gives the
// bits of one thread, for 1, 2, 3 and 8 workers, and so does the built-in pool: many islands, and one of several
// hundred spheres whose every part is shared, also by a host that takes small tasks.
#define _GNU_SOURCE
#include <unistd.h>

#include <talus/talus.h>
#include "gen.h"
#include "pool.h"

#define STEPS 40 // of 5 ms: the bodies have fallen on each other

// hash of the state after all steps; workers < 0: the built-in pool with that many threads
static uint64_t run(const char* path, int32_t workers, int32_t light, int32_t* regions)
{
    pool p = {.workers = workers};
    talus_context_def def = talus_context_default();
    def.message = test_print_message;
    def.nthreads = workers < 0 ? -workers : workers;
    if (workers > 0) {
        def.run = run_tasks;
        def.run_user = &p;
        def.run_light = light;
    }
    talus_context* ctx;
    talus_model* model;
    talus_sim* sim;
    talus_state* state;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    assert_int_equal(talus_model_load(ctx, path, NULL, &model), TALUS_OK);
    assert_int_equal(talus_sim_create(ctx, model, NULL, &sim), TALUS_OK);
    assert_int_equal(talus_state_create(ctx, model, &state), TALUS_OK);
    for (int32_t i = 0; i < STEPS; i++)
        assert_int_equal(talus_sim_step(sim, state, 5e-3, 0, NULL), TALUS_OK);
    const uint64_t hash = talus_state_hash(state);
    *regions = p.regions;
    talus_state_destroy(state);
    talus_sim_destroy(sim);
    talus_model_destroy(model);
    talus_context_destroy(ctx);
    return hash;
}

static void check(const char* kind, int32_t bodies, int32_t light, const int32_t* workers, int32_t n)
{
    talus_context* ctx = test_context(1);
    tl_text text;
    assert_int_equal(tl_gen_scene(ctx, kind, bodies, 0, &text), TALUS_OK);
    char path[] = "/tmp/talus_threads_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data, (size_t)text.length), text.length);
    close(fd);
    int32_t regions;
    const uint64_t want = run(path, 1, light, &regions);
    assert_true(regions > STEPS / 4); // several tasks there must be for the test to mean anything
    for (int32_t i = 0; i < n; i++) {
        if (run(path, workers[i], light, &regions) != want)
            fail_msg("%s, %d workers: other bits than one thread", kind, workers[i]);
    }
    unlink(path);
    tl_text_fini(&text);
    talus_context_destroy(ctx);
}

static void step__same_bits_for_any_pool(void** state)
{
    (void)state;
    const int32_t workers[] = {2, 3, 8, -1, -2, -3}, few[] = {2, -1, -2, -3, -8}, two[] = {2, -2};
    check("boxes", 512, 0, workers, TL_COUNT(workers));
    check("spheres", 343, 1, few, TL_COUNT(few));
    check("humanoids", 12, 1, few, TL_COUNT(few));
    check("arms", 48, 1, two, TL_COUNT(two)); // trees of many bodies in several tasks
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(step__same_bits_for_any_pool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
