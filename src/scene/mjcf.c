// SPDX-License-Identifier: MIT
// The MJCF reader. Order of work, which is MuJoCo's:
//
//   document   parse, splice <include>, check against the schema          mjcf_include.c xml.c schema.c
//   settings   <compiler>, <option>, <default>, <asset>                    here, mjcf_class.c, mjcf_asset.c
//   bodies     the tree with frame, replicate, attach, in depth-first order  mjcf_body.c mjcf_element.c
//   sections   <contact>, <actuator>, <keyframe>, <custom>; the rest is listed in notices    mjcf_section.c
//
// An attached file is a model of its own with its compiler settings and classes; its bodies are read in its
// context, its sections after the main file's. Nothing recurses: the depth of a document costs memory, not
// stack.
#define _GNU_SOURCE
#include "mjcf.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// ---- compiler and option
// ---------------------------------------------------------------------------------------------

static talus_status read_compiler(tl_reader* r, const tl_xml_node* n, tl_spec_compiler* c)
{
    int32_t coordinate = 0;
    static const tl_field fields[] = {
        FIELD_CHOICE(tl_spec_compiler, "angle", degree, "radian|degree"),
        FIELD_BOOL(tl_spec_compiler, "autolimits", autolimits),
        FIELD_BOOL(tl_spec_compiler, "balanceinertia", balanceinertia),
        FIELD_BOOL(tl_spec_compiler, "discardvisual", discardvisual),
        FIELD_BOOL(tl_spec_compiler, "fusestatic", fusestatic),
        FIELD_BOOL(tl_spec_compiler, "alignfree", alignfree),
        FIELD_BOOL(tl_spec_compiler, "fitaabb", fitaabb),
        FIELD_BOOL(tl_spec_compiler, "strippath", strippath),
        FIELD_AUTO(tl_spec_compiler, "inertiafromgeom", inertiafromgeom),
        FIELD_CHOICE(tl_spec_compiler, "conflict", conflict, "warning|merge|error"),
        FIELD_NUMBER(tl_spec_compiler, "boundmass", boundmass),
        FIELD_NUMBER(tl_spec_compiler, "boundinertia", boundinertia),
        FIELD_NUMBER(tl_spec_compiler, "settotalmass", settotalmass),
        FIELD_STRING(tl_spec_compiler, "eulerseq", eulerseq),
        FIELD_STRING(tl_spec_compiler, "assetdir", assetdir),
    };
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), c));
    if (tl_xml_get(n, "assetdir"))
        c->meshdir = c->assetdir;
    if (tl_xml_get(n, "meshdir"))
        c->meshdir = tl_xml_get(n, "meshdir");
    if (strlen(c->eulerseq) != 3 || strspn(c->eulerseq, "xyzXYZ") != 3)
        return tl_bad(r, n, "attribute 'eulerseq': expected three letters of xyzXYZ, not '%.20s'",
                      c->eulerseq);
    const char* text = tl_xml_get(n, "coordinate");
    if (text && (coordinate = tl_choice("local|global", text)) != 0)
        return tl_bad(r, n,
                      coordinate < 0 ? "attribute 'coordinate': unknown '%.20s'; expected: local"
                                     : "coordinate '%.20s' left MJCF with MuJoCo 2.3.4; expected: local",
                      text);
    double range[2];
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "inertiagrouprange", 2, 2, range, &got));
    for (int i = 0; i < 2 && got; i++)
        c->inertiagrouprange[i] = (int32_t)fmax(-1e6, fmin(1e6, range[i]));
    if (c->boundmass < 0.0 || c->boundinertia < 0.0)
        return tl_bad(r, n, "attribute '%s' is negative", c->boundmass < 0.0 ? "boundmass" : "boundinertia");
    return TALUS_OK;
}

static talus_status read_option(tl_reader* r, const tl_xml_node* n, tl_spec_option* o)
{
    static const tl_field fields[] = {
        FIELD_NUMBER(tl_spec_option, "timestep", timestep),
        FIELD_NUMBERS(tl_spec_option, "gravity", gravity, 3, 3),
    };
#define FLAG(name) FIELD_CHOICE(tl_spec_flags, #name, name, "disable|enable")
    static const tl_field flags[] = {FLAG(constraint),   FLAG(frictionloss), FLAG(limit),   FLAG(contact),
                                     FLAG(spring),       FLAG(damper),       FLAG(gravity), FLAG(clampctrl),
                                     FLAG(filterparent), FLAG(actuation)};
#undef FLAG
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), o));
    if (!(o->timestep > 0.0))
        return tl_bad(r, n, "attribute 'timestep' must be positive, not %g", o->timestep);
    for (const tl_xml_node* f = n->child; f; f = f->next) {
        TL_TRY(tl_read_fields(r, f, flags, TL_COUNT(flags), &o->flags));
        const char* override = tl_xml_get(f, "override");
        if (override && strcmp(override, "enable") == 0)
            TL_TRY(tl_unsupported(r, f, true, "flag override: contact parameters of option o_*"));
    }
    double *group, v[3];
    int64_t ngroup;
    int32_t got;
    TL_TRY(tl_read_list(r, n, "actuatorgroupdisable", &group, &ngroup));
    for (int64_t i = 0; i < ngroup; i++) {
        if (!(group[i] >= 0.0 && group[i] <= 30.0))
            return tl_bad(r, n, "attribute 'actuatorgroupdisable': group %g; expected: 0 to 30", group[i]);
        o->actuator_off |= 1u << (int)group[i];
    }
    static const char* const fluid[] = {"density", "viscosity"};
    for (int i = 0; i < 2; i++) {
        TL_TRY(tl_read_numbers(r, n, fluid[i], 1, 1, v, &got));
        if (got && v[0] != 0.0)
            TL_TRY(tl_unsupported(r, n, true, "forces of a fluid (option density, viscosity)"));
    }
    return TALUS_OK;
}

// ---- one file as a model
// ---------------------------------------------------------------------------------------------

static talus_status warn_conflict(tl_reader* r, const tl_xml_node* n, const tl_spec_option* child)
{
    const tl_spec_option* own = &r->spec->option;
    const bool step = child->timestep != own->timestep,
               gravity = memcmp(child->gravity, own->gravity, sizeof own->gravity) != 0;
    if (!step && !gravity)
        return TALUS_OK;
    switch (r->model[0].compiler->conflict) {
    case 2:
        return tl_bad(r, n, "the attached model has another %s; the policy is compiler conflict=\"error\"",
                      gravity ? "gravity" : "timestep");
    case 1:
        if (gravity)
            return tl_bad(r, n, "the attached model has another gravity, which cannot be merged");
        r->spec->option.timestep = fmin(own->timestep, child->timestep);
        return TALUS_OK;
    default:
        return tl_unsupported(r, n, false,
                              "options of an attached model that differ: the main file's are kept");
    }
}

talus_status tl_read_model(tl_reader* r, const char* path, const char* name, const tl_xml_node* from,
                           int32_t owner, int32_t* out)
{
    tl_xml_node* root = NULL;
    TL_TRY(tl_read_document(r, path, &root, r->nmodel == 0));
    TL_TRY(TL_GROW(r->ctx, r->doc_path, r->cap_doc_path, 0, r->ndoc));
    for (int64_t i = 0; i < r->ndoc; i++)
        r->doc_path[i] = r->doc[i].path;
    TL_TRY(tl_schema_check(r->ctx, r->doc_path, root));

    const int32_t index = (int32_t)r->nmodel;
    tl_mjcf_model* m = TL_PUSH(r, r, model);
    tl_spec_compiler* c = tl_pool_alloc(&r->pool, sizeof *c);
    const char* slash = strrchr(path, '/');
    const char* dir = slash ? tl_pool_strndup(&r->pool, path, (size_t)(slash - path) + 1) : "";
    if (!m || !c || !dir)
        return tl_nomem(r->ctx, sizeof *m);
    *c = (tl_spec_compiler){.degree = 1,
                            .autolimits = 1,
                            .inertiafromgeom = 2,
                            .inertiagrouprange = {0, 5},
                            .settotalmass = -1.0,
                            .eulerseq = "xyz",
                            .meshdir = "",
                            .assetdir = ""};
    *m = (tl_mjcf_model){.name = name ? name : tl_xml_get(root, "model"),
                         .dir = dir,
                         .owner = owner,
                         .root = root,
                         .compiler = c};
    if (!m->name)
        m->name = "MuJoCo Model";
    tl_spec_option option = {
        .timestep = 0.002, .gravity = {0.0, 0.0, -9.81}, .flags = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
    for (const tl_xml_node* n = root->child; n; n = n->next)
        if (strcmp(n->name, "compiler") == 0)
            TL_TRY(read_compiler(r, n, c));
    for (const tl_xml_node* n = root->child; n; n = n->next)
        if (strcmp(n->name, "option") == 0)
            TL_TRY(read_option(r, n, &option));
    if (index == 0) {
        r->spec->option = option;
        r->spec->compiler = *c;
    } else {
        TL_TRY(warn_conflict(r, from, &option));
    }
    *out = index;
    TL_TRY(tl_read_defaults(r, index));
    return tl_read_assets(r, index);
}

// ---- notices
// ---------------------------------------------------------------------------------------------------------

talus_status tl_spec_notice(tl_spec* s, tl_src at, const char* fmt, ...)
{
    char text[700];
    const int head = snprintf(text, sizeof text, "%.300s:%d: ", at.file, at.line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + head, sizeof text - (size_t)head, fmt, args);
    va_end(args);
    TL_TRY(TL_GROW(s->ctx, s->notice, s->cap_notice, s->nnotice, s->nnotice + 1));
    char* copy = tl_arena_alloc(&s->memory, strlen(text) + 1);
    if (!copy)
        return tl_nomem(s->ctx, strlen(text));
    memcpy(copy, text, strlen(text) + 1);
    s->notice[s->nnotice++] = copy;
    tl_notice(s->ctx, "%s", text);
    return TALUS_OK;
}

talus_status tl_spec_unsupported(tl_spec* s, tl_src at, bool dynamics, const char* what)
{
    if (s->strict && dynamics)
        return tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, at.file, at.line, "not supported: %s", what);
    return tl_spec_notice(s, at, "not used: %s", what);
}

talus_status tl_unsupported(tl_reader* r, const tl_xml_node* n, bool dynamics, const char* what)
{
    for (int64_t i = 0; i < r->ntold; i++)
        if (strcmp(r->told[i], what) == 0)
            return TALUS_OK;
    TL_TRY(TL_GROW(r->ctx, r->told, r->cap_told, r->ntold, r->ntold + 1));
    const char* copy = tl_pool_strndup(&r->pool, what, strlen(what));
    if (!copy)
        return tl_nomem(r->ctx, strlen(what));
    r->told[r->ntold++] = copy;
    return tl_spec_unsupported(r->spec, tl_at(r, n), dynamics, what);
}

// ---- the whole
// -------------------------------------------------------------------------------------------------------

static talus_status read_all(tl_reader* r)
{
    int32_t model;
    TL_TRY(tl_read_model(r, r->spec->path, NULL, NULL, -1, &model));
    TL_TRY(tl_read_bodies(r));
    return tl_read_sections(r);
}

void tl_spec_destroy(tl_spec* s)
{
    if (!s)
        return;
    talus_context* ctx = s->ctx;
#define FREE_ARRAY(name) tl_free(ctx, s->name);
    TL_SPEC_LIST(FREE_ARRAY)
#undef FREE_ARRAY
    tl_free(ctx, s->exclude);
    tl_free(ctx, s->notice);
    tl_free(ctx, s->body_used);
    tl_arena_fini(&s->memory);
    tl_free(ctx, s);
}

talus_status tl_spec_load(talus_context* ctx, const char* path, int32_t strict, tl_spec** out)
{
    *out = NULL;
    tl_spec* s = tl_calloc(ctx, sizeof *s);
    if (!s)
        return tl_nomem(ctx, sizeof *s);
    s->ctx = ctx;
    s->strict = strict;
    tl_arena_init(&s->memory, ctx);
    tl_reader r = {.spec = s, .ctx = ctx, .pool = {.arena = &s->memory}};
    s->path = tl_pool_strndup(&r.pool, path, strlen(path));
    r.locale = (void*)newlocale(LC_ALL_MASK, "C", (locale_t)0);
    talus_status status = s->path && r.locale ? read_all(&r) : tl_nomem(ctx, 0);
    if (r.locale)
        freelocale((locale_t)r.locale);
#define FREE_ARRAY(T, member) tl_free(ctx, r.member);
    TL_READER_LIST(FREE_ARRAY)
#undef FREE_ARRAY
    tl_free(ctx, r.doc_path);
    tl_free(ctx, r.name_slot);
    tl_free(ctx, r.told);
    if (status < 0)
        tl_spec_destroy(s);
    else
        *out = s;
    return status;
}
