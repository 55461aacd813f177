// SPDX-License-Identifier: MIT
// Contact patches of a step (theory: src/README.md#patches): the fields of two geoms meet in polygons, and each
// polygon whose pressure grows along its normal is one contact at its centroid,
//
//   1/g = 1/gA + 1/gB,  k = a g,  delta0 = p0 / g,    d = (EB dA + EA dB) / (EA + EB),  E = inf: rigid
//
// so its force at rest is a p0. Patches are computed in parallel, one task a pair, each into its own slot;
// contacts are then written in pair order, so the result does not depend on threads. A face is known from step
// to step by its two elements.
#include "sim.h"

#include <math.h>

#define PATCH_GRAIN 2 // some tenths of a millisecond

bool tl_sim_has_patch(const talus_sim* sim, int32_t geom_a, int32_t geom_b)
{
    const tl_field *a = sim->model->geom_field[geom_a], *b = sim->model->geom_field[geom_b];
    return a && b && tl_patch_supported(a, b);
}

typedef struct task {
    talus_sim* sim;
    const tl_pair* pairs;
    double h;             // contact.ahead: length of the step, 0: without
    talus_status* status; // (n)
} task;

static void collide_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    task* t = arg;
    talus_sim* sim = t->sim;
    const tl_patch_options options = {
        .triangles = sim->opt.patch == 1, .vertices = sim->corners, .rims = sim->opt.rims == 1};
    for (int32_t i = begin; i < end; i++) {
        const int32_t a = t->pairs[i].a, b = t->pairs[i].b;
        tl_pair_patch* p = sim->patch + i;
        t->status[i] = tl_patch_collide(sim->ctx, sim->model->geom_field[a], sim->X_WG + a,
                                        sim->model->geom_field[b], sim->X_WG + b, &options, &p->now);
        if (t->status[i] == TALUS_OK)
            t->status[i] = tl_sim_patch_ahead(sim, a, b, t->h, p);
    }
}

static int compare_pairs(const tl_pair* x, const tl_pair* y)
{
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b < y->b ? -1 : x->b > y->b;
}

/// Patch i for pair i: the one it had last time, whose list of elements may still be good, or one that is free.
static talus_status assign(talus_sim* sim, const tl_pair* pairs, int32_t n)
{
    const int64_t had = sim->patch_cap, n_before = sim->npatch_pair;
    if (n > had) {
        TL_TRY(TL_GROW(sim->ctx, sim->patch, sim->patch_cap, had, n));
        memset(sim->patch + had, 0, sizeof *sim->patch * (size_t)(sim->patch_cap - had));
    }
    TL_TRY(TL_GROW(sim->ctx, sim->patch_pair, sim->patch_pair_cap, n_before, n));
    if (n == n_before && memcmp(pairs, sim->patch_pair, sizeof *pairs * (size_t)n) == 0)
        return TALUS_OK;
    tl_pair_patch* before = TL_ARENA(&sim->geometry, tl_pair_patch, sim->patch_cap);
    int32_t* from = TL_ARENA(&sim->geometry, int32_t, n); // its place before, -1: new
    bool* is_taken = TL_ARENA(&sim->geometry, bool, sim->patch_cap);
    if (!before || !from || !is_taken)
        return tl_nomem(sim->ctx, sizeof *before * (size_t)sim->patch_cap);
    memcpy(before, sim->patch, sizeof *before * (size_t)sim->patch_cap);
    memset(is_taken, 0, sizeof *is_taken * (size_t)sim->patch_cap);
    for (int32_t i = 0, j = 0; i < n; i++) { // both are sorted
        while (j < n_before && compare_pairs(sim->patch_pair + j, pairs + i) < 0)
            j++;
        from[i] = j < n_before && compare_pairs(sim->patch_pair + j, pairs + i) == 0 ? j : -1;
        if (from[i] >= 0)
            is_taken[from[i]] = true;
    }
    for (int64_t i = 0, free = 0; i < sim->patch_cap; i++) {
        if (i < n && from[i] >= 0) {
            sim->patch[i] = before[from[i]];
            continue;
        }
        while (is_taken[free])
            free++;
        sim->patch[i] = before[free++];
    }
    memcpy(sim->patch_pair, pairs, sizeof *pairs * (size_t)n);
    sim->npatch_pair = n;
    return TALUS_OK;
}

talus_status tl_sim_patches(talus_sim* sim, const tl_pair* pairs, int32_t n, double h, talus_step_info* info)
{
    sim->npatch = 0;
    info->patches = info->left_out = 0;
    if (n == 0)
        return TALUS_OK;
    TL_TRY(assign(sim, pairs, n));
    task t = {.sim = sim, .pairs = pairs, .h = h, .status = TL_ARENA(&sim->geometry, talus_status, n)};
    if (!t.status)
        return tl_nomem(sim->ctx, sizeof(talus_status) * (size_t)n);
    const double t0 = tl_now();
    tl_parallel_for(sim->ctx, n, PATCH_GRAIN, collide_range, &t);
    const double wall = tl_now() - t0;
    double trees = 0.0, clip = 0.0; // threads added up
    for (int32_t i = 0; i < n; i++) {
        const tl_pair_patch* p = sim->patch + i;
        TL_TRY(t.status[i]);
        info->patches += p->now.n + p->nnear > 0;
        info->left_out += p->now.left_out;
        info->boxes += p->now.boxes + p->work.boxes;
        info->candidates += p->now.candidates + p->work.candidates;
        trees += p->now.t_trees + p->work.t_trees;
        clip += p->now.t_clip + p->work.t_clip;
    }
    if (trees + clip > 0.0) {
        info->t_trees += wall * trees / (trees + clip);
        info->t_clip += wall * clip / (trees + clip);
    }
    sim->npatch = n;
    return TALUS_OK;
}

int32_t tl_sim_patch_contacts(const tl_pair_patch* p)
{
    int32_t n = p->nnear;
    for (int32_t i = 0; i < p->now.n; i++)
        n += tl_sim_makes_contact(&p->now, i);
    return n;
}

// weights are the moduli: the softer side moves, so its dissipation counts
static double pair_dissipation(const talus_sim* sim, int32_t a, int32_t b)
{
    const double Ea = sim->model->geom_modulus[a], Eb = sim->model->geom_modulus[b];
    if (isinf(Ea))
        return sim->gd[b];
    if (isinf(Eb))
        return sim->gd[a];
    return (Eb * sim->gd[a] + Ea * sim->gd[b]) / (Ea + Eb);
}

typedef struct law {
    double d, mu;
} law;

static void write_face(talus_sim* sim, int32_t at, int32_t a, int32_t b, const tl_near_face* f, law m)
{
    tl_contact_set* c = &sim->now;
    c->geom_a[at] = a;
    c->geom_b[at] = b;
    c->body_a[at] = sim->model->geom_body[a];
    c->body_b[at] = sim->model->geom_body[b];
    c->feature[at] = ((int64_t)f->ea << 34) | ((int64_t)f->eb << 4) | f->side;
    c->k[at] = f->k;
    c->depth[at] = f->depth;
    c->d[at] = m.d;
    c->mu[at] = m.mu;
    c->slip[at] = 0.0;
    memcpy(c->point + 3 * (int64_t)at, f->point, sizeof f->point);
    memcpy(c->normal + 3 * (int64_t)at, f->normal, sizeof f->normal);
    memset(c->force + 3 * (int64_t)at, 0, 3 * sizeof(double));
    tl_sim_tangents(c, at);
}

int32_t tl_sim_write_patch(talus_sim* sim, int32_t at, int32_t a, int32_t b, const tl_pair_patch* pair,
                           double* max_depth)
{
    tl_contact_set* c = &sim->now;
    const tl_patch* p = &pair->now;
    const law whole = {.d = pair_dissipation(sim, a, b), .mu = tl_sim_pair_friction(sim, a, b)};
    talus_patch sum = {.geom_a = a,
                       .geom_b = b,
                       .body_a = sim->model->geom_body[a],
                       .body_b = sim->model->geom_body[b],
                       .first = at,
                       .left_out_area = p->left_out_area};
    // linear dissipation is one of the whole patch: each face has its share
    double touching = 0.0;
    for (int32_t i = 0; i < p->n && sim->opt.dissipation == TALUS_DISSIPATION_LINEAR; i++)
        touching += tl_sim_makes_contact(p, i) ? p->area[i] : 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        tl_near_face f = {.ea = p->ea[i], .eb = p->eb[i], .side = p->side[i]};
        memcpy(f.point, p->centroid + 3 * (int64_t)i, sizeof f.point);
        memcpy(f.normal, p->normal + 3 * (int64_t)i, sizeof f.normal);
        sum.area += p->area[i];
        for (int r = 0; r < 3; r++)
            sum.centroid[r] += p->area[i] * f.point[r];
        sum.pressure_max = fmax(sum.pressure_max, p->pressure[i]);
        if (!tl_sim_makes_contact(p, i))
            continue;
        law m = whole;
        m.d = touching > 0.0 ? whole.d * (p->area[i] / touching) : whole.d;
        tl_patch_contact(p, i, &f.k, &f.depth);
        write_face(sim, at++, a, b, &f, m);
        *max_depth = fmax(*max_depth, f.depth);
    }
    sum.left_out = p->n - (at - sum.first);
    double near = 0.0; // bodies that do not touch yet meet where they will
    for (int32_t i = 0; i < pair->nnear; i++) {
        const tl_near_face* f = pair->near + i;
        write_face(sim, at++, a, b, f, whole);
        near += p->n == 0 ? f->area : 0.0;
        for (int r = 0; r < 3 && p->n == 0; r++)
            sum.centroid[r] += f->area * f->point[r];
    }
    if (p->n + pair->nnear > 0) {
        const double area = sum.area + near;
        for (int r = 0; r < 3; r++)
            sum.centroid[r] = area > 0.0 ? sum.centroid[r] / area : p->centroid[r];
        sum.faces = at - sum.first;
        c->patch[c->npatch++] = sum;
    }
    return at;
}

void tl_sim_patch_forces(tl_contact_set* c)
{
    for (int32_t i = 0; i < c->npatch; i++) {
        talus_patch* s = c->patch + i;
        double f[3] = {0}, m[3] = {0};
        for (int64_t k = s->first; k < s->first + s->faces; k++) {
            const double *x = c->point + 3 * k, *force = c->force + 3 * k;
            const double arm[3] = {x[0] - s->centroid[0], x[1] - s->centroid[1], x[2] - s->centroid[2]};
            for (int r = 0; r < 3; r++) {
                const int u = (r + 1) % 3, w = (r + 2) % 3;
                f[r] += force[r];
                m[r] += arm[u] * force[w] - arm[w] * force[u];
            }
        }
        memcpy(s->force, f, sizeof f);
        memcpy(s->moment, m, sizeof m);
    }
}

int32_t talus_sim_patches(const talus_sim* sim, const talus_patch** patches)
{
    *patches = sim->last.npatch > 0 ? sim->last.patch : NULL;
    return sim->last.npatch;
}

void tl_sim_patches_free(talus_sim* sim)
{
    for (int64_t i = 0; i < sim->patch_cap; i++) {
        tl_patch_free(sim->ctx, &sim->patch[i].now);
        for (int k = 0; k < 2; k++)
            tl_patch_free(sim->ctx, sim->patch[i].ahead + k);
        tl_free(sim->ctx, sim->patch[i].near);
    }
    tl_free(sim->ctx, sim->patch);
    tl_free(sim->ctx, sim->patch_pair);
}
