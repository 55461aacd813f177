// SPDX-License-Identifier: MIT
// random shapes and poses, and an independent slow oracle: support functions by formula, least overlap by
// search
#pragma once

#include "geometry.h"
#include "test.h"

static inline double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void random_unit(tl_rng* r, double* n)
{
    double l;
    do {
        for (int k = 0; k < 3; k++)
            n[k] = tl_rng_uniform(r, -1, 1);
        l = sqrt(dot(n, n));
    } while (l > 1.0 || l < 1e-3);
    for (int k = 0; k < 3; k++)
        n[k] /= l;
}

static inline void rotation(const double* axis, double angle, double* R)
{
    const double c = cos(angle), s = sin(angle), *u = axis;
    const double K[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = (i == j) * c + s * K[3 * i + j] + (1 - c) * u[i] * u[j];
}

static inline tl_pose pose_at(double x, double y, double z)
{
    return (tl_pose){.p = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/// R <- rotation about a world axis times R
static inline void turn(tl_pose* X, double ax, double ay, double az, double angle)
{
    const double l = sqrt(ax * ax + ay * ay + az * az), axis[3] = {ax / l, ay / l, az / l};
    double Q[9], R[9];
    rotation(axis, angle, Q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = Q[3 * i] * X->R[j] + Q[3 * i + 1] * X->R[3 + j] + Q[3 * i + 2] * X->R[6 + j];
    memcpy(X->R, R, sizeof R);
}

static inline tl_pose random_pose(tl_rng* r, double spread)
{
    tl_pose X;
    double axis[3];
    for (int k = 0; k < 3; k++)
        X.p[k] = tl_rng_uniform(r, -spread, spread);
    random_unit(r, axis);
    rotation(axis, tl_rng_uniform(r, 0, 6.283185307179586), X.R);
    return X;
}

static inline tl_shape random_shape(tl_rng* r, int32_t type)
{
    tl_shape s = {.type = type};
    for (int k = 0; k < 3; k++)
        s.size[k] = tl_rng_uniform(r, 0.2, 1.0);
    return s;
}

/// Support h(d) of a shape about its centre.
static inline double support(const tl_shape* s, const tl_pose* X, const double* d)
{
    double l[3];
    for (int k = 0; k < 3; k++)
        l[k] = X->R[k] * d[0] + X->R[3 + k] * d[1] + X->R[6 + k] * d[2];
    const double* a = s->size;
    switch (s->type) {
    case TL_SHAPE_SPHERE:
        return a[0] * sqrt(dot(l, l));
    case TL_SHAPE_CAPSULE:
        return a[0] * sqrt(dot(l, l)) + a[1] * fabs(l[2]);
    case TL_SHAPE_ELLIPSOID:
        return sqrt(a[0] * a[0] * l[0] * l[0] + a[1] * a[1] * l[1] * l[1] + a[2] * a[2] * l[2] * l[2]);
    case TL_SHAPE_CYLINDER:
        return a[0] * hypot(l[0], l[1]) + a[1] * fabs(l[2]);
    default:
        return a[0] * fabs(l[0]) + a[1] * fabs(l[1]) + a[2] * fabs(l[2]);
    }
}

static inline double overlap_along(const tl_shape* a, const tl_pose* Xa, const tl_shape* b, const tl_pose* Xb,
                                   const double* n)
{
    const double c[3] = {Xa->p[0] - Xb->p[0], Xa->p[1] - Xb->p[1], Xa->p[2] - Xb->p[2]};
    return support(a, Xa, n) + support(b, Xb, n) - dot(c, n);
}

/// Least overlap over all directions: a dense set, then random descent from its best ones. An upper bound
/// that is tight to about 1e-7.
static inline double least_overlap(const tl_shape* a, const tl_pose* Xa, const tl_shape* b, const tl_pose* Xb,
                                   tl_rng* r)
{
    enum { DIRECTIONS = 3000, KEEP = 12 };
    double best[KEEP], dir[KEEP][3];
    for (int i = 0; i < KEEP; i++)
        best[i] = INFINITY;
    for (int i = 0; i < DIRECTIONS; i++) { // Fibonacci sphere
        const double z = 1 - (2 * i + 1.0) / DIRECTIONS, rho = sqrt(1 - z * z), phi = i * 2.399963229728653;
        const double n[3] = {rho * cos(phi), rho * sin(phi), z};
        const double f = overlap_along(a, Xa, b, Xb, n);
        int k = KEEP;
        for (; k > 0 && f < best[k - 1]; k--)
            if (k < KEEP) {
                best[k] = best[k - 1];
                memcpy(dir[k], dir[k - 1], sizeof dir[k]);
            }
        if (k < KEEP) {
            best[k] = f;
            memcpy(dir[k], n, sizeof n);
        }
    }
    double least = INFINITY;
    for (int i = 0; i < KEEP; i++) {
        double step = 0.05;
        while (step > 1e-9) {
            bool better = false;
            for (int t = 0; t < 30 && !better; t++) {
                double n[3], d[3];
                random_unit(r, d);
                for (int k = 0; k < 3; k++)
                    n[k] = dir[i][k] + step * d[k];
                const double l = sqrt(dot(n, n));
                for (int k = 0; k < 3; k++)
                    n[k] /= l;
                const double f = overlap_along(a, Xa, b, Xb, n);
                if (f < best[i]) {
                    best[i] = f;
                    memcpy(dir[i], n, sizeof n);
                    better = true;
                }
            }
            step *= better ? 1.5 : 0.6;
        }
        least = fmin(least, best[i]);
    }
    return least;
}
