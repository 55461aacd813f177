// SPDX-License-Identifier: MIT
// What stands out of a height field in contact with a convex solid A: vertices whose neighbours are all lower in the
// direction in which they leave A, and convex edges for which the direction of least overlap with A lies between the
// normals of their faces.
//
// Where that direction is not the feature's own (an edge of A across a ridge may overlap least along a face of A,
// which would push A along the ridge), it is sought among those that are: the directions across both edges.
#include "hfield.h"

#define TIGHT 1e-6
#define PARALLEL_RIDGE 5e-3
#define CROSSING_MOST 0.5 // of A: what sinks in farther than that is held by other points

/// How far a direction, known to be A's, may miss: the sine for all, or along `axis` only.
static double looseness(const tl_solid* a, const double* n, const double** axis)
{
    *axis = NULL;
    switch (a->type) {
    case TL_SHAPE_BOX:
        for (int k = 0; k < 3; k++)
            if (fabs(dot3(a->ax[k], n)) > 1.0 - 0.5 * TL_LOOSE * TL_LOOSE)
                return TL_LOOSE;
        return 0.0;
    case TL_SHAPE_MESH:
        return TL_LOOSE;
    case TL_SHAPE_CYLINDER:
        if (fabs(dot3(a->ax[2], n)) > 1.0 - 0.5 * TL_LOOSE * TL_LOOSE)
            return TL_LOOSE;
        *axis = a->ax[2];
        return TL_LOOSE;
    case TL_SHAPE_CAPSULE:
        *axis = a->ax[2];
        return TL_LOOSE;
    default:
        return 0.0;
    }
}

typedef struct top {
    const tl_hfield* h;
    int32_t r, c;
    const tl_solid* a;
    double n[3], f; // best so far: A's normal there, signed distance
} top;

static void try_exit(top* t, const double* n, double f)
{
    const double u[3] = {-n[0], -n[1], -n[2]}, *axis;
    if (!(f > t->f))
        return;
    const double loose = looseness(t->a, n, &axis);
    if (!tl_hfield_is_top(t->h, t->r, t->c, u, TIGHT, loose, axis))
        return;
    t->f = f;
    copy3(t->n, n);
}

/// Leaving A by a side with outward normal n would push A into the ground: A is thin and has sunk in too far.
static bool leads_down(const double* n)
{
    return n[2] >= 0.0;
}

static void hull_exits(top* t, const double* x, double far)
{
    const tl_solid* a = t->a;
    const tl_hull* h = a->hull;
    double d[3], local[3], most = -INFINITY;
    sub3(d, x, a->p);
    tl_to_local(a, d, local);
    for (int32_t i = 0; i < h->nf; i++)
        most = fmax(most, dot3(h->plane[i], local) - h->plane[i][3]);
    if (most >= far)
        return;
    for (int pass = 0; pass < 2 && most <= 0.0; pass++) { // the nearest; if that leads down, the others
        double n[3] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < h->nf; i++) {
            const double *p = h->plane[i], f = dot3(p, local) - p[3];
            if (pass == 0 && f < most)
                continue;
            for (int k = 0; k < 3; k++)
                n[k] = p[0] * a->ax[0][k] + p[1] * a->ax[1][k] + p[2] * a->ax[2][k];
            try_exit(t, n, f);
        }
        if (pass == 0 && !leads_down(n))
            break;
    }
    if (most > 0.0) {
        const tl_solid point = {
            .type = TL_SHAPE_SPHERE, .p = {x[0], x[1], x[2]}, .ax = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        tl_convex_pair pair;
        if (tl_convex_distance(&point, a, far, &pair))
            try_exit(t, pair.n, pair.distance);
    }
}

/// Directions in which x may leave A: the nearest; if that leads down, any other of a solid with flat faces.
static void find_exits(top* t, const double* x, double far)
{
    const tl_solid* a = t->a;
    double d[3], n[3];
    if (a->type == TL_SHAPE_MESH) {
        hull_exits(t, x, far);
        return;
    }
    const double f = tl_point_distance(a, x, n);
    if (f >= far)
        return;
    try_exit(t, n, f);
    if (f > 0.0 || !leads_down(n) || (a->type != TL_SHAPE_BOX && a->type != TL_SHAPE_CYLINDER))
        return;
    sub3(d, x, a->p);
    for (int k = a->type == TL_SHAPE_BOX ? 0 : 2; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            const double half = a->s[a->type == TL_SHAPE_BOX ? k : 1];
            for (int i = 0; i < 3; i++)
                n[i] = side * a->ax[k][i];
            try_exit(t, n, dot3(n, d) - half);
        }
}

static void add_top(tl_hfield_job* j, int32_t r, int32_t c)
{
    top t = {.h = j->h, .r = r, .c = c, .a = j->a, .f = -INFINITY};
    double x[3];
    tl_hfield_vertex(j->h, r, c, x);
    for (int k = 0; k < 3; k++)
        if (x[k] < j->lo[k] || x[k] > j->hi[k])
            return;
    if (!tl_hfield_is_sharp(j->h, r, c))
        return;
    find_exits(&t, x, j->m->margin > 0.0 ? j->m->margin : 1e-300);
    if (t.f == -INFINITY)
        return;
    tl_contact_point p = {.depth = -t.f};
    copy3(p.pb, x);
    axpy3(p.pa, x, -t.f, t.n);
    for (int k = 0; k < 3; k++)
        p.normal[k] = -t.n[k];
    tl_hfield_add(j, &p, (int32_t)(TL_FEATURE_TOP | (((int64_t)r * j->h->ncol + c) & 0xfffffff)));
}

/// True when the segment meets the box of A.
static bool meets_box(const tl_hfield_job* j, const tl_ridge* e)
{
    double t0 = 0.0, t1 = 1.0;
    for (int k = 0; k < 3; k++) {
        const double d = e->v[1][k] - e->v[0][k], lo = j->lo[k] - e->v[0][k], hi = j->hi[k] - e->v[0][k];
        if (d == 0.0 && (lo > 0.0 || hi < 0.0))
            return false;
        if (d != 0.0) {
            t0 = fmax(t0, fmin(lo / d, hi / d));
            t1 = fmin(t1, fmax(lo / d, hi / d));
        }
    }
    return t0 <= t1;
}

static bool belongs_to(const tl_ridge* e, const tl_solid* a, const double* u)
{
    const double* axis;
    const double loose = looseness(a, u, &axis);
    bool belongs = fabs(dot3(u, e->d)) <= PARALLEL_RIDGE;
    for (int k = 0; k < 2; k++)
        belongs &= dot3(u, e->t[k]) <= TIGHT + (axis ? loose * fabs(dot3(axis, e->t[k])) : loose);
    return belongs;
}

/// Least overlap of a ridge and a polyhedron over the directions across an edge of each that belong to both.
typedef struct crossing {
    const tl_hfield* h;
    int32_t at[2][2]; // row and column of the ridge's ends
    const tl_ridge* e;
    const tl_solid* a;
    bool ends; // the ends of the ridge count too
    tl_contact_point best;
} crossing;

// the edge of A from x along w
static void try_edge(crossing* g, const double* x, const double* w)
{
    const tl_ridge* e = g->e;
    double u[3], d[3], far[3], side[3], len[3];
    cross3(u, e->d, w);
    const double det = normalize3(u), size = norm3(w);
    if (det <= TIGHT * size)
        return;
    const double up = u[2] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++)
        u[k] *= up;
    const double down[3] = {-u[0], -u[1], -u[2]};
    sub3(d, e->v[0], x);
    const double depth = dot3(d, u);
    if (!(depth > 0.0) || depth >= g->best.depth || !belongs_to(e, g->a, u))
        return;
    // A lies above its edge
    if (g->a->type == TL_SHAPE_BOX) {
        tl_support(g->a, down, far);
    } else {
        const tl_hull* h = g->a->hull;
        double local[3];
        int32_t best = 0;
        tl_to_local(g->a, down, local);
        for (int32_t i = 1; i < h->nv; i++)
            best = dot3(h->x + 3 * (int64_t)i, local) > dot3(h->x + 3 * (int64_t)best, local) ? i : best;
        tl_to_world(g->a, h->x + 3 * (int64_t)best, far);
    }
    sub3(far, far, x);
    if (dot3(far, down) > TIGHT * g->a->length)
        return;
    // nearest places of the two lines; beyond its end the ridge has its vertex there, if u belongs to that
    double pa[3], pb[3];
    cross3(side, u, w);
    const double s = -dot3(d, side) / dot3(e->d, side);
    sub3(len, e->v[1], e->v[0]);
    const int end = s < 0.0 ? 0 : s > dot3(len, e->d) ? 1 : -1;
    if (end >= 0 && (!g->ends || !tl_hfield_is_top(g->h, g->at[end][0], g->at[end][1], u, TIGHT, 0.0, NULL) ||
                     !tl_hfield_is_sharp(g->h, g->at[end][0], g->at[end][1])))
        return;
    axpy3(pb, e->v[end == 1], end < 0 ? s : 0.0, e->d);
    axpy3(pa, pb, -depth, u);
    sub3(d, pa, x);
    const double t = dot3(d, w) / (size * size);
    if (t < 0.0 || t > 1.0)
        return;
    g->best.depth = depth;
    copy3(g->best.pa, pa);
    copy3(g->best.pb, pb);
    copy3(g->best.normal, u);
}

static void try_edges(crossing* g)
{
    const tl_solid* a = g->a;
    double x[3], y[3], w[3];
    if (a->type == TL_SHAPE_BOX) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++) {
                axpy3(x, a->p, -a->s[k], a->ax[k]);
                axpy3(x, x, i & 1 ? a->s[(k + 1) % 3] : -a->s[(k + 1) % 3], a->ax[(k + 1) % 3]);
                axpy3(x, x, i & 2 ? a->s[(k + 2) % 3] : -a->s[(k + 2) % 3], a->ax[(k + 2) % 3]);
                for (int l = 0; l < 3; l++)
                    w[l] = 2.0 * a->s[k] * a->ax[k][l];
                try_edge(g, x, w);
            }
        return;
    }
    for (int32_t i = 0; i < a->hull->nv; i++)
        for (int32_t k = a->hull->near[i]; k < a->hull->near[i + 1]; k++) {
            if (a->hull->adj[k] < i)
                continue;
            tl_to_world(a, a->hull->x + 3 * (int64_t)i, x);
            tl_to_world(a, a->hull->x + 3 * (int64_t)a->hull->adj[k], y);
            sub3(w, y, x);
            try_edge(g, x, w);
        }
}

static void add_ridge(tl_hfield_job* j, int32_t r, int32_t c, int kind)
{
    const int32_t id =
        (int32_t)(TL_FEATURE_RIDGE | ((((int64_t)r * j->h->ncol + c) * 6 + 2 * kind) & 0xfffffff));
    tl_ridge e;
    if (!tl_hfield_ridge(j->h, r, c, kind, &e) || !meets_box(j, &e))
        return;
    tl_solid line = {.type = TL_SHAPE_CAPSULE};
    double d[3];
    sub3(d, e.v[1], e.v[0]);
    line.s[1] = line.length = 0.5 * norm3(d);
    axpy3(line.p, e.v[0], 0.5, d);
    copy3(line.ax[2], e.d);
    basis3(e.d, line.ax[0], line.ax[1]);
    tl_manifold found = {.n = 0, .margin = j->m->margin};
    tl_candidate_points(&line, j->a, &found);
    bool overlaps = false, done = false;
    for (int32_t i = 0; i < found.n; i++) {
        const tl_contact_point* s = &found.pt[i]; // the line is their A
        tl_contact_point p = {.depth = s->depth};
        copy3(p.pa, s->pb);
        copy3(p.pb, s->pa);
        for (int k = 0; k < 3; k++)
            p.normal[k] = -s->normal[k];
        overlaps |= p.depth > 0.0;
        if (!belongs_to(&e, j->a, p.normal))
            continue;
        tl_hfield_add(j, &p, id + (i & 1));
        done = true;
    }
    // the least overlap of the two leads elsewhere: the least of those that do not
    if (!overlaps || done || (j->a->type != TL_SHAPE_BOX && j->a->type != TL_SHAPE_MESH))
        return;
    crossing g = {.h = j->h,
                  .at = {{r, c}, {r + (kind != 0), c + (kind != 1)}},
                  .e = &e,
                  .a = j->a,
                  .ends = j->last_resort,
                  .best.depth = CROSSING_MOST * j->a->length};
    try_edges(&g);
    if (g.best.normal[2] > 0.0)
        tl_hfield_add(j, &g.best, id);
    else
        j->unresolved = true;
}

// vertices and edges that a cell owns, and those of the border
static void add_sharp(tl_hfield_job* j, int32_t r, int32_t c)
{
    const bool last_r = r == j->h->nrow - 2, last_c = c == j->h->ncol - 2;
    add_top(j, r, c);
    for (int kind = 0; kind < 3; kind++)
        add_ridge(j, r, c, kind);
    if (last_r) {
        add_top(j, r + 1, c);
        add_ridge(j, r + 1, c, 0);
    }
    if (last_c) {
        add_top(j, r, c + 1);
        add_ridge(j, r, c + 1, 1);
    }
    if (last_r && last_c)
        add_top(j, r + 1, c + 1);
}

void tl_hfield_add_sharp(tl_hfield_job* j)
{
    tl_cells w = tl_hfield_cells(j->h, j->lo, j->hi);
    while (tl_hfield_next(&w))
        add_sharp(j, w.r, w.c);
}
