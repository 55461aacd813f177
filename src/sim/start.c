// SPDX-License-Identifier: MIT
// What is looked at once, before the first step of a simulation: starts that are legal but seldom meant.
//
//   deep overlap, passed limit   k delta^2 / 2 is let loose in the first steps
//   far from the origin          neighbouring numbers at |x| are |x| 2^-52 apart; where that exceeds a
//                                hundredth of v_s h, the way of a sticking contact in one step, positions no
//                                longer tell sticking from sliding
//
// A warning each, for the worst offender; overlaps and limits are refused instead on request.
#include "sim.h"

#include <float.h>
#include <math.h>

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

talus_status tl_sim_check_start(talus_sim* sim, const talus_state* s, double h)
{
    if (sim->checked)
        return TALUS_OK;
    TL_TRY(check_overlaps(sim));
    TL_TRY(check_limits(sim, s));
    check_distance(sim, h);
    sim->checked = true;
    return TALUS_OK;
}
