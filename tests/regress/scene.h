// SPDX-License-Identifier: MIT
// Fault reports as tests: a scene is MJCF text written by the test, so that its numbers stand beside the
// expected ones.
//
//   scene s;
//   scene_begin(&s, 1);                       // one thread; messages are kept in s.log
//   scene_add(&s, "<mujoco>...", ...);        // printf; numbers with %.17g arrive bit for bit
//   scene_start(&s, &opt);                    // temporary file -> model -> simulation and state
//   scene_run(&s, 1e-3, 1000);                // every step must succeed
//   scene_end(&s);
//
// Must be included first: it asks for POSIX names.
#pragma once

#define _POSIX_C_SOURCE 200809L

#include <talus/talus.h>
#include <unistd.h>

#include "test.h"
#include "gen.h"

#define SCENE_G 9.81

typedef struct scene_log {
    int32_t count[3];   // by severity
    char last[3][1024]; // by severity
    int32_t line;       // of the last error
} scene_log;

typedef struct scene {
    talus_context* ctx;
    talus_model* model;
    talus_sim* sim;
    talus_state* state;
    double *q, *v, *force; // of the state
    talus_step_info info;  // of the last step
    tl_text text;
    scene_log log;
} scene;

static inline void scene_message(void* user, const talus_message* m)
{
    scene_log* log = user;
    log->count[m->severity]++;
    snprintf(log->last[m->severity], sizeof log->last[0], "%s", m->text);
    if (m->severity == TALUS_ERROR)
        log->line = m->line;
}

/// With the host's own allocator. The log's address is kept: a scene must not be copied.
static inline void scene_begin_with(scene* s, int32_t threads, talus_allocator allocator)
{
    memset(s, 0, sizeof *s);
    talus_context_def def = talus_context_default();
    def.nthreads = threads;
    def.allocator = allocator;
    def.message = scene_message;
    def.message_user = &s->log;
    assert_int_equal(talus_context_create(&def, &s->ctx), TALUS_OK);
    tl_text_init(&s->text, s->ctx);
}

static inline void scene_begin(scene* s, int32_t threads)
{
    scene_begin_with(s, threads, (talus_allocator){0});
}

#define scene_add(s, ...) tl_text_add(&(s)->text, __VA_ARGS__)

/// Text -> model; the status is the caller's to judge.
static inline talus_status scene_read(scene* s)
{
    char path[] = "/tmp/talus_case_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(s->text.status, TALUS_OK);
    for (int64_t at = 0; at < s->text.length;) {
        const ssize_t n = write(fd, s->text.data + at, (size_t)(s->text.length - at));
        assert_true(n > 0);
        at += n;
    }
    close(fd);
    const talus_status status = talus_model_load(s->ctx, path, NULL, &s->model);
    unlink(path);
    return status;
}

static inline void scene_sim(scene* s, const talus_sim_options* opt)
{
    assert_int_equal(talus_sim_create(s->ctx, s->model, opt, &s->sim), TALUS_OK);
    assert_int_equal(talus_state_create(s->ctx, s->model, &s->state), TALUS_OK);
    s->q = talus_state_q(s->state);
    s->v = talus_state_v(s->state);
    s->force = talus_state_force(s->state);
}

static inline void scene_start(scene* s, const talus_sim_options* opt)
{
    if (scene_read(s) < 0)
        fail_msg("%s", s->log.last[TALUS_ERROR]);
    scene_sim(s, opt);
}

static inline void scene_end(scene* s)
{
    talus_state_destroy(s->state);
    talus_sim_destroy(s->sim);
    talus_model_destroy(s->model);
    tl_text_fini(&s->text);
    talus_context_destroy(s->ctx);
}

static inline void scene_step(scene* s, double h)
{
    const talus_status status = talus_sim_step(s->sim, s->state, h, 0, &s->info);
    if (status != TALUS_OK)
        fail_msg("step at t = %g s: %s; %s", talus_state_time(s->state), talus_status_text(status),
                 s->log.last[status < 0 ? TALUS_ERROR : TALUS_WARNING]);
}

static inline void scene_run(scene* s, double h, int32_t steps)
{
    for (int32_t i = 0; i < steps; i++)
        scene_step(s, h);
}

static inline int32_t scene_body(const scene* s, const char* name)
{
    const int32_t body = talus_model_find(s->model, TALUS_BODY, name);
    if (body < 0)
        fail_msg("no body '%s'", name);
    return body;
}

/// Sum of the contact forces on body `on` from body `from` (-1: from all) in the last step; returns how many.
static inline int32_t scene_contact_force(const scene* s, int32_t on, int32_t from, double* sum)
{
    const talus_contacts c = talus_sim_contacts(s->sim);
    int32_t n = 0;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int32_t i = 0; i < c.count; i++)
        for (int32_t side = 0; side < 2; side++) {
            const int32_t me = side ? c.body_b[i] : c.body_a[i], other = side ? c.body_a[i] : c.body_b[i];
            if (me != on || (from >= 0 && other != from))
                continue;
            n++;
            for (int32_t r = 0; r < 3; r++)
                sum[r] += (side ? -1.0 : 1.0) * c.force[3 * i + r];
        }
    return n;
}

static inline double scene_energy(scene* s)
{
    talus_energy e;
    assert_int_equal(talus_sim_energy(s->sim, s->state, &e), TALUS_OK);
    return e.kinetic + e.gravity + e.elastic;
}

/// Head of a scene with one material for all geoms, given as the k of a contact of two of them.
static inline void scene_head(scene* s, double k, double d, double mu, double gx, double gy, double gz)
{
    scene_add(s,
              "<mujoco>\n<compiler angle=\"radian\"/>\n<option gravity=\"%.17g %.17g %.17g\"/>\n"
              "<custom><text name=\"talus.default\" data=\"k=%.17g d=%.17g mu=%.17g\"/></custom>\n"
              "<worldbody>\n",
              gx, gy, gz, 2.0 * k, d, mu);
}

static inline void scene_tail(scene* s)
{
    scene_add(s, "</worldbody>\n</mujoco>\n");
}

/// Spheres of radius r that touch z = -hz below the four corners of a box with half sizes hx, hy, hz.
static inline void scene_points(scene* s, double hx, double hy, double hz, double r)
{
    for (int32_t i = 0; i < 4; i++)
        scene_add(s, "  <geom type=\"sphere\" size=\"%.17g\" pos=\"%.17g %.17g %.17g\"/>\n", r,
                  i & 1 ? hx : -hx, i & 2 ? hy : -hy, r - hz);
}

/// Slab of cases C01, C11, C20, C24: 0.4 x 0.4 x 0.1 m, 1 kg, on four points, k = 2e4 N/m each, at rest depth
/// on the plane z = 0 with gravity tilted about y. Each point may be given `copies` times with k / copies.
static inline void scene_slab(scene* s, double degrees, double mu, double x, int32_t copies)
{
    const double angle = degrees * 3.14159265358979323846 / 180.0, k = 2e4;
    scene_head(s, k / copies, 5.0, mu, SCENE_G * sin(angle), 0.0, -SCENE_G * cos(angle));
    scene_add(s,
              "<geom type=\"plane\" size=\"1 1 1\"/>\n"
              "<body name=\"slab\" pos=\"%.17g 0 %.17g\"><freejoint/>\n"
              "  <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
              x, 0.05 - SCENE_G * cos(angle) / (4.0 * k), 0.17 / 12.0, 0.17 / 12.0, 0.32 / 12.0);
    for (int32_t i = 0; i < copies; i++)
        scene_points(s, 0.2, 0.2, 0.05, 0.01);
    scene_add(s, "</body>\n");
    scene_tail(s);
}
