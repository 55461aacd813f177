// SPDX-License-Identifier: MIT
// What a shape is by itself: its bounding box in the world, its volume and inertia.
//
// Box of a rotated shape: half extent along world axis i is the support h(e_i) = h(row i of R).
#include "geometry.h"
#include "vec3.h"

#define PI 3.14159265358979323846

void tl_shape_aabb(const tl_shape* s, const tl_pose* X, double* lo, double* hi)
{
    const tl_hfield* f = s->type == TL_SHAPE_HFIELD ? s->hfield : NULL;
    for (int i = 0; i < 3; i++) {
        const double* r = &X->R[3 * i];
        double h = 0.0, p = X->p[i];
        switch (s->type) {
        case TL_SHAPE_SPHERE:
            h = s->size[0];
            break;
        case TL_SHAPE_CAPSULE:
            h = s->size[0] + s->size[1] * fabs(r[2]);
            break;
        case TL_SHAPE_ELLIPSOID:
            h = sqrt(s->size[0] * s->size[0] * r[0] * r[0] + s->size[1] * s->size[1] * r[1] * r[1] +
                     s->size[2] * s->size[2] * r[2] * r[2]);
            break;
        case TL_SHAPE_CYLINDER:
            h = s->size[0] * hypot(r[0], r[1]) + s->size[1] * fabs(r[2]);
            break;
        case TL_SHAPE_PLANE:
            h = INFINITY;
            break;
        case TL_SHAPE_HFIELD:
            if (f) { // from its base to its top, which the frame's origin does not halve
                p += 0.5 * (f->high - f->base) * r[2];
                h = f->half[0] * fabs(r[0]) + f->half[1] * fabs(r[1]) +
                    0.5 * (f->high + f->base) * fabs(r[2]);
            }
            break;
        default: // box; a mesh is bounded by the half sizes it was given
            h = s->size[0] * fabs(r[0]) + s->size[1] * fabs(r[1]) + s->size[2] * fabs(r[2]);
            break;
        }
        // round outward, so that shapes which touch never miss each other
        const double slack = 4e-16 * (fabs(X->p[i]) + fabs(p - X->p[i]) + h);
        lo[i] = p - h - (h < INFINITY ? slack : 0.0);
        hi[i] = p + h + (h < INFINITY ? slack : 0.0);
    }
}

void tl_shape_inertia(const tl_shape* s, double* volume, double* inertia)
{
    const double *a = s->size, r = a[0], l = a[1];
    *volume = inertia[0] = inertia[1] = inertia[2] = 0.0;
    switch (s->type) {
    case TL_SHAPE_SPHERE:
        *volume = 4.0 / 3.0 * PI * r * r * r;
        inertia[0] = inertia[1] = inertia[2] = 0.4 * *volume * r * r;
        break;
    case TL_SHAPE_CAPSULE: {
        // a cylinder and two half balls, whose centres of mass lie 3/8 r beyond its ends
        const double vc = 2.0 * PI * r * r * l, vs = 4.0 / 3.0 * PI * r * r * r;
        *volume = vc + vs;
        inertia[2] = 0.5 * vc * r * r + 0.4 * vs * r * r;
        inertia[0] = vc * (0.25 * r * r + l * l / 3.0) + vs * (0.4 * r * r + l * l + 0.75 * l * r);
        inertia[1] = inertia[0];
        break;
    }
    case TL_SHAPE_ELLIPSOID:
        *volume = 4.0 / 3.0 * PI * a[0] * a[1] * a[2];
        for (int k = 0; k < 3; k++)
            inertia[k] = 0.2 * *volume * (a[(k + 1) % 3] * a[(k + 1) % 3] + a[(k + 2) % 3] * a[(k + 2) % 3]);
        break;
    case TL_SHAPE_CYLINDER:
        *volume = 2.0 * PI * r * r * l;
        inertia[2] = 0.5 * *volume * r * r;
        inertia[0] = inertia[1] = *volume * (0.25 * r * r + l * l / 3.0);
        break;
    case TL_SHAPE_BOX:
        *volume = 8.0 * a[0] * a[1] * a[2];
        for (int k = 0; k < 3; k++)
            inertia[k] = *volume / 3.0 * (a[(k + 1) % 3] * a[(k + 1) % 3] + a[(k + 2) % 3] * a[(k + 2) % 3]);
        break;
    default:
        break;
    }
}
