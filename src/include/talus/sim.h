// SPDX-License-Identifier: MIT
/// Stepping a model: state, options, one call per step, contact forces.
#pragma once

#include <talus/model.h>
#include <talus/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Scene options, --set contact.NAME=value; see TALUS_SOLVER_OPTIONS for the columns. -1: as the model file says.
#define TALUS_CONTACT_OPTIONS(D, I, E)                                                                       \
    D(k, -1.0, 1e-9, 1e18, "N/m", "stiffness of every geometry; two combine to kA kB / (kA + kB)")           \
    D(d, -1.0, 0.0, 1e12, "s/m", "Hunt-Crossley dissipation of every geometry")                              \
    D(mu, -1.0, 0.0, 1e12, "-", "friction coefficient of every geometry")                                    \
    D(v_s, 1e-4, 1e-18, 1e12, "m/s", "stiction tolerance of regularized friction")                           \
    E(friction, 0, "quadratic|linear", "regularized friction law")                                           \
    E(dissipation, 0, "hunt-crossley|linear", "k (1 - d v_n)+ delta, or (k delta - d v_n)+ with d in N s/m") \
    D(limit_k, 1e6, 1e-9, 1e18, "N/m | N m/rad", "stiffness of joint limits")                                \
    D(limit_d, 1.0, 0.0, 1e12, "s/m | s/rad", "Hunt-Crossley dissipation of joint limits")                   \
    D(loss_v_s, 1e-3, 1e-18, 1e12, "m/s | rad/s", "stiction tolerance of dry joint friction")                \
    D(deep, 0.01, 0.0, 1e100, "m | rad", "initial overlap or passed limit from which the first step warns")  \
    E(ahead, 1, "off|on", "pairs that may close within the step act before they touch")                      \
    E(patch, 0, "polygon|triangle", "faces of contact patches: polygons, or their triangle fans")            \
    E(rims, 0, "out|push",                                                                                   \
      "faces whose pressure does not grow along the normal: left out, or they push with it")                 \
    E(refuse_deep, 0, "off|on", "refuse to start with such an overlap")                                      \
    E(sleep, 0, "off|on", "islands at rest fall asleep until something touches them")                        \
    D(sleep_v, 1e-3, 1e-18, 1e12, "m/s",                                                                     \
      "root mean square speed of a body's mass below which it is at rest")                                   \
    D(sleep_time, 0.5, 1e-3, 1e12, "s", "for how long all bodies of an island must be at rest")              \
    I(substeps, 8, 1, 1024, "-", "largest number of substeps a whole step is retried with")

typedef struct talus_sim_options {
    uint32_t cookie;
    talus_solver_options solver;
#define TALUS_CONTACT_FIELD_D(name, ...) double name;
#define TALUS_CONTACT_FIELD_I(name, ...) int32_t name;
    TALUS_CONTACT_OPTIONS(TALUS_CONTACT_FIELD_D, TALUS_CONTACT_FIELD_I, TALUS_CONTACT_FIELD_I)
#undef TALUS_CONTACT_FIELD_D
#undef TALUS_CONTACT_FIELD_I
} talus_sim_options;

TALUS_API talus_sim_options talus_sim_options_default(void);
/// All options of a simulation, "solver.*" and "contact.*", for talus_option_set on a talus_sim_options.
TALUS_API int32_t talus_sim_options_list(const talus_option_info** list);

/// Mutable state: time, q, v, ctrl, and what sleeps (see talus_state_asleep). One per simulation; copy with
/// talus_state_copy.
typedef struct talus_state talus_state;

/// The model's reference configuration at rest, ctrl 0.
TALUS_API talus_status talus_state_create(talus_context* ctx, const talus_model* model, talus_state** out);
TALUS_API void talus_state_destroy(talus_state* state);
TALUS_API talus_status talus_state_copy(talus_state* to, const talus_state* from);
/// Reference configuration (key < 0) or a keyframe. @return OK, ERR_ARG
TALUS_API talus_status talus_state_reset(talus_state* state, int32_t key);
/// Writable arrays of the state: q (nq), v (nv), ctrl (nu). Quaternions are normalized by the next step; a zero one is
/// an error there. After changing them by hand, contact history stays: it is only a starting guess.
TALUS_API double* talus_state_q(talus_state* state);
TALUS_API double* talus_state_v(talus_state* state);
TALUS_API double* talus_state_ctrl(talus_state* state);
/// External generalized force, kept from step to step (nv), N | N m; zero at the start.
TALUS_API double* talus_state_force(talus_state* state);
TALUS_API double talus_state_time(const talus_state* state);
TALUS_API void talus_state_set_time(talus_state* state, double time);

/// Force of a contact in the last step, by the contact's identity.
typedef struct talus_last_force {
    int32_t geom_a, geom_b;
    int64_t feature; ///< identity within the pair of geoms, as in talus_contacts
    double ft[3];    ///< tangential, on A, world   N
    double fn;       ///< normal                    N
} talus_last_force;

/// Where the search for the next step's forces starts. A checkpoint of time, q, v, ctrl, force and these goes on with the
/// same bits when solver.reuse is off; with the default, factors kept by the simulation are missing, and the motion is
/// the same to the solver's tolerance (talus_state_copy holds the same as such a checkpoint).
/// @param list, limit (nv), loss (nv)  out, borrowed until the next step; joints' forces along their dofs, N | N m
/// @return number of contacts, sorted by (geom_a, geom_b)
TALUS_API int64_t talus_state_forces(const talus_state* state, const talus_last_force** list,
                                     const double** limit, const double** loss);
/// @return OK, ERR_ARG, ERR_INPUT (a geom out of range or out of order, a force that is not finite), ERR_NOMEM
TALUS_API talus_status talus_state_set_forces(talus_state* state, const talus_last_force* list, int64_t n,
                                              const double* limit, const double* loss);

/// Sleep (contact.sleep=on). An island, all trees of bodies joined by contacts (static geometry does not join), falls
/// asleep at the end of a step when each of its bodies was slower than contact.sleep_v at the start of every step for
/// contact.sleep_time and is so at the end. Speed: sqrt(2 T / m) of the body. Its velocity becomes 0, its q stays as it
/// is to the last bit, and steps leave it out. At most m sleep_v of momentum and m sleep_v^2 / 2 of energy are lost for
/// each body. It wakes, whole and in the step concerned, before that step's contacts are solved, when
///   - a body that is awake has a contact with it: an overlap at the step's start, or with contact.ahead a gap that the
///     awake body's own motion, gravity included, may close within the step;
///   - the host changed q of one of its trees, a force or a ctrl that acts on one, or made a velocity there other than 0;
///   - the step is taken by a simulation with other options, or with contact.sleep=off;
///   - talus_state_wake asks for it.
/// Nothing else wakes it: the length of a step does not. Changes of q, force and ctrl also restart contact.sleep_time
/// of bodies that are awake. A copy of a state sleeps as the state does; talus_state_reset wakes all.
/// @return 1: the body sleeps, 0: it is awake or does not move
TALUS_API int32_t talus_state_asleep(const talus_state* state, int32_t body);
/// Wake the island of a body, -1: all. Its contact forces are where the next step's solution starts. @return OK,
/// ERR_ARG, ERR_NOMEM
TALUS_API talus_status talus_state_wake(talus_state* state, int32_t body);
/// 64-bit hash of time, q and v, bit for bit.
TALUS_API uint64_t talus_state_hash(const talus_state* state);

typedef enum talus_phase {
    TALUS_PHASE_GEOMETRY,
    TALUS_PHASE_DYNAMICS,
    TALUS_PHASE_ASSEMBLE,
    TALUS_PHASE_SYMBOLIC,
    TALUS_PHASE_FACTOR,
    TALUS_PHASE_SOLVE,
    TALUS_PHASE_LIMIT,
    TALUS_PHASE_INTEGRATE,
    TALUS_PHASE_IO,
    TALUS_PHASE_COUNT
} talus_phase;
TALUS_API const char* talus_phase_name(talus_phase phase);

/// What one step did.
typedef struct talus_step_info {
    int32_t contacts;       ///< that take part: delta0 > 0, with contact.ahead also near ones
    int32_t limits;         ///< joint limits passed
    int32_t pairs;          ///< from the broad phase
    int32_t redundant;      ///< contacts whose pair already had one at the same place with the same normal
    int32_t substeps;       ///< 1, or how many the step was split into
    int32_t unconverged;    ///< 1: the step did not converge (state unchanged unless keep_going)
    int32_t lagged;         ///< 1: some island was accepted as LAGGED
    int32_t missed;         ///< bodies that moved farther than their own size: a contact may have been missed
    int32_t bodies_awake;   ///< bodies that can move, after the step: awake, and
    int32_t bodies_asleep;  ///< asleep; contacts of these are not counted in `contacts`
    int32_t islands_asleep; ///< after the step
    double max_depth;       ///< m
    int32_t patches;        ///< pairs of geoms that meet in a contact patch, or may within the step
    int32_t faces;          ///< of all patches that make a contact, with contact.ahead also near ones
    int32_t left_out;       ///< faces without a positive pressure gradient along their normal
    int64_t boxes;      ///< pairs of boxes compared in the trees of pressure fields, in all tries of the step
    int64_t candidates; ///< pairs of elements these left to clip, in all tries
    /// Parts of the geometry phase: broad phase, contact at points, trees and clipping of patches; wall time, that of the
    /// last two together split as the threads spent it, s. The rest is poses and contact data.
    double t_broad, t_points, t_trees, t_clip;
    double phase[TALUS_PHASE_COUNT]; ///< wall time of each phase, s
    talus_solve_info solve;
} talus_step_info;

/// Workspace of one simulation. One caller at a time; the model is borrowed.
typedef struct talus_sim talus_sim;

/// @param options  NULL: defaults; copied
TALUS_API talus_status talus_sim_create(talus_context* ctx, const talus_model* model,
                                        const talus_sim_options* options, talus_sim** out);
TALUS_API void talus_sim_destroy(talus_sim* sim);

/// Advance the state by one step of length h > 0 s.
/// @param keep_going  1: commit the best iterate of a step that does not converge even by substeps
/// @param info  NULL: not wanted
/// @return OK; NOT_CONVERGED (state unchanged unless keep_going); ERR_INPUT: a state, control or force that is not
///         finite (names it), state unchanged; ERR_ARG; ERR_NOMEM
/// The first step of a sim warns of deep overlaps, of limits passed, and of bodies so far from the origin that
/// positions are resolved to no better than 0.01 v_s h (beyond 4.5e6 m at the default v_s and h = 1 ms).
/// Memory: none after warm-up. Threads: context tasks; same bits for every number of threads.
TALUS_API talus_status talus_sim_step(talus_sim* sim, talus_state* state, double h, int32_t keep_going,
                                      talus_step_info* info);

/// Contacts of the last committed step; arrays borrowed until the next step. Those of sleeping bodies are not among
/// them but in talus_state_sleeping_contacts.
typedef struct talus_contacts {
    int32_t count;
    const int32_t* geom_a;  ///< (count)
    const int32_t* geom_b;  ///< (count)
    const int32_t* body_a;  ///< (count)
    const int32_t* body_b;  ///< (count)
    const double* point;    ///< (count x 3) m, world
    const double* normal;   ///< (count x 3) from B into A
    const double* depth;    ///< (count) at the start of the step, m
    const double* force;    ///< (count x 3) on A at the point, world, N; -force acts on B
    const double* slip;     ///< (count) tangential speed, m/s
    const int64_t* feature; ///< (count) identity within the pair of geoms
} talus_contacts;
TALUS_API talus_contacts talus_sim_contacts(const talus_sim* sim);
/// Contacts of sleeping bodies with each other and with static geometry, as solved in the last step before they fell
/// asleep: the forces that hold them up. Borrowed until the next step or change of the state.
TALUS_API talus_contacts talus_state_sleeping_contacts(const talus_state* state);

/// Two geoms whose pressure fields meet, in the last committed step: its faces at the poses where the step began, and
/// what their contacts add up to at the end of it. Faces that make no contact have an area and no force; contacts that only
/// may touch within the step (contact.ahead, depth <= 0) have a force and no area yet.
typedef struct talus_patch {
    int32_t geom_a, geom_b, body_a, body_b;
    int32_t first;        ///< of its contacts in talus_sim_contacts, which stand there one after another
    int32_t faces;        ///< that make a contact: how many these are
    int32_t left_out;     ///< faces beside them that make none
    double area;          ///< of all faces, m^2
    double left_out_area; ///< of the faces that make no contact, m^2
    double centroid[3];   ///< of all faces, world, m; of the contacts where there are no faces yet
    double pressure_max;  ///< largest pressure at the centroid of a face, Pa
    double force[3];      ///< sum of the contact forces on A, normal and friction, world, N; -force acts on B
    double moment[3];     ///< of the same forces about `centroid`, world, N m
} talus_patch;
/// @param patches  borrowed until the next step, in the order of (geom_a, geom_b); NULL when there are none
/// @return how many
TALUS_API int32_t talus_sim_patches(const talus_sim* sim, const talus_patch** patches);
/// The same of sleeping bodies; `first` counts in talus_state_sleeping_contacts.
TALUS_API int32_t talus_state_sleeping_patches(const talus_state* state, const talus_patch** patches);

/// Forces of the joint limits and of dry joint friction in the last committed step (nv each), N | N m, along the dof.
/// A sleeping tree keeps those it fell asleep with.
TALUS_API const double* talus_sim_limit_force(const talus_sim* sim);
TALUS_API const double* talus_sim_loss_force(const talus_sim* sim);

/// Kinetic, gravity potential (0 at the world origin) and elastic energy (joint springs, contacts, limits) of a state.
typedef struct talus_energy {
    double kinetic, gravity, elastic; ///< J
} talus_energy;
TALUS_API talus_status talus_sim_energy(talus_sim* sim, const talus_state* state, talus_energy* out);

/// Body poses and velocities of a state.
/// @param pos (nbody x 3)  @param quat (nbody x 4, w x y z)  @param linvel (nbody x 3) of the body frame's origin
/// @param angvel (nbody x 3), all in world axes; any may be NULL
TALUS_API talus_status talus_sim_bodies(talus_sim* sim, const talus_state* state, double* pos, double* quat,
                                        double* linvel, double* angvel);

/// Set the pose and velocity of a body on a free joint, from world pose and velocities. @return OK, ERR_ARG
TALUS_API talus_status talus_state_set_free_body(talus_state* state, int32_t body, const double* pos,
                                                 const double* quat, const double* linvel,
                                                 const double* angvel);

/// Mass matrix (nv x nv row-major, dense) and bias force (nv, MuJoCo's qfrc_bias) of a state.
TALUS_API talus_status talus_sim_dynamics(talus_sim* sim, const talus_state* state, double* M, double* bias);

/// The contact problem that a step of length h from this state would solve, were all its bodies awake; borrowed until
/// the next call on sim.
TALUS_API talus_status talus_sim_problem(talus_sim* sim, const talus_state* state, double h,
                                         talus_problem_view* out);

#ifdef __cplusplus
}
#endif
