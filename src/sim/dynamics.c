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

// v* of one tree with its explicit force; M gets the implicit terms
static talus_status solve_tree(talus_sim* sim, const talus_state* s, int32_t tree, double h,
                               const dof_terms* t, double* L)
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
            return tl_fail(sim->ctx, TALUS_ERR_INPUT,
                           "the mass matrix of the tree of body '%s' is not positive definite",
                           sim->model->body_name[mb->tree_body[tree]]);
        tl_dense_cholesky_solve(L, n, n, x, 1, n);
    }
    for (int32_t i = 0; i < n; i++)
        x[i] += s->v[at + i];
    return TALUS_OK;
}

talus_status tl_sim_forces(talus_sim* sim, const talus_state* s, double h)
{
    const talus_model* m = sim->model;
    const tl_mb* mb = &m->mb;
    const int32_t nv = mb->nv;
    int32_t widest = 0;
    for (int32_t t = 0; t < mb->ntree; t++)
        widest = TL_MAX(widest, mb->tree_dof[t + 1] - mb->tree_dof[t]);
    double* x = TL_ARENA(&sim->arena, double, 4 * (int64_t)nv);
    double* L = TL_ARENA(&sim->arena, double, (int64_t)widest* widest);
    if (!x || !L)
        return tl_nomem(sim->ctx, sizeof(double) * (size_t)nv);
    memset(x, 0, sizeof(double) * 4 * (size_t)nv);
    dof_terms t = {.tau = x, .D = x + nv, .K = x + 2 * nv};
    double* bias = x + 3 * nv;
    tl_mb_crba(mb, &sim->data, sim->M);
    tl_mb_step_bias(mb, &sim->data, s->v, m->info.gravity, bias);
    for (int32_t j = 0; j < mb->njnt; j++)
        add_joint(m, s, j, &t);
    for (int32_t i = 0; i < m->nu; i++)
        add_actuator(m, s, m->actuator + i, s->ctrl[i], &t);
    for (int32_t i = 0; i < nv; i++)
        t.tau[i] += s->force[i];
    // a free body under gravity alone falls with g, whatever its inertia: no solve, and exact
    for (int32_t tree = 0; tree < mb->ntree; tree++) {
        const int32_t at = mb->tree_dof[tree];
        bool falls = mb->tree_free[tree];
        for (int32_t i = at; i < mb->tree_dof[tree + 1]; i++)
            falls &= t.D[i] == 0.0 && t.K[i] == 0.0;
        for (int32_t i = at; i < mb->tree_dof[tree + 1] && !falls; i++)
            t.tau[i] -= bias[i];
        TL_TRY(solve_tree(sim, s, tree, h, &t, L));
        for (int32_t i = 0; i < 3 && falls; i++)
            sim->v_star[at + i] += h * m->info.gravity[i];
    }
    return TALUS_OK;
}
