// SPDX-License-Identifier: MIT
// States as JSON files: what `--final` writes and `--state` reads (src/io/README.md#state).
#pragma once

#include <talus/sim.h>
#include "base.h"

/// Read a state file over `state`, which keeps what the file does not give. The file has any of
///   {"time": s, "q": [nq], "v": [nv], "bodies": {name: {"pos", "quat", "linvel", "angvel"}}, "joints":
///   {name: [q, v]}}
/// or {"free": {body: [pos 3, quat 4, linvel 3, angvel 3 in the body frame]}, "hinge": {joint: [q, v]}}.
/// @return OK, ERR_IO, ERR_INPUT (file, field and index, or an unknown name), ERR_NOMEM
talus_status tl_state_load(talus_context* ctx, const talus_model* model, const char* path,
                           talus_state* state);

/// Write the state with all body poses and the contacts of the last step.
talus_status tl_state_save(talus_context* ctx, const talus_model* model, talus_sim* sim,
                           const talus_state* state, const char* path);
