// SPDX-License-Identifier: MIT
// bm_phases_PHASE/FAMILY/n:N/STATE: what a phase of a whole step takes, one thread, wall time as the step itself
// measures it. Every row steps the same scene from the same state: generated, settled for 1 s; `kicked` then has 0.5 m/s
// added to every component of every velocity. Material T (4e4 N/m, 1 s/m, v_s = 1e-3 m/s), h = 2 ms.
//
//   share           of the whole step
//   contacts, iterations, factorizations    means a step
//   gflops, roof    factor only: flops of the numeric factorizations over their time, and over the peak of the widest
//                   vectors (roof.h)
#include "roof.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>

#include "base.h"
#include "kernels.h"

#define H 2e-3
#define SETTLE 500
#define STEPS 50

typedef struct scene {
    const char* family;
    int32_t n;
    talus_context* ctx;
    talus_model* model;
    talus_sim* sim;
    talus_state *settled, *kicked, *now;
    bool ready, failed;
} scene;

static scene scenes[] = {
    {.family = "spheres", .n = 216}, {.family = "boxes", .n = 216}, {.family = "clutter", .n = 216},
    {.family = "bricks", .n = 216},  {.family = "arms", .n = 16},   {.family = "humanoids", .n = 16},
    {.family = "chain", .n = 128},
};
#define SCENES ((int)(sizeof scenes / sizeof scenes[0]))

typedef struct row {
    scene* scene;
    const limits* roof;
    int32_t phase; // TALUS_PHASE_COUNT: all of them
    bool kicked;
} row;

// without the last row's forces and factors
static talus_status new_sim(scene* s)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.k = 4e4;
    opt.d = 1.0;
    opt.v_s = 1e-3;
    talus_sim_destroy(s->sim);
    s->sim = NULL;
    return talus_sim_create(s->ctx, s->model, &opt, &s->sim);
}

static talus_status prepare(scene* s)
{
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    TL_TRY(talus_context_create(&def, &s->ctx));
    TL_TRY(scene_load(s->ctx, s->family, s->n, &s->model));
    TL_TRY(new_sim(s));
    TL_TRY(talus_state_create(s->ctx, s->model, &s->settled));
    TL_TRY(talus_state_create(s->ctx, s->model, &s->kicked));
    TL_TRY(talus_state_create(s->ctx, s->model, &s->now));
    talus_step_info info;
    for (int32_t i = 0; i < SETTLE; i++)
        TL_TRY(talus_sim_step(s->sim, s->settled, H, 0, &info));
    TL_TRY(talus_state_copy(s->kicked, s->settled));
    uint64_t seed = 7;
    for (int32_t i = 0; i < talus_model_get_info(s->model).nv; i++)
        talus_state_v(s->kicked)[i] += uniform(&seed, -0.5, 0.5);
    return TALUS_OK;
}

static void run(bm_state* b, void* user)
{
    const row* r = user;
    scene* s = r->scene;
    if (!s->ready) {
        s->failed = prepare(s) != TALUS_OK;
        s->ready = true;
    }
    if (s->failed || new_sim(s) < 0 || talus_state_copy(s->now, r->kicked ? s->kicked : s->settled) < 0) {
        bm_fail(b, "the scene does not settle");
        return;
    }
    talus_step_info info;
    double contacts = 0.0, iterations = 0.0, factorizations = 0.0, flops = 0.0, phase = 0.0, all = 0.0,
           n = 0.0;
    while (bm_next(b)) {
        if (talus_sim_step(s->sim, s->now, H, 0, &info) != TALUS_OK) {
            bm_fail(b, "a step did not converge");
            return;
        }
        double total = 0.0;
        for (int32_t k = 0; k < TALUS_PHASE_COUNT; k++)
            total += info.phase[k];
        const double took = r->phase < TALUS_PHASE_COUNT ? info.phase[r->phase] : total;
        bm_took(b, took);
        phase += took;
        all += total;
        flops += info.solve.flops;
        contacts += info.contacts;
        iterations += info.solve.iterations_max;
        factorizations += info.solve.factorizations;
        n += 1.0;
    }
    bm_counter(b, "share", phase / all);
    bm_counter(b, "contacts", contacts / n);
    bm_counter(b, "iterations", iterations / n);
    bm_counter(b, "factorizations", factorizations / n);
    if (r->phase == TALUS_PHASE_FACTOR && phase > 0.0) {
        bm_counter(b, "gflops", 1e-9 * flops / phase);
        bm_counter(b, "roof", flops / phase / r->roof->peak);
    }
}

int main(int argc, char** argv)
{
    static row rows[SCENES][2][TALUS_PHASE_COUNT + 1];
    static limits roof;
    for (int i = 0; i < LIMIT_SETS; i++)
        if (tl_kernels_by_name(limit_isa[i])) {
            const limits found = limits_measure(i, 4096);
            roof = found.peak > roof.peak ? found : roof;
        }
    for (int i = 0; i < SCENES; i++)
        for (int kicked = 0; kicked < 2; kicked++)
            for (int p = TALUS_PHASE_COUNT; p >= 0; p--) {
                if (p == TALUS_PHASE_IO)
                    continue;
                row* r = &rows[i][kicked][p];
                *r = (row){.scene = &scenes[i], .roof = &roof, .phase = p, .kicked = kicked == 1};
                char name[128];
                snprintf(name, sizeof name, "bm_phases_%s/%s/n:%d/%s",
                         p < TALUS_PHASE_COUNT ? talus_phase_name((talus_phase)p) : "step", scenes[i].family,
                         scenes[i].n, kicked ? "kicked" : "settled");
                bm_case* c = bm_register(name, run, r);
                bm_manual_time(c);
                bm_iterations(c, STEPS);
                bm_unit(c, "us");
            }
    const int failed = bm_main(argc, argv);
    for (int i = 0; i < SCENES; i++) {
        scene* s = &scenes[i];
        talus_state_destroy(s->settled);
        talus_state_destroy(s->kicked);
        talus_state_destroy(s->now);
        talus_sim_destroy(s->sim);
        talus_model_destroy(s->model);
        talus_context_destroy(s->ctx);
    }
    return failed;
}
