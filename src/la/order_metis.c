// SPDX-License-Identifier: MIT
// Nested dissection by METIS_NodeND, nodes weighted by their rows. METIS allocates for itself and may end the
// process when it finds no memory, so an estimate of its need is first asked of the context's allocator.
#include "own.h"

#ifdef TALUS_HAVE_METIS
#include <metis.h>

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
    idx_t options[METIS_NOPTIONS], count = n;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int status = METIS_NodeND(&count, ptr, adj, weight, options, perm, inverse);
    return status == METIS_OK ? TALUS_OK : TALUS_ERR_UNSUPPORTED;
}
#endif
