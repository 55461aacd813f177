// SPDX-License-Identifier: MIT
// Pictures of a run: the bodies as they lie, and phases, contacts and iterations over time.
#pragma once

#include <talus/sim.h>
#include "history.h"

#define TL_PICTURE_LINES 12

typedef struct tl_picture {
    const talus_model* model;
    talus_sim* sim;
    const talus_state* state;
    const tl_history* history;
    const char* title;
    int32_t nline;
    char line[TL_PICTURE_LINES][96]; // facts beside the plots
} tl_picture;

/// Write a PNG. @return OK, ERR_IO, ERR_NOMEM, ERR_UNSUPPORTED (built without cairo)
talus_status tl_picture_save(talus_context* ctx, const tl_picture* picture, const char* path);

// ---- render.c, the scene part -----------------------------------------------------------------------------

/// Draw the geoms of a state into rgb (height x width x 3, bytes), seen from a camera that sees all moving
/// bodies; contact patches are coloured by pressure, from 0 to the largest.
/// @param pressure_max  of the patches seen, 0: there are none                                           Pa
talus_status tl_render(talus_context* ctx, const talus_model* model, talus_sim* sim, const talus_state* state,
                       int32_t width, int32_t height, uint8_t* rgb, double* pressure_max);
