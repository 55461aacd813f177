// SPDX-License-Identifier: MIT
// Fill-reducing order of the graph of nodes (src/README.md#factorization): approximate minimum degree by
// default, nested dissection by METIS from METIS_NODES nodes, both optional at build; else minimum degree on
// an explicit elimination graph. The choice depends on the problem's size alone, so results never depend on
// threads or timing.
#include "own.h"

#ifdef TALUS_HAVE_AMD
#include <amd.h>
#endif

enum { METIS_NODES = 1000 };

#ifdef TALUS_HAVE_AMD
// amd_2 takes all its workspace from the caller: no hidden allocation
static talus_status order_amd(talus_context* ctx, tl_arena* scratch, const tl_graph* g, int32_t* perm)
{
    const int32_t n = g->n, nz = g->ptr[n], room = nz + nz / 5 + 8 * n + 1;
    int32_t* w = TL_ARENA(scratch, int32_t, (int64_t)room + 8 * (int64_t)n);
    if (!w)
        return tl_nomem(ctx, sizeof(int32_t) * (size_t)room);
    int32_t *iw = w, *pe = w + room, *len = pe + n, *nv = len + n, *next = nv + n, *head = next + n,
            *elen = head + n;
    int32_t *degree = elen + n, *mark = degree + n;
    memcpy(iw, g->adj, sizeof(int32_t) * (size_t)nz);
    for (int32_t i = 0; i < n; i++) {
        pe[i] = g->ptr[i];
        len[i] = g->ptr[i + 1] - g->ptr[i];
    }
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    amd_2(n, pe, iw, len, room, nz, nv, next, perm, head, elen, degree, mark, control, info);
    return TALUS_OK;
}
#else
// minimum degree, ties by index: each elimination makes the pivot's neighbours a clique of the bit matrix
static talus_status order_minimum_degree(talus_context* ctx, tl_arena* scratch, const tl_graph* g,
                                         int32_t* perm)
{
    const int32_t n = g->n, words = (n + 63) / 64;
    uint64_t* bit = TL_ARENA(scratch, uint64_t, (int64_t)words * n);
    int32_t* degree = TL_ARENA(scratch, int32_t, n);
    if (!bit || !degree)
        return tl_nomem(ctx, sizeof(uint64_t) * (size_t)words * (size_t)n);
    memset(bit, 0, sizeof(uint64_t) * (size_t)words * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        degree[i] = g->ptr[i + 1] - g->ptr[i];
        for (int32_t a = g->ptr[i]; a < g->ptr[i + 1]; a++)
            bit[(int64_t)i * words + g->adj[a] / 64] |= (uint64_t)1 << g->adj[a] % 64;
    }
    for (int32_t step = 0; step < n; step++) {
        int32_t p = -1;
        for (int32_t i = 0; i < n; i++)
            if (degree[i] >= 0 && (p < 0 || degree[i] < degree[p]))
                p = i;
        perm[step] = p;
        degree[p] = -1;
        const uint64_t* bp = bit + (int64_t)p * words;
        for (int32_t i = 0; i < n; i++) {
            if (!(bp[i / 64] >> i % 64 & 1))
                continue;
            uint64_t* bi = bit + (int64_t)i * words;
            int32_t count = 0;
            for (int32_t w = 0; w < words; w++)
                bi[w] |= bp[w];
            bi[i / 64] &= ~((uint64_t)1 << i % 64);
            bi[p / 64] &= ~((uint64_t)1 << p % 64);
            for (int32_t w = 0; w < words; w++)
                for (uint64_t b = bi[w]; b; b &= b - 1)
                    count++;
            degree[i] = count;
        }
    }
    return TALUS_OK;
}
#endif

talus_status tl_order_graph(talus_context* ctx, tl_arena* scratch, const tl_graph* g, tl_order order,
                            int32_t* perm)
{
    const tl_arena_mark mark = tl_arena_get_mark(scratch);
    talus_status status = TALUS_ERR_UNSUPPORTED;
    if (order == TL_ORDER_NATURAL) {
        for (int32_t i = 0; i < g->n; i++)
            perm[i] = i;
        status = TALUS_OK;
    }
#ifdef TALUS_HAVE_METIS
    if (order == TL_ORDER_METIS || (order == TL_ORDER_AUTO && g->n >= METIS_NODES))
        status = tl_order_metis(ctx, scratch, g, perm);
#endif
    if (status == TALUS_ERR_UNSUPPORTED)
#ifdef TALUS_HAVE_AMD
        status = order_amd(ctx, scratch, g, perm);
#else
        status = order_minimum_degree(ctx, scratch, g, perm);
#endif
    tl_arena_release(scratch, mark);
    return status;
}
