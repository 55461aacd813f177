// SPDX-License-Identifier: MIT
// Memory of contact sets: all arrays in one block, and contacts that move from one set to another.
#include "sim.h"

#define DOUBLES 20 // a contact: five numbers and five vectors

static void lay_out(tl_contact_set* c, void* memory, int64_t cap)
{
    double* x = memory;
    double** fields[] = {&c->depth, &c->k, &c->d, &c->mu, &c->slip};
    for (int32_t i = 0; i < TL_COUNT(fields); i++, x += cap)
        *fields[i] = x;
    double** vectors[] = {&c->point, &c->normal, &c->t1, &c->t2, &c->force};
    for (int32_t i = 0; i < TL_COUNT(vectors); i++, x += 3 * cap)
        *vectors[i] = x;
    c->feature = (int64_t*)x;
    int32_t* y = (int32_t*)(c->feature + cap);
    int32_t** ints[] = {&c->geom_a, &c->geom_b, &c->body_a, &c->body_b};
    for (int32_t i = 0; i < TL_COUNT(ints); i++, y += cap)
        *ints[i] = y;
    c->memory = memory;
    c->cap = cap;
}

void tl_contact_set_copy_one(tl_contact_set* to, int64_t at, const tl_contact_set* from, int64_t i)
{
    to->geom_a[at] = from->geom_a[i];
    to->geom_b[at] = from->geom_b[i];
    to->body_a[at] = from->body_a[i];
    to->body_b[at] = from->body_b[i];
    to->feature[at] = from->feature[i];
    to->depth[at] = from->depth[i];
    to->k[at] = from->k[i];
    to->d[at] = from->d[i];
    to->mu[at] = from->mu[i];
    to->slip[at] = from->slip[i];
    for (int r = 0; r < 3; r++) {
        to->point[3 * at + r] = from->point[3 * i + r];
        to->normal[3 * at + r] = from->normal[3 * i + r];
        to->t1[3 * at + r] = from->t1[3 * i + r];
        to->t2[3 * at + r] = from->t2[3 * i + r];
        to->force[3 * at + r] = from->force[3 * i + r];
    }
}

talus_status tl_contact_set_reserve(talus_context* ctx, tl_contact_set* c, int64_t used, int64_t n)
{
    if (n <= c->cap)
        return TALUS_OK;
    const int64_t cap = TL_PADDED(n + n / 2 + 8);
    const size_t bytes = (size_t)cap * (4 * sizeof(int32_t) + sizeof(int64_t) + DOUBLES * sizeof(double));
    void* memory = tl_alloc(ctx, bytes);
    if (!memory)
        return tl_nomem(ctx, bytes);
    const tl_contact_set before = *c;
    lay_out(c, memory, cap);
    for (int64_t i = 0; i < used; i++)
        tl_contact_set_copy_one(c, i, &before, i);
    c->n = (int32_t)used;
    tl_free(ctx, before.memory);
    return TALUS_OK;
}

void tl_contact_set_move(tl_contact_set* from, tl_contact_set* to,
                         bool (*moves)(const void* user, int32_t body_a, int32_t body_b), const void* user)
{
    int32_t n = 0, patches = 0;
    for (int32_t i = 0, p = 0; i <= from->n; i++) {
        // patches stand in the order of their contacts; one without any may stand before the next one's first
        for (; p < from->npatch && from->patch[p].first == i; p++) {
            talus_patch patch = from->patch[p];
            if (!moves(user, patch.body_a, patch.body_b)) {
                patch.first = n;
                from->patch[patches++] = patch;
            } else if (to) {
                patch.first = to->n;
                to->patch[to->npatch++] = patch;
            }
        }
        if (i == from->n)
            break;
        if (!moves(user, from->body_a[i], from->body_b[i])) {
            if (n < i)
                tl_contact_set_copy_one(from, n, from, i);
            n++;
        } else if (to) {
            tl_contact_set_copy_one(to, to->n++, from, i);
        }
    }
    from->n = n;
    from->npatch = patches;
}

talus_status tl_contact_set_copy(talus_context* ctx, tl_contact_set* to, const tl_contact_set* from)
{
    TL_TRY(tl_contact_set_reserve(ctx, to, 0, from->n));
    TL_TRY(TL_GROW(ctx, to->patch, to->patch_cap, 0, from->npatch));
    for (int64_t i = 0; i < from->n; i++)
        tl_contact_set_copy_one(to, i, from, i);
    if (from->npatch)
        memcpy(to->patch, from->patch, sizeof *to->patch * (size_t)from->npatch);
    to->n = from->n;
    to->npatch = from->npatch;
    return TALUS_OK;
}

talus_contacts tl_contact_set_view(const tl_contact_set* c)
{
    return (talus_contacts){.count = c->n,
                            .geom_a = c->geom_a,
                            .geom_b = c->geom_b,
                            .body_a = c->body_a,
                            .body_b = c->body_b,
                            .point = c->point,
                            .normal = c->normal,
                            .depth = c->depth,
                            .force = c->force,
                            .slip = c->slip,
                            .feature = c->feature};
}

void tl_contact_set_free(talus_context* ctx, tl_contact_set* c)
{
    tl_free(ctx, c->memory);
    tl_free(ctx, c->patch);
    *c = (tl_contact_set){0};
}
