// SPDX-License-Identifier: MIT
// Rays against shapes, in the shape's frame: round things are quadrics, meshes their convex hulls. Each function returns the
// first t > 0 where o + t d meets the shape from outside, and the normal there, or a negative number. A new shape needs a
// function here and a line in tl_hit_shape.
#include "render.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double hit_ball(const tl_ray* r, const double* centre, double radius, double* n)
{
    double o[3];
    for (int32_t i = 0; i < 3; i++)
        o[i] = r->o[i] - centre[i];
    const double a = dot(r->d, r->d), b = dot(o, r->d), c = dot(o, o) - radius * radius, disc = b * b - a * c;
    if (disc < 0)
        return -1;
    const double t = (-b - sqrt(disc)) / a;
    for (int32_t i = 0; i < 3; i++)
        n[i] = (o[i] + t * r->d[i]) / radius;
    return t;
}

static double hit_box(const tl_ray* r, const double* s, double* n)
{
    double near = -DBL_MAX, far = DBL_MAX;
    int32_t axis = 0;
    for (int32_t i = 0; i < 3; i++) {
        if (fabs(r->d[i]) < 1e-14) {
            if (fabs(r->o[i]) > s[i])
                return -1;
            continue;
        }
        const double a = (-s[i] - r->o[i]) / r->d[i], b = (s[i] - r->o[i]) / r->d[i];
        if (fmin(a, b) > near) {
            near = fmin(a, b);
            axis = i;
        }
        far = fmin(far, fmax(a, b));
    }
    if (near > far)
        return -1;
    n[0] = n[1] = n[2] = 0.0;
    n[axis] = r->d[axis] > 0 ? -1.0 : 1.0;
    return near;
}

static double hit_tube(const tl_ray* r, double radius, double half, double* n)
{
    const double a = r->d[0] * r->d[0] + r->d[1] * r->d[1], b = r->o[0] * r->d[0] + r->o[1] * r->d[1];
    const double c = r->o[0] * r->o[0] + r->o[1] * r->o[1] - radius * radius, disc = b * b - a * c;
    if (disc < 0 || a < 1e-28)
        return -1;
    const double t = (-b - sqrt(disc)) / a, z = r->o[2] + t * r->d[2];
    if (fabs(z) > half)
        return -1;
    n[0] = (r->o[0] + t * r->d[0]) / radius;
    n[1] = (r->o[1] + t * r->d[1]) / radius;
    n[2] = 0.0;
    return t;
}

static void keep_nearest(double t, const double* n, double* best, double* best_n)
{
    if (t > 0 && (*best < 0 || t < *best)) {
        *best = t;
        memcpy(best_n, n, 3 * sizeof *n);
    }
}

static double hit_capsule(const tl_ray* r, const double* s, double* n)
{
    double best = -1, m[3];
    keep_nearest(hit_tube(r, s[0], s[1], m), m, &best, n);
    for (int32_t end = -1; end <= 1; end += 2)
        keep_nearest(hit_ball(r, (double[]){0, 0, end * s[1]}, s[0], m), m, &best, n);
    return best;
}

static double hit_cylinder(const tl_ray* r, const double* s, double* n)
{
    double best = -1, m[3];
    keep_nearest(hit_tube(r, s[0], s[1], m), m, &best, n);
    for (int32_t end = -1; end <= 1; end += 2) {
        const double t = (end * s[1] - r->o[2]) / r->d[2], x = r->o[0] + t * r->d[0],
                     y = r->o[1] + t * r->d[1];
        if (isfinite(t) && x * x + y * y <= s[0] * s[0])
            keep_nearest(t, (double[]){0, 0, end}, &best, n);
    }
    return best;
}

static double hit_ellipsoid(const tl_ray* r, const double* s, double* n)
{
    tl_ray u;
    for (int32_t i = 0; i < 3; i++) {
        u.o[i] = r->o[i] / s[i];
        u.d[i] = r->d[i] / s[i];
    }
    const double t = hit_ball(&u, (double[]){0, 0, 0}, 1.0, n);
    if (t < 0)
        return -1;
    for (int32_t i = 0; i < 3; i++)
        n[i] /= s[i];
    const double length = sqrt(dot(n, n));
    for (int32_t i = 0; i < 3; i++)
        n[i] /= length > 0 ? length : 1.0;
    return t;
}

static double hit_plane(const tl_ray* r, const double* s, double* n)
{
    const double t = -r->o[2] / r->d[2];
    if (!isfinite(t) || (s[0] > 0 && fabs(r->o[0] + t * r->d[0]) > s[0]) ||
        (s[1] > 0 && fabs(r->o[1] + t * r->d[1]) > s[1]))
        return -1;
    n[0] = n[1] = 0.0;
    n[2] = 1.0;
    return t;
}

/// Convex: the last plane entered, unless one was left before.
static double hit_hull(const tl_ray* r, const tl_hull* h, double* n)
{
    double near = -DBL_MAX, far = DBL_MAX;
    int32_t face = -1;
    for (int32_t i = 0; i < h->nf; i++) {
        const double along = dot(h->plane[i], r->d), ahead = h->plane[i][3] - dot(h->plane[i], r->o);
        if (along == 0.0 && ahead < 0.0)
            return -1;
        if (along > 0.0) {
            far = fmin(far, ahead / along);
        } else if (along < 0.0 && ahead / along > near) {
            near = ahead / along;
            face = i;
        }
    }
    if (face < 0 || near > far)
        return -1;
    memcpy(n, h->plane[face], 3 * sizeof *n);
    return near;
}

double tl_hit_shape(const tl_shape* s, const tl_ray* r, double* n)
{
    switch ((tl_shape_type)s->type) {
    case TL_SHAPE_PLANE:
        return hit_plane(r, s->size, n);
    case TL_SHAPE_SPHERE:
        return hit_ball(r, (double[]){0, 0, 0}, s->size[0], n);
    case TL_SHAPE_CAPSULE:
        return hit_capsule(r, s->size, n);
    case TL_SHAPE_ELLIPSOID:
        return hit_ellipsoid(r, s->size, n);
    case TL_SHAPE_CYLINDER:
        return hit_cylinder(r, s->size, n);
    case TL_SHAPE_BOX:
        return hit_box(r, s->size, n);
    case TL_SHAPE_MESH:
        return hit_hull(r, s->hull, n);
    case TL_SHAPE_HFIELD:
        return tl_hit_hfield(s->hfield, r->o, r->d, n);
    case TL_SHAPE_COUNT:
        break;
    }
    return -1;
}
