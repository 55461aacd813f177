// SPDX-License-Identifier: MIT
// What is looked at once, before the first step of a simulation: starts that are legal but seldom meant.
//
//   deep overlap, passed limit   k delta^2 / 2 is let loose in the first steps
//   far from the origin          neighbouring numbers at |x| are |x| 2^-52 apart; where that exceeds a
//                                hundredth of v_s h, the way of a sticking contact in one step, positions no
//                                longer tell sticking from sliding
//   soft for its weight          a body on one contact sinks by weight over stiffness; SINKS of its size is seldom meant
//
// A warning each, for the worst offender; overlaps and limits are refused instead on request.
#include "sim.h"

#include <float.h>
#include <math.h>

#define SINKS 0.05 // of the shortest edge of the body's largest geometry

static talus_status check_overlaps(talus_sim* sim)
{
    const talus_model* m = sim->model;
    const tl_contact_set* c = &sim->now;
    int32_t deep = 0, worst = -1;
    for (int32_t i = 0; i < c->n; i++)
        if (c->depth[i] > sim->opt.deep) {
            deep++;
            if (worst < 0 || c->depth[i] > c->depth[worst])
                worst = i;
        }
    if (!deep)
        return TALUS_OK;
    const char* format =
        "%d contacts start deeper than %g m, the deepest %.6g m: bodies %s and %s (geoms %d and %d)";
    const tl_label a = tl_model_label(m, TALUS_BODY, c->body_a[worst]),
                   b = tl_model_label(m, TALUS_BODY, c->body_b[worst]);
    if (sim->opt.refuse_deep)
        return tl_fail(sim->ctx, TALUS_ERR_INPUT, format, deep, sim->opt.deep, c->depth[worst], a.text,
                       b.text, c->geom_a[worst], c->geom_b[worst]);
    tl_warn(sim->ctx, format, deep, sim->opt.deep, c->depth[worst], a.text, b.text, c->geom_a[worst],
            c->geom_b[worst]);
    return TALUS_OK;
}

static talus_status check_limits(talus_sim* sim, const talus_state* s)
{
    const talus_model* m = sim->model;
    const tl_mb* mb = &m->mb;
    int32_t worst = -1;
    double most = sim->opt.deep;
    for (int32_t j = 0; j < mb->njnt; j++) {
        if (!m->jnt_limited[j] || (mb->jnt_type[j] != TL_JOINT_SLIDE && mb->jnt_type[j] != TL_JOINT_HINGE))
            continue;
        const double q = s->q[mb->jnt_q[j]],
                     over = fmax(m->jnt_range[2 * j] - q, q - m->jnt_range[2 * j + 1]);
        if (over > most) {
            most = over;
            worst = j;
        }
    }
    if (worst < 0)
        return TALUS_OK;
    const char* format = "joint %s of body %s starts %.6g %s past its limit";
    const tl_label joint = tl_model_label(m, TALUS_JOINT, worst),
                   body = tl_model_label(m, TALUS_BODY, mb->jnt_body[worst]);
    const char* unit = mb->jnt_type[worst] == TL_JOINT_SLIDE ? "m" : "rad";
    if (sim->opt.refuse_deep)
        return tl_fail(sim->ctx, TALUS_ERR_INPUT, format, joint.text, body.text, most, unit);
    tl_warn(sim->ctx, format, joint.text, body.text, most, unit);
    return TALUS_OK;
}

static void check_distance(talus_sim* sim, double h)
{
    const tl_mb* mb = &sim->model->mb;
    int32_t worst = -1;
    double far = 0.01 * sim->opt.v_s * h / DBL_EPSILON;
    for (int32_t b = 1; b < mb->nbody; b++)
        for (int32_t i = 0; i < 3 && mb->body_tree[b] >= 0; i++) {
            const double x = fabs(sim->data.xpos[3 * (int64_t)b + i]);
            if (x > far) {
                far = x;
                worst = b;
            }
        }
    if (worst >= 0)
        tl_warn(
            sim->ctx,
            "body %s is %.6g m from the origin, where positions are resolved to %.2g m; that is more than "
            "a hundredth of contact.v_s times the step, %g m: move the scene to the origin, or take a "
            "longer step or a larger contact.v_s",
            tl_model_label(sim->model, TALUS_BODY, worst).text, far, far * DBL_EPSILON, sim->opt.v_s * h);
}

// a tree that rests on one contact of its largest geometry with another of the same stiffness
typedef struct rest {
    double weight;    // N
    double stiffness; // of the contact   N/m
    double edge;      // shortest one of the geometry's box   m
} rest;

static rest rest_of(const talus_sim* sim, int32_t tree)
{
    const talus_model* m = sim->model;
    const tl_mb* mb = &m->mb;
    const double* g = m->info.gravity;
    rest r = {.stiffness = INFINITY};
    for (int32_t b = mb->tree_body[tree]; b < mb->nbody && mb->body_tree[b] == tree; b++)
        r.weight += mb->mass[b] * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int32_t i = 0; i < m->info.ngeom; i++) {
        if (mb->body_tree[m->geom_body[i]] != tree || m->geom_field[i] ||
            (!m->geom_contype[i] && !m->geom_conaffinity[i]))
            continue;
        const tl_pose here = {.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
        double lo[3], hi[3];
        tl_shape_aabb(&m->geom_shape[i], &here, lo, hi);
        const double edge = fmin(hi[0] - lo[0], fmin(hi[1] - lo[1], hi[2] - lo[2]));
        if (edge > r.edge && isfinite(edge)) {
            r.edge = edge;
            r.stiffness = 0.5 * sim->gk[i];
        }
    }
    return r;
}

static void check_softness(talus_sim* sim)
{
    const tl_mb* mb = &sim->model->mb;
    rest worst = {.edge = 1.0, .stiffness = 1.0};
    double most = SINKS;
    int32_t body = -1;
    for (int32_t t = 0; t < mb->ntree; t++) {
        const int32_t root = mb->tree_body[t];
        if (mb->jnt_type[mb->body_jnt[root]] != TL_JOINT_FREE)
            continue;
        const rest r = rest_of(sim, t);
        if (r.edge > 0.0 && r.weight / r.stiffness > most * r.edge) {
            most = r.weight / r.stiffness / r.edge;
            worst = r;
            body = root;
        }
    }
    if (body >= 0)
        tl_notice(sim->ctx,
                  "body %s, %.3g N on %.3g N/m a contact, sinks up to %.3g m into what carries it, %.2g of "
                  "its size: "
                  "with contact.k = %.1g N/m it is a hundredth",
                  tl_model_label(sim->model, TALUS_BODY, body).text, worst.weight, worst.stiffness,
                  worst.weight / worst.stiffness, most, 200.0 * worst.weight / worst.edge);
}

talus_status tl_sim_check_start(talus_sim* sim, const talus_state* s, double h)
{
    if (sim->checked)
        return TALUS_OK;
    TL_TRY(check_overlaps(sim));
    TL_TRY(check_limits(sim, s));
    check_distance(sim, h);
    check_softness(sim);
    sim->checked = true;
    return TALUS_OK;
}
