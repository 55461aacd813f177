// SPDX-License-Identifier: MIT
// GMRES on the matrix-free A, right-preconditioned by the factor, in the M^-1 inner product (theory:
// src/README.md#linear-algebra). Besides the triangular solves a step is three regions: contacts (w = J z, G w),
// trees (A z and its products with the basis), trees (orthogonalized, times M^-1, its length).
#include "solver_internal.h"

#include <math.h>

#define GMRES_MAX 16

typedef struct krylov {
    double *q, *mq, *z; // (steps + 1) (steps + 1) (steps) vectors: basis, M^-1 basis, preconditioned basis
    double H[GMRES_MAX][GMRES_MAX + 1]; // column j
    double c[GMRES_MAX], s[GMRES_MAX], e[GMRES_MAX + 1];
} krylov;

// apply the old rotations to column j, make the new one. @return |residual|
static double rotate_column(krylov* k, int32_t j)
{
    double* h = k->H[j];
    for (int32_t i = 0; i < j; i++) {
        const double x = k->c[i] * h[i] + k->s[i] * h[i + 1];
        h[i + 1] = -k->s[i] * h[i] + k->c[i] * h[i + 1];
        h[i] = x;
    }
    const double r = hypot(h[j], h[j + 1]);
    k->c[j] = r > 0.0 ? h[j] / r : 1.0;
    k->s[j] = r > 0.0 ? h[j + 1] / r : 0.0;
    h[j] = r;
    h[j + 1] = 0.0;
    k->e[j + 1] = -k->s[j] * k->e[j];
    k->e[j] *= k->c[j];
    return fabs(k->e[j + 1]);
}

typedef struct step {
    const tl_island* s;
    krylov* k;
    const double* G;
    int32_t j;                        // column
    double *z, *next, *mnext, *w, *g; // z: preconditioned basis vector j; w, g (3 x ld)
    double a[GMRES_MAX + 1];          // minus the column; coefficients of the solution
    double* x;
} step;

static void contacts_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const step* t = arg;
    tl_chunk_velocity(t->s, begin, end, t->z, t->w);
    tl_chunk_GJ(t->s, begin, end, t->G, t->w, t->g);
}

// next = A z, and its products with the basis
static void product_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const step* t = arg;
    const tl_island* s = t->s;
    const int32_t at = s->dof[begin], n = s->dof[end] - at;
    tl_chunk_M(s, begin, end, t->z, t->next);
    tl_chunk_gen(s, begin, end, t->g, s->h, t->next);
    s->kernels->vector_dots(n, t->j + 1, t->k->mq + at, s->nv, t->next + at,
                            s->partial + (int64_t)TL_PARTIALS * block);
}

// next -= Q (its products), mnext = M^-1 next, and their product
static void orthogonal_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const step* t = arg;
    const tl_island* s = t->s;
    const int32_t at = s->dof[begin], n = s->dof[end] - at;
    s->kernels->vector_combine(n, t->j + 1, t->a, t->k->q + at, s->nv, t->next + at);
    tl_chunk_Minv(s, begin, end, t->next, t->mnext);
    s->partial[block] = tl_chunk_dot(s, begin, end, t->next, t->mnext);
}

// next = A z, orthogonalized against the basis (column j of H), its image under M^-1 into mnext.
// @return its norm
static double make_next(step* t)
{
    const tl_island* s = t->s;
    double* h = t->k->H[t->j];
    tl_isl_over_contacts(s, contacts_range, t);
    tl_isl_over_trees(s, product_range, t);
    for (int32_t i = 0; i <= t->j; i++) {
        h[i] = tl_isl_sum(s, s->partial + i, TL_PARTIALS);
        t->a[i] = -h[i];
    }
    tl_isl_over_trees(s, orthogonal_range, t);
    return sqrt(fmax(tl_isl_sum(s, s->partial, 1), 0.0));
}

static void combine_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const step* t = arg;
    const tl_island* s = t->s;
    const int32_t at = s->dof[begin], n = s->dof[end] - at;
    s->kernels->vector_combine(n, t->j, t->a, t->k->z + at, s->nv, t->x + at);
}

// x += Z y with H y = e
static void combine(step* t, int32_t steps, double* x)
{
    const krylov* k = t->k;
    for (int32_t i = steps - 1; i >= 0; i--) {
        double sum = k->e[i];
        for (int32_t j = i + 1; j < steps; j++)
            sum -= k->H[j][i] * t->a[j];
        t->a[i] = k->H[i][i] != 0.0 ? sum / k->H[i][i] : 0.0;
    }
    t->j = steps;
    t->x = x;
    tl_isl_over_trees(t->s, combine_range, t);
}

// steps that the residuals so far let expect until `stop`: they fall by the same factor on average
static double steps_to_go(double first, double now, int32_t steps, double stop)
{
    return now < first ? log(stop / now) * steps / log(now / first) : INFINITY;
}

bool tl_isl_gmres(tl_island* s, const double* G, const double* b, const tl_gmres_goal* goal, double* x)
{
    tl_isl_lap(s, &s->info.t_limit);
    const int32_t n = s->nv, steps = goal->steps;
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    krylov* k = TL_ARENA(&s->work, krylov, 1);
    double* basis = TL_ARENA(&s->work, double, (3 * (int64_t)steps + 3) * n);
    double* w = TL_ARENA(&s->work, double, 6 * (int64_t)s->ld);
    bool reached = false;
    if (!k || !basis || !w) {
        s->failed_memory = true;
        return false;
    }
    k->q = basis;
    k->mq = basis + (int64_t)(steps + 1) * n;
    k->z = basis + 2 * (int64_t)(steps + 1) * n;
    const double beta = tl_isl_norm(s, b, k->mq);
    if (!(beta > goal->stop) || !isfinite(beta)) {
        tl_arena_release(&s->work, mark);
        return beta <= goal->stop;
    }
    for (int32_t i = 0; i < n; i++) {
        k->q[i] = b[i] * (1.0 / beta);
        k->mq[i] *= 1.0 / beta;
    }
    k->e[0] = beta;
    int32_t j = 0;
    step t = {.s = s, .k = k, .G = G, .w = w, .g = w + 3 * (int64_t)s->ld};
    for (; j < steps && !reached; j++) {
        t.j = j;
        t.z = k->z + (int64_t)j * n;
        t.next = k->q + (int64_t)(j + 1) * n;
        t.mnext = k->mq + (int64_t)(j + 1) * n;
        memcpy(t.z, k->q + (int64_t)j * n, sizeof(double) * (size_t)n);
        tl_isl_precondition(s, t.z);
        const double norm = make_next(&t);
        k->H[j][j + 1] = norm;
        const double residual = rotate_column(k, j);
        s->info.linear_steps++;
        reached = residual <= goal->stop;
        if (!isfinite(residual) || norm <= 1e-14 * beta ||
            (!reached && j >= 1 && steps_to_go(beta, residual, j + 1, goal->stop) > goal->worth)) {
            j++;
            break;
        }
        for (int32_t i = 0; i < n; i++) {
            t.next[i] *= 1.0 / norm;
            t.mnext[i] *= 1.0 / norm;
        }
    }
    combine(&t, j, x);
    tl_arena_release(&s->work, mark);
    tl_isl_lap(s, &s->info.t_solve);
    return reached;
}
