// SPDX-License-Identifier: MIT
// VTK's legacy files (.vtk), ASCII and binary (big-endian), versions to 5.1:
//
//     # vtk DataFile Version 2.0
//     title
//     ASCII | BINARY
//     DATASET UNSTRUCTURED_GRID
//     POINTS n type              3 n numbers
//     CELLS n size               for each cell: how many points, the points           (before 5.1)
//     CELLS n+1 m                OFFSETS type: n+1 ends; CONNECTIVITY type: m points     (5.1)
//     CELL_TYPES n               n numbers of vtkCellType.h
//
// FIELD and METADATA may stand between them; POINT_DATA and CELL_DATA end what is read.
#include "mesh_vtk_cells.h"

#include <stdio.h>
#include <strings.h>

typedef struct vtk {
    tl_mesh_file* m;
    tl_scan s;
    tl_vtk_array points, ends, connectivity, types;
    int64_t ncell;
    bool has_points, has_cells, has_types;
} vtk;

static talus_status find_type(tl_scan* s, tl_number* type)
{
    static const struct {
        const char* name;
        tl_number type;
    } types[] = {{"char", TL_INT8},          {"unsigned_char", TL_UINT8},
                 {"short", TL_INT16},        {"unsigned_short", TL_UINT16},
                 {"int", TL_INT32},          {"unsigned_int", TL_UINT32},
                 {"long", TL_INT64},         {"unsigned_long", TL_UINT64},
                 {"vtktypeint64", TL_INT64}, {"vtktypeuint64", TL_UINT64},
                 {"vtktypeint32", TL_INT32}, {"vtkidtype", TL_INT32},
                 {"float", TL_FLOAT32},      {"double", TL_FLOAT64}};
    int32_t length;
    const char* word = tl_scan_word(s, &length);
    *type = TL_INT8;
    for (int32_t i = 0; i < TL_COUNT(types); i++)
        if (tl_scan_is(word, length, types[i].name)) {
            *type = types[i].type;
            return TALUS_OK;
        }
    if (word)
        s->p = word;
    return tl_scan_bad(s, "'%.*s' is no type of numbers; expected: float, double, int, vtktypeint64, ...",
                       word ? TL_MIN(length, 40) : 0, word ? word : "");
}

// n numbers: in place where they are binary; text becomes doubles or 64-bit integers. The rest of the line of
// their heading comes before.
static talus_status read_array(vtk* v, int64_t n, tl_number type, tl_vtk_array* out)
{
    tl_scan* s = &v->s;
    TL_TRY(tl_scan_line_end(s));
    *out = (tl_vtk_array){.n = n, .type = type, .swap = s->swap, .from = *s};
    if (s->binary)
        return tl_scan_binary(s, type, n, &out->data);
    TL_TRY(tl_scan_room(s, n, 2, "numbers"));
    const bool real = type == TL_FLOAT32 || type == TL_FLOAT64;
    out->type = real ? TL_FLOAT64 : TL_INT64;
    out->swap = false;
    char* data = tl_arena_alloc(&v->m->scratch, 8 * (size_t)TL_MAX(n, 1));
    if (!data)
        return tl_nomem(v->m->ctx, 8 * (size_t)n);
    for (int64_t i = 0; i < n; i++)
        TL_TRY(real ? tl_scan_double(s, (double*)(void*)data + i)
                    : tl_scan_int(s, INT64_MIN, INT64_MAX, (int64_t*)(void*)data + i));
    out->data = data;
    return TALUS_OK;
}

static talus_status read_points(vtk* v)
{
    int64_t n;
    tl_number type;
    TL_TRY(tl_scan_int(&v->s, 0, INT32_MAX, &n));
    TL_TRY(find_type(&v->s, &type));
    v->has_points = true;
    return read_array(v, 3 * n, type, &v->points);
}

// the old list "3 a b c 4 a b c d": ends and points apart
static talus_status split_list(vtk* v, const tl_vtk_array* list)
{
    int64_t *ends = tl_arena_alloc(&v->m->scratch, 8 * (size_t)TL_MAX(v->ncell, 1)),
            *points = tl_arena_alloc(&v->m->scratch, 8 * (size_t)TL_MAX(list->n, 1)), at = 0, n = 0;
    if (!ends || !points)
        return tl_nomem(v->m->ctx, 8 * (size_t)list->n);
    for (int64_t i = 0; i < v->ncell; i++) {
        const int64_t count = at < list->n ? tl_vtk_int(list, at++) : -1;
        if (count < 0 || count > list->n - at)
            return tl_scan_bad(&v->s,
                               "cell %lld has %lld points, but %lld numbers are left of the %lld that "
                               "CELLS tells",
                               (long long)i, (long long)count, (long long)(list->n - at), (long long)list->n);
        for (int64_t k = 0; k < count; k++)
            points[n++] = tl_vtk_int(list, at++);
        ends[i] = n;
    }
    if (at != list->n)
        return tl_scan_bad(&v->s, "%lld numbers for %lld cells; expected: %lld", (long long)list->n,
                           (long long)v->ncell, (long long)at);
    v->ends = (tl_vtk_array){.n = v->ncell, .type = TL_INT64, .data = (char*)ends, .from = list->from};
    v->connectivity =
        (tl_vtk_array){.n = n, .type = TL_INT64, .data = (char*)points, .from = list->from, .counted = true};
    return TALUS_OK;
}

static talus_status read_named(vtk* v, const char* name, int64_t n, tl_vtk_array* out)
{
    int32_t length;
    tl_number type;
    const char* word = tl_scan_word(&v->s, &length);
    if (!tl_scan_is(word, length, name))
        return tl_scan_bad(&v->s, "expected: %s", name);
    TL_TRY(find_type(&v->s, &type));
    return read_array(v, n, type, out);
}

static talus_status read_cells(vtk* v)
{
    tl_scan* s = &v->s;
    int64_t n, size;
    TL_TRY(tl_scan_int(s, 0, INT32_MAX, &n));
    TL_TRY(tl_scan_int(s, 0, INT64_MAX / 16, &size));
    v->has_cells = true;
    tl_scan ahead = *s;
    int32_t length;
    const char* word = tl_scan_word(&ahead, &length);
    if (!tl_scan_is(word, length, "OFFSETS")) {
        tl_vtk_array list;
        v->ncell = n;
        TL_TRY(read_array(v, size, TL_INT32, &list));
        return split_list(v, &list);
    }
    TL_TRY(tl_scan_line_end(s));
    TL_TRY(read_named(v, "OFFSETS", n, &v->ends));
    TL_TRY(read_named(v, "CONNECTIVITY", size, &v->connectivity));
    if (n == 0)
        return TALUS_OK;
    // the first offset is 0: ends are the others
    if (tl_vtk_int(&v->ends, 0) != 0)
        return tl_scan_bad(s, "the first offset is %lld; expected: 0", (long long)tl_vtk_int(&v->ends, 0));
    v->ncell = v->ends.n = n - 1;
    v->ends.data += tl_number_size(v->ends.type);
    if (s->binary)
        v->ends.from.p += tl_number_size(v->ends.type);
    else
        tl_scan_word(&v->ends.from, &length);
    return TALUS_OK;
}

static talus_status read_types(vtk* v)
{
    int64_t n;
    TL_TRY(tl_scan_int(&v->s, 0, INT32_MAX, &n));
    v->has_types = true;
    return read_array(v, n, TL_INT32, &v->types);
}

// FIELD name n, then for each "name components tuples type" and the numbers
static talus_status skip_field(vtk* v)
{
    int32_t length;
    int64_t n, components, tuples;
    tl_number type;
    tl_scan_word(&v->s, &length);
    TL_TRY(tl_scan_int(&v->s, 0, INT32_MAX, &n));
    for (int64_t i = 0; i < n; i++) {
        tl_vtk_array unused;
        tl_scan_word(&v->s, &length);
        TL_TRY(tl_scan_int(&v->s, 0, INT32_MAX, &components));
        TL_TRY(tl_scan_int(&v->s, 0, INT32_MAX, &tuples));
        TL_TRY(find_type(&v->s, &type));
        TL_TRY(read_array(v, components * tuples, type, &unused));
    }
    return TALUS_OK;
}

// lines up to a blank one
static void skip_metadata(tl_scan* s)
{
    tl_scan_skip_line(s);
    while (s->p < s->end && *s->p != '\n' && *s->p != '\r')
        tl_scan_skip_line(s);
}

static talus_status read_header(vtk* v)
{
    tl_scan* s = &v->s;
    int32_t length;
    if (strncasecmp(s->p, "# vtk DataFile Version", 22) != 0)
        return tl_scan_bad(s, "expected: '# vtk DataFile Version'");
    tl_scan_skip_line(s);
    tl_scan_skip_line(s); // the title
    const char* word = tl_scan_word(s, &length);
    const bool binary = tl_scan_is(word, length, "BINARY");
    if (!binary && !tl_scan_is(word, length, "ASCII"))
        return tl_scan_bad(s, "expected: ASCII or BINARY");
    word = tl_scan_word(s, &length);
    if (!tl_scan_is(word, length, "DATASET"))
        return tl_scan_bad(s, "expected: DATASET UNSTRUCTURED_GRID");
    word = tl_scan_word(s, &length);
    if (!tl_scan_is(word, length, "UNSTRUCTURED_GRID"))
        return tl_scan_bad(s, "a data set '%.*s'; expected: UNSTRUCTURED_GRID", TL_MIN(length, 40),
                           word ? word : "");
    const uint16_t one = 1;
    s->binary = binary;
    s->swap = *(const char*)&one == 1; // the file has the high byte first
    return TALUS_OK;
}

static talus_status read_sections(vtk* v)
{
    static const struct {
        const char* name;
        talus_status (*read)(vtk*);
    } sections[] = {
        {"POINTS", read_points}, {"CELLS", read_cells}, {"CELL_TYPES", read_types}, {"FIELD", skip_field}};
    tl_scan* s = &v->s;
    for (;;) {
        int32_t length, k = 0;
        s->where = NULL;
        const char* word = tl_scan_word(s, &length);
        if (!word || tl_scan_is(word, length, "POINT_DATA") || tl_scan_is(word, length, "CELL_DATA"))
            return TALUS_OK;
        if (tl_scan_is(word, length, "METADATA")) {
            skip_metadata(s);
            continue;
        }
        while (k < TL_COUNT(sections) && !tl_scan_is(word, length, sections[k].name))
            k++;
        if (k == TL_COUNT(sections)) {
            s->p = word;
            return tl_scan_bad(s, "'%.*s'; expected: POINTS, CELLS or CELL_TYPES", TL_MIN(length, 40), word);
        }
        s->where = sections[k].name;
        TL_TRY(sections[k].read(v));
    }
}

talus_status tl_mesh_read_vtk(tl_mesh_file* m, const char* text, size_t bytes)
{
    vtk v = {.m = m, .s = {.m = m, .begin = text, .p = text, .end = text + bytes, .line0 = 1}};
    TL_TRY(read_header(&v));
    TL_TRY(read_sections(&v));
    v.s.where = NULL;
    if (!v.has_points || !v.has_cells || !v.has_types)
        return tl_scan_bad(&v.s, "the file ends without %s",
                           !v.has_points  ? "POINTS"
                           : !v.has_cells ? "CELLS"
                                          : "CELL_TYPES");
    if (v.types.n != v.ncell)
        return tl_mesh_file_bad(m, "CELL_TYPES: %lld types for %lld cells", (long long)v.types.n,
                                (long long)v.ncell);
    const int64_t nv = v.points.n / 3;
    double* x = tl_arena_alloc(&m->scratch, sizeof(double) * (size_t)TL_MAX(v.points.n, 1));
    if (!x)
        return tl_nomem(m->ctx, sizeof(double) * (size_t)v.points.n);
    tl_cells c;
    TL_TRY(tl_vtk_points(&v.points, x));
    TL_TRY(tl_cells_begin(&c, m, tl_vtk_kinds, v.ncell));
    TL_TRY(tl_vtk_cells(&c, 0, nv, &v.types, &v.ends, &v.connectivity));
    return tl_cells_end(&c, nv, x);
}
