// SPDX-License-Identifier: MIT
// Private to module scene: a mesh file as arrays, whoever wants it (a scene's asset, a contact patch), and the
// pieces its readers share.
#pragma once

#include "scene.h"

/// What is in a mesh file, and where it is read from. Start from tl_mesh_file_begin.
typedef struct tl_mesh_file {
    talus_context* ctx;
    const char* path;
    const char* name; // of the asset in a scene, with `at`, or of what it is for; NULL: a file of its own
    tl_src at;
    tl_arena* memory; // of the results
    tl_arena scratch; // until the reader returns
    void* locale;     // a locale_t, "C": a comma is never a decimal point
    // results
    int64_t nvert, nface, ntet;
    double* vert;   // (nvert x 3)
    int32_t* face;  // (nface x 3) as written; of a file with tetrahedra, their surface, outward
    int32_t* tet;   // (ntet x 4) as written: any orientation, flat ones too
    int64_t unused; // vertices of a file with tetrahedra that belong to none, dropped
} tl_mesh_file;

/// Read a file: .vtk, .vtu, .obj, .msh (Gmsh's by its first line, else MuJoCo's), others by assimp.
/// found: false when it cannot be opened (no message).
/// @return OK, ERR_INPUT (file, line or byte, what was expected), ERR_UNSUPPORTED (needs a library that this
/// build does not have), ERR_NOMEM
talus_status tl_mesh_file_read(tl_mesh_file* m, bool* found);
/// The same of bytes in memory, but for assimp's formats; data[bytes] must be 0.
talus_status tl_mesh_file_parse(tl_mesh_file* m, const char* data, int64_t bytes);

/// "path: text", where the file belongs to an asset "scene:line: <mesh NAME>: path: text"; ERR_INPUT
talus_status tl_mesh_file_bad(const tl_mesh_file* m, const char* fmt, ...) TL_PRINTF(2, 3);
talus_status tl_mesh_file_fail(const tl_mesh_file* m, talus_status status, const char* fmt, ...)
    TL_PRINTF(3, 4);
/// Room for vertices and triangles in the result's memory; sets the counts.
talus_status tl_mesh_file_resize(tl_mesh_file* m, int64_t nvert, int64_t nface);

/// The readers; `text` has `bytes` bytes and a final zero.
talus_status tl_mesh_read_obj(tl_mesh_file* m, const char* text);
talus_status tl_mesh_read_gmsh(tl_mesh_file* m, const char* text, size_t bytes);
talus_status tl_mesh_read_vtk(tl_mesh_file* m, const char* text, size_t bytes);
talus_status tl_mesh_read_vtu(tl_mesh_file* m, const char* text, size_t bytes);
talus_status tl_mesh_read_assimp(tl_mesh_file* m);

// ---- a cursor (mesh_scan.c) -----------------------------------------------------------------------------

typedef enum tl_number {
    TL_INT8,
    TL_UINT8,
    TL_INT16,
    TL_UINT16,
    TL_INT32,
    TL_UINT32,
    TL_INT64,
    TL_UINT64,
    TL_FLOAT32,
    TL_FLOAT64
} tl_number;
size_t tl_number_size(tl_number type);

/// A place in a file of text, or of text and binary numbers. Every read checks that the bytes are there.
typedef struct tl_scan {
    const tl_mesh_file* m;
    const char *begin, *end, *p; // *end is 0
    int32_t line0;               // of `begin`
    bool binary;                 // messages tell bytes instead of lines
    bool swap;                   // numbers have the other byte order
    const char* where;           // what is being read, for messages
} tl_scan;

/// "path:LINE: where: text", or "path: byte N: where: text"
talus_status tl_scan_bad(const tl_scan* s, const char* fmt, ...) TL_PRINTF(2, 3);
/// The next word, up to white space: NULL at the end. Words longer than a message are cut in messages only.
const char* tl_scan_word(tl_scan* s, int32_t* length);
bool tl_scan_is(const char* word, int32_t length, const char* want); // without regard to case
/// To the line after this one, whose rest must be blank.
talus_status tl_scan_line_end(tl_scan* s);
/// The rest of this line is passed over.
void tl_scan_skip_line(tl_scan* s);
talus_status tl_scan_int(tl_scan* s, int64_t least, int64_t most, int64_t* out);
talus_status tl_scan_double(tl_scan* s, double* out);
/// One or n binary numbers. @return ERR_INPUT: the file ends too early
talus_status tl_scan_binary(tl_scan* s, tl_number type, int64_t n, const char** data);
talus_status tl_scan_binary_int(tl_scan* s, tl_number type, int64_t least, int64_t most, int64_t* out);
/// Number i of an array of binary numbers; integers beyond 2^63 saturate.
double tl_number_double(const char* data, tl_number type, int64_t i, bool swap);
int64_t tl_number_int(const char* data, tl_number type, int64_t i, bool swap);
/// Is there room in the rest of the file for n things of at least `bytes` bytes? A count that lies is found
/// before memory is asked for.
talus_status tl_scan_room(const tl_scan* s, int64_t n, int64_t bytes, const char* what);

/// mesh_inflate.c: a block compressed by zlib, to exactly `want` bytes. false: it is not that.
bool tl_inflate(const void* data, size_t bytes, void* out, size_t want);
bool tl_can_inflate(void);

// ---- cells (mesh_cells.c) ------------------------------------------------------------------------------

/// A kind of cell of a file format; a list ends with id 0.
typedef struct tl_cell_kind {
    int32_t id, nodes, dim; // nodes 0: any number
    const char* name;       // "hexahedra"
} tl_cell_kind;

#define TL_CELL_KINDS 64

/// Cells as they are read: tetrahedra and triangles are kept, others counted.
typedef struct tl_cells {
    tl_mesh_file* m;
    const tl_cell_kind* kinds;
    int64_t cap, ntet, ntri;
    int32_t *tet, *tri;
    int64_t count[TL_CELL_KINDS]; // of each kind
} tl_cells;

/// @param n  at most so many cells
talus_status tl_cells_begin(tl_cells* c, tl_mesh_file* m, const tl_cell_kind* kinds, int64_t n);
/// Index of the kind with this id, -1: unknown.
int32_t tl_cell_find(const tl_cells* c, int64_t id);
/// Add a cell of kinds[kind]; the caller has checked its number of nodes and their range.
void tl_cells_add(tl_cells* c, int32_t kind, const int64_t* node);
/// Check what came and write the results: vertices of tetrahedra and their surface, or triangles.
/// @param x (nv x 3), scratch
talus_status tl_cells_end(tl_cells* c, int64_t nv, const double* x);
