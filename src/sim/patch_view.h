// SPDX-License-Identifier: MIT
// Contact patches of a state, to be looked at: with the corners of their faces, for files and pictures.
#pragma once

#include <talus/sim.h>
#include "patch.h"

typedef struct tl_patch_view {
    int32_t n;                    // patches
    const tl_patch* const* patch; // (n) their faces, with corners
    const talus_patch* pair;      // (n) geoms, bodies, totals; NULL: no scene
    const double*
        slip; // (all faces x 3) velocity of A past B at the centroid, along the face; NULL: unknown, m/s
    const double*
        traction; // (all faces x 3) on A, normal and friction; NULL: unknown                            Pa
    double time;  // s
} tl_patch_view;

/// Collide the fields of a state at its own poses: what a run shows between two steps. Tractions and the forces of
/// `pair` are those of the contact law at these poses and velocities, where delta0 has become that of the step's end:
/// at rest the forces of the step, else they differ by what the overlap's direction changes within it.
/// @param out  borrowed until the next call on sim
/// The state and the contacts of the last step stay as they are. @return OK, ERR_ARG, ERR_INPUT, ERR_NOMEM
talus_status tl_sim_patch_view(talus_sim* sim, const talus_state* state, tl_patch_view* out);
