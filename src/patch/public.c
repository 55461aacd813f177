// SPDX-License-Identifier: MIT
// The module from outside: include/talus/patch.h. Definitions are checked and handed to field.c; a query keeps one
// patch for each of its pairs, found in parallel, one task a pair, each into its own slot. Fields from files are made
// in scene/mesh_field.c, which can read them.
#include "field.h"

#define FIELD_COOKIE 0x7a106001u
#define PATCH_COOKIE 0x7a106002u

_Static_assert((int)TALUS_FIELD_COMPLIANT == (int)TL_FIELD_COMPLIANT &&
                   (int)TALUS_FIELD_RIGID == (int)TL_FIELD_RIGID,
               "kinds of fields");

// ---- fields ---------------------------------------------------------------------------------------------

talus_field_def talus_field_default(void)
{
    return (talus_field_def){.cookie = FIELD_COOKIE};
}

talus_status tl_field_check_def(talus_context* ctx, const talus_field_def* def)
{
    if (!def || def->cookie != FIELD_COOKIE)
        return tl_fail(ctx, TALUS_ERR_ARG, "a field's definition must start from talus_field_default()");
    if (def->kind != TALUS_FIELD_COMPLIANT && def->kind != TALUS_FIELD_RIGID)
        return tl_fail(ctx, TALUS_ERR_ARG, "kind %d of a field, expected compliant (0) or rigid (1)",
                       def->kind);
    return TALUS_OK;
}

static talus_status from_arrays(talus_context* ctx, const talus_field_def* d, const char* name,
                                talus_field** out)
{
    if (!d->x || !d->element)
        return tl_fail(ctx, TALUS_ERR_ARG, "%s: a mesh without %s", name, d->x ? "elements" : "vertices");
    if (d->nelement > INT32_MAX / 16)
        return tl_fail(ctx, TALUS_ERR_ARG, "%s: %d elements, expected at most %d", name, d->nelement,
                       INT32_MAX / 16);
    return d->kind == TALUS_FIELD_COMPLIANT
               ? tl_field_from_tets(ctx, d->nvert, d->x, d->nelement, d->element, d->p, d->modulus, name, out)
               : tl_field_from_triangles(ctx, d->nvert, d->x, d->nelement, d->element, name, out);
}

talus_status talus_field_create(talus_context* ctx, const talus_field_def* def, talus_field** out)
{
    static const struct {
        int32_t type, nsize;
    } shapes[] = {
        [TALUS_FIELD_SPHERE] = {TL_SHAPE_SPHERE, 1},   [TALUS_FIELD_ELLIPSOID] = {TL_SHAPE_ELLIPSOID, 3},
        [TALUS_FIELD_BOX] = {TL_SHAPE_BOX, 3},         [TALUS_FIELD_CYLINDER] = {TL_SHAPE_CYLINDER, 2},
        [TALUS_FIELD_CAPSULE] = {TL_SHAPE_CAPSULE, 2}, [TALUS_FIELD_HALF_SPACE] = {TL_SHAPE_PLANE, 0}};
    if (!ctx || !out)
        return TALUS_ERR_ARG;
    TL_TRY(tl_field_check_def(ctx, def));
    const char* name = def->name ? def->name : "field";
    if (def->shape == TALUS_FIELD_MESH)
        return from_arrays(ctx, def, name, out);
    if (def->shape < 0 || def->shape >= TL_COUNT(shapes))
        return tl_fail(ctx, TALUS_ERR_ARG, "%s: unknown shape %d", name, def->shape);
    tl_shape shape = {.type = shapes[def->shape].type};
    for (int32_t i = 0; i < shapes[def->shape].nsize; i++) {
        if (!(def->size[i] > 0.0 && def->size[i] <= 1e300))
            return tl_fail(ctx, TALUS_ERR_INPUT, "%s: size %d is %g m, expected positive lengths", name,
                           i + 1, def->size[i]);
        shape.size[i] = def->size[i];
    }
    const tl_field_spec spec = {
        .kind = def->kind, .modulus = def->modulus, .hint = def->hint, .thickness = def->thickness};
    return tl_field_from_shape(ctx, &shape, &spec, name, out);
}

void talus_field_destroy(talus_field* field)
{
    if (field)
        tl_field_destroy(field->ctx, field);
}

talus_field_info talus_field_get_info(const talus_field* field)
{
    return field->info;
}

int32_t talus_patch_supported(const talus_field* a, const talus_field* b)
{
    return tl_patch_supported(a, b);
}

// ---- queries --------------------------------------------------------------------------------------------

/// What a pair has besides its patch: the contacts of its faces.
typedef struct slot {
    double *k, *delta0;
    int64_t cap_k, cap_delta0;
    talus_status status;
} slot;

struct talus_patch_query {
    talus_context* ctx;
    tl_patch_options options;
    int32_t n;
    tl_patch* patch; // (cap_patch), those from n on keep their memory
    slot* slot;      // (cap_slot)
    int64_t cap_patch, cap_slot;
};

talus_patch_options talus_patch_default(void)
{
    return (talus_patch_options){.cookie = PATCH_COOKIE};
}

talus_status talus_patch_query_create(talus_context* ctx, const talus_patch_options* options,
                                      talus_patch_query** out)
{
    const talus_patch_options o = options ? *options : talus_patch_default();
    if (!ctx || !out)
        return TALUS_ERR_ARG;
    if (o.cookie != PATCH_COOKIE)
        return tl_fail(ctx, TALUS_ERR_ARG, "options of patches must start from talus_patch_default()");
    talus_patch_query* q = tl_calloc(ctx, sizeof *q);
    if (!q)
        return tl_nomem(ctx, sizeof *q);
    q->ctx = ctx;
    q->options =
        (tl_patch_options){.triangles = o.triangles != 0, .vertices = o.vertices != 0, .cold = o.cold != 0};
    *out = q;
    return TALUS_OK;
}

void talus_patch_query_destroy(talus_patch_query* q)
{
    if (!q)
        return;
    for (int64_t i = 0; i < q->cap_patch; i++)
        tl_patch_free(q->ctx, q->patch + i);
    for (int64_t i = 0; i < q->cap_slot; i++) {
        tl_free(q->ctx, q->slot[i].k);
        tl_free(q->ctx, q->slot[i].delta0);
    }
    tl_free(q->ctx, q->patch);
    tl_free(q->ctx, q->slot);
    tl_free(q->ctx, q);
}

// both lists have room for n and are zero where they are new
static talus_status make_room(talus_patch_query* q, int32_t n)
{
    const int64_t had = q->cap_patch, had_slot = q->cap_slot;
    if (n > q->cap_patch) {
        TL_TRY(TL_GROW(q->ctx, q->patch, q->cap_patch, had, n));
        memset(q->patch + had, 0, sizeof(tl_patch) * (size_t)(q->cap_patch - had));
    }
    if (n > q->cap_slot) {
        TL_TRY(TL_GROW(q->ctx, q->slot, q->cap_slot, had_slot, n));
        memset(q->slot + had_slot, 0, sizeof(slot) * (size_t)(q->cap_slot - had_slot));
    }
    return TALUS_OK;
}

// R R^T = 1 and det R = 1, to 1e-6
static bool is_pose(const talus_pose* X)
{
    double c[3], off = 0.0;
    if (tl_first_nonfinite(X->p, 3) >= 0 || tl_first_nonfinite(X->R, 9) >= 0)
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            off = fmax(off, fabs(dot3(X->R + 3 * i, X->R + 3 * j) - (i == j)));
    cross3(c, X->R, X->R + 3);
    return off <= 1e-6 && dot3(c, X->R + 6) > 0.0;
}

static talus_status check_pairs(const talus_patch_query* q, int32_t n, const talus_patch_pair* pairs)
{
    if (n < 0 || (n > 0 && !pairs))
        return tl_fail(q->ctx, TALUS_ERR_ARG, "a query of %d pairs", n);
    for (int32_t i = 0; i < n; i++) {
        if (!pairs[i].a || !pairs[i].b)
            return tl_fail(q->ctx, TALUS_ERR_ARG, "pair %d: no field %c", i, pairs[i].a ? 'B' : 'A');
        if (!is_pose(&pairs[i].X_WA) || !is_pose(&pairs[i].X_WB))
            return tl_fail(q->ctx, TALUS_ERR_INPUT,
                           "pair %d: the pose of %c, expected finite numbers and a rotation matrix to 1e-6",
                           i, is_pose(&pairs[i].X_WA) ? 'B' : 'A');
        if (!tl_patch_supported(pairs[i].a, pairs[i].b))
            return tl_fail(
                q->ctx, TALUS_ERR_UNSUPPORTED,
                "pair %d: rigid with rigid, half space with half space, and a compliant half space with a "
                "compliant mesh have no patch",
                i);
    }
    return TALUS_OK;
}

static tl_pose pose_of(const talus_pose* X)
{
    tl_pose out;
    memcpy(out.p, X->p, sizeof out.p);
    memcpy(out.R, X->R, sizeof out.R);
    return out;
}

static talus_status find_contacts(talus_context* ctx, const tl_patch* p, slot* s)
{
    TL_TRY(TL_GROW(ctx, s->k, s->cap_k, 0, p->n));
    TL_TRY(TL_GROW(ctx, s->delta0, s->cap_delta0, 0, p->n));
    for (int32_t i = 0; i < p->n; i++) {
        s->k[i] = s->delta0[i] = 0.0;
        if (tl_patch_is_contact(p, i) && p->area[i] > 0.0)
            tl_patch_contact(p, i, &s->k[i], &s->delta0[i]);
    }
    return TALUS_OK;
}

typedef struct task {
    talus_patch_query* q;
    const talus_patch_pair* pairs;
} task;

static void find_patches(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const task* t = arg;
    for (int32_t i = begin; i < end; i++) {
        const talus_patch_pair* pair = t->pairs + i;
        const tl_pose Xa = pose_of(&pair->X_WA), Xb = pose_of(&pair->X_WB);
        tl_patch* p = t->q->patch + i;
        slot* s = t->q->slot + i;
        s->status = tl_patch_collide(t->q->ctx, pair->a, &Xa, pair->b, &Xb, &t->q->options, p);
        if (s->status >= 0)
            s->status = find_contacts(t->q->ctx, p, s);
    }
}

talus_status talus_patch_query_run(talus_patch_query* q, int32_t n, const talus_patch_pair* pairs)
{
    if (!q)
        return TALUS_ERR_ARG;
    q->n = 0;
    TL_TRY(check_pairs(q, n, pairs));
    TL_TRY(make_room(q, n));
    task t = {.q = q, .pairs = pairs};
    tl_parallel_for(q->ctx, n, 1, find_patches, &t);
    for (int32_t i = 0; i < n; i++)
        TL_TRY(q->slot[i].status);
    q->n = n;
    return TALUS_OK;
}

const tl_patch* tl_patch_query_get(const talus_patch_query* q, int32_t i)
{
    return i >= 0 && i < q->n ? q->patch + i : NULL;
}

talus_faces talus_patch_query_faces(const talus_patch_query* q, int32_t i)
{
    const tl_patch* p = tl_patch_query_get(q, i);
    if (!p)
        return (talus_faces){0};
    return (talus_faces){.count = p->n,
                         .centroid = p->centroid,
                         .normal = p->normal,
                         .area = p->area,
                         .pressure = p->pressure,
                         .k = q->slot[i].k,
                         .delta0 = q->slot[i].delta0,
                         .element_a = p->ea,
                         .element_b = p->eb,
                         .side = p->side,
                         .nvertex = p->nvertex,
                         .vertex = p->vertex,
                         .vertex_pressure = p->vertex_p};
}

talus_patch_sum talus_patch_query_sum(const talus_patch_query* q, int32_t i, const double* about)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    talus_patch_sum out = {0};
    const tl_patch* p = tl_patch_query_get(q, i);
    if (p)
        tl_patch_total(p, about ? about : origin, &out);
    return out;
}
