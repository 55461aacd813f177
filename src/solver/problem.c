// SPDX-License-Identifier: MIT
// Defaults, option lists and the check of a problem view: bad values are found where they enter, with field
// and index.
#include "solver_internal.h"
#include "option_entry.h"

#include <math.h>
#include <stdatomic.h>

#define PROBLEM_COOKIE 0x74616c32u
#define OPTIONS_COOKIE 0x74616c33u
// a magnitude beyond which squares overflow on the way to a norm
#define LARGEST 1e100
#define LOOK 16384 // numbers of a chunk, microseconds

talus_problem_view talus_problem_default(void)
{
    return (talus_problem_view){.cookie = PROBLEM_COOKIE, .v_s = 1e-4, .loss_v_s = 1e-3};
}

talus_solver_options talus_solver_options_default(void)
{
    return (talus_solver_options){
        .cookie = OPTIONS_COOKIE,
        TALUS_SOLVER_OPTIONS(TL_OPTION_DEFAULT, TL_OPTION_DEFAULT, TL_OPTION_DEFAULT)};
}

#define AT(field) offsetof(talus_solver_options, field)
#define ENTRY_D(...) TL_OPTION_D("solver.", AT, __VA_ARGS__)
#define ENTRY_I(...) TL_OPTION_I("solver.", AT, __VA_ARGS__)
#define ENTRY_E(...) TL_OPTION_E("solver.", AT, __VA_ARGS__)

int32_t talus_solver_options_list(const talus_option_info** list)
{
    static const talus_option_info entries[] = {TALUS_SOLVER_OPTIONS(ENTRY_D, ENTRY_I, ENTRY_E)};
    *list = entries;
    return TL_COUNT(entries);
}

typedef enum need { ANY, NOT_NEGATIVE, POSITIVE } need;

// Two at a time on their bits and without a branch for each: all numbers of a step come by here. Magnitudes are
// ordered like their bits. @return false: look closer (negative ones may be zeros)
static bool surely_fine(const double* x, int64_t n, need want)
{
    typedef int64_t two __attribute__((vector_size(16)));
    typedef int64_t two_mem __attribute__((vector_size(16), aligned(8), may_alias));
    if (want == POSITIVE)
        return false;
    const double largest = LARGEST;
    int64_t limit;
    memcpy(&limit, &largest, sizeof limit);
    const two magnitude = {INT64_MAX, INT64_MAX}, most = {limit, limit};
    const int64_t sign = want == ANY ? 0 : INT64_MIN;
    const two forbidden = {sign, sign};
    two bad = {0, 0};
    for (int64_t i = 0; i + 2 <= n; i += 2) {
        const two bits = *(const two_mem*)(x + i);
        bad |= (most - (bits & magnitude)) | (bits & forbidden);
    }
    return (bad[0] | bad[1]) >= 0 &&
           (n % 2 == 0 || (x[n - 1] >= (want == ANY ? -LARGEST : 0.0) && x[n - 1] <= LARGEST));
}

typedef struct look {
    const double* x;
    need want;
    atomic_bool closer; // look closer
} look;

static void look_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    look* l = arg;
    if (!surely_fine(l->x + begin, end - begin, l->want))
        atomic_store_explicit(&l->closer, true, memory_order_relaxed);
}

static bool all_fine(talus_context* ctx, const double* x, int64_t n, need want)
{
    if (n <= LOOK || n > INT32_MAX)
        return surely_fine(x, n, want);
    look l = {.x = x, .want = want};
    tl_parallel_light(ctx, (int32_t)n, LOOK, look_range, &l);
    return !l.closer;
}

static talus_status check_values(talus_context* ctx, const char* field, const double* x, int64_t n, need want)
{
    if (n > 0 && !x)
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: %s is NULL, %lld values expected", field, (long long)n);
    if (all_fine(ctx, x, n, want))
        return TALUS_OK;
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(x[i]) <= LARGEST))
            return tl_fail(ctx, TALUS_ERR_INPUT, "problem: %s[%lld] = %g is not a finite number below %g",
                           field, (long long)i, x[i], LARGEST);
        if ((want == NOT_NEGATIVE && x[i] < 0.0) || (want == POSITIVE && x[i] <= 0.0))
            return tl_fail(ctx, TALUS_ERR_INPUT, "problem: %s[%lld] = %g must %s", field, (long long)i, x[i],
                           want == POSITIVE ? "be positive" : "not be negative");
    }
    return TALUS_OK;
}

static talus_status check_dofs(talus_context* ctx, const talus_problem_view* p, const char* what, int32_t n,
                               const int32_t* tree, const int32_t* dof)
{
    if (n > 0 && (!tree || !dof))
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: %s without trees or dofs", what);
    for (int32_t i = 0; i < n; i++)
        if (tree[i] < 0 || tree[i] >= p->ntree || dof[i] < 0 || dof[i] >= p->tree_nv[tree[i]])
            return tl_fail(ctx, TALUS_ERR_INPUT, "problem: %s %d: no dof %d in tree %d", what, i, dof[i],
                           tree[i]);
    return TALUS_OK;
}

static talus_status check_contacts(talus_context* ctx, const talus_problem_view* p)
{
    if (p->nc > 0 && (!p->tree_a || !p->tree_b))
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: contacts without trees");
    int64_t nj = 0;
    for (int32_t i = 0; i < p->nc; i++) {
        const int32_t a = p->tree_a[i], b = p->tree_b[i];
        if (a < -1 || a >= p->ntree || b < -1 || b >= p->ntree)
            return tl_fail(ctx, TALUS_ERR_INPUT, "problem: contact %d: trees (%d, %d), expected -1 to %d", i,
                           a, b, p->ntree - 1);
        nj += 3 * (int64_t)((a < 0 ? 0 : p->tree_nv[a]) + (b < 0 ? 0 : p->tree_nv[b]));
    }
    TL_TRY(check_values(ctx, "J", p->J, nj, ANY));
    TL_TRY(check_values(ctx, "delta0", p->delta0, p->nc, ANY));
    TL_TRY(check_values(ctx, "k", p->k, p->nc, NOT_NEGATIVE));
    TL_TRY(check_values(ctx, "d", p->d, p->nc, NOT_NEGATIVE));
    TL_TRY(check_values(ctx, "mu", p->mu, p->nc, NOT_NEGATIVE));
    if (p->f0)
        TL_TRY(check_values(ctx, "f0", p->f0, 3 * (int64_t)p->nc, ANY));
    return TALUS_OK;
}

talus_status tl_problem_check(talus_context* ctx, const talus_problem_view* p)
{
    if (!p || p->cookie != PROBLEM_COOKIE)
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: not made by talus_problem_default()");
    if (p->ntree < 0 || p->nc < 0 || p->nl < 0 || p->nf < 0)
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: negative size");
    if (!(p->h > 0.0) || !(p->h <= LARGEST))
        return tl_fail(ctx, TALUS_ERR_INPUT, "problem: step h = %g s must be positive and finite", p->h);
    if (!(p->v_s > 0.0) || !(p->v_s <= LARGEST) || !(p->loss_v_s > 0.0) || !(p->loss_v_s <= LARGEST))
        return tl_fail(ctx, TALUS_ERR_INPUT, "problem: stiction tolerance v_s = %g m/s must be positive",
                       p->v_s);
    if (p->friction != TALUS_FRICTION_LINEAR && p->friction != TALUS_FRICTION_QUADRATIC)
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: unknown friction law %d", (int)p->friction);
    if (p->dissipation != TALUS_DISSIPATION_LINEAR && p->dissipation != TALUS_DISSIPATION_HUNT_CROSSLEY)
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: unknown dissipation law %d", (int)p->dissipation);
    if (p->ntree > 0 && !p->tree_nv)
        return tl_fail(ctx, TALUS_ERR_ARG, "problem: tree_nv is NULL");
    int64_t nv = 0, nm = 0;
    for (int32_t t = 0; t < p->ntree; t++) {
        if (p->tree_nv[t] < 1)
            return tl_fail(ctx, TALUS_ERR_INPUT, "problem: tree_nv[%d] = %d, expected 1 or more", t,
                           p->tree_nv[t]);
        nv += p->tree_nv[t];
        nm += (int64_t)p->tree_nv[t] * p->tree_nv[t];
    }
    if (nv > INT32_MAX / 16)
        return tl_fail(ctx, TALUS_ERR_UNSUPPORTED, "problem: %lld dofs are too many", (long long)nv);
    TL_TRY(check_values(ctx, "M", p->M, nm, ANY));
    TL_TRY(check_values(ctx, "v0", p->v0, nv, ANY));
    TL_TRY(check_values(ctx, "v_star", p->v_star, nv, ANY));
    TL_TRY(check_contacts(ctx, p));
    TL_TRY(check_dofs(ctx, p, "limit", p->nl, p->limit_tree, p->limit_dof));
    TL_TRY(check_values(ctx, "limit_delta0", p->limit_delta0, p->nl, ANY));
    TL_TRY(check_values(ctx, "limit_k", p->limit_k, p->nl, NOT_NEGATIVE));
    TL_TRY(check_values(ctx, "limit_d", p->limit_d, p->nl, NOT_NEGATIVE));
    TL_TRY(check_values(ctx, "limit_sign", p->limit_sign, p->nl, ANY));
    if (p->limit_f0)
        TL_TRY(check_values(ctx, "limit_f0", p->limit_f0, p->nl, ANY));
    TL_TRY(check_dofs(ctx, p, "dry friction", p->nf, p->loss_tree, p->loss_dof));
    TL_TRY(check_values(ctx, "loss_bound", p->loss_bound, p->nf, NOT_NEGATIVE));
    if (p->loss_f0)
        TL_TRY(check_values(ctx, "loss_f0", p->loss_f0, p->nf, ANY));
    return TALUS_OK;
}
