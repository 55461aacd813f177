// SPDX-License-Identifier: MIT
// The driver: check, gather into islands, solve each as a task, collect. Reading order of the module:
// problem.c (input) -> gather.c (islands) -> lifting.c or newton.c (iteration) -> fallback.c.
#include "solver_internal.h"

#include <math.h>

#define TASK_CONTACTS 192 // about half a millisecond: less is not worth waking a thread

talus_status talus_solver_create(talus_context* ctx, const talus_solver_options* options, talus_solver** out)
{
    if (!ctx || !out)
        return TALUS_ERR_ARG;
    const talus_solver_options defaults = talus_solver_options_default();
    if (options && options->cookie != defaults.cookie)
        return tl_fail(ctx, TALUS_ERR_ARG, "solver options were not made by talus_solver_options_default()");
    if (options && options->backend == TALUS_BACKEND_CHOLMOD && !tl_backend_get(TL_BACKEND_CHOLMOD))
        return tl_fail(ctx, TALUS_ERR_UNSUPPORTED,
                       "solver.backend=cholmod: this build has no CHOLMOD (-DTALUS_WITH_CHOLMOD=ON)");
    if (options && options->backend == TALUS_BACKEND_UMFPACK && !tl_backend_get(TL_BACKEND_UMFPACK))
        return tl_fail(ctx, TALUS_ERR_UNSUPPORTED,
                       "solver.backend=umfpack: this build has no UMFPACK (-DTALUS_WITH_UMFPACK=ON)");
    talus_solver* s = tl_calloc(ctx, sizeof *s);
    if (!s)
        return tl_nomem(ctx, sizeof *s);
    s->ctx = ctx;
    s->opt = options ? *options : defaults;
    tl_arena_init(&s->arena, ctx);
    *out = s;
    return TALUS_OK;
}

static void drop_slots(talus_solver* s)
{
    for (int64_t i = 0; i < s->nslot; i++) {
        for (int32_t k = 0; k < 2; k++)
            if (s->slot[i].factor[k])
                s->slot[i].backend[k]->destroy(s->slot[i].factor[k]);
        tl_free(s->ctx, s->slot[i].tree);
    }
    tl_free(s->ctx, s->slot);
    s->slot = NULL;
    s->nslot = 0;
}

void talus_solver_destroy(talus_solver* s)
{
    if (!s)
        return;
    drop_slots(s);
    tl_arena_fini(&s->arena);
    tl_free(s->ctx, s);
}

void talus_solver_reset(talus_solver* s)
{
    for (int64_t i = 0; i < s->nslot; i++)
        s->slot[i].current = -1;
}

static talus_status reserve_slots(talus_solver* s, int32_t ntree)
{
    if (s->nslot >= ntree)
        return TALUS_OK;
    int64_t cap = s->nslot;
    TL_TRY(TL_GROW(s->ctx, s->slot, cap, s->nslot, ntree));
    for (int64_t i = s->nslot; i < cap; i++)
        s->slot[i] = (tl_slot){.current = -1};
    s->nslot = cap;
    return TALUS_OK;
}

static void solve_islands(tl_task* task)
{
    if (task->list[0]->opt->globalization == TALUS_GLOBALIZATION_LIFTING) {
        tl_isl_lifting(&task->work, task->n, task->list);
        return;
    }
    for (int32_t i = 0; i < task->n; i++) {
        tl_island* s = task->list[i];
        s->clock = i ? task->list[i - 1]->clock : tl_now();
        tl_isl_newton(s);
        tl_arena_release(&s->work, (tl_arena_mark){0});
        tl_isl_lap(s, &s->info.t_limit);
    }
}

static void solve_tasks(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const tl_islands* all = arg;
    for (int32_t i = begin; i < end; i++)
        solve_islands(all->task + all->alone + i);
}

static talus_status carve_task_work(talus_solver* s, tl_task* task)
{
    int32_t nc = 0, ncolour = 0, nv = 0;
    for (int32_t i = 0; i < task->n; i++) {
        nc += task->list[i]->nc;
        ncolour = TL_MAX(ncolour, 2 * tl_isl_degree(task->list[i]));
        nv = TL_MAX(nv, task->list[i]->nv);
    }
    tl_arena_init(&task->work, s->ctx);
    task->work.size = tl_isl_lifting_bytes(task->n, nc, ncolour, nv);
    task->work.base = tl_arena_alloc(&s->arena, task->work.size);
    return task->work.base ? TALUS_OK : tl_nomem(s->ctx, s->arena.used);
}

// islands in a row until a task is worth its start; bounds depend on the problem alone. An island with more
// than half of all contacts would keep one thread busy while the others wait: it comes first, with threads
// inside.
static talus_status make_tasks(talus_solver* s, tl_islands* all)
{
    all->task = TL_ARENA(&s->arena, tl_task, all->n);
    tl_island** list = TL_ARENA(&s->arena, tl_island*, all->n);
    if (!all->task || !list)
        return tl_nomem(s->ctx, s->arena.used);
    int32_t at = 0;
    for (int32_t i = 0; i < all->n && !all->alone; i++)
        if (all->island[i].alone) {
            all->alone = true;
            list[at++] = all->island + i;
            all->task[all->ntask++] = (tl_task){.n = 1, .list = list};
        }
    int32_t contacts = TASK_CONTACTS;
    for (int32_t i = 0; i < all->n; i++) {
        if (all->island[i].alone)
            continue;
        if (contacts >= TASK_CONTACTS) {
            all->task[all->ntask++] = (tl_task){.list = list + at};
            contacts = 0;
        }
        list[at++] = all->island + i;
        all->task[all->ntask - 1].n++;
        contacts += all->island[i].nc;
    }
    for (int32_t i = 0; i < all->ntask; i++)
        TL_TRY(carve_task_work(s, all->task + i));
    return TALUS_OK;
}

// not converged before converged, then by residual
static bool is_worse(const talus_solve_info* x, const talus_solve_info* sum)
{
    if (x->unconverged != (sum->unconverged > 0))
        return x->unconverged;
    return sum->worst_contact < 0 || x->residual > sum->residual;
}

static void add_info(talus_solve_info* sum, const tl_island* s)
{
    const talus_solve_info* x = &s->info;
    if (is_worse(x, sum))
        sum->worst_contact = x->worst_contact;
    sum->iterations += x->iterations;
    sum->iterations_max = TL_MAX(sum->iterations_max, x->iterations);
    sum->factorizations += x->factorizations;
    sum->factorizations_max = TL_MAX(sum->factorizations_max, x->factorizations);
    sum->linear_steps += x->linear_steps;
    sum->symbolic += x->symbolic;
    sum->restarted += x->restarted;
    sum->substepped += x->substepped;
    sum->lagged += x->lagged;
    sum->unconverged += x->unconverged;
    sum->lagged_err = fmax(sum->lagged_err, x->lagged_err);
    sum->dense_islands += x->dense_islands;
    sum->flops += x->flops;
    sum->nnz_L += x->nnz_L;
    sum->t_assemble += x->t_assemble;
    sum->t_symbolic += x->t_symbolic;
    sum->t_factor += x->t_factor;
    sum->t_solve += x->t_solve;
    sum->t_limit += x->t_limit;
    sum->residual = fmax(sum->residual, x->residual);
}

static void collect(const talus_problem_view* p, const tl_islands* all, talus_solution* sol)
{
    const size_t bytes = sizeof(double) * (size_t)all->gdof[p->ntree];
    if (bytes)                            // both may be NULL without trees
        memcpy(sol->v, p->v_star, bytes); // trees without contact
    if (bytes && sol->v_mean)
        memcpy(sol->v_mean, p->v_star, bytes);
    if (sol->f)
        memset(sol->f, 0, sizeof(double) * 3 * (size_t)p->nc);
    if (sol->limit_f)
        memset(sol->limit_f, 0, sizeof(double) * (size_t)p->nl);
    if (sol->loss_f)
        memset(sol->loss_f, 0, sizeof(double) * (size_t)p->nf);
    for (int32_t k = 0; k < all->n; k++) {
        const tl_island* s = all->island + k;
        for (int32_t t = 0; t < s->ntree; t++) {
            const size_t n = sizeof(double) * (size_t)(s->dof[t + 1] - s->dof[t]);
            memcpy(sol->v + s->gdof[t], s->v + s->dof[t], n);
            if (sol->v_mean)
                memcpy(sol->v_mean + s->gdof[t], s->v_mean + s->dof[t], n);
        }
        for (int32_t i = 0; i < s->nc; i++) {
            const int32_t c = s->source[i];
            if (c < p->nc) {
                for (int32_t r = 0; r < 3 && sol->f; r++)
                    sol->f[3 * (int64_t)c + r] = s->f[(int64_t)r * s->ld + i];
            } else if (c < p->nc + p->nl) {
                if (sol->limit_f)
                    sol->limit_f[c - p->nc] = s->f[2 * (int64_t)s->ld + i];
            } else if (sol->loss_f) {
                sol->loss_f[c - p->nc - p->nl] = s->f[i];
            }
        }
    }
}

talus_status talus_solver_step(talus_solver* s, const talus_problem_view* prob, talus_solution* sol,
                               talus_solve_info* info)
{
    if (!s || !sol || (!sol->v && prob && prob->ntree > 0))
        return TALUS_ERR_ARG;
    const double t0 = tl_now();
    TL_TRY(tl_problem_check(s->ctx, prob));
    TL_TRY(tl_arena_reset(&s->arena));
    TL_TRY(reserve_slots(s, prob->ntree));
    // the paper's step length is one for all contacts
    const bool split = s->opt.islands && s->opt.globalization != TALUS_GLOBALIZATION_TALS;
    tl_islands all;
    const talus_status made = tl_islands_make(s, prob, split ? TL_GROUP_ISLANDS : TL_GROUP_ONE, &all);
    if (made < 0)
        return made == TALUS_ERR_NOMEM ? tl_nomem(s->ctx, s->arena.used) : made;
    for (int32_t i = 0; i < all.n; i++) {
        all.island[i].slot = s->slot + all.island[i].tree[0];
        all.island[i].info.worst_contact = -1;
    }
    TL_TRY(make_tasks(s, &all));
    talus_solve_info sum = {.nislands = all.n, .ncontacts_active = all.ncontacts, .worst_contact = -1};
    sum.t_setup = tl_now() - t0;
    if (all.alone)
        solve_islands(all.task);
    tl_parallel_for(s->ctx, all.ntask - all.alone, 1, solve_tasks, &all);
    bool memory = false;
    for (int32_t i = 0; i < all.n; i++) {
        memory |= all.island[i].failed_memory;
        add_info(&sum, all.island + i);
    }
    if (memory)
        return tl_nomem(s->ctx, s->arena.used);
    collect(prob, &all, sol);
    if (info)
        *info = sum;
    return sum.unconverged ? TALUS_NOT_CONVERGED : sum.lagged ? TALUS_LAGGED : TALUS_OK;
}

// one island of all trees, for the operators on the whole problem
static talus_status whole_problem(talus_solver* s, const talus_problem_view* prob, tl_islands* all)
{
    TL_TRY(tl_problem_check(s->ctx, prob));
    TL_TRY(tl_arena_reset(&s->arena));
    const talus_status made = tl_islands_make(s, prob, TL_GROUP_ALL, all);
    return made == TALUS_ERR_NOMEM ? tl_nomem(s->ctx, s->arena.used) : made;
}

talus_status talus_problem_apply_A(talus_solver* s, const talus_problem_view* prob, const double* v,
                                   const double* x, double* y)
{
    if (!s || !prob || !v || !x || !y)
        return TALUS_ERR_ARG;
    tl_islands all;
    TL_TRY(whole_problem(s, prob, &all));
    if (all.n == 0)
        return TALUS_OK;
    tl_island* isl = all.island;
    double* c = TL_ARENA(&isl->work, double, 12 * (int64_t)isl->ld);
    if (!c)
        return tl_nomem(s->ctx, 96 * (size_t)isl->ld);
    double *w = c, *g = c + 3 * (int64_t)isl->ld, *G = c + 6 * (int64_t)isl->ld;
    tl_isl_velocity(isl, v, w);
    tl_isl_force(isl, w, NULL, false, NULL, G);
    tl_isl_A(isl, G, x, y, w, g);
    tl_arena_release(&isl->work, (tl_arena_mark){0});
    return TALUS_OK;
}

talus_status talus_problem_residual(talus_solver* s, const talus_problem_view* prob, const double* v,
                                    double* r, double* relative)
{
    if (!s || !prob || !v)
        return TALUS_ERR_ARG;
    tl_islands all;
    TL_TRY(whole_problem(s, prob, &all));
    if (relative)
        *relative = 0.0;
    if (all.n == 0)
        return TALUS_OK;
    tl_island* isl = all.island;
    double* x = TL_ARENA(&isl->work, double, 3 * (int64_t)isl->nv);
    double* c = TL_ARENA(&isl->work, double, 6 * (int64_t)isl->ld);
    if (!x || !c) {
        tl_arena_release(&isl->work, (tl_arena_mark){0});
        return tl_nomem(s->ctx, 48 * (size_t)isl->ld);
    }
    tl_isl_velocity(isl, v, c);
    const tl_residual res = tl_isl_residual(isl, v, NULL, x, c, c + 3 * (int64_t)isl->ld, x + isl->nv);
    if (r)
        memcpy(r, x, sizeof(double) * (size_t)isl->nv);
    if (relative)
        *relative = res.relative;
    tl_arena_release(&isl->work, (tl_arena_mark){0});
    return TALUS_OK;
}
