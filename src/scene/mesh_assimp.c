// SPDX-License-Identifier: MIT
// Mesh files through assimp's C interface (the only file that includes it): STL, PLY, DAE, glTF, ...
// All meshes of a file are joined, polygons are cut into triangles, points and lines are dropped.
#include "mesh_file.h"

#if defined(TALUS_HAVE_ASSIMP)
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

static talus_status copy_scene(tl_mesh_file* m, const struct aiScene* scene)
{
    int64_t nvert = 0, nface = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        nvert += scene->mMeshes[i]->mNumVertices;
        for (unsigned f = 0; f < scene->mMeshes[i]->mNumFaces; f++)
            nface += scene->mMeshes[i]->mFaces[f].mNumIndices == 3;
    }
    if (nvert > INT32_MAX)
        return tl_mesh_file_bad(m, "%lld vertices, which is too many", (long long)nvert);
    TL_TRY(tl_mesh_file_resize(m, nvert, nface));
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

talus_status tl_mesh_read_assimp(tl_mesh_file* m)
{
    const struct aiScene* scene =
        aiImportFile(m->path, aiProcess_Triangulate | aiProcess_PreTransformVertices | aiProcess_SortByPType);
    if (!scene)
        return tl_mesh_file_bad(m, "not a readable mesh file: %.200s", aiGetErrorString());
    const talus_status status = copy_scene(m, scene);
    aiReleaseImport(scene);
    return status;
}
#else
talus_status tl_mesh_read_assimp(tl_mesh_file* m)
{
    return tl_mesh_file_fail(m, TALUS_ERR_UNSUPPORTED,
                             "this build reads .obj, .msh, .vtk and .vtu files only (no assimp)");
}
#endif
