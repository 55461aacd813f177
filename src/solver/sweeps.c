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

// nu: where the linearization velocities go, NULL: not wanted yet
static void sweep_colour(const tl_island* s, const tl_batch* b, double* f, double* scratch, double* v,
                         double* nu)
{
    const int32_t n = b->n;
    double *w = scratch, *y = scratch + 3 * n, *fn = scratch + 6 * n;
    tl_isl_apply(s, n, b->idx, s->J, v, n, w);
    tl_batch_local(s, b, w, f, y, fn);
    for (int32_t i = 0; i < 3 * n; i++) {
        w[i] = fn[i] - f[i];
        f[i] = fn[i];
    }
    tl_isl_add(s, n, b->idx, s->B, 1.0, w, n, v); // the contacts of a colour share no tree
    if (nu)
        tl_batch_scatter(b, y, nu, s->ld);
}

talus_status tl_isl_sweep(tl_island* s, int32_t sweeps, double* f, double* v, double* nu)
{
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
    return TALUS_OK;
}
