// SPDX-License-Identifier: MIT
// Convex hulls of mesh geoms, one for each mesh, in the frame of its principal axes, where its geoms lie.
#include "compile.h"

#include <stdio.h>

void tl_mesh_in_own_frame(const tl_spec_mesh* mesh, double* x)
{
    const double inverse[4] = {mesh->quat[0], -mesh->quat[1], -mesh->quat[2], -mesh->quat[3]};
    for (int64_t i = 0; i < mesh->nvert; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = mesh->vert[3 * i + k] - mesh->pos[k];
        tl_quat_rotate(inverse, d, x + 3 * i);
    }
}

static talus_status make_hull(tl_compile* c, tl_spec_mesh* mesh, tl_hull** out)
{
    tl_spec* s = c->spec;
    int32_t* tri = mesh->face;
    int64_t nt = mesh->nface;
    TL_TRY(tl_spec_mesh_hull(s, mesh, &tri, &nt));
    double* x = TL_ARENA(&c->scratch, double, 3 * mesh->nvert);
    if (!x)
        return tl_nomem(c->model->ctx, sizeof(double) * 3 * (size_t)mesh->nvert);
    tl_mesh_in_own_frame(mesh, x);
    char name[128];
    snprintf(name, sizeof name, "mesh '%s'", mesh->name);
    return tl_hull_create(c->model->ctx, (int32_t)mesh->nvert, x, (int32_t)nt, tri, name, out);
}

talus_status tl_compile_hulls(tl_compile* c, tl_shape* shape)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    m->hull = TL_MODEL_ARRAY(m, tl_hull*, m->info.ngeom);
    int32_t* of_mesh = TL_ARENA(&c->scratch, int32_t, s->nmesh);
    if (!m->hull || !of_mesh)
        return TALUS_ERR_NOMEM;
    bool said = false;
    for (int64_t i = 0; i < s->nmesh; i++)
        of_mesh[i] = -1;
    for (int32_t i = 0; i < c->ngeom; i++) {
        const tl_spec_geom* g = &s->geom[c->geom[i]];
        const int32_t id = c->geom_id[c->geom[i]];
        if (id < 0 || g->type != TL_SHAPE_MESH || g->mesh < 0 || (!g->contype && !g->conaffinity) ||
            !s->mesh[g->mesh].ready)
            continue;
        if (!tl_spec_makes_hulls()) {
            TL_TRY(said ? TALUS_OK
                        : tl_spec_unsupported(c->spec, g->at, true, "contact of mesh geoms (no qhull)"));
            said = true;
            continue;
        }
        if (of_mesh[g->mesh] < 0) {
            TL_TRY(make_hull(c, &s->mesh[g->mesh], &m->hull[m->nhull]));
            of_mesh[g->mesh] = m->nhull++;
        }
        shape[id].hull = m->hull[of_mesh[g->mesh]];
    }
    return TALUS_OK;
}
