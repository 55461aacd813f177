// SPDX-License-Identifier: MIT
// One contact alone against its own diagonal response, TL_LANES contacts at a time; equations and order of
// operations in contact_local_ref.c.
//
// Both cases of each direction are computed and blended: one square root and one quotient serve sliding and
// sticking.
//
// Cost per contact: 3 square roots, 2 quotients, 66 other operations; 13 loads and 6 stores.
#include "contact_local.h"
#include "simd.h"

typedef struct local_call {
    const tl_contact_params* p;
    const double *Wt, *Wn, *w, *fl, *bound;
    double *nu, *f;
    int32_t n;
    int64_t ld;
} local_call;

typedef struct normal_result {
    tl_vd y, force;
} normal_result;

static inline normal_result solve_normal(tl_vd a, tl_vd Wn, tl_vd k, tl_vd d, tl_vd delta0, tl_vd h)
{
    const tl_vd one = tl_set(1.0), two = tl_set(2.0), four = tl_set(4.0);
    const tl_vd K = Wn * k, dde = d * delta0;
    const tl_vd q = one + K * (dde + h), g = K * delta0 + a;
    const tl_vd disc = one + K * (two * (dde + h) - four * (d * h) * a) + (K * (dde - h)) * (K * (dde - h));
    const tl_vd root = two * g / (q + tl_sqrt(tl_plus(disc)));
    const tl_vd pi_a = k * tl_plus(one - d * a) * tl_plus(delta0 - h * a);
    const tl_vd y = tl_select(tl_eq(pi_a, (tl_vd){0}), a, root);
    return (normal_result){.y = y, .force = k * tl_plus(one - d * y) * tl_plus(delta0 - h * y)};
}

static inline __attribute__((always_inline)) void local_loop(const local_call* call, int linear,
                                                             int has_bound, int has_tau, int want_f)
{
    const tl_contact_params* p = call->p;
    const double* restrict pk = p->k, * restrict pd = p->d, * restrict pmu = p->mu, * restrict pde = p->delta0;
    const double* restrict pvs = p->v_s, * restrict pWt = call->Wt, * restrict pWn = call->Wn;
    const double* restrict w = call->w, * restrict fl = call->fl, * restrict bound = call->bound;
    double* restrict nu = call->nu, * restrict f = call->f;
    const int64_t ld = call->ld;
    const tl_vd zero = {0}, one = tl_set(1.0), two = tl_set(2.0), four = tl_set(4.0), h0 = tl_set(p->h);

    for (int32_t i = 0; i < call->n; i += TL_LANES) {
        const tl_vd k = tl_load(pk + i), mu = tl_load(pmu + i), v_s = tl_load(pvs + i);
        const tl_vd Wt = tl_load(pWt + i), Wn = tl_load(pWn + i);
        const tl_vm live = tl_lt(zero, k) | tl_lt(zero, mu);

        const tl_vd a = tl_load(w + 2 * ld + i) - Wn * tl_load(fl + 2 * ld + i);
        normal_result normal;
        if (has_bound) {
            normal.force = tl_load(bound + i);
            normal.y = a + Wn * normal.force;
        } else {
            normal = solve_normal(a, Wn, k, tl_load(pd + i), tl_load(pde + i),
                                  has_tau ? h0 + tl_load(p->tau + i) : h0);
        }

        const tl_vd ux = tl_load(w + i) - Wt * tl_load(fl + i);
        const tl_vd uy = tl_load(w + ld + i) - Wt * tl_load(fl + ld + i);
        const tl_vd U = tl_sqrt(ux * ux + uy * uy), c = Wt * mu * normal.force;
        const tl_vd edge = v_s + c;
        const tl_vm slide = tl_le(edge, U);
        const tl_vd stick_num = linear ? v_s : two * v_s;
        const tl_vd stick_den =
            linear ? edge : v_s + two * c + tl_sqrt(v_s * v_s + four * c * tl_plus(edge - U));
        const tl_vd inv_den = one / tl_select(slide, U, stick_den);
        const tl_vd factor = tl_select(slide, U - c, stick_num) * inv_den;

        tl_store(nu + i, tl_keep(live, factor * ux));
        tl_store(nu + ld + i, tl_keep(live, factor * uy));
        tl_store(nu + 2 * ld + i, tl_keep(live, normal.y));
        if (want_f) {
            const tl_vd twice = two * inv_den, coulomb = mu * inv_den;
            const tl_vd stick = linear ? coulomb : mu * (two - U * twice) * twice;
            const tl_vd over_u = normal.force * tl_select(slide, coulomb, stick);
            tl_store(f + i, tl_keep(live, -over_u * ux));
            tl_store(f + ld + i, tl_keep(live, -over_u * uy));
            tl_store(f + 2 * ld + i, tl_keep(live, normal.force));
        }
    }
}

void TL_KERNEL(contact_local)(int32_t n, int64_t ld, const tl_contact_params* p, const double* Wt,
                              const double* Wn, const double* w, const double* fl, const double* bound,
                              double* nu, double* f)
{
    const local_call call = {
        .p = p, .Wt = Wt, .Wn = Wn, .w = w, .fl = fl, .bound = bound, .nu = nu, .f = f, .n = n, .ld = ld};
    // the two-way forms with force are the sweeps' and the Newton loop's; the rest branch on uniform flags
    if (p->tau)
        local_loop(&call, p->linear != 0, bound != 0, 1, f != 0);
    else if (!bound && f && !p->linear)
        local_loop(&call, 0, 0, 0, 1);
    else if (!bound && f)
        local_loop(&call, 1, 0, 0, 1);
    else
        local_loop(&call, p->linear != 0, bound != 0, 0, f != 0);
}
