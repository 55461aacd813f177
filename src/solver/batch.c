// SPDX-License-Identifier: MIT
// Batches: a selection of an island's contacts (one colour, one body pair) with padded copies of their
// parameters.
#include "island.h"

static void gather_field(double* to, const double* from, const int32_t* idx, int32_t n, double pad)
{
    for (int32_t i = 0; i < n; i++)
        to[i] = idx[i] >= 0 ? from[idx[i]] : pad;
}

talus_status tl_batch_make(tl_island* s, const int32_t* idx, int32_t n, tl_batch* out)
{
    TL_ASSERT(n % TL_PAD == 0);
    double* x = TL_ARENA(&s->work, double, (s->tau ? 9 : 8) * (int64_t)n);
    if (!x)
        return TALUS_ERR_NOMEM;
    double *k = x, *d = x + n, *mu = x + 2 * n, *delta0 = x + 3 * n, *v_s = x + 4 * n, *Wt = x + 5 * n,
           *Wn = x + 6 * n;
    gather_field(k, s->k, idx, n, 0.0);
    gather_field(d, s->d, idx, n, 0.0);
    gather_field(mu, s->mu, idx, n, 0.0);
    gather_field(delta0, s->delta0, idx, n, 0.0);
    gather_field(v_s, s->v_s, idx, n, 1.0);
    gather_field(Wt, s->Wt, idx, n, 0.0);
    gather_field(Wn, s->Wn, idx, n, 0.0);
    double* bound = NULL;
    if (s->bound) {
        bound = x + 7 * n;
        gather_field(bound, s->bound, idx, n, 0.0);
    }
    double* tau = NULL;
    if (s->tau) {
        tau = x + 8 * n;
        gather_field(tau, s->tau, idx, n, 0.0);
    }
    *out = (tl_batch){.n = n,
                      .idx = idx,
                      .p = {.k = k,
                            .d = d,
                            .mu = mu,
                            .delta0 = delta0,
                            .v_s = v_s,
                            .tau = tau,
                            .h = s->h,
                            .linear = s->linear},
                      .Wt = Wt,
                      .Wn = Wn,
                      .bound = bound};
    return TALUS_OK;
}

void tl_batch_gather(const tl_batch* b, const double* from, int32_t ld, double* to)
{
    for (int32_t r = 0; r < 3; r++)
        gather_field(to + (int64_t)r * b->n, from + (int64_t)r * ld, b->idx, b->n, 0.0);
}

void tl_batch_scatter(const tl_batch* b, const double* from, double* to, int32_t ld)
{
    for (int32_t r = 0; r < 3; r++)
        for (int32_t i = 0; i < b->n; i++)
            if (b->idx[i] >= 0)
                to[(int64_t)r * ld + b->idx[i]] = from[(int64_t)r * b->n + i];
}

void tl_batch_local(const tl_island* s, const tl_batch* b, const double* w, const double* fl, double* nu,
                    double* f)
{
    s->kernels->contact_local(b->n, b->n, &b->p, b->Wt, b->Wn, w, fl, b->bound, nu, f);
}
