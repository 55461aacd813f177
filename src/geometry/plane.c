// SPDX-License-Identifier: MIT
// A plane against everything: every candidate point of the other shape with its own height over the plane.
//
// A cylinder's candidates are chosen so that the deepest one is exact and none of them jumps:
//   * on each end one point in the direction of steepest descent, u. It stands on the rim once the tilt
//   exceeds FLAT;
//     below, it slides to the middle of the end as the tilt goes to zero, because there u is arbitrary;
//   * six points fixed in the body on the rim of the lower end. They carry a standing cylinder. As the tilt
//   grows they
//     move inward, so that a cylinder rolling on its rim or side does not bump over them.
#include "narrow.h"

#define FLAT 2e-3 // sine of the tilt under which the steepest point leaves the rim

void tl_rim_point(const tl_solid* g, int end, int i, double r, double* x)
{
    static const double c[TL_RIM] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5};
    static const double h = 0.86602540378443864676; // sin 60 deg
    static const double s[TL_RIM] = {0.0, 1.0, 1.0, 0.0, -1.0, -1.0};
    axpy3(x, g->p, end * g->s[1], g->ax[2]);
    axpy3(x, x, r * c[i], g->ax[0]);
    axpy3(x, x, r * h * s[i], g->ax[1]);
}

void tl_cylinder_points(const tl_solid* g, const double* d, double x[TL_CYLINDER_POINTS][3],
                        int32_t feature[TL_CYLINDER_POINTS])
{
    const double* z = g->ax[2];
    const double along = dot3(d, z);
    double u[3];
    axpy3(u, d, -along, z);
    const double tilt = norm3(u);
    const double reach = g->s[0] / fmax(tilt, FLAT);
    for (int e = 0; e < 2; e++) {
        axpy3(x[e], g->p, e ? -g->s[1] : g->s[1], z);
        axpy3(x[e], x[e], reach, u);
        feature[e] = TL_RIM + 8 * e;
    }
    const int end = along >= 0.0 ? 1 : -1;
    const double inward = fmin(fmax((tilt - 0.05) / 0.45, 0.0), 1.0);
    for (int i = 0; i < TL_RIM; i++) {
        tl_rim_point(g, end, i, g->s[0] * (1.0 - 0.75 * inward), x[2 + i]);
        feature[2 + i] = i + (end < 0 ? 8 : 0);
    }
}

// every corner below the plane, the deepest first, so that it is there when places run out
static void hull_points(const tl_solid* a, const tl_solid* b, const double* n, tl_manifold* m)
{
    const tl_hull* h = b->hull;
    double local[3];
    int32_t deepest = 0;
    tl_to_local(b, n, local);
    for (int32_t i = 1; i < h->nv; i++)
        if (dot3(h->x + 3 * (int64_t)i, local) > dot3(h->x + 3 * (int64_t)deepest, local))
            deepest = i;
    for (int32_t k = -1; k < h->nv; k++) {
        const int32_t i = k < 0 ? deepest : k;
        double x[3], d[3], pa[3];
        if (k == deepest)
            continue;
        tl_to_world(b, h->x + 3 * (int64_t)i, x);
        sub3(d, x, a->p);
        axpy3(pa, x, -dot3(d, n), n);
        tl_add_point(m, pa, x, n, TL_FEATURE(TL_ON_B, 0, i & 255));
    }
}

void tl_plane_points(const tl_solid* a, const tl_solid* b, tl_manifold* m)
{
    double n[3], x[TL_CYLINDER_POINTS][3];
    int32_t feature[TL_CYLINDER_POINTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    int32_t count = 1;
    for (int k = 0; k < 3; k++)
        n[k] = -a->ax[2][k];
    switch (b->type) {
    case TL_SHAPE_MESH:
        hull_points(a, b, n, m);
        return;
    case TL_SHAPE_CAPSULE:
        count = 2;
        for (int e = 0; e < 2; e++) {
            axpy3(x[e], b->p, e ? -b->s[1] : b->s[1], b->ax[2]);
            axpy3(x[e], x[e], b->s[0], n);
        }
        break;
    case TL_SHAPE_CYLINDER:
        count = TL_CYLINDER_POINTS;
        tl_cylinder_points(b, n, x, feature);
        break;
    case TL_SHAPE_BOX:
        count = 8;
        for (int i = 0; i < 8; i++) {
            copy3(x[i], b->p);
            for (int k = 0; k < 3; k++)
                axpy3(x[i], x[i], i >> k & 1 ? b->s[k] : -b->s[k], b->ax[k]);
        }
        break;
    default:
        tl_support(b, n, x[0]);
        break;
    }
    for (int32_t i = 0; i < count; i++) {
        double d[3], pa[3];
        sub3(d, x[i], a->p);
        axpy3(pa, x[i], -dot3(d, n), n);
        tl_add_point(m, pa, x[i], n, feature[i]);
    }
}
