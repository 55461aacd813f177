// SPDX-License-Identifier: MIT
// Mesh files: which reader reads which, and MuJoCo's binary .msh:
//
//     int32 nvert, nnormal, ntexcoord, nface; float32 vertices (nvert x 3), normals, texture coordinates;
//     int32 faces (nface x 3)
//
// Gmsh's .msh begins with $MeshFormat, which as numbers of MuJoCo's would be 1.3 billion vertices.
#define _GNU_SOURCE // newlocale
#include "mesh_file.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#define MAX_FILE ((int64_t)1 << 31)

talus_status tl_mesh_file_fail(const tl_mesh_file* m, talus_status status, const char* fmt, ...)
{
    char text[500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (m->name && !m->at.file)
        return tl_fail(m->ctx, status, "%.120s: %.200s: %s", m->name, m->path, text);
    if (m->name)
        return tl_fail_at(m->ctx, status, m->at.file, m->at.line, "<mesh %.80s>: %.200s: %s", m->name,
                          m->path, text);
    return tl_fail(m->ctx, status, "%.200s: %s", m->path, text);
}

talus_status tl_mesh_file_bad(const tl_mesh_file* m, const char* fmt, ...)
{
    char text[500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return tl_mesh_file_fail(m, TALUS_ERR_INPUT, "%s", text);
}

talus_status tl_mesh_file_resize(tl_mesh_file* m, int64_t nvert, int64_t nface)
{
    m->vert = tl_arena_alloc(m->memory, sizeof(double) * 3 * (size_t)TL_MAX(nvert, 1));
    m->face = tl_arena_alloc(m->memory, sizeof(int32_t) * 3 * (size_t)TL_MAX(nface, 1));
    if (!m->vert || !m->face)
        return tl_nomem(m->ctx, sizeof(double) * 3 * (size_t)nvert);
    m->nvert = nvert;
    m->nface = nface;
    return TALUS_OK;
}

static talus_status read_mujoco(tl_mesh_file* m, const char* data, int64_t bytes)
{
    int32_t n[4];
    if (bytes < (int64_t)sizeof n)
        return tl_mesh_file_bad(m, "the header is missing");
    memcpy(n, data, sizeof n);
    const int64_t nvert = n[0], nnormal = n[1], ntex = n[2], nface = n[3];
    if (nvert < 4 || nface < 0 || (nnormal != 0 && nnormal != nvert) || (ntex != 0 && ntex != nvert) ||
        bytes != 16 + 12 * nvert + 12 * nnormal + 8 * ntex + 12 * nface)
        return tl_mesh_file_bad(m, "the sizes in the header do not fit the file");
    TL_TRY(tl_mesh_file_resize(m, nvert, nface));
    for (int64_t i = 0; i < 3 * nvert; i++) {
        float v;
        memcpy(&v, data + 16 + 4 * i, sizeof v);
        m->vert[i] = v;
    }
    memcpy(m->face, data + 16 + 12 * nvert + 12 * nnormal + 8 * ntex, sizeof(int32_t) * 3 * (size_t)nface);
    return TALUS_OK;
}

/// The whole file with a final zero, in scratch memory.
static talus_status read_all(tl_mesh_file* m, FILE* f, char** data, int64_t* bytes)
{
    if (fseek(f, 0, SEEK_END) != 0 || (*bytes = ftell(f)) < 0 || *bytes > MAX_FILE ||
        fseek(f, 0, SEEK_SET) != 0)
        return tl_mesh_file_bad(m, "not a regular file below 2 GiB");
    *data = tl_arena_alloc(&m->scratch, (size_t)*bytes + 1);
    if (!*data)
        return tl_nomem(m->ctx, (size_t)*bytes);
    if ((int64_t)fread(*data, 1, (size_t)*bytes, f) != *bytes)
        return tl_mesh_file_bad(m, "reading failed");
    (*data)[*bytes] = '\0';
    return TALUS_OK;
}

static bool has_extension(const char* file, const char* extension)
{
    const char* dot = strrchr(file, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

/// What this module reads itself; the rest is assimp's.
static bool is_ours(const char* path)
{
    return has_extension(path, ".msh") || has_extension(path, ".obj") || has_extension(path, ".vtk") ||
           has_extension(path, ".vtu");
}

static talus_status parse(tl_mesh_file* m, const char* data, int64_t bytes)
{
    if (has_extension(m->path, ".vtk"))
        return tl_mesh_read_vtk(m, data, (size_t)bytes);
    if (has_extension(m->path, ".vtu"))
        return tl_mesh_read_vtu(m, data, (size_t)bytes);
    if (has_extension(m->path, ".obj"))
        return tl_mesh_read_obj(m, data);
    if (strncmp(data, "$MeshFormat", 11) == 0)
        return tl_mesh_read_gmsh(m, data, (size_t)bytes);
    return read_mujoco(m, data, bytes);
}

static talus_status read_content(tl_mesh_file* m, FILE* f, const char* data, int64_t bytes)
{
    m->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!m->locale)
        return tl_nomem(m->ctx, 0);
    tl_arena_init(&m->scratch, m->ctx);
    char* read = NULL;
    talus_status status = f ? read_all(m, f, &read, &bytes) : TALUS_OK;
    if (status >= 0)
        status = parse(m, f ? read : data, bytes);
    tl_arena_fini(&m->scratch);
    freelocale((locale_t)m->locale);
    return status;
}

talus_status tl_mesh_file_parse(tl_mesh_file* m, const char* data, int64_t bytes)
{
    return read_content(m, NULL, data, bytes);
}

talus_status tl_mesh_file_read(tl_mesh_file* m, bool* found)
{
    FILE* f = fopen(m->path, "rb");
    *found = f != NULL;
    if (!f)
        return TALUS_OK;
    const talus_status status = is_ours(m->path) ? read_content(m, f, NULL, 0) : tl_mesh_read_assimp(m);
    fclose(f);
    return status;
}
