// SPDX-License-Identifier: MIT
// Private to module model: the steps from spec to model.
#pragma once

#include "model.h"
#include "scene.h"

/// Mutable view of a body while it is compiled.
typedef struct tl_body_build {
    int32_t parent, first_joint, njoint, first_geom, ngeom;
    double pos[3], quat[4], ipos[3], iquat[4], mass, inertia[3];
    bool gone; // fused into its parent
} tl_body_build;

/// Arrays of the compile, in one arena.
typedef struct tl_compile {
    tl_spec* spec;
    double refine; // hints of pressure fields are divided by it
    talus_model* model;
    tl_arena scratch;
    int32_t nbody, njnt, ngeom;
    tl_body_build* body;  // (nbody) as in the spec
    int32_t* joint;       // (njnt) spec joints sorted by body
    int32_t* geom;        // (ngeom) spec geoms sorted by body
    double* geom_mass;    // (spec ngeom)
    double* geom_inertia; // (spec ngeom x 3)
    int32_t* geom_id;     // (spec ngeom) in the model, -1: discarded
    int32_t* joint_id;    // (spec njoint)
    int32_t* body_id;     // (spec nbody) in the model; fused bodies: their parent's
} tl_compile;

/// check.c: joints where they may stand; every moving body has inertia in the directions its joints move it.
talus_status tl_compile_check_tree(tl_compile* c);
talus_status tl_compile_check_mass(tl_compile* c);
/// inertia.c: masses of geoms and bodies; moves free bodies to their inertial frame where asked for.
talus_status tl_compile_inertia(tl_compile* c);
/// fuse.c: merge static bodies into their parents (compiler fusestatic).
talus_status tl_compile_fuse(tl_compile* c);
/// layout.c: the arrays of the model.
talus_status tl_compile_layout(tl_compile* c);
/// contact.c: pairs, excludes, filter masks, materials.
talus_status tl_compile_contact(tl_compile* c);
/// hull.c: convex hulls of mesh geoms into their shapes.
talus_status tl_compile_hulls(tl_compile* c, tl_shape* shape);
/// hfield.c: height fields into the shapes of their geoms.
talus_status tl_compile_hfields(tl_compile* c, tl_shape* shape);
/// Vertices of a prepared mesh in the frame of its geoms: its principal axes. @param x (nvert x 3) out
void tl_mesh_in_own_frame(const tl_spec_mesh* mesh, double* x);
/// field.c: pressure fields of the geoms that have them.
talus_status tl_compile_fields(tl_compile* c);
/// actuate.c: armature and damping of an actuator act on its joint through gear^2; actuators.
void tl_compile_reflected(tl_compile* c);
talus_status tl_compile_actuators(tl_compile* c);
/// keyframe.c
talus_status tl_compile_keys(tl_compile* c);

/// A zeroed array in the model's memory. @return NULL: out of memory (a message was sent)
void* tl_model_array(talus_model* m, int64_t n, size_t elem);
#define TL_MODEL_ARRAY(m, T, n) ((T*)tl_model_array((m), (n), sizeof(T)))
/// A copy of a name in the model's memory.
const char* tl_model_text(talus_model* m, const char* s);
