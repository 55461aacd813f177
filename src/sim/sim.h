// SPDX-License-Identifier: MIT
// Private to sim/: state and workspace of a simulation, and the stages of a step in their order:
// state.c -> contacts.c (geometry) -> dynamics.c (M, v*) -> assemble.c (view) -> step.c (solve, integrate).
// With contact.sleep awake.c says before these which trees they are for, and afterwards which fall asleep.
#pragma once

#include <talus/sim.h>
#include "model.h"

#define TL_STATE_LARGEST 1e100 // magnitudes beyond it are refused like NaN: their squares overflow

/// Contacts of one configuration, structure of arrays; grows, never shrinks.
typedef struct tl_contact_set {
    int32_t n;
    int64_t cap;
    int32_t *geom_a, *geom_b, *body_a, *body_b;
    int64_t* feature;
    double *point, *normal, *t1, *t2, *depth, *k, *d, *mu, *force, *slip; // vectors: (n x 3)
    void* memory;
    talus_patch* patch; // (npatch) pairs of fields that meet, in pair order
    int32_t npatch;
    int64_t patch_cap;
} tl_contact_set;

/// A face that does not overlap yet.
typedef struct tl_near_face {
    double area, k, depth, point[3], normal[3]; // depth < 0
    int32_t ea, eb, side;                       // identity, as that of a face
} tl_near_face;

/// Faces of a pair of geoms.
typedef struct tl_pair_patch {
    tl_patch now;       // where the step begins
    tl_near_face* near; // that may come within the step: patch_ahead.c
    int32_t nnear;
    int64_t near_cap;
    tl_patch ahead[2]; // scratch
    struct {
        int64_t boxes, candidates;
        double t_trees, t_clip;
    } work; // that looking ahead took, as in tl_patch
} tl_pair_patch;

/// What a state knows of sleep: see sleepers.c.
typedef struct tl_sleepers {
    int32_t* island; // (ntree) the lowest tree of its sleeping island, -1: awake
    double* still;   // (ntree) for how long an awake tree has been slower than contact.sleep_v, s
    double *q, *ctrl,
        *force;    // (nq) (nu) (nv) when the last step had seen them: the host changed what differs
    uint8_t* mark; // (ntree) islands to wake, by their lowest tree
    int32_t nmark;
    int32_t ntree, nbody, nisland; // asleep
    uint64_t options;              // of the simulation that put them to sleep
    tl_contact_set contacts;       // of what sleeps, as they were solved last
    talus_last_force* scratch;
    int64_t scratch_cap;
} tl_sleepers;

struct talus_state {
    talus_context* ctx;
    const talus_model* model;
    double time;
    double *q, *v, *ctrl, *force;
    double *limit_f, *loss_f;  // (nv)
    talus_last_force* history; // sorted by (geom_a, geom_b)
    int64_t nhistory, history_cap;
    tl_sleepers sleep;
};

/// Which trees the stages of a step are for: all, or those that are awake. See awake.c.
typedef struct tl_awake {
    bool on;                      // the pass under way leaves sleeping trees out
    bool is_listed;               // tree, mover and moving are those of is_awake, is_posed
    uint8_t *is_awake, *is_posed; // (ntree); geoms of a sleeping tree have their poses and boxes
    int32_t *tree, ntree;         // awake trees, ascending
    int32_t *mover, nmover; // geoms to pose: of awake trees, and of those not yet posed since they sleep
    int32_t nfresh;         // trees of the latter
    uint8_t* moving;        // (ngeom) is in mover
    double* q;              // (nq) where sleeping trees were posed
    int32_t* parent;        // (ntree) union-find
    uint8_t* is_ready;      // (ntree) by root: the island may fall asleep
    uint64_t options;       // hash of all options
    void* memory;
} tl_awake;

struct talus_sim {
    talus_context* ctx;
    const talus_model* model;
    talus_sim_options opt;
    talus_solver* solver;
    tl_broad* broad;
    double clock;      // where the running phase began, s
    tl_arena arena;    // one step's problem
    tl_arena geometry; // one geometry pass
    tl_mb_data data;
    void* data_memory;

    // geoms
    tl_pose *X_BG, *X_WG;  // (ngeom) in the body, in the world
    double *lo, *hi;       // (ngeom x 3) boxes
    double *gk, *gd, *gmu; // (ngeom) materials with the options applied
    uint8_t* moving;       // (ngeom)
    int32_t* mover;        // (nmover) geoms that move, so that fixed ones cost a step nothing
    int32_t nmover;
    int32_t nbody; // that move
    tl_awake awake;
    double* reach;  // (ngeom) contact.ahead: how far a geom's surface may move within the step
    bool posed;     // fixed geoms have their poses and boxes
    bool checked;   // start.c has looked at the first step
    int32_t beyond; // dof whose velocity left all bounds in the last attempt, -1: none

    tl_pair_patch*
        patch; // of pairs of geoms that meet with their fields, in pair order; kept for their memory
    int32_t npatch;
    tl_pair* patch_pair; // the pairs that had a patch when there were any last: patch[i] is that of pair i
    int32_t npatch_pair;
    int64_t patch_cap, patch_pair_cap;
    bool corners;                          // keep those of faces, see patch_view.c
    tl_contact_set now, last;              // being computed, of the last committed step
    double *limit_f, *loss_f;              // (nv) of the last committed step
    double *M, *v_star, *q1, *v1, *v_mean; // (tree_M[ntree]) (nv) (nq) (nv) (nv)
    double *backup_q, *backup_v,
        *backup_joint_f; // joint_f: limit and dry friction forces of state and sim (4 nv)
    double* given_q;     // (nq) as the caller gave it, before quaternions were made unit
    tl_contact_set backup_contacts;
    talus_last_force* backup_history;
    int64_t backup_cap;
};

/// A problem view with everything it points to in sim->arena, and what is needed to read the solution.
typedef struct tl_step_problem {
    talus_problem_view view;
    int32_t ncontact; // the first contacts of the view are sim->now, the rest are ball joint limits
    int64_t* at;      // (ncontact) where a contact's rows start in the view's J
    double *f, *limit_out, *loss_out;
} tl_step_problem;

// state.c: finite, bounded, quaternions not zero; messages name the body, joint or actuator
talus_status tl_state_check(talus_sim* sim, const talus_state* state);
// quaternions to unit length, after the check: a refused state stays as it is, bit for bit
void tl_state_normalize(talus_state* state);

// sim.c: poses and velocities of a state; it is not changed
talus_status tl_sim_refresh(talus_sim* sim, const talus_state* state);

// contacts.c: kinematics must be there. Fills sim->now.
/// With contact.ahead pairs that can close within h take part too; h = 0: only overlapping ones.
talus_status tl_sim_geometry(talus_sim* sim, double h, talus_step_info* info);

// contact_set.c
/// Room for n contacts; the first `used` are kept.
talus_status tl_contact_set_reserve(talus_context* ctx, tl_contact_set* c, int64_t used, int64_t n);
/// Contact i of `from`, which may be the same set, as contact `at`, for which there is room.
void tl_contact_set_copy_one(tl_contact_set* to, int64_t at, const tl_contact_set* from, int64_t i);
/// Move the contacts and patches of which `moves` is true to the end of `to`, which has room (NULL: drop them); the
/// others keep their order.
void tl_contact_set_move(tl_contact_set* from, tl_contact_set* to,
                         bool (*moves)(const void* user, int32_t body_a, int32_t body_b), const void* user);
talus_status tl_contact_set_copy(talus_context* ctx, tl_contact_set* to, const tl_contact_set* from);
talus_contacts tl_contact_set_view(const tl_contact_set* c);
void tl_contact_set_free(talus_context* ctx, tl_contact_set* c);

// sleepers.c: the sleep of a state
talus_status tl_sleepers_create(talus_state* s);
void tl_sleepers_free(talus_state* s);
talus_status tl_sleepers_copy(talus_state* to, const talus_state* from);
/// Everything is awake; contacts of sleeping bodies are forgotten.
void tl_sleepers_clear(talus_state* s);
/// The island of a sleeping tree is to be woken.
void tl_sleepers_mark(talus_state* s, int32_t tree);
/// Wake the islands that are marked: their contacts become the last step's forces again, where the solver starts.
talus_status tl_sleepers_wake(talus_state* s);
/// First and last + 1 q of a tree, bodies of it likewise.
void tl_tree_q(const tl_mb* mb, int32_t tree, int32_t* begin, int32_t* end);
void tl_tree_bodies(const tl_mb* mb, int32_t tree, int32_t* begin, int32_t* end);

// awake.c: who takes part in a step
talus_status tl_awake_create(talus_sim* sim);
void tl_awake_destroy(talus_sim* sim);
/// Before a step: wake what the host changed, and list who is awake.
talus_status tl_awake_begin(talus_sim* sim, talus_state* s);
/// After the geometry pass: wake the islands that a contact joins to an awake tree. @param woke  out: there were some
talus_status tl_awake_touch(talus_sim* sim, talus_state* s, bool* woke);
/// After the broad phase: sleeping geoms have their boxes there; pairs between them are dropped from the list.
talus_status tl_awake_posed(talus_sim* sim, const tl_pair** pairs, int32_t* n);
/// A pass over all geoms has left them at other poses.
void tl_awake_forget(talus_sim* sim);
/// Room for all that may fall asleep in this step, so that it can be committed.
talus_status tl_awake_reserve(talus_sim* sim, talus_state* s);
/// After a step of length h: islands that were slow for long enough fall asleep.
void tl_awake_end(talus_sim* sim, talus_state* s, double h);

/// The body's tree is left out of the pass under way.
static inline bool tl_sim_is_asleep(const talus_sim* sim, int32_t body)
{
    if (!sim->awake.on)
        return false;
    const int32_t tree = sim->model->mb.body_tree[body];
    return tree >= 0 && !sim->awake.is_awake[tree];
}

/// How many trees take part, the number of items for tasks over trees.
static inline int32_t tl_sim_trees(const talus_sim* sim)
{
    return sim->awake.on ? sim->awake.ntree : sim->model->mb.ntree;
}

/// Items [*at, end) as runs of neighbouring trees [*first, *last): one run a call. @return false: none is left
static inline bool tl_sim_next_trees(const talus_sim* sim, int32_t* at, int32_t end, int32_t* first,
                                     int32_t* last)
{
    int32_t i = *at;
    if (i >= end)
        return false;
    const int32_t* tree = sim->awake.tree;
    *first = sim->awake.on ? tree[i] : i;
    while (++i < end && (!sim->awake.on || tree[i] == tree[i - 1] + 1))
        ;
    *last = *first + (i - *at);
    *at = i;
    return true;
}

// patches.c
/// True when the pair meets in a contact patch and not at points.
bool tl_sim_has_patch(const talus_sim* sim, int32_t geom_a, int32_t geom_b);
/// Patches of these pairs of geoms into sim->patch[0 .. n-1], with faces that may touch within h; h = 0: none.
talus_status tl_sim_patches(talus_sim* sim, const tl_pair* pairs, int32_t n, double h, talus_step_info* info);
/// Face i of p makes a contact.
static inline bool tl_sim_makes_contact(const tl_patch* p, int32_t i)
{
    return tl_patch_is_contact(p, i) && p->area[i] > 0.0;
}
/// Faces of a pair that make contacts.
int32_t tl_sim_patch_contacts(const tl_pair_patch* p);
/// Write them as contacts of geoms a, b from place `at` of sim->now, and the patch into its list, which has room.
/// @return the place after the last
int32_t tl_sim_write_patch(talus_sim* sim, int32_t at, int32_t a, int32_t b, const tl_pair_patch* p,
                           double* max_depth);
/// patch_ahead.c: faces into pair->near; pair->now must be there. h = 0: none.
talus_status tl_sim_patch_ahead(talus_sim* sim, int32_t geom_a, int32_t geom_b, double h,
                                tl_pair_patch* pair);
/// Force and moment of each patch of the set from the forces of its contacts.
void tl_sim_patch_forces(tl_contact_set* c);
void tl_sim_patches_free(talus_sim* sim);

// contacts.c, for patches.c
double tl_sim_pair_friction(const talus_sim* sim, int32_t a, int32_t b);
void tl_sim_tangents(tl_contact_set* c, int32_t i);

// start.c: warnings before the first step; sim->now must be there
talus_status tl_sim_check_start(talus_sim* sim, const talus_state* state, double h);

// dynamics.c, by tasks of TL_SIM_TREES trees
#define TL_SIM_TREES 32
#define TL_SIM_CONTACTS 128 // of a task of contacts, in all of sim/
/// Poses and velocities into sim->data.
void tl_sim_kinematics(talus_sim* sim, const talus_state* state);
/// sim->M with the implicit terms, sim->v_star; kinematics and velocities must be there.
talus_status tl_sim_forces(talus_sim* sim, const talus_state* state, double h);
/// sim->q1 and sim->v1 after a step of h with sim->v_mean and sim->v1.
void tl_sim_advance(talus_sim* sim, const talus_state* state, double h);

// assemble.c
talus_status tl_sim_assemble(talus_sim* sim, const talus_state* state, double h, tl_step_problem* p);
