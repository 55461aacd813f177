// SPDX-License-Identifier: MIT
// The editable spec of a scene: what a file says, with names resolved, defaults applied and poses composed,
// but before masses are inferred and arrays are laid out. model/compile.c turns it into the immutable model.
#pragma once

#include "base.h"
#include "geometry.h"
#include "multibody.h"

/// Where an object was written; for messages.
typedef struct tl_src {
    const char* file;
    int32_t line;
} tl_src;

/// <compiler> of the file an object comes from (an attached file keeps its own).
typedef struct tl_spec_compiler {
    int32_t degree, autolimits, balanceinertia, discardvisual, fusestatic, alignfree, fitaabb, strippath;
    int32_t inertiafromgeom; // 0 false, 1 true, 2 auto
    int32_t conflict;        // 0 warning, 1 merge, 2 error
    int32_t inertiagrouprange[2];
    double boundmass, boundinertia, settotalmass;
    const char *eulerseq, *meshdir, *assetdir;
} tl_spec_compiler;

typedef struct tl_spec_body {
    const char* name;
    tl_src at;
    int32_t parent;
    double pos[3], quat[4]; // in the parent's frame; the frames of <frame>, <replicate>, <attach> are in it
    bool inertial;          // <inertial> was given
    bool full;              // ... with fullinertia
    double ipos[3], iquat[4], mass, diag[3], full6[6];
    bool mocap;
    double gravcomp;
    const tl_spec_compiler* compiler;
} tl_spec_body;

typedef struct tl_spec_joint {
    const char* name;
    tl_src at;
    int32_t body;
    int32_t type; // tl_joint_type
    double pos[3], axis[3];
    int32_t limited; // 0, 1
    double range[2]; // m, rad
    double ref, springref, stiffness, damping, armature, frictionloss, springdamper[2];
    int32_t instance; // the attached model it comes from: numbers of its own, 0: the main file
    int32_t align;    // free joint: body frame to the inertial frame; 0 no, 1 yes
} tl_spec_joint;

/// How a geom takes part in contact: at points, or with a pressure field.
enum { TL_CONTACT_DEFAULT, TL_CONTACT_POINT, TL_CONTACT_COMPLIANT, TL_CONTACT_RIGID };

typedef struct tl_spec_geom {
    const char* name;
    tl_src at;
    int32_t body;
    int32_t type; // tl_shape_type
    double size[3], pos[3], quat[4];
    int32_t contype, conaffinity, condim, priority, group, shellinertia;
    double friction[3], solref[2], solimp[5], margin, gap, rgba[4];
    double mass, density; // mass NaN: not given
    double fitscale;
    int32_t mesh;   // -1: none; a primitive type with a mesh is fitted to it
    int32_t hfield; // -1: none
    bool fitaabb;
    // talus.geom.NAME; NaN, TL_CONTACT_DEFAULT: not given
    double k, d, mu, modulus, hint, thickness;
    int32_t contact; // TL_CONTACT_*
} tl_spec_geom;

/// How a mesh file becomes volume and inertia.
enum { TL_MESH_CONVEX, TL_MESH_LEGACY, TL_MESH_EXACT, TL_MESH_SHELL };

typedef struct tl_spec_mesh {
    const char* name;
    tl_src at;
    const char* file; // as found on disk, NULL: inline
    int32_t inertia, maxhullvert;
    double scale[3], refpos[3], refquat[4];
    int64_t nvert, nface;
    double* vert;  // (nvert x 3)
    int32_t* face; // (nface x 3) those of the volume: as given, or of the hull
    int64_t ntet;
    int32_t* tet;        // (ntet x 4) of a file with tetrahedra, whose surface the faces then are
    const char* builtin; // "sphere", "cone", ...; NULL
    double params[8];
    int32_t nparam;
    bool plugin; // made by a plugin
    // filled by tl_mesh_prepare
    bool tried, ready;
    int64_t nsurface;
    int32_t* surface; // (nsurface x 3) as given, for rigid patches; the hull's where none are given
    double volume, boxsize[3], pos[3], quat[4], lo[3], hi[3]; // volume: area for shells; box of equal inertia
} tl_spec_mesh;

typedef struct tl_spec_hfield {
    const char* name;
    tl_src at;
    const char *file, *content_type; // file: as found on disk, NULL: inline
    double size[4];                  // half sizes along x and y, height of elevation 1, base        m
    int32_t nrow, ncol;              // 0: the file says
    double* elevation;               // (nrow x ncol) row 0 at -y; in 0 .. 1 once it is prepared
    bool ready;
} tl_spec_hfield;

typedef struct tl_spec_pair {
    tl_src at;
    int32_t a, b;
    double mu;      // < 0: the geoms'
    int32_t condim; // 0: the geoms'
} tl_spec_pair;

typedef enum tl_trn { TL_TRN_NONE, TL_TRN_JOINT, TL_TRN_JOINTINPARENT, TL_TRN_OTHER } tl_trn;
typedef enum tl_gain { TL_GAIN_FIXED, TL_GAIN_AFFINE, TL_GAIN_OTHER } tl_gain;
typedef enum tl_bias { TL_BIAS_NONE, TL_BIAS_AFFINE, TL_BIAS_OTHER } tl_bias;

typedef struct tl_spec_actuator {
    const char* name;
    tl_src at;
    int32_t trn;   // tl_trn
    int32_t joint; // -1: the transmission is not understood
    int32_t group;
    int32_t instance;                  // as tl_spec_joint
    int32_t ctrllimited, forcelimited; // 0, 1
    int32_t dynamic;                   // has an activation state: not understood
    int32_t gaintype, biastype;
    double gear[6], gain[3], bias[3], ctrlrange[2], forcerange[2], inheritrange, armature, damping;
} tl_spec_actuator;

typedef struct tl_spec_key {
    const char* name;
    tl_src at;
    double* q; // NULL: qpos0
    double* v;
    double* ctrl;
    int32_t nq, nv, nctrl;
    int32_t instance; // the model whose joints and actuators it places, as tl_spec_joint
} tl_spec_key;

typedef struct tl_spec_text {
    const char* name;
    const char* data;
} tl_spec_text;

/// Flags of <option><flag/>: everything is on unless the file turns it off.
typedef struct tl_spec_flags {
    int32_t constraint, frictionloss, limit, contact, spring, damper, gravity, clampctrl, filterparent,
        actuation;
} tl_spec_flags;

typedef struct tl_spec_option {
    double timestep, gravity[3];
    uint32_t actuator_off; // bit g: the actuators of group g are off
    tl_spec_flags flags;
} tl_spec_option;

#define TL_SPEC_LIST(X)                                                                                      \
    X(body)                                                                                                  \
    X(joint)                                                                                                 \
    X(geom)                                                                                                  \
    X(mesh)                                                                                                  \
    X(hfield)                                                                                                \
    X(pair)                                                                                                  \
    X(actuator)                                                                                              \
    X(key)

typedef struct tl_spec {
    talus_context* ctx;
    tl_arena memory; // strings and small arrays
    const char* path;
    const char* text; // of the main file
    int32_t strict;
    const char** notice; // texts of the notices sent
    int64_t nnotice, cap_notice;
    tl_spec_compiler compiler;
    tl_spec_option option;
    // growing arrays: NAME, NAME count, NAME capacity. Bodies are in depth-first order, the world is body 0;
    // joints and geoms are in document order (model/compile.c sorts them by body)
#define TL_SPEC_ARRAY(name)                                                                                  \
    tl_spec_##name* name;                                                                                    \
    int64_t n##name, cap_##name;
    TL_SPEC_LIST(TL_SPEC_ARRAY)
#undef TL_SPEC_ARRAY
    tl_pair* exclude; // body pairs
    int64_t nexclude, cap_exclude;
    uint8_t* body_used; // (nbody) named by a reference: not to be fused
} tl_spec;

/// Read an MJCF file. @return OK, ERR_IO, ERR_INPUT, ERR_UNSUPPORTED, ERR_NOMEM; *out is NULL unless OK
talus_status tl_spec_load(talus_context* ctx, const char* path, int32_t strict, tl_spec** out);
void tl_spec_destroy(tl_spec* spec);

/// Send and keep a notice: "file:line: text".
talus_status tl_spec_notice(tl_spec* s, tl_src at, const char* fmt, ...) TL_PRINTF(3, 4);
/// Something is not understood: a notice, or with strict and `dynamics` an error.
talus_status tl_spec_unsupported(tl_spec* s, tl_src at, bool dynamics, const char* what);

/// Load and measure a mesh: volume, inertia, principal frame, box. Once per mesh. A file that cannot be read
/// is an error when the mesh is for contact or mass, else a notice, and m->ready stays false.
talus_status tl_mesh_prepare(tl_spec* s, tl_spec_mesh* m, bool for_contact, bool for_mass);
/// False: this build cannot make convex hulls, so meshes make no contact.
bool tl_spec_makes_hulls(void);
/// Triangles of the convex hull of a prepared mesh, outward; its own faces when they are that already.
talus_status tl_spec_mesh_hull(tl_spec* s, const tl_spec_mesh* m, int32_t** face, int64_t* nface);
/// Size of a primitive that fits the mesh (compiler fitaabb: its box, else its box of equal inertia), and its
/// centre in the mesh's principal frame.
talus_status tl_mesh_fit(tl_spec* s, const tl_spec_mesh* m, tl_spec_geom* g, double* center);

/// hfield.c: load the elevation of a height field and bring it to 0 .. 1. Once per field; a file that cannot be read
/// is an error.
talus_status tl_hfield_prepare(tl_spec* s, tl_spec_hfield* h);

/// Contact stiffness and dissipation of a geom (README.md#materials); `mass` of its body, g = |gravity|.
void tl_material(const tl_spec_geom* g, double mass, double gravity, double* k, double* d);

// ---- poses and inertia (pose.c)
// ----------------------------------------------------------------------------------------
/// (pos, quat) <- (pos, quat) o (cpos, cquat)
void tl_pose_accum(double* pos, double* quat, const double* cpos, const double* cquat);
void tl_quat_from_z(const double* z, double* quat);
/// Principal axes of a symmetric 3x3 (xx yy zz xy xz yz), moments in decreasing order.
void tl_principal(const double* full, double* quat, double* moments);
/// full += R(quat) diag(moments) R^T + m (|r|^2 I - r r^T)
void tl_inertia_add(double* full, const double* moments, const double* quat, double m, const double* r);
