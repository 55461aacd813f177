// SPDX-License-Identifier: MIT
// Mesh files through assimp's C interface (the only file that includes it): STL, PLY, DAE, glTF, ...
// All meshes of a file are joined, polygons are cut into triangles, points and lines are dropped.
#include "mesh.h"

#if defined(TALUS_HAVE_ASSIMP)
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

static talus_status copy_scene(tl_spec* s, tl_spec_mesh* m, const struct aiScene* scene)
{
    int64_t nvert = 0, nface = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        nvert += scene->mMeshes[i]->mNumVertices;
        for (unsigned f = 0; f < scene->mMeshes[i]->mNumFaces; f++)
            nface += scene->mMeshes[i]->mFaces[f].mNumIndices == 3;
    }
    if (nvert > INT32_MAX)
        return tl_mesh_bad(s, m, "'%.200s' has %lld vertices, which is too many", m->file, (long long)nvert);
    TL_TRY(tl_mesh_resize(s, m, nvert, nface));
    int64_t v = 0, t = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh* a = scene->mMeshes[i];
        for (unsigned f = 0; f < a->mNumFaces; f++) {
            if (a->mFaces[f].mNumIndices != 3)
                continue;
            for (int k = 0; k < 3; k++)
                m->face[3 * t + k] = (int32_t)(v + a->mFaces[f].mIndices[k]);
            t++;
        }
        for (unsigned j = 0; j < a->mNumVertices; j++, v++) {
            m->vert[3 * v] = a->mVertices[j].x;
            m->vert[3 * v + 1] = a->mVertices[j].y;
            m->vert[3 * v + 2] = a->mVertices[j].z;
        }
    }
    return TALUS_OK;
}

talus_status tl_mesh_read_assimp(tl_spec* s, tl_spec_mesh* m)
{
    const struct aiScene* scene =
        aiImportFile(m->file, aiProcess_Triangulate | aiProcess_PreTransformVertices | aiProcess_SortByPType);
    if (!scene)
        return tl_mesh_bad(s, m, "'%.200s' is not a readable mesh file: %.200s", m->file, aiGetErrorString());
    const talus_status status = copy_scene(s, m, scene);
    aiReleaseImport(scene);
    return status;
}
#else
talus_status tl_mesh_read_assimp(tl_spec* s, tl_spec_mesh* m)
{
    return tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, m->at.file, m->at.line,
                      "<mesh %s>: this build reads .obj and .msh files only (no assimp)", m->name);
}
#endif
