// SPDX-License-Identifier: MIT
// What mesh files with cells of many kinds have in common. A file with tetrahedra is a volume: its points,
// lines and triangles are the marks that mesh generators leave on the boundary and are passed over; other
// solids would leave holes and are an error that counts them. A file without is a surface of triangles.
#include "mesh_file.h"

#include "patch.h"

#include <stdio.h>

#define MAX_CELLS (INT32_MAX / 16) // products with sides and corners stay below 2^31

talus_status tl_cells_begin(tl_cells* c, tl_mesh_file* m, const tl_cell_kind* kinds, int64_t n)
{
    *c = (tl_cells){.m = m, .kinds = kinds, .cap = n};
    if (n > MAX_CELLS)
        return tl_mesh_file_bad(m, "%lld cells; expected: at most %d", (long long)n, MAX_CELLS);
    c->tet = tl_arena_alloc(&m->scratch, sizeof(int32_t) * 4 * (size_t)TL_MAX(n, 1));
    c->tri = tl_arena_alloc(&m->scratch, sizeof(int32_t) * 3 * (size_t)TL_MAX(n, 1));
    return c->tet && c->tri ? TALUS_OK : tl_nomem(m->ctx, sizeof(int32_t) * 4 * (size_t)n);
}

int32_t tl_cell_find(const tl_cells* c, int64_t id)
{
    for (int32_t k = 0; c->kinds[k].id; k++)
        if (c->kinds[k].id == id)
            return k;
    return -1;
}

static bool is_tet(const tl_cell_kind* k)
{
    return k->dim == 3 && k->nodes == 4;
}

static bool is_triangle(const tl_cell_kind* k)
{
    return k->dim == 2 && k->nodes == 3;
}

void tl_cells_add(tl_cells* c, int32_t kind, const int64_t* node)
{
    const tl_cell_kind* k = &c->kinds[kind];
    c->count[kind]++;
    TL_ASSERT(c->ntet + c->ntri < c->cap);
    int32_t* to = is_tet(k) ? c->tet + 4 * c->ntet++ : is_triangle(k) ? c->tri + 3 * c->ntri++ : NULL;
    for (int32_t i = 0; to && i < k->nodes; i++)
        to[i] = (int32_t)node[i];
}

/// "12 hexahedra, 3 wedges": kinds of at least this dimension that are not kept
static int32_t list_others(const tl_cells* c, int32_t dim, char* text, size_t size)
{
    int32_t n = 0, used = 0;
    text[0] = '\0';
    for (int32_t k = 0; c->kinds[k].id; k++) {
        if (c->count[k] == 0 || c->kinds[k].dim < dim || is_tet(&c->kinds[k]) || is_triangle(&c->kinds[k]))
            continue;
        if ((size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, "%s%lld %s", n ? ", " : "",
                             (long long)c->count[k], c->kinds[k].name);
        n++;
    }
    return n;
}

/// Vertices that some tetrahedron names, in their order; the others would be in hulls and boxes.
static talus_status keep_used(tl_cells* c, int64_t nv, const double* x)
{
    tl_mesh_file* m = c->m;
    int32_t* number = tl_arena_alloc(&m->scratch, sizeof(int32_t) * (size_t)nv);
    if (!number)
        return tl_nomem(m->ctx, sizeof(int32_t) * (size_t)nv);
    memset(number, 0, sizeof(int32_t) * (size_t)nv);
    for (int64_t i = 0; i < 4 * c->ntet; i++)
        number[c->tet[i]] = 1;
    int32_t n = 0;
    for (int64_t i = 0; i < nv; i++)
        number[i] = number[i] ? n++ : -1;
    m->unused = nv - n;
    m->ntet = c->ntet;
    m->tet = tl_arena_alloc(m->memory, sizeof(int32_t) * 4 * (size_t)c->ntet);
    if (!m->tet)
        return tl_nomem(m->ctx, sizeof(int32_t) * 4 * (size_t)c->ntet);
    for (int64_t i = 0; i < 4 * c->ntet; i++)
        m->tet[i] = number[c->tet[i]];
    double* to = tl_arena_alloc(&m->scratch, sizeof(double) * 3 * (size_t)n);
    if (!to)
        return tl_nomem(m->ctx, sizeof(double) * 3 * (size_t)n);
    for (int64_t i = 0; i < nv; i++)
        if (number[i] >= 0)
            memcpy(to + 3 * (int64_t)number[i], x + 3 * i, 3 * sizeof *x);
    int32_t *tri = NULL, nt = 0;
    TL_TRY(tl_surface_of(m->ctx, (int32_t)m->ntet, m->tet, to, &tri, &nt));
    const talus_status status = tl_mesh_file_resize(m, n, nt);
    if (status >= 0) {
        memcpy(m->vert, to, sizeof(double) * 3 * (size_t)n);
        memcpy(m->face, tri, sizeof(int32_t) * 3 * (size_t)nt);
    }
    tl_free(m->ctx, tri);
    return status;
}

talus_status tl_cells_end(tl_cells* c, int64_t nv, const double* x)
{
    char others[300];
    if (list_others(c, 3, others, sizeof others))
        return tl_mesh_file_bad(c->m, "%s; expected: tetrahedra of four vertices and no other solid", others);
    if (c->ntet)
        return keep_used(c, nv, x);
    if (list_others(c, 2, others, sizeof others))
        return tl_mesh_file_bad(c->m, "no tetrahedra, but %s; expected: tetrahedra, or triangles only",
                                others);
    if (!c->ntri) {
        list_others(c, 0, others, sizeof others);
        return tl_mesh_file_bad(c->m, "no tetrahedra and no triangles%s%s", others[0] ? ", only " : "",
                                others);
    }
    TL_TRY(tl_mesh_file_resize(c->m, nv, c->ntri));
    memcpy(c->m->vert, x, sizeof(double) * 3 * (size_t)nv);
    memcpy(c->m->face, c->tri, sizeof(int32_t) * 3 * (size_t)c->ntri);
    return TALUS_OK;
}
