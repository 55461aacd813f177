// SPDX-License-Identifier: MIT
// The own backend: supernodal multifrontal factorization on the graph of nodes (src/README.md#factorization).
//
//   analyze   graph -> order.c -> symbolic.c (supernodes) -> assembly.c (lists); skipped when the pattern is
//   the same factor    numeric.c, kernels/snode_update solve     numeric.c
//
// Memory: symbolic results in one arena, scratch of analysis in another, panels and contribution stacks in
// arrays that grow; after a warm-up nothing is allocated. Everything a front touches belongs to its
// tl_factor.
#include "own.h"

static void destroy(tl_factor* f)
{
    if (!f)
        return;
    tl_pattern_copy_fini(f->ctx, &f->pattern);
    tl_arena_fini(&f->keep);
    tl_arena_fini(&f->scratch);
    for (int32_t half = 0; half < 2; half++) {
        tl_free(f->ctx, f->panel[half]);
        tl_free(f->ctx, f->cb[half]);
    }
    tl_free(f->ctx, f->single);
    tl_free(f->ctx, f->work);
    tl_free(f->ctx, f);
}

static talus_status create(talus_context* ctx, tl_factor** out)
{
    tl_factor* f = tl_calloc(ctx, sizeof *f);
    if (!f)
        return tl_nomem(ctx, sizeof *f);
    f->ctx = ctx;
    f->kernels = tl_snode_by_name(talus_context_isa(ctx));
    tl_arena_init(&f->keep, ctx);
    tl_arena_init(&f->scratch, ctx);
    *out = f;
    return TALUS_OK;
}

// both directions of every block below the diagonal
static talus_status make_graph(tl_factor* f, tl_graph* g)
{
    const tl_pattern_copy* c = &f->pattern;
    const int32_t n = c->n, edges = 2 * (c->nblock - n);
    *g = (tl_graph){.n = n, .size = c->size};
    g->ptr = TL_ARENA(&f->scratch, int32_t, n + 1);
    g->adj = TL_ARENA(&f->scratch, int32_t, edges);
    g->block = TL_ARENA(&f->scratch, int32_t, edges);
    int32_t* fill = TL_ARENA(&f->scratch, int32_t, n);
    if (!g->ptr || !g->adj || !g->block || !fill)
        return tl_nomem(f->ctx, sizeof(int32_t) * (size_t)edges);
    memset(g->ptr, 0, sizeof(int32_t) * (size_t)(n + 1));
    for (int32_t j = 0; j < n; j++) {
        g->ptr[j + 1] += c->ptr[j + 1] - c->ptr[j] - 1;
        for (int32_t b = c->ptr[j] + 1; b < c->ptr[j + 1]; b++)
            g->ptr[c->idx[b] + 1]++;
    }
    for (int32_t j = 0; j < n; j++) {
        g->ptr[j + 1] += g->ptr[j];
        fill[j] = g->ptr[j];
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t b = c->ptr[j] + 1; b < c->ptr[j + 1]; b++) {
            const int32_t i = c->idx[b], at_j = fill[j]++, at_i = fill[i]++;
            g->adj[at_j] = i;
            g->adj[at_i] = j;
            g->block[at_j] = g->block[at_i] = b;
        }
    }
    return TALUS_OK;
}

static talus_status analyze_pattern(tl_factor* f, const tl_pattern* p)
{
    tl_graph g;
    TL_TRY(tl_arena_reset(&f->keep));
    TL_TRY(tl_arena_reset(&f->scratch));
    TL_TRY(tl_pattern_copy_set(f->ctx, &f->pattern, p));
    f->sym = (tl_symbolic){.nrow = f->pattern.nrow};
    if (p->n == 0)
        return TALUS_OK;
    TL_TRY(make_graph(f, &g));
    TL_TRY(tl_symbolic_supernodes(f, &g));
    return tl_symbolic_assembly(f, &g);
}

static talus_status analyze(tl_factor* f, const tl_pattern* p, tl_order order)
{
    if (f->order == order && tl_pattern_copy_is(&f->pattern, p))
        return TALUS_OK;
    f->ready = false;
    f->order = order;
    const talus_status status = analyze_pattern(f, p);
    if (status < 0)
        f->pattern.valid = false;
    return status;
}

static tl_factor_stats stats(const tl_factor* f)
{
    tl_factor_stats s = f->sym.stats;
    s.analyses = f->pattern.made;
    s.entry = f->rounded ? sizeof(float) : sizeof(double);
    if (f->lu) {
        s.flops *= 2.0;
        s.nnz *= 2;
    }
    return s;
}

const tl_backend tl_backend_own = {.name = "own",
                                   .nonsymmetric = true,
                                   .create = create,
                                   .destroy = destroy,
                                   .analyze = analyze,
                                   .factor = tl_numeric_factor,
                                   .solve = tl_numeric_solve,
                                   .precondition = tl_numeric_precondition,
                                   .stats = stats};
