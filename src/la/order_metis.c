// SPDX-License-Identifier: MIT
// Nested dissection by METIS_NodeND, nodes weighted by their rows. METIS allocates for itself and may end the
// process when it finds no memory, so an estimate of its need is first asked of the context's allocator.
//
// It also draws from rand(), whose state is the process's: two analyses at once would mix their draws and give
// orders that depend on time. So one runs at a time, on a state of its own that takes the place of the caller's
// meanwhile; the lock is the one mutable global of the library, as rand() is one. A host thread that calls rand()
// at that moment disturbs it still.
#define _GNU_SOURCE
#include "own.h"

#ifdef TALUS_HAVE_METIS
#include <metis.h>
#include <pthread.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int dissect(idx_t n, const int32_t* ptr, const int32_t* adj, const int32_t* weight, int32_t* perm,
                   int32_t* inverse)
{
    char own[128];
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    pthread_mutex_lock(&one_at_a_time);
    char* callers = initstate(1, own, sizeof own);
    const int status = METIS_NodeND(&n, (idx_t*)ptr, (idx_t*)adj, (idx_t*)weight, options, perm, inverse);
    setstate(callers);
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

talus_status tl_order_metis(talus_context* ctx, tl_arena* scratch, const tl_graph* g, int32_t* perm)
{
    _Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS is built with 32-bit indices");
    const int32_t n = g->n, nz = g->ptr[n];
    if (n < 2 || nz == 0)
        return TALUS_ERR_UNSUPPORTED;
    // coarsening keeps a geometric series of graphs: 4 (edges and weights) plus 10 words a node
    const size_t estimate = sizeof(int32_t) * 4 * ((size_t)nz * 4 + (size_t)n * 10);
    const tl_arena_mark mark = tl_arena_get_mark(scratch);
    if (!tl_arena_alloc(scratch, estimate))
        return tl_nomem(ctx, estimate);
    tl_arena_release(scratch, mark);
    int32_t* w = TL_ARENA(scratch, int32_t, nz + 3 * (int64_t)n + 1);
    if (!w)
        return tl_nomem(ctx, sizeof(int32_t) * (size_t)nz);
    int32_t *ptr = w, *adj = ptr + n + 1, *weight = adj + nz, *inverse = weight + n;
    memcpy(ptr, g->ptr, sizeof(int32_t) * (size_t)(n + 1));
    memcpy(adj, g->adj, sizeof(int32_t) * (size_t)nz);
    memcpy(weight, g->size, sizeof(int32_t) * (size_t)n);
    const int status = dissect(n, ptr, adj, weight, perm, inverse);
    return status == METIS_OK ? TALUS_OK : TALUS_ERR_UNSUPPORTED;
}
#endif
