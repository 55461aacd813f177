// SPDX-License-Identifier: MIT
// Colours of contacts, and the sweeps of a large island on the threads (theory: src/README.md#lifting, step 2).
//
// Large islands are cut into parts, a power of two by the number of contacts alone. Contacts inside a part have
// the first colours, contacts between parts the others; parts share no tree, so the inner colours of each part are
// a task, and with or without tasks the bits are the same (sweeps.c). Velocities of free bodies take a cache line
// each, part after part: no line is two threads' then. Lanes are colour after colour, each padded to 8:
//
//     | part 0: colour 0 . . pad | colour 1 . . . . | part 1: colour 0 . . . | ... | between: colour 2 . pad | ...
#include "island.h"

int32_t tl_isl_degree(const tl_island* s)
{
    int32_t most = 0;
    for (int32_t t = 0; t < s->ntree; t++)
        most = TL_MAX(most, s->side_start[t + 1] - s->side_start[t]);
    return most;
}

#define PART_CONTACTS 600 // for two parts; four of them for twice as many, as surfaces grow less than bodies
#define MOST_PARTS 8
#define LINE 8 // doubles of a cache line

// Breadth-first order of the trees from the one first reached last, of every component: neighbours are close.
static void order_trees(const tl_island* s, int32_t from, int32_t* order, uint8_t* seen)
{
    int32_t n = 0;
    memset(seen, 0, (size_t)s->ntree);
    for (int32_t next = -1; n < s->ntree; next++) {
        const int32_t root = next < 0 ? from : next;
        if (seen[root])
            continue;
        seen[root] = 1;
        order[n++] = root;
        for (int32_t head = n - 1; head < n; head++) {
            const int32_t t = order[head];
            for (int32_t e = s->side_start[t]; e < s->side_start[t + 1]; e++) {
                const int32_t i = s->side[e] >> 1, other = s->side[e] & 1 ? s->ta[i] : s->tb[i];
                if (other < 0 || seen[other])
                    continue;
                seen[other] = 1;
                order[n++] = other;
            }
        }
    }
}

// part and place of every tree: pieces of that order with the same number of contacts
static talus_status cut_trees(tl_island* s, int32_t* part)
{
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    int32_t* order = TL_ARENA(&s->work, int32_t, s->ntree);
    uint8_t* seen = TL_ARENA(&s->work, uint8_t, s->ntree);
    if (!order || !seen)
        return TALUS_ERR_NOMEM;
    order_trees(s, 0, order, seen);
    order_trees(s, order[s->ntree - 1], order, seen);
    int64_t before = 0; // sides of the trees before
    const int64_t all = s->side_start[s->ntree];
    for (int32_t k = 0; k < s->ntree; k++) {
        const int32_t t = order[k];
        part[t] = (int32_t)TL_MIN(before * s->nparts / all, s->nparts - 1);
        s->place[t] = LINE * k;
        before += s->side_start[t + 1] - s->side_start[t];
    }
    tl_arena_release(&s->work, mark);
    return TALUS_OK;
}

// Greedy: the first colour free at both trees, in contact order; as many colours as needed (bit sets per tree).
// @return one past the last colour
static int32_t colour_some(tl_island* s, const int32_t* part, bool between, int32_t first, uint64_t* taken,
                           int32_t words)
{
    int32_t end = first;
    memset(taken, 0, sizeof(uint64_t) * (size_t)words * (size_t)s->ntree);
    for (int32_t i = 0; i < s->nc; i++) {
        const int32_t a = s->ta[i], b = s->tb[i] < 0 ? a : s->tb[i];
        if ((part[a] != part[b]) != between)
            continue;
        uint64_t *x = taken + (int64_t)words * a, *y = taken + (int64_t)words * b;
        int32_t w = 0;
        while (~(x[w] | y[w]) == 0)
            w++;
        const int32_t bit = __builtin_ctzll(~(x[w] | y[w]));
        x[w] |= 1ull << bit;
        y[w] |= 1ull << bit;
        s->part[i] = between ? s->nparts : part[a];
        s->colour[i] = first + 64 * w + bit;
        end = TL_MAX(end, s->colour[i] + 1);
    }
    return end;
}

talus_status tl_isl_colour(tl_island* s)
{
    if (s->ncolour > 0)
        return TALUS_OK;
    const int32_t words = (2 * tl_isl_degree(s) + 63) / 64;
    for (s->nparts = 1; s->nparts < MOST_PARTS && s->nc >= s->nparts * s->nparts * PART_CONTACTS;)
        s->nparts *= 2;
    for (int32_t t = 0; t < s->ntree; t++)
        s->place[t] = LINE * t;
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    int32_t* part = TL_ARENA(&s->work, int32_t, s->ntree);
    uint64_t* taken = TL_ARENA(&s->work, uint64_t, (int64_t)words * s->ntree);
    if (!taken || !part)
        return TALUS_ERR_NOMEM;
    memset(part, 0, sizeof(int32_t) * (size_t)s->ntree);
    if (s->nparts > 1)
        TL_TRY(cut_trees(s, part));
    s->ninner = colour_some(s, part, false, 0, taken, words);
    s->ncolour = s->nparts > 1 ? colour_some(s, part, true, s->ninner, taken, words) : s->ninner;
    tl_arena_release(&s->work, mark);
    return TALUS_OK;
}

// the group of a contact: part 0's inner colours, part 1's, ..., the colours between
static int32_t group_of(const tl_island* s, int32_t i)
{
    return s->part[i] == s->nparts ? (s->nparts - 1) * s->ninner + s->colour[i]
                                   : s->part[i] * s->ninner + s->colour[i];
}

// start: (groups + 1) first place of each group
static int32_t* lay_out(tl_island* s, int32_t groups, int32_t* start, int32_t* total)
{
    memset(start, 0, sizeof(int32_t) * (size_t)(groups + 1));
    for (int32_t i = 0; i < s->nc; i++)
        start[group_of(s, i) + 1]++;
    for (int32_t c = 0; c < groups; c++)
        start[c + 1] = start[c] + TL_PADDED(start[c + 1]);
    *total = start[groups];
    int32_t* idx = TL_ARENA(&s->work, int32_t, *total);
    int32_t* next = TL_ARENA(&s->work, int32_t, groups);
    if (!idx || !next)
        return NULL;
    memset(idx, 0xff, sizeof(int32_t) * (size_t)*total);
    memcpy(next, start, sizeof(int32_t) * (size_t)groups);
    for (int32_t i = 0; i < s->nc; i++)
        idx[next[group_of(s, i)]++] = i;
    return idx;
}

// the part of a batch that starts at `at` and has n lanes
static tl_batch slice(const tl_batch* b, int32_t at, int32_t n)
{
    return (tl_batch){.n = n,
                      .idx = b->idx + at,
                      .p = {.k = b->p.k + at,
                            .d = b->p.d + at,
                            .mu = b->p.mu + at,
                            .delta0 = b->p.delta0 + at,
                            .v_s = b->p.v_s + at,
                            .tau = b->p.tau ? b->p.tau + at : NULL,
                            .h = b->p.h,
                            .linear = b->p.linear},
                      .Wt = b->Wt + at,
                      .Wn = b->Wn + at,
                      .bound = b->bound ? b->bound + at : NULL};
}

typedef struct sweep {
    const tl_island* s;
    const tl_batch* all;
    const int32_t* start;
    double *f, *scratch; // (3 x n) and (9 x n) of each colour, one after another
    double *v, *nu;      // nu: where the linearization velocities go, NULL: not wanted yet
} sweep;

// six dofs a tree: at their places; else as everywhere
static void apply_colour(const sweep* t, int32_t n, const int32_t* list, double* w)
{
    tl_jacobian6 J = tl_isl_rows(t->s, t->s->J, 0);
    J.dof = t->s->place;
    if (t->s->six)
        t->s->kernels->jacobian_apply(n, list, &J, t->v, n, w);
    else
        tl_isl_apply(t->s, n, list, t->s->J, t->v, n, w);
}

static void add_colour(const sweep* t, int32_t n, const int32_t* list, const double* df)
{
    tl_jacobian6 B = tl_isl_rows(t->s, t->s->B, 0);
    B.dof = t->s->place;
    if (t->s->six)
        t->s->kernels->jacobian_add(n, list, &B, 1.0, df, n, t->v);
    else
        tl_isl_add(t->s, n, list, t->s->B, 1.0, df, n, t->v);
}

static void sweep_colour(const sweep* t, const tl_batch* b, double* f, double* scratch)
{
    const int32_t n = b->n;
    double *w = scratch, *y = scratch + 3 * (int64_t)n, *fn = scratch + 6 * (int64_t)n;
    apply_colour(t, n, b->idx, w);
    tl_batch_local(t->s, b, w, f, y, fn);
    for (int32_t i = 0; i < 3 * n; i++) {
        w[i] = fn[i] - f[i];
        f[i] = fn[i];
    }
    add_colour(t, n, b->idx, w); // the contacts of a colour share no tree
    if (t->nu)
        tl_batch_scatter(b, y, t->nu, t->s->ld);
}

static void sweep_groups(const sweep* t, int32_t begin, int32_t end)
{
    for (int32_t c = begin; c < end; c++) {
        const int32_t at = t->start[c];
        const tl_batch b = slice(t->all, at, t->start[c + 1] - at);
        if (b.n > 0)
            sweep_colour(t, &b, t->f + 3 * (int64_t)at, t->scratch + 9 * (int64_t)at);
    }
}

static void sweep_inner(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const sweep* t = arg;
    sweep_groups(t, begin * t->s->ninner, end * t->s->ninner);
}

// v of all trees to their places, or back
static void move_velocities(const tl_island* s, double* v, double* placed, bool to)
{
    for (int32_t i = 0; i < s->ntree; i++) {
        double *x = v + s->dof[i], *y = placed + s->place[i];
        memcpy(to ? y : x, to ? x : y, 6 * sizeof(double));
    }
}

talus_status tl_sweep_parts(const tl_sweep* x, int32_t sweeps)
{
    tl_island* s = x->s;
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    const int32_t inner = s->nparts * s->ninner, groups = inner + s->ncolour - s->ninner;
    int32_t total = 0, *start = TL_ARENA(&s->work, int32_t, groups + 1);
    int32_t* idx = start ? lay_out(s, groups, start, &total) : NULL;
    double* y = idx ? TL_ARENA(&s->work, double, 12 * (int64_t)total) : NULL;
    double* placed = s->six ? TL_ARENA(&s->work, double, LINE*(int64_t)s->ntree) : x->v;
    tl_batch all;
    if (!y || !placed || tl_batch_make(s, idx, total, &all) < 0)
        return TALUS_ERR_NOMEM;
    sweep t = {.s = s, .all = &all, .start = start, .f = y, .scratch = y + 3 * (int64_t)total, .v = placed};
    if (s->six)
        move_velocities(s, x->v, placed, true);
    for (int32_t c = 0; c < groups; c++) {
        const tl_batch b = slice(&all, start[c], start[c + 1] - start[c]);
        tl_batch_gather(&b, x->f, s->ld, t.f + 3 * (int64_t)start[c]);
    }
    for (int32_t k = 0; k < sweeps; k++) {
        t.nu = k == sweeps - 1 ? x->nu : NULL;
        tl_isl_over(s, s->nparts, 1, sweep_inner, &t);
        sweep_groups(&t, inner, groups);
    }
    if (s->six)
        move_velocities(s, x->v, placed, false);
    tl_arena_release(&s->work, mark);
    return TALUS_OK;
}
