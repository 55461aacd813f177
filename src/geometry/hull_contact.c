// SPDX-License-Identifier: MIT
// Contact points of pairs with a convex hull. The direction n comes from the distance of the two solids (gjk.c);
// when it is close to a face of either, that face is the reference and what the other solid shows to it - a face,
// a segment, a point - is cut to the reference's sides:
//
//        reference ________        each remaining corner is a point with its own depth along the
//          |   \________/   |      reference's normal; corners keep their number, cuts are named
//          |________________|      by the edge and the side
//
// Otherwise edges cross or a corner meets a round surface: one point, the witnesses of the distance.
#include "narrow.h"

#define MOST_SIDES 64
#define NEAR 1e-3 // of the smaller solid: corners that close over the border count as inside
#define ALIGNED 5e-2
#define BOTH_ALIGNED 1e-1
#define EXACT 1e-4
#define DISC 12 // corners of a cylinder's end

typedef struct shown {
    int32_t n; // corners: a polygon, 2: a segment, 1: a point
    double x[2 * MOST_SIDES][3];
    int32_t id[2 * MOST_SIDES];
    double normal[3]; // of a polygon, outward
    double tilt;      // sine between it and the direction asked for; 2: no face
} shown;

static void show_box(const tl_solid* g, const double* toward, shown* s)
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        k = fabs(dot3(g->ax[i], toward)) > fabs(dot3(g->ax[k], toward)) ? i : k;
    const double side = dot3(g->ax[k], toward) >= 0.0 ? 1.0 : -1.0;
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    s->n = 4;
    for (int i = 0; i < 4; i++) {
        const double su = i == 0 || i == 3 ? 1.0 : -1.0, sv = (i < 2 ? 1.0 : -1.0) * side;
        axpy3(s->x[i], g->p, side * g->s[k], g->ax[k]);
        axpy3(s->x[i], s->x[i], su * g->s[u], g->ax[u]);
        axpy3(s->x[i], s->x[i], sv * g->s[v], g->ax[v]);
        s->id[i] = (side > 0.0) << k | (su > 0.0) << u | (sv > 0.0) << v;
    }
    for (int i = 0; i < 3; i++)
        s->normal[i] = side * g->ax[k][i];
}

static void show_hull(const tl_solid* g, const double* toward, shown* s)
{
    const tl_hull* h = g->hull;
    double local[3], most = -INFINITY;
    int32_t best = 0;
    tl_to_local(g, toward, local);
    for (int32_t f = 0; f < h->nf; f++) {
        const double along = dot3(h->plane[f], local);
        if (along > most) {
            most = along;
            best = f;
        }
    }
    const int32_t n = h->first[best + 1] - h->first[best], stride = (n + MOST_SIDES - 1) / MOST_SIDES;
    s->n = 0;
    for (int32_t i = 0; i < n; i += stride) {
        const int32_t v = h->loop[h->first[best] + i];
        s->id[s->n] = v;
        tl_to_world(g, h->x + 3 * (int64_t)v, s->x[s->n++]);
    }
    for (int i = 0; i < 3; i++)
        s->normal[i] = h->plane[best][0] * g->ax[0][i] + h->plane[best][1] * g->ax[1][i] +
                       h->plane[best][2] * g->ax[2][i];
}

// the end when it looks that way, else the line of the mantle
static void show_cylinder(const tl_solid* g, const double* toward, shown* s)
{
    const double along = dot3(g->ax[2], toward), side = along >= 0.0 ? 1.0 : -1.0;
    if (fabs(along) > 0.5) {
        s->n = DISC;
        for (int i = 0; i < DISC; i++) {
            const double a = side * 6.283185307179586 * i / DISC;
            axpy3(s->x[i], g->p, side * g->s[1], g->ax[2]);
            axpy3(s->x[i], s->x[i], g->s[0] * cos(a), g->ax[0]);
            axpy3(s->x[i], s->x[i], g->s[0] * sin(a), g->ax[1]);
            s->id[i] = i + (side > 0.0 ? 0 : DISC);
        }
        for (int i = 0; i < 3; i++)
            s->normal[i] = side * g->ax[2][i];
        return;
    }
    double r[3];
    axpy3(r, toward, -along, g->ax[2]);
    normalize3(r);
    s->n = 2;
    for (int e = 0; e < 2; e++) {
        axpy3(s->x[e], g->p, e ? -g->s[1] : g->s[1], g->ax[2]);
        axpy3(s->x[e], s->x[e], g->s[0], r);
        s->id[e] = e;
    }
}

/// What g shows in the direction `toward`.
static void show(const tl_solid* g, const double* toward, shown* s)
{
    double w[3];
    s->tilt = 2.0;
    switch (g->type) {
    case TL_SHAPE_BOX:
        show_box(g, toward, s);
        break;
    case TL_SHAPE_MESH:
        show_hull(g, toward, s);
        break;
    case TL_SHAPE_CYLINDER:
        show_cylinder(g, toward, s);
        break;
    case TL_SHAPE_CAPSULE:
        s->n = 2;
        for (int e = 0; e < 2; e++) {
            axpy3(s->x[e], g->p, e ? -g->s[1] : g->s[1], g->ax[2]);
            axpy3(s->x[e], s->x[e], g->s[0], toward);
            s->id[e] = e;
        }
        break;
    default:
        s->n = 1;
        s->id[0] = 0;
        if (g->type == TL_SHAPE_SPHERE)
            axpy3(s->x[0], g->p, g->s[0], toward);
        else
            tl_support(g, toward, s->x[0]);
        break;
    }
    if (s->n > 2) {
        cross3(w, s->normal, toward);
        s->tilt = dot3(s->normal, toward) > 0.0 ? norm3(w) : 2.0;
    }
}

/// Cut to side . x <= offset; cuts are numbered by the side and the corner before.
static void cut(shown* s, const double* side, double offset, int32_t number)
{
    double h[2 * MOST_SIDES];
    bool inside = true;
    for (int32_t i = 0; i < s->n; i++) {
        h[i] = dot3(side, s->x[i]) - offset;
        inside &= h[i] <= 0.0;
    }
    if (inside)
        return;
    shown out;
    out.n = 0;
    const int32_t edges = s->n == 2 ? 1 : s->n; // a segment is no closed polygon
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t j = (i + 1) % s->n;
        if (h[i] <= 0.0 && out.n < 2 * MOST_SIDES) {
            copy3(out.x[out.n], s->x[i]);
            out.id[out.n++] = s->id[i];
        }
        if (i < edges && s->n > 1 && (h[i] < 0.0) != (h[j] < 0.0) && h[i] != 0.0 && h[j] != 0.0 &&
            out.n < 2 * MOST_SIDES) {
            const double t = h[i] / (h[i] - h[j]);
            for (int k = 0; k < 3; k++)
                out.x[out.n][k] = s->x[i][k] + t * (s->x[j][k] - s->x[i][k]);
            out.id[out.n++] = 128 + (7 * number + s->id[h[i] < 0.0 ? i : j]) % 128;
        }
    }
    s->n = out.n;
    memcpy(s->x, out.x, sizeof(double) * 3 * (size_t)out.n);
    memcpy(s->id, out.id, sizeof(int32_t) * (size_t)out.n);
}

static void face_points(const shown* ref, shown* other, bool ref_on_a, double near, tl_manifold* m)
{
    double normal[3];
    for (int k = 0; k < 3; k++)
        normal[k] = ref_on_a ? -ref->normal[k] : ref->normal[k];
    for (int32_t i = 0; i < ref->n && other->n > 0; i++) {
        double e[3], side[3];
        sub3(e, ref->x[(i + 1) % ref->n], ref->x[i]);
        cross3(side, e, ref->normal);
        if (normalize3(side) > 0.0)
            cut(other, side, dot3(side, ref->x[i]) + near, i);
    }
    for (int32_t i = 0; i < other->n; i++) {
        double d[3], on[3];
        sub3(d, other->x[i], ref->x[0]);
        axpy3(on, other->x[i], -dot3(d, ref->normal), ref->normal);
        if (ref_on_a)
            tl_add_point(m, on, other->x[i], normal, TL_FEATURE(TL_ON_B, 0, other->id[i] & 255));
        else
            tl_add_point(m, other->x[i], on, normal, TL_FEATURE(TL_ON_A, other->id[i] & 255, 0));
    }
}

void tl_hull_points(const tl_solid* a, const tl_solid* b, tl_manifold* m)
{
    tl_convex_pair pair;
    if (!tl_convex_distance(a, b, m->margin > 0.0 ? m->margin : 1e-300, &pair))
        return;
    const double back[3] = {-pair.n[0], -pair.n[1], -pair.n[2]};
    shown sa, sb;
    show(a, back, &sa);
    show(b, pair.n, &sb);
    const double aligned = fmax(sa.tilt, sb.tilt) < BOTH_ALIGNED ? ALIGNED : EXACT;
    if (fmin(sa.tilt, sb.tilt) < aligned) {
        const double near = NEAR * fmin(a->length, b->length);
        if (sa.tilt < 1e-9 || sa.tilt <= sb.tilt)
            face_points(&sa, &sb, true, near, m);
        else
            face_points(&sb, &sa, false, near, m);
    }
    if (m->n == 0)
        tl_add_point(m, pair.pa, pair.pb, pair.n, TL_FEATURE(TL_SINGLE, sa.id[0] & 255, sb.id[0] & 255));
}
