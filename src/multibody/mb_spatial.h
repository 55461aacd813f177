// SPDX-License-Identifier: MIT
// Spatial algebra of module multibody and the steps its files share. Plucker vectors in world axes about the
// tree's reference point: motion V = (omega, v), force F = (n, f), angular part first (Featherstone 2008,
// chapter 2).
#pragma once

#include "multibody.h"

static inline double dot3(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const double* a, const double* b, double* c)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

static inline void copy3(const double* a, double* c)
{
    c[0] = a[0], c[1] = a[1], c[2] = a[2];
}

static inline void add3(const double* a, const double* b, double* c)
{
    c[0] = a[0] + b[0], c[1] = a[1] + b[1], c[2] = a[2] + b[2];
}

static inline void sub3(const double* a, const double* b, double* c)
{
    c[0] = a[0] - b[0], c[1] = a[1] - b[1], c[2] = a[2] - b[2];
}

/// c += s a
static inline void axpy3(double s, const double* a, double* c)
{
    c[0] += s * a[0], c[1] += s * a[1], c[2] += s * a[2];
}

static inline void axpy6(double s, const double* a, double* c)
{
    for (int i = 0; i < 6; i++)
        c[i] += s * a[i];
}

static inline double dot6(const double* a, const double* b)
{
    return dot3(a, b) + dot3(a + 3, b + 3);
}

/// c = R a, R row-major
static inline void mat_vec(const double* R, const double* a, double* c)
{
    const double x = dot3(R, a), y = dot3(R + 3, a), z = dot3(R + 6, a);
    c[0] = x, c[1] = y, c[2] = z;
}

/// c = R^T a
static inline void mat_tvec(const double* R, const double* a, double* c)
{
    const double x = R[0] * a[0] + R[3] * a[1] + R[6] * a[2], y = R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
                 z = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
    c[0] = x, c[1] = y, c[2] = z;
}

// symmetric 3x3 in six numbers: xx yy zz xy xz yz

static inline void sym_vec(const double* s, const double* a, double* c)
{
    const double x = s[0] * a[0] + s[3] * a[1] + s[4] * a[2], y = s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
                 z = s[4] * a[0] + s[5] * a[1] + s[2] * a[2];
    c[0] = x, c[1] = y, c[2] = z;
}

/// s += R diag(d) R^T
static inline void sym_add_rotated(const double* R, const double* d, double* s)
{
    static const int8_t row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        const double *a = R + 3 * row[e], *b = R + 3 * col[e];
        s[e] += d[0] * a[0] * b[0] + d[1] * a[1] * b[1] + d[2] * a[2] * b[2];
    }
}

/// s += m (|c|^2 1 - c c^T): a point mass at c
static inline void sym_add_point(double m, const double* c, double* s)
{
    s[0] += m * (c[1] * c[1] + c[2] * c[2]);
    s[1] += m * (c[0] * c[0] + c[2] * c[2]);
    s[2] += m * (c[0] * c[0] + c[1] * c[1]);
    s[3] -= m * c[0] * c[1];
    s[4] -= m * c[0] * c[2];
    s[5] -= m * c[1] * c[2];
}

/// x = s^-1 b by cofactors; s is positive definite
static inline void sym_solve(const double* s, const double* b, double* x)
{
    const double c[6] = {s[1] * s[2] - s[5] * s[5], s[0] * s[2] - s[4] * s[4], s[0] * s[1] - s[3] * s[3],
                         s[4] * s[5] - s[3] * s[2], s[3] * s[5] - s[4] * s[1], s[3] * s[4] - s[0] * s[5]};
    const double inv = 1.0 / (s[0] * c[0] + s[3] * c[3] + s[4] * c[4]);
    double y[3];
    sym_vec(c, b, y);
    for (int i = 0; i < 3; i++)
        x[i] = inv * y[i];
}

// spatial cross products

/// C = V x M, both motions
static inline void cross_motion(const double* V, const double* M, double* C)
{
    double a[3], b[3];
    cross3(V, M + 3, a);
    cross3(V + 3, M, b);
    cross3(V, M, C);
    add3(a, b, C + 3);
}

/// C = V x* F, motion on force
static inline void cross_force(const double* V, const double* F, double* C)
{
    double a[3], b[3];
    cross3(V, F, a);
    cross3(V + 3, F + 3, b);
    cross3(V, F + 3, C + 3);
    add3(a, b, C);
}

// spatial inertia in ten numbers: m, h = m c, I about the reference point

/// F = I V: n = I omega + h x v, f = m v - h x omega
static inline void inertia_vec(const double* I, const double* V, double* F)
{
    double a[3], b[3];
    cross3(I + 1, V + 3, a);
    cross3(I + 1, V, b);
    sym_vec(I + 4, V, F);
    for (int i = 0; i < 3; i++) {
        F[i] += a[i];
        F[3 + i] = I[0] * V[3 + i] - b[i];
    }
}

/// Inertia of one body about its tree's reference point, after kinematics.
static inline void body_inertia(const tl_mb* mb, const tl_mb_data* d, int32_t b, double* I)
{
    const double m = mb->mass[b], *c = d->ripos + 3 * b;
    I[0] = m;
    for (int i = 0; i < 3; i++)
        I[1 + i] = m * c[i];
    for (int i = 4; i < 10; i++)
        I[i] = 0.0;
    sym_add_rotated(d->ximat + 9 * b, mb->inertia + 3 * b, I + 4);
    sym_add_point(m, c, I + 4);
}

/// One past the last body of a tree: depth-first order makes its bodies contiguous.
static inline int32_t tree_end(const tl_mb* mb, int32_t t)
{
    int32_t b = mb->tree_body[t] + 1;
    while (b < mb->nbody && mb->body_tree[b] == t)
        b++;
    return b;
}

/// Last dof that moves body b (of a tree), the head of its dof_parent chain.
static inline int32_t last_dof(const tl_mb* mb, int32_t b)
{
    const int32_t w = mb->weld[b];
    return mb->body_dof[w] + mb->body_ndof[w] - 1;
}

/// rotation.c: unit quaternion of q, which may be of any length (identity where it has none)
void tl_quat_unit(const double* q, double* u);
/// kinematics.c: c = dS/dt v for the dofs of body b, six numbers a dof at c + 6 dof; V is the velocity of the
/// parent in, of the body out
void tl_mb_axis_rates(const tl_mb* mb, const tl_mb_data* d, int32_t b, const double* v, double* c, double* V);
/// integrate.c: one joint of tl_mb_integrate
void tl_mb_integrate_joint(const tl_mb* mb, int32_t j, const double* q, const double* v, double h,
                           double* q1);
/// rnea.c: the recursion of one tree
void tl_mb_rnea_tree(const tl_mb* mb, tl_mb_data* d, int32_t t, const double* v, const double* a,
                     const double* gravity, double* tau);
/// momentum.c: the rigid body of a tree with tree_free: mb->tree_rigid, or found into tmp (10)
const double* tl_mb_rigid(const tl_mb* mb, int32_t t, double* tmp);
