// SPDX-License-Identifier: MIT
// Actuators. A position servo with a damping ratio, and a joint with springdamper, take their constants from
// the inertia a dof has when all other dofs of its tree are free, m_i = 1 / (M^-1)_ii at the reference
// configuration:
//
//     dampratio z:          kv = 2 z sqrt(kp m),  m = sum over the joint's dofs of m_i / gear_i^2
//     springdamper (T, z):  stiffness = m / (T z)^2,  damping = 2 m / T,  1 / m = mean of 1 / m_i
#include "compile.h"

#include <math.h>

static const int32_t joint_nv[] = {6, 3, 1, 1};

/// What answers (M^-1)_ii at qpos0: one articulated-body pass a dof.
typedef struct probe {
    const tl_mb* mb;
    tl_mb_data data;
    double *zero, *tau, *a; // (nv)
} probe;

static talus_status open_probe(tl_compile* c, probe* p)
{
    const tl_mb* mb = &c->model->mb;
    void* memory = tl_arena_alloc(&c->scratch, tl_mb_data_bytes(mb));
    *p = (probe){.mb = mb,
                 .zero = TL_ARENA(&c->scratch, double, mb->nv),
                 .tau = TL_ARENA(&c->scratch, double, mb->nv),
                 .a = TL_ARENA(&c->scratch, double, mb->nv)};
    if (!memory || !p->zero || !p->tau || !p->a)
        return tl_nomem(c->model->ctx, tl_mb_data_bytes(mb));
    memset(p->zero, 0, sizeof(double) * (size_t)mb->nv);
    memset(p->tau, 0, sizeof(double) * (size_t)mb->nv);
    tl_mb_data_init(mb, &p->data, memory);
    tl_mb_kinematics(mb, mb->qpos0, &p->data);
    tl_mb_velocity(mb, p->zero, &p->data);
    return TALUS_OK;
}

static double inverse_mass(probe* p, int32_t dof)
{
    static const double no_gravity[3] = {0.0, 0.0, 0.0};
    p->tau[dof] = 1.0;
    tl_mb_aba(p->mb, &p->data, p->zero, p->tau, no_gravity, p->a);
    p->tau[dof] = 0.0;
    return p->a[dof];
}

/// Contract arrays are const for their readers; here they are still being filled.
#define MUTABLE(T, p) ((T*)(uintptr_t)(p))

static void set_springdamper(tl_compile* c, probe* p)
{
    talus_model* m = c->model;
    for (int32_t i = 0; i < m->mb.njnt; i++) {
        const tl_spec_joint* j = &c->spec->joint[c->joint[i]];
        const double T = j->springdamper[0], z = j->springdamper[1];
        if (!(T > 0.0))
            continue;
        const int32_t first = m->mb.jnt_dof[i], n = joint_nv[j->type];
        double inverse = 0.0;
        for (int32_t d = first; d < first + n; d++)
            inverse += inverse_mass(p, d) / n;
        MUTABLE(double, m->jnt_stiffness)
        [i] = c->spec->option.flags.spring ? 1.0 / (inverse * T * T * z * z) : 0.0;
        for (int32_t d = first; d < first + n; d++)
            MUTABLE(double, m->dof_damping)[d] = c->spec->option.flags.damper ? 2.0 / (inverse * T) : 0.0;
    }
}

static void reflect(tl_compile* c, const tl_spec_actuator* a)
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

void tl_compile_reflected(tl_compile* c)
{
    for (int64_t i = 0; i < c->spec->nactuator; i++)
        reflect(c, &c->spec->actuator[i]);
}

static void set_actuator(const tl_compile* c, const tl_spec_actuator* a, probe* p, tl_actuator* out)
{
    const talus_model* m = c->model;
    const bool on = !a->dynamic && a->joint >= 0;
    *out = (tl_actuator){.joint = on ? c->joint_id[a->joint] : -1,
                         .ctrl_limited = a->ctrllimited && c->spec->option.flags.clampctrl,
                         .force_limited = a->forcelimited};
    memcpy(out->gear, a->gear, sizeof out->gear);
    memcpy(out->ctrl_range, a->ctrlrange, sizeof out->ctrl_range);
    memcpy(out->force_range, a->forcerange, sizeof out->force_range);
    const bool off = a->group >= 0 && a->group <= 30 && (c->spec->option.actuator_off >> a->group & 1u);
    if (!on || off || !c->spec->option.flags.actuation)
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
    const int32_t first = m->mb.jnt_dof[out->joint], n = joint_nv[m->mb.jnt_type[out->joint]];
    double mass = 0.0;
    for (int32_t i = 0; i < n; i++)
        if (a->gear[i] != 0.0)
            mass += 1.0 / (inverse_mass(p, first + i) * a->gear[i] * a->gear[i]);
    out->bias[2] = -2.0 * a->bias[2] * sqrt(a->gain[0] * mass);
}

talus_status tl_compile_actuators(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    const int64_t n = s->nactuator;
    tl_actuator* out = TL_MODEL_ARRAY(m, tl_actuator, n);
    m->actuator_name = TL_MODEL_ARRAY(m, const char*, n);
    if (!out || !m->actuator_name)
        return TALUS_ERR_NOMEM;
    probe p;
    TL_TRY(open_probe(c, &p));
    set_springdamper(c, &p);
    for (int64_t i = 0; i < n; i++) {
        set_actuator(c, &s->actuator[i], &p, &out[i]);
        m->actuator_name[i] = tl_model_text(m, s->actuator[i].name);
        if (!m->actuator_name[i])
            return TALUS_ERR_NOMEM;
    }
    m->nu = (int32_t)n;
    m->actuator = out;
    return TALUS_OK;
}
