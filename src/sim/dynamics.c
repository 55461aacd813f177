// SPDX-License-Identifier: MIT
// Velocity without contact (theory: src/README.md#tamsi): M, explicit forces at the start of the step, and
// the stiff linear terms on the implicit side. With joint damping and actuator gains D, springs and position
// gains K,
//
//   (M + h D + h^2 K) (v* - v0) = h [ tau_e - bias - D v0 - K (q - q_ref) - h K v0 ]
//
// where D and K touch single dofs. An actuator in its force clamp is a constant force and adds nothing to D
// and K. Controls count as functions of time evaluated by the caller at the end of the step.
#include "sim.h"

#include "la.h"
#include <math.h>

static double clamp(double x, const double* range)
{
    return fmin(fmax(x, range[0]), range[1]);
}

typedef struct dof_terms {
    double *tau, *D, *K; // (nv) explicit force at (q0, v0), damping and stiffness of the implicit side
} dof_terms;

static void add_actuator(const talus_model* m, const talus_state* s, const tl_actuator* a, double ctrl,
                         dof_terms* t)
{
    if (a->joint < 0)
        return;
    const int32_t type = m->mb.jnt_type[a->joint], dof = m->mb.jnt_dof[a->joint];
    const double u = a->ctrl_limited ? clamp(ctrl, a->ctrl_range) : ctrl;
    const bool scalar = type == TL_JOINT_SLIDE || type == TL_JOINT_HINGE;
    const int32_t n = scalar ? 1 : type == TL_JOINT_BALL ? 3 : 6;
    double length = 0.0, velocity = 0.0;
    if (scalar)
        length = a->gear[0] * s->q[m->mb.jnt_q[a->joint]];
    for (int32_t i = 0; i < n; i++)
        velocity += a->gear[i] * s->v[dof + i];
    const double kl = a->gain1 * u + a->bias[1], kv = a->gain2 * u + a->bias[2];
    double force = a->gain0 * u + a->bias[0] + kl * length + kv * velocity;
    const bool clamped = a->force_limited && (force <= a->force_range[0] || force >= a->force_range[1]);
    if (a->force_limited)
        force = clamp(force, a->force_range);
    for (int32_t i = 0; i < n; i++)
        t->tau[dof + i] += a->gear[i] * force;
    // negative feedback is implicit; positive feedback (an unstable gain) stays explicit
    if (scalar && !clamped) {
        t->D[dof] += fmax(0.0, -kv) * a->gear[0] * a->gear[0];
        t->K[dof] += fmax(0.0, -kl) * a->gear[0] * a->gear[0];
    }
}

// rotation vector of q relative to ref, in the frame of q: the spring of ball and free joints
static void rotation_error(const double* q, const double* ref, double* e)
{
    const double inv[4] = {ref[0], -ref[1], -ref[2], -ref[3]};
    double r[4];
    tl_quat_mul(inv, q, r);
    const double sign = r[0] < 0.0 ? -1.0 : 1.0, s = sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    const double angle = 2.0 * atan2(s, sign * r[0]);
    for (int i = 0; i < 3; i++)
        e[i] = s > 0.0 ? sign * r[i + 1] / s * angle : 0.0;
}

static void add_joint(const talus_model* m, const talus_state* s, int32_t j, dof_terms* t)
{
    const int32_t type = m->mb.jnt_type[j], dof = m->mb.jnt_dof[j], at = m->mb.jnt_q[j];
    const int32_t n = type == TL_JOINT_FREE ? 6 : type == TL_JOINT_BALL ? 3 : 1;
    for (int32_t i = 0; i < n; i++) {
        t->tau[dof + i] -= m->dof_damping[dof + i] * s->v[dof + i];
        t->D[dof + i] += m->dof_damping[dof + i];
    }
    const double k = m->jnt_stiffness[j];
    if (k == 0.0)
        return;
    double e[6] = {0};
    if (n == 1)
        e[0] = s->q[at] - m->qpos_spring[at];
    if (n == 6)
        for (int i = 0; i < 3; i++)
            e[i] = s->q[at + i] - m->qpos_spring[at + i];
    if (n > 1)
        rotation_error(s->q + at + n - 3, m->qpos_spring + at + n - 3, e + n - 3);
    for (int32_t i = 0; i < n; i++) {
        t->tau[dof + i] -= k * e[i];
        t->K[dof + i] += k;
    }
}

// v* of one tree with its explicit force; M gets the implicit terms. @return false: M is not positive definite
static bool solve_tree(talus_sim* sim, const talus_state* s, int32_t tree, double h, const dof_terms* t,
                       double* L)
{
    const tl_mb* mb = &sim->model->mb;
    const int32_t at = mb->tree_dof[tree], n = mb->tree_dof[tree + 1] - at;
    double *M = sim->M + mb->tree_M[tree], *x = sim->v_star + at;
    bool forced = false;
    for (int32_t i = 0; i < n; i++) {
        forced |= t->tau[at + i] != 0.0;
        M[(int64_t)n * i + i] += h * t->D[at + i] + h * h * t->K[at + i];
        x[i] = h * (t->tau[at + i] - h * t->K[at + i] * s->v[at + i]);
    }
    if (forced) {
        memcpy(L, M, sizeof(double) * (size_t)n * (size_t)n);
        if (!tl_dense_mass_factor(tl_context_kernels(sim->ctx), L, n))
            return false;
        tl_dense_cholesky_solve(L, n, n, x, 1, n);
    }
    for (int32_t i = 0; i < n; i++)
        x[i] += s->v[at + i];
    return true;
}

typedef struct trees {
    talus_sim* sim;
    const talus_state* s;
    double h;
    dof_terms t;
    double *bias, *L; // (nv); scratch as the blocks of M
    int32_t* bad;     // (blocks) out: a tree whose mass matrix is not positive definite, -1: none
} trees;

static void add_joints(const talus_model* m, const talus_state* s, int32_t tree, dof_terms* t)
{
    const tl_mb* mb = &m->mb;
    for (int32_t b = mb->tree_body[tree]; b < mb->nbody && mb->body_tree[b] == tree; b++)
        for (int32_t j = mb->body_jnt[b]; j < mb->body_jnt[b] + mb->body_njnt[b]; j++)
            add_joint(m, s, j, t);
}

static void solve_run(trees* w, int32_t begin, int32_t end, int32_t block)
{
    const talus_model* m = w->sim->model;
    const tl_mb* mb = &m->mb;
    tl_mb_crba_trees(mb, &w->sim->data, w->sim->M, begin, end);
    tl_mb_step_bias_trees(mb, &w->sim->data, w->s->v, m->info.gravity, w->bias, begin, end);
    // a free body under gravity alone falls with g, whatever its inertia: no solve, and exact
    for (int32_t tree = begin; tree < end; tree++) {
        const int32_t at = mb->tree_dof[tree], last = mb->tree_dof[tree + 1];
        bool falls = mb->tree_free[tree];
        add_joints(m, w->s, tree, &w->t);
        for (int32_t i = at; i < last; i++) {
            w->t.tau[i] += w->s->force[i];
            falls &= w->t.D[i] == 0.0 && w->t.K[i] == 0.0;
        }
        for (int32_t i = at; i < last && !falls; i++)
            w->t.tau[i] -= w->bias[i];
        if (!solve_tree(w->sim, w->s, tree, w->h, &w->t, w->L + mb->tree_M[tree]))
            w->bad[block] = tree;
        for (int32_t i = 0; i < 3 && falls; i++)
            w->sim->v_star[at + i] += w->h * m->info.gravity[i];
    }
}

static void solve_trees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    trees* w = arg;
    int32_t first, last;
    w->bad[block] = -1;
    while (tl_sim_next_trees(w->sim, &begin, end, &first, &last))
        solve_run(w, first, last, block);
}

talus_status tl_sim_forces(talus_sim* sim, const talus_state* s, double h)
{
    const talus_model* m = sim->model;
    const tl_mb* mb = &m->mb;
    const int32_t nv = mb->nv, n = tl_sim_trees(sim), blocks = (n + TL_SIM_TREES - 1) / TL_SIM_TREES;
    double* x = TL_ARENA(&sim->arena, double, 4 * (int64_t)nv);
    trees w = {.sim = sim, .s = s, .h = h};
    w.bad = TL_ARENA(&sim->arena, int32_t, blocks);
    w.L = TL_ARENA(&sim->arena, double, mb->tree_M[mb->ntree]);
    if (!x || !w.bad || !w.L)
        return tl_nomem(sim->ctx, sizeof(double) * (size_t)nv);
    memset(x, 0, sizeof(double) * 3 * (size_t)nv);
    w.t = (dof_terms){.tau = x, .D = x + nv, .K = x + 2 * nv};
    w.bias = x + 3 * nv;
    for (int32_t i = 0; i < m->nu; i++)
        add_actuator(m, s, m->actuator + i, s->ctrl[i], &w.t);
    tl_parallel_light(sim->ctx, n, TL_SIM_TREES, solve_trees, &w);
    for (int32_t b = 0; b < blocks; b++)
        if (w.bad[b] >= 0)
            return tl_fail(sim->ctx, TALUS_ERR_INPUT,
                           "the mass matrix of the tree of body '%s' is not positive definite",
                           m->body_name[mb->tree_body[w.bad[b]]]);
    return TALUS_OK;
}

// ---- poses and velocities -------------------------------------------------------------------------------

typedef struct motion {
    talus_sim* sim;
    const double *q, *v;
} motion;

static void pose_trees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const motion* w = arg;
    int32_t first, last;
    while (tl_sim_next_trees(w->sim, &begin, end, &first, &last))
        tl_mb_pose_trees(&w->sim->model->mb, w->q, w->v, &w->sim->data, first, last);
}

void tl_sim_kinematics(talus_sim* sim, const talus_state* s)
{
    motion w = {.sim = sim, .q = s->q, .v = s->v};
    if (!sim->posed)
        tl_mb_pose_static(&sim->model->mb, &sim->data);
    tl_parallel_light(sim->ctx, tl_sim_trees(sim), TL_SIM_TREES, pose_trees, &w);
}

typedef struct advance {
    talus_sim* sim;
    const double* q;
    double h;
} advance;

static void advance_trees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const advance* w = arg;
    int32_t first, last;
    while (tl_sim_next_trees(w->sim, &begin, end, &first, &last))
        tl_mb_advance_trees(&w->sim->model->mb, w->q, w->sim->v_mean, w->h, w->sim->q1, w->sim->v1, first,
                            last);
}

void tl_sim_advance(talus_sim* sim, const talus_state* s, double h)
{
    advance w = {.sim = sim, .q = s->q, .h = h};
    tl_parallel_light(sim->ctx, tl_sim_trees(sim), TL_SIM_TREES, advance_trees, &w);
}
