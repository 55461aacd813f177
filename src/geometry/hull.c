// SPDX-License-Identifier: MIT
// Convex hulls for contact: triangles of a hull to whole faces, their planes, and the graph of edges.
//
// Triangles belong to one face when they share an edge and their normals agree within FLAT; the border of such a
// set, walked along the edges that belong to one of its triangles only, is the face's loop of corners.
#include "geometry.h"
#include "vec3.h"

#define FLAT 1e-5 // sine between normals of one face

typedef struct edge {
    int32_t lo, hi, tri, side; // side: the edge runs from corner `side` of the triangle
} edge;

static int compare_edges(const void* x, const void* y)
{
    const edge *a = x, *b = y;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->hi != b->hi)
        return a->hi < b->hi ? -1 : 1;
    return a->tri < b->tri ? -1 : a->tri > b->tri;
}

typedef struct builder {
    talus_context* ctx;
    const char* name;
    int32_t nv, nt;
    const double* x;
    const int32_t* tri;
    double (*normal)[3];  // (nt)
    edge* edges;          // (2 x 3 nt) sorted, and scratch
    int32_t (*across)[3]; // (nt) triangle across each side
    int32_t* group;       // (nt) face of each triangle
    int32_t* number;      // (nv) in the hull, -1: not used
} builder;

static talus_status find_neighbours(builder* b)
{
    for (int32_t i = 0; i < 3 * b->nt; i++) {
        const int32_t *t = b->tri + 3 * (i / 3), u = t[i % 3], v = t[(i + 1) % 3];
        b->edges[i] = (edge){.lo = TL_MIN(u, v), .hi = TL_MAX(u, v), .tri = i / 3, .side = i % 3};
    }
    tl_sort(b->edges, 3 * b->nt, sizeof(edge), compare_edges, b->edges + 3 * b->nt);
    for (int32_t i = 0; i < 3 * b->nt; i += 2) {
        const edge *p = b->edges + i, *q = p + 1;
        if (i + 1 == 3 * b->nt || p->lo != q->lo || p->hi != q->hi)
            return tl_fail(b->ctx, TALUS_ERR_INPUT,
                           "%s: the hull is not closed at the edge of vertices %d and %d", b->name, p->lo,
                           p->hi);
        b->across[p->tri][p->side] = q->tri;
        b->across[q->tri][q->side] = p->tri;
    }
    return TALUS_OK;
}

static double triangle_normal(const builder* b, int32_t t, double* n)
{
    double u[3], v[3];
    const int32_t* c = b->tri + 3 * t;
    sub3(u, b->x + 3 * (int64_t)c[1], b->x + 3 * (int64_t)c[0]);
    sub3(v, b->x + 3 * (int64_t)c[2], b->x + 3 * (int64_t)c[0]);
    cross3(n, u, v);
    return normalize3(n);
}

// flood from the largest triangles, whose normals are best; slivers take the face of a neighbour
static int32_t group_triangles(builder* b, int32_t* stack, const double* area, const int32_t* order)
{
    int32_t faces = 0;
    for (int32_t t = 0; t < b->nt; t++)
        b->group[t] = -1;
    for (int32_t k = 0; k < b->nt; k++) {
        const int32_t seed = order[k];
        if (b->group[seed] >= 0)
            continue;
        int32_t n = 0;
        stack[n++] = seed;
        b->group[seed] = faces;
        while (n > 0) {
            const int32_t t = stack[--n];
            for (int e = 0; e < 3; e++) {
                const int32_t o = b->across[t][e];
                double w[3];
                cross3(w, b->normal[seed], b->normal[o]);
                const bool sliver = area[o] <= 1e-12 * area[seed];
                if (b->group[o] >= 0 ||
                    (!sliver && (norm3(w) > FLAT || dot3(b->normal[seed], b->normal[o]) < 0.0)))
                    continue;
                b->group[o] = faces;
                stack[n++] = o;
            }
        }
        faces++;
    }
    return faces;
}

static int by_area(const void* x, const void* y)
{
    const double a = *(const double*)x, b = *(const double*)y; // (area, index) pairs
    if (a != b)
        return a > b ? -1 : 1;
    const double i = ((const double*)x)[1], j = ((const double*)y)[1];
    return i < j ? -1 : i > j;
}

// corners of face `f` along its border, starting at its lowest; 0: the border is not one loop
static int32_t walk_border(const builder* b, int32_t f, int32_t* next, int32_t* loop)
{
    int32_t start = -1, n = 0, edges = 0;
    for (int32_t t = 0; t < b->nt; t++)
        for (int e = 0; b->group[t] == f && e < 3; e++)
            if (b->group[b->across[t][e]] != f) {
                const int32_t u = b->tri[3 * t + e];
                next[u] = b->tri[3 * t + (e + 1) % 3];
                start = start < 0 ? u : TL_MIN(start, u);
                edges++;
            }
    for (int32_t u = start; u >= 0 && n < edges; u = next[u]) {
        loop[n++] = u;
        if (next[u] == start)
            break;
    }
    return n == edges ? n : 0;
}

static void face_plane(const builder* b, const int32_t* loop, int32_t n, double* plane)
{
    // Newell's normal: the sum over all corners
    double sum[3] = {0}, c[3] = {0};
    for (int32_t i = 0; i < n; i++) {
        double u[3], v[3], w[3];
        sub3(u, b->x + 3 * (int64_t)loop[i], b->x + 3 * (int64_t)loop[0]);
        sub3(v, b->x + 3 * (int64_t)loop[(i + 1) % n], b->x + 3 * (int64_t)loop[0]);
        cross3(w, u, v);
        axpy3(sum, sum, 1.0, w);
        axpy3(c, c, 1.0 / n, b->x + 3 * (int64_t)loop[i]);
    }
    copy3(plane, sum);
    normalize3(plane);
    plane[3] = dot3(plane, c);
}

typedef struct layout {
    tl_hull* hull;
    double (*plane)[4];
    double* x;
    int32_t *first, *loop, *near, *adj;
} layout;

static bool lay_out(const builder* b, int32_t nv, int32_t nf, layout* l)
{
    const size_t doubles = 3 * (size_t)nv + 4 * (size_t)nf,
                 ints = (size_t)nf + 1 + 3 * (size_t)b->nt + (size_t)nv + 1 + 6 * (size_t)b->nt;
    const size_t head = (sizeof(tl_hull) + TL_ALIGN - 1) / TL_ALIGN * TL_ALIGN;
    char* memory = tl_alloc(b->ctx, head + doubles * sizeof(double) + ints * sizeof(int32_t));
    if (!memory)
        return false;
    l->hull = (tl_hull*)memory;
    l->x = (double*)(memory + head);
    l->plane = (double(*)[4])(l->x + 3 * (size_t)nv);
    l->first = (int32_t*)(l->plane + nf);
    l->loop = l->first + nf + 1;
    l->near = l->loop + 3 * (size_t)b->nt;
    l->adj = l->near + nv + 1;
    return true;
}

static talus_status write_hull(builder* b, int32_t nf, int32_t* next, int32_t* loop, tl_hull** out)
{
    int32_t used = 0, at = 0;
    for (int32_t i = 0; i < b->nv; i++)
        b->number[i] = -1;
    layout l;
    if (!lay_out(b, b->nv, nf, &l))
        return tl_nomem(b->ctx, sizeof(double) * 3 * (size_t)b->nv);
    for (int32_t f = 0; f < nf; f++) {
        const int32_t n = walk_border(b, f, next, loop);
        if (n < 3) {
            tl_free(b->ctx, l.hull);
            return tl_fail(b->ctx, TALUS_ERR_INPUT, "%s: a face of the hull is no polygon", b->name);
        }
        face_plane(b, loop, n, l.plane[f]);
        l.first[f] = at;
        for (int32_t k = 0; k < n; k++) {
            if (b->number[loop[k]] < 0) {
                copy3(l.x + 3 * (int64_t)used, b->x + 3 * (int64_t)loop[k]);
                b->number[loop[k]] = used++;
            }
            l.loop[at++] = b->number[loop[k]];
        }
    }
    l.first[nf] = at;
    // each edge stands once in each direction, in the loops of its two faces
    memset(l.near, 0, sizeof(int32_t) * ((size_t)used + 1));
    for (int32_t i = 0; i < at; i++)
        l.near[l.loop[i] + 1]++;
    for (int32_t i = 0; i < used; i++)
        l.near[i + 1] += l.near[i];
    for (int32_t i = 0; i < used; i++)
        next[i] = l.near[i];
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    *l.hull = (tl_hull){.nv = used,
                        .nf = nf,
                        .x = l.x,
                        .plane = (const double(*)[4])l.plane,
                        .first = l.first,
                        .loop = l.loop,
                        .near = l.near,
                        .adj = l.adj};
    for (int32_t f = 0; f < nf; f++)
        for (int32_t k = l.first[f]; k < l.first[f + 1]; k++)
            l.adj[next[l.loop[k]]++] = l.loop[k + 1 < l.first[f + 1] ? k + 1 : l.first[f]];
    for (int32_t i = 0; i < used; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], l.x[3 * i + k]);
            hi[k] = fmax(hi[k], l.x[3 * i + k]);
            l.hull->center[k] += l.x[3 * i + k] / used;
        }
    for (int k = 0; k < 3; k++)
        l.hull->length = fmax(l.hull->length, 0.5 * (hi[k] - lo[k]));
    *out = l.hull;
    return TALUS_OK;
}

talus_status tl_hull_create(talus_context* ctx, int32_t nv, const double* x, int32_t nt, const int32_t* tri,
                            const char* name, tl_hull** out)
{
    builder b = {.ctx = ctx, .name = name, .nv = nv, .nt = nt, .x = x, .tri = tri};
    if (nv < 4 || nt < 4)
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: %d vertices and %d triangles are no body", name, nv, nt);
    tl_arena work;
    tl_arena_init(&work, ctx);
    b.normal = tl_arena_alloc(&work, sizeof *b.normal * (size_t)nt);
    b.edges = TL_ARENA(&work, edge, 6 * (int64_t)nt);
    b.across = tl_arena_alloc(&work, sizeof *b.across * (size_t)nt);
    b.group = TL_ARENA(&work, int32_t, nt);
    b.number = TL_ARENA(&work, int32_t, nv);
    double *area = TL_ARENA(&work, double, nt), *keyed = TL_ARENA(&work, double, 4 * (int64_t)nt);
    int32_t *order = TL_ARENA(&work, int32_t, 2 * (int64_t)nt), *next = TL_ARENA(&work, int32_t, nv),
            *loop = TL_ARENA(&work, int32_t, 3 * (int64_t)nt);
    talus_status status = TALUS_OK;
    if (!b.normal || !b.edges || !b.across || !b.group || !b.number || !area || !keyed || !order || !next ||
        !loop)
        status = tl_nomem(ctx, sizeof(edge) * 6 * (size_t)nt);
    if (status >= 0)
        status = find_neighbours(&b);
    if (status >= 0) {
        for (int32_t t = 0; t < nt; t++) {
            keyed[2 * t] = area[t] = triangle_normal(&b, t, b.normal[t]);
            keyed[2 * t + 1] = t;
        }
        tl_sort(keyed, nt, 2 * sizeof(double), by_area, keyed + 2 * (int64_t)nt);
        for (int32_t t = 0; t < nt; t++)
            order[t] = (int32_t)keyed[2 * t + 1];
        status = write_hull(&b, group_triangles(&b, order + nt, area, order), next, loop, out);
    }
    tl_arena_fini(&work);
    return status;
}
