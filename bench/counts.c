// SPDX-License-Identifier: MIT
// Factorizations a step on generated piles of spheres (`talus gen spheres`), as Markdown: the method of
// Castro et al. 2020 (one step length for all contacts, no islands, at most 100 iterations) beside lifting
// (theory: src/README.md#lifting) on the same contact problems. Counts, not times: they are the same on
// every machine.
//
//     drop from rest -> DROPPING problems -> 2 s -> RESTING problems -> kick -> KICKED problems
//
// The simulation that yields the problems runs with the default solver: what its own step took is the last
// column. Every other column solves the step's problem anew with a solver that has seen nothing before it:
//   tals, cold      no history, from v0
//   lifting, cold   no history
//   lifting, warm   from the last step's contact forces
//   with reuse      warm, and the factor kept from the last step is tried first
// A step counts the factorizations of its worst island. A failure: not converged, or LAGGED. At 2 s
// a large pile still creeps; after 6 s, 216 spheres need no factorization with reuse.
#include <talus/talus.h>
#include <math.h>
#include <stdio.h>

#include "base.h"
#include "model.h"
#include "scene.h"

#define H 5e-3
#define STEPS_REST 400 // 2 s
#define DROPPING 12    // one every DROPPING_EVERY steps, from the first contact on
#define DROPPING_EVERY 5
#define RESTING 4
#define KICKED 12
#define KICK 0.5 // m/s, standard deviation of every component

typedef enum method { TALS_COLD, COLD, WARM, REUSE, METHODS } method;
typedef enum phase { PHASE_DROPPING, PHASE_RESTING, PHASE_KICKED, PHASES } phase;

typedef struct count {
    int32_t n, most, failed;
    double sum;
} count;

typedef struct result {
    count by[METHODS][PHASES];
    double contacts;
    int32_t problems;
} result;

typedef struct material {
    const char* title;
    double k, d, mu, v_s; // k, d, mu < 0: as the scene says
} material;

static const material materials[] = {
    {"k = 4e4 N/m a geometry (2e4 a contact), d = 1 s/m, mu = 0.5, v_s = 1e-4 m/s", 4e4, 1.0, 0.5, 1e-4},
    {"default material: k = 1e6 N/m a geometry, d = 50 s/m, mu = 0.5, v_s = 1e-4 m/s", -1.0, -1.0, -1.0,
     1e-4},
};

typedef struct world {
    talus_context* ctx;
    talus_model* model;
    talus_sim* sim;
    talus_state* state;
    talus_solver* solver[METHODS]; // REUSE: NULL, the simulation's own
    double* v;
} world;

static void print_message(void* user, const talus_message* m)
{
    (void)user;
    fprintf(stderr, "talus_counts: %s\n", m->text);
}

static void close_world(world* w)
{
    for (int32_t i = 0; i < METHODS; i++)
        talus_solver_destroy(w->solver[i]);
    tl_free(w->ctx, w->v);
    talus_state_destroy(w->state);
    talus_sim_destroy(w->sim);
    talus_model_destroy(w->model);
    talus_context_destroy(w->ctx);
}

static talus_status open_world(world* w, int32_t n, const material* m)
{
    talus_context_def def = talus_context_default();
    def.message = print_message;
    TL_TRY(talus_context_create(&def, &w->ctx));
    TL_TRY(scene_load(w->ctx, "spheres", n, &w->model));
    talus_sim_options opt = talus_sim_options_default();
    opt.k = m->k;
    opt.d = m->d;
    opt.mu = m->mu;
    opt.v_s = m->v_s;
    TL_TRY(talus_sim_create(w->ctx, w->model, &opt, &w->sim));
    TL_TRY(talus_state_create(w->ctx, w->model, &w->state));
    if (!(w->v = tl_alloc(w->ctx, sizeof(double) * (size_t)talus_model_get_info(w->model).nv)))
        return TALUS_ERR_NOMEM;
    for (int32_t i = 0; i < REUSE; i++) {
        talus_solver_options o = talus_solver_options_default();
        o.reuse = 0;
        if (i == TALS_COLD) {
            o.globalization = TALUS_GLOBALIZATION_TALS;
            o.islands = 0;
            o.max_iter = 100;
        }
        TL_TRY(talus_solver_create(w->ctx, &o, w->solver + i));
    }
    return TALUS_OK;
}

static void add(count* c, const talus_solve_info* info, talus_status status)
{
    c->n++;
    c->sum += info->factorizations_max;
    c->most = TL_MAX(c->most, info->factorizations_max);
    c->failed += status != TALUS_OK;
}

/// One step of the simulation; `take`: its problem goes through every method first.
static talus_status step(world* w, bool take, phase at, bool tals, result* r)
{
    if (take) {
        talus_problem_view p;
        TL_TRY(talus_sim_problem(w->sim, w->state, H, &p));
        const double* f0 = p.f0;
        r->contacts += p.nc;
        r->problems++;
        for (int32_t i = tals ? TALS_COLD : COLD; i < REUSE; i++) {
            talus_solve_info info;
            talus_solution sol = {.v = w->v};
            p.f0 = i == WARM ? f0 : NULL;
            talus_solver_reset(w->solver[i]);
            const talus_status status = talus_solver_step(w->solver[i], &p, &sol, &info);
            TL_TRY(status);
            add(&r->by[i][at], &info, status);
        }
    }
    talus_step_info info;
    const talus_status status = talus_sim_step(w->sim, w->state, H, 0, &info);
    TL_TRY(status);
    if (take)
        add(&r->by[REUSE][at], &info.solve, status);
    return status == TALUS_NOT_CONVERGED ? TALUS_ERR_INPUT : TALUS_OK;
}

static talus_status run_pile(world* w, bool tals, result* r)
{
    bool touched = false;
    int32_t since = 0, taken = 0;
    for (int32_t k = 0; k < STEPS_REST; k++) {
        if (!touched) {
            talus_problem_view p;
            TL_TRY(talus_sim_problem(w->sim, w->state, H, &p));
            touched = p.nc > 0;
        }
        const bool take = touched && taken < DROPPING && since++ % DROPPING_EVERY == 0;
        taken += take;
        TL_TRY(step(w, take, PHASE_DROPPING, tals, r));
    }
    for (int32_t k = 0; k < RESTING; k++)
        TL_TRY(step(w, true, PHASE_RESTING, tals, r));
    tl_rng rng;
    tl_rng_seed(&rng, 1);
    double* v = talus_state_v(w->state);
    for (int32_t i = 0; i < w->model->mb.nv; i++)
        v[i] += i % 6 < 3 ? KICK * tl_rng_normal(&rng) : 0.0;
    for (int32_t k = 0; k < KICKED; k++)
        TL_TRY(step(w, true, PHASE_KICKED, tals, r));
    return TALUS_OK;
}

static count all_phases(const result* r, method m)
{
    count c = {0};
    for (int32_t i = 0; i < PHASES; i++) {
        const count* x = &r->by[m][i];
        c.n += x->n;
        c.sum += x->sum;
        c.failed += x->failed;
        c.most = TL_MAX(c.most, x->most);
    }
    return c;
}

static void print_count(const count* c)
{
    if (c->n == 0)
        printf(" - |");
    else if (c->failed)
        printf(" %.1f / %d, %d failed |", c->sum / c->n, c->most, c->failed);
    else
        printf(" %.1f / %d |", c->sum / c->n, c->most);
}

static void print_row(int32_t n, const result* r)
{
    printf("| %d | %.0f |", n, r->contacts / TL_MAX(r->problems, 1));
    for (int32_t m = 0; m < METHODS; m++) {
        const count c = all_phases(r, m);
        print_count(&c);
    }
    for (int32_t i = 0; i < PHASES; i++)
        print_count(&r->by[WARM][i]);
    printf("\n");
    fflush(stdout);
}

static void print_growth(const int32_t* n, const result* r, int32_t count_n)
{
    int32_t a = -1, b = -1;
    for (int32_t i = 0; i < count_n; i++) {
        a = n[i] == 64 ? i : a;
        b = n[i] == 1000 ? i : b;
    }
    if (a < 0 || b < 0)
        return;
    double growth[METHODS] = {0};
    for (int32_t m = 0; m < METHODS; m++) {
        const count x = all_phases(r + a, m), y = all_phases(r + b, m);
        growth[m] = x.n && y.n && x.sum > 0.0 ? y.sum / y.n / (x.sum / x.n) : NAN;
    }
    printf("\nGrowth of the mean from 64 to 1000 spheres: tals %.2f, lifting cold %.2f, warm %.2f, with "
           "reuse %.2f.\n",
           growth[TALS_COLD], growth[COLD], growth[WARM], growth[REUSE]);
}

static talus_status print_table(const material* m, const int32_t* n, int32_t count_n, int32_t tals_most)
{
    printf("\n%s; h = 5 ms. Mean / most factorizations a step over %d problems (%d dropping, %d at 2 s, %d "
           "kicked).\n\n",
           m->title, DROPPING + RESTING + KICKED, DROPPING, RESTING, KICKED);
    printf("| N | contacts | tals, cold | lifting, cold | lifting, warm | with reuse | warm: dropping | "
           "at 2 s | kicked "
           "|\n|---|---|---|---|---|---|---|---|---|\n");
    result r[64] = {0};
    for (int32_t i = 0; i < count_n; i++) {
        world w = {0};
        talus_status status = open_world(&w, n[i], m);
        if (status >= 0)
            status = run_pile(&w, n[i] <= tals_most, r + i);
        close_world(&w);
        TL_TRY(status);
        print_row(n[i], r + i);
    }
    print_growth(n, r, count_n);
    return TALUS_OK;
}

static const char usage[] =
    "usage: talus_counts [TALS_MOST [N ...]]\n"
    "Factorizations a step on generated piles of N spheres (default 8 27 64 125 216 512 1000), as Markdown.\n"
    "  TALS_MOST  largest N for which tals is run, too (default 1000)\n";

int main(int argc, char** argv)
{
    int32_t n[64] = {8, 27, 64, 125, 216, 512, 1000}, count_n = argc > 2 ? 0 : 7;
    const int32_t tals_most = argc > 1 ? atoi(argv[1]) : 1000;
    for (int32_t i = 2; i < argc && count_n < TL_COUNT(n); i++)
        n[count_n++] = atoi(argv[i]);
    for (int32_t i = 0; i < count_n; i++)
        if (tals_most < 0 || n[i] < 1 || (argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9'))) {
            fputs(usage, stderr);
            return 2;
        }
    for (int32_t i = 0; i < TL_COUNT(materials); i++)
        if (print_table(materials + i, n, count_n, tals_most) < 0)
            return 1;
    return 0;
}
