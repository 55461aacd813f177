// SPDX-License-Identifier: MIT
// Fill-reducing order of the graph of nodes (src/README.md#factorization).
//
//   FILL    the default: eliminates next a node that adds fewest edges, as far as a bound says (Rothberg and
//           Eisenstat 1998): a node of degree d whose last change made it part of a clique of c others adds
//           at most (d (d-1) - c (c-1)) / 2. The graph of the nodes left is kept as rows of bits: an
//           elimination is a union of rows, n / 64 words each, in place of the quotient graph's lists, which
//           pay from thousands of nodes on. Nodes that have become equal to the pivot's clique go with it.
//   AMD     approximate minimum degree, of SuiteSparse: for more nodes where METIS is not built
//   METIS   nested dissection from METIS_NODES nodes: it takes five times as long, and a third less work follows
//           at 2000 nodes, none at 1000
//
// Orders of FILL cost a third of AMD's and make as much fill on piles. The choice depends on the problem's
// size alone and ties go to the lowest node, so results never depend on threads or timing.
#include "own.h"
#include "kernels.h"

#ifdef TALUS_HAVE_AMD
#include <amd.h>
#endif

enum { METIS_NODES = 1500, KEY_DONE = INT16_MAX, KEY_MAX = INT16_MAX - 1 };

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
#endif

// ---- least fill
// ------------------------------------------------------------------------------------------------

typedef struct elimination {
    int32_t n, words;
    uint64_t* row;   // (n x words) nodes left that a node is joined to, itself included
    uint64_t* alive; // (words)
    int16_t* key;    // (64 words) fill that eliminating a node adds at most; KEY_DONE: eliminated, padding
    int16_t* least;  // (words) smallest key of 64 nodes
    int32_t *list, *count; // (n) neighbours of the pivot, sizes of their rows
} elimination;

static int16_t key_of(int32_t degree, int32_t clique)
{
    const int64_t fill = ((int64_t)degree * (degree - 1) - (int64_t)clique * (clique - 1)) / 2;
    return (int16_t)TL_MIN(fill, KEY_MAX);
}

static void find_least(elimination* e, int32_t w)
{
    const int16_t* key = e->key + 64 * (int64_t)w;
    int16_t least = KEY_DONE;
    for (int32_t i = 0; i < 64; i++)
        least = key[i] < least ? key[i] : least;
    e->least[w] = least;
}

static talus_status begin_elimination(talus_context* ctx, tl_arena* scratch, const tl_graph* g,
                                      elimination* e)
{
    const int32_t n = g->n, words = (n + 63) / 64;
    *e = (elimination){.n = n, .words = words};
    e->row = TL_ARENA(scratch, uint64_t, (int64_t)words * n);
    e->alive = TL_ARENA(scratch, uint64_t, words);
    e->key = TL_ARENA(scratch, int16_t, 64 * (int64_t)words);
    e->least = TL_ARENA(scratch, int16_t, words);
    e->list = TL_ARENA(scratch, int32_t, n);
    e->count = TL_ARENA(scratch, int32_t, n);
    if (!e->row || !e->alive || !e->key || !e->least || !e->list || !e->count)
        return tl_nomem(ctx, sizeof(uint64_t) * (size_t)words * (size_t)n);
    memset(e->row, 0, sizeof(uint64_t) * (size_t)words * (size_t)n);
    memset(e->alive, 0, sizeof(uint64_t) * (size_t)words);
    for (int32_t i = 0; i < 64 * words; i++)
        e->key[i] = KEY_DONE;
    for (int32_t i = 0; i < n; i++) {
        uint64_t* row = e->row + (int64_t)i * words;
        row[i / 64] |= (uint64_t)1 << i % 64;
        for (int32_t a = g->ptr[i]; a < g->ptr[i + 1]; a++)
            row[g->adj[a] / 64] |= (uint64_t)1 << g->adj[a] % 64;
        e->alive[i / 64] |= (uint64_t)1 << i % 64;
        e->key[i] = key_of(g->ptr[i + 1] - g->ptr[i], 0);
    }
    for (int32_t w = 0; w < words; w++)
        find_least(e, w);
    return TALUS_OK;
}

static int32_t choose_pivot(const elimination* e)
{
    int32_t best = 0;
    for (int32_t w = 1; w < e->words; w++)
        best = e->least[w] < e->least[best] ? w : best;
    int32_t i = 64 * best;
    while (e->key[i] != e->least[best])
        i++;
    return i;
}

static void eliminate(elimination* e, int32_t i, int32_t* perm, int32_t* at)
{
    perm[(*at)++] = i;
    e->key[i] = KEY_DONE;
    e->alive[i / 64] &= ~((uint64_t)1 << i % 64);
}

// pivot p, and the neighbours that its elimination leaves with no others than its clique
static void eliminate_clique(const tl_kernels* kernels, elimination* e, int32_t p, int32_t* perm, int32_t* at)
{
    uint64_t* row = e->row + (int64_t)p * e->words;
    int32_t clique = 0;
    eliminate(e, p, perm, at);
    for (int32_t w = 0; w < e->words; w++) {
        row[w] &= e->alive[w];
        for (uint64_t b = row[w]; b; b &= b - 1)
            e->list[clique++] = 64 * w + __builtin_ctzll(b);
    }
    kernels->bit_join(e->words, clique, e->list, row, e->alive, e->row, e->count);
    int32_t left = 0;
    for (int32_t k = 0; k < clique; k++) {
        if (e->count[k] == clique) {
            eliminate(e, e->list[k], perm, at);
        } else {
            e->list[left] = e->list[k];
            e->count[left++] = e->count[k];
        }
    }
    // the nodes that went were in every row of the clique
    for (int32_t k = 0; k < left; k++)
        e->key[e->list[k]] = key_of(e->count[k] - (clique - left) - 1, left - 1);
    for (int32_t w = 0; w < e->words; w++)
        if (row[w] || w == p / 64)
            find_least(e, w);
}

static talus_status order_least_fill(talus_context* ctx, tl_arena* scratch, const tl_graph* g, int32_t* perm)
{
    elimination e;
    int32_t at = 0;
    TL_TRY(begin_elimination(ctx, scratch, g, &e));
    while (at < g->n)
        eliminate_clique(tl_context_kernels(ctx), &e, choose_pivot(&e), perm, &at);
    return TALUS_OK;
}

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
#ifdef TALUS_HAVE_AMD
    const bool large = order != TL_ORDER_FILL && g->n >= METIS_NODES;
    if (status == TALUS_ERR_UNSUPPORTED && (order == TL_ORDER_AMD || large))
        status = order_amd(ctx, scratch, g, perm);
#endif
    if (status == TALUS_ERR_UNSUPPORTED)
        status = order_least_fill(ctx, scratch, g, perm);
    tl_arena_release(scratch, mark);
    return status;
}
