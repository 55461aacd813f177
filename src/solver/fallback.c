// SPDX-License-Identifier: MIT
// When the iteration does not converge (theory: src/README.md#lifting, step 5).
//
// Substeps: n steps of h/n with frozen J and M; after each the overlap follows delta0 -= (h/n) v_n. No
// history. The final velocity is returned, positions advance with the mean one.
//
// Lagged: friction bounds b frozen at pi of the previous round (first at v0), three rounds of the then
// strictly convex problem, each solved by exact energy line search, cycling one majorize-minimize step
// (secant friction stiffness) and two Newton steps: monotone. The step is then LAGGED with err = max mu |pi -
// b| / max mu pi.
#include "solver_internal.h"

#include <math.h>

#define LAGGED_ROUNDS 3
#define LAGGED_TOL 1e-8
#define LAGGED_ITERATIONS 300
#define LINE_STEPS 100

// all fields that carry the step length; factors are powers of two, so scaling back is exact
static void scale_step(tl_island* s, double factor)
{
    s->h *= factor;
    for (int32_t i = 0; i < s->ld; i++) {
        s->Wt[i] *= factor;
        s->Wn[i] *= factor;
    }
    for (int64_t i = 0; i < (int64_t)s->jsize; i++)
        s->B[i] *= factor;
}

bool tl_isl_substeps(tl_island* s, int32_t n)
{
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    const int32_t nv = s->nv, ld = s->ld;
    double* x = TL_ARENA(&s->work, double, 4 * (int64_t)nv);
    double* c = TL_ARENA(&s->work, double, 4 * (int64_t)ld);
    if (!x || !c) {
        s->failed_memory = true;
        return false;
    }
    double *v0 = s->v0, *v_star = s->v_star, *delta0 = s->delta0, *mean = x + 2 * nv, *best = x + 3 * nv;
    s->v0 = x;
    const double momentum = s->momentum;
    s->v_star = x + nv;
    s->delta0 = c;
    memcpy(s->v0, v0, sizeof(double) * (size_t)nv);
    memcpy(s->delta0, delta0, sizeof(double) * (size_t)ld);
    memcpy(best, s->v, sizeof(double) * (size_t)nv);
    memset(mean, 0, sizeof(double) * (size_t)nv);
    scale_step(s, 1.0 / n);
    bool ok = true;
    const double residual = s->info.residual;
    double worst = 0.0;
    for (int32_t k = 0; k < n && ok; k++) {
        for (int32_t i = 0; i < nv; i++)
            s->v_star[i] = s->v0[i] + (v_star[i] - v0[i]) / n;
        s->momentum = tl_isl_momentum(s, s->v);
        ok = tl_isl_try(s, false) || (!s->failed_memory && tl_isl_try(s, true));
        worst = fmax(worst, s->info.residual);
        tl_isl_velocity(s, s->v, c + ld);
        for (int32_t i = 0; i < s->nc; i++)
            s->delta0[i] -= s->h * c[3 * (int64_t)ld + i];
        for (int32_t i = 0; i < nv; i++) {
            s->v0[i] = s->v[i];
            mean[i] += s->v[i] / n;
        }
    }
    scale_step(s, n);
    s->v0 = v0;
    s->v_star = v_star;
    s->momentum = momentum;
    s->delta0 = delta0;
    if (ok)
        memcpy(s->v_mean, mean, sizeof(double) * (size_t)nv);
    else
        memcpy(s->v, best, sizeof(double) * (size_t)nv);
    s->info.residual = ok ? worst : residual;
    tl_isl_velocity(s, s->v, c + ld); // forces of the whole step again
    tl_isl_force(s, c + ld, NULL, false, s->f, NULL);
    tl_arena_release(&s->work, mark);
    return ok;
}

typedef struct lagged {
    double *g, *x, *d, *work2; // (nv), work2 (2 nv)
    double *w, *f, *G, *bound; // contact arrays
} lagged;

// d . grad E(v + a d)
static double slope(tl_island* s, lagged* l, const double* v, double a)
{
    for (int32_t i = 0; i < s->nv; i++)
        l->x[i] = v[i] + a * l->d[i];
    tl_isl_velocity(s, l->x, l->w);
    tl_isl_residual(s, l->x, l->bound, l->g, l->w, l->f, l->work2);
    double sum = 0.0;
    for (int32_t i = 0; i < s->nv; i++)
        sum += l->d[i] * l->g[i];
    return sum;
}

// the root of a strictly increasing slope: bracket by doubling, then Illinois regula falsi
static double line_search(tl_island* s, lagged* l, const double* v)
{
    double a = 0.0, b = 1.0, fa = slope(s, l, v, 0.0), fb = slope(s, l, v, b);
    for (int32_t i = 0; i < 60 && fb < 0.0; i++) {
        a = b;
        fa = fb;
        b *= 2.0;
        fb = slope(s, l, v, b);
    }
    for (int32_t i = 0; i < LINE_STEPS && b - a > 1e-12 * b && fb != 0.0; i++) {
        const double x = fb > fa ? b - fb * (b - a) / (fb - fa) : 0.5 * (a + b);
        const double fx = slope(s, l, v, x);
        if (fx == 0.0)
            return x;
        if ((fx < 0.0) == (fb < 0.0)) {
            fa *= 0.5;
        } else {
            a = b;
            fa = fb;
        }
        b = x;
        fb = fx;
        if (a > b) {
            const double t = a, ft = fa;
            a = b;
            fa = fb;
            b = t;
            fb = ft;
        }
    }
    return b;
}

static bool lagged_round(tl_island* s, lagged* l, double* v)
{
    for (int32_t k = 0; k < LAGGED_ITERATIONS; k++) {
        tl_isl_velocity(s, v, l->w);
        const tl_residual r = tl_isl_residual(s, v, l->bound, l->g, l->w, l->f, l->work2);
        if (!isfinite(r.relative))
            return false;
        if (r.relative <= LAGGED_TOL)
            return true;
        tl_isl_force(s, l->w, l->bound, k % 3 == 0, NULL, l->G);
        const talus_status status = tl_isl_factor(s, l->G, false);
        if (status < 0) {
            s->failed_memory |= status != TALUS_ERR_SINGULAR;
            return false;
        }
        for (int32_t i = 0; i < s->nv; i++)
            l->d[i] = -l->g[i];
        tl_isl_solve(s, l->d);
        const double a = line_search(s, l, v);
        for (int32_t i = 0; i < s->nv; i++)
            v[i] += a * l->d[i];
        s->info.iterations++;
    }
    // monotone: the last iterate is the best, but the tolerance was not reached
    return false;
}

void tl_isl_lagged(tl_island* s)
{
    const int64_t nv = s->nv, ld = s->ld;
    double* x = TL_ARENA(&s->work, double, 6 * nv);
    double* c = TL_ARENA(&s->work, double, 13 * ld);
    if (!x || !c) {
        s->failed_memory = true;
        return;
    }
    lagged l = {.g = x + nv, .x = x + 2 * nv, .d = x + 3 * nv, .work2 = x + 4 * nv};
    l.w = c;
    l.f = c + 3 * ld;
    l.G = c + 6 * ld;
    l.bound = c + 12 * ld;
    double* v = x;
    memcpy(v, s->v0, sizeof(double) * (size_t)nv);
    bool ok = true;
    for (int32_t round = 0; round < LAGGED_ROUNDS && ok; round++) {
        tl_isl_velocity(s, v, l.w);
        tl_isl_force(s, l.w, NULL, false, l.f, NULL);
        memcpy(l.bound, l.f + 2 * ld, sizeof(double) * (size_t)ld);
        ok = lagged_round(s, &l, v);
    }
    if (!ok) {
        s->info.unconverged = 1;
        return;
    }
    tl_isl_velocity(s, v, l.w);
    tl_isl_force(s, l.w, NULL, false, l.f, NULL);
    double off = 0.0, most = 0.0;
    for (int32_t i = 0; i < s->nc; i++) {
        off = fmax(off, s->mu[i] * fabs(l.f[2 * ld + i] - l.bound[i]));
        most = fmax(most, s->mu[i] * l.f[2 * ld + i]);
    }
    memcpy(s->v, v, sizeof(double) * (size_t)nv);
    memcpy(s->v_mean, v, sizeof(double) * (size_t)nv);
    s->info.residual = tl_isl_residual(s, v, NULL, l.g, l.w, s->f, l.work2).relative;
    s->info.lagged = 1;
    s->info.lagged_err = most > 0.0 ? off / most : 0.0;
}
