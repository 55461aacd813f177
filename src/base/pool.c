// SPDX-License-Identifier: MIT
// The built-in task pool: the only place that makes threads. Its workers are one OpenMP team that lives as long as the
// context (without OpenMP: POSIX threads, which the thread sanitizer understands), so that the binding and stack size
// the user asks of OpenMP hold for them. Its regions last from some microseconds on, so a region costs two atomic
// operations and a claim for each task; results never depend on who ran what, because tasks own their outputs.
//
// One word, the ticket, holds the number of the region and the tasks nobody has claimed yet, [lo, hi):
//
//     | region: 24 bits | lo: 20 bits | hi: 20 bits |
//
// An open ticket changes with every claim and never comes back, so the task and its argument beside it may be
// replaced as soon as it is used up.
//
// The caller claims from the front and the workers from the back: with two threads each meets the same tasks,
// and the same memory in its cache, in every region. Claims compare the whole word, so a worker that slept
// through a region cannot take a task of the next one by mistake. The caller waits for claimed tasks alone: a
// worker that another program keeps from running delays nothing (a parallel region of OpenMP's own joins all
// its threads, which costs milliseconds on a loaded machine). A worker without work looks for some for SPIN seconds, then sleeps.
// Where there are more threads than cores nobody looks: they sleep at once.
#define _GNU_SOURCE
#include "base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define SPIN 100e-6   // s that a worker looks for work before it sleeps
#define PATIENT 50e-6 // s that the caller looks for the last task's end before it gives its core away
#define MOST ((1 << 20) - 1)

struct tl_pool {
    _Alignas(64) _Atomic uint64_t ticket; // one cache line goes to and fro
    _Atomic(talus_task_fn*) task;
    _Atomic(void*) arg;
    _Atomic uint32_t share;         // tasks of a claim
    _Alignas(64) atomic_llong done; // tasks that workers have finished since the start
    _Alignas(64) atomic_int asleep;
    atomic_bool quit;
    int64_t finished; // `done` before this region
    atomic_flag busy; // a region runs: another one, nested or of a second host thread, runs inline
    talus_context* ctx;
    double spin;
    int32_t nworker, nstarted;
    pid_t owner; // after a fork the workers are not there
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t started[]; // (nstarted)
};

static inline uint64_t pack(uint64_t region, uint32_t lo, uint32_t hi)
{
    return region << 40 | (uint64_t)lo << 20 | hi;
}

static inline uint32_t lo_of(uint64_t t)
{
    return (uint32_t)(t >> 20) & MOST;
}

static inline uint32_t hi_of(uint64_t t)
{
    return (uint32_t)t & MOST;
}

static inline bool is_open(uint64_t t)
{
    return lo_of(t) < hi_of(t);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// claim tasks and run them until there are none. @return how many
static int32_t work(tl_pool* p, bool front)
{
    int32_t count = 0;
    uint64_t t = atomic_load_explicit(&p->ticket, memory_order_acquire);
    while (is_open(t)) {
        // these belong to the region of t, or the claim fails
        talus_task_fn* task = atomic_load_explicit(&p->task, memory_order_acquire);
        void* arg = atomic_load_explicit(&p->arg, memory_order_acquire);
        const uint32_t share = atomic_load_explicit(&p->share, memory_order_acquire);
        const uint32_t n = TL_MIN(share, hi_of(t) - lo_of(t)), first = front ? lo_of(t) : hi_of(t) - n;
        const uint64_t next = front ? t + ((uint64_t)n << 20) : t - n;
        if (!atomic_compare_exchange_weak_explicit(&p->ticket, &t, next, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        for (uint32_t i = first; i < first + n; i++)
            task(arg, (int32_t)i);
        count += (int32_t)n;
        t = atomic_load_explicit(&p->ticket, memory_order_acquire);
    }
    return count;
}

static void sleep_until_work(tl_pool* p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->asleep, 1);
    while (!is_open(atomic_load(&p->ticket)) && !atomic_load(&p->quit))
        pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->asleep, 1);
    pthread_mutex_unlock(&p->lock);
}

static void* run_worker(void* arg)
{
    tl_pool* p = arg;
    double since = tl_now();
    for (int32_t look = 0; !atomic_load_explicit(&p->quit, memory_order_relaxed); look++) {
        const int32_t count = work(p, false);
        if (count) {
            atomic_fetch_add_explicit(&p->done, count, memory_order_release);
            look = 0;
            since = tl_now();
        } else if (look % 32 == 31 || p->spin == 0.0) {
            if (tl_now() - since >= p->spin) {
                sleep_until_work(p);
                since = tl_now();
            }
        }
        relax();
    }
    return NULL;
}

#if defined(_OPENMP)
// one POSIX thread starts the team and is its first worker
static void* run_team(void* arg)
{
    tl_pool* p = arg;
#pragma omp parallel num_threads(p->nworker)
    run_worker(p);
    return NULL;
}
#endif

// worker threads, or the one that starts their team. A worker that cannot be had is done without.
static void start(tl_pool* p, int32_t workers)
{
#if defined(_OPENMP)
    p->nworker = workers;
    p->nstarted = workers > 0 && pthread_create(p->started, NULL, run_team, p) == 0;
    if (!p->nstarted)
        p->nworker = 0;
#else
    while (p->nstarted < workers && pthread_create(p->started + p->nstarted, NULL, run_worker, p) == 0)
        p->nstarted++;
    p->nworker = p->nstarted;
#endif
}

tl_pool* tl_pool_create(talus_context* ctx, int32_t threads)
{
    tl_pool* p = tl_calloc(ctx, sizeof *p + sizeof(pthread_t) * (size_t)threads);
    if (!p)
        return NULL;
    p->ctx = ctx;
    p->spin = threads <= tl_topology_hardware_threads() ? SPIN : 0.0;
    p->owner = getpid();
    atomic_flag_clear(&p->busy);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    start(p, threads - 1);
    return p;
}

void tl_pool_destroy(tl_pool* p)
{
    if (!p)
        return;
    if (p->owner == getpid()) {
        atomic_store(&p->quit, true);
        pthread_mutex_lock(&p->lock);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (int32_t i = 0; i < p->nstarted; i++)
            pthread_join(p->started[i], NULL);
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->lock);
    }
    tl_free(p->ctx, p);
}

static void wait_for(tl_pool* p, int64_t done)
{
    const struct timespec nap = {.tv_nsec = 20000};
    double since = 0.0;
    for (int32_t look = 0; atomic_load_explicit(&p->done, memory_order_acquire) < done; look++) {
        relax();
        if (look % 64 != 63 && p->spin > 0.0)
            continue;
        since = since > 0.0 ? since : tl_now();
        if (p->spin == 0.0 || tl_now() - since > PATIENT)
            nanosleep(&nap, NULL); // the worker may be waiting for this very core
    }
}

bool tl_pool_run(tl_pool* p, int32_t n, bool even, talus_task_fn* task, void* arg)
{
    if (n > MOST || p->nworker == 0 || atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire))
        return false;
    const uint64_t region = (atomic_load_explicit(&p->ticket, memory_order_relaxed) >> 40) + 1;
    const uint32_t share = even ? (uint32_t)((n + p->nworker) / (p->nworker + 1)) : 1;
    atomic_store_explicit(&p->task, task, memory_order_release);
    atomic_store_explicit(&p->arg, arg, memory_order_release);
    atomic_store_explicit(&p->share, share, memory_order_release);
    atomic_store(&p->ticket, pack(region, share, (uint32_t)n)); // the first claim is made
    // after the ticket is seen open nobody falls asleep: both sides write first and look afterwards
    const int32_t wake = TL_MIN(atomic_load(&p->asleep), n - 1);
    if (wake > 0) {
        pthread_mutex_lock(&p->lock);
        for (int32_t i = 0; i < wake; i++)
            pthread_cond_signal(&p->wake);
        pthread_mutex_unlock(&p->lock);
    }
    for (uint32_t i = 0; i < share; i++)
        task(arg, (int32_t)i);
    p->finished += n - (int32_t)share - work(p, true);
    wait_for(p, p->finished);
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
    return true;
}
