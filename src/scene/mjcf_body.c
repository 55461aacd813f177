// SPDX-License-Identifier: MIT
// The body tree of an MJCF model into the spec, in depth-first order. The elements inside a body are read in
// the context of a level: the body, the pose of the frames around, the default class, the name scope.
// <frame>, one copy of a <replicate> and an <attach> are levels too:
//
//   <frame>       the same body, pose o frame
//   <replicate>   copy i: pose o (p_i, R(i euler)),  p_{i+1} = p_i + R(i euler) offset;  names get sep + i
//   (padded) <attach>      the children of another model's worldbody (or one of its bodies or frames), read
//   with that model's
//                 compiler settings and classes; names get the prefix
//
// Levels live on an explicit stack, so that nesting is bounded by memory only.
#include "mjcf.h"

#include <stdio.h>

typedef struct level {
    const tl_xml_node* section; // whose children are read
    const tl_xml_node* next;    // the next of them
    int32_t body, cls, scope;
    double pos[3], quat[4]; // of the frames around, in the body's frame
    bool sections;          // section is the root of a file: only its worldbodies are read
    // <replicate>: copies left, and the pose it stands in
    int32_t copy, count, outer_scope;
    double copies; // of this level in all, counting the replicates around
    double outer_pos[3], outer_quat[4], step_pos[3], offset[3], euler[3];
} level;

typedef struct walker {
    tl_reader* r;
    level* level;
    int64_t nlevel, cap_level;
} walker;

static const double no_turn[4] = {1.0, 0.0, 0.0, 0.0};

static level* push(walker* w, const level* from, const tl_xml_node* section)
{
    const level copy = *from; // `from` may lie in the array that grows
    if (TL_GROW(w->r->ctx, w->level, w->cap_level, w->nlevel, w->nlevel + 1) < 0)
        return NULL;
    level* l = &w->level[w->nlevel++];
    *l = copy;
    l->section = section;
    l->next = section->child;
    l->sections = false;
    l->count = 0;
    return l;
}

/// attach: the scope of another model; else one of a copy in the model of its parent.
static int32_t add_scope(tl_reader* r, int32_t parent, int32_t model, bool attach, const char* prefix,
                         const char* suffix)
{
    tl_scope* s = TL_PUSH(r, r, scope);
    if (!s)
        return -1;
    const int32_t index = (int32_t)r->nscope - 1;
    *s = (tl_scope){.parent = parent, .model = model, .prefix = prefix, .suffix = suffix, .attach = attach};
    s->root = attach ? index : r->scope[parent].root;
    return index;
}

static const tl_spec_compiler* compiler_of(const tl_reader* r, int32_t scope)
{
    return r->model[r->scope[scope].model].compiler;
}

static talus_status child_class(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t inherited,
                                int32_t* cls)
{
    return tl_find_class(r, n, r->scope[scope].model, tl_xml_get(n, "childclass"), inherited, cls);
}

static talus_status open_body(walker* w, const level* in, const tl_xml_node* n)
{
    tl_reader* r = w->r;
    static const tl_field fields[] = {FIELD_NUMBER(tl_spec_body, "gravcomp", gravcomp)};
    if (r->spec->nbody >= TL_MAX_ELEMENTS)
        return tl_bad(r, n, "more than %d bodies: is a replicate count too large?", TL_MAX_ELEMENTS);
    level* l = push(w, in, n);
    tl_spec_body* b = TL_PUSH(r, r->spec, body);
    if (!l || !b)
        return TALUS_ERR_NOMEM;
    const int32_t index = (int32_t)r->spec->nbody - 1;
    const tl_spec_compiler* c = compiler_of(r, l->scope);
    *b = (tl_spec_body){.name = tl_full_name(r, l->scope, tl_xml_get(n, "name")),
                        .at = tl_at(r, n),
                        .parent = l->body,
                        .quat = {1.0},
                        .iquat = {1.0},
                        .compiler = c};
    double pos[3] = {0.0, 0.0, 0.0}, quat[4] = {1.0, 0.0, 0.0, 0.0};
    TL_TRY(tl_read_pose(r, n, c, pos, quat));
    memcpy(b->pos, l->pos, sizeof b->pos);
    memcpy(b->quat, l->quat, sizeof b->quat);
    tl_pose_accum(b->pos, b->quat, pos, quat);
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), b));
    const char* mocap = tl_xml_get(n, "mocap");
    if (mocap && tl_choice("false|true", mocap) < 0)
        return tl_bad(r, n, "attribute 'mocap': unknown '%.20s'; expected: false|true", mocap);
    b->mocap = mocap && strcmp(mocap, "true") == 0;
    if (b->mocap)
        TL_TRY(tl_unsupported(r, n, false, "motion of mocap bodies: they stand still"));
    if (b->gravcomp != 0.0)
        TL_TRY(tl_unsupported(r, n, true, "gravity compensation (gravcomp)"));
    TL_TRY(child_class(r, n, l->scope, l->cls, &l->cls));
    l->body = index;
    memset(l->pos, 0, sizeof l->pos);
    memcpy(l->quat, no_turn, sizeof l->quat);
    return tl_add_name(r, n, NAME_BODY, 0, b->name, index);
}

static talus_status open_frame(walker* w, const level* in, const tl_xml_node* n)
{
    level* l = push(w, in, n);
    if (!l)
        return TALUS_ERR_NOMEM;
    double pos[3] = {0.0, 0.0, 0.0}, quat[4] = {1.0, 0.0, 0.0, 0.0};
    TL_TRY(tl_read_pose(w->r, n, compiler_of(w->r, l->scope), pos, quat));
    tl_pose_accum(l->pos, l->quat, pos, quat);
    return child_class(w->r, n, l->scope, l->cls, &l->cls);
}

// ---- replicate
// -------------------------------------------------------------------------------------------------------

/// Set the level up for its next copy.
static talus_status begin_copy(walker* w, level* l)
{
    tl_reader* r = w->r;
    const char* sep = tl_xml_get(l->section, "sep");
    char suffix[24];
    const int digits = snprintf(suffix, sizeof suffix, "%d", l->count);
    snprintf(suffix, sizeof suffix, "%0*d", digits, l->copy);
    const size_t n = sep ? strlen(sep) : 0;
    char* text = tl_pool_alloc(&r->pool, n + strlen(suffix) + 1);
    if (!text)
        return tl_nomem(r->ctx, n);
    if (n)
        memcpy(text, sep, n);
    memcpy(text + n, suffix, strlen(suffix) + 1);
    l->scope = add_scope(r, l->outer_scope, r->scope[l->outer_scope].model, false, "", text);
    if (l->scope < 0)
        return TALUS_ERR_NOMEM;
    tl_alt alt = {.kind = ALT_EULER};
    for (int i = 0; i < 3; i++)
        alt.v[i] = l->copy * l->euler[i];
    double quat[4];
    TL_TRY(tl_resolve_alt(r, l->section, compiler_of(r, l->scope), &alt, quat));
    memcpy(l->pos, l->outer_pos, sizeof l->pos);
    memcpy(l->quat, l->outer_quat, sizeof l->quat);
    tl_pose_accum(l->pos, l->quat, l->step_pos, quat);
    double step[3];
    tl_quat_rotate(quat, l->offset, step);
    for (int i = 0; i < 3; i++)
        l->step_pos[i] += step[i];
    l->next = l->section->child;
    return TALUS_OK;
}

static talus_status open_replicate(walker* w, const level* in, const tl_xml_node* n)
{
    tl_reader* r = w->r;
    level* l = push(w, in, n);
    if (!l)
        return TALUS_ERR_NOMEM;
    double count;
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "count", 1, 1, &count, &got));
    if (!got || count < 0.0 || count > TL_MAX_ELEMENTS || count != (int32_t)count)
        return tl_bad(r, n, "attribute 'count': expected an integer from 0 to %d", TL_MAX_ELEMENTS);
    l->copies *= count;
    if (l->copies > TL_MAX_ELEMENTS)
        return tl_bad(r, n,
                      "%.0f copies with the replicates around; at most %d bodies, joints and geoms are read",
                      l->copies, TL_MAX_ELEMENTS);
    l->copy = 0;
    l->count = (int32_t)count;
    l->outer_scope = l->scope;
    memcpy(l->outer_pos, l->pos, sizeof l->pos);
    memcpy(l->outer_quat, l->quat, sizeof l->quat);
    memset(l->step_pos, 0, sizeof l->step_pos);
    memset(l->offset, 0, sizeof l->offset);
    memset(l->euler, 0, sizeof l->euler);
    TL_TRY(tl_read_numbers(r, n, "offset", 3, 3, l->offset, &got));
    TL_TRY(tl_read_numbers(r, n, "euler", 3, 3, l->euler, &got));
    TL_TRY(child_class(r, n, l->scope, l->cls, &l->cls));
    if (l->count == 0) {
        w->nlevel--;
        return TALUS_OK;
    }
    return begin_copy(w, l);
}

// ---- attach
// ----------------------------------------------------------------------------------------------------------

/// The element <tag name="..."> in the worldbody of a model, preorder.
static const tl_xml_node* find_element(const tl_xml_node* root, const char* tag, const char* name)
{
    for (const tl_xml_node* n = root;;) {
        if (n->child) {
            n = n->child;
        } else {
            while (n != root && !n->next)
                n = n->parent;
            if (n == root)
                return NULL;
            n = n->next;
        }
        const char* has = strcmp(n->name, tag) == 0 ? tl_xml_get(n, "name") : NULL;
        if (has && strcmp(has, name) == 0)
            return n;
    }
}

/// The class that an element inherits where it stands.
static talus_status inherited_class(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t* cls)
{
    *cls = r->model[r->scope[scope].model].class0;
    for (const tl_xml_node* p = n->parent; p; p = p->parent)
        if (tl_xml_get(p, "childclass"))
            return child_class(r, p, scope, *cls, cls);
    return TALUS_OK;
}

static talus_status attached_model(tl_reader* r, const tl_xml_node* n, int32_t owner, int32_t* model)
{
    const char* name = tl_xml_get(n, "model");
    *model = owner;
    if (!name)
        return TALUS_OK;
    for (int32_t i = 0; i < r->nmodel; i++)
        if (i != owner && r->model[i].owner == owner && strcmp(r->model[i].name, name) == 0) {
            *model = i;
            return TALUS_OK;
        }
    return tl_bad(r, n, "unknown model '%.60s'; expected: the name of an <asset><model>", name);
}

static talus_status open_attach(walker* w, const level* in, const tl_xml_node* n)
{
    tl_reader* r = w->r;
    const char *prefix = tl_xml_get(n, "prefix"), *body = tl_xml_get(n, "body"),
               *frame = tl_xml_get(n, "frame");
    const int32_t owner = r->scope[in->scope].model;
    int32_t model;
    TL_TRY(attached_model(r, n, owner, &model));
    if (!prefix)
        return tl_bad(r, n, "attribute 'prefix' is missing");
    if (body && frame)
        return tl_bad(r, n, "body and frame exclude each other");
    if (model == owner && !body && !frame)
        return tl_bad(r, n, "attribute 'model', 'body' or 'frame' is missing");
    level inner = *in;
    inner.scope = add_scope(r, in->scope, model, model != owner, prefix, "");
    if (inner.scope < 0)
        return TALUS_ERR_NOMEM;
    r->scope[inner.scope].whole = !body && !frame;
    const tl_xml_node* root = r->model[model].root;
    if (!body && !frame) {
        inner.cls = r->model[model].class0;
        level* l = push(w, &inner, root);
        if (!l)
            return TALUS_ERR_NOMEM;
        l->sections = true;
        return TALUS_OK;
    }
    const tl_xml_node* what = find_element(root, body ? "body" : "frame", body ? body : frame);
    if (!what)
        return tl_bad(r, n, "unknown %s '%.60s' in model '%.60s'", body ? "body" : "frame",
                      body ? body : frame, r->model[model].name);
    for (int64_t i = 0; i < w->nlevel; i++)
        if (w->level[i].section == what)
            return tl_bad(r, n, "%s '%.60s' cannot be attached inside itself", what->name,
                          body ? body : frame);
    TL_TRY(inherited_class(r, what, inner.scope, &inner.cls));
    return body ? open_body(w, &inner, what) : open_frame(w, &inner, what);
}

// ---- the walk
// --------------------------------------------------------------------------------------------------------

static talus_status read_element(walker* w, const level* l, const tl_xml_node* n)
{
    tl_reader* r = w->r;
    const bool world = l->body == 0;
    const char* name;
    switch (tl_choice("body|geom|joint|freejoint|inertial|frame|replicate|attach|site|plugin|flexcomp",
                      n->name)) {
    case 0:
        return open_body(w, l, n);
    case 1:
        return tl_read_geom(r, n, l->scope, l->cls, l->body, l->pos, l->quat);
    case 2:
    case 3:
        return world ? tl_bad(r, n, "the world cannot have joints")
                     : tl_read_joint(r, n, l->scope, l->cls, l->body, l->pos, l->quat);
    case 4:
        return world ? tl_bad(r, n, "the world cannot have inertia")
                     : tl_read_inertial(r, n, r->scope[l->scope].model, l->body);
    case 5:
        return open_frame(w, l, n);
    case 6:
        return open_replicate(w, l, n);
    case 7:
        return open_attach(w, l, n);
    case 8:
        name = tl_full_name(r, l->scope, tl_xml_get(n, "name"));
        return tl_add_name(r, n, NAME_SITE, 0, name, l->body);
    case 9:
        return tl_unsupported(r, n, true, "plugins");
    case 10:
        return tl_unsupported(r, n, true, "deformable bodies (flexcomp, flex)");
    default: // camera, light
        return TALUS_OK;
    }
}

static talus_status walk(walker* w)
{
    while (w->nlevel > 0) {
        level* l = &w->level[w->nlevel - 1];
        const tl_xml_node* n = l->next;
        if (n) {
            l->next = n->next;
            if (!l->sections) {
                TL_TRY(read_element(w, l, n));
            } else if (strcmp(n->name, "worldbody") == 0) {
                if (!push(w, l, n))
                    return TALUS_ERR_NOMEM;
            }
        } else if (l->count > 0 && ++l->copy < l->count) {
            TL_TRY(begin_copy(w, l));
        } else {
            w->nlevel--;
        }
    }
    return TALUS_OK;
}

talus_status tl_read_bodies(tl_reader* r)
{
    const int32_t scope = add_scope(r, -1, 0, true, "", "");
    tl_spec_body* world = TL_PUSH(r, r->spec, body);
    if (scope < 0 || !world)
        return TALUS_ERR_NOMEM;
    *world = (tl_spec_body){.name = "world",
                            .at = tl_at(r, r->model[0].root),
                            .quat = {1.0},
                            .iquat = {1.0},
                            .compiler = r->model[0].compiler};
    r->scope[scope].whole = true;
    TL_TRY(tl_add_name(r, r->model[0].root, NAME_BODY, 0, "world", 0));
    const level top = {.cls = r->model[0].class0, .scope = scope, .quat = {1.0}, .copies = 1.0};
    walker w = {.r = r};
    level* l = push(&w, &top, r->model[0].root);
    talus_status status = TALUS_ERR_NOMEM;
    if (l) {
        l->sections = true;
        status = walk(&w);
    }
    tl_free(r->ctx, w.level);
    return status;
}
