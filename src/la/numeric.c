// SPDX-License-Identifier: MIT
// Multifrontal factorization and solve (Duff and Reid 1983) on the supernodes of symbolic.c.
//
// For each supernode, in postorder, with pivots P and rows below L:
//
//     assemble   panel := blocks of A + pivot columns of the children's contributions
//     eliminate  for pivot blocks D of 24 columns:      D = Lc Lc^T, Z = Lc^-T;  A21 := A21 Z;  A22 -= A21
//     A21^T
//                first inside outer blocks of 96 columns, then once, 96 deep, for everything to the right
//     contribute C := -L L^T, then the rest of the children's contributions is added: C is never zeroed nor
//     read first
//
// Z, the inverse of a triangular factor, turns the triangular solve into a product; it is kept in the place
// of D, so solves multiply by it as well. (The inverse of D itself would do with less work on the other half,
// but loses up to four digits more with stiffnesses over eight decades.) For values with `upper` the same
// steps run on two panels, the lower one and the transposed upper one, with P D = Lc Uc, rows exchanged
// inside D only:
//
//     A21 := A21 Uc^-1,   A12^T := A12^T P^T Lc^-T,   lower A22 -= A21 A12,   (upper A22)^T -= A12^T A21^T
//
// so that each half is again a lower triangle, and assembly is the same code.
#include "own.h"

#define HOST_FLOPS 1e8    // of the whole factorization
#define ROUND_FROM 100000 // doubles of the panels: smaller ones stay in a second-level cache and gain nothing

// ---- assembly
// --------------------------------------------------------------------------------------------------

// panel(row + r, col + c) = v[r rs + c cs]; `triangle`: columns up to the diagonal only
static inline void put(double* panel, int64_t stride, const tl_scatter* e, int32_t cols, const double* v,
                       int64_t rs, int64_t cs, bool triangle)
{
    for (int32_t r = 0; r < e->rows; r++) {
        const int32_t row = e->row + r, n = triangle ? r + 1 : cols;
        double* a = panel + row / TL_STRIP * stride + row % TL_STRIP + (int64_t)e->col * TL_STRIP;
        for (int32_t c = 0; c < n; c++)
            a[c * TL_STRIP] = v[r * rs + c * cs];
    }
}

// free bodies have 6 rows: with literal sizes the compiler unrolls the columns
static void put_block(double* panel, int64_t stride, const tl_scatter* e, const double* v, bool transposed)
{
    if (e->kind == TL_SCATTER_DIAGONAL)
        put(panel, stride, e, e->cols, v, transposed ? e->cols : 1, transposed ? 1 : e->rows, true);
    else if (transposed && e->cols == 6)
        put(panel, stride, e, 6, v, 6, 1, false);
    else if (transposed)
        put(panel, stride, e, e->cols, v, e->cols, 1, false);
    else if (e->cols == 6 && e->rows == 6)
        put(panel, stride, e, 6, v, 1, 6, false);
    else
        put(panel, stride, e, e->cols, v, 1, e->rows, false);
}

static void scatter_blocks(tl_factor* f, const tl_super* x, const tl_values* v)
{
    const int64_t stride = (int64_t)TL_STRIP * x->kp;
    for (int32_t b = 0; b < x->nblock; b++) {
        const tl_scatter* e = f->sym.scatter + x->block + b;
        const double *lower = v->lower + e->off, *upper = v->upper ? v->upper + e->off : NULL;
        const bool transposed = e->kind == TL_SCATTER_TRANSPOSED;
        // the block below the diagonal of the permuted matrix, and the transpose of the one above
        put_block(f->panel[0] + x->panel, stride, e, transposed && upper ? upper : lower,
                  transposed && !upper);
        if (upper)
            put_block(f->panel[1] + x->panel, stride, e, e->kind == TL_SCATTER_STRAIGHT ? upper : lower,
                      true);
    }
}

// add the children's contribution columns that are pivots of x to its panel
static void extend_pivots(tl_factor* f, const tl_super* x, int32_t half)
{
    const tl_symbolic* y = &f->sym;
    for (int32_t i = x->child; i >= 0; i = y->super[i].sibling) {
        const tl_super* c = y->super + i;
        f->kernels->extend(0, c->npivot, f->cb[half] + c->cb, c->mp, y->colmap + c->row, 0,
                           y->piece + c->piece, c->npiece, 0, f->panel[half] + x->panel,
                           (int64_t)TL_STRIP * x->kp, TL_STRIP);
    }
}

// add the others to row strips [s0, s1) of the front, which are below its pivots
static void extend_rest(tl_factor* f, const tl_super* x, int32_t half, int32_t s0, int32_t s1)
{
    const tl_symbolic* y = &f->sym;
    for (int32_t i = x->child; i >= 0; i = y->super[i].sibling) {
        const tl_super* c = y->super + i;
        const tl_snode_piece* piece = y->piece + c->piece;
        int32_t begin = 0, end = c->npiece; // pieces are sorted by strip
        while (begin < end && piece[begin].strip < s0)
            begin++;
        while (end > begin && piece[end - 1].strip >= s1)
            end--;
        if (begin < end)
            f->kernels->extend(c->npivot, c->m, f->cb[half] + c->cb, c->mp, y->colmap + c->row, x->kp,
                               piece + begin, end - begin, x->kp / TL_STRIP, f->cb[half] + x->cb, TL_STRIP,
                               x->mp);
    }
}

// ---- elimination
// -----------------------------------------------------------------------------------------------
// Rows are named by strips of the front, [s0, s1): one call for all of them, or slices as tasks. What is
// written to a row does not depend on the slice it is in.

typedef struct inverse { // Z (and Y) of the pivot blocks of one outer block
    double zt[TL_OUTER / TL_BLOCK][2][TL_BLOCK * TL_BLOCK] __attribute__((aligned(64)));
} inverse;

static void scale_rows(tl_factor* f, const tl_super* x, int32_t j, int32_t n,
                       double zt[2][TL_BLOCK * TL_BLOCK], int32_t s0, int32_t s1)
{
    const int64_t stride = (int64_t)TL_STRIP * x->kp, at = x->panel + s0 * stride + j * TL_STRIP;
    for (int32_t half = 0; half <= f->lu; half++)
        f->kernels->scale(s1 - s0, n, f->panel[half] + at, stride, zt[half], half);
}

// subtract the product of pivot columns [j, j + depth) from columns [c0, c1) of the panels, rows from c0 down
static void update_panel(tl_factor* f, const tl_super* x, int32_t j, int32_t depth, int32_t c0, int32_t c1,
                         int32_t s0, int32_t s1)
{
    const int32_t top = c0 / TL_STRIP;
    if (c0 >= c1 || s1 <= top)
        return;
    const int64_t stride = (int64_t)TL_STRIP * x->kp, row = x->panel + top * stride;
    for (int32_t half = 0; half <= f->lu; half++) {
        const double* a = f->panel[half] + row + j * TL_STRIP;
        const double* b = f->panel[f->lu ? 1 - half : 0] + row + j * TL_STRIP;
        f->kernels->update(TL_MAX(s0 - top, 0), s1 - top, TL_PADDED(c1 - c0) / TL_STRIP, depth, a, b, stride,
                           f->panel[half] + row + c0 * TL_STRIP, stride, TL_STRIP, 0);
    }
}

static void update_contribution(tl_factor* f, const tl_super* x, int32_t j, int32_t depth, int32_t s0,
                                int32_t s1)
{
    const int32_t top = x->kp / TL_STRIP;
    const int64_t stride = (int64_t)TL_STRIP * x->kp, at = x->panel + top * stride + j * TL_STRIP;
    if (s1 <= top)
        return;
    for (int32_t half = 0; half <= f->lu; half++)
        f->kernels->update(TL_MAX(s0 - top, 0), s1 - top, s1 - top, depth, f->panel[half] + at,
                           f->panel[f->lu ? 1 - half : 0] + at, stride, f->cb[half] + x->cb, TL_STRIP, x->mp,
                           j == 0);
}

// pivot blocks of columns [outer, end), and these columns of all rows above strip `last`.
// @return 0 or 1, as the kernels
static int32_t eliminate_outer(tl_factor* f, const tl_super* x, int32_t outer, int32_t end, int32_t last,
                               inverse* z)
{
    const int64_t stride = (int64_t)TL_STRIP * x->kp;
    for (int32_t j = outer, i = 0; j < end; j += TL_BLOCK, i++) {
        const int32_t n = TL_MIN(TL_BLOCK, end - j), strip = j / TL_STRIP;
        const int64_t at = x->panel + strip * stride + j * TL_STRIP;
        const int32_t bad =
            f->lu ? f->kernels->lu(n, f->panel[0] + at, f->panel[1] + at, stride, z->zt[i][0], z->zt[i][1])
                  : f->kernels->pivot(n, f->panel[0] + at, stride, z->zt[i][0]);
        if (bad)
            return bad;
        scale_rows(f, x, j, n, z->zt[i], strip + TL_PADDED(n) / TL_STRIP, last);
        update_panel(f, x, j, n, j + TL_BLOCK, end, 0, last);
    }
    return 0;
}

static void assemble_pivots(tl_factor* f, const tl_super* x, const tl_values* v)
{
    for (int32_t half = 0; half <= f->lu; half++)
        memset(f->panel[half] + x->panel, 0, sizeof(double) * (size_t)(x->kp + x->mp) * (size_t)x->kp);
    scatter_blocks(f, x, v);
    for (int32_t half = 0; half <= f->lu; half++)
        extend_pivots(f, x, half);
}

// while the panel is in a cache
static void round_panel(tl_factor* f, const tl_super* x)
{
    const int64_t size = (int64_t)(x->kp + x->mp) * x->kp;
    if (f->rounded && f->kernels->round(size, f->panel[0] + x->panel, f->single + x->panel))
        atomic_store_explicit(&f->beyond, true, memory_order_relaxed);
}

static int32_t factor_supernode(tl_factor* f, const tl_super* x, const tl_values* v)
{
    const int32_t strips = (x->kp + x->mp) / TL_STRIP;
    inverse z;
    assemble_pivots(f, x, v);
    for (int32_t outer = 0; outer < x->k; outer += TL_OUTER) {
        const int32_t end = TL_MIN(outer + TL_OUTER, x->k);
        if (eliminate_outer(f, x, outer, end, strips, &z))
            return 1;
        update_panel(f, x, outer, end - outer, end, x->k, 0, strips);
        update_contribution(f, x, outer, end - outer, 0, strips);
    }
    round_panel(f, x);
    for (int32_t half = 0; half <= f->lu; half++)
        extend_rest(f, x, half, 0, strips);
    return 0;
}

// ---- threads
// ---------------------------------------------------------------------------------------------------
// Subtrees of the supernode tree are tasks with contribution stacks of their own (assembly.c: choose_tasks);
// the fronts above them follow in order, large ones in slices of rows. Two waits an outer block: rows below
// it need its pivot blocks, and what lies to the right needs those rows.

typedef struct slices {
    tl_factor* f;
    const tl_super* x;
    inverse z;
    int32_t outer, end; // pivot columns
    int32_t first;      // strip that range index 0 stands for
} slices;

static void reduce_slice(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    slices* t = arg;
    const int32_t s0 = t->first + begin, s1 = t->first + end;
    for (int32_t j = t->outer, i = 0; j < t->end; j += TL_BLOCK, i++) {
        const int32_t n = TL_MIN(TL_BLOCK, t->end - j);
        scale_rows(t->f, t->x, j, n, t->z.zt[i], s0, s1);
        update_panel(t->f, t->x, j, n, j + TL_BLOCK, t->end, s0, s1);
    }
}

static void update_slice(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const slices* t = arg;
    const int32_t s0 = t->first + begin, s1 = t->first + end, depth = t->end - t->outer;
    update_panel(t->f, t->x, t->outer, depth, t->end, t->x->k, s0, s1);
    update_contribution(t->f, t->x, t->outer, depth, s0, s1);
}

static void extend_slice(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const slices* t = arg;
    for (int32_t half = 0; half <= t->f->lu; half++)
        extend_rest(t->f, t->x, half, t->first + begin, t->first + end);
}

static int32_t factor_in_slices(tl_factor* f, const tl_super* x, const tl_values* v)
{
    const int32_t strips = (x->kp + x->mp) / TL_STRIP;
    slices t = {.f = f, .x = x};
    assemble_pivots(f, x, v);
    for (t.outer = 0; t.outer < x->k; t.outer += TL_OUTER) {
        t.end = TL_MIN(t.outer + TL_OUTER, x->k);
        t.first = TL_PADDED(t.end) / TL_STRIP;
        if (eliminate_outer(f, x, t.outer, t.end, t.first, &t.z))
            return 1;
        tl_parallel_for(f->ctx, strips - t.first, TL_SLICE, reduce_slice, &t);
        tl_parallel_for(f->ctx, strips - t.first, TL_SLICE, update_slice, &t);
    }
    t.first = x->kp / TL_STRIP;
    tl_parallel_for(f->ctx, strips - t.first, TL_SLICE, extend_slice, &t);
    round_panel(f, x);
    return 0;
}

typedef struct subtrees {
    tl_factor* f;
    const tl_values* v;
} subtrees;

static void factor_subtrees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const subtrees* t = arg;
    for (int32_t i = begin; i < end; i++) {
        tl_task* task = t->f->sym.task + t->f->sym.turn[i];
        task->bad = 0;
        for (int32_t s = task->begin; s < task->end && !task->bad; s++)
            task->bad = factor_supernode(t->f, t->f->sym.super + s, t->v);
    }
}

// a host's pool gets tasks that are worth its start
static bool is_shared(const tl_factor* f)
{
    return f->sym.shared && talus_context_threads(f->ctx) > 1 &&
           (f->sym.stats.flops >= HOST_FLOPS || tl_context_is_light(f->ctx));
}

// a host that wants larger tasks has got these when they are shared at all
static void share_tasks(tl_factor* f, tl_range_fn* fn, void* arg)
{
    if (tl_context_is_light(f->ctx))
        tl_parallel_light(f->ctx, f->sym.ntask, 1, fn, arg);
    else
        tl_parallel_for(f->ctx, f->sym.ntask, 1, fn, arg);
}

static int32_t factor_by_tasks(tl_factor* f, const tl_values* v)
{
    const tl_symbolic* y = &f->sym;
    subtrees t = {.f = f, .v = v};
    share_tasks(f, factor_subtrees, &t);
    for (int32_t i = 0; i < y->ntask; i++)
        if (y->task[i].bad)
            return 1;
    for (int32_t s = 0; s < y->nsuper; s++) {
        const tl_super* x = y->super + s;
        if (x->task >= 0)
            s = y->task[x->task].end - 1;
        else if (x->large ? factor_in_slices(f, x, v) : factor_supernode(f, x, v))
            return 1;
    }
    return 0;
}

talus_status tl_numeric_factor(tl_factor* f, const tl_values* v)
{
    const tl_symbolic* y = &f->sym;
    f->ready = false;
    f->lu = v->upper != NULL;
    f->rounded = v->precondition && !f->lu && y->panel_size >= ROUND_FROM;
    f->beyond = false;
    for (int32_t half = 0; half <= f->lu; half++) {
        TL_TRY(TL_GROW(f->ctx, f->panel[half], f->panel_cap[half], 0, y->panel_size));
        TL_TRY(TL_GROW(f->ctx, f->cb[half], f->cb_cap[half], 0, y->cb_size));
    }
    TL_TRY(TL_GROW(f->ctx, f->work, f->work_cap, 0, y->work));
    if (f->rounded)
        TL_TRY(TL_GROW(f->ctx, f->single, f->single_cap, 0, y->panel_size));
    int32_t bad = 0;
    if (v->parallel && is_shared(f))
        bad = factor_by_tasks(f, v);
    else
        for (int32_t s = 0; s < y->nsuper && !bad; s++)
            bad = factor_supernode(f, y->super + s, v);
    if (bad)
        return TALUS_ERR_SINGULAR;
    f->rounded = f->rounded && !f->beyond;
    f->ready = true;
    return TALUS_OK;
}

// ---- solve
// -----------------------------------------------------------------------------------------------------

// the kernels on the panels of one half from double `at` on, or on the same entries in single precision
static void forward(const tl_factor* f, bool single, int32_t half, int64_t at, int64_t stride, int32_t strips,
                    int32_t n, const double* x, double* y, int32_t set)
{
    if (single)
        f->kernels->forward_single(strips, n, f->single + at, stride, x, y, set);
    else
        f->kernels->forward(strips, n, f->panel[half] + at, stride, x, y, set);
}

static void backward(const tl_factor* f, bool single, int32_t half, int64_t at, int64_t stride,
                     int32_t strips, int32_t n, const double* y, double* x)
{
    if (single)
        f->kernels->backward_single(strips, n, f->single + at, stride, y, x);
    else
        f->kernels->backward(strips, n, f->panel[half] + at, stride, y, x);
}

static void negate(const double* t, int32_t n, double* x)
{
    for (int32_t i = 0; i < TL_PADDED(n); i++)
        x[i] = -t[i];
}

// forward through one supernode: b (nplace), its pivots in place; t (mp) scratch
static void solve_down(const tl_factor* f, bool single, const tl_super* x, double* b, double* t)
{
    const int64_t stride = (int64_t)TL_STRIP * x->kp;
    double* p = b + x->at;
    for (int32_t j = 0; j < x->k; j += TL_BLOCK) {
        const int32_t n = TL_MIN(TL_BLOCK, x->k - j), next = j + TL_BLOCK;
        const int64_t at = x->panel + j / TL_STRIP * stride + j * TL_STRIP;
        double z[TL_BLOCK] __attribute__((aligned(64))) = {0}; // -(the pivots times Z^T, or Y^T)
        backward(f, single, f->lu, at, stride, TL_PADDED(n) / TL_STRIP, n, p + j, z);
        negate(z, n, p + j);
        if (next < x->k)
            forward(f, single, 0, at + TL_BLOCK / TL_STRIP * stride, stride, (x->kp - next) / TL_STRIP, n,
                    p + j, p + next, 0);
    }
    forward(f, single, 0, x->panel + x->kp / TL_STRIP * stride, stride, x->mp / TL_STRIP, x->k, p, t, 1);
    f->kernels->scatter(x->nrun, f->sym.run + x->run, t, b);
}

static void solve_up(const tl_factor* f, bool single, const tl_super* x, double* b, double* t)
{
    const int64_t stride = (int64_t)TL_STRIP * x->kp;
    double* p = b + x->at;
    f->kernels->gather(x->nrun, f->sym.run + x->run, b, t);
    for (int32_t i = x->m; i < x->mp; i++)
        t[i] = 0.0;
    backward(f, single, f->lu, x->panel + x->kp / TL_STRIP * stride, stride, x->mp / TL_STRIP, x->k, t, p);
    for (int32_t j = (x->k - 1) / TL_BLOCK * TL_BLOCK; j >= 0; j -= TL_BLOCK) {
        const int32_t n = TL_MIN(TL_BLOCK, x->k - j), next = j + TL_BLOCK;
        const int64_t at = x->panel + j / TL_STRIP * stride + j * TL_STRIP;
        double z[TL_BLOCK] __attribute__((aligned(64)));
        if (next < x->k)
            backward(f, single, f->lu, at + TL_BLOCK / TL_STRIP * stride, stride, (x->kp - next) / TL_STRIP,
                     n, p + next, p + j);
        forward(f, single, 0, at, stride, TL_PADDED(n) / TL_STRIP, n, p + j, z, 1);
        negate(z, n, p + j);
    }
}

// rows of the pattern of supernodes [begin, end) of a task into their places in its vector, whose last rows are
// zero, or back
static void permute(const tl_symbolic* y, int32_t task, int32_t begin, int32_t end, double* x, double* b,
                    bool in)
{
    for (int32_t s = begin; s < end; s++) {
        const tl_super* of = y->super + s;
        if (of->task != task) { // a subtree among the others
            s = y->task[of->task].end - 1;
            continue;
        }
        const int32_t* row = y->row_of + of->first;
        double* p = b + of->at;
        for (int32_t i = 0; i < of->k; i++) {
            if (in)
                p[i] = x[row[i]];
            else
                x[row[i]] = p[i];
        }
        for (int32_t i = of->k; i < of->kp && in; i++)
            p[i] = 0.0;
    }
}

typedef struct solving {
    tl_factor* f;
    bool single;
    double* x;
} solving;

static void solve_tasks_down(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const solving* g = arg;
    const tl_symbolic* y = &g->f->sym;
    for (int32_t i = begin; i < end; i++) {
        const tl_task* task = y->task + y->turn[i];
        double *b = g->f->work + task->vector, *common = b + task->own, *t = common + y->ncommon;
        permute(y, y->turn[i], task->begin, task->end, g->x, b, true);
        memset(common, 0, sizeof(double) * (size_t)y->ncommon);
        for (int32_t s = task->begin; s < task->end; s++)
            solve_down(g->f, g->single, y->super + s, b, t);
    }
}

static void solve_tasks_up(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const solving* g = arg;
    const tl_symbolic* y = &g->f->sym;
    for (int32_t i = begin; i < end; i++) {
        const tl_task* task = y->task + y->turn[i];
        double *b = g->f->work + task->vector, *common = b + task->own, *t = common + y->ncommon;
        memcpy(common, g->f->work, sizeof(double) * (size_t)y->ncommon);
        for (int32_t s = task->end - 1; s >= task->begin; s--)
            solve_up(g->f, g->single, y->super + s, b, t);
        permute(y, y->turn[i], task->begin, task->end, g->x, b, false);
    }
}

static void run_tasks(tl_factor* f, tl_range_fn* fn, solving* g, bool parallel)
{
    if (parallel && is_shared(f))
        share_tasks(f, fn, g);
    else
        fn(g, 0, f->sym.ntask, 0);
}

// Subtrees down to the supernodes in no task, these down and up, and the subtrees up.
static void solve(tl_factor* f, bool single, double* x, bool parallel)
{
    const tl_symbolic* y = &f->sym;
    double *b = f->work, *t = f->work + y->ncommon;
    solving g = {.f = f, .single = single, .x = x};
    TL_ASSERT(f->ready);
    run_tasks(f, solve_tasks_down, &g, parallel);
    permute(y, -1, 0, y->nsuper, x, b, true);
    for (int32_t i = 0; i < y->ntask; i++) {
        const double* from = f->work + y->task[i].vector + y->task[i].own;
        for (int32_t k = 0; k < y->ncommon; k++)
            b[k] += from[k];
    }
    for (int32_t s = 0; s < y->nsuper; s++) {
        if (y->super[s].task >= 0)
            s = y->task[y->super[s].task].end - 1;
        else
            solve_down(f, single, y->super + s, b, t);
    }
    for (int32_t s = y->nsuper - 1; s >= 0; s--) {
        if (y->super[s].task >= 0)
            s = y->task[y->super[s].task].begin;
        else
            solve_up(f, single, y->super + s, b, t);
    }
    permute(y, -1, 0, y->nsuper, x, b, false);
    run_tasks(f, solve_tasks_up, &g, parallel);
}

void tl_numeric_solve(tl_factor* f, double* x, bool parallel)
{
    solve(f, false, x, parallel);
}

void tl_numeric_precondition(tl_factor* f, double* x, bool parallel)
{
    solve(f, f->rounded, x, parallel);
}
