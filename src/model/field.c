// SPDX-License-Identifier: MIT
// Pressure fields of the geoms: built once here, shared by geoms of the same shape and properties, read by any
// number of simulations.
#include "compile.h"

#include <math.h>
#include <stdio.h>

#define DEFAULT_MODULUS 1e7 // Pa
#define DEFAULT_HINT 0.02   // m

typedef struct wanted {
    tl_shape shape;
    int32_t mesh, hfield; // of the spec, -1: none
    tl_field_spec spec;
} wanted;

static wanted field_wanted(const tl_compile* c, const tl_spec_geom* g)
{
    wanted w = {.shape = {.type = g->type},
                .mesh = g->type == TL_SHAPE_MESH ? g->mesh : -1,
                .hfield = g->hfield,
                .spec = {.kind = TL_FIELD_RIGID}};
    memcpy(w.shape.size, g->size, sizeof w.shape.size);
    if (g->contact == TL_CONTACT_COMPLIANT) {
        w.spec.kind = TL_FIELD_COMPLIANT;
        w.spec.modulus = isnan(g->modulus) ? DEFAULT_MODULUS : g->modulus;
    }
    w.spec.hint = (isnan(g->hint) ? DEFAULT_HINT : g->hint) / c->refine;
    w.spec.thickness = isnan(g->thickness) ? 0.0 : g->thickness;
    return w;
}

static bool is_same(const wanted* a, const wanted* b)
{
    return a->shape.type == b->shape.type && a->mesh == b->mesh && a->hfield == b->hfield &&
           memcmp(a->shape.size, b->shape.size, sizeof a->shape.size) == 0 && a->spec.kind == b->spec.kind &&
           a->spec.modulus == b->spec.modulus && a->spec.hint == b->spec.hint &&
           a->spec.thickness == b->spec.thickness;
}

// compliant: the mesh's tetrahedra, or a cone over its convex hull; rigid: the mesh's own triangles, which need be
// neither convex nor closed
static talus_status mesh_field(tl_compile* c, int32_t geom, const wanted* w, const char* name, tl_field** out)
{
    talus_context* ctx = c->model->ctx;
    const tl_spec_mesh* mesh = &c->spec->mesh[w->mesh];
    const tl_hull* h = c->model->geom_shape[geom].hull;
    const bool compliant = w->spec.kind == TL_FIELD_COMPLIANT;
    if (!mesh->ready || (compliant && !mesh->ntet && !h))
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: its mesh could not be read, so it has no field", name);
    if (compliant && !mesh->ntet) {
        const int32_t corners = h->first[h->nf];
        int32_t *tri = TL_ARENA(&c->scratch, int32_t, 3 * (int64_t)corners), n = 0;
        if (!tri)
            return tl_nomem(ctx, sizeof(int32_t) * 3 * (size_t)corners);
        for (int32_t f = 0; f < h->nf; f++)
            for (int32_t k = h->first[f] + 1; k + 1 < h->first[f + 1]; k++, n++) {
                tri[3 * n] = h->loop[h->first[f]];
                tri[3 * n + 1] = h->loop[k];
                tri[3 * n + 2] = h->loop[k + 1];
            }
        return tl_field_from_convex(ctx, h->nv, h->x, n, tri, w->spec.modulus, name, out);
    }
    double* x = TL_ARENA(&c->scratch, double, 3 * mesh->nvert);
    if (!x)
        return tl_nomem(ctx, sizeof(double) * 3 * (size_t)mesh->nvert);
    tl_mesh_in_own_frame(mesh, x);
    if (compliant)
        return tl_field_from_tets(ctx, (int32_t)mesh->nvert, x, (int32_t)mesh->ntet, mesh->tet, NULL,
                                  w->spec.modulus, name, out);
    return tl_field_from_triangles(ctx, (int32_t)mesh->nvert, x, (int32_t)mesh->nsurface, mesh->surface, name,
                                   out);
}

// the two triangles of every cell; its sides are no part of it
static talus_status hfield_field(tl_compile* c, const tl_spec_geom* g, const tl_hfield* h, const wanted* w,
                                 const char* name, tl_field** out)
{
    talus_context* ctx = c->model->ctx;
    const int64_t points = (int64_t)h->nrow * h->ncol, cells = (int64_t)(h->nrow - 1) * (h->ncol - 1);
    if (w->spec.kind != TL_FIELD_RIGID || cells > INT32_MAX / 8)
        return tl_fail_at(
            ctx, TALUS_ERR_INPUT, g->at.file, g->at.line,
            "<geom %s>: no pressure field is made of a height field; expected: contact=point, or "
            "contact=rigid with less than 2^28 cells",
            g->name);
    double* x = TL_ARENA(&c->scratch, double, 3 * points);
    int32_t *tri = TL_ARENA(&c->scratch, int32_t, 6 * cells), *t = tri;
    if (!x || !tri)
        return tl_nomem(ctx, sizeof(double) * 3 * (size_t)points);
    for (int64_t i = 0; i < points; i++) {
        x[3 * i] = (double)(i % h->ncol) * h->dx - h->half[0];
        x[3 * i + 1] = (double)(i / h->ncol) * h->dy - h->half[1];
        x[3 * i + 2] = h->z[i];
    }
    for (int32_t r = 0; r + 1 < h->nrow; r++)
        for (int32_t k = 0; k + 1 < h->ncol; k++, t += 6) {
            const int32_t v00 = r * h->ncol + k, v11 = v00 + h->ncol + 1;
            memcpy(t, (int32_t[]){v00, v00 + 1, v11, v00, v11, v11 - 1}, 6 * sizeof *t);
        }
    return tl_field_from_triangles(ctx, (int32_t)points, x, (int32_t)(2 * cells), tri, name, out);
}

// what was changed in a mesh to make a field of it
static void note_changes(const talus_model* m, const tl_field* f, const char* name)
{
    const tl_field_info* i = tl_field_get_info(f);
    const bool tets = tl_field_get_kind(f) == TL_FIELD_COMPLIANT;
    if (i->turned)
        tl_notice(m->ctx, "%s: tetrahedra turned the right way round: %d of %d", name, i->turned, i->ne);
    if (i->degenerate)
        tl_notice(m->ctx, "%s: %s, left out: %d", name,
                  tets ? "tetrahedra without volume" : "triangles without area", i->degenerate);
    if (i->without_pressure)
        tl_notice(
            m->ctx,
            "%s: tetrahedra with all vertices on the surface, where the pressure is zero, split in four: %d",
            name, i->without_pressure);
}

static bool may_touch(const talus_model* m, int32_t geom)
{
    return m->geom_contype[geom] || m->geom_conaffinity[geom];
}

// pairs that cannot meet in a patch touch at points: said once for each kind, an error where the caller is strict
static talus_status note_fallback(const talus_model* m, bool strict)
{
    bool said[4][4] = {{false}};
    for (int32_t a = 0; a < m->info.ngeom; a++)
        for (int32_t b = a + 1; b < m->info.ngeom && m->geom_field[a]; b++) {
            if (!m->geom_field[b] || tl_patch_supported(m->geom_field[a], m->geom_field[b]))
                continue;
            bool* once = &said[tl_field_get_kind(m->geom_field[a])][tl_field_get_kind(m->geom_field[b])];
            if (*once || !tl_model_may_collide(m, a, b) ||
                !tl_collide_supported(m->geom_shape[a].type, m->geom_shape[b].type))
                continue;
            *once = true;
            if (strict)
                return tl_fail(
                    m->ctx, TALUS_ERR_INPUT,
                    "geoms %s and %s have no contact patch between them; expected: one of them "
                    "compliant (a compliant half space only against a rigid body), or contact=point",
                    tl_model_label(m, TALUS_GEOM, a).text, tl_model_label(m, TALUS_GEOM, b).text);
            tl_notice(m->ctx, "geoms %s and %s have no contact patch between them and touch at points",
                      tl_model_label(m, TALUS_GEOM, a).text, tl_model_label(m, TALUS_GEOM, b).text);
        }
    return TALUS_OK;
}

talus_status tl_compile_fields(tl_compile* c)
{
    talus_model* m = c->model;
    const int32_t n = m->info.ngeom;
    const tl_field** field = TL_MODEL_ARRAY(m, const tl_field*, n);
    double* modulus = TL_MODEL_ARRAY(m, double, n);
    m->field = TL_MODEL_ARRAY(m, tl_field*, n);
    wanted* known = TL_ARENA(&c->scratch, wanted, n);
    if (!field || !modulus || !m->field || !known)
        return TALUS_ERR_NOMEM;
    m->geom_field = field;
    m->geom_modulus = modulus;
    for (int32_t i = 0; i < c->ngeom; i++) {
        const tl_spec_geom* g = &c->spec->geom[c->geom[i]];
        const int32_t id = c->geom_id[c->geom[i]];
        if (id < 0 || (g->contact != TL_CONTACT_COMPLIANT && g->contact != TL_CONTACT_RIGID) ||
            !may_touch(m, id))
            continue;
        const wanted w = field_wanted(c, g);
        int32_t k = 0;
        while (k < m->nfield && !is_same(&known[k], &w))
            k++;
        if (k == m->nfield) {
            char name[128];
            snprintf(name, sizeof name, "geom %s", tl_model_label(m, TALUS_GEOM, id).text);
            TL_TRY(w.mesh >= 0     ? mesh_field(c, id, &w, name, &m->field[k])
                   : w.hfield >= 0 ? hfield_field(c, g, m->geom_shape[id].hfield, &w, name, &m->field[k])
                                   : tl_field_from_shape(m->ctx, &w.shape, &w.spec, name, &m->field[k]));
            known[m->nfield++] = w;
            note_changes(m, m->field[k], name);
        }
        field[id] = m->field[k];
        modulus[id] = w.spec.kind == TL_FIELD_COMPLIANT ? w.spec.modulus : INFINITY;
    }
    return note_fallback(m, c->spec->strict);
}
