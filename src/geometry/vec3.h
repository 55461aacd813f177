// SPDX-License-Identifier: MIT
// 3-vectors of module geometry: inlined, nothing clever
#pragma once

#include <math.h>
#include <string.h>

static inline double dot3(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void copy3(double* out, const double* a)
{
    memcpy(out, a, 3 * sizeof *out);
}

static inline void sub3(double* out, const double* a, const double* b)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

/// out = a + s b
static inline void axpy3(double* out, const double* a, double s, const double* b)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + s * b[k];
}

static inline void cross3(double* out, const double* a, const double* b)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline double norm3(const double* a)
{
    return sqrt(dot3(a, a));
}

/// Scale to length 1 and return the old length; a zero vector stays zero.
static inline double normalize3(double* a)
{
    const double l = norm3(a);
    if (l > 0.0)
        for (int k = 0; k < 3; k++)
            a[k] /= l;
    return l;
}

/// out = R x
static inline void turn3(double* out, const double* R, const double* x)
{
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

/// out = R^T x
static inline void turn_back3(double* out, const double* R, const double* x)
{
    for (int i = 0; i < 3; i++)
        out[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

/// Two unit vectors that make (u, v, n) right-handed; n is a unit vector.
static inline void basis3(const double* n, double* u, double* v)
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[k]))
            k = i;
    double e[3] = {0.0, 0.0, 0.0};
    e[k] = 1.0;
    cross3(u, e, n);
    normalize3(u);
    cross3(v, n, u);
}
