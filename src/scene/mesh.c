// SPDX-License-Identifier: MIT
#include "scene.h"

talus_status tl_mesh_prepare(tl_spec* s, tl_spec_mesh* m, bool needed)
{
    (void)needed;
    return tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, m->at.file, m->at.line,
                      "mesh '%s': meshes are not read yet", m->name);
}
talus_status tl_mesh_fit(tl_spec* s, const tl_spec_mesh* m, tl_spec_geom* g, double* center)
{
    (void)g, (void)center;
    return tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, m->at.file, m->at.line,
                      "mesh '%s': meshes are not read yet", m->name);
}
