// SPDX-License-Identifier: MIT
// A height field against a convex solid A. The points are the local minima of the distance between the two surfaces,
// each feature of the one against the features of the other that its normals allow:
//
//   faces     the points that A shows to a plane (plane.c), over each triangle: what rests on flat ground rests on it
//             as on a plane. Corners of boxes and hulls, centres of balls and of a capsule's ends: their feet
//             (hfield_feet.c); ellipsoids and cylinders: the plane of every triangle under them
//   tops      vertices of the field in A, along the direction in which they leave A first, if it is theirs
//   ridges    convex edges of the field against A as a segment, if the direction is theirs
//
// Whether a direction belongs to a vertex or an edge is asked of all its neighbours, so that inner edges of flat or
// smoothly curved ground never turn a normal aside. No face, edge or vertex but those under A's box is looked at.
//
// A round solid in a fold touches both sides. When the fold is so gentle that the two overlaps are one, it would be
// held twice: of two points of the same feature of A the lesser keeps only the depth by which it stands out above the
// shallowest place of the way between them (its prominence, as of a hill beside a mountain). That is all of it when
// the way leads out of the overlap, and nothing at the moment a second point appears.
#include "hfield.h"

/// True when p lies between q and r on a straight line and no deeper: the middle of a ridge under a flat face.
static bool is_between(const tl_contact_point* p, const tl_contact_point* q, const tl_contact_point* r,
                       double near)
{
    double e[3], d[3], x[3];
    sub3(e, r->pb, q->pb);
    sub3(d, p->pb, q->pb);
    const double t = dot3(d, e) / dot3(e, e);
    axpy3(x, d, -t, e);
    return t > 0.0 && t < 1.0 && dot3(x, x) <= near * near &&
           p->depth <= fmax(q->depth, r->depth) + near * TL_LOOSE &&
           dot3(p->normal, q->normal) > 1.0 - TL_LOOSE * TL_LOOSE &&
           dot3(p->normal, r->normal) > 1.0 - TL_LOOSE * TL_LOOSE;
}

#define FEW 16 // more than these are thinned by what they span, which does the same

static void drop_between(tl_hfield_job* j)
{
    tl_manifold* m = j->m;
    for (int32_t i = m->n - 1; i >= 0 && m->n <= FEW; i--) {
        bool between = false;
        for (int32_t q = 0; q < m->n && m->pt[i].feature >= TL_FEATURE_TOP && !between; q++)
            for (int32_t r = q + 1; r < m->n && q != i && !between; r++)
                between = r != i && is_between(&m->pt[i], &m->pt[q], &m->pt[r], j->near);
        if (between) {
            memmove(&m->pt[i], &m->pt[i + 1], sizeof *m->pt * (size_t)(m->n - 1 - i));
            m->n--;
        }
    }
}

// to TL_MANIFOLD_MAX: of points that do not touch yet the farthest go first, then those that span least
static void reduce(tl_manifold* m)
{
    while (m->n > TL_MANIFOLD_MAX) {
        int32_t far = 0;
        for (int32_t i = 1; i < m->n; i++)
            far = m->pt[i].depth < m->pt[far].depth ? i : far;
        if (m->pt[far].depth > 0.0)
            break;
        memmove(&m->pt[far], &m->pt[far + 1], sizeof *m->pt * (size_t)(m->n - 1 - far));
        m->n--;
    }
    tl_thin_manifold(m);
}

void tl_hfield_add(tl_hfield_job* j, const tl_contact_point* p, int32_t feature)
{
    tl_manifold* m = j->m;
    if (!(p->depth > -m->margin))
        return;
    for (int32_t i = 0; i < m->n; i++) {
        tl_contact_point* o = &m->pt[i];
        double d[3];
        sub3(d, o->pb, p->pb);
        // two features of A may share a place, as they do on a plane
        if ((o->feature < TL_FEATURE_TOP && feature < TL_FEATURE_TOP) || dot3(d, d) > j->near * j->near ||
            dot3(o->normal, p->normal) < 1.0 - TL_LOOSE * TL_LOOSE)
            continue;
        if (p->depth > o->depth) { // the same place, found by two features
            *o = *p;
            o->feature = feature;
        }
        return;
    }
    if (m->n == TL_CANDIDATES)
        reduce(m);
    m->pt[m->n] = *p;
    m->pt[m->n++].feature = feature;
}

// ---- points of A on faces -------------------------------------------------------------------------------------

/// Least overlap of `a` along the straight way between two places of the surface; stops at `enough`.
static double way_depth(const tl_hfield* h, const tl_solid* a, const double* x, const double* y,
                        double enough)
{
    const double u0 = (x[0] + h->half[0]) / h->dx, u1 = (y[0] + h->half[0]) / h->dx;
    const double v0 = (x[1] + h->half[1]) / h->dy, v1 = (y[1] + h->half[1]) / h->dy;
    const double from[3] = {u0, v0, u0 - v0}, to[3] = {u1, v1, u1 - v1}; // columns, rows, diagonals
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double lo = fmin(from[k], to[k]), hi = fmax(from[k], to[k]);
        for (double line = ceil(lo); line <= hi && hi > lo && least > enough; line += 1.0) {
            const double t = (line - from[k]) / (to[k] - from[k]);
            double p[3], n[3];
            p[0] = x[0] + t * (y[0] - x[0]);
            p[1] = x[1] + t * (y[1] - x[1]);
            p[2] = tl_hfield_height(h, p[0], p[1]);
            least = fmin(least, -tl_point_distance(a, p, n));
        }
    }
    return least;
}

/// Points of features of `a` (ids in `feature`) to the manifold: depths cut to their prominence, numbered by place.
static void settle(tl_hfield_job* j, const tl_solid* a, tl_manifold* g)
{
    double depth[TL_CANDIDATES];
    for (int32_t i = 0; i < g->n; i++) {
        const tl_contact_point* p = &g->pt[i];
        double most = 0.0;
        for (int32_t k = 0; k < g->n; k++) {
            const tl_contact_point* q = &g->pt[k];
            const bool deeper = q->depth > p->depth || (q->depth == p->depth && k < i);
            if (k == i || !deeper || q->feature != p->feature || !(p->depth > 0.0) || p->normal[2] == 0.0 ||
                q->normal[2] == 0.0)
                continue;
            most = fmax(most, fmin(way_depth(j->h, a, p->pb, q->pb, most), p->depth));
        }
        depth[i] = p->depth - most;
    }
    for (int32_t i = 0; i < g->n; i++) {
        tl_contact_point p = g->pt[i];
        int32_t rank = 0;
        for (int32_t k = 0; k < g->n; k++) {
            const tl_contact_point* q = &g->pt[k];
            rank += q->feature == p.feature &&
                    (q->pb[0] < p.pb[0] || (q->pb[0] == p.pb[0] && q->pb[1] < p.pb[1]));
        }
        if (depth[i] < p.depth) {
            p.depth = depth[i];
            axpy3(p.pa, p.pb, -p.depth, p.normal);
        }
        tl_hfield_add(j, &p, TL_FEATURE_A | (p.feature & 0xffff) << 8 | TL_MIN(rank, 255));
    }
}

/// A ball of radius r about c, part of A.
static void add_ball(tl_hfield_job* j, const double* c, double r, bool sharp, int32_t id)
{
    tl_foot feet[TL_FEET];
    const int32_t n = tl_hfield_feet(j->h, c, r + j->m->margin, sharp, feet);
    tl_manifold g = {.n = n, .margin = j->m->margin};
    for (int32_t i = 0; i < n; i++) {
        tl_contact_point* p = &g.pt[i];
        copy3(p->pb, feet[i].x);
        axpy3(p->pa, c, -r, feet[i].n);
        copy3(p->normal, feet[i].n);
        p->depth = r - feet[i].s;
        p->feature = id;
    }
    const tl_solid ball = {.type = TL_SHAPE_SPHERE,
                           .s = {r},
                           .p = {c[0], c[1], c[2]},
                           .ax = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                           .length = r};
    settle(j, &ball, &g);
}

static void add_corners(tl_hfield_job* j)
{
    const tl_solid* a = j->a;
    const int32_t n = a->type == TL_SHAPE_BOX ? 8 : a->hull->nv;
    for (int32_t i = 0; i < n; i++) {
        double x[3];
        if (a->type == TL_SHAPE_BOX) {
            copy3(x, a->p);
            for (int k = 0; k < 3; k++)
                axpy3(x, x, i >> k & 1 ? a->s[k] : -a->s[k], a->ax[k]);
        } else {
            tl_to_world(a, a->hull->x + 3 * (int64_t)i, x);
        }
        if (x[2] < j->h->high + j->m->margin)
            add_ball(j, x, 0.0, false, i);
    }
}

/// What A shows to the plane of each triangle, where it lies over that triangle.
static void add_shown(tl_hfield_job* j)
{
    tl_manifold g = {.n = 0, .margin = j->m->margin};
    tl_solid plane = {.type = TL_SHAPE_PLANE};
    tl_cells w = tl_hfield_cells(j->h, j->lo, j->hi);
    const double tiny = 1e-9 * fmin(j->h->dx, j->h->dy);
    while (tl_hfield_next(&w))
        for (int k = 0; k < 2; k++) {
            double v[3][3], x[3], d[3];
            tl_manifold shown = {.n = 0, .margin = j->m->margin};
            tl_hfield_triangle(j->h, w.r, w.c, k, v, plane.ax[2]);
            copy3(plane.p, v[0]);
            const double down[3] = {-plane.ax[2][0], -plane.ax[2][1], -plane.ax[2][2]};
            tl_support(j->a, down, x);
            sub3(d, x, v[0]);
            if (dot3(d, plane.ax[2]) >= j->m->margin)
                continue;
            tl_plane_points(&plane, j->a, &shown);
            for (int32_t i = 0; i < shown.n; i++) {
                const tl_contact_point* s = &shown.pt[i]; // the plane is their A
                tl_foot nearest;
                if (!tl_hfield_covers(j->h, w.r, w.c, k, s->pa, tiny))
                    continue;
                // a point in the ground leaves it by the nearest face
                if (s->depth > 0.0 && (!tl_hfield_nearest(j->h, s->pb, &nearest) ||
                                       -nearest.s < s->depth * (1.0 - 1e-6) - tiny))
                    continue;
                bool known = false;
                for (int32_t q = 0; q < g.n && !known; q++) {
                    sub3(d, g.pt[q].pb, s->pa);
                    known = g.pt[q].feature == s->feature &&
                            dot3(d, d) <= 1e-14 * j->near * j->near + tiny * tiny &&
                            dot3(g.pt[q].normal, plane.ax[2]) > 1.0 - 1e-12;
                }
                if (known || g.n == TL_CANDIDATES)
                    continue;
                tl_contact_point* p = &g.pt[g.n++];
                copy3(p->pa, s->pb);
                copy3(p->pb, s->pa);
                copy3(p->normal, plane.ax[2]);
                p->depth = s->depth;
                p->feature = s->feature;
            }
        }
    settle(j, j->a, &g);
}

static bool is_touching(const tl_manifold* m)
{
    bool touching = false;
    for (int32_t i = 0; i < m->n; i++)
        touching |= m->pt[i].depth > 0.0;
    return touching;
}

void tl_hfield_points(const tl_solid* a, const double* lo, const double* hi, const tl_hfield* h,
                      tl_manifold* m)
{
    tl_hfield_job j = {.a = a, .h = h, .near = 1e-3 * fmin(a->length, fmin(h->dx, h->dy)), .m = m};
    for (int k = 0; k < 3; k++) {
        j.lo[k] = lo[k] - m->margin;
        j.hi[k] = hi[k] + m->margin;
    }
    switch (a->type) {
    case TL_SHAPE_SPHERE:
        add_ball(&j, a->p, a->s[0], true, 0);
        break;
    case TL_SHAPE_CAPSULE:
        for (int e = 0; e < 2; e++) {
            double c[3];
            axpy3(c, a->p, e ? -a->s[1] : a->s[1], a->ax[2]);
            add_ball(&j, c, a->s[0], false, e);
        }
        break;
    case TL_SHAPE_BOX:
    case TL_SHAPE_MESH:
        add_corners(&j);
        break;
    default:
        add_shown(&j);
        break;
    }
    if (a->type != TL_SHAPE_SPHERE)
        tl_hfield_add_sharp(&j);
    // a vertex in an edge of A, with neither the ways out of A's faces nor those across its edges its own: seldom
    if (j.unresolved && !is_touching(m)) {
        j.last_resort = true;
        tl_hfield_add_sharp(&j);
    }
    drop_between(&j);
    reduce(m);
}
