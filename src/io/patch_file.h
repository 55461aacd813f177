// SPDX-License-Identifier: MIT
// Pairs of bodies at given poses as data (JSON), for queries without a scene.
#pragma once

#include <talus/patch.h>
#include "json_file.h"

/// One pair of bodies in space.
typedef struct tl_patch_case {
    char name[128];
    talus_field* field[2];
    talus_pose pose[2];
} tl_patch_case;

/// Number of cases in the file's root: {"cases": [..]}. @return >= 0, or a status < 0 with a message
int32_t tl_patch_cases(talus_context* ctx, const char* path, const json_t* root);
/// Read case i: {"name", "A": BODY, "B": BODY, "X_WA_xyz_rpy": [6], "X_WB_xyz_rpy": [6]} with BODY =
/// {"type": "compliant" | "rigid", "shape", "dims" (m), "E" (Pa), "hint" (m), "thickness" (m)}; shapes and dims:
/// sphere [r], ellipsoid [semi-axes], box [full sizes], cylinder [r, length], capsule [r, length between the
/// cap centres], halfspace; or "mesh" with "vertices" [[x, y, z]] and "tets" [[4]] (and "pressure" [Pa]), or
/// "tris" [[3]], or with "file": a mesh file, beside the file of cases (talus_field_load). Angles: roll, pitch, yaw about fixed axes. The caller frees with tl_patch_case_free.
talus_status tl_patch_case_read(talus_context* ctx, const char* path, const json_t* root, int32_t i,
                                tl_patch_case* out);
void tl_patch_case_free(tl_patch_case* c);
