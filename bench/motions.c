// SPDX-License-Identifier: MIT
// Factorizations a step of a pile of spheres (`talus gen spheres`) that is left alone, kicked, shaken and dragged by
// its floor, warm and with factor reuse as simulations run, as Markdown. Counts, not times: they are the same on every
// machine. A step counts its worst island.
//
//     drop from rest -> 6 s -> at rest; then from there each:  kicked | shaken bin | moving floor
#include <talus/talus.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "gen.h"
#include "model.h"
#include "scene.h"

#define REST 6.0                          // s
#define REST_H 5e-3                       // s
#define SECONDS 0.5                       // of each motion
#define KICK 0.5                          // m/s, standard deviation of every component
#define SHAKE 10.0                        // m/s^2, turning in the plane of the floor
#define OMEGA (8.0 * 3.14159265358979323) // 4 Hz
#define FLOOR_SPEED 0.5                   // m/s

typedef enum motion { REST_ON, KICKED, SHAKEN, DRAGGED, MOTIONS } motion;
static const char* const motion_name[MOTIONS] = {"at rest", "kicked at 0.5 m/s", "shaken, 10 m/s^2 at 4 Hz",
                                                 "moving floor, 0.5 m/s at 4 Hz"};

typedef struct material {
    const char* title;
    double k, d, mu, v_s; // k, d, mu < 0: as the scene says
} material;

static const material materials[] = {
    {"k = 4e4 N/m a geometry, d = 1 s/m, v_s = 1e-3 m/s", 4e4, 1.0, 0.5, 1e-3},
    {"the same with v_s = 1e-4 m/s", 4e4, 1.0, 0.5, 1e-4},
    {"default material: k = 1e6 N/m a geometry, d = 50 s/m, v_s = 1e-4 m/s", -1.0, -1.0, -1.0, 1e-4},
};

// the same bin on a floor of its own: a heavy plate 2 mm below the walls, driven by a velocity actuator
static talus_status load_dragged(talus_context* ctx, int32_t n, talus_model** model)
{
    tl_text text, out;
    talus_status status = tl_gen_scene(ctx, "spheres", n, 0, &text);
    tl_text_init(&out, ctx);
    if (status >= 0) {
        char* floor = strstr(text.data, "<geom name=\"bin_floor\"");
        char* end = floor ? strchr(floor, '\n') : NULL;
        char* tail = strstr(text.data, "</mujoco>");
        if (end && tail) {
            *floor = *tail = '\0';
            tl_text_add(&out,
                        "%s<body name=\"plate\" pos=\"0 0 -0.102\"><joint name=\"slide\" type=\"slide\" "
                        "axis=\"1 0 0\"/>"
                        "<geom type=\"box\" size=\"2 2 0.1\" mass=\"1000\"/></body>%s"
                        "<actuator><velocity joint=\"slide\" kv=\"1e5\"/></actuator></mujoco>\n",
                        text.data, end);
            status = out.status;
        } else
            status = TALUS_ERR_INPUT;
    }
    if (status >= 0)
        status = scene_load_text(ctx, out.data, (size_t)out.length, model);
    tl_text_fini(&out);
    tl_text_fini(&text);
    return status;
}

// what acts on the bodies before a step at time t
static void drive(const talus_model* m, talus_state* s, motion what, double t)
{
    const tl_mb* mb = &m->mb;
    if (what == DRAGGED)
        talus_state_ctrl(s)[0] = FLOOR_SPEED * sin(OMEGA * t);
    for (int32_t b = 1; what == SHAKEN && b < mb->nbody; b++) { // the inertia force in the bin's frame
        double* f = talus_state_force(s) + mb->jnt_dof[mb->body_jnt[b]];
        f[0] = mb->mass[b] * SHAKE * sin(OMEGA * t);
        f[1] = mb->mass[b] * SHAKE * cos(OMEGA * t);
    }
}

static void kick(const talus_model* m, talus_state* s)
{
    tl_rng rng;
    tl_rng_seed(&rng, 1);
    for (int32_t i = 0; i < m->mb.nv; i++)
        talus_state_v(s)[i] += i % 6 < 3 ? KICK * tl_rng_normal(&rng) : 0.0;
}

typedef struct tally {
    double contacts, iterations, factorizations;
    int32_t steps, most, lagged, retried;
} tally;

static talus_status run(talus_sim* sim, const talus_model* m, talus_state* s, motion what, double seconds,
                        double h, tally* t)
{
    const int32_t steps = (int32_t)lround(seconds / h);
    for (int32_t k = 0; k < steps; k++) {
        talus_step_info i;
        drive(m, s, what, k * h);
        const talus_status status = talus_sim_step(sim, s, h, 0, &i);
        TL_TRY(status);
        if (status == TALUS_NOT_CONVERGED)
            return TALUS_ERR_INPUT;
        t->steps++;
        t->contacts += i.contacts;
        t->iterations += i.solve.iterations_max;
        t->factorizations += i.solve.factorizations_max;
        t->most = TL_MAX(t->most, i.solve.factorizations_max);
        t->lagged += i.lagged;
        t->retried += i.substeps > 1 || i.solve.substepped > 0 || i.solve.restarted > 0;
    }
    return TALUS_OK;
}

static talus_status settle(talus_context* ctx, const talus_model* m, const talus_sim_options* opt,
                           talus_state** out)
{
    talus_sim* sim = NULL;
    tally t = {0};
    talus_status status = talus_state_create(ctx, m, out);
    if (status >= 0)
        status = talus_sim_create(ctx, m, opt, &sim);
    if (status >= 0)
        status = run(sim, m, *out, REST_ON, REST, REST_H, &t);
    talus_sim_destroy(sim);
    return status;
}

static talus_status row(talus_context* ctx, const talus_model* m, const talus_sim_options* opt,
                        const talus_state* start, motion what, double h)
{
    talus_sim* sim = NULL;
    talus_state* s = NULL;
    tally warm = {0}, t = {0};
    talus_status status = talus_sim_create(ctx, m, opt, &sim);
    if (status >= 0)
        status = talus_state_create(ctx, m, &s);
    if (status >= 0)
        status = talus_state_copy(s, start);
    if (status >= 0) // forces and factors to start from
        status = run(sim, m, s, REST_ON, 10 * h, h, &warm);
    if (status >= 0 && what == KICKED)
        kick(m, s);
    if (status >= 0)
        status = run(sim, m, s, what, SECONDS, h, &t);
    if (status >= 0) {
        printf("| %s | %g ms | %.0f | %.2f | %.2f / %d | %d | %d |\n", motion_name[what], 1e3 * h,
               t.contacts / t.steps, t.iterations / t.steps, t.factorizations / t.steps, t.most, t.lagged,
               t.retried);
        fflush(stdout);
    }
    talus_state_destroy(s);
    talus_sim_destroy(sim);
    return status;
}

static talus_status table(talus_context* ctx, const material* x, int32_t n)
{
    talus_model* model[2] = {NULL, NULL}; // in a bin, on a plate
    talus_state* start[2] = {NULL, NULL};
    talus_sim_options opt = talus_sim_options_default();
    opt.k = x->k;
    opt.d = x->d;
    opt.mu = x->mu;
    opt.v_s = x->v_s;
    talus_status status = scene_load(ctx, "spheres", n, &model[0]);
    if (status >= 0)
        status = load_dragged(ctx, n, &model[1]);
    for (int32_t i = 0; i < 2 && status >= 0; i++)
        status = settle(ctx, model[i], &opt, &start[i]);
    printf(
        "\n%d spheres, %s:\n\n| motion | h | contacts | iterations | factorizations, mean / most | lagged | "
        "retried |\n|---|---|---|---|---|---|---|\n",
        n, x->title);
    for (int32_t what = 0; what < MOTIONS && status >= 0; what++)
        for (int32_t k = 0; k < 2 && status >= 0; k++)
            status =
                row(ctx, model[what == DRAGGED], &opt, start[what == DRAGGED], (motion)what, k ? 2e-3 : 5e-3);
    for (int32_t i = 0; i < 2; i++) {
        talus_state_destroy(start[i]);
        talus_model_destroy(model[i]);
    }
    return status;
}

static void print_message(void* user, const talus_message* m)
{
    (void)user;
    fprintf(stderr, "talus_motions: %s\n", m->text);
}

int main(int argc, char** argv)
{
    const int32_t n = argc > 1 ? atoi(argv[1]) : 216;
    if (n < 1 || argc > 2) {
        fputs("usage: talus_motions [N]\nFactorizations a step of N spheres (default 216) at rest, kicked, "
              "shaken and on "
              "a moving floor, as Markdown.\n",
              stderr);
        return 2;
    }
    talus_context_def def = talus_context_default();
    def.message = print_message;
    talus_context* ctx;
    if (talus_context_create(&def, &ctx) < 0)
        return 1;
    talus_status status = TALUS_OK;
    for (int32_t i = 0; i < TL_COUNT(materials) && status >= 0; i++)
        status = table(ctx, materials + i, n);
    talus_context_destroy(ctx);
    return status < 0;
}
