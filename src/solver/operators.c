// SPDX-License-Identifier: MIT
// Matrix-free operators of one island: J v, J^T f, M x, M^-1 x, A x, the residual (theory:
// src/README.md#operators). Islands of free bodies have kernels of six columns, all others those for
// trees of any size.
//
// Every operator runs over chunks of contacts or chunks of trees, which write what nobody else writes; J^T f
// goes tree by tree for that reason. Chunks depend on the island alone, and so do the sums taken over them: an
// island alone in its step shares them among threads (tl_isl_over), with the same bits.
#include "island.h"

#include <math.h>

void tl_isl_over(const tl_island* s, int32_t n, int32_t grain, tl_range_fn* fn, void* arg)
{
    if (s->alone) {
        tl_parallel_light(s->ctx, n, grain, fn, arg);
        return;
    }
    for (int32_t b = 0, begin = 0; begin < n; b++, begin += grain)
        fn(arg, begin, TL_MIN(n, begin + grain), b);
}

void tl_isl_over_contacts(const tl_island* s, tl_range_fn* fn, void* arg)
{
    tl_isl_over(s, s->ld, TL_CONTACT_CHUNK, fn, arg);
}

void tl_isl_over_trees(const tl_island* s, tl_range_fn* fn, void* arg)
{
    tl_isl_over(s, s->ntree, TL_TREE_CHUNK, fn, arg);
}

double tl_isl_sum(const tl_island* s, const double* partial, int32_t stride)
{
    double sum = 0.0;
    for (int32_t b = 0; b * TL_TREE_CHUNK < s->ntree; b++)
        sum += partial[(int64_t)b * stride];
    return sum;
}

// ---- pieces of a chunk
// ------------------------------------------------------------------------------------------

// contacts from `at` on: kernels count theirs from zero
tl_jacobian6 tl_isl_rows(const tl_island* s, const double* rows, int32_t at)
{
    return (tl_jacobian6){.rows = rows, .at = s->joff + at, .a = s->ta + at, .b = s->tb + at, .dof = s->dof};
}

tl_tree_rows tl_isl_tree_rows(const tl_island* s, const double* rows, int32_t at)
{
    return (tl_tree_rows){.rows = rows, .at = s->joff + at, .a = s->ta + at, .b = s->tb + at, .dof = s->dof};
}

tl_contact_params tl_isl_params(const tl_island* s, int32_t at)
{
    return (tl_contact_params){.k = s->k + at,
                               .d = s->d + at,
                               .mu = s->mu + at,
                               .delta0 = s->delta0 + at,
                               .v_s = s->v_s + at,
                               .tau = s->tau ? s->tau + at : NULL,
                               .h = s->h,
                               .linear = s->linear};
}

void tl_isl_apply(const tl_island* s, int32_t n, const int32_t* list, const double* rows, const double* v,
                  int32_t ld, double* w)
{
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, rows, 0);
        s->kernels->jacobian_apply(n, list, &J, v, ld, w);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, rows, 0);
        s->kernels->rows_apply(n, list, &J, v, ld, w);
    }
}

void tl_isl_add(const tl_island* s, int32_t n, const int32_t* list, const double* rows, double scale,
                const double* f, int32_t ld, double* v)
{
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, rows, 0);
        s->kernels->jacobian_add(n, list, &J, scale, f, ld, v);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, rows, 0);
        s->kernels->rows_add(n, list, &J, scale, f, ld, v);
    }
}

void tl_chunk_velocity(const tl_island* s, int32_t begin, int32_t end, const double* v, double* w)
{
    const int32_t ld = s->ld, n = TL_MIN(end, s->nc) - begin;
    for (int32_t i = TL_MAX(begin, s->nc); i < end; i++)
        w[i] = w[ld + i] = w[2 * ld + i] = 0.0;
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, s->J, begin);
        s->kernels->jacobian_apply(n, NULL, &J, v, ld, w + begin);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, s->J, begin);
        s->kernels->rows_apply(n, NULL, &J, v, ld, w + begin);
    }
}

void tl_chunk_gen(const tl_island* s, int32_t begin, int32_t end, const double* f, double scale, double* p)
{
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, s->J, 0);
        s->kernels->jacobian_gather(begin, end, s->side_start, s->side, &J, scale, f, s->ld, p);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, s->J, 0);
        s->kernels->rows_gather(begin, end, s->side_start, s->side, &J, scale, f, s->ld, p);
    }
}

void tl_chunk_M(const tl_island* s, int32_t begin, int32_t end, const double* x, double* y)
{
    s->kernels->block_multiply(end - begin, s->dof + begin, s->M + begin, x, y);
}

void tl_chunk_Minv(const tl_island* s, int32_t begin, int32_t end, const double* x, double* y)
{
    s->kernels->block_multiply(end - begin, s->dof + begin, (const double* const*)s->Minv + begin, x, y);
}

double tl_chunk_dot(const tl_island* s, int32_t begin, int32_t end, const double* x, const double* y)
{
    double sum;
    const int32_t at = s->dof[begin], n = s->dof[end] - at;
    s->kernels->vector_dots(n, 1, x + at, n, y + at, &sum);
    return sum;
}

// one-way coupling: the normal force is a constant, so its row of G and the coupling column vanish
static void freeze_normal(const double* bound, int32_t n, int32_t ld, double* f, double* G)
{
    if (f)
        memcpy(f + 2 * ld, bound, sizeof(double) * (size_t)n);
    for (int r = TL_G_XN; G && r <= TL_G_NN; r++)
        memset(G + (int64_t)r * ld, 0, sizeof(double) * (size_t)n);
}

void tl_chunk_force(const tl_island* s, int32_t begin, int32_t end, const double* w, const double* bound,
                    bool secant, double* f, double* G)
{
    const tl_contact_params p = tl_isl_params(s, begin);
    const double* lagged = s->bound ? s->bound : bound;
    f = f ? f + begin : NULL;
    G = G ? G + begin : NULL;
    s->kernels->contact_force(end - begin, s->ld, &p, w + begin, lagged ? lagged + begin : NULL, secant, f,
                              G);
    if (s->bound)
        freeze_normal(s->bound + begin, end - begin, s->ld, f, G);
}

void tl_batch_force(const tl_island* s, const tl_batch* b, const double* w, double* f, double* G)
{
    s->kernels->contact_force(b->n, b->n, &b->p, w, b->bound, 0, f, G);
    if (b->bound)
        freeze_normal(b->bound, b->n, b->n, f, G);
}

// ---- whole operators
// --------------------------------------------------------------------------------------------

typedef struct product {
    const tl_island* s;
    const double *x, *G, *bound;
    double scale;
    double *y, *w, *g; // outputs
    bool secant;
} product;

static void velocity_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_velocity(t->s, begin, end, t->x, t->y);
}

void tl_isl_velocity(const tl_island* s, const double* v, double* w)
{
    product t = {.s = s, .x = v, .y = w};
    tl_isl_over_contacts(s, velocity_range, &t);
}

static void gen_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_gen(t->s, begin, end, t->x, t->scale, t->y);
}

void tl_isl_gen(const tl_island* s, const double* f, double scale, double* p)
{
    product t = {.s = s, .x = f, .scale = scale, .y = p};
    tl_isl_over_trees(s, gen_range, &t);
}

static void M_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_M(t->s, begin, end, t->x, t->y);
}

void tl_isl_M(const tl_island* s, const double* x, double* y)
{
    product t = {.s = s, .x = x, .y = y};
    tl_isl_over_trees(s, M_range, &t);
}

static void Minv_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_Minv(t->s, begin, end, t->x, t->y);
}

void tl_isl_Minv(const tl_island* s, const double* x, double* y)
{
    product t = {.s = s, .x = x, .y = y};
    tl_isl_over_trees(s, Minv_range, &t);
}

double tl_isl_momentum(const tl_island* s, double* work)
{
    tl_isl_M(s, s->v_star, work);
    double x;
    s->kernels->vector_dots(s->nv, 1, s->v_star, s->nv, work, &x);
    return sqrt(fmax(x, 0.0));
}

static void norm_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const product* t = arg;
    tl_chunk_Minv(t->s, begin, end, t->x, t->y);
    t->s->partial[block] = tl_chunk_dot(t->s, begin, end, t->x, t->y);
}

double tl_isl_norm(const tl_island* s, const double* p, double* work)
{
    product t = {.s = s, .x = p, .y = work};
    tl_isl_over_trees(s, norm_range, &t);
    return sqrt(fmax(tl_isl_sum(s, s->partial, 1), 0.0));
}

static void A_contacts(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_velocity(t->s, begin, end, t->x, t->w);
    tl_chunk_GJ(t->s, begin, end, t->G, t->w, t->g);
}

static void A_trees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_M(t->s, begin, end, t->x, t->y);
    tl_chunk_gen(t->s, begin, end, t->g, t->s->h, t->y);
}

void tl_chunk_GJ(const tl_island* s, int32_t begin, int32_t end, const double* G, const double* w, double* g)
{
    s->kernels->gradient_apply(end - begin, s->ld, G + begin, w + begin, NULL, NULL, g + begin);
}

void tl_isl_A(const tl_island* s, const double* G, const double* x, double* y, double* w, double* g)
{
    product t = {.s = s, .x = x, .G = G, .y = y, .w = w, .g = g};
    tl_isl_over_contacts(s, A_contacts, &t);
    tl_isl_over_trees(s, A_trees, &t);
}

static void force_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const product* t = arg;
    tl_chunk_force(t->s, begin, end, t->x, t->bound, t->secant, t->y, t->g);
}

void tl_isl_force(const tl_island* s, const double* w, const double* bound, bool secant, double* f, double* G)
{
    product t = {.s = s, .x = w, .bound = bound, .secant = secant, .y = f, .g = G};
    tl_isl_over_contacts(s, force_range, &t);
}

// ---- the residual
// -----------------------------------------------------------------------------------------------

typedef struct residual {
    const tl_island* s;
    const double *v, *f;
    double *r, *p, *tmp;
} residual;

// p = h J^T f, r = M (v - v*) - p and the squares of their norms
static void residual_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const residual* t = arg;
    const tl_island* s = t->s;
    const int32_t d0 = s->dof[begin], d1 = s->dof[end];
    memset(t->p + d0, 0, sizeof(double) * (size_t)(d1 - d0));
    tl_chunk_gen(s, begin, end, t->f, s->h, t->p);
    tl_chunk_Minv(s, begin, end, t->p, t->tmp);
    s->partial[2 * block] = tl_chunk_dot(s, begin, end, t->p, t->tmp);
    for (int32_t i = d0; i < d1; i++)
        t->tmp[i] = t->v[i] - s->v_star[i];
    tl_chunk_M(s, begin, end, t->tmp, t->r);
    for (int32_t i = d0; i < d1; i++)
        t->r[i] -= t->p[i];
    tl_chunk_Minv(s, begin, end, t->r, t->tmp);
    s->partial[2 * block + 1] = tl_chunk_dot(s, begin, end, t->r, t->tmp);
}

tl_residual tl_isl_residual_of(const tl_island* s, const double* v, const double* f, double* r, double* work2)
{
    residual t = {.s = s, .v = v, .f = f, .r = r, .p = work2, .tmp = work2 + s->nv};
    tl_isl_over_trees(s, residual_range, &t);
    const double impulse = sqrt(fmax(tl_isl_sum(s, s->partial, 2), 0.0));
    const double norm = sqrt(fmax(tl_isl_sum(s, s->partial + 1, 2), 0.0));
    const double scale = fmax(s->momentum, impulse);
    // both zero: nothing moves and nothing pushes, which is a solution
    return (tl_residual){.relative = norm == 0.0 ? 0.0 : norm / fmax(scale, 1e-300), .scale = scale};
}

tl_residual tl_isl_residual(const tl_island* s, const double* v, const double* bound, double* r,
                            const double* w, double* f, double* work2)
{
    tl_isl_force(s, w, bound, false, f, NULL);
    return tl_isl_residual_of(s, v, f, r, work2);
}
