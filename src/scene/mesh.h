// SPDX-License-Identifier: MIT
// Private to the mesh files of module scene.
#pragma once

#include "scene.h"

/// "file:line: mesh 'NAME': text", ERR_INPUT
talus_status tl_mesh_bad(const tl_spec* s, const tl_spec_mesh* m, const char* fmt, ...) TL_PRINTF(3, 4);
/// Room for vertices (3 doubles) and triangles (3 indices) in the spec's memory; sets the counts.
talus_status tl_mesh_resize(tl_spec* s, tl_spec_mesh* m, int64_t nvert, int64_t nface);

/// mesh_builtin.c: sphere, hemisphere, cone, supersphere, supertorus.
talus_status tl_mesh_make_builtin(tl_spec* s, tl_spec_mesh* m);
/// false: a shape for tactile sensors (wedge, plate), which is not made here.
bool tl_mesh_knows_builtin(const tl_spec_mesh* m);
/// hull.c: triangles of the convex hull of the vertices, outward.
talus_status tl_mesh_hull(tl_spec* s, const tl_spec_mesh* m, int32_t** face, int64_t* nface);
/// mesh_check.c: edges that belong to one triangle only, vertices at the same place counted as one.
talus_status tl_mesh_open_edges(tl_spec* s, const tl_spec_mesh* m, int64_t* count);
