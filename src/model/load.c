// SPDX-License-Identifier: MIT
// A scene file becomes a model: read the spec, compile it, check it, drop the spec. The steps in order; each
// has its file. The model lives in one arena and is never changed afterwards.
#include "compile.h"

#include <math.h>
#include <stdio.h>

#define LOAD_COOKIE 0x74616c32u

talus_load_options talus_load_default(void)
{
    return (talus_load_options){.cookie = LOAD_COOKIE, .refine = 1.0};
}

const char* tl_model_text(talus_model* m, const char* s)
{
    if (!s || !*s)
        return "";
    const size_t n = strlen(s) + 1;
    if (n > m->text_left) {
        m->text_left = TL_MAX(n, (size_t)1 << 14);
        m->text_next = tl_arena_alloc(&m->memory, m->text_left);
        if (!m->text_next) {
            m->text_left = 0;
            tl_nomem(m->ctx, n);
            return NULL;
        }
    }
    char* p = m->text_next;
    memcpy(p, s, n);
    m->text_next += n;
    m->text_left -= n;
    return p;
}

/// Indices of `n` items sorted by the body they belong to, in document order within a body: a counting sort.
static void sort_by_body(int32_t* order, int32_t n, const void* items, size_t size, size_t body_at,
                         tl_body_build* body, int32_t nbody, bool geoms)
{
#define BODY_OF(i) (*(const int32_t*)((const char*)items + (size_t)(i)*size + body_at))
    for (int32_t i = 0; i < n; i++)
        *(geoms ? &body[BODY_OF(i)].ngeom : &body[BODY_OF(i)].njoint) += 1;
    int32_t next = 0;
    for (int32_t b = 0; b < nbody; b++) {
        *(geoms ? &body[b].first_geom : &body[b].first_joint) = next;
        next += geoms ? body[b].ngeom : body[b].njoint;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t* first = geoms ? &body[BODY_OF(i)].first_geom : &body[BODY_OF(i)].first_joint;
        order[(*first)++] = i;
    }
    for (int32_t b = 0; b < nbody; b++)
        *(geoms ? &body[b].first_geom : &body[b].first_joint) -= geoms ? body[b].ngeom : body[b].njoint;
#undef BODY_OF
}

static talus_status begin(tl_compile* c)
{
    const tl_spec* s = c->spec;
    c->nbody = (int32_t)s->nbody;
    c->njnt = (int32_t)s->njoint;
    c->ngeom = (int32_t)s->ngeom;
    c->body = TL_ARENA(&c->scratch, tl_body_build, c->nbody);
    c->joint = TL_ARENA(&c->scratch, int32_t, c->njnt);
    c->geom = TL_ARENA(&c->scratch, int32_t, c->ngeom);
    c->geom_mass = TL_ARENA(&c->scratch, double, c->ngeom);
    c->geom_inertia = TL_ARENA(&c->scratch, double, 3 * c->ngeom);
    c->geom_id = TL_ARENA(&c->scratch, int32_t, c->ngeom);
    c->joint_id = TL_ARENA(&c->scratch, int32_t, c->njnt);
    c->body_id = TL_ARENA(&c->scratch, int32_t, c->nbody);
    if (!c->body || !c->joint || !c->geom || !c->geom_mass || !c->geom_inertia || !c->geom_id ||
        !c->joint_id || !c->body_id)
        return tl_nomem(s->ctx, sizeof *c->body * (size_t)c->nbody);
    memset(c->body, 0, sizeof *c->body * (size_t)c->nbody);
    memset(c->geom_mass, 0, sizeof *c->geom_mass * (size_t)c->ngeom);
    memset(c->geom_inertia, 0, sizeof *c->geom_inertia * 3 * (size_t)c->ngeom);
    for (int32_t i = 0; i < c->nbody; i++) {
        c->body[i].parent = s->body[i].parent;
        memcpy(c->body[i].pos, s->body[i].pos, sizeof c->body[i].pos);
        memcpy(c->body[i].quat, s->body[i].quat, sizeof c->body[i].quat);
    }
    sort_by_body(c->joint, c->njnt, s->joint, sizeof *s->joint, offsetof(tl_spec_joint, body), c->body,
                 c->nbody, false);
    sort_by_body(c->geom, c->ngeom, s->geom, sizeof *s->geom, offsetof(tl_spec_geom, body), c->body, c->nbody,
                 true);
    return TALUS_OK;
}

static talus_status finish_info(tl_compile* c)
{
    talus_model* m = c->model;
    const tl_spec* s = c->spec;
    talus_model_info* info = &m->info;
    info->nq = m->mb.nq;
    info->nv = m->mb.nv;
    info->nbody = m->mb.nbody;
    info->njnt = m->mb.njnt;
    info->ntree = m->mb.ntree;
    info->nu = m->nu;
    info->nkey = m->nkey;
    info->nnotice = (int32_t)s->nnotice;
    info->timestep = s->option.timestep;
    for (int i = 0; i < 3; i++)
        info->gravity[i] = s->option.flags.gravity ? s->option.gravity[i] : 0.0;
    m->notice = TL_MODEL_ARRAY(m, const char*, s->nnotice);
    for (int64_t i = 0; i < s->nnotice && m->notice; i++)
        if (!(m->notice[i] = tl_model_text(m, s->notice[i])))
            return TALUS_ERR_NOMEM;
    m->path = tl_model_text(m, s->path);
    m->text = tl_model_text(m, s->text);
    return m->notice && m->path && m->text ? TALUS_OK : TALUS_ERR_NOMEM;
}

static talus_status compile(tl_compile* c)
{
    TL_TRY(begin(c));
    TL_TRY(tl_compile_check_tree(c));
    TL_TRY(tl_compile_inertia(c));
    TL_TRY(tl_compile_fuse(c));
    TL_TRY(tl_compile_layout(c));
    TL_TRY(tl_compile_contact(c));
    TL_TRY(tl_compile_fields(c));
    tl_compile_reflected(c);
    TL_TRY(tl_compile_check_mass(c));
    TL_TRY(tl_compile_actuators(c));
    TL_TRY(tl_compile_keys(c));
    return finish_info(c);
}

static talus_status build(talus_context* ctx, tl_spec* spec, double refine, talus_model** out)
{
    talus_model* m = tl_calloc(ctx, sizeof *m);
    if (!m)
        return tl_nomem(ctx, sizeof *m);
    m->ctx = ctx;
    tl_arena_init(&m->memory, ctx);
    tl_compile c = {.spec = spec, .model = m, .refine = refine};
    tl_arena_init(&c.scratch, ctx);
    const talus_status status = compile(&c);
    tl_arena_fini(&c.scratch);
    if (status < 0)
        talus_model_destroy(m);
    else
        *out = m;
    return status;
}

talus_status talus_model_load(talus_context* ctx, const char* path, const talus_load_options* options,
                              talus_model** out)
{
    if (!ctx || !path || !out || (options && (options->cookie != LOAD_COOKIE || !(options->refine > 0.0))))
        return tl_fail(ctx, TALUS_ERR_ARG,
                       "talus_model_load: a context, a path, an output, and options from "
                       "talus_load_default() are needed");
    *out = NULL;
    tl_spec* spec = NULL;
    TL_TRY(tl_spec_load(ctx, path, options ? options->strict : 0, &spec));
    const talus_status status = build(ctx, spec, options ? options->refine : 1.0, out);
    tl_spec_destroy(spec);
    return status;
}

void talus_model_destroy(talus_model* m)
{
    if (!m)
        return;
    talus_context* ctx = m->ctx;
    for (int32_t i = 0; i < m->nhull; i++)
        tl_free(ctx, m->hull[i]);
    for (int32_t i = 0; i < m->nhfield; i++)
        tl_free(ctx, m->hfield[i]);
    for (int32_t i = 0; i < m->nfield; i++)
        tl_field_destroy(ctx, m->field[i]);
    tl_arena_fini(&m->memory);
    tl_free(ctx, m);
}

// ---- questions
// -------------------------------------------------------------------------------------------------------

talus_model_info talus_model_get_info(const talus_model* model)
{
    return model->info;
}

/// Names of a kind and how many.
static const char* const* names_of(const talus_model* m, talus_object kind, int32_t* n)
{
    *n = 0;
    switch (kind) {
    case TALUS_BODY:
        *n = m->info.nbody;
        return m->body_name;
    case TALUS_JOINT:
        *n = m->info.njnt;
        return m->jnt_name;
    case TALUS_GEOM:
        *n = m->info.ngeom;
        return m->geom_name;
    case TALUS_ACTUATOR:
        *n = m->info.nu;
        return m->actuator_name;
    case TALUS_KEYFRAME:
        *n = m->info.nkey;
        return m->key_name;
    }
    return NULL;
}

const char* talus_model_name(const talus_model* model, talus_object kind, int32_t index)
{
    int32_t n;
    const char* const* names = names_of(model, kind, &n);
    return index >= 0 && index < n ? names[index] : NULL;
}

tl_label tl_model_label(const talus_model* m, talus_object kind, int32_t index)
{
    tl_label out;
    const char* name = talus_model_name(m, kind, index);
    if (name && *name)
        snprintf(out.text, sizeof out.text, "'%.70s'", name);
    else
        snprintf(out.text, sizeof out.text, "#%d", index);
    return out;
}

int32_t talus_model_find(const talus_model* model, talus_object kind, const char* name)
{
    int32_t n;
    const char* const* names = names_of(model, kind, &n);
    for (int32_t i = 0; i < n && name && *name; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
