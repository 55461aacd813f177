// SPDX-License-Identifier: MIT
// Feet of a point on a height field: where its distance to the surface has a local minimum. A ball touches exactly
// there, and nowhere else: a face when the point's projection falls into it, a convex edge or vertex when the point
// lies between the normals around it. On flat ground that is one place, on whatever edge or vertex it may lie; in a
// valley one on each side; an inner edge never adds one of its own.
//
// A point in the ground has no such feet but the nearest place, where the signed distance goes on without a jump as
// the point sinks, and the sides of a valley that it still is above.
//
// Feet closer than the slack of the tests, with normals that differ by less, are one: a point over a fold of less
// than TL_FLAT_FOLD is on both faces and on neither by rounding.
#include "hfield.h"

typedef struct feet {
    const tl_hfield* h;
    const double* p;
    double reach, cell; // cell: the smaller side
    tl_foot* out;
    int32_t n;
} feet;

static void add(feet* f, const double* x, const double* n, double s)
{
    for (int32_t i = 0; i < f->n; i++) {
        tl_foot* o = &f->out[i];
        double dx[3], dn[3];
        sub3(dx, o->x, x);
        sub3(dn, o->n, n);
        const double near = 4.0 * TL_FLAT_FOLD * fabs(s) + 1e-7 * f->cell;
        if (dot3(dx, dx) > near * near || dot3(dn, dn) > 4.0 * TL_FLAT_FOLD * TL_FLAT_FOLD)
            continue;
        if (s < o->s) {
            copy3(o->x, x);
            copy3(o->n, n);
            o->s = s;
        }
        return;
    }
    int32_t at = f->n;
    if (f->n == TL_FEET) { // the farthest goes
        at = 0;
        for (int32_t i = 1; i < f->n; i++)
            at = f->out[i].s > f->out[at].s ? i : at;
        if (!(s < f->out[at].s))
            return;
    } else {
        f->n++;
    }
    copy3(f->out[at].x, x);
    copy3(f->out[at].n, n);
    f->out[at].s = s;
}

static void add_face(feet* f, int32_t r, int32_t c, int k)
{
    double v[3][3], n[3], d[3], x[3];
    tl_hfield_triangle(f->h, r, c, k, v, n);
    sub3(d, f->p, v[0]);
    const double s = dot3(n, d);
    if (s < -1e-12 * f->cell || s >= f->reach)
        return;
    axpy3(x, f->p, -s, n);
    if (tl_hfield_covers(f->h, r, c, k, x, 2.0 * TL_FLAT_FOLD * s + 1e-9 * f->cell))
        add(f, x, n, s);
}

static void add_ridge(feet* f, int32_t r, int32_t c, int kind)
{
    tl_ridge e;
    double d[3], along[3], x[3], n[3];
    if (!tl_hfield_ridge(f->h, r, c, kind, &e))
        return;
    sub3(along, e.v[1], e.v[0]);
    sub3(d, f->p, e.v[0]);
    const double t = dot3(d, e.d);
    if (t < 0.0 || t > dot3(along, e.d))
        return;
    axpy3(x, e.v[0], t, e.d);
    sub3(n, f->p, x);
    const double s = normalize3(n);
    if (s > 1e-12 * f->cell && s < f->reach && dot3(n, e.t[0]) <= 1e-12 && dot3(n, e.t[1]) <= 1e-12)
        add(f, x, n, s);
}

static void add_vertex(feet* f, int32_t r, int32_t c)
{
    double x[3], n[3];
    tl_hfield_vertex(f->h, r, c, x);
    sub3(n, f->p, x);
    const double s = normalize3(n);
    if (s > 1e-12 * f->cell && s < f->reach && tl_hfield_is_top(f->h, r, c, n, 1e-12, 0.0, NULL) &&
        tl_hfield_is_sharp(f->h, r, c))
        add(f, x, n, s);
}

// the features of a cell that no other cell has, and those of the border
static void add_sharp(feet* f, int32_t r, int32_t c)
{
    const bool last_r = r == f->h->nrow - 2, last_c = c == f->h->ncol - 2;
    for (int kind = 0; kind < 3; kind++)
        add_ridge(f, r, c, kind);
    add_vertex(f, r, c);
    if (last_r) {
        add_ridge(f, r + 1, c, 0);
        add_vertex(f, r + 1, c);
    }
    if (last_c) {
        add_ridge(f, r, c + 1, 1);
        add_vertex(f, r, c + 1);
    }
    if (last_r && last_c)
        add_vertex(f, r + 1, c + 1);
}

// beside the grid: the sides that go down from its border
static void add_walls(feet* f)
{
    const tl_hfield* h = f->h;
    const double* p = f->p;
    for (int k = 0; k < 2; k++) {
        const double s = fabs(p[k]) - h->half[k];
        if (!(s >= 0.0) || s >= f->reach || fabs(p[1 - k]) > h->half[1 - k] || p[2] < -h->base)
            continue;
        double x[3], n[3] = {0.0, 0.0, 0.0};
        copy3(x, p);
        x[k] = copysign(h->half[k], p[k]);
        n[k] = copysign(1.0, p[k]);
        if (p[2] <= tl_hfield_height(h, x[0], x[1]))
            add(f, x, n, s);
    }
}

/// Nearest point of a triangle (Ericson, Real-Time Collision Detection 5.1.5). @return true: inside the face
static bool nearest_on_triangle(double v[3][3], const double* p, double* x)
{
    double ab[3], ac[3], d[3];
    sub3(ab, v[1], v[0]);
    sub3(ac, v[2], v[0]);
    sub3(d, p, v[0]);
    const double d1 = dot3(ab, d), d2 = dot3(ac, d);
    copy3(x, v[0]);
    if (d1 <= 0.0 && d2 <= 0.0)
        return false;
    sub3(d, p, v[1]);
    const double d3 = dot3(ab, d), d4 = dot3(ac, d);
    copy3(x, v[1]);
    if (d3 >= 0.0 && d4 <= d3)
        return false;
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        axpy3(x, v[0], d1 / (d1 - d3), ab);
        return false;
    }
    sub3(d, p, v[2]);
    const double d5 = dot3(ab, d), d6 = dot3(ac, d);
    copy3(x, v[2]);
    if (d6 >= 0.0 && d5 <= d6)
        return false;
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        axpy3(x, v[0], d2 / (d2 - d6), ac);
        return false;
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        sub3(d, v[2], v[1]);
        axpy3(x, v[1], (d4 - d3) / (d4 - d3 + d5 - d6), d);
        return false;
    }
    const double sum = va + vb + vc;
    axpy3(x, v[0], vb / sum, ab);
    axpy3(x, x, vc / sum, ac);
    return true;
}

bool tl_hfield_nearest(const tl_hfield* h, const double* p, tl_foot* out)
{
    if (fabs(p[0]) > h->half[0] || fabs(p[1]) > h->half[1] || p[2] < -h->base)
        return false;
    const double above = tl_hfield_height(h, p[0], p[1]) - p[2];
    if (!(above > 0.0))
        return false;
    const double tiny = 1e-6 * fmin(h->dx, h->dy);
    double best = above * (1.0 + 1e-12) + 1e-300; // no place is farther than the one straight above
    *out = (tl_foot){.x = {p[0], p[1], p[2] + above}, .n = {0.0, 0.0, 1.0}, .s = -above};
    const double lo[3] = {p[0] - best, p[1] - best, p[2]}, hi[3] = {p[0] + best, p[1] + best, p[2] + best};
    tl_cells w = tl_hfield_cells(h, lo, hi);
    while (tl_hfield_next(&w))
        for (int k = 0; k < 2; k++) {
            double v[3][3], n[3], x[3], d[3];
            tl_hfield_triangle(h, w.r, w.c, k, v, n);
            sub3(d, v[0], p);
            if (fabs(dot3(n, d)) > best)
                continue;
            double dist = dot3(n, d);
            const bool inside = nearest_on_triangle(v, p, x);
            if (inside) { // without the rounding of the barycentric coordinates
                axpy3(x, p, dist, n);
                dist = fabs(dist);
            } else {
                sub3(d, x, p);
                dist = norm3(d);
            }
            if (!(dist < best))
                continue;
            best = dist;
            out->s = -dist;
            copy3(out->x, x);
            copy3(out->n, n);
            for (int i = 0; i < 3 && !inside && dist > tiny; i++)
                out->n[i] = d[i] / dist;
        }
    for (int k = 0; k < 2; k++) {
        const double side = h->half[k] - fabs(p[k]);
        if (!(side < best))
            continue;
        best = side;
        out->s = -side;
        copy3(out->x, p);
        out->x[k] = copysign(h->half[k], p[k]);
        out->n[0] = out->n[1] = out->n[2] = 0.0;
        out->n[k] = copysign(1.0, p[k]);
    }
    return true;
}

int32_t tl_hfield_feet(const tl_hfield* h, const double* p, double reach, bool sharp, tl_foot* out)
{
    feet f = {.h = h, .p = p, .reach = reach, .cell = fmin(h->dx, h->dy), .out = out};
    tl_foot nearest;
    if (p[2] < -h->base - fmax(reach, 0.0))
        return 0;
    if (tl_hfield_nearest(h, p, &nearest))
        add(&f, nearest.x, nearest.n, nearest.s);
    if (!(reach > 0.0))
        return f.n;
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = p[k] - reach;
        hi[k] = p[k] + reach;
    }
    tl_cells w = tl_hfield_cells(h, lo, hi);
    while (tl_hfield_next(&w)) {
        add_face(&f, w.r, w.c, 0);
        add_face(&f, w.r, w.c, 1);
        if (sharp)
            add_sharp(&f, w.r, w.c);
    }
    add_walls(&f);
    return f.n;
}
