// SPDX-License-Identifier: MIT
// Is a surface closed? Vertices at the same place count as one (files of loose triangles repeat them);
// triangles with two equal corners are left out; then every directed edge must have its opposite.
#include "mesh.h"

typedef struct edge {
    int32_t a, b;
} edge;

typedef struct point {
    double p[3];
    int32_t id;
} point;

static int by_place(const void* x, const void* y)
{
    const point *a = x, *b = y;
    for (int k = 0; k < 3; k++)
        if (a->p[k] != b->p[k])
            return a->p[k] < b->p[k] ? -1 : 1;
    return 0;
}

static int by_edge(const void* x, const void* y)
{
    // undirected: both directions of an edge stand together
    const edge *a = x, *b = y;
    const int32_t alo = TL_MIN(a->a, a->b), blo = TL_MIN(b->a, b->b), ahi = TL_MAX(a->a, a->b),
                  bhi = TL_MAX(b->a, b->b);
    if (alo != blo)
        return alo < blo ? -1 : 1;
    return ahi < bhi ? -1 : ahi > bhi;
}

/// map[i]: the first vertex at the place of vertex i
static void merge_vertices(const tl_spec_mesh* m, point* points, int32_t* map)
{
    for (int64_t i = 0; i < m->nvert; i++) {
        memcpy(points[i].p, m->vert + 3 * i, sizeof points[i].p);
        points[i].id = (int32_t)i;
    }
    qsort(points, (size_t)m->nvert, sizeof *points, by_place);
    int32_t first = 0;
    for (int64_t i = 0; i < m->nvert; i++) {
        if (i == 0 || by_place(&points[i - 1], &points[i]) != 0)
            first = points[i].id;
        map[points[i].id] = first;
    }
}

talus_status tl_mesh_open_edges(tl_spec* s, const tl_spec_mesh* m, int64_t* count)
{
    point* points = tl_alloc(s->ctx, sizeof *points * (size_t)m->nvert);
    int32_t* map = tl_alloc(s->ctx, sizeof *map * (size_t)m->nvert);
    edge* edges = tl_alloc(s->ctx, sizeof *edges * 3 * (size_t)m->nface);
    talus_status status =
        points && map && edges ? TALUS_OK : tl_nomem(s->ctx, sizeof *edges * 3 * (size_t)m->nface);
    *count = 0;
    if (status == TALUS_OK) {
        merge_vertices(m, points, map);
        int64_t n = 0;
        for (int64_t i = 0; i < m->nface; i++) {
            const int32_t *f = m->face + 3 * i, a = map[f[0]], b = map[f[1]], c = map[f[2]];
            if (a == b || b == c || a == c)
                continue;
            edges[n++] = (edge){a, b};
            edges[n++] = (edge){b, c};
            edges[n++] = (edge){c, a};
        }
        qsort(edges, (size_t)n, sizeof *edges, by_edge);
        for (int64_t i = 0, j; i < n; i = j) {
            int64_t balance = 0;
            for (j = i; j < n && by_edge(&edges[i], &edges[j]) == 0; j++)
                balance += edges[j].a < edges[j].b ? 1 : -1;
            *count += balance < 0 ? -balance : balance;
        }
    }
    tl_free(s->ctx, points);
    tl_free(s->ctx, map);
    tl_free(s->ctx, edges);
    return status;
}
