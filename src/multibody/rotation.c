// SPDX-License-Identifier: MIT
// Unit quaternions q = (w, x, y, z) and rotation matrices R (row-major), q and -q being the same rotation:
//
//   R(q) v = v + 2 w (u x v) + 2 u x (u x v),   u = (x, y, z)
//   exp(w) = (cos |w|/2, sinc(|w|/2) w/2)       for a rotation vector w
//
// The half angles of one time step are small, so exp sums a short series there and calls the math library
// only beyond: that is faster and gives the same bits on every machine.
#include "mb_spatial.h"

#include <math.h>

void tl_quat_mul(const double* a, const double* b, double* out)
{
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

void tl_quat_rotate(const double* q, const double* v, double* out)
{
    double a[3], b[3];
    cross3(q + 1, v, a);
    cross3(q + 1, a, b);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 2.0 * (q[0] * a[i] + b[i]);
}

void tl_quat_to_mat(const double* q, double* R)
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    // 1 - 2 (y^2 + z^2) rather than w^2 + x^2 - y^2 - z^2: exact for the identity, best for small rotations
    R[0] = 1.0 - 2.0 * (y * y + z * z), R[1] = 2.0 * (x * y - w * z), R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z), R[4] = 1.0 - 2.0 * (x * x + z * z), R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y), R[7] = 2.0 * (y * z + w * x), R[8] = 1.0 - 2.0 * (x * x + y * y);
}

void tl_mat_to_quat(const double* R, double* q)
{
    // 4 w^2, 4 x^2, 4 y^2, 4 z^2; the largest is at least 1 and divides
    const double s[4] = {1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8], 1.0 - R[0] + R[4] - R[8],
                         1.0 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (s[i] > s[k])
            k = i;
    const double wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
    const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
    const double row[4][4] = {{s[0], wx, wy, wz}, {wx, s[1], xy, xz}, {wy, xy, s[2], yz}, {wz, xz, yz, s[3]}};
    memcpy(q, row[k], sizeof row[k]);
    tl_quat_normalize(q);
}

void tl_quat_exp(const double* w, double* q)
{
    const double x2 = 0.25 * dot3(w, w); // (half angle)^2
    double c, s;                         // cos x, sin x / x
    if (x2 < 0.0625) {
        // Taylor: the first term left out is below 1e-17; products with constants, since divisions would cost
        // most
        static const double S[5] = {1.0 / 6, 1.0 / 20, 1.0 / 42, 1.0 / 72, 1.0 / 110};
        static const double C[6] = {1.0 / 2, 1.0 / 12, 1.0 / 30, 1.0 / 56, 1.0 / 90, 1.0 / 132};
        s = c = 1.0;
        for (int k = 4; k >= 0; k--)
            s = 1.0 - x2 * S[k] * s;
        for (int k = 5; k >= 0; k--)
            c = 1.0 - x2 * C[k] * c;
    } else {
        const double x = sqrt(x2);
        c = cos(x);
        s = sin(x) / x;
    }
    q[0] = c;
    for (int i = 0; i < 3; i++)
        q[1 + i] = 0.5 * s * w[i];
}

bool tl_quat_normalize(double* q)
{
    double n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(n2 > 1e-200 && n2 < 1e200)) {
        // far from unit length: scale by the largest entry first, so that the square neither overflows nor
        // vanishes
        double big = 0.0;
        bool finite = true;
        for (int i = 0; i < 4; i++) {
            finite = finite && isfinite(q[i]);
            big = fmax(big, fabs(q[i]));
        }
        if (!finite || big == 0.0) {
            q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
            return false;
        }
        n2 = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] /= big;
            n2 += q[i] * q[i];
        }
    }
    const double inv = 1.0 / sqrt(n2);
    for (int i = 0; i < 4; i++)
        q[i] *= inv;
    return true;
}

void tl_quat_unit(const double* q, double* u)
{
    memcpy(u, q, 4 * sizeof *u);
    tl_quat_normalize(u);
}
