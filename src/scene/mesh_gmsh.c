// SPDX-License-Identifier: MIT
// Gmsh's .msh, versions 2.x and 4.1, text and binary. Both have $MeshFormat, $Nodes, $Elements; other sections
// are passed over. A node has a tag, any positive number; elements name tags.
//
//     2.x  $Nodes      n; n times: tag x y z
//          $Elements   n; text: n times: tag type k (k tags) nodes; binary: blocks [type count k] of such rows
//     4.1  $Nodes      blocks nodes least most; for each: dim entity parametric n; n tags; n times: x y z (u v w)
//          $Elements   blocks elements least most; for each: dim entity type n; n times: tag nodes
//
// Binary: int32 and float64, in 4.1 counts and tags are size_t; the number 1 behind the version tells the byte order.
#include "mesh_file.h"

#include <math.h>
#include <stdio.h>

#define MAX_NODES 4
#define MAX_TAG (INT64_MAX / 2)

static const tl_cell_kind kinds[] = {{1, 2, 1, "lines"},
                                     {2, 3, 2, "triangles"},
                                     {3, 4, 2, "quadrilaterals"},
                                     {4, 4, 3, "tetrahedra"},
                                     {5, 8, 3, "hexahedra"},
                                     {6, 6, 3, "prisms"},
                                     {7, 5, 3, "pyramids"},
                                     {8, 3, 1, "second-order lines"},
                                     {9, 6, 2, "second-order triangles"},
                                     {10, 9, 2, "second-order quadrilaterals"},
                                     {11, 10, 3, "second-order tetrahedra"},
                                     {12, 27, 3, "second-order hexahedra"},
                                     {13, 18, 3, "second-order prisms"},
                                     {14, 14, 3, "second-order pyramids"},
                                     {15, 1, 0, "points"},
                                     {16, 8, 2, "eight-node quadrilaterals"},
                                     {17, 20, 3, "twenty-node hexahedra"},
                                     {18, 15, 3, "fifteen-node prisms"},
                                     {19, 13, 3, "thirteen-node pyramids"},
                                     {20, 9, 2, "incomplete third-order triangles"},
                                     {21, 10, 2, "third-order triangles"},
                                     {22, 12, 2, "incomplete fourth-order triangles"},
                                     {23, 15, 2, "fourth-order triangles"},
                                     {24, 15, 2, "incomplete fifth-order triangles"},
                                     {25, 21, 2, "fifth-order triangles"},
                                     {26, 4, 1, "third-order lines"},
                                     {27, 5, 1, "fourth-order lines"},
                                     {28, 6, 1, "fifth-order lines"},
                                     {29, 20, 3, "third-order tetrahedra"},
                                     {30, 35, 3, "fourth-order tetrahedra"},
                                     {31, 56, 3, "fifth-order tetrahedra"},
                                     {92, 64, 3, "third-order hexahedra"},
                                     {93, 125, 3, "fourth-order hexahedra"},
                                     {0, 0, 0, NULL}};

typedef struct tag {
    int64_t tag;
    int32_t node;
} tag;

typedef struct gmsh {
    tl_mesh_file* m;
    tl_scan s;
    bool v4;
    tl_number count; // of counts and tags in binary 4.1
    int64_t nv;
    double* x; // (nv x 3)
    tag* tags; // (nv) in order of tags
    tl_cells cells;
    bool has_nodes, has_cells;
} gmsh;

// ---- numbers, text or binary ----------------------------------------------------------------------------

static talus_status read_int(gmsh* g, int64_t least, int64_t most, int64_t* out)
{
    return g->s.binary ? tl_scan_binary_int(&g->s, TL_INT32, least, most, out)
                       : tl_scan_int(&g->s, least, most, out);
}

/// Counts and tags: size_t in binary 4.1.
static talus_status read_count(gmsh* g, int64_t least, int64_t most, int64_t* out)
{
    return g->s.binary && g->v4 ? tl_scan_binary_int(&g->s, g->count, least, most, out)
                                : read_int(g, least, most, out);
}

static talus_status read_coordinates(gmsh* g, double* x)
{
    const char* data;
    if (!g->s.binary) {
        for (int k = 0; k < 3; k++)
            TL_TRY(tl_scan_double(&g->s, x + k));
        return TALUS_OK;
    }
    TL_TRY(tl_scan_binary(&g->s, TL_FLOAT64, 3, &data));
    for (int k = 0; k < 3; k++) {
        x[k] = tl_number_double(data, TL_FLOAT64, k, g->s.swap);
        if (!isfinite(x[k])) {
            g->s.p = data + 8 * k;
            return tl_scan_bad(&g->s, "%g; expected: a finite number", x[k]);
        }
    }
    return TALUS_OK;
}

// ---- nodes ----------------------------------------------------------------------------------------------

static int by_tag(const void* a, const void* b)
{
    const int64_t x = ((const tag*)a)->tag, y = ((const tag*)b)->tag;
    return (x > y) - (x < y);
}

static talus_status make_nodes(gmsh* g, int64_t n)
{
    TL_TRY(tl_scan_room(&g->s, n, g->s.binary ? 24 : 8, "nodes"));
    if (n > INT32_MAX)
        return tl_scan_bad(&g->s, "%lld nodes; expected: at most %d", (long long)n, INT32_MAX);
    g->nv = n;
    g->x = tl_arena_alloc(&g->m->scratch, sizeof(double) * 3 * (size_t)TL_MAX(n, 1));
    g->tags = tl_arena_alloc(&g->m->scratch, sizeof(tag) * 2 * (size_t)TL_MAX(n, 1));
    return g->x && g->tags ? TALUS_OK : tl_nomem(g->m->ctx, sizeof(tag) * 2 * (size_t)n);
}

static talus_status sort_tags(gmsh* g)
{
    bool sorted = true;
    for (int64_t i = 1; i < g->nv && sorted; i++)
        sorted = g->tags[i - 1].tag < g->tags[i].tag;
    if (!sorted)
        tl_sort(g->tags, (int32_t)g->nv, sizeof(tag), by_tag, g->tags + g->nv);
    for (int64_t i = 1; i < g->nv; i++)
        if (g->tags[i].tag == g->tags[i - 1].tag)
            return tl_scan_bad(&g->s, "two nodes have the tag %lld", (long long)g->tags[i].tag);
    return TALUS_OK;
}

/// A tag of an element to the index of its node.
static talus_status find_node(gmsh* g, const char* at, int64_t name, int64_t* node)
{
    int64_t lo = 0, hi = g->nv;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (g->tags[mid].tag < name)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == g->nv || g->tags[lo].tag != name) {
        g->s.p = at;
        return tl_scan_bad(&g->s, "no node has the tag %lld; expected: one of the %lld in $Nodes",
                           (long long)name, (long long)g->nv);
    }
    *node = g->tags[lo].node;
    return TALUS_OK;
}

static talus_status read_nodes2(gmsh* g)
{
    int64_t n;
    TL_TRY(tl_scan_int(&g->s, 0, INT32_MAX, &n)); // text in binary files too
    TL_TRY(tl_scan_line_end(&g->s));
    TL_TRY(make_nodes(g, n));
    for (int64_t i = 0; i < n; i++) {
        g->tags[i].node = (int32_t)i;
        TL_TRY(read_int(g, 0, INT32_MAX, &g->tags[i].tag));
        TL_TRY(read_coordinates(g, g->x + 3 * i));
    }
    return TALUS_OK;
}

static talus_status read_nodes4(gmsh* g)
{
    int64_t blocks, n, unused, total = 0;
    TL_TRY(read_count(g, 0, INT32_MAX, &blocks));
    TL_TRY(read_count(g, 0, INT32_MAX, &n));
    TL_TRY(read_count(g, 0, MAX_TAG, &unused));
    TL_TRY(read_count(g, 0, MAX_TAG, &unused));
    TL_TRY(make_nodes(g, n));
    for (int64_t b = 0; b < blocks; b++) {
        int64_t dim, parametric, count;
        TL_TRY(read_int(g, 0, 3, &dim));
        TL_TRY(read_int(g, INT32_MIN, INT32_MAX, &unused));
        TL_TRY(read_int(g, 0, 1, &parametric));
        TL_TRY(read_count(g, 0, n - total, &count));
        for (int64_t i = total; i < total + count; i++) {
            g->tags[i].node = (int32_t)i;
            TL_TRY(read_count(g, 0, MAX_TAG, &g->tags[i].tag));
        }
        for (int64_t i = total; i < total + count; i++) {
            TL_TRY(read_coordinates(g, g->x + 3 * i));
            double uvw;
            for (int64_t k = 0; parametric && k < dim; k++) {
                const char* data;
                TL_TRY(g->s.binary ? tl_scan_binary(&g->s, TL_FLOAT64, 1, &data)
                                   : tl_scan_double(&g->s, &uvw));
            }
        }
        total += count;
    }
    if (total != n)
        return tl_scan_bad(&g->s, "%lld nodes in all blocks; expected: %lld", (long long)total, (long long)n);
    return TALUS_OK;
}

static talus_status read_nodes(gmsh* g)
{
    if (g->has_nodes)
        return tl_scan_bad(&g->s, "a second section");
    g->has_nodes = true;
    TL_TRY(g->v4 ? read_nodes4(g) : read_nodes2(g));
    return sort_tags(g);
}

// ---- elements -------------------------------------------------------------------------------------------

static talus_status find_kind(gmsh* g, const char* at, int64_t type, int32_t* kind)
{
    *kind = tl_cell_find(&g->cells, type);
    if (*kind >= 0)
        return TALUS_OK;
    g->s.p = at;
    return tl_scan_bad(&g->s, "unknown type %lld of elements", (long long)type);
}

static talus_status read_cell(gmsh* g, int32_t kind)
{
    int64_t node[MAX_NODES] = {0}, name = 0, index = 0;
    for (int32_t k = 0; k < kinds[kind].nodes; k++) {
        const char* at = g->s.p;
        TL_TRY(read_count(g, 0, MAX_TAG, &name));
        TL_TRY(find_node(g, at, name, &index));
        if (k < MAX_NODES)
            node[k] = index;
    }
    tl_cells_add(&g->cells, kind, node);
    return TALUS_OK;
}

static talus_status read_tags(gmsh* g, int64_t n)
{
    int64_t unused;
    for (int64_t i = 0; i < n; i++)
        TL_TRY(read_int(g, INT32_MIN, INT32_MAX, &unused));
    return TALUS_OK;
}

static talus_status read_cells2(gmsh* g)
{
    int64_t n, type, count = 1, ntag, unused;
    TL_TRY(tl_scan_int(&g->s, 0, INT32_MAX, &n));
    TL_TRY(tl_scan_line_end(&g->s));
    TL_TRY(tl_scan_room(&g->s, n, 8, "elements"));
    TL_TRY(tl_cells_begin(&g->cells, g->m, kinds, n));
    for (int64_t done = 0; done < n; done += count) {
        int32_t kind;
        if (!g->s.binary)
            TL_TRY(read_int(g, 0, INT32_MAX, &unused));
        const char* at = g->s.p;
        TL_TRY(read_int(g, 0, INT32_MAX, &type));
        TL_TRY(find_kind(g, at, type, &kind));
        if (g->s.binary)
            TL_TRY(read_int(g, 1, n - done, &count));
        TL_TRY(read_int(g, 0, INT32_MAX, &ntag));
        for (int64_t i = 0; i < count; i++) {
            if (g->s.binary)
                TL_TRY(read_int(g, 0, INT32_MAX, &unused));
            TL_TRY(read_tags(g, ntag));
            TL_TRY(read_cell(g, kind));
        }
    }
    return TALUS_OK;
}

static talus_status read_cells4(gmsh* g)
{
    int64_t blocks, n, unused, total = 0;
    TL_TRY(read_count(g, 0, INT32_MAX, &blocks));
    TL_TRY(read_count(g, 0, INT32_MAX, &n));
    TL_TRY(read_count(g, 0, MAX_TAG, &unused));
    TL_TRY(read_count(g, 0, MAX_TAG, &unused));
    TL_TRY(tl_scan_room(&g->s, n, 4, "elements"));
    TL_TRY(tl_cells_begin(&g->cells, g->m, kinds, n));
    for (int64_t b = 0; b < blocks; b++) {
        int64_t type, count;
        int32_t kind;
        TL_TRY(read_int(g, 0, 3, &unused));
        TL_TRY(read_int(g, INT32_MIN, INT32_MAX, &unused));
        const char* at = g->s.p;
        TL_TRY(read_int(g, 0, INT32_MAX, &type));
        TL_TRY(find_kind(g, at, type, &kind));
        TL_TRY(read_count(g, 0, n - total, &count));
        for (int64_t i = 0; i < count; i++) {
            TL_TRY(read_count(g, 0, MAX_TAG, &unused));
            TL_TRY(read_cell(g, kind));
        }
        total += count;
    }
    if (total != n)
        return tl_scan_bad(&g->s, "%lld elements in all blocks; expected: %lld", (long long)total,
                           (long long)n);
    return TALUS_OK;
}

static talus_status read_cells(gmsh* g)
{
    if (g->has_cells)
        return tl_scan_bad(&g->s, "a second section");
    if (!g->has_nodes)
        return tl_scan_bad(&g->s, "expected: $Nodes before it");
    g->has_cells = true;
    return g->v4 ? read_cells4(g) : read_cells2(g);
}

// ---- sections -------------------------------------------------------------------------------------------

static talus_status read_format(gmsh* g)
{
    tl_scan* s = &g->s;
    double version;
    int64_t binary, size;
    TL_TRY(tl_scan_double(s, &version));
    g->v4 = version == 4.1;
    if (!g->v4 && !(version >= 2.0 && version < 3.0))
        return tl_scan_bad(s, "version %g; expected: 2.2 or 4.1", version);
    TL_TRY(tl_scan_int(s, 0, 1, &binary));
    TL_TRY(tl_scan_int(s, 4, 8, &size));
    if (size != 8 && !(g->v4 && size == 4))
        return tl_scan_bad(s, "numbers of %lld bytes; expected: 8", (long long)size);
    g->count = size == 8 ? TL_UINT64 : TL_UINT32;
    TL_TRY(tl_scan_line_end(s));
    if (!binary)
        return TALUS_OK;
    const char* data;
    s->binary = true;
    TL_TRY(tl_scan_binary(s, TL_INT32, 1, &data));
    s->swap = tl_number_int(data, TL_INT32, 0, false) != 1;
    if (tl_number_int(data, TL_INT32, 0, s->swap) == 1)
        return TALUS_OK;
    s->p = data;
    return tl_scan_bad(s, "expected: the number 1, which tells the byte order");
}

static talus_status skip_section(gmsh* g, const char* name, int32_t length)
{
    char close[80];
    const int n = snprintf(close, sizeof close, "$End%.*s", TL_MIN(length, 60) - 1, name + 1);
    tl_scan* s = &g->s;
    for (const char* p = s->p; p + n <= s->end; p++)
        if (*p == '$' && memcmp(p, close, (size_t)n) == 0) {
            s->p = p;
            return TALUS_OK;
        }
    return tl_scan_bad(s, "the file ends without %s", close);
}

static talus_status read_section(gmsh* g, const char* name, int32_t length)
{
    static const struct {
        const char* name;
        talus_status (*read)(gmsh*);
    } sections[] = {{"$MeshFormat", read_format}, {"$Nodes", read_nodes}, {"$Elements", read_cells}};
    tl_scan* s = &g->s;
    int32_t k = 0, end_length;
    while (k < TL_COUNT(sections) && !tl_scan_is(name, length, sections[k].name))
        k++;
    if (k == TL_COUNT(sections) || (k == 0) != (s->where == NULL)) {
        if (k == 0 || !s->where)
            return tl_scan_bad(s, "expected: one $MeshFormat, as the first section");
        TL_TRY(skip_section(g, name, length));
    } else {
        s->where = sections[k].name;
        TL_TRY(tl_scan_line_end(s));
        TL_TRY(sections[k].read(g));
    }
    const char* end = tl_scan_word(s, &end_length);
    if (end && end_length == length + 3 && strncmp(end, "$End", 4) == 0 &&
        strncmp(end + 4, name + 1, (size_t)length - 1) == 0)
        return TALUS_OK;
    s->p = end ? end : s->end;
    return tl_scan_bad(s, "expected: $End%.*s", TL_MIN(length, 40) - 1, name + 1);
}

talus_status tl_mesh_read_gmsh(tl_mesh_file* m, const char* text, size_t bytes)
{
    gmsh g = {.m = m, .s = {.m = m, .begin = text, .p = text, .end = text + bytes, .line0 = 1}};
    int32_t length;
    const char* word;
    while (!g.has_cells && (word = tl_scan_word(&g.s, &length))) {
        if (word[0] != '$' || length < 2) {
            g.s.p = word;
            return tl_scan_bad(&g.s, "'%.*s'; expected: a section, $Nodes or $Elements", TL_MIN(length, 40),
                               word);
        }
        TL_TRY(read_section(&g, word, length));
    }
    g.s.where = NULL;
    if (!g.has_cells)
        return tl_scan_bad(&g.s, "the file ends without %s", g.has_nodes ? "$Elements" : "$Nodes");
    return tl_cells_end(&g.cells, g.nv, g.x);
}
