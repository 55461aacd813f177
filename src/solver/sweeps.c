// SPDX-License-Identifier: MIT
// Impulse start and nonlinear Gauss-Seidel sweeps over coloured contacts (theory: src/README.md#lifting,
// steps 1, 2).
//
// Contacts of one colour share no tree, so a colour is one kernel call: gather w = J_i v, nu = local(w, f_i),
// v += B_i (f_new - f_i). The batch holds the colours one after another, each padded to 8 lanes:
//
//     | colour 0 . . pad | colour 1 . . . . . . . | colour 2 pad | ...
#include "island.h"

static int32_t* colour_layout(tl_island* s, int32_t* start, int32_t* total)
{
    const int32_t nk = s->ncolour;
    memset(start, 0, sizeof(int32_t) * (size_t)(nk + 1));
    for (int32_t i = 0; i < s->nc; i++)
        start[s->colour[i] + 1]++;
    for (int32_t c = 0; c < nk; c++)
        start[c + 1] = start[c] + TL_PADDED(start[c + 1]);
    *total = start[nk];
    int32_t* idx = TL_ARENA(&s->work, int32_t, *total);
    int32_t* next = TL_ARENA(&s->work, int32_t, nk);
    if (!idx || !next)
        return NULL;
    memset(idx, 0xff, sizeof(int32_t) * (size_t)*total);
    memcpy(next, start, sizeof(int32_t) * (size_t)nk);
    for (int32_t i = 0; i < s->nc; i++)
        idx[next[s->colour[i]]++] = i;
    return idx;
}

// the part of a batch that starts at `at` and has n lanes
static tl_batch slice(const tl_batch* b, int32_t at, int32_t n)
{
    return (tl_batch){.n = n,
                      .idx = b->idx + at,
                      .p = {.k = b->p.k + at,
                            .d = b->p.d + at,
                            .mu = b->p.mu + at,
                            .delta0 = b->p.delta0 + at,
                            .v_s = b->p.v_s + at,
                            .h = b->p.h,
                            .linear = b->p.linear},
                      .Wt = b->Wt + at,
                      .Wn = b->Wn + at,
                      .bound = b->bound ? b->bound + at : NULL};
}

static inline void contact_velocity(const tl_island* s, int32_t i, const double* v, double* w, int32_t n)
{
    const int32_t a = s->ta[i], b = s->tb[i];
    const double *J = s->J + s->joff[i], *va = v + s->dof[a], *vb = b < 0 ? v : v + s->dof[b];
    const int32_t na = s->dof[a + 1] - s->dof[a], nb = b < 0 ? 0 : s->dof[b + 1] - s->dof[b];
    for (int32_t r = 0; r < 3; r++, J += na + nb)
        w[r * n] = tl_dot(J, va, na) + tl_dot(J + na, vb, nb);
}

static inline void respond(const tl_island* s, int32_t i, const double* df, double* v)
{
    const int32_t a = s->ta[i], b = s->tb[i];
    const double* B = s->B + s->joff[i];
    double *va = v + s->dof[a], *vb = b < 0 ? v : v + s->dof[b];
    const int32_t na = s->dof[a + 1] - s->dof[a], nb = b < 0 ? 0 : s->dof[b + 1] - s->dof[b], n = na + nb;
    for (int32_t c = 0; c < na; c++)
        va[c] += B[c] * df[0] + B[n + c] * df[1] + B[2 * n + c] * df[2];
    for (int32_t c = 0; c < nb; c++)
        vb[c] += B[na + c] * df[0] + B[n + na + c] * df[1] + B[2 * n + na + c] * df[2];
}

static void colour_velocities(const tl_island* s, const tl_batch* b, const double* v, double* w)
{
    const int32_t n = b->n;
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, s->J);
        s->kernels->jacobian_apply(n, b->idx, &J, v, n, w);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        if (b->idx[i] >= 0)
            contact_velocity(s, b->idx[i], v, w + i, n);
        else
            w[i] = w[n + i] = w[2 * n + i] = 0.0;
    }
}

// v += B df; the contacts of a colour share no tree
static void colour_responses(const tl_island* s, const tl_batch* b, const double* df, double* v)
{
    const int32_t n = b->n;
    if (s->six) {
        const tl_jacobian6 B = tl_isl_rows(s, s->B);
        s->kernels->jacobian_add(n, b->idx, &B, 1.0, df, n, v);
        return;
    }
    for (int32_t i = 0; i < n && b->idx[i] >= 0; i++) {
        const double d[3] = {df[i], df[n + i], df[2 * n + i]};
        respond(s, b->idx[i], d, v);
    }
}

// nu: where the linearization velocities go, NULL: not wanted yet
static void sweep_colour(const tl_island* s, const tl_batch* b, double* f, double* scratch, double* v,
                         double* nu)
{
    const int32_t n = b->n;
    double *w = scratch, *y = scratch + 3 * n, *fn = scratch + 6 * n;
    colour_velocities(s, b, v, w);
    tl_batch_local(s, b, w, f, y, fn);
    for (int32_t i = 0; i < 3 * n; i++) {
        w[i] = fn[i] - f[i];
        f[i] = fn[i];
    }
    colour_responses(s, b, w, v);
    if (nu)
        tl_batch_scatter(b, y, nu, s->ld);
}

talus_status tl_isl_sweep(tl_island* s, int32_t sweeps, double* f, double* v, double* nu)
{
    const double t0 = tl_now();
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    int32_t total;
    int32_t* start = TL_ARENA(&s->work, int32_t, s->ncolour + 1);
    double* p = TL_ARENA(&s->work, double, s->nv);
    if (!start || !p)
        return TALUS_ERR_NOMEM;
    int32_t* idx = colour_layout(s, start, &total);
    double* x = idx ? TL_ARENA(&s->work, double, 12 * (int64_t)total) : NULL;
    tl_batch all;
    if (!x || tl_batch_make(s, idx, total, &all) < 0)
        return TALUS_ERR_NOMEM;

    // impulse start: v = v* + h M^-1 J^T f
    memset(p, 0, sizeof(double) * (size_t)s->nv);
    tl_isl_gen(s, f, s->h, p);
    tl_isl_Minv(s, p, v);
    for (int32_t i = 0; i < s->nv; i++)
        v[i] += s->v_star[i];
    memset(nu, 0, sizeof(double) * 3 * (size_t)s->ld);

    // forces of each colour as a compact (3 x n) piece
    double *fs = x, *scratch = x + 3 * (int64_t)total;
    for (int32_t c = 0; c < s->ncolour; c++) {
        const tl_batch b = slice(&all, start[c], start[c + 1] - start[c]);
        tl_batch_gather(&b, f, s->ld, fs + 3 * (int64_t)start[c]);
    }
    for (int32_t sweep = 0; sweep < sweeps; sweep++)
        for (int32_t c = 0; c < s->ncolour; c++) {
            const tl_batch b = slice(&all, start[c], start[c + 1] - start[c]);
            sweep_colour(s, &b, fs + 3 * (int64_t)start[c], scratch, v, sweep == sweeps - 1 ? nu : NULL);
        }
    if (sweeps == 0)
        tl_isl_velocity(s, v, nu);
    tl_arena_release(&s->work, mark);
    s->info.t_limit += tl_now() - t0;
    return TALUS_OK;
}
