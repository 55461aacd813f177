// SPDX-License-Identifier: MIT
// Geoms of the model with their materials, explicit pairs, excluded bodies, and the masks of the pair filter.
#include "compile.h"

#include <math.h>

/// Mean mass of the bodies that move: the load a fixed geom is taken to carry.
static double mean_mass(const tl_mb* mb)
{
    double sum = 0.0;
    int32_t n = 0;
    for (int32_t i = 1; i < mb->nbody; i++)
        if (mb->weld[i] != 0 && mb->mass[i] > 0.0) {
            sum += mb->mass[i];
            n++;
        }
    return n > 0 ? sum / n : 1.0;
}

static talus_status geoms(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    const tl_mb* mb = &m->mb;
    const int64_t n = m->info.ngeom;
    uint8_t* smooth = TL_MODEL_ARRAY(m, uint8_t, n);
    int32_t *body = TL_MODEL_ARRAY(m, int32_t, n), *priority = TL_MODEL_ARRAY(m, int32_t, n),
            *contype = TL_MODEL_ARRAY(m, int32_t, n), *conaffinity = TL_MODEL_ARRAY(m, int32_t, n),
            *weld = TL_MODEL_ARRAY(m, int32_t, n), *weld_parent = TL_MODEL_ARRAY(m, int32_t, n);
    tl_shape* shape = TL_MODEL_ARRAY(m, tl_shape, n);
    double *pos = TL_MODEL_ARRAY(m, double, 3 * n), *quat = TL_MODEL_ARRAY(m, double, 4 * n),
           *rgba = TL_MODEL_ARRAY(m, double, 4 * n), *k = TL_MODEL_ARRAY(m, double, n),
           *d = TL_MODEL_ARRAY(m, double, n), *mu = TL_MODEL_ARRAY(m, double, n),
           *margin = TL_MODEL_ARRAY(m, double, n);
    m->geom_name = TL_MODEL_ARRAY(m, const char*, n);
    if (!body || !contype || !conaffinity || !weld || !weld_parent || !shape || !pos || !quat || !rgba ||
        !k || !d || !mu || !margin || !smooth || !priority || !m->geom_name)
        return TALUS_ERR_NOMEM;
    const double* gravity = s->option.gravity;
    const double norm = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    const double weight = s->option.flags.gravity && norm > 0.0 ? norm : 9.81, mean = mean_mass(mb);
    for (int32_t i = 0; i < c->ngeom; i++) {
        const tl_spec_geom* g = &s->geom[c->geom[i]];
        const int32_t id = c->geom_id[c->geom[i]], b = c->body_id[g->body];
        if (id < 0)
            continue;
        const double mass = mb->weld[b] != 0 && mb->mass[b] > 0.0 ? mb->mass[b] : mean;
        body[id] = b;
        contype[id] = g->contype;
        conaffinity[id] = g->conaffinity;
        weld[id] = mb->weld[b];
        weld_parent[id] = mb->weld[mb->parent[mb->weld[b]]];
        shape[id] = (tl_shape){.type = g->type, .size = {g->size[0], g->size[1], g->size[2]}};
        memcpy(pos + 3 * id, g->pos, sizeof g->pos);
        memcpy(quat + 4 * id, g->quat, sizeof g->quat);
        memcpy(rgba + 4 * id, g->rgba, sizeof g->rgba);
        tl_material(g, mass, weight, &k[id], &d[id]);
        mu[id] = isnan(g->mu) ? g->friction[0] : g->mu;
        smooth[id] = g->condim == 1 && isnan(g->mu);
        priority[id] = g->priority;
        margin[id] = g->margin;
        m->geom_name[id] = tl_model_text(m, g->name);
        if (!m->geom_name[id])
            return TALUS_ERR_NOMEM;
    }
    TL_TRY(tl_compile_hulls(c, shape));
    TL_TRY(tl_compile_hfields(c, shape));
    m->geom_body = body;
    m->geom_contype = contype;
    m->geom_conaffinity = conaffinity;
    m->geom_weld = weld;
    m->geom_weld_parent = weld_parent;
    m->geom_shape = shape;
    m->geom_pos = pos;
    m->geom_quat = quat;
    m->geom_rgba = rgba;
    m->geom_k = k;
    m->geom_d = d;
    m->geom_mu = mu;
    m->geom_smooth = smooth;
    m->geom_priority = priority;
    m->geom_margin = margin;
    return TALUS_OK;
}

typedef struct keyed_pair {
    tl_pair p;
    double mu;
} keyed_pair;

static int by_pair(const void* x, const void* y)
{
    const tl_pair *a = x, *b = y; // both structs begin with the pair
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

bool tl_model_smooth(const talus_model* m, int32_t a, int32_t b)
{
    const int32_t *priority = m->geom_priority, higher = priority[a] > priority[b] ? a : b;
    return m->geom_smooth[higher] && (priority[a] != priority[b] || (m->geom_smooth[a] && m->geom_smooth[b]));
}

/// An explicit pair's own coefficient; -1: what its geoms have together.
static double pair_friction(const talus_model* m, const tl_spec_pair* p, int32_t a, int32_t b)
{
    if (p->condim == 1 || (p->condim == 0 && p->mu >= 0.0 && tl_model_smooth(m, a, b)))
        return 0.0;
    if (p->mu < 0.0 && p->condim > 1 && tl_model_smooth(m, a, b))
        return tl_mix_friction(m->geom_mu[a], m->geom_mu[b]);
    return p->mu;
}

static talus_status pairs(tl_compile* c, uint8_t* listed)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    keyed_pair* list = TL_ARENA(&c->scratch, keyed_pair, s->npair);
    tl_pair* out = TL_MODEL_ARRAY(m, tl_pair, s->npair);
    double* mu = TL_MODEL_ARRAY(m, double, s->npair);
    if (!list || !out || !mu)
        return tl_nomem(m->ctx, sizeof *list * (size_t)s->npair);
    for (int64_t i = 0; i < s->npair; i++) {
        const int32_t a = c->geom_id[s->pair[i].a], b = c->geom_id[s->pair[i].b];
        list[i] = (keyed_pair){.p = {.a = TL_MIN(a, b), .b = TL_MAX(a, b)},
                               .mu = pair_friction(m, &s->pair[i], a, b)};
        listed[a] |= 2;
        listed[b] |= 2;
    }
    qsort(list, (size_t)s->npair, sizeof *list, by_pair);
    for (int64_t i = 0; i < s->npair; i++) {
        if (m->npair > 0 && by_pair(&out[m->npair - 1], &list[i].p) == 0)
            continue; // given twice
        out[m->npair] = list[i].p;
        mu[m->npair++] = list[i].mu;
    }
    m->pairs = out;
    m->pair_mu = mu;
    return TALUS_OK;
}

static talus_status excludes(tl_compile* c, uint8_t* listed)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    tl_pair* out = TL_MODEL_ARRAY(m, tl_pair, s->nexclude);
    uint8_t* of_body = TL_ARENA(&c->scratch, uint8_t, m->mb.nbody);
    if (!out || !of_body)
        return tl_nomem(m->ctx, (size_t)m->mb.nbody);
    memset(of_body, 0, (size_t)m->mb.nbody);
    for (int64_t i = 0; i < s->nexclude; i++) {
        const int32_t a = c->body_id[s->exclude[i].a], b = c->body_id[s->exclude[i].b];
        out[i] = (tl_pair){.a = TL_MIN(a, b), .b = TL_MAX(a, b)};
        of_body[a] = of_body[b] = 1;
    }
    qsort(out, (size_t)s->nexclude, sizeof *out, by_pair);
    m->nexclude = (int32_t)s->nexclude;
    m->excludes = out;
    for (int32_t g = 0; g < m->info.ngeom; g++)
        listed[g] |= of_body[m->geom_body[g]];
    return TALUS_OK;
}

talus_status tl_compile_contact(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec_flags* f = &c->spec->option.flags;
    TL_TRY(geoms(c));
    uint8_t* listed = TL_MODEL_ARRAY(m, uint8_t, m->info.ngeom);
    if (!listed)
        return TALUS_ERR_NOMEM;
    TL_TRY(pairs(c, listed));
    TL_TRY(excludes(c, listed));
    m->geom_listed = listed;
    m->contact_off = !f->contact || !f->constraint;
    m->parent_touches = !f->filterparent;
    return TALUS_OK;
}
