// SPDX-License-Identifier: MIT
// A host's own pool of POSIX threads, which the thread sanitizer understands.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "test.h"

typedef struct pool {
    int32_t workers;
    int32_t n;
    atomic_int next;
    talus_task_fn* task;
    void* arg;
    int32_t regions; // with more than one task
} pool;

static inline void* work(void* arg)
{
    pool* p = arg;
    for (int32_t i = atomic_fetch_add(&p->next, 1); i < p->n; i = atomic_fetch_add(&p->next, 1))
        p->task(p->arg, i);
    return NULL;
}

static inline void run_tasks(void* user, int32_t n, talus_task_fn* task, void* arg)
{
    pool* p = user;
    pthread_t threads[8];
    p->n = n;
    p->task = task;
    p->arg = arg;
    p->regions += n > 1;
    atomic_store(&p->next, 0);
    for (int32_t i = 1; i < p->workers; i++)
        assert_int_equal(pthread_create(threads + i, NULL, work, p), 0);
    work(p);
    for (int32_t i = 1; i < p->workers; i++)
        pthread_join(threads[i], NULL);
}
