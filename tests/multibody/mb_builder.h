// SPDX-License-Identifier: MIT
// Small tl_mb models built by hand, random trees with every kind of joint, and slow dense algebra to check
// against.
#pragma once

#include "test.h"
#include "multibody.h"

#define MB_MAX 640 // bodies, joints, dofs of one test model

typedef struct mb_builder {
    tl_mb mb;
    tl_mb_data d;
    void* memory;
    double q[2 * MB_MAX], v[MB_MAX]; // the state in use
    int32_t parent[MB_MAX], body_jnt[MB_MAX], body_njnt[MB_MAX], body_dof[MB_MAX], body_ndof[MB_MAX];
    int32_t body_tree[MB_MAX], weld[MB_MAX];
    double pos[3 * MB_MAX], quat[4 * MB_MAX], ipos[3 * MB_MAX], iquat[4 * MB_MAX], mass[MB_MAX],
        inertia[3 * MB_MAX];
    int32_t jnt_type[MB_MAX], jnt_body[MB_MAX], jnt_q[MB_MAX], jnt_dof[MB_MAX];
    double jnt_pos[3 * MB_MAX], jnt_axis[3 * MB_MAX];
    int32_t dof_body[MB_MAX], dof_jnt[MB_MAX], dof_parent[MB_MAX];
    double armature[MB_MAX], qpos0[2 * MB_MAX], rigid[10 * MB_MAX];
    int32_t tree_dof[MB_MAX + 1], tree_body[MB_MAX], tree_free[MB_MAX];
    int64_t tree_M[MB_MAX + 1];
} mb_builder;

static const double MB_ZERO[3] = {0.0}, MB_ONE[4] = {1.0, 0.0, 0.0, 0.0};

static inline mb_builder* mb_new(void)
{
    mb_builder* b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->mb.nbody = 1;
    b->body_tree[0] = -1;
    memcpy(b->quat, MB_ONE, sizeof MB_ONE);
    memcpy(b->iquat, MB_ONE, sizeof MB_ONE);
    return b;
}

static inline void mb_delete(mb_builder* b)
{
    free(b->memory);
    free(b);
}

/// A body with its centre of mass at ipos and principal axes along iquat; its joints follow before the next
/// body.
static inline int32_t mb_body(mb_builder* b, int32_t parent, const double* pos, const double* quat,
                              double mass, const double* ipos, const double* iquat, const double* inertia)
{
    const int32_t i = b->mb.nbody++;
    assert_true(i < MB_MAX);
    b->parent[i] = parent;
    b->mass[i] = mass;
    memcpy(b->pos + 3 * i, pos, 3 * sizeof *pos);
    memcpy(b->quat + 4 * i, quat, 4 * sizeof *quat);
    memcpy(b->ipos + 3 * i, ipos, 3 * sizeof *ipos);
    memcpy(b->iquat + 4 * i, iquat, 4 * sizeof *iquat);
    memcpy(b->inertia + 3 * i, inertia, 3 * sizeof *inertia);
    b->body_jnt[i] = b->mb.njnt;
    b->body_dof[i] = b->mb.nv;
    b->weld[i] = b->weld[parent];
    b->body_tree[i] = parent ? b->body_tree[parent] : -1;
    return i;
}

static inline void mb_joint(mb_builder* b, tl_joint_type type, const double* pos, const double* axis,
                            double armature, double qpos0)
{
    static const int32_t nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
    const int32_t i = b->mb.nbody - 1, j = b->mb.njnt++;
    const double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    assert_true(b->mb.nv + nv[type] <= MB_MAX);
    b->jnt_type[j] = (int32_t)type;
    b->jnt_body[j] = i;
    b->jnt_q[j] = b->mb.nq;
    b->jnt_dof[j] = b->mb.nv;
    for (int k = 0; k < 3; k++) {
        b->jnt_pos[3 * j + k] = pos[k];
        b->jnt_axis[3 * j + k] = n > 0.0 ? axis[k] / n : 0.0;
    }
    if (b->body_tree[i] < 0) {
        b->body_tree[i] = b->mb.ntree;
        b->tree_body[b->mb.ntree] = i;
        b->tree_dof[b->mb.ntree++] = b->mb.nv;
    }
    for (int k = 0; k < nv[type]; k++) {
        const int32_t dof = b->mb.nv++, w = b->weld[b->parent[i]];
        b->dof_body[dof] = i;
        b->dof_jnt[dof] = j;
        b->armature[dof] = armature;
        b->dof_parent[dof] = dof > b->body_dof[i] ? dof - 1 : w ? b->body_dof[w] + b->body_ndof[w] - 1 : -1;
    }
    b->qpos0[b->mb.nq] = qpos0;
    if (type == TL_JOINT_FREE || type == TL_JOINT_BALL)
        b->qpos0[b->mb.nq + (type == TL_JOINT_FREE ? 3 : 0)] = 1.0;
    b->mb.nq += nq[type];
    b->body_njnt[i]++;
    b->body_ndof[i] += nv[type];
    b->weld[i] = i;
}

/// Derive the trees, allocate the data; q starts at qpos0.
static inline void mb_finish(mb_builder* b)
{
    tl_mb* m = &b->mb;
    b->tree_dof[m->ntree] = m->nv;
    for (int32_t t = 0; t < m->ntree; t++) {
        const int64_t n = b->tree_dof[t + 1] - b->tree_dof[t];
        b->tree_M[t + 1] = b->tree_M[t] + n * n;
        b->tree_free[t] = n == 6 && b->jnt_type[b->body_jnt[b->tree_body[t]]] == TL_JOINT_FREE;
        for (int32_t i = b->tree_dof[t]; i < b->tree_dof[t + 1]; i++)
            b->tree_free[t] = b->tree_free[t] && b->armature[i] == 0.0;
    }
    m->parent = b->parent, m->body_jnt = b->body_jnt, m->body_njnt = b->body_njnt;
    m->body_dof = b->body_dof, m->body_ndof = b->body_ndof, m->body_tree = b->body_tree, m->weld = b->weld;
    m->pos = b->pos, m->quat = b->quat, m->ipos = b->ipos, m->iquat = b->iquat;
    m->mass = b->mass, m->inertia = b->inertia;
    m->jnt_type = b->jnt_type, m->jnt_body = b->jnt_body, m->jnt_q = b->jnt_q, m->jnt_dof = b->jnt_dof;
    m->jnt_pos = b->jnt_pos, m->jnt_axis = b->jnt_axis;
    m->dof_body = b->dof_body, m->dof_jnt = b->dof_jnt, m->dof_parent = b->dof_parent,
    m->dof_armature = b->armature;
    m->qpos0 = b->qpos0, m->tree_dof = b->tree_dof, m->tree_body = b->tree_body, m->tree_M = b->tree_M;
    m->tree_free = b->tree_free;
    tl_mb_compile_rigid(m, b->rigid);
    m->tree_rigid = b->rigid;
    b->memory = aligned_alloc(TL_ALIGN, tl_mb_data_bytes(m));
    assert_non_null(b->memory);
    tl_mb_data_init(m, &b->d, b->memory);
    memcpy(b->q, b->qpos0, (size_t)m->nq * sizeof *b->q);
}

static inline void mb_update(mb_builder* b)
{
    tl_mb_kinematics(&b->mb, b->q, &b->d);
    tl_mb_velocity(&b->mb, b->v, &b->d);
}

// ---- random models --------------------------------------------------------------------------------------

static inline void mb_random_vec(tl_rng* r, int n, double size, double* x)
{
    for (int i = 0; i < n; i++)
        x[i] = tl_rng_uniform(r, -size, size);
}

static inline void mb_random_quat(tl_rng* r, double* q)
{
    for (int i = 0; i < 4; i++)
        q[i] = tl_rng_normal(r);
    tl_quat_normalize(q);
}

static inline int32_t mb_random_body(mb_builder* b, tl_rng* r, int32_t parent)
{
    double pos[3], quat[4], ipos[3], iquat[4];
    mb_random_vec(r, 3, 0.5, pos);
    mb_random_vec(r, 3, 0.2, ipos);
    mb_random_quat(r, quat);
    mb_random_quat(r, iquat);
    const double in[3] = {tl_rng_uniform(r, 0.05, 0.1), tl_rng_uniform(r, 0.05, 0.1),
                          tl_rng_uniform(r, 0.05, 0.1)};
    return mb_body(b, parent, pos, quat, tl_rng_uniform(r, 0.5, 2.0), ipos, iquat, in);
}

static inline void mb_random_joint(mb_builder* b, tl_rng* r, tl_joint_type type)
{
    double pos[3], axis[3];
    mb_random_vec(r, 3, 0.3, pos);
    mb_random_vec(r, 3, 1.0, axis);
    const double armature = tl_rng_uniform(r, 0.0, 1.0) < 0.5 ? 0.0 : tl_rng_uniform(r, 0.0, 0.2);
    mb_joint(b, type, pos, axis, type == TL_JOINT_FREE ? 0.0 : armature, tl_rng_uniform(r, -1.0, 1.0));
}

static inline void mb_random_joints(mb_builder* b, tl_rng* r)
{
    const int n = (int)tl_rng_uniform(r, 0.0, 3.5);
    for (int k = 0; k < n; k++)
        mb_random_joint(b, r, tl_rng_uniform(r, 0.0, 1.0) < 0.3 ? TL_JOINT_SLIDE : TL_JOINT_HINGE);
    if (tl_rng_uniform(r, 0.0, 1.0) < 0.25)
        mb_random_joint(b, r, TL_JOINT_BALL);
}

/// Several trees with free, ball, slide and hinge joints, up to four joints a body, welded and static bodies,
/// one single free body and one of two welded bodies; a random state.
static inline mb_builder* mb_random(uint64_t seed)
{
    tl_rng r;
    tl_rng_seed(&r, seed);
    mb_builder* b = mb_new();
    mb_random_body(b, &r, 0);
    mb_random_joint(b, &r, TL_JOINT_FREE);
    for (int tree = 0; tree < 4; tree++) {
        // a tree hangs from the world or from a static body
        int32_t last = tree % 2 ? mb_random_body(b, &r, 0) : 0;
        last = mb_random_body(b, &r, last);
        mb_random_joint(b, &r, tree < 2 ? TL_JOINT_FREE : tree == 2 ? TL_JOINT_BALL : TL_JOINT_SLIDE);
        for (int k = 0; k < 7; k++) {
            // depth-first order: the next parent is the last body or one above it
            int32_t p = last;
            while (b->parent[p] && b->weld[b->parent[p]] && tl_rng_uniform(&r, 0.0, 1.0) < 0.4)
                p = b->parent[p];
            last = mb_random_body(b, &r, p);
            mb_random_joints(b, &r);
        }
    }
    const int32_t last = mb_random_body(b, &r, 0);
    mb_random_joint(b, &r, TL_JOINT_FREE);
    mb_random_body(b, &r, mb_random_body(b, &r, last));
    mb_finish(b);
    mb_random_vec(&r, b->mb.nv, 2.0, b->v);
    tl_mb_integrate(&b->mb, b->q, b->v, 1.0, b->q);
    mb_random_vec(&r, b->mb.nv, 2.0, b->v);
    mb_update(b);
    return b;
}

/// One tree on a free root, no armature: nothing outside acts on it.
static inline mb_builder* mb_random_floating(uint64_t seed)
{
    tl_rng r;
    tl_rng_seed(&r, seed);
    mb_builder* b = mb_new();
    mb_random_body(b, &r, 0);
    mb_random_joint(b, &r, TL_JOINT_FREE);
    for (int32_t k = 0; k < 5; k++) {
        mb_random_body(b, &r,
                       k < 3 ? k + 1 : 5 - k); // a limb of three, a branch at its first body, one at the root
        mb_random_joints(b, &r);
    }
    memset(b->armature, 0, sizeof b->armature);
    mb_finish(b);
    mb_random_vec(&r, b->mb.nv, 1.0, b->v);
    tl_mb_integrate(&b->mb, b->q, b->v, 1.0, b->q);
    mb_random_vec(&r, b->mb.nv, 1.0, b->v);
    mb_update(b);
    return b;
}

// ---- dense algebra --------------------------------------------------------------------------------------

/// x = A^-1 x by Gaussian elimination with row pivots; A (n x n) is destroyed.
static inline void mb_dense_solve(double* A, int32_t n, double* x)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t p = k;
        for (int32_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        for (int32_t j = 0; j < n; j++) {
            const double s = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = s;
        }
        const double s = x[k];
        x[k] = x[p], x[p] = s;
        for (int32_t i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int32_t j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++)
            x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

static inline double* mb_array(int64_t n)
{
    double* p = calloc((size_t)(n > 0 ? n : 1), sizeof *p);
    assert_non_null(p);
    return p;
}
