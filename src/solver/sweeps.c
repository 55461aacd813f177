// SPDX-License-Identifier: MIT
// Impulse start and nonlinear Gauss-Seidel sweeps over coloured contacts (theory: src/README.md#lifting,
// steps 1, 2).
//
// Contacts of one colour share no tree: w = J_i v, nu = local(w, f_i), v += B_i (f_new - f_i). Small islands have
// two or three contacts of a colour, and one local solve is all latency, so the islands of a task are swept
// together: colour c is that of all islands, one kernel call for their local solves. Islands share no tree either
// and the kernel works contact by contact, so company changes no bit. Lanes are colour after colour, each padded:
//
//     | colour 0: island 0 . . | island 1 . | pad | colour 1: island 0 . | island 1 . . . | pad | ...
#include "island.h"

typedef struct lanes {
    int32_t n; // islands
    tl_sweep* const* part;
    int32_t ncolour;
    int32_t* start; // (ncolour + 1) first lane of each colour
    int32_t* first; // (ncolour x n) first lane of an island's contacts of that colour
    int32_t* count; // (ncolour x n)
    int32_t* idx;   // (lanes) contact in its island, -1: padding
    double *k, *d, *mu, *delta0, *v_s, *Wt, *Wn, *bound, *tau;
    double *f, *scratch; // (3 x n of each colour), (9 x most lanes of a colour)
} lanes;

size_t tl_sweep_bytes(int32_t n, int32_t nc, int32_t ncolour, int32_t nv)
{
    const size_t most = (size_t)nc + TL_PAD * (size_t)ncolour;
    return sizeof(double) * (21 * most + (size_t)nv) +
           sizeof(int32_t) * (most + (2 * (size_t)n + 1) * (size_t)ncolour) + 8 * TL_ALIGN;
}

static talus_status lay_out(tl_arena* work, lanes* l)
{
    const int32_t n = l->n;
    for (int32_t k = 0; k < n; k++)
        l->ncolour = TL_MAX(l->ncolour, l->part[k]->s->ncolour);
    l->start = TL_ARENA(work, int32_t, l->ncolour + 1);
    l->first = TL_ARENA(work, int32_t, 2 * (int64_t)l->ncolour * n);
    if (!l->start || !l->first)
        return TALUS_ERR_NOMEM;
    l->count = l->first + (int64_t)l->ncolour * n;
    memset(l->count, 0, sizeof(int32_t) * (size_t)l->ncolour * (size_t)n);
    for (int32_t k = 0; k < n; k++) {
        const tl_island* s = l->part[k]->s;
        for (int32_t i = 0; i < s->nc; i++)
            l->count[s->colour[i] * n + k]++;
    }
    int32_t at = 0;
    for (int32_t c = 0; c < l->ncolour; c++) {
        l->start[c] = at;
        for (int32_t k = c * n; k < (c + 1) * n; k++) {
            l->first[k] = at;
            at += l->count[k];
        }
        at = TL_PADDED(at);
    }
    l->start[l->ncolour] = at;
    return TALUS_OK;
}

// parameters and starting forces of every lane
static talus_status fill(tl_arena* work, lanes* l)
{
    const int32_t n = l->n, total = l->start[l->ncolour];
    const bool damped = l->part[0]->s->tau != NULL;
    l->idx = TL_ARENA(work, int32_t, total);
    double* x = TL_ARENA(work, double, (damped ? 21 : 20) * (int64_t)total);
    if (!l->idx || !x)
        return TALUS_ERR_NOMEM;
    memset(l->idx, 0xff, sizeof(int32_t) * (size_t)total);
    memset(x, 0, sizeof(double) * (damped ? 12 : 11) * (size_t)total);
    double** fields[] = {&l->k, &l->d, &l->mu, &l->delta0, &l->v_s, &l->Wt, &l->Wn, &l->bound, &l->tau};
    for (int32_t i = 0; i < TL_COUNT(fields) - !damped; i++, x += total)
        *fields[i] = x;
    l->f = x;
    l->scratch = x + 3 * (int64_t)total;
    for (int32_t i = 0; i < total; i++)
        l->v_s[i] = 1.0;
    for (int32_t k = 0; k < n; k++) {
        const tl_island* s = l->part[k]->s;
        for (int32_t i = 0; i < s->nc; i++) {
            const int32_t c = s->colour[i], width = l->start[c + 1] - l->start[c], at = l->first[c * n + k]++;
            l->idx[at] = i;
            l->k[at] = s->k[i];
            l->d[at] = s->d[i];
            l->mu[at] = s->mu[i];
            l->delta0[at] = s->delta0[i];
            l->v_s[at] = s->v_s[i];
            l->Wt[at] = s->Wt[i];
            l->Wn[at] = s->Wn[i];
            if (s->bound)
                l->bound[at] = s->bound[i];
            if (s->tau)
                l->tau[at] = s->tau[i];
            double* f = l->f + 3 * (int64_t)l->start[c] + at - l->start[c];
            for (int32_t r = 0; r < 3; r++)
                f[(int64_t)r * width] = l->part[k]->f[(int64_t)r * s->ld + i];
        }
    }
    for (int32_t i = 0; i < l->ncolour * n; i++)
        l->first[i] -= l->count[i];
    return TALUS_OK;
}

// v = v* + h M^-1 J^T f; p (nv) scratch
static void impulse_start(const tl_sweep* x, double* p)
{
    const tl_island* s = x->s;
    memset(p, 0, sizeof(double) * (size_t)s->nv);
    tl_isl_gen(s, x->f, s->h, p);
    tl_isl_Minv(s, p, x->v);
    for (int32_t i = 0; i < s->nv; i++)
        x->v[i] += s->v_star[i];
    memset(x->nu, 0, sizeof(double) * 3 * (size_t)s->ld);
}

static void sweep_colour(const lanes* l, int32_t c, bool last)
{
    const int32_t at = l->start[c], n = l->start[c + 1] - at;
    const tl_island* any = l->part[0]->s;
    const tl_contact_params p = {.k = l->k + at,
                                 .d = l->d + at,
                                 .mu = l->mu + at,
                                 .delta0 = l->delta0 + at,
                                 .v_s = l->v_s + at,
                                 .tau = any->tau ? l->tau + at : NULL,
                                 .h = any->h,
                                 .linear = any->linear};
    double *w = l->scratch, *y = w + 3 * n, *fn = w + 6 * n, *f = l->f + 3 * (int64_t)at;
    const int32_t *first = l->first + c * l->n, *count = l->count + c * l->n;
    for (int32_t k = 0; k < l->n; k++)
        if (count[k])
            tl_isl_apply(l->part[k]->s, count[k], l->idx + first[k], l->part[k]->s->J, l->part[k]->v, n,
                         w + first[k] - at);
    any->kernels->contact_local(n, n, &p, l->Wt + at, l->Wn + at, w, f, any->bound ? l->bound + at : NULL, y,
                                fn);
    for (int32_t i = 0; i < 3 * n; i++) {
        w[i] = fn[i] - f[i];
        f[i] = fn[i];
    }
    for (int32_t k = 0; k < l->n; k++) {
        const tl_sweep* x = l->part[k];
        if (count[k])
            tl_isl_add(x->s, count[k], l->idx + first[k], x->s->B, 1.0, w + first[k] - at, n, x->v);
        for (int32_t j = first[k]; last && j < first[k] + count[k]; j++)
            for (int32_t r = 0; r < 3; r++)
                x->nu[(int64_t)r * x->s->ld + l->idx[j]] = y[r * n + j - at];
    }
}

talus_status tl_sweep_islands(tl_arena* work, int32_t n, tl_sweep* const* part, int32_t sweeps)
{
    const tl_arena_mark mark = tl_arena_get_mark(work);
    lanes l = {.n = n, .part = part};
    const bool parts = n == 1 && part[0]->s->alone && part[0]->s->nparts > 1 && sweeps > 0;
    int32_t nv = 0;
    for (int32_t k = 0; k < n; k++)
        nv = TL_MAX(nv, part[k]->s->nv);
    double* p = TL_ARENA(work, double, nv);
    if (!p || (!parts && (lay_out(work, &l) < 0 || fill(work, &l) < 0)))
        return TALUS_ERR_NOMEM;
    for (int32_t k = 0; k < n; k++)
        impulse_start(part[k], p);
    if (parts) {
        tl_arena_release(work, mark);
        return tl_sweep_parts(part[0], sweeps);
    }
    // padding lanes have no velocity of their own
    memset(l.scratch, 0, sizeof(double) * 9 * (size_t)l.start[l.ncolour]);
    for (int32_t sweep = 0; sweep < sweeps; sweep++)
        for (int32_t c = 0; c < l.ncolour; c++)
            sweep_colour(&l, c, sweep == sweeps - 1);
    for (int32_t k = 0; k < n && sweeps == 0; k++)
        tl_isl_velocity(part[k]->s, part[k]->v, part[k]->nu);
    tl_arena_release(work, mark);
    return TALUS_OK;
}
