// SPDX-License-Identifier: MIT
// Matrix-free operators of one island: J v, J^T f, M x, M^-1 x, A x, the residual (theory:
// src/README.md#operators). Islands of free bodies have kernels of six columns, all others those for
// trees of any size.
#include "island.h"

#include <math.h>

tl_jacobian6 tl_isl_rows(const tl_island* s, const double* rows)
{
    return (tl_jacobian6){.rows = rows, .at = s->joff, .a = s->ta, .b = s->tb, .dof = s->dof};
}

tl_tree_rows tl_isl_tree_rows(const tl_island* s, const double* rows)
{
    return (tl_tree_rows){.rows = rows, .at = s->joff, .a = s->ta, .b = s->tb, .dof = s->dof};
}

void tl_isl_apply(const tl_island* s, int32_t n, const int32_t* list, const double* rows, const double* v,
                  int32_t ld, double* w)
{
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, rows);
        s->kernels->jacobian_apply(n, list, &J, v, ld, w);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, rows);
        s->kernels->rows_apply(n, list, &J, v, ld, w);
    }
}

void tl_isl_add(const tl_island* s, int32_t n, const int32_t* list, const double* rows, double scale,
                const double* f, int32_t ld, double* v)
{
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, rows);
        s->kernels->jacobian_add(n, list, &J, scale, f, ld, v);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, rows);
        s->kernels->rows_add(n, list, &J, scale, f, ld, v);
    }
}

void tl_isl_velocity(const tl_island* s, const double* v, double* w)
{
    const int32_t ld = s->ld;
    for (int32_t i = s->nc; i < ld; i++)
        w[i] = w[ld + i] = w[2 * ld + i] = 0.0;
    tl_isl_apply(s, s->nc, NULL, s->J, v, ld, w);
}

void tl_isl_gen(const tl_island* s, const double* f, double scale, double* p)
{
    tl_isl_add(s, s->nc, NULL, s->J, scale, f, s->ld, p);
}

void tl_isl_M(const tl_island* s, const double* x, double* y)
{
    s->kernels->block_multiply(s->ntree, s->dof, s->M, x, y);
}

void tl_isl_Minv(const tl_island* s, const double* x, double* y)
{
    s->kernels->block_multiply(s->ntree, s->dof, (const double* const*)s->Minv, x, y);
}

double tl_isl_momentum(const tl_island* s, double* work)
{
    double x;
    tl_isl_M(s, s->v_star, work);
    s->kernels->vector_dots(s->nv, 1, s->v_star, s->nv, work, &x);
    return sqrt(fmax(x, 0.0));
}

double tl_isl_norm(const tl_island* s, const double* p, double* work)
{
    tl_isl_Minv(s, p, work);
    double x;
    s->kernels->vector_dots(s->nv, 1, p, s->nv, work, &x);
    return sqrt(fmax(x, 0.0));
}

void tl_isl_GJ(const tl_island* s, const double* G, const double* w, double* g)
{
    s->kernels->gradient_apply(s->ld, s->ld, G, w, NULL, NULL, g);
}

void tl_isl_A(const tl_island* s, const double* G, const double* x, double* y, double* w, double* g)
{
    tl_isl_velocity(s, x, w);
    tl_isl_GJ(s, G, w, g);
    tl_isl_M(s, x, y);
    tl_isl_gen(s, g, s->h, y);
}

tl_contact_params tl_isl_params(const tl_island* s)
{
    return (tl_contact_params){.k = s->k,
                               .d = s->d,
                               .mu = s->mu,
                               .delta0 = s->delta0,
                               .v_s = s->v_s,
                               .tau = s->tau,
                               .h = s->h,
                               .linear = s->linear};
}

// one-way coupling: the normal force is a constant, so its row of G and the coupling column vanish
static void freeze_normal(const double* bound, int32_t n, int32_t ld, double* f, double* G)
{
    if (f)
        memcpy(f + 2 * ld, bound, sizeof(double) * (size_t)n);
    if (G)
        for (int32_t r = TL_G_XN; r <= TL_G_NN; r++)
            memset(G + (int64_t)r * ld, 0, sizeof(double) * (size_t)n);
}

void tl_isl_force(const tl_island* s, const double* w, const double* bound, bool secant, double* f, double* G)
{
    const tl_contact_params p = tl_isl_params(s);
    s->kernels->contact_force(s->ld, s->ld, &p, w, s->bound ? s->bound : bound, secant, f, G);
    if (s->bound)
        freeze_normal(s->bound, s->ld, s->ld, f, G);
}

void tl_batch_force(const tl_island* s, const tl_batch* b, const double* w, double* f, double* G)
{
    s->kernels->contact_force(b->n, b->n, &b->p, w, b->bound, 0, f, G);
    if (b->bound)
        freeze_normal(b->bound, b->n, b->n, f, G);
}

tl_residual tl_isl_residual(const tl_island* s, const double* v, const double* bound, double* r,
                            const double* w, double* f, double* work2)
{
    double *p = work2, *tmp = work2 + s->nv;
    tl_isl_force(s, w, bound, false, f, NULL);
    memset(p, 0, sizeof(double) * (size_t)s->nv);
    tl_isl_gen(s, f, s->h, p);
    const double impulse = tl_isl_norm(s, p, tmp);
    for (int32_t i = 0; i < s->nv; i++)
        tmp[i] = v[i] - s->v_star[i];
    tl_isl_M(s, tmp, r);
    for (int32_t i = 0; i < s->nv; i++)
        r[i] -= p[i];
    const double scale = fmax(s->momentum, impulse), norm = tl_isl_norm(s, r, tmp);
    // both zero: nothing moves and nothing pushes, which is a solution
    return (tl_residual){.relative = norm == 0.0 ? 0.0 : norm / fmax(scale, 1e-300), .scale = scale};
}
