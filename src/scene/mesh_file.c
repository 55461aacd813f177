// SPDX-License-Identifier: MIT
// Mesh files by extension: MuJoCo's binary .msh and Wavefront .obj here, the rest by assimp.
//
//     .msh   int32 nvert, nnormal, ntexcoord, nface; float32 vertices (nvert x 3), normals, texture
//     coordinates;
//            int32 faces (nface x 3)
#include "mesh.h"

#include <stdio.h>
#include <strings.h>

#define MAX_FILE ((int64_t)1 << 31)

static talus_status read_msh(tl_spec* s, tl_spec_mesh* m, const char* data, int64_t bytes)
{
    int32_t n[4];
    if (bytes < (int64_t)sizeof n)
        return tl_mesh_bad(s, m, "'%.200s': the header is missing", m->file);
    memcpy(n, data, sizeof n);
    const int64_t nvert = n[0], nnormal = n[1], ntex = n[2], nface = n[3];
    if (nvert < 4 || nface < 0 || (nnormal != 0 && nnormal != nvert) || (ntex != 0 && ntex != nvert) ||
        bytes != 16 + 12 * nvert + 12 * nnormal + 8 * ntex + 12 * nface)
        return tl_mesh_bad(s, m, "'%.200s': the sizes in the header do not fit the file", m->file);
    TL_TRY(tl_mesh_resize(s, m, nvert, nface));
    for (int64_t i = 0; i < 3 * nvert; i++) {
        float v;
        memcpy(&v, data + 16 + 4 * i, sizeof v);
        m->vert[i] = v;
    }
    memcpy(m->face, data + 16 + 12 * nvert + 12 * nnormal + 8 * ntex, sizeof(int32_t) * 3 * (size_t)nface);
    return TALUS_OK;
}

static bool has_extension(const char* file, const char* extension)
{
    const char* dot = strrchr(file, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

/// The whole file with a final zero, from the context's allocator.
static talus_status read_all(tl_spec* s, const tl_spec_mesh* m, FILE* f, char** data, int64_t* bytes)
{
    if (fseek(f, 0, SEEK_END) != 0 || (*bytes = ftell(f)) < 0 || *bytes > MAX_FILE ||
        fseek(f, 0, SEEK_SET) != 0)
        return tl_mesh_bad(s, m, "'%.200s' is not a regular file below 2 GiB", m->file);
    *data = tl_alloc(s->ctx, (size_t)*bytes + 1);
    if (!*data)
        return tl_nomem(s->ctx, (size_t)*bytes);
    if ((int64_t)fread(*data, 1, (size_t)*bytes, f) != *bytes)
        return tl_mesh_bad(s, m, "'%.200s': reading failed", m->file);
    (*data)[*bytes] = '\0';
    return TALUS_OK;
}

talus_status tl_mesh_read(tl_spec* s, tl_spec_mesh* m, bool* found)
{
    const bool msh = has_extension(m->file, ".msh"), obj = has_extension(m->file, ".obj");
    FILE* f = fopen(m->file, "rb");
    *found = f != NULL;
    if (!f)
        return TALUS_OK;
    char* data = NULL;
    int64_t bytes = 0;
    talus_status status = TALUS_OK;
    if (msh || obj)
        status = read_all(s, m, f, &data, &bytes);
    fclose(f);
    if (status == TALUS_OK)
        status = msh   ? read_msh(s, m, data, bytes)
                 : obj ? tl_mesh_read_obj(s, m, data)
                       : tl_mesh_read_assimp(s, m);
    tl_free(s->ctx, data);
    return status;
}
