// SPDX-License-Identifier: MIT
// Actuators. A position servo with a damping ratio, and a joint with springdamper, take their
// constants from the diagonal of M at the reference configuration:
//
//     dampratio z:             kv = 2 z sqrt(kp m),  m = sum over the joint's dofs of M_ii / gear_i^2
//     springdamper (T, z):     stiffness = m / (T z)^2,  damping = 2 m / T,  m = mean of M_ii
#include "compile.h"

#include <math.h>

static const int32_t joint_nv[] = {6, 3, 1, 1};

/// Diagonal of M at qpos0, armature included.
static talus_status mass_diagonal(tl_compile* c, double* diagonal)
{
    const tl_mb* mb = &c->model->mb;
    void* memory = tl_arena_alloc(&c->scratch, tl_mb_data_bytes(mb));
    double* M = TL_ARENA(&c->scratch, double, mb->tree_M[mb->ntree]);
    if (!memory || !M)
        return tl_nomem(c->model->ctx, sizeof(double) * (size_t)mb->tree_M[mb->ntree]);
    tl_mb_data data;
    tl_mb_data_init(mb, &data, memory);
    tl_mb_kinematics(mb, mb->qpos0, &data);
    tl_mb_crba(mb, &data, M);
    for (int32_t t = 0; t < mb->ntree; t++) {
        const int32_t n = mb->tree_dof[t + 1] - mb->tree_dof[t];
        for (int32_t i = 0; i < n; i++)
            diagonal[mb->tree_dof[t] + i] = M[mb->tree_M[t] + (int64_t)i * n + i];
    }
    return TALUS_OK;
}

static bool needs_masses(const tl_compile* c)
{
    const tl_spec* s = c->spec;
    for (int64_t i = 0; i < s->njoint; i++)
        if (s->joint[i].springdamper[0] > 0.0)
            return true;
    for (int64_t i = 0; i < s->nactuator; i++)
        if (s->actuator[i].biastype == TL_BIAS_AFFINE && s->actuator[i].bias[2] > 0.0)
            return true;
    return false;
}

/// Contract arrays are const for their readers; here they are still being filled.
#define MUTABLE(T, p) ((T*)(uintptr_t)(p))

static void set_springdamper(tl_compile* c, const double* diagonal)
{
    talus_model* m = c->model;
    for (int32_t i = 0; i < m->mb.njnt; i++) {
        const tl_spec_joint* j = &c->spec->joint[c->joint[i]];
        const double T = j->springdamper[0], z = j->springdamper[1];
        if (!(T > 0.0))
            continue;
        const int32_t first = m->mb.jnt_dof[i], n = joint_nv[j->type];
        double mass = 0.0;
        for (int32_t d = first; d < first + n; d++)
            mass += diagonal[d] / n;
        MUTABLE(double, m->jnt_stiffness)[i] = c->spec->option.flags.spring ? mass / (T * T * z * z) : 0.0;
        for (int32_t d = first; d < first + n; d++)
            MUTABLE(double, m->dof_damping)[d] = c->spec->option.flags.damper ? 2.0 * mass / T : 0.0;
    }
}

/// Armature and damping of an actuator act on its joint through gear^2.
static void add_to_joint(tl_compile* c, const tl_spec_actuator* a)
{
    talus_model* m = c->model;
    if (a->joint < 0)
        return;
    const int32_t j = c->joint_id[a->joint];
    if (m->mb.jnt_type[j] < TL_JOINT_SLIDE)
        return;
    const int32_t d = m->mb.jnt_dof[j];
    MUTABLE(double, m->mb.dof_armature)[d] += a->armature * a->gear[0] * a->gear[0];
    if (c->spec->option.flags.damper)
        MUTABLE(double, m->dof_damping)[d] += a->damping * a->gear[0] * a->gear[0];
}

static void set_actuator(const tl_compile* c, const tl_spec_actuator* a, const double* diagonal,
                         tl_actuator* out)
{
    const talus_model* m = c->model;
    const bool on = !a->dynamic && a->joint >= 0;
    *out = (tl_actuator){.joint = on ? c->joint_id[a->joint] : -1,
                         .ctrl_limited = a->ctrllimited && c->spec->option.flags.clampctrl,
                         .force_limited = a->forcelimited};
    memcpy(out->gear, a->gear, sizeof out->gear);
    memcpy(out->ctrl_range, a->ctrlrange, sizeof out->ctrl_range);
    memcpy(out->force_range, a->forcerange, sizeof out->force_range);
    if (!on || !c->spec->option.flags.actuation)
        return;
    out->gain0 = a->gain[0];
    if (a->gaintype == TL_GAIN_AFFINE) {
        out->gain1 = a->gain[1];
        out->gain2 = a->gain[2];
    }
    if (a->biastype != TL_BIAS_AFFINE)
        return;
    memcpy(out->bias, a->bias, sizeof out->bias);
    if (!(a->bias[2] > 0.0) || a->gain[0] != -a->bias[1])
        return;
    const int32_t j = out->joint, first = m->mb.jnt_dof[j], n = joint_nv[m->mb.jnt_type[j]];
    double mass = 0.0;
    for (int32_t i = 0; i < n; i++)
        if (a->gear[i] != 0.0)
            mass += diagonal[first + i] / (a->gear[i] * a->gear[i]);
    out->bias[2] = -2.0 * a->bias[2] * sqrt(a->gain[0] * mass);
}

talus_status tl_compile_actuators(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    const int64_t n = s->nactuator;
    tl_actuator* out = TL_MODEL_ARRAY(m, tl_actuator, n);
    double* diagonal = TL_ARENA(&c->scratch, double, m->mb.nv);
    m->actuator_name = TL_MODEL_ARRAY(m, const char*, n);
    if (!out || !diagonal || !m->actuator_name)
        return tl_nomem(m->ctx, sizeof(double) * (size_t)m->mb.nv);
    for (int64_t i = 0; i < n; i++)
        add_to_joint(c, &s->actuator[i]);
    if (needs_masses(c)) {
        TL_TRY(mass_diagonal(c, diagonal));
        set_springdamper(c, diagonal);
    }
    for (int64_t i = 0; i < n; i++) {
        set_actuator(c, &s->actuator[i], diagonal, &out[i]);
        m->actuator_name[i] = tl_model_text(m, s->actuator[i].name);
        if (!m->actuator_name[i])
            return TALUS_ERR_NOMEM;
    }
    m->nu = (int32_t)n;
    m->actuator = out;
    return TALUS_OK;
}
