// SPDX-License-Identifier: MIT
// State and contacts -> problem view: Jacobians in contact frames, warm-start forces by contact identity,
// joint limits, dry friction. A ball joint's limit is a contact without friction whose normal row turns about
// the rotation axis.
#include "sim.h"

#include <math.h>

static int32_t tree_dofs(const tl_mb* mb, int32_t tree)
{
    return tree < 0 ? 0 : mb->tree_dof[tree + 1] - mb->tree_dof[tree];
}

// J (3 x n) rows t1 t2 n of sign * velocity of the body's point. @return what follows them
static double* write_rows(const talus_sim* sim, int32_t i, int32_t body, double sign, double* J)
{
    const tl_mb* mb = &sim->model->mb;
    const tl_contact_set* c = &sim->now;
    const int32_t n = tree_dofs(mb, mb->body_tree[body]);
    if (n == 0)
        return J;
    const double* axis[3] = {c->t1 + 3 * (int64_t)i, c->t2 + 3 * (int64_t)i, c->normal + 3 * (int64_t)i};
    tl_mb_frame_jacobian(mb, &sim->data, body, c->point + 3 * (int64_t)i, axis, sign, J, n);
    return J + 3 * (int64_t)n;
}

// forces of the last step in today's frames; both lists are sorted by pair of geoms. Within a pair the features
// mostly come in the same order, so the search starts after the last one found and goes once around.
static void warm_start(const talus_sim* sim, const talus_state* s, double* f0)
{
    const tl_contact_set* c = &sim->now;
    int64_t begin = 0, end = 0, next = 0;
    for (int32_t i = 0; i < c->n; i++) {
        const int32_t a = c->geom_a[i], b = c->geom_b[i];
        if (i == 0 || a != c->geom_a[i - 1] || b != c->geom_b[i - 1]) {
            begin = end;
            while (begin < s->nhistory && (s->history[begin].geom_a < a ||
                                           (s->history[begin].geom_a == a && s->history[begin].geom_b < b)))
                begin++;
            end = begin;
            while (end < s->nhistory && s->history[end].geom_a == a && s->history[end].geom_b == b)
                end++;
            next = begin;
        }
        for (int64_t k = begin; k < end; k++, next++) {
            next = next == end ? begin : next;
            const talus_last_force* e = s->history + next;
            if (e->feature != c->feature[i])
                continue;
            const double *t1 = c->t1 + 3 * (int64_t)i, *t2 = c->t2 + 3 * (int64_t)i;
            f0[3 * (int64_t)i] = e->ft[0] * t1[0] + e->ft[1] * t1[1] + e->ft[2] * t1[2];
            f0[3 * (int64_t)i + 1] = e->ft[0] * t2[0] + e->ft[1] * t2[1] + e->ft[2] * t2[2];
            f0[3 * (int64_t)i + 2] = e->fn;
            next++;
            break;
        }
    }
}

typedef struct view_arrays {
    const talus_sim* sim;
    int32_t *tree_nv, *tree_a, *tree_b;
    int64_t *pair, *at;
    double *J, *f0, *delta0, *k, *d, *mu;
} view_arrays;

static void write_contacts(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const view_arrays* v = arg;
    const tl_mb* mb = &v->sim->model->mb;
    const tl_contact_set* c = &v->sim->now;
    for (int32_t i = begin; i < end; i++) {
        v->tree_a[i] = mb->body_tree[c->body_a[i]];
        v->tree_b[i] = mb->body_tree[c->body_b[i]];
        v->pair[i] = (int64_t)c->body_a[i] * mb->nbody + c->body_b[i];
        double* J = write_rows(v->sim, i, c->body_a[i], 1.0, v->J + v->at[i]);
        write_rows(v->sim, i, c->body_b[i], -1.0, J);
        v->delta0[i] = c->depth[i];
        v->k[i] = c->k[i];
        v->d[i] = c->d[i];
        v->mu[i] = c->mu[i];
    }
}

typedef struct ball_limit {
    int32_t joint;
    double delta0, axis[3];
} ball_limit;

// rotation angle of a ball joint beyond its range[1]
static bool ball_limit_passed(const talus_model* m, const talus_state* s, int32_t j, ball_limit* out)
{
    const double *q = s->q + m->mb.jnt_q[j], n = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double sign = q[0] < 0.0 ? -1.0 : 1.0, angle = 2.0 * atan2(n, sign * q[0]);
    *out = (ball_limit){.joint = j, .delta0 = angle - m->jnt_range[2 * j + 1]};
    for (int i = 0; i < 3; i++)
        out->axis[i] = n > 0.0 ? sign * q[i + 1] / n : 0.0;
    return out->delta0 > 0.0;
}

static talus_status assemble_contacts(talus_sim* sim, const talus_state* s, tl_step_problem* p)
{
    const talus_model* m = sim->model;
    const tl_mb* mb = &m->mb;
    const tl_contact_set* c = &sim->now;
    tl_arena* w = &sim->arena;
    ball_limit* balls = TL_ARENA(w, ball_limit, mb->njnt);
    if (!balls)
        return TALUS_ERR_NOMEM;
    p->at = TL_ARENA(w, int64_t, c->n);
    if (!p->at)
        return TALUS_ERR_NOMEM;
    int32_t nball = 0;
    int64_t nj = 0;
    for (int32_t i = 0; i < c->n; i++) {
        p->at[i] = nj;
        nj += 3 * (int64_t)(tree_dofs(mb, mb->body_tree[c->body_a[i]]) +
                            tree_dofs(mb, mb->body_tree[c->body_b[i]]));
    }
    const int64_t contact_rows = nj;
    for (int32_t j = 0; j < mb->njnt; j++)
        if (m->jnt_limited[j] && mb->jnt_type[j] == TL_JOINT_BALL &&
            !tl_sim_is_asleep(sim, mb->jnt_body[j]) && ball_limit_passed(m, s, j, balls + nball))
            nj += 3 * (int64_t)tree_dofs(mb, mb->body_tree[mb->jnt_body[balls[nball++].joint]]);
    const int32_t n = c->n + nball;
    view_arrays v = {.sim = sim,
                     .at = p->at,
                     .tree_nv = TL_ARENA(w, int32_t, mb->ntree),
                     .tree_a = TL_ARENA(w, int32_t, n),
                     .tree_b = TL_ARENA(w, int32_t, n),
                     .pair = TL_ARENA(w, int64_t, n),
                     .J = TL_ARENA(w, double, nj),
                     .f0 = TL_ARENA(w, double, 7 * (int64_t)n)};
    p->f = TL_ARENA(w, double, 3 * (int64_t)n);
    if (!v.tree_nv || !v.tree_a || !v.tree_b || !v.pair || !v.J || !v.f0 || !p->f)
        return TALUS_ERR_NOMEM;
    memset(v.f0, 0, sizeof(double) * 3 * (size_t)n);
    v.delta0 = v.f0 + 3 * (int64_t)n;
    v.k = v.delta0 + n;
    v.d = v.k + n;
    v.mu = v.d + n;
    for (int32_t t = 0; t < mb->ntree; t++)
        v.tree_nv[t] = tree_dofs(mb, t);
    tl_parallel_light(sim->ctx, c->n, TL_SIM_CONTACTS, write_contacts, &v);
    double* J = v.J + contact_rows;
    warm_start(sim, s, v.f0);
    for (int32_t b = 0, i = c->n; b < nball; b++, i++) {
        const int32_t joint = balls[b].joint, tree = mb->body_tree[mb->jnt_body[joint]],
                      nt = tree_dofs(mb, tree);
        v.tree_a[i] = tree;
        v.tree_b[i] = -1;
        v.pair[i] = -1;
        memset(J, 0, sizeof(double) * 3 * (size_t)nt);
        for (int k = 0; k < 3; k++)
            J[2 * nt + mb->jnt_dof[joint] - mb->tree_dof[tree] + k] = -balls[b].axis[k];
        J += 3 * (int64_t)nt;
        v.delta0[i] = balls[b].delta0;
        v.k[i] = sim->opt.limit_k;
        v.d[i] = sim->opt.limit_d;
        v.mu[i] = 0.0;
    }
    talus_problem_view* view = &p->view;
    view->tree_nv = v.tree_nv;
    view->nc = n;
    view->tree_a = v.tree_a;
    view->tree_b = v.tree_b;
    view->pair = v.pair;
    view->J = v.J;
    view->f0 = v.f0;
    view->delta0 = v.delta0;
    view->k = v.k;
    view->d = v.d;
    view->mu = v.mu;
    p->ncontact = c->n;
    return TALUS_OK;
}

static talus_status assemble_joints(talus_sim* sim, const talus_state* s, double h, tl_step_problem* p)
{
    const talus_model* m = sim->model;
    const tl_mb* mb = &m->mb;
    tl_arena* w = &sim->arena;
    // at most one side of each joint is passed
    const int32_t most = mb->njnt;
    int32_t* li = TL_ARENA(w, int32_t, 2 * (int64_t)most + 2 * (int64_t)mb->nv);
    double* lx = TL_ARENA(w, double, 6 * (int64_t)most + 3 * (int64_t)mb->nv);
    if (!li || !lx)
        return TALUS_ERR_NOMEM;
    int32_t *lt = li, *ld = li + most, *ft = li + 2 * most, *fd = ft + mb->nv, nl = 0, nf = 0;
    double *delta = lx, *k = lx + most, *d = lx + 2 * most, *sign = lx + 3 * most, *f0 = lx + 4 * most;
    p->limit_out = lx + 5 * most;
    double *bound = lx + 6 * most, *lf0 = bound + mb->nv;
    p->loss_out = lf0 + mb->nv;
    for (int32_t j = 0; j < mb->njnt; j++) {
        if (!m->jnt_limited[j] || (mb->jnt_type[j] != TL_JOINT_SLIDE && mb->jnt_type[j] != TL_JOINT_HINGE) ||
            tl_sim_is_asleep(sim, mb->jnt_body[j]))
            continue;
        const double q = s->q[mb->jnt_q[j]], lower = m->jnt_range[2 * j] - q,
                     upper = q - m->jnt_range[2 * j + 1];
        const int32_t dof = mb->jnt_dof[j];
        const double near = sim->opt.ahead ? h * fabs(sim->v_star[dof]) : 0.0;
        if (lower <= -near && upper <= -near)
            continue;
        const int32_t tree = mb->body_tree[mb->jnt_body[j]];
        lt[nl] = tree;
        ld[nl] = dof - mb->tree_dof[tree];
        delta[nl] = fmax(lower, upper);
        k[nl] = sim->opt.limit_k;
        d[nl] = sim->opt.limit_d;
        sign[nl] = lower > upper ? 1.0 : -1.0;
        f0[nl++] = fmax(0.0, (lower > upper ? 1.0 : -1.0) * s->limit_f[dof]);
    }
    for (int32_t i = 0; i < mb->nv; i++) {
        if (!(m->dof_frictionloss[i] > 0.0) || tl_sim_is_asleep(sim, mb->dof_body[i]))
            continue;
        const int32_t tree = mb->body_tree[mb->dof_body[i]];
        ft[nf] = tree;
        fd[nf] = i - mb->tree_dof[tree];
        bound[nf] = m->dof_frictionloss[i];
        lf0[nf++] = s->loss_f[i];
    }
    talus_problem_view* v = &p->view;
    v->nl = nl;
    v->limit_tree = lt;
    v->limit_dof = ld;
    v->limit_delta0 = delta;
    v->limit_k = k;
    v->limit_d = d;
    v->limit_sign = sign;
    v->limit_f0 = f0;
    v->nf = nf;
    v->loss_tree = ft;
    v->loss_dof = fd;
    v->loss_bound = bound;
    v->loss_f0 = lf0;
    return TALUS_OK;
}

talus_status tl_sim_assemble(talus_sim* sim, const talus_state* s, double h, tl_step_problem* p)
{
    *p = (tl_step_problem){.view = talus_problem_default()};
    p->view.ntree = sim->model->mb.ntree;
    p->view.h = h;
    p->view.ahead = sim->opt.ahead;
    p->view.v_s = sim->opt.v_s;
    p->view.loss_v_s = sim->opt.loss_v_s;
    p->view.friction = (talus_friction)sim->opt.friction;
    p->view.dissipation = (talus_dissipation)sim->opt.dissipation;
    p->view.M = sim->M;
    p->view.v0 = s->v;
    p->view.v_star = sim->v_star;
    if (assemble_contacts(sim, s, p) < 0 || assemble_joints(sim, s, h, p) < 0)
        return tl_nomem(sim->ctx, sim->arena.used);
    return TALUS_OK;
}
