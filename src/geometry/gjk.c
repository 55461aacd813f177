// SPDX-License-Identifier: MIT
// Distance and overlap of two convex solids by their support functions alone: GJK while the cores are apart, the
// expanding polytope once they overlap. A sphere is a point and a capsule a segment, each with a radius around it,
// so their shallow contacts never need the polytope.
//
// Gilbert, Johnson and Keerthi 1988; van den Bergen 2001. The closest point of a simplex is found by trying its
// faces, corners first: fifteen small linear systems, none of which can cycle. Polyhedra end on a face of their
// difference, which is a pair of features, and give its exact normal; round solids converge to TOLERANCE.
#include "narrow.h"

#include <float.h>

#define MOST_STEPS 64
#define TOLERANCE 1e-10 // relative to the distance, or to the size for overlaps

static void hull_support(const tl_solid* g, const double* local, double* x)
{
    const tl_hull* h = g->hull;
    int32_t best = 0;
    double most = dot3(h->x, local);
    if (h->nv <= 32) {
        for (int32_t i = 1; i < h->nv; i++) {
            const double s = dot3(h->x + 3 * i, local);
            if (s > most) {
                most = s;
                best = i;
            }
        }
    } else { // uphill along the edges: on a convex body the first top is the top
        for (bool up = true; up;) {
            up = false;
            for (int32_t k = h->near[best], end = h->near[best + 1]; k < end; k++) {
                const double s = dot3(h->x + 3 * (int64_t)h->adj[k], local);
                if (s > most) {
                    most = s;
                    best = h->adj[k];
                    up = true;
                }
            }
        }
    }
    copy3(x, h->x + 3 * (int64_t)best);
}

void tl_to_local(const tl_solid* g, const double* d, double* local)
{
    for (int k = 0; k < 3; k++)
        local[k] = dot3(g->ax[k], d);
}

void tl_to_world(const tl_solid* g, const double* local, double* x)
{
    for (int i = 0; i < 3; i++)
        x[i] = g->p[i] + local[0] * g->ax[0][i] + local[1] * g->ax[1][i] + local[2] * g->ax[2][i];
}

double tl_core_radius(const tl_solid* g)
{
    return g->type == TL_SHAPE_SPHERE || g->type == TL_SHAPE_CAPSULE ? g->s[0] : 0.0;
}

/// Farthest point of the core along d.
static void core_support(const tl_solid* g, const double* d, double* x)
{
    double l[3], y[3] = {0};
    tl_to_local(g, d, l);
    switch (g->type) {
    case TL_SHAPE_SPHERE:
        break;
    case TL_SHAPE_CAPSULE:
        y[2] = copysign(g->s[1], l[2]);
        break;
    case TL_SHAPE_ELLIPSOID: {
        double q[3], n = 0.0;
        for (int k = 0; k < 3; k++) {
            q[k] = g->s[k] * l[k];
            n += q[k] * q[k];
        }
        n = sqrt(n);
        for (int k = 0; k < 3; k++)
            y[k] = n > 0.0 ? g->s[k] * q[k] / n : 0.0;
        break;
    }
    case TL_SHAPE_CYLINDER: {
        const double r = sqrt(l[0] * l[0] + l[1] * l[1]);
        y[0] = r > 0.0 ? g->s[0] * l[0] / r : g->s[0];
        y[1] = r > 0.0 ? g->s[0] * l[1] / r : 0.0;
        y[2] = copysign(g->s[1], l[2]);
        break;
    }
    case TL_SHAPE_BOX:
        for (int k = 0; k < 3; k++)
            y[k] = copysign(g->s[k], l[k]);
        break;
    default:
        hull_support(g, l, y);
        break;
    }
    tl_to_world(g, y, x);
}

typedef struct corner {
    double w[3], a[3], b[3]; // w = a - b
} corner;

static void support(const tl_solid* a, const tl_solid* b, const double* d, corner* c)
{
    const double back[3] = {-d[0], -d[1], -d[2]};
    core_support(a, d, c->a);
    core_support(b, back, c->b);
    sub3(c->w, c->a, c->b);
}

// barycentric coordinates of the point of the affine hull of c[idx] nearest to 0. @return false: degenerate
static bool project_origin(const corner* c, const int* idx, int n, double* lambda)
{
    double G[3][4], e[3][3];
    lambda[0] = 1.0;
    for (int i = 1; i < n; i++)
        sub3(e[i - 1], c[idx[i]].w, c[idx[0]].w);
    const int m = n - 1;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            G[i][j] = dot3(e[i], e[j]);
        G[i][m] = -dot3(e[i], c[idx[0]].w);
    }
    for (int i = 0; i < m; i++) { // Cholesky-like elimination: the matrix is a Gram matrix
        if (!(G[i][i] > 1e-28 * dot3(e[i], e[i])) || !(G[i][i] > DBL_MIN))
            return false;
        for (int k = i + 1; k < m; k++) {
            const double f = G[k][i] / G[i][i];
            for (int j = i; j <= m; j++)
                G[k][j] -= f * G[i][j];
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            G[i][m] -= G[i][j] * lambda[j + 1];
        lambda[i + 1] = G[i][m] / G[i][i];
        lambda[0] -= lambda[i + 1];
    }
    return true;
}

typedef struct simplex {
    corner c[4];
    double lambda[4];
    int n;
} simplex;

// keep the corners that carry the nearest point and its coordinates. @return its squared distance
static double reduce(simplex* s, double* v)
{
    double best = INFINITY, best_lambda[4] = {0};
    int best_set = 0;
    for (int set = 1; set < 1 << s->n; set++) {
        int idx[4], n = 0;
        double lambda[4], p[3] = {0};
        for (int i = 0; i < s->n; i++)
            if (set >> i & 1)
                idx[n++] = i;
        if (!project_origin(s->c, idx, n, lambda))
            continue;
        bool inside = true;
        for (int i = 0; i < n; i++) {
            inside &= lambda[i] >= 0.0;
            axpy3(p, p, lambda[i], s->c[idx[i]].w);
        }
        const double d2 = dot3(p, p);
        if (inside && d2 < best) {
            best = d2;
            best_set = set;
            memcpy(best_lambda, lambda, sizeof lambda);
            copy3(v, p);
        }
    }
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (best_set >> i & 1) {
            s->c[n] = s->c[i];
            s->lambda[n] = best_lambda[n];
            n++;
        }
    s->n = n;
    return best;
}

static void witness(const simplex* s, double* pa, double* pb)
{
    memset(pa, 0, 3 * sizeof *pa);
    memset(pb, 0, 3 * sizeof *pb);
    for (int i = 0; i < s->n; i++) {
        axpy3(pa, pa, s->lambda[i], s->c[i].a);
        axpy3(pb, pb, s->lambda[i], s->c[i].b);
    }
}

// ---- overlap: the expanding polytope ------------------------------------------------------------------------

#define MOST_CORNERS 160
#define MOST_FACES 512

typedef struct facet {
    int32_t v[3];
    double n[3], d; // outward, distance of the origin
    bool gone;
} facet;

typedef struct polytope {
    corner c[MOST_CORNERS];
    facet f[MOST_FACES];
    int32_t nc, nf;
} polytope;

static bool add_facet(polytope* p, int32_t i, int32_t j, int32_t k)
{
    if (p->nf == MOST_FACES)
        return false;
    facet* f = &p->f[p->nf];
    double u[3], v[3];
    sub3(u, p->c[j].w, p->c[i].w);
    sub3(v, p->c[k].w, p->c[i].w);
    cross3(f->n, u, v);
    const double size = normalize3(f->n);
    if (!(size > 0.0))
        return false;
    f->d = dot3(f->n, p->c[i].w);
    f->v[0] = i, f->v[1] = j, f->v[2] = k;
    f->gone = false;
    p->nf++;
    return true;
}

// a tetrahedron about the origin from a simplex that holds it, by supports across what is there
static bool make_tetrahedron(const tl_solid* a, const tl_solid* b, const simplex* s, double size, polytope* p)
{
    static const double axes[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    const double tiny = 1e-12 * size;
    p->nc = 0;
    for (int i = 0; i < s->n; i++)
        p->c[p->nc++] = s->c[i];
    for (int k = 0; k < 6 && p->nc < 2; k++) {
        double e[3];
        support(a, b, axes[k], &p->c[1]);
        sub3(e, p->c[1].w, p->c[0].w);
        if (norm3(e) > tiny)
            p->nc = 2;
    }
    double e[3], u[3], v[3], n[3];
    sub3(e, p->c[1].w, p->c[0].w);
    normalize3(e);
    for (int k = 0; k < 6 && p->nc == 2; k++) {
        double d[3];
        axpy3(d, axes[k], -dot3(axes[k], e), e);
        if (normalize3(d) < 0.1)
            continue;
        support(a, b, d, &p->c[2]);
        sub3(u, p->c[2].w, p->c[0].w);
        axpy3(u, u, -dot3(u, e), e);
        if (norm3(u) > tiny)
            p->nc = 3;
    }
    if (p->nc == 3) {
        sub3(u, p->c[1].w, p->c[0].w);
        sub3(v, p->c[2].w, p->c[0].w);
        cross3(n, u, v);
        normalize3(n);
        for (int k = 0; k < 2 && p->nc == 3; k++) {
            const double d[3] = {k ? -n[0] : n[0], k ? -n[1] : n[1], k ? -n[2] : n[2]};
            support(a, b, d, &p->c[3]);
            sub3(u, p->c[3].w, p->c[0].w);
            if (fabs(dot3(u, n)) > tiny)
                p->nc = 4;
        }
    }
    if (p->nc < 4)
        return false;
    sub3(u, p->c[1].w, p->c[0].w);
    sub3(v, p->c[2].w, p->c[0].w);
    cross3(n, u, v);
    sub3(u, p->c[3].w, p->c[0].w);
    const bool flip = dot3(n, u) > 0.0; // the fourth corner lies behind face 0 1 2
    p->nf = 0;
    return flip ? add_facet(p, 0, 2, 1) && add_facet(p, 0, 1, 3) && add_facet(p, 1, 2, 3) &&
                      add_facet(p, 2, 0, 3)
                : add_facet(p, 0, 1, 2) && add_facet(p, 1, 0, 3) && add_facet(p, 2, 1, 3) &&
                      add_facet(p, 0, 2, 3);
}

// replace the facets that the new corner sees. @return false: the polytope is full or degenerate
static bool expand(polytope* p, int32_t corner_new, double tiny)
{
    int32_t edge[MOST_FACES][2], n = 0;
    for (int32_t k = 0; k < p->nf; k++) {
        facet* f = &p->f[k];
        if (f->gone || dot3(f->n, p->c[corner_new].w) - f->d <= tiny)
            continue;
        f->gone = true;
        for (int e = 0; e < 3; e++) {
            const int32_t u = f->v[e], v = f->v[(e + 1) % 3];
            int32_t twin = 0;
            while (twin < n && (edge[twin][0] != v || edge[twin][1] != u))
                twin++;
            if (twin < n) {
                n--;
                edge[twin][0] = edge[n][0];
                edge[twin][1] = edge[n][1];
            } else if (n < MOST_FACES) {
                edge[n][0] = u;
                edge[n++][1] = v;
            }
        }
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < p->nf; k++)
        if (!p->f[k].gone)
            p->f[kept++] = p->f[k];
    p->nf = kept;
    for (int32_t e = 0; e < n; e++)
        if (!add_facet(p, edge[e][0], edge[e][1], corner_new))
            return false;
    return n > 0;
}

static bool overlap(const tl_solid* a, const tl_solid* b, const simplex* s, tl_convex_pair* out)
{
    const double size = a->length + b->length;
    polytope p;
    if (!make_tetrahedron(a, b, s, size, &p))
        return false;
    facet best = p.f[0];
    for (int32_t step = 0; step < MOST_CORNERS; step++) {
        best = p.f[0];
        for (int32_t k = 1; k < p.nf; k++)
            if (p.f[k].d < best.d)
                best = p.f[k];
        if (p.nc == MOST_CORNERS)
            break;
        support(a, b, best.n, &p.c[p.nc]);
        if (dot3(best.n, p.c[p.nc].w) - best.d <= TOLERANCE * size || !expand(&p, p.nc, 1e-14 * size))
            break;
        p.nc++;
    }
    // the origin seen on the facet: its coordinates there give the witnesses
    simplex t = {.n = 3, .c = {p.c[best.v[0]], p.c[best.v[1]], p.c[best.v[2]]}};
    double moved[3];
    for (int i = 0; i < 3; i++)
        axpy3(t.c[i].w, t.c[i].w, -best.d, best.n);
    reduce(&t, moved);
    witness(&t, out->pa, out->pb);
    for (int k = 0; k < 3; k++)
        out->n[k] = -best.n[k];
    out->distance = -best.d;
    return true;
}

bool tl_convex_distance(const tl_solid* a, const tl_solid* b, double far, tl_convex_pair* out)
{
    const double ra = tl_core_radius(a), rb = tl_core_radius(b);
    simplex s = {.n = 0};
    double v[3], d2;
    sub3(v, a->p, b->p);
    if (!(dot3(v, v) > 0.0))
        v[0] = 1.0;
    d2 = INFINITY;
    for (int step = 0; step < MOST_STEPS; step++) {
        const double back[3] = {-v[0], -v[1], -v[2]};
        corner c;
        support(a, b, back, &c);
        const double reach = dot3(v, c.w);
        // apart by more than anybody asks
        if (reach > 0.0 && reach * reach > (far + ra + rb) * (far + ra + rb) * dot3(v, v))
            return false;
        bool known = false;
        for (int i = 0; i < s.n; i++)
            known |= memcmp(s.c[i].w, c.w, sizeof c.w) == 0;
        if (known || (s.n > 0 && d2 - reach <= 1e-13 * d2))
            break;
        if (s.n == 4)
            break;
        s.c[s.n++] = c;
        const double before = d2;
        d2 = reduce(&s, v);
        if (s.n == 4 || !(d2 > 1e-26 * (a->length + b->length) * (a->length + b->length))) {
            d2 = 0.0;
            break;
        }
        if (step > 0 && !(d2 < before))
            break;
    }
    if (d2 > 0.0) {
        const double d = sqrt(d2);
        witness(&s, out->pa, out->pb);
        for (int k = 0; k < 3; k++)
            out->n[k] = v[k] / d;
        out->distance = d;
    } else if (!overlap(a, b, &s, out)) {
        return false;
    }
    axpy3(out->pa, out->pa, -ra, out->n);
    axpy3(out->pb, out->pb, rb, out->n);
    out->distance -= ra + rb;
    return out->distance < far;
}
