// SPDX-License-Identifier: MIT
// The compiled model: one immutable object that multibody, geometry and sim read.
#pragma once

#include <talus/model.h>
#include "geometry.h"
#include "multibody.h"
#include "patch.h"

/// force = gain0 ctrl + bias0 + bias1 length + bias2 velocity, with length = gear . q (scalar joints),
/// clamped to force_range; ctrl clamped to ctrl_range. The derivative bias1, bias2 goes to the implicit side.
typedef struct tl_actuator {
    int32_t joint;       // transmission; -1: not understood, exerts nothing
    double gear[6];      // scalar joints use gear[0]; ball: 3, free: 6
    double gain0;        // force per ctrl
    double gain1, gain2; // affine gain: (gain0 + gain1 length + gain2 velocity) ctrl
    double bias[3];
    double ctrl_range[2], force_range[2];
    bool ctrl_limited, force_limited;
} tl_actuator;

struct talus_model {
    talus_context* ctx; // allocates; the model is not to outlive it
    tl_arena memory;    // owns every array below
    char* text_next;    // names are packed in pieces of it
    size_t text_left;
    const char* path;
    const char* text; // the scene's source text, for trajectory files
    talus_model_info info;
    tl_mb mb;

    // geoms, those of a body contiguous
    const int32_t* geom_body;        // (ngeom)
    const tl_shape* geom_shape;      // (ngeom)
    const double* geom_pos;          // (ngeom x 3) in the body frame
    const double* geom_quat;         // (ngeom x 4)
    const int32_t* geom_contype;     // (ngeom)
    const int32_t* geom_conaffinity; // (ngeom)
    const double* geom_rgba;         // (ngeom x 4)
    const double* geom_k;            // (ngeom) stiffness of the geometry       N/m
    const double* geom_d;            // (ngeom) dissipation                     s/m
    const double* geom_mu;           // (ngeom) its friction coefficient
    const uint8_t* geom_smooth;      // (ngeom) condim 1: no friction with another such geom
    const int32_t* geom_priority;    // (ngeom) the higher one's friction holds for both
    const tl_field** geom_field;     // (ngeom) pressure field, NULL: contact at points
    const double* geom_modulus;      // (ngeom) of the field, INFINITY: rigid            Pa
    const double* geom_margin;       // (ngeom) kept for information; contacts act at depth > 0
    tl_hull** hull;                  // (nhull) owned
    int32_t nhull;
    tl_hfield** hfield; // (nhfield) owned; geoms of the same asset share one
    int32_t nhfield;
    tl_field** field; // (nfield) owned; geoms of the same shape and properties share one
    int32_t nfield;
    // explicit contact pairs (geom ids, a < b), added to the filtered ones; their own mu, or < 0: combined
    int32_t npair;
    const tl_pair* pairs;  // sorted
    const double* pair_mu; // (npair)
    // excluded body pairs (a < b), sorted
    int32_t nexclude;
    const tl_pair* excludes;

    // what tl_model_may_collide reads, prepared so that a pair costs a few loads (model/filter.c)
    const int32_t* geom_weld;        // (ngeom) weld group, 0: fixed to the world
    const int32_t* geom_weld_parent; // (ngeom) weld group of that group's parent
    const uint8_t* geom_listed;      // (ngeom) bit 0: its body is in an exclude, bit 1: it is in a pair
    bool contact_off;                // option flag contact or constraint: nothing touches
    bool parent_touches;             // option flag filterparent: parent and child may touch

    // joints and dofs
    const uint8_t* jnt_limited;     // (njnt)
    const double* jnt_range;        // (njnt x 2)                              m | rad
    const double* jnt_stiffness;    // (njnt) spring                           N/m | N m/rad
    const double* qpos_spring;      // (nq) spring reference
    const double* dof_damping;      // (nv)                                    N s/m | N m s/rad
    const double* dof_frictionloss; // (nv)                                    N | N m

    int32_t nu;
    const tl_actuator* actuator;

    int32_t nkey;
    const double* key_q;    // (nkey x nq)
    const double* key_v;    // (nkey x nv)
    const double* key_ctrl; // (nkey x nu)

    const char** notice; // (info.nnotice) what of the file is not used, "file:line: text"

    // names, "" where there is none
    const char** body_name;
    const char** jnt_name;
    const char** geom_name;
    const char** actuator_name;
    const char** key_name;
};

/// True when the two geoms may touch: contype/conaffinity, not the same weld group, not parent and child
/// (unless the parent is fixed to the world), not excluded; or an explicit pair.
bool tl_model_may_collide(const talus_model* m, int32_t geom_a, int32_t geom_b);

/// A name for messages: "'NAME'", or "#INDEX" where the file gives none.
typedef struct tl_label {
    char text[80];
} tl_label;
tl_label tl_model_label(const talus_model* m, talus_object kind, int32_t index);

/// No friction between the two: condim 1 of both, or of the one with the higher priority. A mu of Talus' own (custom
/// text, option) takes the mark off its geom.
bool tl_model_smooth(const talus_model* m, int32_t geom_a, int32_t geom_b);
/// Coefficient of a pair: 2 a b / (a + b) (theory: src/README.md#contact).
static inline double tl_mix_friction(double a, double b)
{
    return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0;
}
