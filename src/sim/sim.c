// SPDX-License-Identifier: MIT
// Creation of a simulation, and what can be asked of it: contacts, energy, body poses, mass matrix.
#include "sim.h"

#include <math.h>

static talus_status allocate(talus_sim* sim)
{
    const talus_model* m = sim->model;
    const size_t ng = (size_t)m->info.ngeom, nv = (size_t)m->mb.nv, nq = (size_t)m->mb.nq;
    const size_t nm = (size_t)m->mb.tree_M[m->mb.ntree];
    sim->data_memory = tl_calloc(sim->ctx, tl_mb_data_bytes(&m->mb));
    sim->X_BG = tl_calloc(sim->ctx, sizeof(tl_pose) * 2 * ng);
    sim->lo = tl_calloc(sim->ctx, sizeof(double) * 10 * ng);
    sim->moving = tl_calloc(sim->ctx, ng);
    sim->mover = tl_calloc(sim->ctx, ng * sizeof *sim->mover);
    sim->M = tl_calloc(sim->ctx, sizeof(double) * (nm + 10 * nv + 3 * nq));
    if (!sim->data_memory || !sim->X_BG || !sim->lo || !sim->moving || !sim->mover || !sim->M)
        return tl_nomem(sim->ctx, tl_mb_data_bytes(&m->mb));
    tl_mb_data_init(&m->mb, &sim->data, sim->data_memory);
    sim->X_WG = sim->X_BG + ng;
    sim->hi = sim->lo + 3 * ng;
    sim->gk = sim->lo + 6 * ng;
    sim->gd = sim->gk + ng;
    sim->gmu = sim->gd + ng;
    sim->reach = sim->gmu + ng;
    sim->v_star = sim->M + nm;
    sim->v1 = sim->v_star + nv;
    sim->v_mean = sim->v1 + nv;
    sim->limit_f = sim->v_mean + nv;
    sim->loss_f = sim->limit_f + nv;
    sim->backup_v = sim->loss_f + nv;
    sim->backup_joint_f = sim->backup_v + nv;
    sim->q1 = sim->backup_joint_f + 4 * nv;
    sim->backup_q = sim->q1 + nq;
    sim->given_q = sim->backup_q + nq;
    TL_TRY(tl_awake_create(sim));
    TL_TRY(tl_broad_create(sim->ctx, m->info.ngeom, &sim->broad));
    return talus_solver_create(sim->ctx, &sim->opt.solver, &sim->solver);
}

static void set_geoms(talus_sim* sim)
{
    const talus_model* m = sim->model;
    for (int32_t g = 0; g < m->info.ngeom; g++) {
        memcpy(sim->X_BG[g].p, m->geom_pos + 3 * (int64_t)g, 3 * sizeof(double));
        tl_quat_to_mat(m->geom_quat + 4 * (int64_t)g, sim->X_BG[g].R);
        sim->gk[g] = sim->opt.k > 0.0 ? sim->opt.k : m->geom_k[g];
        sim->gd[g] = sim->opt.d >= 0.0 ? sim->opt.d : m->geom_d[g];
        sim->gmu[g] = sim->opt.mu >= 0.0 ? sim->opt.mu : m->geom_mu[g];
        sim->moving[g] = m->mb.body_tree[m->geom_body[g]] >= 0;
        if (sim->moving[g])
            sim->mover[sim->nmover++] = g;
    }
    for (int32_t b = 0; b < m->mb.nbody; b++)
        sim->nbody += m->mb.body_tree[b] >= 0;
}

talus_status talus_sim_create(talus_context* ctx, const talus_model* model, const talus_sim_options* options,
                              talus_sim** out)
{
    if (!ctx || !model || !out)
        return TALUS_ERR_ARG;
    const talus_sim_options defaults = talus_sim_options_default();
    if (options && options->cookie != defaults.cookie)
        return tl_fail(ctx, TALUS_ERR_ARG, "options were not made by talus_sim_options_default()");
    talus_sim* sim = tl_calloc(ctx, sizeof *sim);
    if (!sim)
        return tl_nomem(ctx, sizeof *sim);
    sim->ctx = ctx;
    sim->model = model;
    sim->opt = options ? *options : defaults;
    tl_arena_init(&sim->arena, ctx);
    tl_arena_init(&sim->geometry, ctx);
    const talus_status status = allocate(sim);
    if (status < 0) {
        talus_sim_destroy(sim);
        return status;
    }
    set_geoms(sim);
    *out = sim;
    return TALUS_OK;
}

void talus_sim_destroy(talus_sim* sim)
{
    if (!sim)
        return;
    talus_context* ctx = sim->ctx;
    talus_solver_destroy(sim->solver);
    if (sim->broad)
        tl_broad_destroy(sim->broad);
    tl_sim_patches_free(sim);
    tl_awake_destroy(sim);
    tl_contact_set_free(ctx, &sim->now);
    tl_contact_set_free(ctx, &sim->last);
    tl_contact_set_free(ctx, &sim->backup_contacts);
    tl_arena_fini(&sim->arena);
    tl_arena_fini(&sim->geometry);
    tl_free(ctx, sim->data_memory);
    tl_free(ctx, sim->X_BG);
    tl_free(ctx, sim->lo);
    tl_free(ctx, sim->moving);
    tl_free(ctx, sim->mover);
    tl_free(ctx, sim->M);
    tl_free(ctx, sim->backup_history);
    tl_free(ctx, sim);
}

talus_contacts talus_sim_contacts(const talus_sim* sim)
{
    return tl_contact_set_view(&sim->last);
}

const double* talus_sim_limit_force(const talus_sim* sim)
{
    return sim->limit_f;
}

const double* talus_sim_loss_force(const talus_sim* sim)
{
    return sim->loss_f;
}

// kinematics normalizes quaternions on the way
talus_status tl_sim_refresh(talus_sim* sim, const talus_state* state)
{
    if (!sim || !state || state->model != sim->model)
        return TALUS_ERR_ARG;
    TL_TRY(tl_state_check(sim, state));
    tl_mb_kinematics(&sim->model->mb, state->q, &sim->data);
    tl_mb_velocity(&sim->model->mb, state->v, &sim->data);
    return TALUS_OK;
}

// springs, contacts (k delta^2 / 2) and passed limits
static double elastic_energy(talus_sim* sim, const talus_state* s)
{
    const talus_model* m = sim->model;
    double e = 0.0;
    for (int32_t i = 0; i < sim->now.n; i++)
        e += 0.5 * sim->now.k[i] * sim->now.depth[i] * sim->now.depth[i]; // all overlap: h = 0
    for (int32_t j = 0; j < m->mb.njnt; j++) {
        if (m->mb.jnt_type[j] != TL_JOINT_SLIDE && m->mb.jnt_type[j] != TL_JOINT_HINGE)
            continue;
        const double q = s->q[m->mb.jnt_q[j]], x = q - m->qpos_spring[m->mb.jnt_q[j]];
        e += 0.5 * m->jnt_stiffness[j] * x * x;
        if (!m->jnt_limited[j])
            continue;
        const double over = fmax(fmax(m->jnt_range[2 * j] - q, q - m->jnt_range[2 * j + 1]), 0.0);
        e += 0.5 * sim->opt.limit_k * over * over;
    }
    return e;
}

talus_status talus_sim_energy(talus_sim* sim, const talus_state* state, talus_energy* out)
{
    TL_TRY(tl_sim_refresh(sim, state));
    talus_step_info info = {0};
    TL_TRY(tl_sim_geometry(sim, 0.0, &info));
    tl_mb_energy(&sim->model->mb, &sim->data, state->v, sim->model->info.gravity, &out->kinetic,
                 &out->gravity);
    out->elastic = elastic_energy(sim, state);
    return TALUS_OK;
}

talus_status talus_sim_bodies(talus_sim* sim, const talus_state* state, double* pos, double* quat,
                              double* linvel, double* angvel)
{
    TL_TRY(tl_sim_refresh(sim, state));
    const tl_mb* mb = &sim->model->mb;
    const size_t n = (size_t)mb->nbody;
    if (pos)
        memcpy(pos, sim->data.xpos, sizeof(double) * 3 * n);
    if (quat)
        memcpy(quat, sim->data.xquat, sizeof(double) * 4 * n);
    for (int32_t b = 0; b < mb->nbody; b++) {
        if (linvel)
            tl_mb_point_velocity(mb, &sim->data, b, sim->data.xpos + 3 * (int64_t)b, linvel + 3 * (int64_t)b);
        if (angvel)
            memcpy(angvel + 3 * (int64_t)b, sim->data.V + 6 * (int64_t)b, 3 * sizeof(double));
    }
    return TALUS_OK;
}

talus_status talus_sim_dynamics(talus_sim* sim, const talus_state* state, double* M, double* bias)
{
    TL_TRY(tl_sim_refresh(sim, state));
    const tl_mb* mb = &sim->model->mb;
    if (M) {
        memset(M, 0, sizeof(double) * (size_t)mb->nv * (size_t)mb->nv);
        tl_mb_crba(mb, &sim->data, sim->M);
        for (int32_t t = 0; t < mb->ntree; t++) {
            const int32_t at = mb->tree_dof[t], n = mb->tree_dof[t + 1] - at;
            for (int32_t i = 0; i < n; i++)
                memcpy(M + (int64_t)(at + i) * mb->nv + at, sim->M + mb->tree_M[t] + (int64_t)i * n,
                       sizeof(double) * (size_t)n);
        }
    }
    if (bias)
        tl_mb_rnea(mb, &sim->data, state->v, NULL, sim->model->info.gravity, bias);
    return TALUS_OK;
}
