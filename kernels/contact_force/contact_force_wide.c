// SPDX-License-Identifier: MIT
// Contact force and gradient, TL_LANES contacts at a time; equations and order of operations in
// contact_force_ref.c.
//
// The choices of the call (law, bound, tau, secant) are the same for all contacts, and the outputs wanted
// too. They are constants of the inlined loop below, so each combination that matters is its own branch-free
// loop.
//
// Cost per contact: 1 square root, 1 quotient, 43 other operations; 8 loads and 9 stores.
#include "contact_force.h"
#include "simd.h"

typedef struct force_call {
    const tl_contact_params* p;
    const double *v, *bound;
    double *f, *G;
    int32_t n;
    int64_t ld;
} force_call;

static inline __attribute__((always_inline)) void
force_loop(const force_call* call, int linear, int has_bound, int has_tau, int secant, int want_f, int want_G)
{
    const tl_contact_params* p = call->p;
    const double* restrict pk = p->k, * restrict pd = p->d, * restrict pmu = p->mu, * restrict pde = p->delta0;
    const double* restrict pvs = p->v_s, * restrict v = call->v, * restrict bound = call->bound;
    double* restrict f = call->f, * restrict G = call->G;
    const int64_t ld = call->ld;
    const tl_vd zero = {0}, one = tl_set(1.0), two = tl_set(2.0), floor_s = tl_set(1e-200), h0 = tl_set(p->h);

    for (int32_t i = 0; i < call->n; i += TL_LANES) {
        const tl_vd k = tl_load(pk + i), d = tl_load(pd + i), mu = tl_load(pmu + i);
        const tl_vd vx = tl_load(v + i), vy = tl_load(v + ld + i), vn = tl_load(v + 2 * ld + i);
        const tl_vm live = tl_lt(zero, k) | tl_lt(zero, mu);

        const tl_vd h = has_tau ? h0 + tl_load(p->tau + i) : h0;
        const tl_vd damp = one - d * vn, gap = tl_load(pde + i) - h * vn;
        const tl_vd damp_plus = tl_plus(damp), gap_plus = tl_plus(gap);
        const tl_vd pi = k * damp_plus * gap_plus;
        const tl_vd b = has_bound ? tl_load(bound + i) : pi;

        const tl_vd s = tl_sqrt(vx * vx + vy * vy);
        const tl_vd s_safe = tl_max(s, floor_s), v_s = tl_load(pvs + i), inv = one / (s_safe * v_s);
        const tl_vd inv_s = inv * v_s, inv_vs = inv * s_safe;
        const tl_vd x = s * inv_vs, mu_vs = mu * inv_vs;
        const tl_vm stick = tl_lt(x, one);
        const tl_vd ratio = tl_select(stick, linear ? mu_vs : mu_vs * (two - x), mu * inv_s);
        const tl_vd b_ratio = b * ratio;

        if (want_f) {
            tl_store(f + i, tl_keep(live, -b_ratio * vx));
            tl_store(f + ld + i, tl_keep(live, -b_ratio * vy));
            tl_store(f + 2 * ld + i, tl_keep(live, pi));
        }
        if (want_G) {
            const tl_vd slope =
                k * (tl_keep(tl_lt(zero, damp), d * gap_plus) + tl_keep(tl_lt(zero, gap), h * damp_plus));
            const tl_vd slope_t = tl_keep(stick, linear ? mu_vs : mu_vs * (two - two * x));
            const tl_vd ex = vx * inv_s, ey = vy * inv_s;
            const tl_vd along = secant ? zero : b * (slope_t - ratio);
            const tl_vd couple = has_bound ? zero : -(ratio * s * slope);
            tl_store(G + TL_G_XX * ld + i, tl_keep(live, b_ratio + along * ex * ex));
            tl_store(G + TL_G_XY * ld + i, tl_keep(live, along * ex * ey));
            tl_store(G + TL_G_YY * ld + i, tl_keep(live, b_ratio + along * ey * ey));
            tl_store(G + TL_G_XN * ld + i, tl_keep(live, couple * ex));
            tl_store(G + TL_G_YN * ld + i, tl_keep(live, couple * ey));
            tl_store(G + TL_G_NN * ld + i, tl_keep(live, slope));
        }
    }
}

static void force_law(const force_call* call, int linear)
{
    // the quick combinations; the rest are rare and branch on uniform flags inside the loop
    if (!call->bound && call->f && !call->G)
        force_loop(call, linear, 0, 0, 0, 1, 0);
    else if (!call->bound && call->f && call->G)
        force_loop(call, linear, 0, 0, 0, 1, 1);
    else
        force_loop(call, linear, call->bound != 0, 0, 0, call->f != 0, call->G != 0);
}

void TL_KERNEL(contact_force)(int32_t n, int64_t ld, const tl_contact_params* p, const double* v,
                              const double* bound, int32_t secant, double* f, double* G)
{
    const force_call call = {.p = p, .v = v, .bound = bound, .f = f, .G = G, .n = n, .ld = ld};
    if (p->tau)
        force_loop(&call, p->linear != 0, bound != 0, 1, secant != 0, f != 0, G != 0);
    else if (secant)
        force_loop(&call, p->linear != 0, bound != 0, 0, 1, f != 0, G != 0);
    else if (p->linear)
        force_law(&call, 1);
    else
        force_law(&call, 0);
}
