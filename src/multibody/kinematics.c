// SPDX-License-Identifier: MIT
// Forward kinematics: poses, motion axes and spatial velocities from (q, v), outward from each tree's root.
//
//   X_WB = X_WP X_PB(q),  V_B = V_P + sum_i S_i v_i
//
// (Featherstone 2008, section 3.4; coordinates: src/README.md#state).
// The joints of one body act in their order, each anchored at jnt_pos with its axis in the body frame as it
// stands after the joints before it (MuJoCo). A column of S is (axis, anchor x axis) for a rotation, (0,
// axis) for a translation.
//
// Positions inside a tree are kept twice: rpos from the tree's reference point, the root's origin, and xpos
// from the world's. Everything dynamic (S, inertias, velocities) uses rpos, so a tree 1e7 m away computes as
// one at the origin; xpos is a sum made once.
#include "mb_spatial.h"

#include <math.h>

// ---- layout ---------------------------------------------------------------------------------------------

/// Hand out the arrays; with d NULL only count.
static size_t lay_out(const tl_mb* mb, tl_mb_data* d, char* memory)
{
    const size_t nb = (size_t)mb->nbody, nv = (size_t)mb->nv, nt = (size_t)mb->ntree;
    // work: the articulated-body algorithm asks for most, 48 doubles a body and 14 a dof (aba.c)
    const size_t n[] = {3 * nb, 4 * nb, 9 * nb, 3 * nb, 9 * nb,           3 * nb,
                        3 * nb, 6 * nv, 3 * nt, 6 * nb, 48 * nb + 14 * nv};
    double* p[TL_COUNT(n)];
    size_t top = 0;
    for (int i = 0; i < TL_COUNT(n); i++) {
        p[i] = memory ? (double*)(memory + top) : NULL;
        top += (n[i] * sizeof(double) + TL_ALIGN - 1) / TL_ALIGN * TL_ALIGN;
    }
    if (d)
        *d = (tl_mb_data){.xpos = p[0],
                          .xquat = p[1],
                          .xmat = p[2],
                          .xipos = p[3],
                          .ximat = p[4],
                          .rpos = p[5],
                          .ripos = p[6],
                          .S = p[7],
                          .ref = p[8],
                          .V = p[9],
                          .work = p[10]};
    return top;
}

size_t tl_mb_data_bytes(const tl_mb* mb)
{
    return lay_out(mb, NULL, NULL);
}

void tl_mb_data_init(const tl_mb* mb, tl_mb_data* d, void* memory)
{
    const size_t bytes = lay_out(mb, d, memory);
    memset(memory, 0, bytes);
}

// ---- poses ----------------------------------------------------------------------------------------------

/// Everything that follows from rpos and xquat of a body whose tree's reference point stands.
static void finish_pose(const tl_mb* mb, tl_mb_data* d, int32_t b, const double* ref)
{
    double q[4], c[3];
    const double* xq = d->xquat + 4 * b;
    tl_quat_to_mat(xq, d->xmat + 9 * b);
    tl_quat_mul(xq, mb->iquat + 4 * b, q);
    tl_quat_to_mat(q, d->ximat + 9 * b);
    mat_vec(d->xmat + 9 * b, mb->ipos + 3 * b, c);
    add3(d->rpos + 3 * b, c, d->ripos + 3 * b);
    add3(ref, d->rpos + 3 * b, d->xpos + 3 * b);
    add3(ref, d->ripos + 3 * b, d->xipos + 3 * b);
}

/// The frame of b before its joints: r from the parent's reference point, quaternion q.
static void place_in_parent(const tl_mb* mb, const tl_mb_data* d, int32_t b, double* r, double* q)
{
    const int32_t p = mb->parent[b];
    mat_vec(d->xmat + 9 * p, mb->pos + 3 * b, r);
    add3(d->rpos + 3 * p, r, r);
    tl_quat_mul(d->xquat + 4 * p, mb->quat + 4 * b, q);
}

/// Bodies that do not move: rpos counts from the world origin.
static void place_static(const tl_mb* mb, tl_mb_data* d, int32_t b)
{
    static const double origin[3] = {0.0};
    double *r = d->rpos + 3 * b, *q = d->xquat + 4 * b;
    if (b == 0) {
        r[0] = r[1] = r[2] = 0.0;
        q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
    } else {
        place_in_parent(mb, d, b, r, q);
        tl_quat_normalize(q);
    }
    finish_pose(mb, d, b, origin);
}

/// Three rotations about the columns of the frame `q`, anchored at r.
static void write_ball_axes(const double* q, const double* r, double* S)
{
    double R[9];
    tl_quat_to_mat(q, R);
    for (int k = 0; k < 3; k++) {
        double* s = S + 6 * k;
        s[0] = R[k], s[1] = R[3 + k], s[2] = R[6 + k];
        cross3(r, s, s + 3);
    }
}

/// Turn the frame (r, q) by the unit quaternion `turn`, given in its own axes, about its point jpos.
static void turn_about(const double* jpos, const double* anchor, const double* turn, double* r, double* q)
{
    double a[3];
    tl_quat_mul(q, turn, q);
    tl_quat_rotate(q, jpos, a);
    sub3(anchor, a, r);
}

/// Move the frame (r, q) of a body by its joint j and write the joint's motion axes. A free joint sets q and
/// leaves r, the origin of its tree, alone.
static void apply_joint(const tl_mb* mb, tl_mb_data* d, const double* qpos, int32_t j, double* r, double* q)
{
    const int32_t iq = mb->jnt_q[j];
    double *S = d->S + 6 * mb->jnt_dof[j], turn[4], anchor[3];
    const double *jpos = mb->jnt_pos + 3 * j, *jaxis = mb->jnt_axis + 3 * j;
    switch ((tl_joint_type)mb->jnt_type[j]) {
    case TL_JOINT_FREE:
        tl_quat_unit(qpos + iq + 3, q);
        memset(S, 0, 18 * sizeof *S);
        S[3] = S[10] = S[17] = 1.0;
        write_ball_axes(q, r, S + 18);
        break;
    case TL_JOINT_BALL:
        tl_quat_rotate(q, jpos, anchor);
        add3(r, anchor, anchor);
        tl_quat_unit(qpos + iq, turn);
        turn_about(jpos, anchor, turn, r, q);
        write_ball_axes(q, anchor, S);
        break;
    case TL_JOINT_SLIDE:
        S[0] = S[1] = S[2] = 0.0;
        tl_quat_rotate(q, jaxis, S + 3);
        axpy3(qpos[iq] - mb->qpos0[iq], S + 3, r);
        break;
    case TL_JOINT_HINGE: {
        tl_quat_rotate(q, jaxis, S);
        tl_quat_rotate(q, jpos, anchor);
        add3(r, anchor, anchor);
        cross3(anchor, S, S + 3);
        const double half = 0.5 * (qpos[iq] - mb->qpos0[iq]), s = sin(half);
        turn[0] = cos(half);
        for (int i = 0; i < 3; i++)
            turn[1 + i] = s * jaxis[i];
        turn_about(jpos, anchor, turn, r, q);
        break;
    }
    }
}

/// The root: its joints act on offsets from the frame it hangs in, then the reference point moves to its
/// origin.
static void place_root(const tl_mb* mb, tl_mb_data* d, const double* qpos, int32_t t)
{
    const int32_t b = mb->tree_body[t], j0 = mb->body_jnt[b], dof0 = mb->body_dof[b];
    double *ref = d->ref + 3 * t, *q = d->xquat + 4 * b, r[3] = {0.0};
    if (mb->jnt_type[j0] == TL_JOINT_FREE)
        copy3(qpos + mb->jnt_q[j0], ref);
    else
        place_in_parent(mb, d, b, ref, q);
    for (int32_t k = 0; k < mb->body_njnt[b]; k++)
        apply_joint(mb, d, qpos, j0 + k, r, q);
    tl_quat_normalize(q);
    for (int32_t k = dof0; k < dof0 + mb->body_ndof[b]; k++) {
        double shift[3], *S = d->S + 6 * k;
        cross3(r, S, shift);
        sub3(S + 3, shift, S + 3);
    }
    add3(ref, r, ref);
    memset(d->rpos + 3 * b, 0, sizeof r);
    finish_pose(mb, d, b, ref);
}

static void place_tree(const tl_mb* mb, tl_mb_data* d, const double* qpos, int32_t t)
{
    const int32_t end = tree_end(mb, t);
    place_root(mb, d, qpos, t);
    for (int32_t b = mb->tree_body[t] + 1; b < end; b++) {
        double *r = d->rpos + 3 * b, *q = d->xquat + 4 * b;
        place_in_parent(mb, d, b, r, q);
        for (int32_t k = 0; k < mb->body_njnt[b]; k++)
            apply_joint(mb, d, qpos, mb->body_jnt[b] + k, r, q);
        tl_quat_normalize(q);
        finish_pose(mb, d, b, d->ref + 3 * t);
    }
}

static void place_statics(const tl_mb* mb, tl_mb_data* d)
{
    for (int32_t b = 0; b < mb->nbody; b++)
        if (mb->body_tree[b] < 0)
            place_static(mb, d, b);
}

void tl_mb_kinematics(const tl_mb* mb, const double* q, tl_mb_data* d)
{
    place_statics(mb, d);
    for (int32_t t = 0; t < mb->ntree; t++)
        place_tree(mb, d, q, t);
}

// ---- velocities -----------------------------------------------------------------------------------------

static void move_bodies(const tl_mb* mb, const double* v, tl_mb_data* d, int32_t begin, int32_t end)
{
    for (int32_t b = begin; b < end; b++) {
        double* V = d->V + 6 * b;
        const int32_t p = mb->parent[b];
        // a static parent has velocity zero, whatever its reference point
        if (mb->body_tree[b] < 0)
            memset(V, 0, 6 * sizeof *V);
        else
            memcpy(V, d->V + 6 * p, 6 * sizeof *V);
        const int32_t last = mb->body_dof[b] + mb->body_ndof[b];
        for (int32_t k = mb->body_dof[b]; k < last; k++)
            axpy6(v[k], d->S + 6 * k, V);
    }
}

void tl_mb_velocity(const tl_mb* mb, const double* v, tl_mb_data* d)
{
    move_bodies(mb, v, d, 0, mb->nbody);
}

void tl_mb_pose_static(const tl_mb* mb, tl_mb_data* d)
{
    place_statics(mb, d);
    for (int32_t b = 0; b < mb->nbody; b++)
        if (mb->body_tree[b] < 0)
            memset(d->V + 6 * b, 0, 6 * sizeof *d->V);
}

void tl_mb_pose_trees(const tl_mb* mb, const double* q, const double* v, tl_mb_data* d, int32_t begin,
                      int32_t end)
{
    for (int32_t t = begin; t < end; t++) {
        place_tree(mb, d, q, t);
        move_bodies(mb, v, d, mb->tree_body[t], tree_end(mb, t));
    }
}

void tl_mb_axis_rates(const tl_mb* mb, const tl_mb_data* d, int32_t b, const double* v, double* c, double* V)
{
    for (int32_t j = mb->body_jnt[b]; j < mb->body_jnt[b] + mb->body_njnt[b]; j++) {
        int32_t k = mb->jnt_dof[j], n = 1;
        if (mb->jnt_type[j] == TL_JOINT_FREE) {
            // translations keep their axes
            memset(c + 6 * k, 0, 18 * sizeof *c);
            for (int32_t e = k + 3; k < e; k++)
                axpy6(v[k], d->S + 6 * k, V);
            n = 3;
        } else if (mb->jnt_type[j] == TL_JOINT_BALL) {
            n = 3;
        }
        // the three rotations of a ball turn together: what they do to each other's axes adds up to nothing
        for (int32_t i = k; i < k + n; i++) {
            cross_motion(V, d->S + 6 * i, c + 6 * i);
            for (int e = 0; e < 6; e++)
                c[6 * i + e] *= v[i];
        }
        for (int32_t i = k; i < k + n; i++)
            axpy6(v[i], d->S + 6 * i, V);
    }
}
