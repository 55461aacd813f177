// SPDX-License-Identifier: MIT
// Fields from mesh files: the part of include/talus/patch.h that module patch cannot do, which knows no files.
#include "mesh_file.h"
#include "patch.h"

#include <errno.h>

static talus_status make_field(const tl_mesh_file* m, const talus_field_def* def, talus_field** out)
{
    talus_field_def d = *def;
    const bool compliant = d.kind == TALUS_FIELD_COMPLIANT;
    if (compliant && m->ntet == 0)
        return tl_mesh_file_bad(
            m,
            "no tetrahedra, only %lld triangles; expected: a mesh of tetrahedra (.vtk, .vtu, "
            ".msh), as a compliant body needs one",
            (long long)m->nface);
    for (int64_t i = 0; i < 3 * m->nface; i++)
        if (m->face[i] < 0 || m->face[i] >= m->nvert)
            return tl_mesh_file_bad(m, "face %lld names vertex %d of %lld", (long long)(i / 3), m->face[i],
                                    (long long)m->nvert);
    if (m->nvert > INT32_MAX || m->nface > INT32_MAX / 16)
        return tl_mesh_file_bad(m, "%lld triangles, which is too many", (long long)m->nface);
    d.shape = TALUS_FIELD_MESH;
    d.nvert = (int32_t)m->nvert;
    d.x = m->vert;
    d.nelement = (int32_t)(compliant ? m->ntet : m->nface);
    d.element = compliant ? m->tet : m->face;
    d.p = NULL;
    d.name = d.name ? d.name : m->path;
    return talus_field_create(m->ctx, &d, out);
}

talus_status talus_field_load(talus_context* ctx, const char* path, const talus_field_def* def,
                              talus_field** out)
{
    if (!ctx || !path || !out)
        return TALUS_ERR_ARG;
    TL_TRY(tl_field_check_def(ctx, def));
    tl_arena memory;
    tl_arena_init(&memory, ctx);
    tl_mesh_file m = {.ctx = ctx, .path = path, .name = def->name, .memory = &memory};
    bool found;
    errno = 0;
    talus_status status = tl_mesh_file_read(&m, &found);
    if (status >= 0 && !found)
        status = tl_mesh_file_fail(&m, TALUS_ERR_IO, "cannot be opened: %s", strerror(errno));
    if (status >= 0)
        status = make_field(&m, def, out);
    tl_arena_fini(&memory);
    return status;
}
