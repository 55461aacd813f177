// SPDX-License-Identifier: MIT
// Faces that two bodies do not have yet but may have within the step (contact.ahead; theory: src/README.md#patches).
//
// The patch at the start of the step knows nothing of what comes into touch during it. So more patches are taken at
// predicted poses: every geom moved by its own velocity u for a time t <= h. A face of such a patch with overlap p/g,
// whose material point stands at x now, is one at x with
//
//   delta0 = p/g + t v_n(u, x):        delta0 - h v_n = p/g if the bodies move as predicted (t = h),
//
// and at any other velocity its overlap to first order; where the bodies are held back, outer faces fall below 0 first,
// so that the patch shrinks as the true one does. Of each pair of elements what the patch before (0) has is taken off,
// with the same force at every velocity, since overlap is linear over the pair:
//
//   a = a1 - a0,   a x = a1 x1 - a0 x0,   a delta = a1 delta1 - a0 delta0        all overlaps at the time of patch 0
//
// The rest takes part where that delta < 0: it pushes with nothing at rest, and faces at the start stay as they are. A
// rest with delta >= 0 is area that moves along the patch, not into it; that is the next step's.
//
// The first patch is that at the start, or, of bodies that are apart, that of the moment when they touch, so that touching
// is no jump. The others follow where the bodies overlap by a fortieth of the softer field more, by a twentieth, a tenth, ...:
// most often the first of these is that at h. u is the velocity at the start; bodies that are apart fall besides.
#include "sim.h"

#include <math.h>

#define STILL                                                                                                \
    1e-3 // of the deepest overlap: motion that adds a millionth to the stored energy is not looked at
#define TOUCH 1e-6   // of the depth of a field
#define FIRST 0.025  // of the depth of a field
#define STAGES 6     // the last one at 0.8 of the depth
#define LEAST 0.0625 // of a face: a smaller rest is left to the next step
#define BISECTIONS 20

/// A geom and how it moves.
typedef struct course {
    tl_pose X, ahead;
    double v[3], w[3]; // of the geom's origin
} course;

static double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void velocity_at(const course* c, const double* x, double* v)
{
    const double r[3] = {x[0] - c->X.p[0], x[1] - c->X.p[1], x[2] - c->X.p[2]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = c->v[i] + c->w[j] * r[k] - c->w[k] * r[j];
    }
}

static course start_course(const talus_sim* sim, int32_t geom, double h, bool falls)
{
    course c = {.X = sim->X_WG[geom]};
    const int32_t body = sim->model->geom_body[geom];
    if (!sim->moving[geom] || tl_sim_is_asleep(sim, body))
        return c;
    tl_mb_point_velocity(&sim->model->mb, &sim->data, body, c.X.p, c.v);
    memcpy(c.w, sim->data.V + 6 * (int64_t)body, sizeof c.w);
    for (int i = 0; i < 3 && falls; i++)
        c.v[i] += h * sim->model->info.gravity[i];
    return c;
}

static void advance(course* c, double t)
{
    const double turn[3] = {t * c->w[0], t * c->w[1], t * c->w[2]};
    double q[4], R[9];
    tl_quat_exp(turn, q);
    tl_quat_to_mat(q, R);
    for (int i = 0; i < 3; i++) {
        c->ahead.p[i] = c->X.p[i] + t * c->v[i];
        for (int j = 0; j < 3; j++)
            c->ahead.R[3 * i + j] =
                R[3 * i] * c->X.R[j] + R[3 * i + 1] * c->X.R[3 + j] + R[3 * i + 2] * c->X.R[6 + j];
    }
}

/// Where the material point that will be at x is now.
static void bring_back(const course* c, const double* x, double* out)
{
    double d[3], local[3];
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - c->ahead.p[i];
    for (int i = 0; i < 3; i++)
        local[i] = c->ahead.R[i] * d[0] + c->ahead.R[3 + i] * d[1] + c->ahead.R[6 + i] * d[2];
    for (int i = 0; i < 3; i++)
        out[i] = c->X.p[i] + dot(c->X.R + 3 * i, local);
}

/// Most that points of one body move against the other within h, where their boxes meet; 0: they do not.
static double relative_motion(const talus_sim* sim, int32_t a, int32_t b, const course c[2], double h)
{
    double x[3], v[2][3], r2 = 0.0, v2 = 0.0, w2 = 0.0;
    for (int i = 0; i < 3; i++) {
        const double lo = fmax(sim->lo[3 * (int64_t)a + i], sim->lo[3 * (int64_t)b + i]),
                     hi = fmin(sim->hi[3 * (int64_t)a + i], sim->hi[3 * (int64_t)b + i]);
        if (lo > hi)
            return 0.0;
        x[i] = 0.5 * (lo + hi);
        r2 += 0.25 * (hi - lo) * (hi - lo);
    }
    velocity_at(c, x, v[0]);
    velocity_at(c + 1, x, v[1]);
    for (int i = 0; i < 3; i++) {
        v2 += (v[0][i] - v[1][i]) * (v[0][i] - v[1][i]);
        w2 += (c[0].w[i] - c[1].w[i]) * (c[0].w[i] - c[1].w[i]);
    }
    return h * (sqrt(v2) + (w2 > 0.0 ? sqrt(w2 * r2) : 0.0));
}

/// A pair of geoms on its way.
typedef struct way {
    const tl_field* field[2];
    course c[2];
    double share[2]; // of the place of a contact: between those of both surfaces, nearer to the stiffer one
    double motion;   // see relative_motion
    bool rims;       // contact.rims
} way;

static double overlap_after(way* w, double t)
{
    advance(w->c, t);
    advance(w->c + 1, t);
    return tl_patch_overlap(w->field[0], &w->c[0].ahead, w->field[1], &w->c[1].ahead);
}

/// A time within [begin, end] after which the bodies overlap by `most`, hardly less; `end` if they do not come so deep.
static double time_to_overlap(way* w, double most, double begin, double end)
{
    if (overlap_after(w, end) <= most)
        return end;
    for (int32_t k = 0; k < BISECTIONS; k++) {
        const double t = 0.5 * (begin + end);
        if (overlap_after(w, t) > most)
            end = t;
        else
            begin = t;
    }
    return end;
}

/// The patch after a time t, with its faces where their material is now.
static talus_status look_ahead(talus_context* ctx, way* w, double t, tl_pair_patch* pair, tl_patch* p)
{
    advance(w->c, t);
    advance(w->c + 1, t);
    const tl_patch_options options = {.rims = w->rims};
    TL_TRY(tl_patch_collide(ctx, w->field[0], &w->c[0].ahead, w->field[1], &w->c[1].ahead, &options, p));
    for (int32_t i = 0; i < p->n; i++) {
        double *at = p->centroid + 3 * (int64_t)i, x[2][3];
        for (int k = 0; k < 2; k++)
            bring_back(w->c + k, at, x[k]);
        for (int r = 0; r < 3; r++)
            at[r] = w->share[0] * x[0][r] + w->share[1] * x[1][r];
    }
    pair->work.boxes += p->boxes;
    pair->work.candidates += p->candidates;
    pair->work.t_trees += p->t_trees;
    pair->work.t_clip += p->t_clip;
    return TALUS_OK;
}

/// v_n of the predicted motion.
static double closing(const way* w, const double* normal, const double* x)
{
    double v[2][3];
    for (int k = 0; k < 2; k++)
        velocity_at(w->c + k, x, v[k]);
    return dot(normal, v[0]) - dot(normal, v[1]);
}

/// What a patch has of a pair of elements: area, area times place and times overlap.
typedef struct had {
    double area, moment[3], overlap;
    bool any, is_contact;
} had;

/// Faces of `base` from *j on that have the elements of face i of `p`; fans have several.
static had find_had(const tl_patch* base, int32_t* j, const tl_patch* p, int32_t i)
{
    had s = {.is_contact = true};
    while (*j < base->n && tl_patch_compare(base, *j, p, i) < 0)
        ++*j;
    for (int32_t k = *j; k < base->n && tl_patch_compare(base, k, p, i) == 0; k++) {
        double stiffness, overlap;
        s.any = true;
        s.is_contact = s.is_contact && tl_sim_makes_contact(base, k);
        if (!s.is_contact)
            break;
        tl_patch_contact(base, k, &stiffness, &overlap);
        s.area += base->area[k];
        s.overlap += base->area[k] * overlap;
        for (int r = 0; r < 3; r++)
            s.moment[r] += base->area[k] * base->centroid[3 * (int64_t)k + r];
    }
    return s;
}

/// A patch that the bodies have after a time t, and which of all these it is.
typedef struct stage {
    const tl_patch* p;
    double t;
    int32_t number;
} stage;

/// What face i of patch s has more than the patch before, if it is apart there.
static bool make_rest(const way* w, const stage* s, const stage* before, int32_t i, const had* taken,
                      tl_near_face* f)
{
    const double full = s->p->area[i], area = full - taken->area;
    if (!tl_sim_makes_contact(s->p, i) || !taken->is_contact || !(area > LEAST * full))
        return false;
    double k, overlap;
    tl_patch_contact(s->p, i, &k, &overlap);
    const double *n = s->p->normal + 3 * (int64_t)i, *x = s->p->centroid + 3 * (int64_t)i;
    if (before->p) {
        overlap = (full * (overlap + (s->t - before->t) * closing(w, n, x)) - taken->overlap) / area;
        if (!(overlap < 0.0))
            return false;
    }
    *f = (tl_near_face){.area = area,
                        .k = k / full * area,
                        .ea = s->p->ea[i],
                        .eb = s->p->eb[i],
                        .side = taken->any ? TL_POLYGON_MAX + s->number : 0};
    for (int r = 0; r < 3; r++) {
        f->point[r] = (full * x[r] - taken->moment[r]) / area;
        f->normal[r] = n[r];
    }
    f->depth = overlap + (before->p ? before->t : s->t) * closing(w, n, f->point);
    return f->depth < 0.0 && f->depth >= -2.0 * w->motion;
}

static talus_status add_rests(talus_context* ctx, const way* w, const stage* s, const stage* before,
                              tl_pair_patch* pair)
{
    static const tl_patch none;
    const tl_patch* base = before->p ? before->p : &none;
    TL_TRY(TL_GROW(ctx, pair->near, pair->near_cap, pair->nnear, pair->nnear + s->p->n));
    for (int32_t i = 0, j = 0; i < s->p->n; i++) {
        const had taken = find_had(base, &j, s->p, i);
        pair->nnear += make_rest(w, s, before, i, &taken, pair->near + pair->nnear);
    }
    return TALUS_OK;
}

static double deepest(const tl_patch* p)
{
    double most = 0.0;
    for (int32_t i = 0; i < p->n; i++)
        if (tl_sim_makes_contact(p, i)) {
            double k, overlap;
            tl_patch_contact(p, i, &k, &overlap);
            most = fmax(most, overlap);
        }
    return most;
}

static talus_status add_stages(talus_sim* sim, way* w, double h, tl_pair_patch* pair)
{
    const double depth = fmin(tl_field_depth(w->field[0]), tl_field_depth(w->field[1])),
                 overlap = tl_patch_overlap(w->field[0], &w->c[0].X, w->field[1], &w->c[1].X);
    stage before = {.p = &pair->now};
    int32_t next = 0; // of the two patches that take turns
    if (pair->now.n == 0 && overlap < 0.0) {
        if (overlap_after(w, h) < 0.0)
            return TALUS_OK;
        stage touch = {.p = pair->ahead, .t = time_to_overlap(w, TOUCH * depth, 0.0, h)};
        TL_TRY(look_ahead(sim->ctx, w, touch.t, pair, pair->ahead));
        before.p = NULL;
        TL_TRY(add_rests(sim->ctx, w, &touch, &before, pair));
        before = touch;
        next = 1;
    }
    double more = FIRST * depth;
    for (int32_t k = 0; k < STAGES && before.t < h; k++, more *= 2.0, next = 1 - next) {
        stage s = {.p = pair->ahead + next, .number = k};
        s.t = w->motion > more ? time_to_overlap(w, fmax(overlap, 0.0) + more, before.t, h) : h;
        TL_TRY(look_ahead(sim->ctx, w, s.t, pair, pair->ahead + next));
        TL_TRY(add_rests(sim->ctx, w, &s, &before, pair));
        before = s;
    }
    return TALUS_OK;
}

talus_status tl_sim_patch_ahead(talus_sim* sim, int32_t a, int32_t b, double h, tl_pair_patch* pair)
{
    const talus_model* m = sim->model;
    pair->nnear = 0;
    memset(&pair->work, 0, sizeof pair->work);
    if (!(h > 0.0))
        return TALUS_OK;
    const bool apart = pair->now.n == 0;
    const double Ea = m->geom_modulus[a], Eb = m->geom_modulus[b],
                 of_a = isinf(Ea)   ? 1.0
                        : isinf(Eb) ? 0.0
                                    : Ea / (Ea + Eb);
    way w = {.field = {m->geom_field[a], m->geom_field[b]},
             .c = {start_course(sim, a, h, apart), start_course(sim, b, h, apart)},
             .share = {of_a, 1.0 - of_a},
             .rims = sim->opt.rims == 1};
    w.motion = relative_motion(sim, a, b, w.c, h);
    return w.motion > STILL * deepest(&pair->now) ? add_stages(sim, &w, h, pair) : TALUS_OK;
}
