// SPDX-License-Identifier: MIT
// A host with its own threads: Talus asks it to run n tasks and starts none itself. Tasks never wait for each
// other, so any order on any number of threads will do, and the result has the same bits as with one thread.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <talus/talus.h>

enum { WORKERS = 3 };

typedef struct job {
    talus_task_fn* task;
    void* arg;
    int32_t n;
    atomic_int next, *ran; // next task to claim; tasks run by this host so far
} job;

static void* work(void* p)
{
    job* j = p;
    for (int32_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;) {
        j->task(j->arg, i);
        atomic_fetch_add(j->ran, 1);
    }
    return NULL;
}

// talus_run_fn; a real host would hand the tasks to the pool it has
static void run(void* user, int32_t n, talus_task_fn* task, void* arg)
{
    job j = {.task = task, .arg = arg, .n = n, .ran = user};
    pthread_t thread[WORKERS];
    int started = 0;
    while (started < WORKERS && pthread_create(&thread[started], NULL, work, &j) == 0)
        started++;
    work(&j); // this thread too: it goes on even if none could be started
    while (started > 0)
        pthread_join(thread[--started], NULL);
}

static int simulate(const char* scene, const talus_context_def* def, uint64_t* hash)
{
    talus_context* ctx = NULL;
    talus_model* model = NULL;
    talus_state* state = NULL;
    talus_sim* sim = NULL;
    int failed = talus_context_create(def, &ctx) < 0 || talus_model_load(ctx, scene, NULL, &model) < 0 ||
                 talus_state_create(ctx, model, &state) < 0 || talus_sim_create(ctx, model, NULL, &sim) < 0;
    for (int step = 0; step < 100 && !failed; step++)
        failed = talus_sim_step(sim, state, 0.005, 1, NULL) < 0; // 1: go on whatever happens
    *hash = failed ? 0 : talus_state_hash(state);
    talus_sim_destroy(sim);
    talus_state_destroy(state);
    talus_model_destroy(model);
    talus_context_destroy(ctx);
    return failed;
}

int main(int argc, char** argv)
{
    atomic_int ran = 0;
    talus_context_def alone = talus_context_default(), host = talus_context_default();
    alone.nthreads = 1;
    host.nthreads = WORKERS + 1;
    host.run = run;
    host.run_user = &ran;
    uint64_t a = 0, b = 0;
    if (argc != 2 || simulate(argv[1], &alone, &a) || simulate(argv[1], &host, &b))
        return 1;
    printf("one thread %016" PRIx64 ", host's %d threads %016" PRIx64 " (%d tasks)\n", a, WORKERS + 1, b,
           ran);
    return a == b && ran > 0 ? 0 : 1;
}
