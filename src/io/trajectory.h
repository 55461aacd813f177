// SPDX-License-Identifier: MIT
// Trajectory files (src/io/README.md#trajectory).
#pragma once

#include <talus/sim.h>
#include "base.h"

/// A file that grows by one row a step. One caller at a time; model and path are borrowed.
typedef struct tl_trajectory tl_trajectory;

/// Make the file with the scene, the names and row 0: the state before the first step.
/// @return OK, ERR_IO, ERR_UNSUPPORTED (built without HDF5), ERR_NOMEM
talus_status tl_trajectory_create(talus_context* ctx, const talus_model* model, talus_sim* sim,
                                  const talus_state* state, double h, const char* path, tl_trajectory** out);
/// Add the state after a step. Rows reach the file a few times a second.
/// @param info  NULL: no step was made
/// Memory: none after creation.
talus_status tl_trajectory_add(tl_trajectory* t, const talus_state* state, const talus_step_info* info);
/// Write what is left and free. NULL is fine. @return OK, ERR_IO
talus_status tl_trajectory_close(tl_trajectory* t);
