// SPDX-License-Identifier: MIT
// Rollouts: one model, read by several threads at once; each thread has its own context, simulation and
// state. Rollout i throws the ball at speed i. Whoever runs it and whatever ran before, it ends with the same
// bits.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <talus/talus.h>

enum { THREADS = 4, ROLLOUTS = 12 };

typedef struct batch {
    const talus_model* model;
    atomic_int next, failed;
    uint64_t hash[ROLLOUTS];
    double reach[ROLLOUTS]; // where the ball ends, x
} batch;

static int roll_out(batch* b, int i, talus_sim* sim, talus_state* state)
{
    const int32_t ball = talus_model_find(b->model, TALUS_BODY, "ball");
    const double start[3] = {-1.5, 0.1, 0.15}, quat[4] = {1, 0, 0, 0}, speed[3] = {i, 0, 0}, spin[3] = {0};
    talus_state_reset(state, -1);
    if (talus_state_set_free_body(state, ball, start, quat, speed, spin) < 0)
        return -1;
    while (talus_state_time(state) < 1.0)
        if (talus_sim_step(sim, state, 0.005, 1, NULL) < 0) // 1: go on whatever happens
            return -1;
    double pos[3 * 16];
    if (talus_model_get_info(b->model).nbody > 16 || talus_sim_bodies(sim, state, pos, NULL, NULL, NULL) < 0)
        return -1;
    b->reach[i] = pos[3 * ball];
    b->hash[i] = talus_state_hash(state);
    return 0;
}

static void* work(void* p)
{
    batch* b = p;
    talus_context_def def = talus_context_default();
    talus_context* ctx = NULL;
    talus_state* state = NULL;
    def.nthreads = 1; // the threads are ours
    int ok = talus_context_create(&def, &ctx) >= 0 && talus_state_create(ctx, b->model, &state) >= 0;
    for (int i; ok && (i = atomic_fetch_add(&b->next, 1)) < ROLLOUTS;) {
        talus_sim* sim = NULL; // a fresh one: nothing learned in one rollout enters the next
        ok = talus_sim_create(ctx, b->model, NULL, &sim) >= 0 && roll_out(b, i, sim, state) == 0;
        talus_sim_destroy(sim);
    }
    atomic_fetch_add(&b->failed, !ok);
    talus_state_destroy(state);
    talus_context_destroy(ctx);
    return NULL;
}

int main(int argc, char** argv)
{
    static batch many, one;
    talus_context* ctx = NULL;
    talus_model* model = NULL;
    pthread_t thread[THREADS];
    int started = 0, differ = 0;
    if (argc != 2 || talus_context_create(NULL, &ctx) < 0 || talus_model_load(ctx, argv[1], NULL, &model) < 0)
        return 1;
    many.model = one.model = model;
    while (started < THREADS && pthread_create(&thread[started], NULL, work, &many) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    work(&one);
    for (int i = 0; i < ROLLOUTS; i++) {
        printf("%2d m/s: ball at x = %7.3f m, %016" PRIx64 "\n", i, many.reach[i], many.hash[i]);
        differ += many.hash[i] != one.hash[i];
    }
    talus_model_destroy(model);
    talus_context_destroy(ctx);
    return many.failed || one.failed || differ;
}
