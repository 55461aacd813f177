// SPDX-License-Identifier: MIT
// Geometry of a step: poses of geoms, broad phase, narrow phase, and contact data (theory:
// src/README.md#contact-data).
//
//   k = kA kB / (kA + kB), d = (kB dA + kA dB) / (kA + kB), mu = 2 muA muB / (muA + muB)
//   point = (kA pA + kB pB) / (kA + kB)
//
// Poses, the narrow phase and the writing of contacts run over blocks of geoms or pairs in parallel; every pair
// has its own places in the buffer, so the result is in pair order whatever the threads did.
#include "sim.h"

#include <math.h>

#define PAIR_GRAIN 32       // 3 us with spheres, 100 us with meshes
#define HOST_PAIR_GRAIN 512 // where a host runs the tasks and wants them larger
#define GEOM_GRAIN 64

static void rotate(const double* R, const double* x, double* y)
{
    for (int i = 0; i < 3; i++)
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static void pose_geom(talus_sim* sim, int32_t g)
{
    const int32_t body = sim->model->geom_body[g];
    const double *R = sim->data.xmat + 9 * (int64_t)body, *p = sim->data.xpos + 3 * (int64_t)body;
    const tl_pose* X = sim->X_BG + g;
    tl_pose* W = sim->X_WG + g;
    rotate(R, X->p, W->p);
    for (int i = 0; i < 3; i++)
        W->p[i] += p[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            W->R[3 * i + j] = R[3 * i] * X->R[j] + R[3 * i + 1] * X->R[3 + j] + R[3 * i + 2] * X->R[6 + j];
    tl_shape_aabb(sim->model->geom_shape + g, W, sim->lo + 3 * (int64_t)g, sim->hi + 3 * (int64_t)g);
}

// how far any point of a geom may move within h: v h + |omega| r h + |g| h^2, for contact.ahead
static void widen_box(talus_sim* sim, int32_t g, double h)
{
    double v[3], r2 = 0.0, w2 = 0.0, v2 = 0.0, g2 = 0.0;
    double *lo = sim->lo + 3 * (int64_t)g, *hi = sim->hi + 3 * (int64_t)g;
    const int32_t body = sim->model->geom_body[g];
    tl_mb_point_velocity(&sim->model->mb, &sim->data, body, sim->X_WG[g].p, v);
    for (int i = 0; i < 3; i++) {
        const double r = fmax(hi[i] - sim->X_WG[g].p[i], sim->X_WG[g].p[i] - lo[i]);
        const double w = sim->data.V[6 * (int64_t)body + i], a = sim->model->info.gravity[i];
        r2 += r * r;
        w2 += w * w;
        v2 += v[i] * v[i];
        g2 += a * a;
    }
    sim->reach[g] = h * (sqrt(v2) + (w2 > 0.0 ? sqrt(w2 * r2) : 0.0) + h * sqrt(g2));
    for (int i = 0; i < 3; i++) {
        lo[i] -= sim->reach[g];
        hi[i] += sim->reach[g];
    }
}

static bool may_collide(const void* user, int32_t a, int32_t b)
{
    return tl_model_may_collide(user, a, b);
}

// at most this many points, so that spheres do not reserve eight places
static int32_t most_points(int32_t a, int32_t b)
{
    const bool sphere = a == TL_SHAPE_SPHERE || b == TL_SHAPE_SPHERE;
    return sphere && a != TL_SHAPE_HFIELD && b != TL_SHAPE_HFIELD ? 1 : TL_MANIFOLD_MAX;
}

typedef struct narrow {
    talus_sim* sim;
    const tl_pair* pairs;
    const int64_t* first;     // (npairs + 1) places
    int32_t* count;           // (npairs)
    tl_contact_point* points; // by place
    int32_t* start;           // (npairs) first contact of each pair
    uint64_t* hash;           // (ncontacts) of bodies and point
} narrow;

static void collide_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    narrow* n = arg;
    const talus_model* m = n->sim->model;
    for (int32_t i = begin; i < end; i++) {
        const int32_t a = n->pairs[i].a, b = n->pairs[i].b;
        n->count[i] = 0;
        if (n->first[i + 1] == n->first[i])
            continue;
        tl_contact_point out[TL_MANIFOLD_MAX];
        const double margin = n->sim->reach[a] + n->sim->reach[b];
        const int32_t k =
            tl_collide(m->geom_shape + a, n->sim->X_WG + a, m->geom_shape + b, n->sim->X_WG + b, margin, out);
        int32_t kept = 0;
        for (int32_t j = 0; j < k && kept < n->first[i + 1] - n->first[i]; j++)
            if (out[j].depth > -margin)
                n->points[n->first[i] + kept++] = out[j];
        n->count[i] = kept;
    }
}

// tangents: t1 = n x e / |n x e| with the axis e least along n, t2 = n x t1
static void tangent_frame(const double* n, double* t1, double* t2)
{
    int e = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[e]))
            e = i;
    double axis[3] = {0};
    axis[e] = 1.0;
    t1[0] = n[1] * axis[2] - n[2] * axis[1];
    t1[1] = n[2] * axis[0] - n[0] * axis[2];
    t1[2] = n[0] * axis[1] - n[1] * axis[0];
    const double s = 1.0 / sqrt(t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]);
    for (int i = 0; i < 3; i++)
        t1[i] *= s;
    t2[0] = n[1] * t1[2] - n[2] * t1[1];
    t2[1] = n[2] * t1[0] - n[0] * t1[2];
    t2[2] = n[0] * t1[1] - n[1] * t1[0];
}

void tl_sim_tangents(tl_contact_set* c, int32_t i)
{
    tangent_frame(c->normal + 3 * (int64_t)i, c->t1 + 3 * (int64_t)i, c->t2 + 3 * (int64_t)i);
}

double tl_sim_pair_friction(const talus_sim* sim, int32_t a, int32_t b)
{
    const talus_model* m = sim->model;
    if (sim->opt.mu < 0.0) {
        int32_t lo = 0, hi = m->npair;
        while (lo < hi) {
            const int32_t mid = (lo + hi) / 2;
            if (m->pairs[mid].a < a || (m->pairs[mid].a == a && m->pairs[mid].b < b))
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < m->npair && m->pairs[lo].a == a && m->pairs[lo].b == b && m->pair_mu[lo] >= 0.0)
            return m->pair_mu[lo];
    }
    if (sim->opt.mu < 0.0) {
        if (tl_model_smooth(m, a, b))
            return 0.0;
        if (m->geom_priority[a] != m->geom_priority[b])
            return m->geom_mu[m->geom_priority[a] > m->geom_priority[b] ? a : b];
    }
    return tl_mix_friction(sim->gmu[a], sim->gmu[b]);
}

static void write_contact(talus_sim* sim, int32_t i, int32_t a, int32_t b, const tl_contact_point* p)
{
    tl_contact_set* c = &sim->now;
    const double ka = sim->gk[a], kb = sim->gk[b], sum = ka + kb;
    c->geom_a[i] = a;
    c->geom_b[i] = b;
    c->body_a[i] = sim->model->geom_body[a];
    c->body_b[i] = sim->model->geom_body[b];
    c->feature[i] = p->feature;
    c->depth[i] = p->depth;
    c->k[i] = ka / sum * kb;
    c->d[i] = kb / sum * sim->gd[a] + ka / sum * sim->gd[b];
    c->mu[i] = tl_sim_pair_friction(sim, a, b);
    c->slip[i] = 0.0;
    for (int r = 0; r < 3; r++) {
        c->point[3 * i + r] = p->pb[r] + ka / sum * (p->pa[r] - p->pb[r]);
        c->normal[3 * i + r] = p->normal[r];
        c->force[3 * i + r] = 0.0;
    }
    tl_sim_tangents(c, i);
}

// a few multiplications: every contact of every step is hashed
static uint64_t hash_place(int32_t body_a, int32_t body_b, const double* point)
{
    uint64_t x[3], h = ((uint64_t)(uint32_t)body_a << 32) + (uint32_t)body_b;
    memcpy(x, point, sizeof x);
    for (int i = 0; i < 3; i++) {
        h = (h ^ x[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t hash_contact(const tl_contact_set* c, int64_t i)
{
    return hash_place(c->body_a[i], c->body_b[i], c->point + 3 * i);
}

static void write_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const narrow* n = arg;
    for (int32_t i = begin; i < end; i++)
        for (int32_t j = 0; j < n->count[i]; j++) {
            write_contact(n->sim, n->start[i] + j, n->pairs[i].a, n->pairs[i].b, n->points + n->first[i] + j);
            n->hash[n->start[i] + j] = hash_contact(&n->sim->now, n->start[i] + j);
        }
}

// contacts of one pair of bodies at the same point with the same normal
static talus_status count_redundant(talus_sim* sim, const uint64_t* hash, int32_t* found)
{
    const tl_contact_set* c = &sim->now;
    int32_t size = 16;
    *found = 0;
    while (size < 2 * c->n)
        size *= 2;
    int32_t* table = TL_ARENA(&sim->geometry, int32_t, size);
    if (!table)
        return tl_nomem(sim->ctx, sizeof(int32_t) * (size_t)size);
    memset(table, 0xff, sizeof(int32_t) * (size_t)size);
    for (int32_t i = 0; i < c->n; i++) {
        const int32_t bodies[2] = {c->body_a[i], c->body_b[i]};
        for (uint64_t h = hash[i];; h++) {
            const int32_t at = table[h & (uint64_t)(size - 1)];
            if (at < 0) {
                table[h & (uint64_t)(size - 1)] = i;
                break;
            }
            if (c->body_a[at] == bodies[0] && c->body_b[at] == bodies[1] &&
                memcmp(c->point + 3 * at, c->point + 3 * i, 3 * sizeof(double)) == 0 &&
                memcmp(c->normal + 3 * at, c->normal + 3 * i, 3 * sizeof(double)) == 0) {
                ++*found;
                break;
            }
        }
    }
    return TALUS_OK;
}

// pairs of geoms that meet with their fields take no places here; their patches come after
static talus_status lay_out(talus_sim* sim, const tl_pair* pairs, int32_t n, narrow* work, tl_pair** patched,
                            int32_t* npatched)
{
    const talus_model* m = sim->model;
    int64_t* first = TL_ARENA(&sim->geometry, int64_t, n + 1);
    work->count = TL_ARENA(&sim->geometry, int32_t, n);
    work->start = TL_ARENA(&sim->geometry, int32_t, n);
    *patched = m->nfield ? TL_ARENA(&sim->geometry, tl_pair, n) : NULL;
    *npatched = 0;
    if (!first || !work->count || !work->start || (m->nfield && !*patched))
        return tl_nomem(sim->ctx, sizeof(int64_t) * (size_t)n);
    first[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = pairs[i].a, b = pairs[i].b;
        const bool patch = m->nfield && tl_sim_has_patch(sim, a, b);
        first[i + 1] = first[i] + (patch ? 0 : most_points(m->geom_shape[a].type, m->geom_shape[b].type));
        if (patch)
            (*patched)[(*npatched)++] = pairs[i];
    }
    work->first = first;
    work->points = TL_ARENA(&sim->geometry, tl_contact_point, first[n]);
    return work->points ? TALUS_OK : tl_nomem(sim->ctx, sizeof(tl_contact_point) * (size_t)first[n]);
}

static talus_status narrow_phase(talus_sim* sim, const tl_pair* pairs, int32_t n, double h,
                                 talus_step_info* info)
{
    narrow work = {.sim = sim, .pairs = pairs};
    tl_pair* patched;
    int32_t npatched;
    TL_TRY(lay_out(sim, pairs, n, &work, &patched, &npatched));
    const int32_t grain = tl_context_is_light(sim->ctx) ? PAIR_GRAIN : HOST_PAIR_GRAIN;
    const double t0 = tl_now();
    tl_parallel_for(sim->ctx, n, grain, collide_range, &work);
    info->t_points += tl_now() - t0;
    TL_TRY(tl_sim_patches(sim, patched, npatched, h, info));
    int64_t total = 0;
    for (int32_t i = 0; i < n; i++)
        total += work.count[i];
    info->faces = 0; // of this try alone, as its contacts
    for (int32_t i = 0; i < npatched; i++)
        info->faces += tl_sim_patch_contacts(sim->patch + i);
    total += info->faces;
    if (total > INT32_MAX / 8)
        return tl_fail(sim->ctx, TALUS_ERR_UNSUPPORTED, "%lld contacts are too many", (long long)total);
    TL_TRY(tl_contact_set_reserve(sim->ctx, &sim->now, 0, total));
    TL_TRY(TL_GROW(sim->ctx, sim->now.patch, sim->now.patch_cap, 0, npatched));
    work.hash = TL_ARENA(&sim->geometry, uint64_t, total);
    if (!work.hash)
        return tl_nomem(sim->ctx, sizeof(uint64_t) * (size_t)total);
    sim->now.n = sim->now.npatch = 0;
    for (int32_t i = 0, patch = 0; i < n; i++) {
        const int32_t a = pairs[i].a, b = pairs[i].b;
        work.start[i] = sim->now.n;
        if (patch < npatched && patched[patch].a == a && patched[patch].b == b) {
            sim->now.n = tl_sim_write_patch(sim, sim->now.n, a, b, sim->patch + patch++, &info->max_depth);
            for (int32_t k = work.start[i]; k < sim->now.n; k++)
                work.hash[k] = hash_contact(&sim->now, k);
            continue;
        }
        sim->now.n += work.count[i];
        for (int32_t j = 0; j < work.count[i]; j++)
            info->max_depth = fmax(info->max_depth, work.points[work.first[i] + j].depth);
    }
    tl_parallel_for(sim->ctx, n, 4 * grain, write_range, &work);
    info->contacts = sim->now.n;
    return count_redundant(sim, work.hash, &info->redundant);
}

typedef struct posing {
    talus_sim* sim;
    const int32_t* mover; // geoms to pose, NULL: all
    double h;             // contact.ahead: length of the step, 0: without
} posing;

static void pose_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const posing* t = arg;
    for (int32_t i = begin; i < end; i++) {
        const int32_t g = t->mover ? t->mover[i] : i;
        pose_geom(t->sim, g);
        t->sim->reach[g] = 0.0;
        if (t->h > 0.0 && t->sim->moving[g] && !tl_sim_is_asleep(t->sim, t->sim->model->geom_body[g]))
            widen_box(t->sim, g, t->h);
    }
}

talus_status tl_sim_geometry(talus_sim* sim, double h, talus_step_info* info)
{
    const talus_model* m = sim->model;
    TL_TRY(tl_arena_reset(&sim->geometry));
    const bool partly = sim->awake.on;
    const int32_t* mover = partly ? sim->awake.mover : sim->mover;
    const uint8_t* moving = partly ? sim->awake.moving : sim->moving;
    const int32_t nmover = partly ? sim->awake.nmover : sim->nmover;
    posing t = {.sim = sim, .mover = sim->posed ? mover : NULL, .h = sim->opt.ahead ? h : 0.0};
    tl_parallel_light(sim->ctx, sim->posed ? nmover : m->info.ngeom, GEOM_GRAIN, pose_range, &t);
    const tl_pair* pairs = NULL;
    int32_t n = 0;
    const double t0 = tl_now();
    TL_TRY(tl_broad_update(sim->broad, sim->lo, sim->hi, sim->posed ? moving : NULL, may_collide, m, &pairs,
                           &n));
    sim->posed = true;
    if (partly)
        TL_TRY(tl_awake_posed(sim, &pairs, &n));
    else
        tl_awake_forget(sim);
    info->pairs = n;
    info->t_broad += tl_now() - t0;
    return narrow_phase(sim, pairs, n, t.h, info);
}
