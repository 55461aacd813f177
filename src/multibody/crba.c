// SPDX-License-Identifier: MIT
// Composite-rigid-body algorithm (Featherstone 2008, section 6.2): the mass matrix, one dense block a tree.
//
//   M_ij = S_j^T Ic_b(i) S_i   for every dof j on the way from i to the root, 0 for dofs on different
//   branches M_ii += armature_i
//
// Ic_b is the inertia of body b and all below it, ten numbers about the tree's reference point: no transforms
// between frames, sums only. Scratch: 10 doubles a body.
//
// A tree that is one free body has in its own axes, with c the centre of mass and a_k the k-th body axis in
// the world,
//
//       | m 1           m a_k x (R c) |
//   M = |                             |   the lower right block does not depend on q
//       | (sym)   I_c + m (c^2 1 - c c^T) |
#include "mb_spatial.h"

static void free_block(const tl_mb* mb, const tl_mb_data* d, int32_t t, double* M)
{
    double tmp[10], I[6], c[3];
    const double *rigid = tl_mb_rigid(mb, t, tmp), m = rigid[0], *R = d->xmat + 9 * mb->tree_body[t];
    const double* armature = mb->dof_armature + mb->tree_dof[t];
    mat_vec(R, rigid + 1, c);
    memcpy(I, rigid + 4, sizeof I);
    sym_add_point(m, rigid + 1, I);
    memset(M, 0, 36 * sizeof *M);
    M[0] = M[7] = M[14] = m;
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]};
        double p[3];
        cross3(axis, c, p);
        for (int i = 0; i < 3; i++)
            M[6 * i + 3 + k] = M[6 * (3 + k) + i] = m * p[i];
    }
    M[21] = I[0], M[28] = I[1], M[35] = I[2];
    M[22] = M[27] = I[3], M[23] = M[33] = I[4], M[29] = M[34] = I[5];
    for (int i = 0; i < 6; i++)
        M[7 * i] += armature[i];
}

static void tree_block(const tl_mb* mb, tl_mb_data* d, int32_t t, double* M)
{
    const int32_t begin = mb->tree_body[t], end = tree_end(mb, t), d0 = mb->tree_dof[t];
    const size_t n = (size_t)(mb->tree_dof[t + 1] - d0);
    double* Ic = d->work;
    for (int32_t b = begin; b < end; b++)
        body_inertia(mb, d, b, Ic + 10 * b);
    for (int32_t b = end - 1; b > begin; b--)
        for (int i = 0; i < 10; i++)
            Ic[10 * mb->parent[b] + i] += Ic[10 * b + i];
    memset(M, 0, n * n * sizeof *M);
    for (int32_t i = d0; i < mb->tree_dof[t + 1]; i++) {
        double F[6];
        const size_t row = (size_t)(i - d0);
        inertia_vec(Ic + 10 * mb->dof_body[i], d->S + 6 * i, F);
        M[row * n + row] = dot6(d->S + 6 * i, F) + mb->dof_armature[i];
        for (int32_t j = mb->dof_parent[i]; j >= 0; j = mb->dof_parent[j]) {
            const size_t col = (size_t)(j - d0);
            M[row * n + col] = M[col * n + row] = dot6(d->S + 6 * j, F);
        }
    }
}

void tl_mb_crba(const tl_mb* mb, tl_mb_data* d, double* M)
{
    tl_mb_crba_trees(mb, d, M, 0, mb->ntree);
}

void tl_mb_crba_trees(const tl_mb* mb, tl_mb_data* d, double* M, int32_t begin, int32_t end)
{
    for (int32_t t = begin; t < end; t++) {
        if (mb->tree_free[t])
            free_block(mb, d, t, M + mb->tree_M[t]);
        else
            tree_block(mb, d, t, M + mb->tree_M[t]);
    }
}
