// SPDX-License-Identifier: MIT
// Sleeping islands: which trees a step is for. The rule stands in talus/sim.h (talus_state_asleep).
//
//   begin   wakes what the host has changed, lists the awake trees and their geoms
//   touch   after the geometry pass: a contact of an awake tree with a sleeping one wakes the whole island of the
//           latter, and the pass is made again, until there is none
//   end     trees slow for long enough, in islands (union-find over this step's contacts) where all are: asleep
//
// The stages of a step run over the listed trees (tl_sim_next_trees) and geoms. Sleeping ones keep their poses and
// boxes in the broad phase as static ones do; a tree this simulation has not posed since it fell asleep ("fresh": also
// after another state was stepped or looked at) is posed once more. All decisions are made by one thread or tree by
// tree, so they do not depend on threads. With contact.sleep=off nothing here costs more than a test.
#include "sim.h"

talus_status tl_awake_create(talus_sim* sim)
{
    if (!sim->opt.sleep)
        return TALUS_OK;
    const talus_model* m = sim->model;
    tl_awake* a = &sim->awake;
    const size_t nt = (size_t)m->mb.ntree, ng = (size_t)m->info.ngeom, nq = (size_t)m->mb.nq;
    const size_t bytes = nq * sizeof(double) + (2 * nt + ng) * sizeof(int32_t) + 3 * nt + ng;
    a->memory = tl_calloc(sim->ctx, bytes);
    if (!a->memory)
        return tl_nomem(sim->ctx, bytes);
    a->q = a->memory;
    a->tree = (int32_t*)(a->q + nq);
    a->parent = a->tree + nt;
    a->mover = a->parent + nt;
    a->is_awake = (uint8_t*)(a->mover + ng);
    a->is_posed = a->is_awake + nt;
    a->is_ready = a->is_posed + nt;
    a->moving = a->is_ready + nt;
    const talus_option_info* list;
    const int32_t n = talus_sim_options_list(&list);
    for (int32_t i = 0; i < n; i++)
        a->options =
            tl_hash((const char*)&sim->opt + list[i].offset,
                    list[i].kind == TALUS_OPTION_DOUBLE ? sizeof(double) : sizeof(int32_t), a->options);
    return TALUS_OK;
}

void tl_awake_destroy(talus_sim* sim)
{
    tl_free(sim->ctx, sim->awake.memory);
}

void tl_awake_forget(talus_sim* sim)
{
    tl_awake* a = &sim->awake;
    if (!a->is_listed)
        return;
    memset(a->is_posed, 0, (size_t)sim->model->mb.ntree);
    a->is_listed = false;
}

static bool differs(const double* x, const double* y, int32_t begin, int32_t end)
{
    return memcmp(x + begin, y + begin, sizeof *x * (size_t)(end - begin)) != 0;
}

// ---- who takes part ---------------------------------------------------------------------------------------

// a sleeping tree at the poses of the state, its entries of what a step computes for all
static void pose_fresh(talus_sim* sim, const talus_state* s, int32_t tree)
{
    const tl_mb* mb = &sim->model->mb;
    const int32_t dof = mb->tree_dof[tree], n = mb->tree_dof[tree + 1] - dof;
    int32_t begin, end;
    tl_tree_q(mb, tree, &begin, &end);
    tl_mb_pose_trees(mb, s->q, s->v, &sim->data, tree, tree + 1);
    memcpy(sim->awake.q + begin, s->q + begin, sizeof(double) * (size_t)(end - begin));
    memcpy(sim->q1 + begin, s->q + begin, sizeof(double) * (size_t)(end - begin));
    memset(sim->v_star + dof, 0, sizeof(double) * (size_t)n);
}

// notes who is awake and who is posed; @return the lists stand
static bool compare(talus_sim* sim, const talus_state* s)
{
    const tl_mb* mb = &sim->model->mb;
    tl_awake* a = &sim->awake;
    bool same = a->is_listed;
    for (int32_t t = 0; t < mb->ntree; t++) {
        const bool awake = s->sleep.island[t] < 0;
        int32_t begin, end;
        tl_tree_q(mb, t, &begin, &end);
        if (a->is_posed[t] && (awake || differs(s->q, a->q, begin, end)))
            a->is_posed[t] = 0;
        same &= awake == a->is_awake[t] && (awake || a->is_posed[t]);
        a->is_awake[t] = awake;
    }
    return same;
}

static void list_geoms(talus_sim* sim)
{
    const talus_model* m = sim->model;
    tl_awake* a = &sim->awake;
    a->nmover = 0;
    for (int32_t g = 0; g < m->info.ngeom; g++) {
        const int32_t tree = m->mb.body_tree[m->geom_body[g]];
        a->moving[g] = tree >= 0 && (a->is_awake[tree] || !a->is_posed[tree]);
        if (a->moving[g])
            a->mover[a->nmover++] = g;
    }
}

static void list(talus_sim* sim, const talus_state* s)
{
    const talus_model* m = sim->model;
    tl_awake* a = &sim->awake;
    a->on = s->sleep.ntree > 0;
    if (!a->on) {
        tl_awake_forget(sim);
        return;
    }
    if (compare(sim, s))
        return;
    if (!sim->posed)
        tl_mb_pose_static(&m->mb, &sim->data);
    a->ntree = a->nfresh = 0;
    for (int32_t t = 0; t < m->mb.ntree; t++) {
        if (a->is_awake[t]) {
            a->tree[a->ntree++] = t;
        } else if (!a->is_posed[t]) {
            pose_fresh(sim, s, t);
            a->nfresh++;
        }
    }
    list_geoms(sim);
    a->is_listed = true;
}

talus_status tl_awake_posed(talus_sim* sim, const tl_pair** pairs, int32_t* n)
{
    tl_awake* a = &sim->awake;
    if (a->nfresh == 0)
        return TALUS_OK;
    const int32_t* body = sim->model->geom_body;
    tl_pair* kept = TL_ARENA(&sim->geometry, tl_pair, *n);
    if (!kept)
        return tl_nomem(sim->ctx, sizeof *kept * (size_t)*n);
    int32_t nkept = 0;
    for (int32_t i = 0; i < *n; i++) {
        const tl_pair p = (*pairs)[i];
        const int32_t *tree = sim->model->mb.body_tree, ta = tree[body[p.a]], tb = tree[body[p.b]];
        if ((ta >= 0 && a->is_awake[ta]) || (tb >= 0 && a->is_awake[tb]))
            kept[nkept++] = p;
    }
    *pairs = kept;
    *n = nkept;
    for (int32_t t = 0; t < sim->model->mb.ntree; t++)
        a->is_posed[t] = !a->is_awake[t];
    a->nfresh = 0;
    list_geoms(sim);
    return TALUS_OK;
}

// ---- waking -----------------------------------------------------------------------------------------------

// the tree has other inputs than the last step left it with
static void note_change(talus_state* s, int32_t tree)
{
    if (s->sleep.island[tree] >= 0)
        tl_sleepers_mark(s, tree);
    s->sleep.still[tree] = 0.0;
}

static void find_changes(talus_state* s)
{
    const talus_model* m = s->model;
    const tl_mb* mb = &m->mb;
    tl_sleepers* x = &s->sleep;
    for (int32_t t = 0; t < mb->ntree; t++) {
        const int32_t dof = mb->tree_dof[t], end_dof = mb->tree_dof[t + 1];
        int32_t begin, end;
        tl_tree_q(mb, t, &begin, &end);
        bool changed = differs(s->q, x->q, begin, end) || differs(s->force, x->force, dof, end_dof);
        for (int32_t i = dof; i < end_dof && x->island[t] >= 0; i++)
            changed |= s->v[i] != 0.0;
        if (changed)
            note_change(s, t);
    }
    for (int32_t i = 0; i < m->nu; i++)
        if (m->actuator[i].joint >= 0 && differs(s->ctrl, x->ctrl, i, i + 1))
            note_change(s, mb->body_tree[mb->jnt_body[m->actuator[i].joint]]);
    memcpy(x->force, s->force, sizeof(double) * (size_t)mb->nv);
    if (m->nu > 0)
        memcpy(x->ctrl, s->ctrl, sizeof(double) * (size_t)m->nu);
}

talus_status tl_awake_begin(talus_sim* sim, talus_state* s)
{
    if (s->sleep.ntree > 0 && s->sleep.options != sim->awake.options)
        TL_TRY(talus_state_wake(s, -1));
    if (!sim->opt.sleep)
        return TALUS_OK;
    find_changes(s);
    TL_TRY(tl_sleepers_wake(s));
    list(sim, s);
    return TALUS_OK;
}

talus_status tl_awake_touch(talus_sim* sim, talus_state* s, bool* woke)
{
    const tl_contact_set* c = &sim->now;
    const int32_t* tree = sim->model->mb.body_tree;
    *woke = false;
    if (!sim->awake.on)
        return TALUS_OK;
    for (int32_t i = 0; i < c->n; i++) {
        const int32_t of[2] = {tree[c->body_a[i]], tree[c->body_b[i]]};
        for (int k = 0; k < 2; k++)
            if (of[k] >= 0 && s->sleep.island[of[k]] >= 0)
                tl_sleepers_mark(s, of[k]);
    }
    *woke = s->sleep.nmark > 0;
    TL_TRY(tl_sleepers_wake(s));
    if (*woke)
        list(sim, s);
    return TALUS_OK;
}

// ---- falling asleep ---------------------------------------------------------------------------------------

static bool is_slow(const talus_sim* sim, int32_t tree)
{
    int32_t begin, end;
    tl_tree_bodies(&sim->model->mb, tree, &begin, &end);
    for (int32_t b = begin; b < end; b++)
        if (!(tl_mb_body_speed(&sim->model->mb, &sim->data, b) < sim->opt.sleep_v))
            return false;
    return true;
}

typedef struct stillness {
    talus_sim* sim;
    talus_state* s;
    double h;
} stillness;

// by the velocities at the start of the step, which the kinematics hold
static void count_still(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const stillness* w = arg;
    int32_t first, last;
    while (tl_sim_next_trees(w->sim, &begin, end, &first, &last))
        for (int32_t t = first; t < last; t++)
            w->s->sleep.still[t] = is_slow(w->sim, t) ? w->s->sleep.still[t] + w->h : 0.0;
}

static int32_t find_root(int32_t* parent, int32_t x)
{
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

// islands of awake trees by this step's contacts, and which may fall asleep; @return some may
static bool find_ready(talus_sim* sim, const talus_state* s)
{
    const int32_t* tree = sim->model->mb.body_tree;
    const int32_t nt = sim->model->mb.ntree;
    const tl_contact_set* c = &sim->last;
    tl_awake* a = &sim->awake;
    bool any = false;
    for (int32_t t = 0; t < nt && !any; t++)
        any = s->sleep.island[t] < 0 && s->sleep.still[t] >= sim->opt.sleep_time;
    if (!any)
        return false;
    for (int32_t t = 0; t < nt; t++) {
        a->parent[t] = t;
        a->is_ready[t] = s->sleep.island[t] < 0;
    }
    for (int32_t i = 0; i < c->n; i++) {
        const int32_t ta = tree[c->body_a[i]], tb = tree[c->body_b[i]];
        if (ta >= 0 && tb >= 0) {
            const int32_t x = find_root(a->parent, ta), y = find_root(a->parent, tb);
            a->parent[TL_MAX(x, y)] = TL_MIN(x, y);
        }
    }
    for (int32_t t = 0; t < nt; t++)
        if (s->sleep.still[t] < sim->opt.sleep_time)
            a->is_ready[find_root(a->parent, t)] = 0;
    return true;
}

// slow at the step's end, too
static void check_ready(talus_sim* sim, talus_state* s)
{
    const tl_mb* mb = &sim->model->mb;
    tl_awake* a = &sim->awake;
    for (int32_t t = 0; t < mb->ntree; t++) {
        const int32_t root = find_root(a->parent, t);
        if (!a->is_ready[root])
            continue;
        tl_mb_pose_trees(mb, s->q, s->v, &sim->data, t, t + 1);
        if (!is_slow(sim, t)) {
            s->sleep.still[t] = 0.0;
            a->is_ready[root] = 0;
        }
    }
}

static bool has_fallen_asleep(const void* user, int32_t body_a, int32_t body_b)
{
    const talus_state* s = user;
    const int32_t *tree = s->model->mb.body_tree, t = tree[body_a] >= 0 ? tree[body_a] : tree[body_b];
    return t >= 0 && s->sleep.island[t] >= 0;
}

talus_status tl_awake_reserve(talus_sim* sim, talus_state* s)
{
    tl_contact_set* c = &s->sleep.contacts;
    if (!sim->opt.sleep)
        return TALUS_OK;
    TL_TRY(tl_contact_set_reserve(s->ctx, c, c->n, (int64_t)c->n + sim->now.n));
    return TL_GROW(s->ctx, c->patch, c->patch_cap, c->npatch, (int64_t)c->npatch + sim->now.npatch);
}

void tl_awake_end(talus_sim* sim, talus_state* s, double h)
{
    const tl_mb* mb = &sim->model->mb;
    tl_awake* a = &sim->awake;
    if (!sim->opt.sleep)
        return;
    stillness w = {.sim = sim, .s = s, .h = h};
    tl_parallel_light(sim->ctx, tl_sim_trees(sim), TL_SIM_TREES, count_still, &w);
    if (find_ready(sim, s)) {
        check_ready(sim, s);
        for (int32_t t = 0; t < mb->ntree; t++) {
            const int32_t root = find_root(a->parent, t);
            if (!a->is_ready[root])
                continue;
            int32_t begin, end;
            tl_tree_bodies(mb, t, &begin, &end);
            s->sleep.island[t] = root;
            s->sleep.still[t] = 0.0;
            s->sleep.nisland += t == root;
            s->sleep.ntree++;
            s->sleep.nbody += end - begin;
            for (int32_t i = mb->tree_dof[t]; i < mb->tree_dof[t + 1]; i++)
                s->v[i] = 0.0;
        }
        s->sleep.options = a->options;
        tl_contact_set_move(&sim->last, &s->sleep.contacts, has_fallen_asleep, s);
    }
    memcpy(s->sleep.q, s->q, sizeof(double) * (size_t)mb->nq);
}
