// SPDX-License-Identifier: MIT
// The sleep of a state: which trees sleep, in which islands, and their contacts with the forces they had. It is copied
// with the state, so that any simulation goes on from it with the same bits. Who falls asleep and who is touched is
// found in awake.c; here islands are woken.
#include "sim.h"

talus_status tl_sleepers_create(talus_state* s)
{
    const tl_mb* mb = &s->model->mb;
    const size_t nt = (size_t)mb->ntree, nx = (size_t)mb->nq + (size_t)mb->nv + (size_t)s->model->nu;
    const size_t bytes = nt * (sizeof(double) + sizeof(int32_t) + 1) + nx * sizeof(double);
    double* x = tl_calloc(s->ctx, bytes);
    if (!x)
        return tl_nomem(s->ctx, bytes);
    s->sleep = (tl_sleepers){.still = x, .q = x + nt};
    s->sleep.force = s->sleep.q + mb->nq;
    s->sleep.ctrl = s->sleep.force + mb->nv;
    s->sleep.island = (int32_t*)(s->sleep.ctrl + s->model->nu);
    s->sleep.mark = (uint8_t*)(s->sleep.island + nt);
    tl_sleepers_clear(s);
    return TALUS_OK;
}

void tl_sleepers_free(talus_state* s)
{
    tl_free(s->ctx, s->sleep.still);
    tl_free(s->ctx, s->sleep.scratch);
    tl_contact_set_free(s->ctx, &s->sleep.contacts);
}

void tl_sleepers_clear(talus_state* s)
{
    tl_sleepers* x = &s->sleep;
    for (int32_t t = 0; t < s->model->mb.ntree; t++) {
        x->island[t] = -1;
        x->still[t] = 0.0;
    }
    x->ntree = x->nbody = x->nisland = x->contacts.n = x->contacts.npatch = 0;
}

talus_status tl_sleepers_copy(talus_state* to, const talus_state* from)
{
    const tl_mb* mb = &to->model->mb;
    tl_sleepers* x = &to->sleep;
    const tl_sleepers* y = &from->sleep;
    TL_TRY(tl_contact_set_copy(to->ctx, &x->contacts, &y->contacts));
    const size_t nt = (size_t)mb->ntree, nx = (size_t)mb->nq + (size_t)mb->nv + (size_t)to->model->nu;
    memcpy(x->still, y->still, sizeof(double) * (nt + nx)); // q, force and ctrl follow
    memcpy(x->island, y->island, sizeof *x->island * nt);
    x->ntree = y->ntree;
    x->nbody = y->nbody;
    x->nisland = y->nisland;
    x->options = y->options;
    return TALUS_OK;
}

void tl_tree_q(const tl_mb* mb, int32_t tree, int32_t* begin, int32_t* end)
{
    *begin = mb->jnt_q[mb->dof_jnt[mb->tree_dof[tree]]];
    *end = tree + 1 < mb->ntree ? mb->jnt_q[mb->dof_jnt[mb->tree_dof[tree + 1]]] : mb->nq;
}

void tl_tree_bodies(const tl_mb* mb, int32_t tree, int32_t* begin, int32_t* end)
{
    *begin = *end = mb->tree_body[tree];
    while (*end < mb->nbody && mb->body_tree[*end] == tree)
        ++*end;
}

// ---- waking -----------------------------------------------------------------------------------------------

void tl_sleepers_mark(talus_state* s, int32_t tree)
{
    uint8_t* mark = s->sleep.mark + s->sleep.island[tree];
    s->sleep.nmark += !*mark;
    *mark = 1;
}

static bool is_marked(const void* user, int32_t body_a, int32_t body_b)
{
    const talus_state* s = user;
    const int32_t *tree = s->model->mb.body_tree, t = tree[body_a] >= 0 ? tree[body_a] : tree[body_b];
    return s->sleep.mark[s->sleep.island[t]];
}

static int compare_history(const void* a, const void* b)
{
    const talus_last_force *x = a, *y = b;
    return x->geom_a != y->geom_a ? (x->geom_a < y->geom_a ? -1 : 1)
                                  : (x->geom_b > y->geom_b) - (x->geom_b < y->geom_b);
}

static talus_last_force to_history(const tl_contact_set* c, int64_t i)
{
    const double *f = c->force + 3 * i, *n = c->normal + 3 * i;
    talus_last_force e = {.geom_a = c->geom_a[i],
                          .geom_b = c->geom_b[i],
                          .feature = c->feature[i],
                          .fn = f[0] * n[0] + f[1] * n[1] + f[2] * n[2]};
    for (int r = 0; r < 3; r++)
        e.ft[r] = f[r] - e.fn * n[r];
    return e;
}

talus_status tl_sleepers_wake(talus_state* s)
{
    const tl_mb* mb = &s->model->mb;
    tl_sleepers* x = &s->sleep;
    if (x->nmark == 0)
        return TALUS_OK;
    const int64_t most = s->nhistory + x->contacts.n;
    if (TL_GROW(s->ctx, s->history, s->history_cap, s->nhistory, most) < 0 ||
        TL_GROW(s->ctx, x->scratch, x->scratch_cap, 0, most) < 0) {
        memset(x->mark, 0, (size_t)mb->ntree);
        x->nmark = 0;
        return TALUS_ERR_NOMEM;
    }
    for (int32_t i = 0; i < x->contacts.n; i++)
        if (is_marked(s, x->contacts.body_a[i], x->contacts.body_b[i]))
            s->history[s->nhistory++] = to_history(&x->contacts, i);
    tl_sort(s->history, (int32_t)s->nhistory, sizeof *s->history, compare_history, x->scratch);
    tl_contact_set_move(&x->contacts, NULL, is_marked, s);
    for (int32_t t = 0; t < mb->ntree; t++) {
        if (x->island[t] < 0 || !x->mark[x->island[t]])
            continue;
        int32_t begin, end;
        tl_tree_bodies(mb, t, &begin, &end);
        x->island[t] = -1;
        x->still[t] = 0.0;
        x->ntree--;
        x->nbody -= end - begin;
    }
    x->nisland -= x->nmark;
    x->nmark = 0;
    memset(x->mark, 0, (size_t)mb->ntree);
    return TALUS_OK;
}

int32_t talus_state_asleep(const talus_state* s, int32_t body)
{
    const tl_mb* mb = &s->model->mb;
    const int32_t tree = body >= 0 && body < mb->nbody ? mb->body_tree[body] : -1;
    return tree >= 0 && s->sleep.island[tree] >= 0;
}

talus_status talus_state_wake(talus_state* s, int32_t body)
{
    if (!s || body >= s->model->mb.nbody)
        return TALUS_ERR_ARG;
    if (body >= 0 && talus_state_asleep(s, body))
        tl_sleepers_mark(s, s->model->mb.body_tree[body]);
    for (int32_t t = 0; t < s->model->mb.ntree && body < 0; t++)
        if (s->sleep.island[t] >= 0)
            tl_sleepers_mark(s, t);
    return tl_sleepers_wake(s);
}

talus_contacts talus_state_sleeping_contacts(const talus_state* s)
{
    return tl_contact_set_view(&s->sleep.contacts);
}

int32_t talus_state_sleeping_patches(const talus_state* s, const talus_patch** patches)
{
    *patches = s->sleep.contacts.npatch > 0 ? s->sleep.contacts.patch : NULL;
    return s->sleep.contacts.npatch;
}
