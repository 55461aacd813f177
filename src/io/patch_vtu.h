// SPDX-License-Identifier: MIT
// Contact patches as VTK XML that ParaView opens: one file, or a run as numbered files with their times.
#pragma once

#include "patch_view.h"

/// Faces with corners as one unstructured grid of polygons. Point data "pressure" (Pa); cell data "pressure", "area",
/// "normal" (from B into A), "contact" (0: left out), "patch" (index); where known "slip" (m/s, A past B), "traction"
/// (Pa, on A), "geom_A", "geom_B", "body_A", "body_B" (indices as talus_model_name takes them), and the time.
/// @return OK, ERR_IO
talus_status tl_patch_vtu_save(talus_context* ctx, const char* path, const tl_patch_view* view);

/// A run as files of one pattern, and FILE.pvd, which names them with their times and is complete after each frame.
typedef struct tl_patch_series tl_patch_series;

/// Check the pattern (one %d or %05d in the file's name, which ends in .vtu), make the .pvd file, and write the state
/// as frame 0.
/// @param rate  frames per simulated second
/// @return OK, ERR_INPUT (the scene has no pressure fields, a pattern that is none), ERR_IO, ERR_NOMEM
talus_status tl_patch_series_create(talus_context* ctx, const talus_model* model, talus_sim* sim,
                                    const talus_state* state, const char* pattern, double rate,
                                    tl_patch_series** out);
/// Write a frame when its time has come. Costs nothing else.
talus_status tl_patch_series_add(tl_patch_series* s, const talus_state* state);
/// Write the last state where no frame shows it yet, and free. NULL is fine.
/// @param frames  how many were written   @param pvd (size) name of the .pvd file
/// @return OK, ERR_IO, ERR_NOMEM
talus_status tl_patch_series_close(tl_patch_series* s, const talus_state* state, int32_t* frames, char* pvd,
                                   size_t size);
