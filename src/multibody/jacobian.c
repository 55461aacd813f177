// SPDX-License-Identifier: MIT
// Jacobians of material points, as matrices and as operators.
//
//   J_p column i = S_i,lin + S_i,ang x (p - ref)   for the dofs i that move the body, 0 for the tree's others
//   J_p v = V_lin + V_ang x (p - ref),   J_p^T f + J_w^T t = S^T (t + (p - ref) x f, f)
//
// p - ref is formed first: it is small and exact where p and ref are large and close.
#include "mb_spatial.h"

// a single free body: its first three dofs are world translations, S = (0, e_i)
static void free_body_rows(const double* S, const double* r, const double* const axis[3], double scale,
                           double* J, int32_t ld)
{
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++)
            J[row * (ptrdiff_t)ld + i] = scale * axis[row][i];
    for (int i = 3; i < 6; i++) {
        double u[3];
        cross3(S + 6 * i, r, u);
        add3(u, S + 6 * i + 3, u);
        for (int row = 0; row < 3; row++)
            J[row * (ptrdiff_t)ld + i] = scale * dot3(axis[row], u);
    }
}

void tl_mb_frame_jacobian(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p,
                          const double* const axis[3], double scale, double* J, int32_t ld)
{
    const int32_t t = mb->body_tree[body];
    if (t < 0)
        return;
    double r[3];
    const int32_t d0 = mb->tree_dof[t], n = mb->tree_dof[t + 1] - d0;
    sub3(p, d->ref + 3 * t, r);
    if (mb->tree_free[t]) {
        free_body_rows(d->S + 6 * (ptrdiff_t)d0, r, axis, scale, J, ld);
        return;
    }
    for (int row = 0; row < 3; row++)
        memset(J + row * (ptrdiff_t)ld, 0, (size_t)n * sizeof *J);
    for (int32_t i = last_dof(mb, body); i >= 0; i = mb->dof_parent[i]) {
        const double* S = d->S + 6 * i;
        double u[3];
        cross3(S, r, u);
        add3(u, S + 3, u);
        for (int row = 0; row < 3; row++)
            J[row * (ptrdiff_t)ld + i - d0] = scale * dot3(axis[row], u);
    }
}

void tl_mb_point_jacobian(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p, double* J,
                          int32_t ld)
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tl_mb_frame_jacobian(mb, d, body, p, (const double* const[]){unit[0], unit[1], unit[2]}, 1.0, J, ld);
}

void tl_mb_point_velocity(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p, double* vel)
{
    const int32_t t = mb->body_tree[body];
    if (t < 0) {
        vel[0] = vel[1] = vel[2] = 0.0;
        return;
    }
    double r[3];
    const double* V = d->V + 6 * body;
    sub3(p, d->ref + 3 * t, r);
    cross3(V, r, vel);
    add3(vel, V + 3, vel);
}

void tl_mb_apply_wrench(const tl_mb* mb, const tl_mb_data* d, int32_t body, const double* p, const double* f,
                        const double* t, double* tau)
{
    const int32_t tree = mb->body_tree[body];
    if (tree < 0)
        return;
    double r[3], F[6];
    sub3(p, d->ref + 3 * tree, r);
    cross3(r, f, F);
    copy3(f, F + 3);
    if (t)
        add3(F, t, F);
    for (int32_t i = last_dof(mb, body); i >= 0; i = mb->dof_parent[i])
        tau[i] += dot6(d->S + 6 * i, F);
}
