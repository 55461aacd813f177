// SPDX-License-Identifier: MIT
// A history of fixed size: bins of equally many steps. A full history merges its bins in pairs and goes on
// with bins twice as long, so a run of any length keeps at least half of TL_HISTORY_MAX points.
#include "history.h"

void tl_history_init(tl_history* h)
{
    h->count = 0;
    h->per_bin = 1;
}

static void merge(tl_history_bin* to, const tl_history_bin* b)
{
    if (to->steps == 0)
        to->t0 = b->t0;
    to->t1 = b->t1;
    to->steps += b->steps;
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
        to->phase[p] += b->phase[p];
    to->contacts += b->contacts;
    to->contacts_max = TL_MAX(to->contacts_max, b->contacts_max);
    to->iterations_max = TL_MAX(to->iterations_max, b->iterations_max);
    to->unconverged += b->unconverged;
    to->lagged += b->lagged;
    to->max_depth = TL_MAX(to->max_depth, b->max_depth);
}

static void halve(tl_history* h)
{
    for (int32_t i = 0; i < TL_HISTORY_MAX / 2; i++) {
        tl_history_bin pair = h->bins[2 * i];
        merge(&pair, &h->bins[2 * i + 1]);
        h->bins[i] = pair;
    }
    h->count = TL_HISTORY_MAX / 2;
    h->per_bin *= 2;
}

void tl_history_add(tl_history* h, double t0, double t1, const talus_step_info* info)
{
    tl_history_bin one = {.t0 = t0,
                          .t1 = t1,
                          .steps = 1,
                          .contacts = info->contacts,
                          .contacts_max = info->contacts,
                          .iterations_max = info->solve.iterations_max,
                          .unconverged = info->unconverged,
                          .lagged = info->lagged,
                          .max_depth = info->max_depth};
    memcpy(one.phase, info->phase, sizeof one.phase);
    if (h->count == 0 || h->bins[h->count - 1].steps >= h->per_bin) {
        if (h->count == TL_HISTORY_MAX)
            halve(h);
        h->bins[h->count++] = (tl_history_bin){0};
    }
    merge(&h->bins[h->count - 1], &one);
}
