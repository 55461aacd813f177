// SPDX-License-Identifier: MIT
// Contact points for a given direction n (from B into A).
//
// When n is the normal of a flat face (a box's or a cylinder's end) that face is the reference R with outward
// normal m, and the other solid shows a face, a line or a point to it. The patch is the overlap of the two
// seen along m:
//
//        corners of one face over the other,  edges that cross,  fixed rim points of a cylinder's end
//
// each with its own depth along m. The points depend on the pose alone, and ties are broken by tolerances
// relative to the face, so the count does not flicker: points within NEAR of the border count as inside,
// points within NEAR of each other are one, edges within PARALLEL_EDGES are not crossed. Without a face: two
// points where edges run side by side, else one.
#include "narrow.h"

#define NEAR 1e-3           // of the smaller face's half width
#define PARALLEL_EDGES 1e-3 // sine
#define SNAP_FLAT 5e-2 // angle under which n is taken for a face normal when both show a face to each other
#define SNAP 1e-4      // and otherwise

typedef struct face {
    const tl_solid* g;
    bool is_disc;
    double c[3], u[3], v[3], m[3]; // centre, in-plane axes, outward normal
    double hu, hv;                 // half sizes; disc: radius
    double rim;                    // radius of a disc's fixed points
    int32_t axis, sign;
} face;

static double face_misalignment(const tl_solid* g, const double* n, int32_t* axis)
{
    *axis = 2;
    if (g->type != TL_SHAPE_BOX && g->type != TL_SHAPE_CYLINDER)
        return 2.0;
    if (g->type == TL_SHAPE_BOX)
        for (int k = 0; k < 2; k++)
            if (fabs(dot3(g->ax[k], n)) > fabs(dot3(g->ax[*axis], n)))
                *axis = k;
    double w[3];
    cross3(w, g->ax[*axis], n);
    return norm3(w);
}

// the face of g that looks along `toward`
static face make_face(const tl_solid* g, int32_t axis, const double* toward)
{
    face f = {.g = g, .is_disc = g->type == TL_SHAPE_CYLINDER, .axis = axis};
    f.sign = dot3(g->ax[axis], toward) >= 0.0 ? 1 : -1;
    const int ku = (axis + 1) % 3, kv = (axis + 2) % 3;
    copy3(f.u, g->ax[ku]);
    copy3(f.v, g->ax[kv]);
    for (int k = 0; k < 3; k++)
        f.m[k] = f.sign * g->ax[axis][k];
    axpy3(f.c, g->p, f.is_disc ? g->s[1] : g->s[axis], f.m);
    f.hu = f.is_disc ? g->s[0] : g->s[ku];
    f.hv = f.is_disc ? g->s[0] : g->s[kv];
    f.rim = f.hu;
    return f;
}

static int32_t face_points(const face* f)
{
    return f->is_disc ? TL_RIM : 4;
}

// corner (box, counter-clockwise about the shape axis) or fixed rim point, with its number in the shape
static int32_t face_point(const face* f, int32_t i, double* x)
{
    if (f->is_disc) {
        tl_rim_point(f->g, f->sign, i, f->rim, x);
        return i + (f->sign < 0 ? 8 : 0);
    }
    const int su = i == 0 || i == 3 ? 1 : -1, sv = i < 2 ? 1 : -1;
    axpy3(x, f->c, su * f->hu, f->u);
    axpy3(x, x, sv * f->hv, f->v);
    return (f->sign > 0) << f->axis | (su > 0) << (f->axis + 1) % 3 | (sv > 0) << (f->axis + 2) % 3;
}

// number (0..11) of the edge from corner i to i + 1
static int32_t face_edge(const face* f, int32_t i)
{
    const int along = (f->axis + (i % 2 == 0 ? 1 : 2)) % 3, across = (f->axis + (i % 2 == 0 ? 2 : 1)) % 3;
    const int up = i == 0 || i == 3;
    const int first = (along + 1) % 3 == across ? up : f->sign > 0;
    const int second = (along + 1) % 3 == across ? f->sign > 0 : up;
    return 4 * along + 2 * first + second;
}

static void in_face(const face* f, const double* x, double* ab)
{
    double d[3];
    sub3(d, x, f->c);
    ab[0] = dot3(d, f->u);
    ab[1] = dot3(d, f->v);
}

static bool is_inside(const face* f, const double* x, double slack)
{
    double ab[2];
    in_face(f, x, ab);
    if (f->is_disc)
        return hypot(ab[0], ab[1]) <= f->hu + slack;
    return fabs(ab[0]) <= f->hu + slack && fabs(ab[1]) <= f->hv + slack;
}

// the point of f's plane that is seen along m at x
static void project(const face* f, const double* x, const double* m, double* out)
{
    double d[3];
    sub3(d, f->c, x);
    axpy3(out, x, dot3(d, f->m) / dot3(m, f->m), m);
}

typedef struct patch {
    const face *fa, *fb; // either may be NULL when that solid shows a line or a point
    const double* n;     // from B into A, the reference normal up to sign
    double near;
    tl_manifold* m;
} patch;

static void add_unless_near(const patch* p, const double* pa, const double* pb, int32_t feature)
{
    double d[3];
    for (int32_t i = 0; i < p->m->n; i++) {
        sub3(d, p->m->pt[i].pa, pa);
        axpy3(d, d, -dot3(d, p->n), p->n);
        if (dot3(d, d) <= 4.0 * p->near * p->near)
            return;
    }
    tl_add_point(p->m, pa, pb, p->n, feature);
}

// corners and rim points of f (of A when `on_a`) over the other face
static void add_corners(const patch* p, const face* f, const face* other, bool on_a, double slack)
{
    for (int32_t i = 0; i < face_points(f); i++) {
        double x[3], y[3];
        const int32_t id = face_point(f, i, x);
        project(other, x, p->n, y);
        if (!is_inside(other, y, slack))
            continue;
        if (on_a)
            add_unless_near(p, x, y, TL_FEATURE(TL_ON_A, id, 0));
        else
            add_unless_near(p, y, x, TL_FEATURE(TL_ON_B, 0, id));
    }
}

static void cross_polygons(const patch* p)
{
    double a[5][3], b[5][3], u[3], v[3];
    for (int32_t i = 0; i < 5; i++) {
        face_point(p->fa, i % 4, a[i]);
        face_point(p->fb, i % 4, b[i]);
    }
    basis3(p->n, u, v);
    for (int32_t i = 0; i < 4; i++)
        for (int32_t j = 0; j < 4; j++) {
            double da[3], db[3], c[3], pa[3], pb[3];
            sub3(da, a[i + 1], a[i]);
            sub3(db, b[j + 1], b[j]);
            sub3(c, b[j], a[i]);
            const double ax = dot3(da, u), ay = dot3(da, v), bx = dot3(db, u), by = dot3(db, v);
            const double cx = dot3(c, u), cy = dot3(c, v), det = ax * by - ay * bx;
            if (fabs(det) <= PARALLEL_EDGES * sqrt((ax * ax + ay * ay) * (bx * bx + by * by)))
                continue;
            const double s = (cx * by - cy * bx) / det, t = (cx * ay - cy * ax) / det;
            if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0)
                continue;
            axpy3(pa, a[i], s, da);
            axpy3(pb, b[j], t, db);
            add_unless_near(p, pa, pb, TL_FEATURE(TL_CROSS, face_edge(p->fa, i), face_edge(p->fb, j)));
        }
}

// parameters where the segment q + t d crosses the circle of radius r about 0; false when it misses or nearly
// grazes it
static bool cross_circle(const double* q, const double* d, double r, double* t)
{
    const double dd = d[0] * d[0] + d[1] * d[1];
    if (!(dd > 0.0))
        return false;
    const double mid = -(q[0] * d[0] + q[1] * d[1]) / dd;
    const double off = fabs(q[0] * d[1] - q[1] * d[0]) / sqrt(dd);
    if (off >= r * (1.0 - NEAR))
        return false;
    const double half = sqrt((r - off) * (r + off) / dd);
    t[0] = mid - half;
    t[1] = mid + half;
    return true;
}

static void cross_disc_polygon(const patch* p, const face* disc, const face* poly, bool disc_on_a)
{
    for (int32_t i = 0; i < 4; i++) {
        double x[2][3], y[3], e[3], q[2], r[2], t[2];
        face_point(poly, i, x[0]);
        face_point(poly, (i + 1) % 4, x[1]);
        sub3(e, x[1], x[0]);
        project(disc, x[0], p->n, y);
        in_face(disc, y, q);
        project(disc, x[1], p->n, y);
        in_face(disc, y, r);
        const double d[2] = {r[0] - q[0], r[1] - q[1]};
        if (!cross_circle(q, d, disc->hu, t))
            continue;
        for (int k = 0; k < 2; k++) {
            if (t[k] < 0.0 || t[k] > 1.0)
                continue;
            axpy3(x[1], x[0], t[k], e);
            project(disc, x[1], p->n, y);
            const int32_t edge = face_edge(poly, i);
            if (disc_on_a)
                add_unless_near(p, y, x[1], TL_FEATURE(TL_CROSS, k, edge));
            else
                add_unless_near(p, x[1], y, TL_FEATURE(TL_CROSS, edge, k));
        }
    }
}

// places for parallel discs, with the depth that the tilt gives; a tilt that moves them off the rim leaves
// them out
static void cross_discs(const patch* p)
{
    double c[3], w[3];
    sub3(c, p->fb->c, p->fa->c);
    axpy3(c, c, -dot3(c, p->n), p->n);
    const double ra = p->fa->hu, rb = p->fb->hu, d = normalize3(c);
    if (d < 0.01 * fmin(ra, rb) || d >= (ra + rb) * (1.0 - NEAR) || d <= fabs(ra - rb) + NEAR * fmin(ra, rb))
        return;
    const double along = (d * d + (ra - rb) * (ra + rb)) / (2.0 * d);
    const double side = sqrt(fmax((ra - along) * (ra + along), 0.0));
    cross3(w, p->n, c);
    for (int k = 0; k < 2; k++) {
        double x[3], pa[3], pb[3];
        axpy3(x, p->fa->c, along, c);
        axpy3(x, x, k ? -side : side, w);
        project(p->fa, x, p->n, pa);
        project(p->fb, x, p->n, pb);
        if (!is_inside(p->fa, pa, p->near) || !is_inside(p->fb, pb, p->near))
            continue;
        add_unless_near(p, pa, pb, TL_FEATURE(TL_CROSS, k, 0));
    }
}

// of two discs whose rims nearly coincide only the smaller one counts
static bool is_disc_of_a(const patch* p)
{
    return p->fa->is_disc && (!p->fb->is_disc || p->fa->hu <= p->fb->hu);
}

// the disc's point that a small tilt brings deepest, whichever face is the reference
static void add_steepest(const patch* p)
{
    if (!p->fa->is_disc && !p->fb->is_disc)
        return;
    const bool on_a = is_disc_of_a(p);
    const face *disc = on_a ? p->fa : p->fb, *other = on_a ? p->fb : p->fa;
    double d[3], y[3], x[TL_CYLINDER_POINTS][3];
    int32_t id[TL_CYLINDER_POINTS];
    for (int k = 0; k < 3; k++)
        d[k] = -other->m[k];
    tl_cylinder_points(disc->g, d, x, id);
    const int32_t end = disc->sign > 0 ? 0 : 1;
    // a rim that lies wholly beyond the other face has no part in the patch
    bool has_rim = false;
    for (int32_t i = 0; i < TL_RIM && !has_rim; i++) {
        project(other, x[2 + i], p->n, y);
        has_rim = is_inside(other, y, p->near);
    }
    project(other, x[end], p->n, y);
    if (!has_rim || !is_inside(other, y, p->near))
        return;
    if (on_a)
        tl_add_point(p->m, x[end], y, p->n, TL_FEATURE(TL_ON_A, 64 + id[end], 0));
    else
        tl_add_point(p->m, y, x[end], p->n, TL_FEATURE(TL_ON_B, 0, 64 + id[end]));
}

static void add_face_overlap(const patch* p)
{
    const face *a = p->fa, *b = p->fb;
    if (a->is_disc && b->is_disc) {
        const bool a_first = is_disc_of_a(p);
        const double strict = -0.05 * fmin(a->hu, b->hu);
        add_corners(p, a_first ? a : b, a_first ? b : a, a_first, p->near);
        cross_discs(p);
        add_corners(p, a_first ? b : a, a_first ? a : b, !a_first, strict);
        return;
    }
    add_corners(p, a, b, true, p->near);
    add_corners(p, b, a, false, p->near);
    if (!a->is_disc && !b->is_disc)
        cross_polygons(p);
    else
        cross_disc_polygon(p, a->is_disc ? a : b, a->is_disc ? b : a, a->is_disc);
}

// ends of the segment x[0] x[1] cut to what lies over the reference face
static void add_segment(const patch* p, const face* ref, bool ref_on_a, double x[2][3], const int32_t* id)
{
    double q[2], r[2], t[2] = {0.0, 1.0}, d[3];
    in_face(ref, x[0], q);
    in_face(ref, x[1], r);
    const double e[2] = {r[0] - q[0], r[1] - q[1]}, slack = p->near;
    sub3(d, x[1], x[0]);
    if (ref->is_disc) {
        double k[2] = {0.0, 1.0};
        if (!cross_circle(q, e, ref->hu + slack, k) && hypot(q[0], q[1]) > ref->hu + slack)
            return;
        t[0] = fmax(t[0], k[0]);
        t[1] = fmin(t[1], k[1]);
    } else {
        for (int k = 0; k < 2; k++) {
            const double h = (k ? ref->hv : ref->hu) + slack;
            if (e[k] == 0.0 && fabs(q[k]) > h)
                return;
            if (e[k] != 0.0) {
                const double w = copysign(h, e[k]), lo = (-w - q[k]) / e[k], hi = (w - q[k]) / e[k];
                t[0] = fmax(t[0], lo);
                t[1] = fmin(t[1], hi);
            }
        }
    }
    for (int k = 0; k < 2 && t[0] <= t[1]; k++) {
        double y[3], z[3];
        axpy3(y, x[0], t[k], d);
        project(ref, y, p->n, z);
        if (ref_on_a)
            tl_add_point(p->m, z, y, p->n, TL_FEATURE(TL_ON_B, 0, 64 + id[k]));
        else
            tl_add_point(p->m, y, z, p->n, TL_FEATURE(TL_ON_A, 64 + id[k], 0));
    }
}

// what `inc` shows to the reference face
static void add_on_face(const tl_solid* inc, const face* ref, bool ref_on_a, const double* n,
                        tl_manifold* out)
{
    double toward[3], x[TL_CYLINDER_POINTS][3];
    int32_t id[TL_CYLINDER_POINTS] = {0, 1};
    for (int k = 0; k < 3; k++)
        toward[k] = -ref->m[k];
    patch p = {.n = n, .near = NEAR * fmin(ref->hu, ref->hv), .m = out};
    if (inc->type == TL_SHAPE_CAPSULE) {
        p.near = fmin(p.near, NEAR * inc->s[0]);
        for (int e = 0; e < 2; e++) {
            axpy3(x[e], inc->p, e ? -inc->s[1] : inc->s[1], inc->ax[2]);
            axpy3(x[e], x[e], inc->s[0], toward);
        }
        add_segment(&p, ref, ref_on_a, x, id);
    } else if (inc->type == TL_SHAPE_ELLIPSOID) {
        double y[3];
        tl_support(inc, toward, x[0]);
        project(ref, x[0], n, y);
        tl_add_point(out, ref_on_a ? y : x[0], ref_on_a ? x[0] : y, n, TL_FEATURE(TL_SINGLE, 0, 0));
    } else {
        int32_t axis;
        face_misalignment(inc, toward, &axis);
        face f = make_face(inc, axis, toward);
        p.near = fmin(p.near, NEAR * fmin(f.hu, f.hv));
        p.fa = ref_on_a ? ref : &f;
        p.fb = ref_on_a ? &f : ref;
        const bool is_flat = face_misalignment(inc, n, &axis) < 2.0 * SNAP_FLAT;
        if (f.is_disc && !is_flat) {
            tl_cylinder_points(inc, toward, x, id);
            add_segment(&p, ref, ref_on_a, x, id);
            double d[3];
            sub3(d, x[2], f.c);
            f.rim = norm3(d);
        }
        if (is_flat)
            add_steepest(&p);
        if (dot3(f.m, toward) > 0.5) // else a cylinder on its side
            add_face_overlap(&p);
    }
}

// ---- no face
// -------------------------------------------------------------------------------------------------

typedef struct line {
    double c[3], u[3], l; // on the surface
    double slope;         // |u.n|
    int32_t id;
} line;

static bool find_line(const tl_solid* g, const double* toward, line* out)
{
    int k = 2;
    if (g->type == TL_SHAPE_ELLIPSOID)
        return false;
    copy3(out->c, g->p);
    if (g->type == TL_SHAPE_BOX) {
        for (int i = 0; i < 2; i++)
            if (fabs(dot3(g->ax[i], toward)) < fabs(dot3(g->ax[k], toward)))
                k = i;
        out->id = 16 * k;
        for (int i = 0; i < 3; i++)
            if (i != k) {
                const double side = copysign(1.0, dot3(g->ax[i], toward));
                axpy3(out->c, out->c, side * g->s[i], g->ax[i]);
                out->id |= (side > 0.0) << i;
            }
    } else {
        double r[3];
        copy3(r, toward);
        if (g->type == TL_SHAPE_CYLINDER) {
            axpy3(r, r, -dot3(r, g->ax[2]), g->ax[2]);
            normalize3(r);
        }
        axpy3(out->c, out->c, g->s[0], r);
        out->id = 0;
    }
    copy3(out->u, g->ax[k]);
    out->l = g->type == TL_SHAPE_BOX ? g->s[k] : g->s[1];
    out->slope = fabs(dot3(out->u, toward));
    return true;
}

static double clamp(double x, double l)
{
    return fmin(fmax(x, -l), l);
}

static bool add_side_by_side(const line* a, const line* b, const double* n, tl_manifold* m)
{
    double w[3], c[3];
    cross3(w, a->u, b->u);
    if (a->slope > TL_PARALLEL || b->slope > TL_PARALLEL || norm3(w) > TL_PARALLEL)
        return false;
    sub3(c, b->c, a->c);
    const double mid = dot3(c, a->u), uv = dot3(a->u, b->u);
    const double lo = fmax(-a->l, mid - b->l), hi = fmin(a->l, mid + b->l);
    if (hi - lo <= NEAR * fmin(a->l, b->l))
        return false;
    for (int e = 0; e < 2; e++) {
        const double s = e ? hi : lo;
        double pa[3], pb[3];
        axpy3(pa, a->c, s, a->u);
        axpy3(pb, b->c, clamp((s - mid) * uv, b->l), b->u);
        tl_add_point(m, pa, pb, n, TL_FEATURE(TL_LINE + 2 * e, a->id, b->id));
    }
    return true;
}

static void add_without_face(const tl_solid* a, const tl_solid* b, const double* n, tl_manifold* m)
{
    const double exact = 1e-6; // an edge the direction is perpendicular to
    double back[3], pa[3], pb[3], d[3];
    line la, lb;
    for (int k = 0; k < 3; k++)
        back[k] = -n[k];
    bool on_a = find_line(a, back, &la), on_b = find_line(b, n, &lb);
    if (on_a && on_b && add_side_by_side(&la, &lb, n, m))
        return;
    on_a = on_a && la.slope < exact;
    on_b = on_b && lb.slope < exact;
    tl_support(a, back, pa);
    tl_support(b, n, pb);
    if (on_a && on_b) {
        double w[3], c[3], q[3];
        cross3(w, la.u, lb.u);
        sub3(c, lb.c, la.c);
        cross3(q, c, lb.u);
        const double det = dot3(w, w);
        const double s = det > 1e-12 ? clamp(dot3(q, w) / det, la.l) : 0.0;
        axpy3(pa, la.c, s, la.u);
    }
    if (on_b) {
        sub3(d, pa, lb.c);
        axpy3(pb, lb.c, clamp(dot3(d, lb.u), lb.l), lb.u);
    } else if (on_a) {
        sub3(d, pb, la.c);
        axpy3(pa, la.c, clamp(dot3(d, la.u), la.l), la.u);
    }
    tl_add_point(m, pa, pb, n, TL_FEATURE(TL_SINGLE, on_a ? la.id : 0, on_b ? lb.id : 0));
}

void tl_build_manifold(const tl_solid* a, const tl_solid* b, const double* n, tl_manifold* m)
{
    int32_t ka, kb;
    const double ea = face_misalignment(a, n, &ka), eb = face_misalignment(b, n, &kb);
    const double snap = fmax(ea, eb) < 2.0 * SNAP_FLAT ? SNAP_FLAT : SNAP;
    if (fmin(ea, eb) < snap) {
        const bool on_a = ea < 1e-9 || ea <= eb;
        const tl_solid *r = on_a ? a : b, *inc = on_a ? b : a;
        double toward[3], exact[3];
        for (int k = 0; k < 3; k++)
            toward[k] = on_a ? -n[k] : n[k];
        const face ref = make_face(r, on_a ? ka : kb, toward);
        for (int k = 0; k < 3; k++)
            exact[k] = on_a ? -ref.m[k] : ref.m[k];
        add_on_face(inc, &ref, on_a, exact, m);
    }
    if (m->n == 0)
        add_without_face(a, b, n, m);
}

// ---- thinning
// ------------------------------------------------------------------------------------------------

// area of the triangle that goes when point k of the ring does
static double lost_area(double (*xy)[2], const int32_t* ring, int32_t n, int32_t k)
{
    const double *p = xy[ring[(k + n - 1) % n]], *q = xy[ring[k]], *r = xy[ring[(k + 1) % n]];
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

void tl_thin_manifold(tl_manifold* m)
{
    if (m->n <= TL_MANIFOLD_MAX)
        return;
    double u[3], v[3], c[3] = {0.0, 0.0, 0.0}, xy[TL_CANDIDATES][2], angle[TL_CANDIDATES];
    int32_t ring[TL_CANDIDATES], n = m->n, deepest = 0;
    basis3(m->pt[0].normal, u, v);
    for (int32_t i = 0; i < n; i++) {
        axpy3(c, c, 1.0 / n, m->pt[i].pa);
        if (m->pt[i].depth > m->pt[deepest].depth)
            deepest = i;
    }
    for (int32_t i = 0; i < n; i++) {
        double d[3];
        sub3(d, m->pt[i].pa, c);
        xy[i][0] = dot3(d, u);
        xy[i][1] = dot3(d, v);
        angle[i] = atan2(xy[i][1], xy[i][0]);
        int32_t k = i;
        for (; k > 0 && angle[ring[k - 1]] > angle[i]; k--)
            ring[k] = ring[k - 1];
        ring[k] = i;
    }
    while (n > TL_MANIFOLD_MAX) {
        int32_t least = -1;
        double area = 0.0;
        for (int32_t k = 0; k < n; k++) {
            const double lost = lost_area(xy, ring, n, k);
            if (ring[k] == deepest)
                continue;
            // among near-equals the later candidate goes, whatever the round-off
            const bool tie = least >= 0 && fabs(lost - area) <= 1e-6 * fabs(area);
            if (least < 0 || (tie ? ring[k] > ring[least] : lost < area)) {
                least = k;
                area = lost;
            }
        }
        memmove(&ring[least], &ring[least + 1], sizeof *ring * (size_t)(n - 1 - least));
        n--;
    }
    bool keep[TL_CANDIDATES] = {false};
    for (int32_t k = 0; k < n; k++)
        keep[ring[k]] = true;
    int32_t out = 0;
    for (int32_t i = 0; i < m->n; i++)
        if (keep[i])
            m->pt[out++] = m->pt[i];
    m->n = out;
}
