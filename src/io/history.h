// SPDX-License-Identifier: MIT
// What a run looked like over time, in bounded memory: for pictures and summaries.
#pragma once

#include <talus/sim.h>
#include "base.h"

#define TL_HISTORY_MAX 2048 // bins; when they are full, neighbours merge

/// Sums and maxima over the steps of one bin.
typedef struct tl_history_bin {
    double t0, t1; // simulated time at its start and end   s
    int64_t steps;
    double phase[TALUS_PHASE_COUNT]; // sum                 s
    double contacts;                 // sum
    int32_t contacts_max, iterations_max;
    int32_t unconverged, lagged;
    double max_depth; // m
} tl_history_bin;

typedef struct tl_history {
    int32_t count;
    int64_t per_bin; // steps
    tl_history_bin bins[TL_HISTORY_MAX];
} tl_history;

void tl_history_init(tl_history* h);
/// Add a step from t0 to t1.
void tl_history_add(tl_history* h, double t0, double t1, const talus_step_info* info);
