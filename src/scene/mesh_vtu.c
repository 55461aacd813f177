// SPDX-License-Identifier: MIT
// VTK's XML files (.vtu): an unstructured grid of pieces, each with arrays of points, connectivity, offsets (ends)
// and types. An array is
//
//     ascii      numbers as text
//     binary     base64 of [bytes] numbers, or compressed: base64 of [blocks, block, last, sizes] and of the blocks
//     appended   the same behind <AppendedData> and '_', at an offset; there base64 or raw
//
// Numbers in brackets have the type header_type. Raw data is no XML, so the file is cut there: libxml2 sees what
// is before, with its tags closed.
#define _GNU_SOURCE // memmem
#include "mesh_vtk_cells.h"
#include "xml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define MAX_RATIO 1040 // of zlib, a little more

typedef struct vtu {
    tl_mesh_file* m;
    const char *text, *end;
    tl_xml_node* root;
    tl_number header;
    bool swap, compressed, appended_base64;
    const char *appended, *appended_end; // NULL: none
} vtu;

typedef struct piece {
    const tl_xml_node* node;
    int64_t nv, ncell;
    tl_vtk_array points, connectivity, ends, types;
} piece;

// ---- bytes ----------------------------------------------------------------------------------------------

/// Bytes out of base64 or raw data.
typedef struct stream {
    bool base64;
    const char *p, *end;
    uint8_t group[3];
    int32_t have, used; // of the group
} stream;

static int32_t digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/// Four characters make three bytes; '=' at the end of a part makes fewer, and another part may follow.
static bool next_group(stream* s)
{
    int32_t value[4], n = 0, padding = 0;
    while (n < 4) {
        while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
            s->p++;
        if (s->p == s->end)
            return false;
        const char c = *s->p++;
        value[n] = c == '=' ? 0 : digit(c);
        padding += c == '=';
        if (value[n] < 0 || (c != '=' && padding) || (c == '=' && n < 2))
            return false;
        n++;
    }
    s->group[0] = (uint8_t)(value[0] << 2 | value[1] >> 4);
    s->group[1] = (uint8_t)(value[1] << 4 | value[2] >> 2);
    s->group[2] = (uint8_t)(value[2] << 6 | value[3]);
    s->have = 3 - padding;
    s->used = 0;
    return true;
}

static bool has_room(const stream* s, uint64_t bytes)
{
    return bytes <= (uint64_t)(s->end - s->p) + 3; // base64 holds less
}

static bool take(stream* s, void* out, size_t bytes)
{
    if (!s->base64) {
        if (bytes > (size_t)(s->end - s->p))
            return false;
        memcpy(out, s->p, bytes);
        s->p += bytes;
        return true;
    }
    uint8_t* to = out;
    for (size_t i = 0; i < bytes; i++) {
        if (s->used == s->have && !next_group(s))
            return false;
        to[i] = s->group[s->used++];
    }
    return true;
}

static talus_status bad_data(const tl_vtk_array* a, const char* text)
{
    return tl_scan_bad(&a->from, "%s", text);
}

static bool take_header(const vtu* v, stream* s, uint64_t* out)
{
    char bytes[8];
    if (!take(s, bytes, tl_number_size(v->header)))
        return false;
    const int64_t x = tl_number_int(bytes, v->header, 0, v->swap);
    *out = (uint64_t)x;
    return x >= 0 && x <= INT64_MAX / 16;
}

static talus_status take_plain(const vtu* v, stream* s, tl_vtk_array* a, uint64_t* bytes)
{
    if (!take_header(v, s, bytes) || !has_room(s, *bytes))
        return bad_data(a, "the data ends before its length says so");
    char* data = tl_arena_alloc(&v->m->scratch, (size_t)*bytes + 8);
    if (!data)
        return tl_nomem(v->m->ctx, (size_t)*bytes);
    if (!take(s, data, (size_t)*bytes))
        return bad_data(a, s->base64 ? "no base64, or the data ends before its length says so"
                                     : "the data ends before its length says so");
    a->data = data;
    return TALUS_OK;
}

static talus_status take_blocks(const vtu* v, stream* s, tl_vtk_array* a, uint64_t* bytes)
{
    uint64_t n, block, last, *size = NULL, total = 0, most = 0;
    if (!take_header(v, s, &n) || !take_header(v, s, &block) || !take_header(v, s, &last) ||
        !has_room(s, n) || (n > 0 && last > block))
        return bad_data(a, "the data ends within its table of compressed blocks");
    size = tl_arena_alloc(&v->m->scratch, 8 * (size_t)n + 8);
    if (!size)
        return tl_nomem(v->m->ctx, 8 * (size_t)n);
    for (uint64_t i = 0; i < n; i++) {
        if (!take_header(v, s, &size[i]) || !has_room(s, total + size[i]))
            return bad_data(a, "the data ends before its compressed blocks do");
        total += size[i];
        most = TL_MAX(most, size[i]);
    }
    if (n > 0 && block > INT64_MAX / 16 / n)
        return bad_data(a, "its compressed blocks are too large");
    *bytes = n == 0 ? 0 : (n - 1) * block + (last ? last : block);
    if (*bytes > MAX_RATIO * (total + 64))
        return bad_data(a, "its compressed blocks are too small for what they should hold");
    s->used = s->have; // a part of its own
    char *data = tl_arena_alloc(&v->m->scratch, (size_t)*bytes + 8),
         *packed = tl_arena_alloc(&v->m->scratch, (size_t)most + 8);
    if (!data || !packed)
        return tl_nomem(v->m->ctx, (size_t)*bytes);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t want = i + 1 < n || !last ? block : last;
        if (!take(s, packed, (size_t)size[i]) || !tl_inflate(packed, size[i], data + i * block, (size_t)want))
            return bad_data(a, "a compressed block is damaged");
    }
    a->data = data;
    return TALUS_OK;
}

// ---- arrays ---------------------------------------------------------------------------------------------

static talus_status bad_node(const vtu* v, const tl_xml_node* n, const char* fmt, ...) TL_PRINTF(3, 4);
static talus_status bad_node(const vtu* v, const tl_xml_node* n, const char* fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const tl_scan s = {.m = v->m, .begin = v->text, .p = v->text, .end = v->end, .line0 = n->line};
    return tl_scan_bad(&s, "<%.40s>: %s", n->name, text);
}

static const char* attribute(const tl_xml_node* n, const char* name, const char* otherwise)
{
    const char* value = tl_xml_get(n, name);
    return value ? value : otherwise;
}

static talus_status count_of(const vtu* v, const tl_xml_node* n, const char* name, int64_t most, int64_t* out)
{
    const char* value = attribute(n, name, "");
    char* stop;
    errno = 0;
    *out = strtoll(value, &stop, 10);
    if (stop == value || *stop || errno || *out < 0 || *out > most)
        return bad_node(v, n, "attribute '%s' is '%.40s'; expected: an integer from 0 to %lld", name, value,
                        (long long)most);
    return TALUS_OK;
}

static const tl_xml_node* child(const tl_xml_node* n, const char* name, const char* array)
{
    for (const tl_xml_node* c = n->child; c; c = c->next)
        if (strcmp(c->name, name) == 0 && (!array || strcmp(attribute(c, "Name", ""), array) == 0))
            return c;
    return NULL;
}

static talus_status number_type(const vtu* v, const tl_xml_node* n, const char* word, tl_number* out)
{
    static const char* const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int32_t i = 0; i < TL_COUNT(names); i++)
        if (strcmp(word, names[i]) == 0) {
            *out = (tl_number)i;
            return TALUS_OK;
        }
    return bad_node(v, n, "'%.40s' is no type of numbers; expected: Float64, Int64, UInt8, ...", word);
}

static talus_status read_text(const vtu* v, tl_vtk_array* a)
{
    tl_scan s = a->from;
    const bool real = a->type == TL_FLOAT32 || a->type == TL_FLOAT64;
    const int64_t cap = (s.end - s.p + 1) / 2;
    char* data = tl_arena_alloc(&v->m->scratch, 8 * (size_t)TL_MAX(cap, 1));
    if (!data)
        return tl_nomem(v->m->ctx, 8 * (size_t)cap);
    for (;;) {
        int32_t length;
        tl_scan ahead = s;
        if (!tl_scan_word(&ahead, &length))
            break;
        TL_TRY(real ? tl_scan_double(&s, (double*)(void*)data + a->n)
                    : tl_scan_int(&s, INT64_MIN, INT64_MAX, (int64_t*)(void*)data + a->n));
        a->n++;
    }
    a->type = real ? TL_FLOAT64 : TL_INT64;
    a->swap = false;
    a->data = data;
    return TALUS_OK;
}

/// The array of `parent` with this name; `want` numbers, -1: any.
static talus_status read_array(const vtu* v, const tl_xml_node* parent, const char* name, int64_t want,
                               tl_vtk_array* a)
{
    const tl_xml_node* n = child(parent, "DataArray", name);
    if (!n)
        return bad_node(v, parent, "no <DataArray%s%s%s>", name ? " Name=\"" : "", name ? name : "",
                        name ? "\"" : "");
    const char* format = attribute(n, "format", "ascii");
    const char* text = n->text ? n->text : "";
    *a = (tl_vtk_array){.swap = v->swap,
                        .from = {.m = v->m,
                                 .begin = text,
                                 .p = text,
                                 .end = text + n->ntext,
                                 .line0 = n->text_line,
                                 .where = name ? name : "points"}};
    TL_TRY(number_type(v, n, attribute(n, "type", ""), &a->type));
    if (strcmp(format, "ascii") == 0) {
        TL_TRY(read_text(v, a));
    } else {
        stream s = {.base64 = true, .p = text, .end = text + n->ntext};
        int64_t offset = 0;
        uint64_t bytes = 0;
        if (strcmp(format, "appended") == 0) {
            if (!v->appended)
                return bad_node(v, n, "appended data, but the file has no <AppendedData>");
            TL_TRY(count_of(v, n, "offset", v->appended_end - v->appended, &offset));
            s = (stream){.base64 = v->appended_base64, .p = v->appended + offset, .end = v->appended_end};
            a->from = (tl_scan){
                .m = v->m, .begin = v->text, .p = s.p, .end = v->end, .binary = true, .where = a->from.where};
        } else if (strcmp(format, "binary") != 0) {
            return bad_node(v, n, "format '%.40s'; expected: ascii, binary or appended", format);
        }
        TL_TRY(v->compressed ? take_blocks(v, &s, a, &bytes) : take_plain(v, &s, a, &bytes));
        a->encoded = s.base64 || v->compressed;
        if (!a->encoded)
            a->from.p += tl_number_size(v->header);
        if (bytes % tl_number_size(a->type) != 0)
            return bad_node(v, n, "%llu bytes are not a number of values of %zu bytes",
                            (unsigned long long)bytes, tl_number_size(a->type));
        a->n = (int64_t)(bytes / tl_number_size(a->type));
    }
    if (want >= 0 && a->n != want)
        return bad_node(v, n, "%lld numbers; expected: %lld", (long long)a->n, (long long)want);
    return TALUS_OK;
}

static talus_status read_piece(const vtu* v, piece* p)
{
    const tl_xml_node *points = child(p->node, "Points", NULL), *cells = child(p->node, "Cells", NULL);
    TL_TRY(count_of(v, p->node, "NumberOfPoints", INT32_MAX, &p->nv));
    TL_TRY(count_of(v, p->node, "NumberOfCells", INT32_MAX, &p->ncell));
    if (p->nv == 0 && p->ncell == 0)
        return TALUS_OK; // an empty piece need not have arrays
    if (!points || !cells)
        return bad_node(v, p->node, "no <%s>", points ? "Cells" : "Points");
    TL_TRY(read_array(v, points, NULL, 3 * p->nv, &p->points));
    TL_TRY(read_array(v, cells, "connectivity", -1, &p->connectivity));
    TL_TRY(read_array(v, cells, "offsets", p->ncell, &p->ends));
    return read_array(v, cells, "types", p->ncell, &p->types);
}

// ---- the file -------------------------------------------------------------------------------------------

/// Where appended data begins and ends; *xml: what libxml2 sees.
static talus_status cut_appended(vtu* v, const char** xml, size_t* bytes)
{
    static const char open[] = "<AppendedData", close[] = "</AppendedData",
                      rest[] = "</AppendedData></VTKFile>";
    *xml = v->text;
    *bytes = (size_t)(v->end - v->text);
    const char* tag = memmem(v->text, *bytes, open, sizeof open - 1);
    if (!tag)
        return TALUS_OK;
    const char* p = memchr(tag, '>', (size_t)(v->end - tag));
    if (!p)
        return TALUS_OK; // libxml2 will say so
    p++;
    const size_t head = (size_t)(p - v->text);
    while (p < v->end && *p != '_')
        p++;
    v->appended = TL_MIN(p + 1, v->end);
    v->appended_end = v->end;
    for (const char* q = v->end - (sizeof close - 1); q > v->appended; q--)
        if (memcmp(q, close, sizeof close - 1) == 0) {
            v->appended_end = q;
            break;
        }
    char* copy = tl_arena_alloc(&v->m->scratch, head + sizeof rest);
    if (!copy)
        return tl_nomem(v->m->ctx, head + sizeof rest);
    memcpy(copy, v->text, head);
    memcpy(copy + head, rest, sizeof rest);
    *xml = copy;
    *bytes = head + sizeof rest - 1;
    return TALUS_OK;
}

static talus_status read_head(vtu* v, const tl_xml_node** grid)
{
    const tl_xml_node* root = v->root;
    const char *type = attribute(root, "type", ""), *compressor = attribute(root, "compressor", ""),
               *order = attribute(root, "byte_order", "LittleEndian");
    *grid = child(root, "UnstructuredGrid", NULL);
    if (strcmp(root->name, "VTKFile") != 0 || strcmp(type, "UnstructuredGrid") != 0 || !*grid)
        return bad_node(v, root,
                        "type '%.40s'; expected: <VTKFile type=\"UnstructuredGrid\"> with "
                        "<UnstructuredGrid>",
                        type);
    if (strcmp(order, "LittleEndian") != 0 && strcmp(order, "BigEndian") != 0)
        return bad_node(v, root, "byte_order '%.40s'; expected: LittleEndian or BigEndian", order);
    const uint16_t one = 1;
    v->swap = (order[0] == 'L') != (*(const char*)&one == 1);
    TL_TRY(number_type(v, root, attribute(root, "header_type", "UInt32"), &v->header));
    if (v->header != TL_UINT32 && v->header != TL_UINT64)
        return bad_node(v, root, "header_type; expected: UInt32 or UInt64");
    v->compressed = compressor[0] != '\0';
    if (v->compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return bad_node(v, root, "compressor '%.40s'; expected: vtkZLibDataCompressor, or none", compressor);
    if (v->compressed && !tl_can_inflate())
        return tl_mesh_file_fail(v->m, TALUS_ERR_UNSUPPORTED,
                                 "the file is compressed, and this build has no zlib");
    const tl_xml_node* appended = child(root, "AppendedData", NULL);
    const char* encoding = appended ? attribute(appended, "encoding", "base64") : "";
    v->appended_base64 = strcmp(encoding, "base64") == 0;
    if (appended && !v->appended_base64 && strcmp(encoding, "raw") != 0)
        return bad_node(v, appended, "encoding '%.40s'; expected: raw or base64", encoding);
    return TALUS_OK;
}

static talus_status join_pieces(const vtu* v, piece* pieces, int64_t n)
{
    int64_t nv = 0, ncell = 0, first = 0;
    for (int64_t i = 0; i < n; i++) {
        TL_TRY(read_piece(v, &pieces[i]));
        nv += pieces[i].nv;
        ncell += pieces[i].ncell;
    }
    if (nv > INT32_MAX)
        return tl_mesh_file_bad(v->m, "%lld points; expected: at most %d", (long long)nv, INT32_MAX);
    double* x = tl_arena_alloc(&v->m->scratch, sizeof(double) * 3 * (size_t)TL_MAX(nv, 1));
    if (!x)
        return tl_nomem(v->m->ctx, sizeof(double) * 3 * (size_t)nv);
    tl_cells c;
    TL_TRY(tl_cells_begin(&c, v->m, tl_vtk_kinds, ncell));
    for (int64_t i = 0; i < n; first += pieces[i++].nv) {
        piece* p = &pieces[i];
        TL_TRY(tl_vtk_points(&p->points, x + 3 * first));
        TL_TRY(tl_vtk_cells(&c, first, p->nv, &p->types, &p->ends, &p->connectivity));
    }
    return tl_cells_end(&c, nv, x);
}

talus_status tl_mesh_read_vtu(tl_mesh_file* m, const char* text, size_t bytes)
{
    vtu v = {.m = m, .text = text, .end = text + bytes};
    const char* xml;
    size_t n;
    tl_pool pool = {.arena = &m->scratch};
    const tl_xml_node* grid;
    TL_TRY(cut_appended(&v, &xml, &n));
    TL_TRY(tl_xml_parse(m->ctx, &pool, m->path, xml, n, 0, true, &v.root));
    TL_TRY(read_head(&v, &grid));
    int64_t npiece = 0;
    for (const tl_xml_node* c = grid->child; c; c = c->next)
        npiece += strcmp(c->name, "Piece") == 0;
    piece* pieces = tl_arena_alloc(&m->scratch, sizeof(piece) * (size_t)TL_MAX(npiece, 1));
    if (!pieces)
        return tl_nomem(m->ctx, sizeof(piece) * (size_t)npiece);
    memset(pieces, 0, sizeof(piece) * (size_t)npiece);
    npiece = 0;
    for (const tl_xml_node* c = grid->child; c; c = c->next)
        if (strcmp(c->name, "Piece") == 0)
            pieces[npiece++].node = c;
    return join_pieces(&v, pieces, npiece);
}
