// SPDX-License-Identifier: MIT
// One step: kinematics -> geometry -> dynamics -> assemble -> solve -> integrate. A step that does not
// converge is tried again as 2, 4, 8 shorter ones with everything recomputed; only a whole success is
// committed.
#include "sim.h"

#include <math.h>

/// The time since the last lap belongs to `phase`: phases add up to the wall time of the step.
static double lap(talus_sim* sim, talus_step_info* info, talus_phase phase)
{
    const double now = tl_now(), t = now - sim->clock;
    info->phase[phase] += t;
    sim->clock = now;
    return t;
}

/// Split the assembly lap that held the whole solver, of `solver_wall` seconds.
static void take_phases(talus_step_info* info, const talus_solve_info* x, double solver_wall)
{
    const double inner = x->t_symbolic + x->t_factor + x->t_solve + x->t_limit;
    // island tasks on several threads add up to more than the wall time they took
    const double scale = inner > solver_wall && inner > 0.0 ? solver_wall / inner : 1.0;
    info->phase[TALUS_PHASE_SYMBOLIC] += scale * x->t_symbolic;
    info->phase[TALUS_PHASE_FACTOR] += scale * x->t_factor;
    info->phase[TALUS_PHASE_SOLVE] += scale * x->t_solve;
    info->phase[TALUS_PHASE_LIMIT] += scale * x->t_limit;
    info->phase[TALUS_PHASE_ASSEMBLE] -= scale * inner;
}

static void add_solve_info(talus_solve_info* sum, const talus_solve_info* x)
{
    const talus_solve_info before = *sum;
    *sum = *x;
    sum->iterations += before.iterations;
    sum->iterations_max += before.iterations_max;
    sum->factorizations += before.factorizations;
    sum->factorizations_max += before.factorizations_max;
    sum->linear_steps += before.linear_steps;
    sum->symbolic += before.symbolic;
    sum->restarted += before.restarted;
    sum->substepped += before.substepped;
    sum->lagged += before.lagged;
    sum->flops += before.flops;
    sum->lagged_err = fmax(sum->lagged_err, before.lagged_err);
    sum->residual = fmax(sum->residual, before.residual);
}

// ---- the solution, by tasks of contacts -------------------------------------------------------------------

typedef struct reading {
    talus_sim* sim;
    const tl_step_problem* p;
    const double* v;
    talus_last_force* history; // out, NULL: none
} reading;

// contact forces and slip speeds in world axes from the solution
static void read_contacts_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const reading* t = arg;
    tl_contact_set* c = &t->sim->now;
    const tl_mb* mb = &t->sim->model->mb;
    for (int64_t i = begin; i < end; i++) {
        const double *f = t->p->f + 3 * i, *J = t->p->view.J + t->p->at[i];
        for (int r = 0; r < 3; r++)
            c->force[3 * i + r] =
                f[0] * c->t1[3 * i + r] + f[1] * c->t2[3 * i + r] + f[2] * c->normal[3 * i + r];
        double w[2] = {0};
        const int32_t tree[2] = {t->p->view.tree_a[i], t->p->view.tree_b[i]};
        for (int s = 0; s < 2; s++) {
            const int32_t at = tree[s] < 0 ? 0 : mb->tree_dof[tree[s]];
            const int32_t n = tree[s] < 0 ? 0 : mb->tree_dof[tree[s] + 1] - at;
            for (int32_t k = 0; k < n; k++) {
                w[0] += J[k] * t->v[at + k];
                w[1] += J[n + k] * t->v[at + k];
            }
            J += 3 * (int64_t)n;
        }
        c->slip[i] = sqrt(w[0] * w[0] + w[1] * w[1]);
    }
    tl_sim_patch_forces(c);
}

static void read_contacts(talus_sim* sim, const tl_step_problem* p, const double* v)
{
    reading t = {.sim = sim, .p = p, .v = v};
    tl_parallel_light(sim->ctx, sim->now.n, TL_SIM_CONTACTS, read_contacts_range, &t);
}

static void save_history_range(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const reading* t = arg;
    const tl_contact_set* c = &t->sim->now;
    for (int64_t i = begin; i < end; i++) {
        const double* f = t->p->f + 3 * i;
        talus_last_force* e = t->history + i;
        *e = (talus_last_force){
            .geom_a = c->geom_a[i], .geom_b = c->geom_b[i], .feature = c->feature[i], .fn = f[2]};
        for (int r = 0; r < 3; r++)
            e->ft[r] = f[0] * c->t1[3 * i + r] + f[1] * c->t2[3 * i + r];
    }
}

static talus_status save_history(talus_sim* sim, talus_state* s, const tl_step_problem* p)
{
    const tl_contact_set* c = &sim->now;
    TL_TRY(TL_GROW(s->ctx, s->history, s->history_cap, 0, c->n));
    reading t = {.sim = sim, .p = p, .history = s->history};
    tl_parallel_light(sim->ctx, c->n, TL_SIM_CONTACTS, save_history_range, &t);
    s->nhistory = c->n;
    const tl_mb* mb = &sim->model->mb;
    // what sleeps keeps its joint forces
    for (int32_t at = 0, n = tl_sim_trees(sim), first, last; tl_sim_next_trees(sim, &at, n, &first, &last);) {
        const size_t bytes = sizeof(double) * (size_t)(mb->tree_dof[last] - mb->tree_dof[first]);
        memset(s->limit_f + mb->tree_dof[first], 0, bytes);
        memset(s->loss_f + mb->tree_dof[first], 0, bytes);
    }
    for (int32_t i = 0; i < p->view.nl; i++)
        s->limit_f[mb->tree_dof[p->view.limit_tree[i]] + p->view.limit_dof[i]] =
            p->view.limit_sign[i] * p->limit_out[i];
    for (int32_t i = 0; i < p->view.nf; i++)
        s->loss_f[mb->tree_dof[p->view.loss_tree[i]] + p->view.loss_dof[i]] = p->loss_out[i];
    return TALUS_OK;
}

// bodies that move farther in one step than the smallest half size of their geoms: a thin obstacle may be
// jumped over
static int32_t count_missed(const talus_sim* sim, double h)
{
    const talus_model* m = sim->model;
    const int32_t* mover = sim->awake.on ? sim->awake.mover : sim->mover;
    const int32_t n = sim->awake.on ? sim->awake.nmover : sim->nmover;
    int32_t missed = 0, last = -1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t g = mover[i], body = m->geom_body[g];
        if (body == last || (!m->geom_contype[g] && !m->geom_conaffinity[g]))
            continue;
        double v[3], size = INFINITY;
        tl_mb_point_velocity(&m->mb, &sim->data, body, sim->X_WG[g].p, v);
        for (int r = 0; r < 3; r++)
            size = fmin(size, 0.5 * (sim->hi[3 * (int64_t)g + r] - sim->lo[3 * (int64_t)g + r]));
        if (h * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) > size) {
            missed++;
            last = body;
        }
    }
    return missed;
}

// poses and contacts of all that is awake
static talus_status meet(talus_sim* sim, const talus_state* s, double h, talus_step_info* info)
{
    tl_sim_kinematics(sim, s);
    lap(sim, info, TALUS_PHASE_DYNAMICS);
    return tl_sim_geometry(sim, h, info);
}

// and of what they touch, until nothing that sleeps is touched
static talus_status meet_and_wake(talus_sim* sim, talus_state* s, double h, talus_step_info* info)
{
    bool woke = false;
    do {
        TL_TRY(meet(sim, s, h, info));
        TL_TRY(tl_awake_touch(sim, s, &woke));
    } while (woke);
    return TALUS_OK;
}

// the problem of a step, after its contacts
static talus_status prepare(talus_sim* sim, const talus_state* s, double h, talus_step_info* info,
                            tl_step_problem* p)
{
    TL_TRY(tl_arena_reset(&sim->arena));
    TL_TRY(tl_sim_check_start(sim, s, h));
    info->missed += count_missed(sim, h);
    lap(sim, info, TALUS_PHASE_GEOMETRY);
    TL_TRY(tl_sim_forces(sim, s, h));
    lap(sim, info, TALUS_PHASE_DYNAMICS);
    TL_TRY(tl_sim_assemble(sim, s, h, p));
    lap(sim, info, TALUS_PHASE_ASSEMBLE);
    info->limits += p->view.nl;
    return TALUS_OK;
}

static void swap_sets(tl_contact_set* a, tl_contact_set* b)
{
    const tl_contact_set t = *a;
    *a = *b;
    *b = t;
}

// the first that no step can start from, -1: none
static int32_t first_beyond(const double* x, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= TL_STATE_LARGEST))
            return i;
    return -1;
}

// one step of length h into the state; NOT_CONVERGED leaves it unchanged unless `force`
static talus_status attempt(talus_sim* sim, talus_state* s, double h, bool force, talus_step_info* info)
{
    const tl_mb* mb = &sim->model->mb;
    tl_step_problem p;
    TL_TRY(meet_and_wake(sim, s, h, info));
    TL_TRY(prepare(sim, s, h, info, &p));
    if ((sim->beyond = first_beyond(sim->v_star, mb->nv)) >= 0)
        return TALUS_NOT_CONVERGED;
    talus_solution sol = {
        .v = sim->v1, .v_mean = sim->v_mean, .f = p.f, .limit_f = p.limit_out, .loss_f = p.loss_out};
    talus_solve_info solve;
    const talus_status status = talus_solver_step(sim->solver, &p.view, &sol, &solve);
    if (status < 0)
        return status;
    take_phases(info, &solve, lap(sim, info, TALUS_PHASE_ASSEMBLE));
    add_solve_info(&info->solve, &solve);
    read_contacts(sim, &p, sim->v1); // of a failure too: its report names the worst contact's slip
    if (status == TALUS_NOT_CONVERGED && !force)
        return status;
    tl_sim_advance(sim, s, h);
    if ((sim->beyond = first_beyond(sim->v1, mb->nv)) >= 0 || first_beyond(sim->q1, mb->nq) >= 0)
        return TALUS_NOT_CONVERGED;
    TL_TRY(tl_awake_reserve(sim, s));
    TL_TRY(save_history(sim, s, &p));
    memcpy(s->q, sim->q1, sizeof(double) * (size_t)mb->nq);
    memcpy(s->v, sim->v1, sizeof(double) * (size_t)mb->nv);
    s->time += h;
    swap_sets(&sim->last, &sim->now);
    memcpy(sim->limit_f, s->limit_f, sizeof(double) * (size_t)mb->nv);
    memcpy(sim->loss_f, s->loss_f, sizeof(double) * (size_t)mb->nv);
    lap(sim, info, TALUS_PHASE_INTEGRATE);
    return status;
}

static talus_status backup(talus_sim* sim, const talus_state* s)
{
    const tl_mb* mb = &sim->model->mb;
    memcpy(sim->backup_q, s->q, sizeof(double) * (size_t)mb->nq);
    memcpy(sim->backup_v, s->v, sizeof(double) * (size_t)mb->nv);
    TL_TRY(TL_GROW(sim->ctx, sim->backup_history, sim->backup_cap, 0, s->nhistory));
    if (s->nhistory)
        memcpy(sim->backup_history, s->history, sizeof(talus_last_force) * (size_t)s->nhistory);
    const size_t nv = (size_t)mb->nv;
    memcpy(sim->backup_joint_f, s->limit_f, sizeof(double) * nv);
    memcpy(sim->backup_joint_f + nv, s->loss_f, sizeof(double) * nv);
    memcpy(sim->backup_joint_f + 2 * nv, sim->limit_f, sizeof(double) * nv);
    memcpy(sim->backup_joint_f + 3 * nv, sim->loss_f, sizeof(double) * nv);
    swap_sets(&sim->last, &sim->backup_contacts); // the pieces overwrite `last`
    return TALUS_OK;
}

static void restore(talus_sim* sim, talus_state* s, int64_t nhistory, double time)
{
    const tl_mb* mb = &sim->model->mb;
    memcpy(s->q, sim->backup_q, sizeof(double) * (size_t)mb->nq);
    memcpy(s->v, sim->backup_v, sizeof(double) * (size_t)mb->nv);
    if (nhistory)
        memcpy(s->history, sim->backup_history, sizeof(talus_last_force) * (size_t)nhistory);
    s->nhistory = nhistory;
    s->time = time;
    const size_t nv = (size_t)mb->nv;
    memcpy(s->limit_f, sim->backup_joint_f, sizeof(double) * nv);
    memcpy(s->loss_f, sim->backup_joint_f + nv, sizeof(double) * nv);
    memcpy(sim->limit_f, sim->backup_joint_f + 2 * nv, sizeof(double) * nv);
    memcpy(sim->loss_f, sim->backup_joint_f + 3 * nv, sizeof(double) * nv);
    swap_sets(&sim->last, &sim->backup_contacts);
}

// n shorter steps, all or nothing
static talus_status split_step(talus_sim* sim, talus_state* s, double h, int32_t n, talus_step_info* info)
{
    const int64_t nhistory = s->nhistory;
    const double time = s->time;
    TL_TRY(backup(sim, s));
    talus_status status = TALUS_OK;
    bool lagged = false;
    for (int32_t i = 0; i < n; i++) {
        status = attempt(sim, s, h / n, false, info);
        if (status < 0 || status == TALUS_NOT_CONVERGED) {
            restore(sim, s, nhistory, time);
            return status;
        }
        lagged |= status == TALUS_LAGGED;
    }
    s->time = time + h;
    return lagged ? TALUS_LAGGED : TALUS_OK;
}

static void report_failure(talus_sim* sim, const talus_state* s, double h, const talus_step_info* info)
{
    const tl_contact_set* c = &sim->now;
    const tl_mb* mb = &sim->model->mb;
    const int32_t w = info->solve.worst_contact;
    if (sim->beyond >= 0)
        tl_warn(sim->ctx,
                "step at t = %.9g s, h = %g s: the velocity of body %s grows beyond %g; the motion is not "
                "bounded at "
                "this step length: try a smaller step",
                s->time, h, tl_model_label(sim->model, TALUS_BODY, mb->dof_body[sim->beyond]).text,
                TL_STATE_LARGEST);
    else if (w >= 0 && w < c->n)
        tl_warn(
            sim->ctx,
            "step at t = %.9g s, h = %g s did not converge: residual %g; worst contact of bodies %s and %s, "
            "depth %g m, "
            "slip %g m/s; try a smaller step, softer contact.k or a larger contact.v_s",
            s->time, h, info->solve.residual, tl_model_label(sim->model, TALUS_BODY, c->body_a[w]).text,
            tl_model_label(sim->model, TALUS_BODY, c->body_b[w]).text, c->depth[w], c->slip[w]);
    else
        tl_warn(sim->ctx, "step at t = %.9g s, h = %g s did not converge: residual %g; try a smaller step",
                s->time, h, info->solve.residual);
}

talus_status talus_sim_step(talus_sim* sim, talus_state* state, double h, int32_t keep_going,
                            talus_step_info* info)
{
    if (!sim || !state || state->model != sim->model)
        return TALUS_ERR_ARG;
    talus_step_info local;
    info = info ? info : &local;
    memset(info, 0, sizeof *info);
    info->substeps = 1;
    if (!(h > 0.0) || !isfinite(h))
        return tl_fail(sim->ctx, TALUS_ERR_ARG, "step length h = %g s must be positive and finite", h);
    sim->clock = tl_now();
    TL_TRY(tl_state_check(sim, state));
    TL_TRY(tl_awake_begin(sim, state));
    const size_t bytes_q = sizeof(double) * (size_t)sim->model->mb.nq;
    memcpy(sim->given_q, state->q, bytes_q);
    tl_state_normalize(state);
    talus_status status = attempt(sim, state, h, false, info);
    const int32_t ahead = sim->opt.ahead;
    if (status == TALUS_NOT_CONVERGED && ahead) {
        // far contacts of fast bodies may jam; those that overlap already are a smaller problem
        sim->opt.ahead = 0;
        status = attempt(sim, state, h, false, info);
    }
    for (int32_t n = 2; status == TALUS_NOT_CONVERGED && n <= sim->opt.substeps; n *= 2) {
        status = split_step(sim, state, h, n, info);
        info->substeps = status == TALUS_NOT_CONVERGED ? 1 : n;
    }
    if (status == TALUS_NOT_CONVERGED) {
        info->unconverged = 1;
        report_failure(sim, state, h, info);
        if (keep_going) {
            const talus_status forced = attempt(sim, state, h, true, info);
            status = forced < 0 ? forced : status;
        }
    }
    sim->opt.ahead = ahead;
    if (status < 0 || (status == TALUS_NOT_CONVERGED && !keep_going))
        memcpy(state->q, sim->given_q, bytes_q); // unchanged to the last bit
    if (status == TALUS_OK || status == TALUS_LAGGED)
        tl_awake_end(sim, state, h);
    sim->awake.on = false;
    info->bodies_asleep = state->sleep.nbody;
    info->bodies_awake = sim->nbody - state->sleep.nbody;
    info->islands_asleep = state->sleep.nisland;
    info->lagged = status == TALUS_LAGGED;
    lap(sim, info, TALUS_PHASE_INTEGRATE);
    return status;
}

talus_status talus_sim_problem(talus_sim* sim, const talus_state* state, double h, talus_problem_view* out)
{
    if (!sim || !state || !out || state->model != sim->model)
        return TALUS_ERR_ARG;
    if (!(h > 0.0) || !isfinite(h))
        return tl_fail(sim->ctx, TALUS_ERR_ARG, "step length h = %g s must be positive and finite", h);
    talus_step_info info = {0};
    tl_step_problem p;
    sim->clock = tl_now();
    TL_TRY(tl_state_check(sim, state));
    TL_TRY(meet(sim, state, h, &info));
    TL_TRY(prepare(sim, state, h, &info, &p));
    *out = p.view;
    return TALUS_OK;
}
