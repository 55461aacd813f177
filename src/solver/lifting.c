// SPDX-License-Identifier: MIT
// Transition-aware lifting (theory: src/README.md#lifting). Each contact has its own linearization velocity
// nu_i:
//
//   start    v, nu from the history's impulse and ten nonlinear Gauss-Seidel sweeps; quiet islands at (v0, J
//   v0) repeat   r(v); stop at |r|_{M^-1} <= tol scale
//            F, G at nu; A d = h J^T (F - G (J v - nu)) - M (v - v*); v += d          (always the full step)
//            w = J v, fl = F - G (w - nu), nu = local(w, fl), then the 6x6 rounds of large body pairs
//            every 4th iteration that is not yet converging fast sweeps again instead, each time four times
//            as often
//
// A is applied matrix-free; GMRES is preconditioned by the factor of A_s, a kept one where that is enough. No
// step length over contacts anywhere: a scalar one grows like N^(2/3) on piles.
#include "solver_internal.h"

#include <math.h>

#define INNER_TOL 1e-3     // relative tolerance of the linear solves
#define STOP_SHARE 0.3     // of the step's own tolerance: no linear solve needs more
#define INNER_STEPS 10     // GMRES steps with a fresh factor
#define REUSE_STEPS 12     // with a kept one
#define FAR_RESIDUAL 0.3   // residual above which an iterate is no better than its start
#define PATIENT_AFTER 3    // sweeps again after which Newton gets longer each time
#define FAST_RESIDUAL 1e-2 // residual below which Newton is on its way
#define KEPT_RESIDUAL 0.1  // residual below which the kept factor is tried after the first iteration

typedef struct newton {
    double *v, *r, *b, *d, *work2; // (nv), work2 (2 nv)
    double *w, *f;                 // (3 x ld) J v and f(J v)
    double *nu, *F, *fl;           // (3 x ld) linearization velocities, forces there, linearized forces at w
    double* G;                     // (6 x ld)
    tl_patch* patches;
    int32_t npatches;
    bool have_patches;
    bool quiet;        // started at v0 without sweeps: the kept factor may still be good
    tl_residual start; // at v
} newton;

static talus_status newton_init(tl_island* s, newton* n)
{
    double* x = TL_ARENA(&s->work, double, 6 * (int64_t)s->nv);
    double* c = TL_ARENA(&s->work, double, 21 * (int64_t)s->ld);
    if (!x || !c)
        return TALUS_ERR_NOMEM;
    const int64_t nv = s->nv, ld = s->ld;
    *n = (newton){.v = x, .r = x + nv, .b = x + 2 * nv, .d = x + 3 * nv, .work2 = x + 4 * nv};
    n->w = c;
    n->nu = c + 3 * ld;
    n->F = c + 6 * ld;
    n->fl = c + 9 * ld;
    n->f = c + 12 * ld;
    n->G = c + 15 * ld;
    return TALUS_OK;
}

static void accept(tl_island* s, const newton* n, double relative)
{
    memcpy(s->v, n->v, sizeof(double) * (size_t)s->nv);
    memcpy(s->f, n->f, sizeof(double) * 3 * (size_t)s->ld);
    s->info.residual = relative;
}

// an iteration's arrays for a region, and what a region of update_nu does
typedef struct region {
    const tl_island* s;
    newton* n;
    bool sweep;
} region;

// r at v, where f = f(J v)
static tl_residual evaluate(tl_island* s, newton* n)
{
    return tl_isl_residual_of(s, n->v, n->f, n->r, n->work2);
}

static void evaluate_contacts(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const region* t = arg;
    const newton* n = t->n;
    tl_chunk_velocity(t->s, begin, end, n->v, n->w);
    tl_chunk_force(t->s, begin, end, n->w, NULL, false, n->f, NULL);
}

// w = J v, f = f(w), and the residual
static tl_residual evaluate_again(tl_island* s, newton* n)
{
    region t = {.s = s, .n = n};
    tl_isl_over_contacts(s, evaluate_contacts, &t);
    return evaluate(s, n);
}

// fl = F - G (w - nu): the forces linearized at nu
static void linearized_force(const tl_island* s, newton* n, int32_t begin, int32_t end)
{
    s->kernels->gradient_apply(end - begin, s->ld, n->G + begin, n->w + begin, n->F + begin, n->nu + begin,
                               n->fl + begin);
}

static void rhs_contacts(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const region* t = arg;
    newton* n = t->n;
    tl_chunk_force(t->s, begin, end, n->nu, NULL, false, n->F, n->G);
    linearized_force(t->s, n, begin, end);
    for (int32_t r = 0; r < 3; r++)
        for (int64_t i = (int64_t)r * t->s->ld + begin; i < (int64_t)r * t->s->ld + end; i++)
            n->fl[i] -= n->f[i];
}

static void rhs_trees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const region* t = arg;
    const tl_island* s = t->s;
    newton* n = t->n;
    for (int32_t i = s->dof[begin]; i < s->dof[end]; i++) {
        n->b[i] = -n->r[i];
        n->d[i] = 0.0;
    }
    tl_chunk_gen(s, begin, end, n->fl, s->h, n->b);
    tl_chunk_Minv(s, begin, end, n->b, n->work2);
    s->partial[block] = tl_chunk_dot(s, begin, end, n->b, n->work2);
}

// F, G at nu and b = h J^T (F - G (J v - nu)) - M (v - v*) = h J^T (fl - f) - r, with f = f(J v) of the
// residual r; d = 0. @return |b|_{M^-1}
static double form_rhs(tl_island* s, newton* n)
{
    region t = {.s = s, .n = n};
    tl_isl_over_contacts(s, rhs_contacts, &t);
    tl_isl_over_trees(s, rhs_trees, &t);
    return sqrt(fmax(tl_isl_sum(s, s->partial, 1), 0.0));
}

// A d = b with the kept factor where that promises to be cheaper, else with a new one, which goes on from
// where the kept one got to. The last solve of a step stops where the step does.
// @return false: no solution to be had
static bool newton_direction(tl_island* s, newton* n, double size, bool try_kept, double scale)
{
    tl_gmres_goal goal = {.stop = fmax(INNER_TOL * size, STOP_SHARE * s->opt->tol * scale),
                          .steps = REUSE_STEPS};
    if (try_kept && s->opt->reuse && tl_isl_has_factor(s)) {
        goal.worth = tl_isl_factor_worth(s);
        if (tl_isl_gmres(s, n->G, n->b, &goal, n->d))
            return true;
        tl_isl_A(s, n->G, n->d, n->r, n->f, n->fl);
        for (int32_t i = 0; i < s->nv; i++)
            n->b[i] -= n->r[i];
    }
    const talus_status status = tl_isl_factor(s, n->G, false);
    if (status < 0) {
        s->failed_memory |= status != TALUS_ERR_SINGULAR;
        return false;
    }
    goal.steps = INNER_STEPS;
    goal.worth = INFINITY;
    tl_isl_gmres(s, n->G, n->b, &goal, n->d);
    return true;
}

static void update_contacts(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const region* t = arg;
    const tl_island* s = t->s;
    newton* n = t->n;
    const tl_contact_params p = tl_isl_params(s, begin);
    tl_chunk_velocity(s, begin, end, n->v, n->w);
    linearized_force(s, n, begin, end);
    s->kernels->contact_local(end - begin, s->ld, &p, s->Wt + begin, s->Wn + begin, n->w + begin,
                              n->fl + begin, s->bound ? s->bound + begin : NULL, n->nu + begin,
                              t->sweep ? n->F + begin : NULL);
    if (!t->sweep)
        tl_chunk_force(s, begin, end, n->w, NULL, false, n->f, NULL);
}

// w = J v, fl = F - G (w - nu), nu = local(w, fl); or sweeps from the forces there. Then r, f = f(J v).
static talus_status update_nu(tl_island* s, newton* n, int32_t sweep, tl_residual* r)
{
    region t = {.s = s, .n = n, .sweep = sweep > 0};
    tl_isl_over_contacts(s, update_contacts, &t);
    if (!sweep) {
        if (!n->have_patches) {
            TL_TRY(tl_isl_patches(s, &n->patches, &n->npatches));
            n->have_patches = true;
        }
        tl_isl_pair_rounds(s, n->patches, n->npatches, n->v, n->fl, n->nu);
    }
    if (sweep) {
        tl_sweep again = {.s = s, .f = n->F, .v = n->v, .nu = n->nu};
        TL_TRY(tl_isl_colour(s));
        TL_TRY(tl_sweep_islands(&s->work, 1, &(tl_sweep*){&again}, sweep));
    }
    *r = sweep ? evaluate_again(s, n) : evaluate(s, n);
    return TALUS_OK;
}

// the contact whose velocity changed most from its linearization to v
static void find_worst(tl_island* s, newton* n)
{
    double most = -1.0;
    for (int32_t i = 0; i < s->nc; i++) {
        double e = 0.0;
        for (int32_t r = 0; r < 3; r++) {
            const double x = n->w[(int64_t)r * s->ld + i] - n->nu[(int64_t)r * s->ld + i];
            e += x * x;
        }
        if (e > most) {
            most = e;
            s->info.worst_contact = s->source[i];
        }
    }
}

// 40, 160, 640, 640, ... : sweeps are cheap beside a factorization, and enough of them end Newton's cycles
static int32_t sweeps_again(const tl_island* s, int32_t time)
{
    return TL_MAX(10, s->opt->sweeps) << TL_MIN(2 * time, 6);
}

static bool iterate(tl_island* s, newton* n, int32_t limit)
{
    tl_residual r = n->start;
    double before = INFINITY;
    int32_t swept = 0, times = 0; // iteration of the last sweeps, how often
    for (int32_t k = 1;; k++) {
        if (!isfinite(r.relative) || !isfinite(r.scale))
            return false;
        accept(s, n, r.relative);
        if (r.relative <= s->opt->tol)
            return true;
        if (k > limit) {
            find_worst(s, n);
            return false;
        }
        const double size = form_rhs(s, n);
        if (!newton_direction(s, n, size, k == 1 ? n->quiet : r.relative < KEPT_RESIDUAL, r.scale))
            return false;
        s->info.iterations++;
        for (int32_t i = 0; i < s->nv; i++)
            n->v[i] += n->d[i];
        // sweep again after a few slow iterations, sooner while far away: Newton then cycles
        const bool slow = r.relative > FAST_RESIDUAL || r.relative > 0.1 * before;
        const int32_t wait = r.relative > FAR_RESIDUAL ? s->opt->resweep / 2 : s->opt->resweep;
        // later ones wait longer: a contact with a response far from diagonal needs Newton's steps in a row
        const int32_t patience = TL_MAX(wait, 1) + 2 * TL_MAX(0, times - PATIENT_AFTER);
        const bool again = slow && s->opt->resweep > 0 && k - swept >= patience;
        before = r.relative;
        swept = again ? k : swept;
        times += again;
        if (update_nu(s, n, again ? sweeps_again(s, times) : 0, &r) < 0) {
            s->failed_memory = true;
            return false;
        }
    }
}

// at v0 with its residual, which tells whether the island is quiet
static bool start_at_v0(tl_island* s, newton* n)
{
    if (newton_init(s, n) < 0) {
        s->failed_memory = true;
        return false;
    }
    memcpy(n->v, s->v0, sizeof(double) * (size_t)s->nv);
    n->start = evaluate_again(s, n);
    n->quiet = n->start.relative < s->opt->quiet;
    memcpy(n->nu, n->w, sizeof(double) * 3 * (size_t)s->ld);
    return true;
}

bool tl_isl_try(tl_island* s, bool cold)
{
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    newton n;
    if (!start_at_v0(s, &n))
        return false;
    if (!cold && !n.quiet) {
        memset(n.F, 0, sizeof(double) * 3 * (size_t)s->ld);
        tl_sweep x = {.s = s, .f = n.F, .v = n.v, .nu = n.nu};
        if (tl_isl_colour(s) < 0 || tl_sweep_islands(&s->work, 1, &(tl_sweep*){&x}, s->opt->sweeps) < 0)
            s->failed_memory = true;
        n.start = evaluate_again(s, &n);
    }
    const bool ok = !s->failed_memory && iterate(s, &n, cold ? s->opt->max_iter_restart : s->opt->max_iter);
    tl_arena_release(&s->work, mark);
    return ok;
}

// what follows the first try, converged or not
static void conclude(tl_island* s, bool ok)
{
    if (!ok && !s->failed_memory) {
        s->info.restarted = 1;
        ok = tl_isl_try(s, true);
    }
    memcpy(s->v_mean, s->v, sizeof(double) * (size_t)s->nv);
    for (int32_t n = 2; !ok && !s->failed_memory && n <= s->opt->substeps_max; n *= 2) {
        ok = tl_isl_substeps(s, n);
        s->info.substepped = ok;
    }
    if (ok || s->failed_memory)
        return;
    if (s->opt->lagged) {
        tl_isl_lagged(s);
        return;
    }
    s->info.unconverged = 1;
}

// sweep those that are not quiet together: an island's few contacts of one colour would fill no kernel
static talus_status sweep_moving(tl_arena* work, int32_t n, tl_island* const* list, newton* first)
{
    tl_sweep* x = TL_ARENA(work, tl_sweep, n);
    tl_sweep** moving = TL_ARENA(work, tl_sweep*, n);
    if (!x || !moving)
        return TALUS_ERR_NOMEM;
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        if (!list[i]->failed_memory && !first[i].quiet) {
            TL_TRY(tl_isl_colour(list[i]));
            x[i] = (tl_sweep){.s = list[i], .f = list[i]->f0, .v = first[i].v, .nu = first[i].nu};
            moving[count++] = x + i;
        }
    return count ? tl_sweep_islands(work, count, moving, list[0]->opt->sweeps) : TALUS_OK;
}

void tl_isl_lifting(tl_arena* work, int32_t n, tl_island* const* list)
{
    const tl_arena_mark mark = tl_arena_get_mark(work);
    newton* first = TL_ARENA(work, newton, n);
    list[0]->clock = tl_now();
    for (int32_t i = 0; i < n && first; i++)
        start_at_v0(list[i], first + i);
    const bool swept = first && sweep_moving(work, n, list, first) >= 0;
    for (int32_t i = 0; i < n; i++) {
        tl_island* s = list[i];
        s->clock = i ? list[i - 1]->clock : s->clock; // the first one's includes the start of all
        s->failed_memory |= !swept;
        if (!s->failed_memory && !first[i].quiet)
            first[i].start = evaluate_again(s, first + i);
        const bool ok = !s->failed_memory && iterate(s, first + i, s->opt->max_iter);
        tl_arena_release(&s->work, (tl_arena_mark){0});
        conclude(s, ok);
        tl_arena_release(&s->work, (tl_arena_mark){0});
        tl_isl_lap(s, &s->info.t_limit);
    }
    tl_arena_release(work, mark);
}

size_t tl_isl_lifting_bytes(int32_t n, int32_t nc, int32_t ncolour, int32_t nv)
{
    return (size_t)n * (sizeof(newton) + sizeof(tl_sweep) + sizeof(tl_sweep*)) + 3 * TL_ALIGN +
           tl_sweep_bytes(n, nc, ncolour, nv);
}
