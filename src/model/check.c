// SPDX-License-Identifier: MIT
// Checks that need the whole tree: where joints may stand, and that every moving body can be moved.
//
// A body with joints and all bodies welded to it form a group with mass m, centre c and inertia I about c.
// With J_i the (angular, linear) velocity of the group at c per unit speed of its i-th dof, its own mass
// matrix
//     H_ij = m l_i . l_j + w_i . I w_j + armature_i [i == j]
// must be positive definite; otherwise no force law gives an acceleration. So a massless link is refused, and
// a thin rod with a zero moment only when a joint spins it about that axis.
#include "compile.h"

#include <math.h>
#include <stdio.h>

#define HEAVIEST 1e50 // kg, kg m^2: squares and products with stiffnesses stay in range

static const int32_t joint_nv[] = {6, 3, 1, 1};

static talus_status bad_body(const tl_compile* c, int32_t body, const char* text)
{
    const tl_spec_body* b = &c->spec->body[body];
    return tl_fail_at(c->spec->ctx, TALUS_ERR_INPUT, b->at.file, b->at.line, "<body %s>: %s", b->name, text);
}

talus_status tl_compile_check_tree(tl_compile* c)
{
    const tl_spec* s = c->spec;
    for (int32_t i = 1; i < c->nbody; i++) {
        const tl_body_build* b = &c->body[i];
        int32_t dof = 0;
        bool ball = false;
        for (int32_t k = b->first_joint; k < b->first_joint + b->njoint; k++) {
            const int32_t type = s->joint[c->joint[k]].type;
            if (type == TL_JOINT_FREE && (b->parent != 0 || b->njoint > 1))
                return bad_body(c, i,
                                b->parent != 0
                                    ? "a free joint inside another body; expected: a child of the world"
                                    : "a free joint together with other joints");
            if (ball && (type == TL_JOINT_BALL || type == TL_JOINT_HINGE))
                return bad_body(c, i, "a ball joint followed by a ball or hinge joint");
            ball |= type == TL_JOINT_BALL;
            dof += joint_nv[type];
        }
        if (dof > 6)
            return bad_body(c, i, "more than 6 degrees of freedom");
        if (s->body[i].mocap && (dof > 0 || b->parent != 0))
            return bad_body(c, i, "a mocap body must be a child of the world without joints");
    }
    for (int32_t i = 0; i < c->ngeom; i++) {
        const tl_spec_geom* g = &s->geom[c->geom[i]];
        if (g->type != TL_SHAPE_PLANE)
            continue;
        for (int32_t b = g->body; b > 0; b = c->body[b].parent)
            if (c->body[b].njoint > 0)
                return tl_fail_at(s->ctx, TALUS_ERR_INPUT, g->at.file, g->at.line,
                                  "<geom %s>: a plane on a moving body; expected: a body fixed to the world",
                                  g->name);
    }
    return TALUS_OK;
}

/// Mass, centre and inertia (xx yy zz xy xz yz about the centre) of a weld group, in the frame of its first
/// body.
typedef struct group {
    double mass, com[3], full[6];
} group;

/// Columns of J: angular then linear velocity at the centre, body axes, at the reference configuration.
static int32_t group_jacobian(const tl_mb* mb, int32_t body, const group* g, double J[6][6])
{
    int32_t n = 0;
    for (int32_t k = mb->body_jnt[body]; k < mb->body_jnt[body] + mb->body_njnt[body]; k++) {
        const int32_t type = mb->jnt_type[k];
        const double *p = mb->jnt_pos + 3 * k, *axis = mb->jnt_axis + 3 * k;
        const double r[3] = {g->com[0] - p[0], g->com[1] - p[1], g->com[2] - p[2]};
        for (int i = 0; i < joint_nv[type]; i++, n++) {
            double w[3] = {0.0, 0.0, 0.0};
            memset(J[n], 0, sizeof J[n]);
            if (type == TL_JOINT_SLIDE) {
                memcpy(J[n] + 3, axis, 3 * sizeof *axis);
                continue;
            }
            if (type == TL_JOINT_FREE && i < 3) {
                J[n][3 + i] = 1.0;
                continue;
            }
            if (type == TL_JOINT_HINGE)
                memcpy(w, axis, sizeof w);
            else
                w[i % 3] = 1.0;
            memcpy(J[n], w, sizeof w);
            J[n][3] = w[1] * r[2] - w[2] * r[1];
            J[n][4] = w[2] * r[0] - w[0] * r[2];
            J[n][5] = w[0] * r[1] - w[1] * r[0];
        }
    }
    return n;
}

/// Cholesky of H; false when a pivot vanishes.
static bool positive_definite(const tl_mb* mb, int32_t body, const group* g)
{
    double J[6][6], H[6][6];
    const int32_t n = group_jacobian(mb, body, g, J);
    const double* I = g->full;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            const double *a = J[i], *b = J[j];
            H[i][j] = g->mass * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]) +
                      a[0] * (I[0] * b[0] + I[3] * b[1] + I[4] * b[2]) +
                      a[1] * (I[3] * b[0] + I[1] * b[1] + I[5] * b[2]) +
                      a[2] * (I[4] * b[0] + I[5] * b[1] + I[2] * b[2]);
            if (i == j)
                H[i][i] += mb->dof_armature[mb->body_dof[body] + i];
        }
    for (int32_t i = 0; i < n; i++) {
        const double whole = H[i][i];
        for (int32_t j = 0; j <= i; j++) {
            for (int32_t k = 0; k < j; k++)
                H[i][j] -= H[i][k] * H[j][k];
            if (i != j)
                H[i][j] /= H[j][j];
        }
        if (!(H[i][i] > 1e-13 * whole))
            return false;
        H[i][i] = sqrt(H[i][i]);
    }
    return true;
}

static void add_member(group* g, const double* com, const double* quat, const tl_mb* mb, int32_t b)
{
    const double m0 = g->mass, m = mb->mass[b], old[3] = {g->com[0], g->com[1], g->com[2]},
                 none[3] = {0.0, 0.0, 0.0}, one[4] = {1.0, 0.0, 0.0, 0.0};
    double r[3];
    if (m0 + m > 0.0)
        for (int i = 0; i < 3; i++)
            g->com[i] = (m0 * old[i] + m * com[i]) / (m0 + m);
    for (int i = 0; i < 3; i++)
        r[i] = old[i] - g->com[i];
    tl_inertia_add(g->full, none, one, m0, r);
    for (int i = 0; i < 3; i++)
        r[i] = com[i] - g->com[i];
    tl_inertia_add(g->full, mb->inertia + 3 * b, quat, m, r);
    g->mass = m0 + m;
}

talus_status tl_compile_check_mass(tl_compile* c)
{
    const tl_mb* mb = &c->model->mb;
    group* g = TL_ARENA(&c->scratch, group, mb->nbody);
    double* pos = TL_ARENA(&c->scratch, double, 7 * mb->nbody); // pose in the frame of the group's first body
    int32_t* spec_of = TL_ARENA(&c->scratch, int32_t, mb->nbody);
    if (!g || !pos || !spec_of)
        return tl_nomem(c->spec->ctx, sizeof *g * (size_t)mb->nbody);
    memset(g, 0, sizeof *g * (size_t)mb->nbody);
    for (int32_t i = c->nbody - 1; i >= 0; i--)
        if (!c->body[i].gone)
            spec_of[c->body_id[i]] = i;
    for (int32_t b = 1; b < mb->nbody; b++) {
        const int32_t w = mb->weld[b];
        if (w == 0)
            continue;
        double *p = pos + 7 * b, *q = p + 3, com[3], quat[4];
        if (w == b) {
            memset(p, 0, 7 * sizeof *p);
            q[0] = 1.0;
        } else {
            memcpy(p, pos + 7 * mb->parent[b], 7 * sizeof *p);
            tl_pose_accum(p, q, mb->pos + 3 * b, mb->quat + 4 * b);
        }
        memcpy(com, p, sizeof com);
        memcpy(quat, q, sizeof quat);
        tl_pose_accum(com, quat, mb->ipos + 3 * b, mb->iquat + 4 * b);
        add_member(&g[w], com, quat, mb, b);
    }
    for (int32_t b = 1; b < mb->nbody; b++) {
        if (mb->weld[b] != b)
            continue;
        if (!(g[b].mass > 0.0))
            return bad_body(c, spec_of[b],
                            "a moving body needs mass; expected: geoms with density, or <inertial>");
        const double *I = g[b].full, largest = fmax(g[b].mass, fmax(I[0], fmax(I[1], I[2])));
        if (!(largest <= HEAVIEST)) {
            char text[128];
            snprintf(text, sizeof text, "mass or inertia of %.3g kg or kg m^2; expected: at most %g", largest,
                     HEAVIEST);
            return bad_body(c, spec_of[b], text);
        }
        if (!positive_definite(mb, b, &g[b]))
            return bad_body(c, spec_of[b],
                            "a joint moves this body in a direction in which its moments of inertia vanish; "
                            "expected: larger "
                            "moments, or armature at the joint");
    }
    return TALUS_OK;
}
