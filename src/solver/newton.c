// SPDX-License-Identifier: MIT
// The iteration of Castro et al. 2020 (theory: src/README.md#tals): Newton on r(v) with the LU of the full A
// from v0, one step length for all contacts, the smallest of the transition-aware ones (tals), or none at
// all.
#include "solver_internal.h"

#include <math.h>

#define THETA_MAX 1.0471975511965976 // pi/3

static double smallest(const double* alpha, int32_t n)
{
    double a = 1.0;
    for (int32_t i = 0; i < n; i++)
        a = fmin(a, alpha[i]);
    return a;
}

// the contact whose velocity the residual would change most: max |J M^-1 r|
static void find_worst(tl_island* s, const double* r, double* d, double* dw)
{
    const int64_t ld = s->ld;
    double most = -1.0;
    tl_isl_Minv(s, r, d);
    tl_isl_velocity(s, d, dw);
    for (int32_t i = 0; i < s->nc; i++) {
        const double x = dw[i], y = dw[ld + i], z = dw[2 * ld + i], e = x * x + y * y + z * z;
        if (e > most) {
            most = e;
            s->info.worst_contact = s->source[i];
        }
    }
}

void tl_isl_newton(tl_island* s)
{
    const int64_t nv = s->nv, ld = s->ld;
    double* x = TL_ARENA(&s->work, double, 5 * nv);
    double* c = TL_ARENA(&s->work, double, 16 * ld);
    if (!x || !c) {
        s->failed_memory = true;
        return;
    }
    double *v = x, *r = x + nv, *d = x + 2 * nv, *work2 = x + 3 * nv;
    double *w = c, *f = c + 3 * ld, *dw = c + 6 * ld, *alpha = c + 9 * ld, *G = c + 10 * ld;
    memcpy(v, s->v0, sizeof(double) * (size_t)nv);
    s->info.unconverged = 1;
    for (int32_t k = 0;; k++) {
        tl_isl_velocity(s, v, w);
        const tl_residual res = tl_isl_residual(s, v, NULL, r, w, f, work2);
        if (!isfinite(res.relative) || !isfinite(res.scale))
            break;
        memcpy(s->v, v, sizeof(double) * (size_t)nv);
        memcpy(s->f, f, sizeof(double) * 3 * (size_t)ld);
        s->info.residual = res.relative;
        if (res.relative <= s->opt->tol) {
            s->info.unconverged = 0;
            break;
        }
        if (k >= s->opt->max_iter) {
            find_worst(s, r, d, dw);
            break;
        }
        tl_isl_force(s, w, NULL, false, NULL, G);
        const talus_status status = tl_isl_factor(s, G, true);
        if (status < 0) {
            s->failed_memory |= status != TALUS_ERR_SINGULAR;
            break;
        }
        for (int64_t i = 0; i < nv; i++)
            d[i] = -r[i];
        tl_isl_lap(s, &s->info.t_limit);
        tl_isl_solve(s, d);
        tl_isl_lap(s, &s->info.t_solve);
        double step = 1.0;
        if (s->opt->globalization == TALUS_GLOBALIZATION_TALS) {
            tl_isl_velocity(s, d, dw);
            s->kernels->tals_limit(s->ld, s->ld, w, dw, s->v_s, THETA_MAX, alpha);
            step = smallest(alpha, s->nc);
        }
        for (int64_t i = 0; i < nv; i++)
            v[i] += step * d[i];
        s->info.iterations++;
    }
    memcpy(s->v_mean, s->v, sizeof(double) * (size_t)nv);
}
