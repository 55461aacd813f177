// SPDX-License-Identifier: MIT
// Poses and inertia of a scene: composition, and the principal axes of a symmetric 3x3 matrix.
//
// The axes are found by Jacobi rotations accumulated in a quaternion, largest off-diagonal element first, and
// sorted so that the moments decrease: the convention of MuJoCo, which matters where a free body's frame is
// moved to its inertial frame (joint attribute align). The stop test is relative to the trace, so that a
// model in millimetres and one in kilometres get the same axes.
#include "scene.h"

#include <math.h>

void tl_pose_accum(double* pos, double* quat, const double* cpos, const double* cquat)
{
    double p[3], q[4];
    tl_quat_rotate(quat, cpos, p);
    for (int i = 0; i < 3; i++)
        pos[i] += p[i];
    tl_quat_mul(quat, cquat, q);
    tl_quat_normalize(q);
    memcpy(quat, q, sizeof q);
}

void tl_quat_from_z(const double* z, double* quat)
{
    // axis = e_z x z, angle between them
    const double s = hypot(z[0], z[1]), angle = atan2(s, z[2]);
    double axis[3] = {1.0, 0.0, 0.0};
    if (s > 1e-10 * fabs(z[2])) {
        axis[0] = -z[1] / s;
        axis[1] = z[0] / s;
    }
    quat[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        quat[i + 1] = axis[i] * sin(angle / 2);
}

void tl_inertia_add(double* full, const double* moments, const double* quat, double m, const double* r)
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double R[9];
    tl_quat_to_mat(quat, R);
    const double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int e = 0; e < 6; e++) {
        const int i = at[e][0], j = at[e][1];
        for (int k = 0; k < 3; k++)
            full[e] += R[3 * i + k] * moments[k] * R[3 * j + k];
        full[e] += m * ((i == j ? rr : 0.0) - r[i] * r[j]);
    }
}

/// D = R(quat)^T A R(quat)
static void rotate_into(const double* quat, const double A[3][3], double D[3][3])
{
    double R[9], AR[3][3];
    tl_quat_to_mat(quat, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            AR[i][j] = A[i][0] * R[j] + A[i][1] * R[3 + j] + A[i][2] * R[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[i][j] = R[i] * AR[0][j] + R[3 + i] * AR[1][j] + R[6 + i] * AR[2][j];
}

/// quat <- quat o (rotation by the angle whose half has sine s, about axis k)
static void turn(double* quat, int k, double s)
{
    double r[4] = {sqrt(1.0 - s * s), 0.0, 0.0, 0.0}, q[4];
    r[k + 1] = s;
    tl_quat_mul(quat, r, q);
    tl_quat_normalize(q);
    memcpy(quat, q, sizeof q);
}

void tl_principal(const double* full, double* quat, double* moments)
{
    const double A[3][3] = {
        {full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}};
    const double eps = 1e-15 * (fabs(full[0]) + fabs(full[1]) + fabs(full[2]));
    double D[3][3];
    quat[0] = 1.0;
    quat[1] = quat[2] = quat[3] = 0.0;
    for (int iter = 0; iter < 100; iter++) {
        rotate_into(quat, A, D);
        int r = 1, c = 2;
        if (fabs(D[0][1]) > fabs(D[0][2]) && fabs(D[0][1]) > fabs(D[1][2])) {
            r = 0;
            c = 1;
        } else if (fabs(D[0][2]) > fabs(D[1][2])) {
            r = 0;
        }
        if (!(fabs(D[r][c]) > eps))
            break;
        // Schur decomposition of the 2x2 block: t = tan of the angle
        const double tau = (D[c][c] - D[r][r]) / (2.0 * D[r][c]);
        const double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
        const double cosine = 1.0 / sqrt(1.0 + t * t);
        // sin of half the angle without the cancellation in 1 - cos
        const double half = fabs(t) * cosine / sqrt(2.0 * (1.0 + cosine));
        const double s = (tau >= 0.0 ? -half : half) * (r == 0 && c == 2 ? -1.0 : 1.0);
        turn(quat, 3 - r - c, s);
    }
    rotate_into(quat, A, D);
    for (int i = 0; i < 3; i++)
        moments[i] = D[i][i];
    // decreasing order: swap neighbours (0 1), (1 2), (0 1); equal moments stay
    for (int j = 0; j < 3; j++) {
        const int i = j % 2;
        if (moments[i] + 1e3 * eps < moments[i + 1]) {
            const double m = moments[i];
            moments[i] = moments[i + 1];
            moments[i + 1] = m;
            turn(quat, (i + 2) % 3, 0.70710678118654752);
        }
    }
}
