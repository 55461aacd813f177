// SPDX-License-Identifier: MIT
// Articulated-body algorithm (Featherstone 2008, section 7.3): accelerations in O(nv), no mass matrix.
//
// Every dof is treated as a joint of its own with a massless body before it, whatever joint it belongs to, so
// hinges, balls, free joints and several joints a body are one loop. With (IA, pA) the articulated inertia
// and bias force of all that dof i carries, c_i = dS_i/dt v_i and armature r_i, inward:
//
//   U = IA S_i,  D = S_i^T U + r_i,  u = tau_i - S_i^T pA
//   IA <- IA - U U^T / D,   pA <- pA + IA c_i + U u / D
//
// then both are added to what the next dof carries; and outward:  A <- A + c_i,  a_i = (u - U^T A) / D,  A <-
// A + S_i a_i,  from A = (0, -g) at the root. Eliminating the dofs one by one is the LDL^T factorization of M
// from the leaves, stable for any positive definite M.
//
// Scratch, in doubles: a body IA 36, pA 6, A 6; a dof U 6, c 6, D 1, u 1.
#include "mb_spatial.h"

typedef struct aba_scratch {
    double *IA, *pA, *A;   // a body
    double *U, *c, *D, *u; // a dof
} aba_scratch;

/// One free body without armature: Newton about its centre of mass, Euler in body axes.
static void free_acceleration(const tl_mb* mb, const tl_mb_data* d, int32_t t, const double* v,
                              const double* tau, const double* gravity, double* a)
{
    double tmp[10], f[3], n[3], u[3], L[3];
    const double *rigid = tl_mb_rigid(mb, t, tmp), *c = rigid + 1, *R = d->xmat + 9 * mb->tree_body[t];
    const int32_t i0 = mb->tree_dof[t];
    const double* w = v + i0 + 3;
    mat_tvec(R, tau + i0, f);
    cross3(c, f, u);
    sym_vec(rigid + 4, w, L);
    cross3(w, L, n);
    for (int i = 0; i < 3; i++)
        n[i] = tau[i0 + 3 + i] - u[i] - n[i];
    double alpha[3];
    sym_solve(rigid + 4, n, alpha);
    // the origin's acceleration is the centre's less what rotation makes of c
    cross3(w, c, u);
    cross3(w, u, u);
    cross3(alpha, c, L);
    add3(u, L, u);
    mat_vec(R, u, u);
    for (int i = 0; i < 3; i++) {
        a[i0 + i] = tau[i0 + i] / rigid[0] + gravity[i] - u[i];
        a[i0 + 3 + i] = alpha[i];
    }
}

/// The 6x6 matrix of a spatial inertia of ten numbers.
static void expand_inertia(const double* I, double* M)
{
    const double h[3] = {I[1], I[2], I[3]};
    memset(M, 0, 36 * sizeof *M);
    M[0] = I[4], M[7] = I[5], M[14] = I[6];
    M[1] = M[6] = I[7], M[2] = M[12] = I[8], M[8] = M[13] = I[9];
    M[21] = M[28] = M[35] = I[0];
    // upper right [h x], lower left its transpose
    M[4] = M[24] = -h[2], M[5] = M[30] = h[1];
    M[9] = M[19] = h[2], M[11] = M[31] = -h[0];
    M[15] = M[20] = -h[1], M[16] = M[26] = h[0];
}

static void eliminate_dof(const tl_mb* mb, const tl_mb_data* d, const aba_scratch* w, int32_t b, int32_t i,
                          double tau)
{
    double *IA = w->IA + 36 * b, *pA = w->pA + 6 * b, *U = w->U + 6 * i;
    const double *S = d->S + 6 * i, *c = w->c + 6 * i;
    for (int r = 0; r < 6; r++)
        U[r] = dot6(IA + 6 * r, S);
    const double D = dot6(S, U) + mb->dof_armature[i], u = tau - dot6(S, pA), s = 1.0 / D;
    w->D[i] = D;
    w->u[i] = u;
    for (int r = 0; r < 6; r++) {
        const double g = s * U[r];
        for (int k = 0; k < 6; k++)
            IA[6 * r + k] -= g * U[k];
    }
    for (int r = 0; r < 6; r++)
        pA[r] += dot6(IA + 6 * r, c) + s * u * U[r];
}

static void tree_acceleration(const tl_mb* mb, const tl_mb_data* d, const aba_scratch* w, int32_t t,
                              const double* v, const double* tau, const double* gravity, double* a)
{
    const int32_t begin = mb->tree_body[t], end = tree_end(mb, t);
    for (int32_t b = begin; b < end; b++) {
        double V[6] = {0.0}, I[10], P[6];
        if (b > begin)
            memcpy(V, d->V + 6 * mb->parent[b], sizeof V);
        tl_mb_axis_rates(mb, d, b, v, w->c, V);
        body_inertia(mb, d, b, I);
        expand_inertia(I, w->IA + 36 * b);
        inertia_vec(I, V, P);
        cross_force(V, P, w->pA + 6 * b);
    }
    for (int32_t b = end - 1; b >= begin; b--) {
        for (int32_t i = mb->body_dof[b] + mb->body_ndof[b] - 1; i >= mb->body_dof[b]; i--)
            eliminate_dof(mb, d, w, b, i, tau[i]);
        if (b > begin) {
            const int32_t p = mb->parent[b];
            for (int k = 0; k < 36; k++)
                w->IA[36 * p + k] += w->IA[36 * b + k];
            axpy6(1.0, w->pA + 6 * b, w->pA + 6 * p);
        }
    }
    for (int32_t b = begin; b < end; b++) {
        double* A = w->A + 6 * b;
        if (b == begin) {
            memset(A, 0, 3 * sizeof *A);
            for (int i = 0; i < 3; i++)
                A[3 + i] = -gravity[i];
        } else {
            memcpy(A, w->A + 6 * mb->parent[b], 6 * sizeof *A);
        }
        for (int32_t i = mb->body_dof[b]; i < mb->body_dof[b] + mb->body_ndof[b]; i++) {
            axpy6(1.0, w->c + 6 * i, A);
            a[i] = (w->u[i] - dot6(w->U + 6 * i, A)) / w->D[i];
            axpy6(a[i], d->S + 6 * i, A);
        }
    }
}

static bool has_armature(const tl_mb* mb, int32_t t)
{
    for (int32_t i = mb->tree_dof[t]; i < mb->tree_dof[t + 1]; i++)
        if (mb->dof_armature[i] != 0.0)
            return true;
    return false;
}

void tl_mb_aba(const tl_mb* mb, tl_mb_data* d, const double* v, const double* tau, const double* gravity,
               double* a)
{
    const size_t nb = (size_t)mb->nbody, nv = (size_t)mb->nv;
    aba_scratch w = {.IA = d->work};
    w.pA = w.IA + 36 * nb;
    w.A = w.pA + 6 * nb;
    w.U = w.A + 6 * nb;
    w.c = w.U + 6 * nv;
    w.D = w.c + 6 * nv;
    w.u = w.D + nv;
    for (int32_t t = 0; t < mb->ntree; t++) {
        if (mb->tree_free[t] && !has_armature(mb, t))
            free_acceleration(mb, d, t, v, tau, gravity, a);
        else
            tree_acceleration(mb, d, &w, t, v, tau, gravity, a);
    }
}
