// SPDX-License-Identifier: MIT
// Contact points of one pair: puts the pair in order, chooses the method, and returns to world coordinates.
//
// A pair is computed in one order only (by type, then size, then position along a fixed skew direction) and
// turned round afterwards, so swapping the arguments gives the same points exactly. Inside, the second
// solid's centre is the origin.
#include "narrow.h"

bool tl_collide_supported(int32_t type_a, int32_t type_b)
{
    const bool known = type_a >= 0 && type_a < TL_SHAPE_COUNT && type_b >= 0 && type_b < TL_SHAPE_COUNT;
    const bool ground_a = type_a == TL_SHAPE_PLANE || type_a == TL_SHAPE_HFIELD,
               ground_b = type_b == TL_SHAPE_PLANE || type_b == TL_SHAPE_HFIELD;
    return known && !(ground_a && ground_b);
}

static bool has_data(const tl_shape* s)
{
    return (s->type != TL_SHAPE_MESH || s->hull) && (s->type != TL_SHAPE_HFIELD || s->hfield);
}

static double half_length(const tl_shape* s)
{
    switch (s->type) {
    case TL_SHAPE_PLANE:
        return 0.0;
    case TL_SHAPE_SPHERE:
        return s->size[0];
    case TL_SHAPE_CAPSULE:
        return s->size[0] + s->size[1];
    case TL_SHAPE_CYLINDER:
        return fmax(s->size[0], s->size[1]);
    default:
        return fmax(s->size[0], fmax(s->size[1], s->size[2]));
    }
}

static void place(tl_solid* g, const tl_shape* s, const tl_pose* X, const double* origin)
{
    g->type = s->type;
    copy3(g->s, s->size);
    sub3(g->p, X->p, origin);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            g->ax[k][i] = X->R[3 * i + k];
    g->hull = s->hull;
    g->length = s->type == TL_SHAPE_MESH ? s->hull->length : half_length(s);
}

static bool is_reversed(const tl_shape* a, const tl_pose* Xa, const tl_shape* b, const tl_pose* Xb)
{
    // skew, so that stacks along an axis do not change their order by round-off
    static const double skew[3] = {0.6012, 0.2839, 0.7471};
    if (a->type != b->type)
        return a->type > b->type;
    for (int k = 0; k < 3; k++)
        if (a->size[k] != b->size[k])
            return a->size[k] > b->size[k];
    double d[3];
    sub3(d, Xa->p, Xb->p);
    const double side = dot3(skew, d);
    if (side != 0.0)
        return side < 0.0;
    return memcmp(Xa->R, Xb->R, sizeof Xa->R) > 0;
}

static void sphere_points(const tl_solid* a, const tl_solid* b, tl_manifold* m)
{
    double n[3], pa[3], pb[3];
    const double f = tl_point_distance(b, a->p, n);
    axpy3(pa, a->p, -a->s[0], n);
    axpy3(pb, a->p, -f, n);
    tl_add_point(m, pa, pb, n, 0);
}

// nearest points of two segments by clamping one parameter after the other (Ericson, Real-Time Collision
// Detection 5.1.9)
static void nearest_on_segments(const double* c, const double* u, double lu, const double* v, double lv,
                                double* s, double* t)
{
    const double uv = dot3(u, v), cu = dot3(c, u), cv = dot3(c, v);
    double w[3];
    cross3(w, u, v);
    const double det = dot3(w, w); // 1 - uv^2 without cancellation
    *s = det > 1e-24 ? fmin(fmax((uv * cv - cu) / det, -lu), lu) : 0.0;
    *t = fmin(fmax(cv + uv * *s, -lv), lv);
    *s = fmin(fmax(uv * *t - cu, -lu), lu);
}

static bool capsule_pair_point(const tl_solid* a, const tl_solid* b, double s, double t, int32_t feature,
                               tl_manifold* m)
{
    double xa[3], xb[3], n[3];
    axpy3(xa, a->p, s, a->ax[2]);
    axpy3(xb, b->p, t, b->ax[2]);
    sub3(n, xa, xb);
    if (!(normalize3(n) > 1e-12 * (a->s[0] + b->s[0])))
        return false;
    axpy3(xa, xa, -a->s[0], n);
    axpy3(xb, xb, b->s[0], n);
    tl_add_point(m, xa, xb, n, feature);
    return true;
}

static void capsule_pair_points(const tl_solid* a, const tl_solid* b, tl_manifold* m)
{
    const double *u = a->ax[2], *v = b->ax[2];
    double c[3], w[3], s, t;
    sub3(c, a->p, b->p);
    cross3(w, u, v);
    if (norm3(w) < TL_PARALLEL) {
        // side by side: both ends of the stretch they share, each against its nearest point
        const double uv = dot3(u, v), mid = -dot3(c, u);
        const double lo = fmax(-a->s[1], mid - b->s[1]), hi = fmin(a->s[1], mid + b->s[1]);
        if (hi - lo > 1e-3 * fmin(a->s[1], b->s[1])) {
            int added = 0;
            for (int e = 0; e < 2; e++) {
                s = e ? hi : lo;
                t = fmin(fmax(uv * (s - mid), -b->s[1]), b->s[1]);
                added += capsule_pair_point(a, b, s, t, TL_FEATURE(TL_LINE, e, 0), m);
            }
            if (added)
                return;
        }
    }
    nearest_on_segments(c, u, a->s[1], v, b->s[1], &s, &t);
    if (capsule_pair_point(a, b, s, t, TL_FEATURE(TL_SINGLE, 0, 0), m))
        return;
    // the axes cross: any direction across both
    double n[3] = {w[0], w[1], w[2]}, xa[3], xb[3];
    if (!(normalize3(n) > TL_PARALLEL))
        basis3(u, n, w);
    axpy3(xa, a->p, s, u);
    axpy3(xb, xa, b->s[0], n);
    axpy3(xa, xa, -a->s[0], n);
    tl_add_point(m, xa, xb, n, TL_FEATURE(TL_SINGLE, 0, 0));
}

static void solid_points(const tl_solid* a, const tl_solid* b, tl_manifold* m)
{
    double n[3], s;
    if (a->type == TL_SHAPE_CAPSULE) {
        // shallow: the axis is outside the other solid and its distance is the whole answer
        const double f = tl_segment_distance(b, a->p, a->ax[2], a->s[1], &s, n);
        if (f - a->s[0] >= m->margin)
            return;
        if (f > 1e-9 * a->s[0]) {
            tl_build_manifold(a, b, n, m);
            return;
        }
    }
    if (tl_least_overlap(a, b, m->margin, n) > -m->margin)
        tl_build_manifold(a, b, n, m);
}

void tl_candidate_points(const tl_solid* a, const tl_solid* b, tl_manifold* m)
{
    if (a->type == TL_SHAPE_PLANE)
        tl_plane_points(a, b, m);
    else if (b->type == TL_SHAPE_MESH)
        tl_hull_points(a, b, m);
    else if (a->type == TL_SHAPE_SPHERE)
        sphere_points(a, b, m);
    else if (b->type == TL_SHAPE_CAPSULE)
        capsule_pair_points(a, b, m);
    else
        solid_points(a, b, m);
}

static void rotate(const double* R, const double* x, double* y)
{
    for (int i = 0; i < 3; i++)
        y[i] = dot3(R + 3 * i, x);
}

/// In the field's frame, and back to the world's axes with the field's origin.
static void field_points(const tl_shape* sa, const tl_pose* Xa, const tl_shape* sb, const tl_pose* Xb,
                         tl_manifold* m)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    double d[3], Rt[9], lo[3], hi[3];
    tl_pose X; // of a in the field's frame
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            Rt[3 * i + k] = Xb->R[3 * k + i];
    sub3(d, Xa->p, Xb->p);
    rotate(Rt, d, X.p);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            X.R[3 * i + k] =
                Rt[3 * i] * Xa->R[k] + Rt[3 * i + 1] * Xa->R[3 + k] + Rt[3 * i + 2] * Xa->R[6 + k];
    tl_solid a;
    place(&a, sa, &X, zero);
    tl_shape_aabb(sa, &X, lo, hi);
    tl_hfield_points(&a, lo, hi, sb->hfield, m);
    for (int32_t i = 0; i < m->n; i++) {
        double* v[3] = {m->pt[i].pa, m->pt[i].pb, m->pt[i].normal};
        for (int k = 0; k < 3; k++) {
            copy3(d, v[k]);
            rotate(Xb->R, d, v[k]);
        }
    }
}

int32_t tl_collide(const tl_shape* a, const tl_pose* Xa, const tl_shape* b, const tl_pose* Xb, double margin,
                   tl_contact_point* out)
{
    if (!tl_collide_supported(a->type, b->type) || !has_data(a) || !has_data(b))
        return 0;
    const bool reversed = is_reversed(a, Xa, b, Xb);
    const tl_shape *sa = reversed ? b : a, *sb = reversed ? a : b;
    const tl_pose *xa = reversed ? Xb : Xa, *xb = reversed ? Xa : Xb;
    tl_manifold m;
    m.n = 0;
    m.margin = margin;
    if (sb->type == TL_SHAPE_HFIELD) {
        field_points(sa, xa, sb, xb, &m);
    } else {
        tl_solid ga, gb;
        place(&ga, sa, xa, xb->p);
        place(&gb, sb, xb, xb->p);
        tl_candidate_points(&ga, &gb, &m);
        tl_thin_manifold(&m);
    }
    for (int32_t i = 0; i < m.n; i++) {
        const tl_contact_point* p = &m.pt[i];
        tl_contact_point* q = &out[i];
        *q = *p;
        axpy3(q->pa, xb->p, 1.0, reversed ? p->pb : p->pa);
        axpy3(q->pb, xb->p, 1.0, reversed ? p->pa : p->pb);
        for (int k = 0; reversed && k < 3; k++)
            q->normal[k] = -p->normal[k];
    }
    return m.n;
}
