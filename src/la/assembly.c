// SPDX-License-Identifier: MIT
// Symbolic analysis, second half: everything the numeric phase would otherwise have to search for.
//
//   rows      positions of the nodes below every supernode, from row subtrees of the supernode tree: visiting
//   rows in
//             order leaves each list sorted
//   place     row of a node in the front being described: pivots first, rounded up to strips, then the rows
//   below
//
//                 | pivots 0 .. k-1 | zeros | rows below: kp .. kp+m-1 | zeros |
//
//   scatter   where each block of the matrix goes: the panel of whichever of its two nodes is eliminated
//   first colmap    where each row of a contribution block goes in the parent's front; rows are cut into
//   pieces that stay
//             inside one strip there, so that assembly adds whole vectors
//   storage   panels one after the other; contribution blocks on two stacks, one for even and one for odd
//   depth of
//             the supernode tree: when a front is assembled its children are on top of one stack and its own
//             block is pushed on the other, so nothing is moved and every offset is known here
#include "own.h"

#define TASKS_FLOPS 2e6  // of the whole factorization: less is not worth a wait for the other threads
#define TASK_SHARE 0.25  // of it, in a subtree
#define SLICED_FLOPS 3e6 // of one front

typedef struct lists {
    int32_t* super_at; // (n) supernode of a position
    int32_t* start;    // (n + 1) first permuted row of a position
    int32_t* position; // (n) of a node
    int32_t* mark;     // (n)
    int32_t* place;    // (n) of a position in the current front
    int64_t* ptr;      // (nsuper + 1) into rows
    int32_t* rows;     // positions below each supernode
} lists;

static talus_status allocate(tl_factor* f, const tl_graph* g, lists* l)
{
    const int64_t n = g->n;
    int32_t* w = TL_ARENA(&f->scratch, int32_t, 5 * n + 1);
    l->ptr = TL_ARENA(&f->scratch, int64_t, f->sym.nsuper + 1);
    if (!w || !l->ptr)
        return tl_nomem(f->ctx, sizeof(int32_t) * 5 * (size_t)n);
    l->super_at = w;
    l->position = w + n;
    l->mark = w + 2 * n;
    l->place = w + 3 * n;
    l->start = w + 4 * n;
    return TALUS_OK;
}

static void locate_nodes(const tl_symbolic* y, const tl_graph* g, lists* l)
{
    l->start[0] = 0;
    int32_t s = 0;
    for (int32_t p = 0; p < g->n; p++) {
        while (l->start[p] >= y->super[s].first + y->super[s].k)
            s++;
        l->super_at[p] = s;
        l->position[y->perm[p]] = p;
        l->start[p + 1] = l->start[p] + g->size[y->perm[p]];
    }
}

static talus_status find_rows(tl_factor* f, const tl_graph* g, lists* l)
{
    const tl_symbolic* y = &f->sym;
    int64_t* fill = TL_ARENA(&f->scratch, int64_t, y->nsuper);
    if (!fill)
        return tl_nomem(f->ctx, sizeof(int64_t) * (size_t)y->nsuper);
    l->ptr[0] = 0;
    for (int32_t s = 0; s < y->nsuper; s++) {
        fill[s] = l->ptr[s];
        l->ptr[s + 1] = l->ptr[s] + y->super[s].below;
    }
    l->rows = TL_ARENA(&f->scratch, int32_t, l->ptr[y->nsuper]);
    if (!l->rows)
        return tl_nomem(f->ctx, sizeof(int32_t) * (size_t)l->ptr[y->nsuper]);
    for (int32_t s = 0; s < y->nsuper; s++)
        l->mark[s] = -1;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t node = y->perm[i], own = l->super_at[i];
        for (int32_t a = g->ptr[node]; a < g->ptr[node + 1]; a++) {
            const int32_t q = l->position[g->adj[a]];
            if (q >= i)
                continue;
            for (int32_t s = l->super_at[q]; s != own && l->mark[s] != i; s = y->super[s].parent) {
                l->mark[s] = i;
                l->rows[fill[s]++] = i;
            }
        }
    }
    return TALUS_OK;
}

// ---- storage
// ---------------------------------------------------------------------------------------------------

static double flops_of(const tl_super* x)
{
    const double k = x->k, m = x->m;
    return k * k * k / 3.0 + k * k * m + k * m * m;
}

// by falling work, dealt in turns A B B A to the front and the back half: two threads that each take a half meet
// the same tasks in every factorization and solve, and find them in their cache
static void deal_tasks(tl_symbolic* y, const double* work)
{
    const int32_t n = y->ntask;
    for (int32_t i = 0; i < n; i++) {
        int32_t at = i;
        for (; at > 0 && work[y->task[y->turn[at - 1]].end - 1] < work[y->task[i].end - 1]; at--)
            y->turn[at] = y->turn[at - 1];
        y->turn[at] = i;
    }
    int32_t* sorted = y->turn + n;
    memcpy(sorted, y->turn, sizeof(int32_t) * (size_t)n);
    for (int32_t i = 0, front = 0, back = n - 1; i < n; i++)
        y->turn[i % 4 == 0 || i % 4 == 3 ? front++ : back--] = sorted[i];
}

// maximal subtrees of at most TASK_SHARE of the work; none where all of it is not worth a second thread. A solve
// adds what they give to the others task by task, so they depend on the matrix alone.
static talus_status choose_tasks(tl_factor* f)
{
    tl_symbolic* y = &f->sym;
    double* below = TL_ARENA(&f->scratch, double, y->nsuper);
    int32_t* size = TL_ARENA(&f->scratch, int32_t, y->nsuper);
    y->task = TL_ARENA(&f->keep, tl_task, y->nsuper);
    if (!below || !size || !y->task)
        return tl_nomem(f->ctx, sizeof(tl_task) * (size_t)y->nsuper);
    double total = 0.0;
    y->ntask = 0;
    for (int32_t s = 0; s < y->nsuper; s++) {
        tl_super* x = y->super + s;
        x->task = -1;
        x->large = flops_of(x) >= SLICED_FLOPS;
        below[s] = flops_of(x);
        size[s] = 1;
        total += below[s];
        for (int32_t c = x->child; c >= 0; c = y->super[c].sibling) {
            below[s] += below[c];
            size[s] += size[c];
        }
    }
    y->shared = total >= TASKS_FLOPS;
    if (!y->shared)
        return TALUS_OK;
    for (int32_t s = y->nsuper - 1; s >= 0; s--) {
        if (below[s] > TASK_SHARE * total)
            continue;
        // in a postorder a subtree is a range
        y->task[y->ntask] = (tl_task){.begin = s + 1 - size[s], .end = s + 1};
        for (; s >= y->task[y->ntask].begin; s--)
            y->super[s].task = y->ntask;
        y->ntask++;
        s++;
    }
    y->turn = TL_ARENA(&f->keep, int32_t, 2 * (int64_t)y->ntask);
    if (!y->turn)
        return tl_nomem(f->ctx, sizeof(int32_t) * 2 * (size_t)y->ntask);
    deal_tasks(y, below);
    return TALUS_OK;
}

typedef struct stacks { // even and odd depth
    int64_t top[2], high[2];
} stacks;

static void push(const tl_symbolic* y, tl_super* x, stacks* t)
{
    const int32_t parity = x->depth & 1;
    x->cb = t->top[parity];
    t->top[parity] += (int64_t)x->mp * x->mp;
    t->high[parity] = TL_MAX(t->high[parity], t->top[parity]);
    for (int32_t c = x->child; c >= 0; c = y->super[c].sibling)
        if (y->super[c].task == x->task)
            t->top[1 - parity] -= (int64_t)y->super[c].mp * y->super[c].mp;
}

// the stacks of task `task` (-1: of what is in none), supernodes [begin, end), behind what is stored already:
// a strip of room before and after the blocks, since pieces are read as whole strips
static void place_stacks(tl_symbolic* y, int32_t task, int32_t begin, int32_t end, const stacks* t)
{
    for (int32_t s = begin; s < end; s++)
        if (y->super[s].task == task)
            y->super[s].cb += y->cb_size + TL_STRIP + (y->super[s].depth & 1 ? t->high[0] : 0);
    y->cb_size += t->high[0] + t->high[1] + 2 * TL_STRIP;
}

static void lay_out(tl_symbolic* y)
{
    for (int32_t s = y->nsuper - 1; s >= 0; s--)
        y->super[s].depth = y->super[s].parent >= 0 ? y->super[y->super[s].parent].depth + 1 : 0;
    stacks common = {.top = {0}}, own = common;
    int64_t row = 0;
    y->ncommon = y->largest_panel = 0;
    y->panel_size = y->cb_size = 0;
    y->stats = (tl_factor_stats){.nsuper = y->nsuper};
    for (int32_t s = 0; s < y->nsuper; s++) {
        tl_super* x = y->super + s;
        x->panel = y->panel_size;
        y->panel_size += (int64_t)(x->kp + x->mp) * x->kp;
        x->row = row;
        row += x->m;
        int32_t* places = x->task < 0 ? &y->ncommon : &y->task[x->task].own;
        x->at = *places;
        *places += x->kp;
        push(y, x, x->task < 0 ? &common : &own);
        if (x->task >= 0 && s + 1 == y->task[x->task].end) {
            place_stacks(y, x->task, y->task[x->task].begin, s + 1, &own);
            own = (stacks){.top = {0}};
        }
        y->stats.flops += flops_of(x);
        y->stats.nnz += (int64_t)x->k * (x->k + 1) / 2 + (int64_t)x->k * x->m;
        y->stats.largest = TL_MAX(y->stats.largest, x->k + x->m);
        y->largest_panel = TL_MAX(y->largest_panel, x->kp + x->mp);
    }
    place_stacks(y, -1, 0, y->nsuper, &common);
    y->work = (int64_t)y->ncommon + y->largest_panel;
    for (int32_t t = 0; t < y->ntask; t++) {
        y->task[t].vector = y->work;
        y->work += (int64_t)y->task[t].own + y->ncommon + y->largest_panel;
    }
}

// ---- assembly lists
// --------------------------------------------------------------------------------------------

static void place_front(const tl_symbolic* y, const lists* l, const int32_t* first_position, int32_t s)
{
    const tl_super* x = y->super + s;
    for (int32_t p = first_position[s]; p < first_position[s + 1]; p++)
        l->place[p] = l->start[p] - x->first;
    int32_t at = x->kp;
    for (int64_t q = l->ptr[s]; q < l->ptr[s + 1]; q++) {
        const int32_t p = l->rows[q];
        l->place[p] = at;
        at += l->start[p + 1] - l->start[p];
    }
    TL_ASSERT(at == x->kp + x->m);
}

static void list_blocks(tl_symbolic* y, const tl_graph* g, const tl_pattern_copy* c, const lists* l,
                        int32_t begin, int32_t end, int64_t* count)
{
    for (int32_t p = begin; p < end; p++) {
        const int32_t node = y->perm[p], cols = g->size[node];
        y->scatter[(*count)++] = (tl_scatter){.off = c->off[c->ptr[node]],
                                              .row = l->place[p],
                                              .col = l->place[p],
                                              .rows = cols,
                                              .cols = cols,
                                              .kind = TL_SCATTER_DIAGONAL};
        for (int32_t a = g->ptr[node]; a < g->ptr[node + 1]; a++) {
            const int32_t other = g->adj[a], q = l->position[other];
            if (q > p)
                y->scatter[(*count)++] =
                    (tl_scatter){.off = c->off[g->block[a]],
                                 .row = l->place[q],
                                 .col = l->place[p],
                                 .rows = g->size[other],
                                 .cols = cols,
                                 .kind = other > node ? TL_SCATTER_STRAIGHT : TL_SCATTER_TRANSPOSED};
        }
    }
}

// rows of child c in its parent's front, cut where they leave a strip or stop being consecutive
static void list_pieces(tl_symbolic* y, const lists* l, int32_t c, int64_t* count, int64_t* nrun)
{
    tl_super* x = y->super + c;
    int32_t* col = y->colmap + x->row;
    int32_t r = 0, next = -1; // row after the last piece
    tl_snode_piece* out = y->piece + *count;
    tl_snode_run* run = y->run + *nrun;
    x->run = *nrun;
    x->npivot = 0;
    x->piece = *count;
    for (int64_t q = l->ptr[c]; q < l->ptr[c + 1]; q++) {
        const int32_t p = l->rows[q], size = l->start[p + 1] - l->start[p];
        const tl_super* of = y->super + l->super_at[p];
        const int32_t place = l->place[p], beyond = x->task >= 0 && of->task < 0 ? y->task[x->task].own : 0;
        const int32_t at = beyond + of->at + l->start[p] - of->first;
        for (int32_t i = 0; i < size; i++)
            col[r + i] = place + i;
        if (r > 0 && run[-1].at + run[-1].n == at)
            run[-1].n += size;
        else
            *run++ = (tl_snode_run){.at = at, .n = size};
        for (int32_t i = 0, n; i < size; i += n) {
            const int32_t to = place + i, lane = to % TL_STRIP;
            n = TL_MIN(size - i, TL_STRIP - lane);
            const uint8_t mask = (uint8_t)(((1u << n) - 1) << lane);
            if (lane > 0 && to == next) {
                out[-1].hi = (uint8_t)(lane + n);
                out[-1].mask |= mask;
            } else {
                *out++ = (tl_snode_piece){.strip = to / TL_STRIP,
                                          .src = r + i - lane,
                                          .lo = (uint8_t)lane,
                                          .hi = (uint8_t)(lane + n),
                                          .mask = mask};
            }
            next = to + n;
        }
        r += size;
        if (of == y->super + x->parent)
            x->npivot += size;
    }
    *count = out - y->piece;
    x->npiece = (int32_t)(*count - x->piece);
    *nrun = run - y->run;
    x->nrun = (int32_t)(*nrun - x->run);
}

talus_status tl_symbolic_assembly(tl_factor* f, const tl_graph* g)
{
    tl_symbolic* y = &f->sym;
    lists l = {.rows = NULL};
    TL_TRY(allocate(f, g, &l));
    locate_nodes(y, g, &l);
    TL_TRY(find_rows(f, g, &l));
    TL_TRY(choose_tasks(f));
    lay_out(y);
    int64_t rows = 0;
    for (int32_t s = 0; s < y->nsuper; s++)
        rows += y->super[s].m;
    int32_t* first_position = TL_ARENA(&f->scratch, int32_t, y->nsuper + 1);
    y->run = TL_ARENA(&f->keep, tl_snode_run, l.ptr[y->nsuper]);
    y->colmap = TL_ARENA(&f->keep, int32_t, rows);
    // a node of size z is cut into at most z / 8 + 2 pieces
    y->piece = TL_ARENA(&f->keep, tl_snode_piece, 2 * l.ptr[y->nsuper] + rows / TL_STRIP);
    y->scatter = TL_ARENA(&f->keep, tl_scatter, f->pattern.nblock);
    if (!first_position || !y->run || !y->colmap || !y->piece || !y->scatter)
        return tl_nomem(f->ctx, sizeof(tl_scatter) * (size_t)f->pattern.nblock);
    for (int32_t p = 0, s = 0; s <= y->nsuper; s++) {
        while (p < g->n && l.super_at[p] < s)
            p++;
        first_position[s] = p;
    }
    int64_t npiece = 0, nblock = 0, nrun = 0;
    for (int32_t s = 0; s < y->nsuper; s++) {
        tl_super* x = y->super + s;
        place_front(y, &l, first_position, s);
        x->block = nblock;
        list_blocks(y, g, &f->pattern, &l, first_position[s], first_position[s + 1], &nblock);
        x->nblock = (int32_t)(nblock - x->block);
        for (int32_t c = x->child; c >= 0; c = y->super[c].sibling)
            list_pieces(y, &l, c, &npiece, &nrun);
    }
    TL_ASSERT(nblock == f->pattern.nblock);
    return TALUS_OK;
}
