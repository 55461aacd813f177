// SPDX-License-Identifier: MIT
// The arrays of the model: bodies without the fused ones, joints and dofs in body order, trees.
//
//     world -+- a (free) --- b (hinge)     tree 0: dofs 0..6, 7x7 block of M at tree_M[0]
//            +- table (no joint)           no tree, weld 0
//            +- c (free) -- d (no joint)   tree 1: one rigid body, tree_free
//
// A tree is a maximal moving subtree: its root is the first body with joints on the way from the world.
// Bodies are in depth-first order, so its dofs are contiguous.
#include "compile.h"

#include <math.h>

static const int32_t joint_nq[] = {7, 4, 1, 1}, joint_nv[] = {6, 3, 1, 1};

void* tl_model_array(talus_model* m, int64_t n, size_t elem)
{
    const size_t bytes = elem * (size_t)TL_MAX(n, 1);
    void* p = tl_arena_alloc(&m->memory, bytes);
    if (p)
        memset(p, 0, bytes);
    else
        tl_nomem(m->ctx, bytes);
    return p;
}

/// Allocate one array of tl_mb and give the mutable view of it; leaves the function without memory.
#define NEW(T, name, n)                                                                                      \
    T* name = TL_MODEL_ARRAY(m, T, n);                                                                       \
    if (!name)                                                                                               \
        return TALUS_ERR_NOMEM;                                                                              \
    m->mb.name = name

// ---- counts
// ----------------------------------------------------------------------------------------------------------

/// Geoms that stay: discardvisual drops those that cannot touch.
static void number_geoms(tl_compile* c)
{
    const tl_spec* s = c->spec;
    int32_t n = 0;
    for (int32_t i = 0; i < c->ngeom; i++) {
        const tl_spec_geom* g = &s->geom[c->geom[i]];
        bool keep = !s->compiler.discardvisual || g->contype || g->conaffinity;
        for (int64_t p = 0; p < s->npair && !keep; p++)
            keep = s->pair[p].a == c->geom[i] || s->pair[p].b == c->geom[i];
        c->geom_id[c->geom[i]] = keep ? n++ : -1;
    }
    c->model->info.ngeom = n;
}

static void count(tl_compile* c)
{
    const tl_spec* s = c->spec;
    tl_mb* mb = &c->model->mb;
    for (int32_t i = 0; i < c->nbody; i++) {
        const tl_body_build* b = &c->body[i];
        c->body_id[i] = b->gone ? c->body_id[b->parent] : mb->nbody++;
        for (int32_t j = b->first_joint; j < b->first_joint + b->njoint; j++) {
            c->joint_id[c->joint[j]] = mb->njnt++;
            mb->nq += joint_nq[s->joint[c->joint[j]].type];
            mb->nv += joint_nv[s->joint[c->joint[j]].type];
        }
    }
    number_geoms(c);
}

// ---- bodies
// ----------------------------------------------------------------------------------------------------------

static talus_status bodies(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    const int64_t n = m->mb.nbody;
    NEW(int32_t, parent, n);
    NEW(int32_t, body_njnt, n);
    NEW(double, pos, 3 * n);
    NEW(double, quat, 4 * n);
    NEW(double, ipos, 3 * n);
    NEW(double, iquat, 4 * n);
    NEW(double, mass, n);
    NEW(double, inertia, 3 * n);
    double total = 0.0;
    for (int32_t i = 1; i < c->nbody; i++)
        total += c->body[i].gone ? 0.0 : c->body[i].mass;
    const double scale =
        s->compiler.settotalmass > 0.0 && total > 0.0 ? s->compiler.settotalmass / total : 1.0;
    m->body_name = TL_MODEL_ARRAY(m, const char*, n);
    if (!m->body_name)
        return TALUS_ERR_NOMEM;
    for (int32_t i = 0; i < c->nbody; i++) {
        const tl_body_build* b = &c->body[i];
        const int32_t k = c->body_id[i];
        if (b->gone)
            continue;
        parent[k] = i > 0 ? c->body_id[b->parent] : 0;
        body_njnt[k] = b->njoint;
        memcpy(pos + 3 * k, b->pos, sizeof b->pos);
        memcpy(quat + 4 * k, b->quat, sizeof b->quat);
        memcpy(ipos + 3 * k, b->ipos, sizeof b->ipos);
        memcpy(iquat + 4 * k, b->iquat, sizeof b->iquat);
        mass[k] = i > 0 ? scale * b->mass : 0.0;
        for (int a = 0; a < 3; a++)
            inertia[3 * k + a] = i > 0 ? scale * b->inertia[a] : 0.0;
        m->info.total_mass += mass[k];
        m->body_name[k] = tl_model_text(m, s->body[i].name);
        if (!m->body_name[k])
            return TALUS_ERR_NOMEM;
    }
    return TALUS_OK;
}

/// First joint and dof, weld group and tree of every body.
static talus_status trees(tl_compile* c)
{
    talus_model* m = c->model;
    tl_mb* mb = &m->mb;
    const int64_t n = mb->nbody;
    NEW(int32_t, body_jnt, n);
    NEW(int32_t, body_dof, n);
    NEW(int32_t, body_ndof, n);
    NEW(int32_t, body_tree, n);
    NEW(int32_t, weld, n);
    int32_t jnt = 0, dof = 0;
    for (int32_t i = 0, k = 0; i < c->nbody; i++) {
        const tl_body_build* b = &c->body[i];
        if (b->gone)
            continue;
        const int32_t up = mb->parent[k];
        body_jnt[k] = jnt;
        body_dof[k] = dof;
        for (int32_t j = b->first_joint; j < b->first_joint + b->njoint; j++)
            body_ndof[k] += joint_nv[c->spec->joint[c->joint[j]].type];
        jnt += b->njoint;
        dof += body_ndof[k];
        weld[k] = b->njoint > 0 ? k : k > 0 ? weld[up] : 0;
        body_tree[k] = k > 0 ? body_tree[up] : -1;
        if (body_tree[k] < 0 && b->njoint > 0)
            body_tree[k] = mb->ntree++;
        k++;
    }
    NEW(int32_t, tree_dof, mb->ntree + 1);
    NEW(int32_t, tree_body, mb->ntree);
    NEW(int64_t, tree_M, mb->ntree + 1);
    NEW(int32_t, tree_free, mb->ntree);
    int32_t* size = TL_ARENA(&c->scratch, int32_t, mb->ntree);
    if (!size)
        return tl_nomem(m->ctx, sizeof(int32_t) * (size_t)mb->ntree);
    memset(size, 0, sizeof(int32_t) * (size_t)mb->ntree);
    for (int32_t k = 0; k < n; k++) {
        const int32_t t = body_tree[k];
        if (t < 0)
            continue;
        if (size[t]++ == 0) {
            tree_body[t] = k;
            tree_dof[t] = body_dof[k];
        }
        tree_dof[t + 1] = body_dof[k] + body_ndof[k];
    }
    for (int32_t t = 0; t < mb->ntree; t++) {
        const int64_t nt = tree_dof[t + 1] - tree_dof[t];
        tree_M[t + 1] = tree_M[t] + nt * nt;
        // one free joint without armature and no other joint: a rigid body, with whatever is welded to it
        const int32_t j = c->joint[body_jnt[tree_body[t]]];
        tree_free[t] = mb->body_njnt[tree_body[t]] == 1 && nt == 6 &&
                       c->spec->joint[j].type == TL_JOINT_FREE && c->spec->joint[j].armature == 0.0;
    }
    return TALUS_OK;
}

// ---- joints and dofs
// -------------------------------------------------------------------------------------------------

static talus_status joints(tl_compile* c)
{
    talus_model* m = c->model;
    tl_mb* mb = &m->mb;
    const tl_spec* s = c->spec;
    const int64_t n = mb->njnt;
    NEW(int32_t, jnt_type, n);
    NEW(int32_t, jnt_body, n);
    NEW(int32_t, jnt_q, n);
    NEW(int32_t, jnt_dof, n);
    NEW(double, jnt_pos, 3 * n);
    NEW(double, jnt_axis, 3 * n);
    NEW(double, qpos0, mb->nq);
    uint8_t* limited = TL_MODEL_ARRAY(m, uint8_t, n);
    double *range = TL_MODEL_ARRAY(m, double, 2 * n), *stiffness = TL_MODEL_ARRAY(m, double, n),
           *spring = TL_MODEL_ARRAY(m, double, mb->nq);
    m->jnt_name = TL_MODEL_ARRAY(m, const char*, n);
    if (!limited || !range || !stiffness || !spring || !m->jnt_name)
        return TALUS_ERR_NOMEM;
    m->jnt_limited = limited;
    m->jnt_range = range;
    m->jnt_stiffness = stiffness;
    m->qpos_spring = spring;
    int32_t q = 0, dof = 0;
    for (int32_t i = 0; i < n; i++) {
        const tl_spec_joint* j = &s->joint[c->joint[i]];
        const int32_t b = c->body_id[j->body];
        jnt_type[i] = j->type;
        jnt_body[i] = b;
        jnt_q[i] = q;
        jnt_dof[i] = dof;
        memcpy(jnt_pos + 3 * i, j->pos, sizeof j->pos);
        memcpy(jnt_axis + 3 * i, j->axis, sizeof j->axis);
        if (j->type == TL_JOINT_FREE) {
            memcpy(qpos0 + q, mb->pos + 3 * b, 3 * sizeof *qpos0);
            memcpy(qpos0 + q + 3, mb->quat + 4 * b, 4 * sizeof *qpos0);
        } else if (j->type == TL_JOINT_BALL) {
            qpos0[q] = 1.0;
        } else {
            qpos0[q] = j->ref;
        }
        memcpy(spring + q, qpos0 + q, sizeof(double) * (size_t)joint_nq[j->type]);
        if (j->type >= TL_JOINT_SLIDE)
            spring[q] = j->springref;
        limited[i] = j->limited && s->option.flags.limit && s->option.flags.constraint;
        memcpy(range + 2 * i, j->range, sizeof j->range);
        stiffness[i] = s->option.flags.spring ? j->stiffness : 0.0;
        m->jnt_name[i] = tl_model_text(m, j->name);
        if (!m->jnt_name[i])
            return TALUS_ERR_NOMEM;
        q += joint_nq[j->type];
        dof += joint_nv[j->type];
    }
    return TALUS_OK;
}

static talus_status dofs(tl_compile* c)
{
    talus_model* m = c->model;
    tl_mb* mb = &m->mb;
    const tl_spec* s = c->spec;
    const int64_t n = mb->nv;
    NEW(int32_t, dof_body, n);
    NEW(int32_t, dof_jnt, n);
    NEW(int32_t, dof_parent, n);
    NEW(double, dof_armature, n);
    double *damping = TL_MODEL_ARRAY(m, double, n), *loss = TL_MODEL_ARRAY(m, double, n);
    int32_t* last = TL_ARENA(&c->scratch, int32_t, mb->nbody); // last dof on the way to each body
    if (!damping || !loss || !last)
        return tl_nomem(m->ctx, sizeof(double) * (size_t)n);
    m->dof_damping = damping;
    m->dof_frictionloss = loss;
    last[0] = -1;
    for (int32_t b = 1; b < mb->nbody; b++) {
        last[b] = last[mb->parent[b]];
        for (int32_t k = mb->body_jnt[b]; k < mb->body_jnt[b] + mb->body_njnt[b]; k++) {
            const tl_spec_joint* j = &s->joint[c->joint[k]];
            for (int32_t d = mb->jnt_dof[k]; d < mb->jnt_dof[k] + joint_nv[j->type]; d++) {
                dof_body[d] = b;
                dof_jnt[d] = k;
                dof_parent[d] = last[b];
                last[b] = d;
                dof_armature[d] = j->armature;
                damping[d] = s->option.flags.damper ? j->damping : 0.0;
                loss[d] = s->option.flags.frictionloss && s->option.flags.constraint ? j->frictionloss : 0.0;
            }
        }
    }
    return TALUS_OK;
}

talus_status tl_compile_layout(tl_compile* c)
{
    count(c);
    TL_TRY(bodies(c));
    TL_TRY(trees(c));
    TL_TRY(joints(c));
    TL_TRY(dofs(c));
    tl_mb* mb = &c->model->mb;
    double* rigid = TL_MODEL_ARRAY(c->model, double, 10 * (int64_t)mb->ntree);
    if (!rigid)
        return TALUS_ERR_NOMEM;
    tl_mb_compile_rigid(mb, rigid);
    mb->tree_rigid = rigid;
    return TALUS_OK;
}
