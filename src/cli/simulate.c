// SPDX-License-Identifier: MIT
// The loop of a run: step, count, write. Files that cannot be written are found before the first step, a
// signal ends the run after the current step, and whatever ends it, the files hold the last state that was
// committed.
#define _GNU_SOURCE
#include "simulate.h"
#include "model.h"
#include "patch_vtu.h"
#include "picture.h"
#include "problem_file.h"
#include "state_file.h"
#include "trajectory.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t stop_signal; // the one variable of the program that outlives a call

static void on_signal(int number)
{
    stop_signal = number;
}

static void catch_signals(void)
{
    // once: the second signal ends the process as usual
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static double process_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- before the first step --------------------------------------------------------------------------------

static talus_status check_writable(cli_args* a, const char* path)
{
    if (!path)
        return TALUS_OK;
    errno = 0;
    FILE* f = fopen(path, "ab");
    if (!f)
        return tl_fail_at(a->ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s", strerror(errno));
    fclose(f);
    return TALUS_OK;
}

static talus_status plan_steps(cli_args* a, cli_run* r)
{
    const double time = a->time < 0 ? 1.0 : a->time;
    r->dt = a->dt > 0 ? a->dt : talus_model_get_info(r->model).timestep;
    const double steps =
        ceil(time / r->dt * (1 - 1e-12) - 1e-6); // 5 / 0.002 is 2500 steps, whatever rounding says
    if (!(steps < 1e15))
        return tl_fail(a->ctx, TALUS_ERR_ARG, "--time %g with --dt %g needs %.3g steps, which is too many",
                       time, r->dt, steps);
    r->steps_wanted = (int64_t)fmax(steps, 0.0);
    if (a->capture && a->capture_step >= r->steps_wanted)
        return tl_fail(a->ctx, TALUS_ERR_ARG, "--capture %lld: the run has steps 0 to %lld",
                       (long long)a->capture_step, (long long)r->steps_wanted - 1);
    return TALUS_OK;
}

static talus_status prepare(cli_args* a, cli_run* r)
{
    talus_sim_options options;
    TL_TRY(cli_load_options(a, &options));
    r->sleep = options.sleep;
    TL_TRY(cli_load_model(a, &r->model));
    TL_TRY(plan_steps(a, r));
    TL_TRY(cli_load_state(a, r->model, &r->state));
    TL_TRY(talus_sim_create(a->ctx, r->model, &options, &r->sim));
    TL_TRY(check_writable(a, a->final));
    TL_TRY(check_writable(a, a->picture));
    TL_TRY(check_writable(a, a->capture));
    if (a->threads == 0)
        cli_notice(a, "%d threads (the cores this process may use), kernels %s",
                   talus_context_threads(a->ctx), talus_context_isa(a->ctx));
    return TALUS_OK;
}

// ---- the loop ---------------------------------------------------------------------------------------------

static talus_status capture_problem(cli_args* a, cli_run* r)
{
    talus_problem_view view;
    TL_TRY(talus_sim_problem(r->sim, r->state, r->dt, &view));
    return tl_problem_file_save(a->ctx, a->capture, &view);
}

static void count_step(cli_run* r, const talus_step_info* i, double t0)
{
    const talus_solve_info* s = &i->solve;
    r->steps++;
    r->bodies_awake += i->bodies_awake;
    r->bodies_asleep = i->bodies_asleep;
    r->islands_asleep = i->islands_asleep;
    r->contacts += i->contacts;
    r->contacts_max = TL_MAX(r->contacts_max, i->contacts);
    r->pairs += i->pairs;
    r->redundant += i->redundant;
    r->patches += i->patches;
    r->faces += i->faces;
    r->left_out += i->left_out;
    r->boxes += i->boxes;
    r->candidates += i->candidates;
    r->t_broad += i->t_broad;
    r->t_points += i->t_points;
    r->t_trees += i->t_trees;
    r->t_clip += i->t_clip;
    r->iterations += s->iterations_max;
    r->iterations_max = TL_MAX(r->iterations_max, s->iterations_max);
    r->factorizations += s->factorizations_max;
    r->factorizations_max = TL_MAX(r->factorizations_max, s->factorizations_max);
    r->linear_steps += s->linear_steps;
    r->symbolic += s->symbolic;
    r->islands_max = TL_MAX(r->islands_max, s->nislands);
    r->restarted += s->restarted > 0;
    r->substepped += i->substeps > 1 || s->substepped > 0;
    r->missed += i->missed;
    r->unconverged += i->unconverged > 0;
    r->lagged += i->lagged > 0;
    r->max_depth = fmax(r->max_depth, i->max_depth);
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
        r->phase[p] += i->phase[p];
    tl_history_add(&r->history, t0, talus_state_time(r->state), i);
}

/// Step until the end, a failure or a signal.
static talus_status loop(cli_args* a, cli_run* r, tl_trajectory* trajectory, tl_patch_series* patches)
{
    cli_progress progress;
    talus_status status = TALUS_OK;
    cli_progress_begin(&progress);
    catch_signals();
    double stepping = 0.0; // attributed to phases so far, s
    const double start = tl_now();
    for (int64_t step = 0; step < r->steps_wanted && status >= 0 && !stop_signal; step++) {
        talus_step_info info = {0};
        const double t0 = talus_state_time(r->state);
        if (a->capture && step == a->capture_step)
            status = capture_problem(a, r);
        if (status < 0)
            break;
        const double cpu = process_cpu();
        status = talus_sim_step(r->sim, r->state, r->dt, a->keep_going, &info);
        r->cpu += process_cpu() - cpu;
        if (status < 0)
            break;
        if (status == TALUS_NOT_CONVERGED && !a->keep_going) {
            r->unconverged++;
            // where and why was told by the step itself
            cli_error(a,
                      "step %lld at t = %.9g s with dt = %g s did not converge, the state before it is kept; "
                      "--keep-going goes on regardless",
                      (long long)step, t0, r->dt);
            break;
        }
        if (trajectory)
            status = tl_trajectory_add(trajectory, r->state, &info);
        if (patches && status >= 0)
            status = tl_patch_series_add(patches, r->state);
        // what is not the step is output: the row before the clock is read, its bookkeeping in the next lap
        for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
            stepping += info.phase[p];
        const double outside = tl_now() - start - stepping;
        info.phase[TALUS_PHASE_IO] += outside;
        stepping += outside;
        count_step(r, &info, t0);
        cli_progress_show(&progress, a, step + 1, r->steps_wanted, r->dt, info.contacts);
    }
    r->wall = tl_now() - start;
    cli_progress_end(&progress, a);
    r->interrupted = stop_signal != 0 && r->steps < r->steps_wanted;
    if (r->interrupted)
        cli_notice(a, "stopped by signal %d after step %lld, t = %.9g s", (int)stop_signal,
                   (long long)r->steps, talus_state_time(r->state));
    return status;
}

// ---- after the last step ----------------------------------------------------------------------------------

static void fill_lines(const cli_run* r, tl_picture* p)
{
    const double steps = (double)TL_MAX(r->steps, 1);
    int32_t n = 0;
#define LINE(...) snprintf(p->line[n++], sizeof p->line[0], __VA_ARGS__)
    LINE("%lld steps of %g s, %.3g s simulated", (long long)r->steps, r->dt, (double)r->steps * r->dt);
    LINE("%d bodies, %d degrees of freedom", r->model->mb.nbody - 1, r->model->mb.nv);
    LINE("contacts: %.0f on average, %d at most", (double)r->contacts / steps, r->contacts_max);
    LINE("iterations: %.2f on average, %d at most", (double)r->iterations / steps, r->iterations_max);
    LINE("%.3g s wall time, %d threads: %.3gx real time", r->wall, talus_context_threads(r->args->ctx),
         (double)r->steps * r->dt / TL_MAX(r->wall, 1e-9));
    LINE("not converged: %lld, lagged: %lld", (long long)r->unconverged, (long long)r->lagged);
#undef LINE
    p->nline = n;
}

static talus_status write_files(cli_args* a, cli_run* r)
{
    talus_status status = TALUS_OK;
    if (a->final)
        status = tl_state_save(a->ctx, r->model, r->sim, r->state, a->final);
    if (a->picture) {
        const char* slash = strrchr(a->file[0], '/');
        tl_picture p = {.model = r->model,
                        .sim = r->sim,
                        .state = r->state,
                        .history = &r->history,
                        .title = slash ? slash + 1 : a->file[0]};
        fill_lines(r, &p);
        const talus_status drawn = tl_picture_save(a->ctx, &p, a->picture);
        status = status < 0 ? status : drawn;
    }
    return status;
}

/// Files that grow with the run, each NULL where not wanted.
typedef struct growing {
    tl_trajectory* trajectory;
    tl_patch_series* patches;
} growing;

static talus_status open_growing(cli_args* a, cli_run* r, growing* g)
{
    if (a->patches)
        TL_TRY(tl_patch_series_create(a->ctx, r->model, r->sim, r->state, a->patches,
                                      a->rate > 0 ? a->rate : 30.0, &g->patches));
    if (a->out)
        TL_TRY(tl_trajectory_create(a->ctx, r->model, r->sim, r->state, r->dt, a->out, &g->trajectory));
    return TALUS_OK;
}

static talus_status close_growing(cli_run* r, growing* g)
{
    const double start = tl_now();
    const bool any = g->trajectory || g->patches;
    const talus_status closed = tl_trajectory_close(g->trajectory);
    talus_status status = tl_patch_series_close(g->patches, r->state, &r->frames, r->pvd, sizeof r->pvd);
    status = closed < 0 ? closed : status;
    r->phase[TALUS_PHASE_IO] += any ? tl_now() - start : 0.0;
    r->wall += any ? tl_now() - start : 0.0;
    *g = (growing){0};
    return status;
}

static talus_status simulate(cli_args* a, cli_run* r)
{
    growing files = {0};
    TL_TRY(prepare(a, r));
    const talus_status opened = open_growing(a, r, &files);
    const talus_status looped = opened < 0 ? opened : loop(a, r, files.trajectory, files.patches);
    const talus_status closed = close_growing(r, &files);
    TL_TRY(opened);
    r->hash = talus_state_hash(r->state);
    // also after a failure: the state is the last committed one
    const talus_status written = write_files(a, r);
    if (looped < 0)
        return looped; // told once: measuring such a state would tell it again
    TL_TRY(closed);
    TL_TRY(written);
    TL_TRY(talus_sim_energy(r->sim, r->state, &r->energy));
    return r->unconverged > 0 ? TALUS_NOT_CONVERGED : TALUS_OK;
}

int cli_simulate(cli_args* args, cli_run* r)
{
    memset(r, 0, sizeof *r);
    r->args = args;
    tl_history_init(&r->history);
    return cli_exit_code(simulate(args, r));
}

void cli_run_fini(cli_run* r)
{
    talus_sim_destroy(r->sim);
    talus_state_destroy(r->state);
    talus_model_destroy(r->model);
}
