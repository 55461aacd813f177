// SPDX-License-Identifier: MIT
// Multibody recursions on kinematic trees in flat arrays. Coordinates are MuJoCo's (src/README.md#state): a
// free joint has world position and unit quaternion (w, x, y, z) of the body frame, world linear velocity of
// its origin and body-frame angular velocity; a ball joint a quaternion and the body-frame angular velocity.
#pragma once

#include "base.h"

typedef enum tl_joint_type { TL_JOINT_FREE, TL_JOINT_BALL, TL_JOINT_SLIDE, TL_JOINT_HINGE } tl_joint_type;

/// Immutable after compile. Body 0 is the world; a parent stands before its children, bodies are in
/// depth-first order, so the dofs of a tree are contiguous. All arrays are owned by the model.
typedef struct tl_mb {
    int32_t nq, nv, nbody, njnt, ntree;

    // bodies
    const int32_t* parent;    // (nbody) parent[0] = 0
    const int32_t* body_jnt;  // (nbody) first joint
    const int32_t* body_njnt; // (nbody)
    const int32_t* body_dof;  // (nbody) first dof
    const int32_t* body_ndof; // (nbody)
    const int32_t* body_tree; // (nbody) tree, -1: does not move
    const int32_t* weld;      // (nbody) the nearest ancestor (or self) with joints, 0: fixed to the world
    const double* pos;        // (nbody x 3) of the body frame in its parent's                   m
    const double* quat;       // (nbody x 4)
    const double* ipos;       // (nbody x 3) centre of mass in the body frame                    m
    const double* iquat;      // (nbody x 4) principal axes of inertia in the body frame
    const double* mass;       // (nbody)                                                         kg
    const double* inertia;    // (nbody x 3) principal moments about the centre of mass          kg m^2

    // joints, in body order
    const int32_t* jnt_type; // (njnt) tl_joint_type
    const int32_t* jnt_body; // (njnt)
    const int32_t* jnt_q;    // (njnt) first q
    const int32_t* jnt_dof;  // (njnt) first dof
    const double* jnt_pos;   // (njnt x 3) anchor in the body frame                              m
    const double* jnt_axis;  // (njnt x 3) unit axis in the body frame

    // dofs and trees
    const int32_t* dof_body;    // (nv)
    const int32_t* dof_jnt;     // (nv)
    const int32_t* dof_parent;  // (nv) previous dof on the way to the root, -1
    const double* dof_armature; // (nv) added to the diagonal of M
    const double* qpos0;        // (nq) reference configuration: hinge and slide act on q - qpos0
    const int32_t* tree_dof;    // (ntree + 1) first dof of each tree
    const int32_t* tree_body;   // (ntree) first body (its root)
    const int64_t* tree_M;      // (ntree + 1) offset of its dense block in M
    const int32_t* tree_free;   // (ntree) 1: one joint, free, no armature: momentum form (see momentum.c)
    const double* tree_rigid;   // (ntree x 10) from tl_mb_compile_rigid; NULL: found again at every use
} tl_mb;

/// Fill `tree_rigid` from the other arrays: for trees with tree_free the composite of all their bodies in the
/// root body's frame: mass, centre of mass (3), inertia about it (xx yy zz xy xz yz); zeros for other trees.
/// @param rigid (ntree x 10) out
void tl_mb_compile_rigid(const tl_mb* mb, double* rigid);

/// Everything that depends on (q, v); arrays sized by tl_mb_data_bytes and laid out by tl_mb_data_init.
typedef struct tl_mb_data {
    double* xpos;  // (nbody x 3) body frame origins, world
    double* xquat; // (nbody x 4)
    double* xmat;  // (nbody x 9) row-major R_WB
    double* xipos; // (nbody x 3) centres of mass, world
    double* ximat; // (nbody x 9) principal axes, world
    double* rpos;  // (nbody x 3) body frame origins from ref (static bodies: the world origin), world axes
    double* ripos; // (nbody x 3) centres of mass, likewise
    double* S;    // (nv x 6) motion axes in world axes about the tree's reference point: angular, then linear
    double* ref;  // (ntree x 3) reference point of each tree, world (its root's origin: far from the world
                  // origin nothing is lost)
    double* V;    // (nbody x 6) spatial velocities about the tree's reference point: angular, linear
    double* work; // scratch of the recursions
} tl_mb_data;

size_t tl_mb_data_bytes(const tl_mb* mb);
void tl_mb_data_init(const tl_mb* mb, tl_mb_data* d, void* memory);

/// Poses and motion axes from q; quaternions are normalized on the fly, q is not changed.
void tl_mb_kinematics(const tl_mb* mb, const double* q, tl_mb_data* d);
/// Spatial velocities from v, after kinematics.
void tl_mb_velocity(const tl_mb* mb, const double* v, tl_mb_data* d);
/// Both in pieces, for threads: bodies that do not move, which stay so, and then trees [begin, end). No piece
/// touches what belongs to another, here and in the functions of trees below.
void tl_mb_pose_static(const tl_mb* mb, tl_mb_data* d);
void tl_mb_pose_trees(const tl_mb* mb, const double* q, const double* v, tl_mb_data* d, int32_t begin,
                      int32_t end);
/// Composite-rigid-body algorithm: dense symmetric blocks, row-major, both triangles, armature included.
/// @param M (tree_M[ntree]) out
void tl_mb_crba(const tl_mb* mb, tl_mb_data* d, double* M);
void tl_mb_crba_trees(const tl_mb* mb, tl_mb_data* d, double* M, int32_t begin, int32_t end);
/// Recursive Newton-Euler: tau = M_rigid(q) a + bias(q, v) with gravity g; armature a is not included.
/// MuJoCo's qfrc_bias for a = NULL. After kinematics and velocity.
/// @param a (nv) or NULL   @param gravity (3) m/s^2, world   @param tau (nv) out
void tl_mb_rnea(const tl_mb* mb, tl_mb_data* d, const double* v, const double* a, const double* gravity,
                double* tau);
/// Articulated-body algorithm: a = M^-1 (tau - bias), M with armature. After kinematics and velocity.
void tl_mb_aba(const tl_mb* mb, tl_mb_data* d, const double* v, const double* tau, const double* gravity,
               double* a);
/// World-frame translational velocity Jacobian of the material point of `body` at world point p: rows x y z,
/// one column per dof of the body's tree, row-major with leading dimension ld >= dofs of the tree; all
/// entries written. A body that does not move has no columns.
void tl_mb_point_jacobian(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p, double* J,
                          int32_t ld);
/// The same with rows along three unit vectors, times `scale`: a contact's Jacobian in its own frame.
void tl_mb_frame_jacobian(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p,
                          const double* const axis[3], double scale, double* J, int32_t ld);
/// World velocity of the material point of `body` at p, after velocity.
void tl_mb_point_velocity(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p, double* vel);
/// Generalized force += J_p^T f for a world force f (3) and torque t (3, or NULL) on `body` at p: tau (nv).
void tl_mb_apply_wrench(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p, const double* f,
                        const double* t, double* tau);

/// q1 = q (+) h N(q) v for all joints; quaternions stay of unit length. q1 may alias q.
void tl_mb_integrate(const tl_mb* mb, const double* q, const double* v, double h, double* q1);
/// Momentum form for the trees with tree_free (src/README.md#state): advance q with v_mean, the mean velocity
/// of the step (v itself but for substeps), and set v to the velocity with the same linear and
/// angular momentum at the new orientation. Other trees: tl_mb_integrate with v_mean, v unchanged. q1 may
/// alias q.
void tl_mb_advance(const tl_mb* mb, const double* q, const double* v_mean, double h, double* q1, double* v);
void tl_mb_advance_trees(const tl_mb* mb, const double* q, const double* v_mean, double h, double* q1,
                         double* v, int32_t begin, int32_t end);
/// bias as it enters a step: tl_mb_rnea with a = 0 for ordinary trees; for tree_free trees gravity only
/// (their gyroscopic and centrifugal terms are in the momentum form).
void tl_mb_step_bias(const tl_mb* mb, tl_mb_data* d, const double* v, const double* gravity, double* bias);
void tl_mb_step_bias_trees(const tl_mb* mb, tl_mb_data* d, const double* v, const double* gravity,
                           double* bias, int32_t begin, int32_t end);

/// Kinetic (armature included) and gravity potential energy (zero height at the world origin) of all moving
/// bodies, after kinematics and velocity.
void tl_mb_energy(const tl_mb* mb, const tl_mb_data* d, const double* v, const double* gravity,
                  double* kinetic, double* potential);
/// Root mean square speed of the mass of a body, sqrt(2 T / m), m/s; 0 without mass. After kinematics and velocity.
double tl_mb_body_speed(const tl_mb* mb, const tl_mb_data* d, int32_t body);
/// Linear and angular momentum (about the world origin) of all moving bodies.
void tl_mb_momentum(const tl_mb* mb, const tl_mb_data* d, double* linear, double* angular);

// ---- quaternions and rotations (w, x, y, z), row-major 3x3 ----------------------------------------------
void tl_quat_mul(const double* a, const double* b, double* out);
void tl_quat_rotate(const double* q, const double* v, double* out);
void tl_quat_to_mat(const double* q, double* R);
void tl_mat_to_quat(const double* R, double* q);
void tl_quat_exp(const double* w, double* q); // rotation vector -> unit quaternion
bool tl_quat_normalize(double* q);            // false: zero or not finite, left as identity
