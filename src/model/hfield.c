// SPDX-License-Identifier: MIT
// Height fields of geoms, one for each asset: heights are its elevations (0 .. 1) times the size's third number.
#include "compile.h"

static talus_status make_field(tl_compile* c, tl_spec_hfield* h, tl_hfield** out)
{
    TL_TRY(tl_hfield_prepare(c->spec, h));
    const int64_t n = (int64_t)h->nrow * h->ncol;
    double* z = TL_ARENA(&c->scratch, double, n);
    if (!z)
        return tl_nomem(c->model->ctx, sizeof(double) * (size_t)n);
    for (int64_t i = 0; i < n; i++)
        z[i] = h->elevation[i] * h->size[2];
    return tl_hfield_create(c->model->ctx, h->nrow, h->ncol, h->size, h->size[3], z, out);
}

talus_status tl_compile_hfields(tl_compile* c, tl_shape* shape)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    m->hfield = TL_MODEL_ARRAY(m, tl_hfield*, s->nhfield);
    int32_t* number = TL_ARENA(&c->scratch, int32_t, s->nhfield);
    if (!m->hfield || !number)
        return TALUS_ERR_NOMEM;
    for (int64_t i = 0; i < s->nhfield; i++)
        number[i] = -1;
    for (int32_t i = 0; i < c->ngeom; i++) {
        const tl_spec_geom* g = &s->geom[c->geom[i]];
        const int32_t id = c->geom_id[c->geom[i]];
        if (id < 0 || g->type != TL_SHAPE_HFIELD)
            continue;
        if (number[g->hfield] < 0) {
            TL_TRY(make_field(c, &s->hfield[g->hfield], &m->hfield[m->nhfield]));
            number[g->hfield] = m->nhfield++;
        }
        shape[id].hfield = m->hfield[number[g->hfield]];
    }
    return TALUS_OK;
}
