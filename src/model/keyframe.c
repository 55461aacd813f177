// SPDX-License-Identifier: MIT
// Keyframes. A key of the main file has a number for every coordinate, or only for those of the file's own
// joints when models are attached; a key of an attached model has those of that model's joints. Whatever a
// key does not give stays at the reference configuration, at rest, with zero controls.
#include "compile.h"

static const int32_t joint_nq[] = {7, 4, 1, 1}, joint_nv[] = {6, 3, 1, 1};

/// One row of a key: `given` numbers of an instance's items into the row of all items.
typedef struct scatter {
    const tl_compile* c;
    const tl_spec_key* key;
    const char* attr;
    const double* given;
    int32_t ngiven, n; // numbers in the file, in the whole row
    int32_t own;       // numbers that belong to the key's instance
} scatter;

static talus_status check_size(const scatter* s)
{
    const bool whole = s->key->instance == 0 && s->ngiven == s->n;
    if (s->ngiven == 0 || whole || s->ngiven <= s->own)
        return TALUS_OK;
    return tl_fail_at(s->c->spec->ctx, TALUS_ERR_INPUT, s->key->at.file, s->key->at.line,
                      "<key %s>: attribute '%s' has %d numbers, expected %d", s->key->name, s->attr,
                      s->ngiven, s->key->instance == 0 ? s->n : s->own);
}

/// Numbers of joint coordinates (size from `width`) that belong to the key's instance.
static int32_t own_numbers(const tl_compile* c, int32_t instance, const int32_t* width)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->njnt; i++) {
        const tl_spec_joint* j = &c->spec->joint[c->joint[i]];
        n += j->instance == instance ? width[j->type] : 0;
    }
    return n;
}

static talus_status scatter_joints(const scatter* s, const int32_t* width, double* row)
{
    TL_TRY(check_size(s));
    int32_t used = 0, at = 0;
    const bool whole = s->key->instance == 0 && s->ngiven == s->n;
    for (int32_t i = 0; i < s->c->njnt; i++) {
        const tl_spec_joint* j = &s->c->spec->joint[s->c->joint[i]];
        const int32_t w = width[j->type];
        if ((whole || j->instance == s->key->instance) && used < s->ngiven) {
            memcpy(row + at, s->given + used, sizeof *row * (size_t)TL_MIN(w, s->ngiven - used));
            used += w;
        }
        at += w;
    }
    return TALUS_OK;
}

static talus_status scatter_controls(scatter* s, double* row)
{
    const tl_spec* spec = s->c->spec;
    for (int64_t i = 0; i < spec->nactuator; i++)
        s->own += spec->actuator[i].instance == s->key->instance;
    TL_TRY(check_size(s));
    const bool whole = s->key->instance == 0 && s->ngiven == s->n;
    int32_t used = 0;
    for (int64_t i = 0; i < spec->nactuator && used < s->ngiven; i++)
        if (whole || spec->actuator[i].instance == s->key->instance)
            row[i] = s->given[used++];
    return TALUS_OK;
}

static talus_status normalize(const tl_compile* c, const tl_spec_key* k, double* q)
{
    const talus_model* m = c->model;
    for (int32_t j = 0; j < m->mb.njnt; j++) {
        const int32_t type = m->mb.jnt_type[j], at = m->mb.jnt_q[j] + (type == TL_JOINT_FREE ? 3 : 0);
        if (type <= TL_JOINT_BALL && !tl_quat_normalize(q + at))
            return tl_fail_at(c->spec->ctx, TALUS_ERR_INPUT, k->at.file, k->at.line,
                              "<key %s>: the quaternion of joint '%s' is zero", k->name, m->jnt_name[j]);
    }
    return TALUS_OK;
}

talus_status tl_compile_keys(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    const int32_t nq = m->mb.nq, nv = m->mb.nv, nu = m->nu;
    double *q = TL_MODEL_ARRAY(m, double, s->nkey*nq), *v = TL_MODEL_ARRAY(m, double, s->nkey*nv),
           *ctrl = TL_MODEL_ARRAY(m, double, s->nkey*nu);
    m->key_name = TL_MODEL_ARRAY(m, const char*, s->nkey);
    if (!q || !v || !ctrl || !m->key_name)
        return TALUS_ERR_NOMEM;
    for (int64_t i = 0; i < s->nkey; i++) {
        const tl_spec_key* k = &s->key[i];
        memcpy(q + i * nq, m->mb.qpos0, sizeof *q * (size_t)nq);
        TL_TRY(
            scatter_joints(&(scatter){c, k, "qpos", k->q, k->nq, nq, own_numbers(c, k->instance, joint_nq)},
                           joint_nq, q + i * nq));
        TL_TRY(
            scatter_joints(&(scatter){c, k, "qvel", k->v, k->nv, nv, own_numbers(c, k->instance, joint_nv)},
                           joint_nv, v + i * nv));
        TL_TRY(scatter_controls(&(scatter){c, k, "ctrl", k->ctrl, k->nctrl, nu, 0}, ctrl + i * nu));
        TL_TRY(normalize(c, k, q + i * nq));
        m->key_name[i] = tl_model_text(m, k->name);
        if (!m->key_name[i])
            return TALUS_ERR_NOMEM;
    }
    m->nkey = (int32_t)s->nkey;
    m->key_q = q;
    m->key_v = v;
    m->key_ctrl = ctrl;
    return TALUS_OK;
}
