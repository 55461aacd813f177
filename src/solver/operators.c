// SPDX-License-Identifier: MIT
// Matrix-free operators of one island: J v, J^T f, M x, M^-1 x, A x, the residual (theory:
// src/README.md#operators). Contacts of two free bodies (12 columns) or one (6) take paths of fixed length;
// anything else the general loop.
#include "island.h"

#include <math.h>

// fixed summation order, four lanes: vectorizes, and the same bits on every instruction set
static inline double dot6(const double* a, const double* b)
{
    const double p = a[0] * b[0] + a[2] * b[2] + a[4] * b[4];
    const double q = a[1] * b[1] + a[3] * b[3] + a[5] * b[5];
    return p + q;
}

tl_jacobian6 tl_isl_rows(const tl_island* s, const double* rows)
{
    return (tl_jacobian6){.rows = rows, .at = s->joff, .a = s->ta, .b = s->tb, .dof = s->dof};
}

void tl_isl_velocity(const tl_island* s, const double* v, double* w)
{
    const int32_t ld = s->ld;
    for (int32_t i = s->nc; i < ld; i++)
        w[i] = w[ld + i] = w[2 * ld + i] = 0.0;
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, s->J);
        s->kernels->jacobian_apply(s->nc, NULL, &J, v, ld, w);
        return;
    }
    for (int32_t i = 0; i < s->nc; i++) {
        const int32_t a = s->ta[i], b = s->tb[i];
        const double* J = s->J + s->joff[i];
        const double* va = v + s->dof[a];
        const int32_t na = s->dof[a + 1] - s->dof[a];
        if (b < 0) {
            for (int32_t r = 0; r < 3; r++, J += na)
                w[r * ld + i] = na == 6 ? dot6(J, va) : tl_dot(J, va, na);
            continue;
        }
        const double* vb = v + s->dof[b];
        const int32_t nb = s->dof[b + 1] - s->dof[b];
        for (int32_t r = 0; r < 3; r++, J += na + nb)
            w[r * ld + i] = na == 6 && nb == 6 ? dot6(J, va) + dot6(J + 6, vb)
                                               : tl_dot(J, va, na) + tl_dot(J + na, vb, nb);
    }
}

static inline void add3(double* p, const double* J, int32_t stride, int32_t n, double f0, double f1,
                        double f2)
{
    for (int32_t c = 0; c < n; c++)
        p[c] += J[c] * f0 + J[stride + c] * f1 + J[2 * stride + c] * f2;
}

void tl_isl_gen(const tl_island* s, const double* f, double scale, double* p)
{
    const int32_t ld = s->ld;
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, s->J);
        s->kernels->jacobian_add(s->nc, NULL, &J, scale, f, ld, p);
        return;
    }
    for (int32_t i = 0; i < s->nc; i++) {
        const int32_t a = s->ta[i], b = s->tb[i];
        const double* J = s->J + s->joff[i];
        const int32_t na = s->dof[a + 1] - s->dof[a], nb = b < 0 ? 0 : s->dof[b + 1] - s->dof[b];
        const double f0 = scale * f[i], f1 = scale * f[ld + i], f2 = scale * f[2 * ld + i];
        if (f0 == 0.0 && f1 == 0.0 && f2 == 0.0)
            continue;
        if (na == 6)
            add3(p + s->dof[a], J, na + nb, 6, f0, f1, f2);
        else
            add3(p + s->dof[a], J, na + nb, na, f0, f1, f2);
        if (nb == 6)
            add3(p + s->dof[b], J + na, na + nb, 6, f0, f1, f2);
        else if (nb)
            add3(p + s->dof[b], J + na, na + nb, nb, f0, f1, f2);
    }
}

// symmetric blocks: columns are rows, so the product runs down contiguous columns
static void block_multiply(const tl_island* s, const double* const* blocks, const double* x, double* y)
{
    for (int32_t t = 0; t < s->ntree; t++) {
        const int32_t n = s->dof[t + 1] - s->dof[t];
        const double *A = blocks[t], *xt = x + s->dof[t];
        double* yt = y + s->dof[t];
        if (n == 6) {
            double z[6] = {0};
            for (int32_t j = 0; j < 6; j++)
                for (int32_t i = 0; i < 6; i++)
                    z[i] += A[6 * j + i] * xt[j];
            memcpy(yt, z, sizeof z);
            continue;
        }
        memset(yt, 0, sizeof(double) * (size_t)n);
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < n; i++)
                yt[i] += A[(int64_t)n * j + i] * xt[j];
    }
}

void tl_isl_M(const tl_island* s, const double* x, double* y)
{
    block_multiply(s, s->M, x, y);
}

void tl_isl_Minv(const tl_island* s, const double* x, double* y)
{
    block_multiply(s, (const double* const*)s->Minv, x, y);
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
