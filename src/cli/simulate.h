// SPDX-License-Identifier: MIT
// One simulation with all its outputs: what `talus run` and `talus profile` share.
#pragma once

#include "cli.h"
#include "history.h"

typedef struct cli_run {
    cli_args* args;
    talus_model* model;
    talus_sim* sim;
    talus_state* state;
    double dt;
    int64_t steps_wanted;

    // results
    int64_t steps;
    bool interrupted;
    bool sleep;                            // contact.sleep
    int64_t bodies_awake;                  // summed over the steps
    int32_t bodies_asleep, islands_asleep; // after the last one
    int64_t contacts, iterations, factorizations, linear_steps, symbolic, redundant,
        pairs; // sums over the steps
    int32_t contacts_max, iterations_max, factorizations_max, islands_max, missed;
    int64_t unconverged, lagged, substepped, restarted;
    double wall, cpu;                                    // of the loop; of the steps in all threads   s
    int64_t patches, faces, left_out, boxes, candidates; // of contact patches, summed
    double t_broad, t_points, t_trees, t_clip;           // parts of the geometry phase, s
    double phase[TALUS_PHASE_COUNT];
    double max_depth;
    talus_energy energy;
    uint64_t hash;
    int32_t frames; // of --patches, and what lists them
    char pvd[512];
    tl_history history;
} cli_run;

/// Load, step to the end, write every file the arguments name. The results stand whatever is returned, as far
/// as they go. @return exit code
int cli_simulate(cli_args* args, cli_run* r);
void cli_run_fini(cli_run* r);

/// progress.c: a line on standard error, at most ten times a second on a terminal, every five seconds
/// elsewhere.
typedef struct cli_progress {
    double start, next;
    bool terminal;
} cli_progress;
void cli_progress_begin(cli_progress* p);
void cli_progress_show(cli_progress* p, cli_args* args, int64_t step, int64_t steps, double dt,
                       int32_t contacts);
void cli_progress_end(cli_progress* p, cli_args* args);
