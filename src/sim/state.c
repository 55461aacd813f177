// SPDX-License-Identifier: MIT
// The mutable state: time, q, v, ctrl, external force, and the last contact forces as the next step's start.
#include "sim.h"

#include <math.h>

talus_status talus_state_create(talus_context* ctx, const talus_model* model, talus_state** out)
{
    if (!ctx || !model || !out)
        return TALUS_ERR_ARG;
    const tl_mb* mb = &model->mb;
    talus_state* s = tl_calloc(ctx, sizeof *s);
    double* x = tl_calloc(ctx, sizeof(double) * ((size_t)mb->nq + 4 * (size_t)mb->nv + (size_t)model->nu));
    if (!s || !x) {
        tl_free(ctx, s);
        tl_free(ctx, x);
        return tl_nomem(ctx, sizeof *s);
    }
    s->ctx = ctx;
    s->model = model;
    s->q = x;
    s->v = x + mb->nq;
    s->force = s->v + mb->nv;
    s->limit_f = s->force + mb->nv;
    s->loss_f = s->limit_f + mb->nv;
    s->ctrl = s->loss_f + mb->nv;
    const talus_status status = tl_sleepers_create(s);
    if (status < 0) {
        talus_state_destroy(s);
        return status;
    }
    *out = s;
    return talus_state_reset(s, -1);
}

void talus_state_destroy(talus_state* state)
{
    if (!state)
        return;
    tl_sleepers_free(state);
    tl_free(state->ctx, state->q);
    tl_free(state->ctx, state->history);
    tl_free(state->ctx, state);
}

talus_status talus_state_copy(talus_state* to, const talus_state* from)
{
    if (!to || !from || to->model != from->model)
        return TALUS_ERR_ARG;
    if (to == from)
        return TALUS_OK;
    TL_TRY(TL_GROW(to->ctx, to->history, to->history_cap, 0, from->nhistory));
    TL_TRY(tl_sleepers_copy(to, from));
    const tl_mb* mb = &to->model->mb;
    memcpy(to->q, from->q, sizeof(double) * ((size_t)mb->nq + 4 * (size_t)mb->nv + (size_t)to->model->nu));
    if (from->nhistory)
        memcpy(to->history, from->history, sizeof(talus_last_force) * (size_t)from->nhistory);
    to->nhistory = from->nhistory;
    to->time = from->time;
    return TALUS_OK;
}

talus_status talus_state_reset(talus_state* s, int32_t key)
{
    if (!s || key >= s->model->nkey)
        return TALUS_ERR_ARG;
    const talus_model* m = s->model;
    const size_t nq = (size_t)m->mb.nq, nv = (size_t)m->mb.nv, nu = (size_t)m->nu;
    memset(s->v, 0, sizeof(double) * (4 * nv + nu));
    memcpy(s->q, key < 0 ? m->mb.qpos0 : m->key_q + (size_t)key * nq, sizeof(double) * nq);
    if (key >= 0) {
        memcpy(s->v, m->key_v + (size_t)key * nv, sizeof(double) * nv);
        if (nu)
            memcpy(s->ctrl, m->key_ctrl + (size_t)key * nu, sizeof(double) * nu);
    }
    s->nhistory = 0;
    s->time = 0.0;
    tl_sleepers_clear(s);
    return TALUS_OK;
}

double* talus_state_q(talus_state* state)
{
    return state->q;
}

double* talus_state_v(talus_state* state)
{
    return state->v;
}

double* talus_state_ctrl(talus_state* state)
{
    return state->ctrl;
}

double* talus_state_force(talus_state* state)
{
    return state->force;
}

double talus_state_time(const talus_state* state)
{
    return state->time;
}

void talus_state_set_time(talus_state* state, double time)
{
    state->time = time;
}

int64_t talus_state_forces(const talus_state* s, const talus_last_force** list, const double** limit,
                           const double** loss)
{
    *list = s->history;
    *limit = s->limit_f;
    *loss = s->loss_f;
    return s->nhistory;
}

static bool is_before(const talus_last_force* a, const talus_last_force* b)
{
    return a->geom_a < b->geom_a || (a->geom_a == b->geom_a && a->geom_b < b->geom_b);
}

talus_status talus_state_set_forces(talus_state* s, const talus_last_force* list, int64_t n,
                                    const double* limit, const double* loss)
{
    if (!s || n < 0 || (n > 0 && !list) || !limit || !loss)
        return TALUS_ERR_ARG;
    const int32_t nv = s->model->mb.nv, ngeom = s->model->info.ngeom;
    for (int64_t i = 0; i < n; i++) {
        const talus_last_force* f = list + i;
        bool good = f->geom_a >= 0 && f->geom_a < ngeom && f->geom_b >= 0 && f->geom_b < ngeom &&
                    (i == 0 || !is_before(f, f - 1)) && fabs(f->fn) <= TL_STATE_LARGEST;
        for (int k = 0; k < 3; k++)
            good = good && fabs(f->ft[k]) <= TL_STATE_LARGEST;
        if (!good)
            return tl_fail(
                s->ctx, TALUS_ERR_INPUT,
                "last force %lld: geoms from 0 to %d in ascending order and finite forces are wanted",
                (long long)i, ngeom - 1);
    }
    for (int32_t i = 0; i < nv; i++)
        if (!(fabs(limit[i]) <= TL_STATE_LARGEST) || !(fabs(loss[i]) <= TL_STATE_LARGEST))
            return tl_fail(s->ctx, TALUS_ERR_INPUT, "last forces of joints: dof %d is not finite", i);
    TL_TRY(TL_GROW(s->ctx, s->history, s->history_cap, 0, n));
    if (n > 0)
        memcpy(s->history, list, sizeof *list * (size_t)n);
    s->nhistory = n;
    memcpy(s->limit_f, limit, sizeof *limit * (size_t)nv);
    memcpy(s->loss_f, loss, sizeof *loss * (size_t)nv);
    return TALUS_OK;
}

uint64_t talus_state_hash(const talus_state* s)
{
    uint64_t h = tl_hash(&s->time, sizeof s->time, 0);
    h = tl_hash(s->q, sizeof(double) * (size_t)s->model->mb.nq, h);
    return tl_hash(s->v, sizeof(double) * (size_t)s->model->mb.nv, h);
}

talus_status talus_state_set_free_body(talus_state* s, int32_t body, const double* pos, const double* quat,
                                       const double* linvel, const double* angvel)
{
    const tl_mb* mb = &s->model->mb;
    if (body < 1 || body >= mb->nbody || mb->body_njnt[body] != 1 ||
        mb->jnt_type[mb->body_jnt[body]] != TL_JOINT_FREE)
        return tl_fail(s->ctx, TALUS_ERR_ARG, "body %d '%s' is not on a free joint", body,
                       body >= 0 && body < mb->nbody ? s->model->body_name[body] : "");
    double* q = s->q + mb->jnt_q[mb->body_jnt[body]];
    double* v = s->v + mb->jnt_dof[mb->body_jnt[body]];
    if (pos)
        memcpy(q, pos, 3 * sizeof(double));
    if (quat)
        memcpy(q + 3, quat, 4 * sizeof(double));
    if (linvel)
        memcpy(v, linvel, 3 * sizeof(double));
    if (angvel) { // world to body axes
        double p[4] = {q[3], -q[4], -q[5], -q[6]};
        if (!tl_quat_normalize(p))
            return tl_fail(s->ctx, TALUS_ERR_ARG, "body %s: zero quaternion",
                           tl_model_label(s->model, TALUS_BODY, body).text);
        tl_quat_rotate(p, angvel, v + 3);
    }
    return TALUS_OK;
}

// ---- checks before a step
// ------------------------------------------------------------------------------------

static bool usable(double x)
{
    return fabs(x) <= TL_STATE_LARGEST;
}

static talus_status refuse_dof(talus_sim* sim, const char* field, int32_t dof, double value)
{
    const talus_model* m = sim->model;
    return tl_fail(sim->ctx, TALUS_ERR_INPUT,
                   "state: %s[%d] = %g (body %s, joint %s) is not a finite number below %g", field, dof,
                   value, tl_model_label(m, TALUS_BODY, m->mb.dof_body[dof]).text,
                   tl_model_label(m, TALUS_JOINT, m->mb.dof_jnt[dof]).text, TL_STATE_LARGEST);
}

static int32_t joint_nq(int32_t type)
{
    return type == TL_JOINT_FREE ? 7 : type == TL_JOINT_BALL ? 4 : 1;
}

static talus_status check_joint(talus_sim* sim, const talus_state* s, int32_t j)
{
    const talus_model* m = sim->model;
    const int32_t at = m->mb.jnt_q[j], n = joint_nq(m->mb.jnt_type[j]);
    for (int32_t i = 0; i < n; i++)
        if (!usable(s->q[at + i]))
            return tl_fail(sim->ctx, TALUS_ERR_INPUT,
                           "state: q[%d] = %g (body %s, joint %s) is not a finite number below %g", at + i,
                           s->q[at + i], tl_model_label(m, TALUS_BODY, m->mb.jnt_body[j]).text,
                           tl_model_label(m, TALUS_JOINT, j).text, TL_STATE_LARGEST);
    if (n == 1)
        return TALUS_OK;
    double quat[4];
    memcpy(quat, s->q + at + n - 4, sizeof quat);
    if (!tl_quat_normalize(quat))
        return tl_fail(sim->ctx, TALUS_ERR_INPUT, "state: zero quaternion at q[%d] (body %s, joint %s)",
                       at + n - 4, tl_model_label(m, TALUS_BODY, m->mb.jnt_body[j]).text,
                       tl_model_label(m, TALUS_JOINT, j).text);
    return TALUS_OK;
}

talus_status tl_state_check(talus_sim* sim, const talus_state* s)
{
    const talus_model* m = sim->model;
    if (!usable(s->time))
        return tl_fail(sim->ctx, TALUS_ERR_INPUT, "state: time = %g s is not a finite number below %g",
                       s->time, TL_STATE_LARGEST);
    for (int32_t i = 0; i < m->mb.nv; i++) {
        if (!usable(s->v[i]))
            return refuse_dof(sim, "v", i, s->v[i]);
        if (!usable(s->force[i]))
            return refuse_dof(sim, "force", i, s->force[i]);
    }
    for (int32_t i = 0; i < m->nu; i++)
        if (!usable(s->ctrl[i]))
            return tl_fail(sim->ctx, TALUS_ERR_INPUT,
                           "state: ctrl[%d] = %g (actuator %s) is not a finite number below %g", i,
                           s->ctrl[i], tl_model_label(m, TALUS_ACTUATOR, i).text, TL_STATE_LARGEST);
    for (int32_t j = 0; j < m->mb.njnt; j++)
        TL_TRY(check_joint(sim, s, j));
    return TALUS_OK;
}

void tl_state_normalize(talus_state* s)
{
    const tl_mb* mb = &s->model->mb;
    for (int32_t j = 0; j < mb->njnt; j++) {
        const int32_t n = joint_nq(mb->jnt_type[j]);
        if (s->sleep.ntree && s->sleep.island[mb->body_tree[mb->jnt_body[j]]] >= 0)
            continue; // as it fell asleep, to the last bit
        if (n > 1)
            tl_quat_normalize(s->q + mb->jnt_q[j] + n - 4);
    }
}
