// SPDX-License-Identifier: MIT
// Contacts for the kernel tests: a grid of edge values, then random ones, then padding full of garbage; the
// contact law in long double, written straight from its equations; and a comparison bit by bit.
#pragma once

#define _DEFAULT_SOURCE // M_PI, setenv
#include "kernels.h"
#include "test.h"

#define INPUT_H 5e-3

/// Which law the inputs are for: Hunt-Crossley, or linear dissipation (d = 0, tau > 0). Tests run with both.
static bool input_damped;

typedef struct inputs {
    int32_t n;     // with padding
    int32_t nlive; // contacts that count; [nlive, n) is padding
    int32_t nedge; // [0, nedge) is the grid, [nedge, nlive) random
    int64_t ld;    // > n, so that a kernel that takes n for ld is caught
    double *k, *d, *mu, *delta0, *v_s, *tau;
    double *v, *w, *fl; // (3 x ld)
    double *Wt, *Wn, *bound;
} inputs;

static const char* const all_isas[] = {"ref", "w2", "avx2", "avx512"};

static inline double* doubles(int64_t n)
{
    double* x = aligned_alloc(64, ((size_t)(uint32_t)n + 7) / 8 * 64);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = -7.0; // an output left unwritten shows
    return x;
}

static inline void put_contact(inputs* c, int32_t i, const double par[5], const double v[3])
{
    c->k[i] = par[0];
    c->d[i] = par[1];
    c->mu[i] = par[2];
    c->delta0[i] = par[3];
    c->v_s[i] = par[4];
    for (int r = 0; r < 3; r++)
        c->v[r * c->ld + i] = v[r];
}

/// every combination of the values where a formula changes its form; v_n = 0.1 is beyond 1/d with overlap
/// left
static inline int32_t edge_contacts(inputs* c)
{
    static const double ks[] = {1e6, 1e12, 1.0}, ds[] = {0.0, 1.0, 50.0}, mus[] = {0.0, 0.5};
    static const double slips[][2] = {{0, 0},        {1, 0},     {0.6, 0.8},    {-0.5, 0.0}, {0, 1.0000001},
                                      {1e-170, 0.0}, {1e-40, 0}, {1e16, -1e16}, {30, 40}}; // in units of v_s
    int32_t i = 0;
    for (int a = 0; a < TL_COUNT(ks); a++)
        for (int b = 0; b < TL_COUNT(ds); b++)
            for (int m = 0; m < TL_COUNT(mus); m++)
                for (int s = 0; s < TL_COUNT(slips); s++)
                    for (int e = 0; e < 8; e++) {
                        const double delta0 = 1e-3, v_s = 1e-4;
                        const double vn[] = {0.0,
                                             ds[b] > 0 ? 1 / ds[b] : 1e12,
                                             delta0 / INPUT_H,
                                             100.0,
                                             -100.0,
                                             -1e12,
                                             nextafter(delta0 / INPUT_H, 0.0),
                                             0.1};
                        put_contact(c, i++, (double[]){ks[a], ds[b], mus[m], delta0, v_s},
                                    (double[]){slips[s][0] * v_s, slips[s][1] * v_s, vn[e]});
                    }
    return i;
}

static inline inputs make_inputs(int32_t nrandom)
{
    const int32_t most = 2048 + nrandom;
    inputs c = {.ld = TL_PADDED(most) + 16};
    double** const fields[] = {&c.k, &c.d, &c.mu, &c.delta0, &c.v_s, &c.Wt, &c.Wn, &c.bound, &c.tau};
    for (int j = 0; j < TL_COUNT(fields); j++)
        *fields[j] = doubles(c.ld);
    c.v = doubles(3 * c.ld);
    c.w = doubles(3 * c.ld);
    c.fl = doubles(3 * c.ld);

    tl_rng rng;
    tl_rng_seed(&rng, 1);
    c.nedge = edge_contacts(&c);
    c.nlive = c.nedge + nrandom;
    c.n = TL_PADDED(c.nlive + 3); // at least three lanes of padding
    assert_true(c.n <= c.ld);
#define TEN(lo, hi) pow(10.0, tl_rng_uniform(&rng, lo, hi))
    for (int32_t i = c.nedge; i < c.nlive; i++) {
        const double par[] = {TEN(3, 6), TEN(-1, 2), tl_rng_uniform(&rng, 0, 1), TEN(-5, -2), TEN(-5, -2)};
        const double speed = TEN(-4, 0);
        put_contact(&c, i, par,
                    (double[]){speed * tl_rng_normal(&rng), speed * tl_rng_normal(&rng),
                               speed * tl_rng_normal(&rng)});
    }
    for (int32_t i = 0; i < c.nlive; i++) {
        c.tau[i] = i % 7 ? 1e-3 * c.d[i] : 0.0;
        if (input_damped)
            c.d[i] = 0.0;
        c.Wt[i] = INPUT_H * TEN(-1, 2);
        c.Wn[i] = INPUT_H * TEN(-1, 2);
        c.bound[i] = i % 5 ? TEN(-2, 3) : 0.0;
        for (int r = 0; r < 3; r++) {
            // the grid keeps its velocities exactly where the linearized force is zero
            c.fl[r * c.ld + i] = i % 2 || i >= c.nedge ? tl_rng_normal(&rng) : 0.0;
            c.w[r * c.ld + i] = c.v[r * c.ld + i];
        }
    }
#undef TEN
    // padding: what the contract fixes is fixed, the rest must not matter
    for (int32_t i = c.nlive; i < c.n; i++) {
        put_contact(&c, i, (double[]){0, NAN, 0, INFINITY, 1}, (double[]){NAN, INFINITY, -INFINITY});
        c.Wt[i] = c.Wn[i] = c.bound[i] = c.tau[i] = NAN;
        for (int r = 0; r < 3; r++)
            c.w[r * c.ld + i] = c.fl[r * c.ld + i] = NAN;
    }
    return c;
}

static inline void free_inputs(inputs* c)
{
    double* const fields[] = {c->k, c->d,  c->mu, c->delta0, c->v_s,   c->v,
                              c->w, c->fl, c->Wt, c->Wn,     c->bound, c->tau};
    for (int j = 0; j < TL_COUNT(fields); j++)
        free(fields[j]);
}

static inline tl_contact_params input_params(const inputs* c, int32_t linear)
{
    return (tl_contact_params){.k = c->k,
                               .d = c->d,
                               .mu = c->mu,
                               .delta0 = c->delta0,
                               .v_s = c->v_s,
                               .tau = input_damped ? c->tau : NULL,
                               .h = INPUT_H,
                               .linear = linear};
}

/// rows x n values equal in every bit; any NaN equals any NaN
static inline void same_bits(const char* what, const char* isa, const double* got, const double* want,
                             int rows, int32_t n, int64_t ld)
{
    for (int r = 0; r < rows; r++)
        for (int32_t i = 0; i < n; i++) {
            const double a = got[r * ld + i], b = want[r * ld + i];
            if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
                fail_msg("%s, %s: row %d of contact %d: got %.17g (%a), want %.17g (%a)", what, isa, r, i, a,
                         a, b, b);
        }
}

static inline void zero_padding(const char* what, const inputs* c, const double* x, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int32_t i = c->nlive; i < c->n; i++)
            if (x[r * c->ld + i] != 0.0)
                fail_msg("%s: row %d of padding lane %d is %g", what, r, i, x[r * c->ld + i]);
}

// ---- the law, slow ---------------------------------------------------------------------------------

typedef struct slow_law {
    long double k, d, mu, delta0, v_s, h;
    int linear;
} slow_law;

/// The rate at which v_n closes the gap of a contact, s: h + tau.
static inline double input_rate(const inputs* c, int32_t i)
{
    return INPUT_H + (input_damped ? c->tau[i] : 0.0);
}

static inline slow_law slow_contact(const inputs* c, int32_t i, int linear)
{
    return (slow_law){c->k[i],      c->d[i],   c->mu[i],
                      c->delta0[i], c->v_s[i], (long double)INPUT_H + (input_damped ? c->tau[i] : 0.0),
                      linear};
}

static inline long double slow_normal(const slow_law* c, long double vn)
{
    return c->k * fmaxl(1 - c->d * vn, 0) * fmaxl(c->delta0 - c->h * vn, 0);
}

/// f(v); bound < 0: friction with pi
static inline void slow_force(const slow_law* c, const long double v[3], long double bound, long double f[3])
{
    const long double pi = slow_normal(c, v[2]), s = hypotl(v[0], v[1]), x = s / c->v_s;
    const long double mu = x >= 1 ? c->mu : c->linear ? c->mu * x : c->mu * x * (2 - x);
    f[0] = s > 0 ? -mu * v[0] / s * (bound < 0 ? pi : bound) : 0;
    f[1] = s > 0 ? -mu * v[1] / s * (bound < 0 ? pi : bound) : 0;
    f[2] = pi;
}

/// The contacts of every tree in their order: entries list[start[t] .. start[t + 1]) = 2 contact + side.
/// @param start (ntree + 1)   @param list (2 nc)
static inline void list_sides(int32_t ntree, int32_t nc, const int32_t* a, const int32_t* b, int32_t* start,
                              int32_t* list)
{
    int32_t n = 0;
    for (int32_t t = 0; t < ntree; t++) {
        start[t] = n;
        for (int32_t i = 0; i < nc; i++) {
            if (a[i] == t)
                list[n++] = 2 * i;
            if (b[i] == t)
                list[n++] = 2 * i + 1;
        }
    }
    start[ntree] = n;
}
