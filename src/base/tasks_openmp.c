// SPDX-License-Identifier: MIT
// The built-in task pool: the only place that names OpenMP. Tasks are claimed one by one, so their cost may
// differ; results never depend on who ran what, because tasks own their outputs.
#include "base.h"

void tl_openmp_run(int32_t threads, int32_t n, talus_task_fn* task, void* arg)
{
#if defined(_OPENMP)
    const int32_t team = TL_MIN(threads, n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
    for (int32_t i = 0; i < n; i++)
        task(arg, i);
#else
    (void)threads;
    for (int32_t i = 0; i < n; i++)
        task(arg, i);
#endif
}
