// SPDX-License-Identifier: MIT
// Recursive Newton-Euler (Featherstone 2008, section 5.3): generalized forces for given accelerations.
//
//   outward   A_b = A_p + sum_i (dS_i/dt v_i + S_i a_i),  A_world = (0, -g)
//             F_b = I_b A_b + V_b x* (I_b V_b)
//   inward    tau_i = S_i^T F_b,  F_p += F_b
//
// With a = 0 this is the bias: gravity, Coriolis, centrifugal and gyroscopic terms. Gravity enters as an
// acceleration of the world, so no body needs a weight of its own. Scratch: 12 doubles a body, 6 a dof, a tree its own.
//
// A tree that is one free body (mass m, centre of mass c from the origin, inertia I_c, all in world axes) has
//
//   f = m (a_o + alpha x c + omega x (omega x c) - g),   n = I_c alpha + omega x I_c omega + c x f
//
// evaluated in body axes, where I_c is constant; tau = (f, R^T n).
#include "mb_spatial.h"

static void free_tau(const tl_mb* mb, const tl_mb_data* d, int32_t t, const double* v, const double* a,
                     const double* gravity, double* tau)
{
    static const double zero[6] = {0.0};
    double tmp[10], f[3], u[3], L[3], n[3];
    const double *rigid = tl_mb_rigid(mb, t, tmp), *c = rigid + 1, *R = d->xmat + 9 * mb->tree_body[t];
    const int32_t i0 = mb->tree_dof[t];
    const double *w = v + i0 + 3, *acc = a ? a + i0 : zero, *alpha = acc + 3;
    // acceleration of the centre of mass, first the part made by rotation, in body axes
    cross3(w, c, u);
    cross3(w, u, u);
    cross3(alpha, c, L);
    add3(u, L, u);
    mat_vec(R, u, f);
    for (int i = 0; i < 3; i++)
        f[i] = rigid[0] * (f[i] + acc[i] - gravity[i]);
    sym_vec(rigid + 4, w, L);
    cross3(w, L, n);
    sym_vec(rigid + 4, alpha, L);
    add3(n, L, n);
    mat_tvec(R, f, u);
    cross3(c, u, L);
    copy3(f, tau + i0);
    add3(n, L, tau + i0 + 3);
}

static void tree_tau(const tl_mb* mb, tl_mb_data* d, int32_t t, const double* v, const double* a,
                     const double* gravity, double* tau)
{
    const int32_t begin = mb->tree_body[t], end = tree_end(mb, t);
    // behind the composite inertias of crba.c: other trees may be there at the same time
    double *A = d->work + 10 * (size_t)mb->nbody, *F = A + 6 * (size_t)mb->nbody,
           *c = F + 6 * (size_t)mb->nbody;
    for (int32_t b = begin; b < end; b++) {
        const int32_t p = mb->parent[b];
        double V[6] = {0.0}, I[10], P[6], *Ab = A + 6 * b;
        if (b == begin) {
            memset(Ab, 0, 3 * sizeof *Ab);
            for (int i = 0; i < 3; i++)
                Ab[3 + i] = -gravity[i];
        } else {
            memcpy(Ab, A + 6 * p, 6 * sizeof *Ab);
            memcpy(V, d->V + 6 * p, sizeof V);
        }
        tl_mb_axis_rates(mb, d, b, v, c, V);
        for (int32_t i = mb->body_dof[b]; i < mb->body_dof[b] + mb->body_ndof[b]; i++) {
            axpy6(1.0, c + 6 * i, Ab);
            if (a)
                axpy6(a[i], d->S + 6 * i, Ab);
        }
        body_inertia(mb, d, b, I);
        inertia_vec(I, V, P);
        cross_force(V, P, F + 6 * b);
        inertia_vec(I, Ab, P);
        axpy6(1.0, P, F + 6 * b);
    }
    for (int32_t b = end - 1; b >= begin; b--) {
        for (int32_t i = mb->body_dof[b]; i < mb->body_dof[b] + mb->body_ndof[b]; i++)
            tau[i] = dot6(d->S + 6 * i, F + 6 * b);
        if (b > begin)
            axpy6(1.0, F + 6 * b, F + 6 * mb->parent[b]);
    }
}

void tl_mb_rnea_tree(const tl_mb* mb, tl_mb_data* d, int32_t t, const double* v, const double* a,
                     const double* gravity, double* tau)
{
    if (mb->tree_free[t])
        free_tau(mb, d, t, v, a, gravity, tau);
    else
        tree_tau(mb, d, t, v, a, gravity, tau);
}

void tl_mb_rnea(const tl_mb* mb, tl_mb_data* d, const double* v, const double* a, const double* gravity,
                double* tau)
{
    for (int32_t t = 0; t < mb->ntree; t++)
        tl_mb_rnea_tree(mb, d, t, v, a, gravity, tau);
}
