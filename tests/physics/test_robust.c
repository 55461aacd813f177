// SPDX-License-Identifier: MIT
// Robustness: piles, towers, shaken bins, moving floors and impacts at h = 1, 5, 10 ms and mu = 0.1, 0.5,
// 1, for the default material (k = 1e6 a geometry, d = 50) and a soft one (k = 4e4, d = 1, v_s = 1e-3).
// Every step must converge, the state stay finite, and kinetic + gravity energy below 1.05 of its start
// plus the work done on the bodies. Printed: factorizations a step (worst island), and in how many steps an
// island was restarted cold, substepped or LAGGED, or the step was split.
#include "regress/scene.h"
#include "sim.h"

typedef struct tally {
    int32_t steps, most, restarted, substepped, lagged, split;
    double sum;
} tally;

/// What is done to the bodies from outside, at time t, before each step.
typedef void drive_fn(scene* s, double t);

typedef struct trial {
    const char* name;
    void (*write)(scene* s);
    drive_fn* drive; // or NULL
    double time;     // s
    double thrown;   // speed the free bodies start with   m/s
} trial;

#define SHAKE 10.0                        // m/s^2
#define SHAKE_W (8.0 * 3.141592653589793) // 4 Hz
#define FLOOR_SPEED 0.5                   // m/s

static void write_kind(scene* s, const char* kind, int32_t n)
{
    assert_int_equal(tl_gen_scene(s->ctx, kind, n, 0, &s->text), TALUS_OK);
}

static void write_spheres(scene* s)
{
    write_kind(s, "spheres", 64);
}

static void write_clutter(scene* s)
{
    write_kind(s, "clutter", 27);
}

static void write_tower(scene* s)
{
    write_kind(s, "stack", 10);
}

// a heavy plate on a slide joint that a velocity actuator drives below loose spheres and boxes
static void write_moving_floor(scene* s)
{
    scene_add(s,
              "<mujoco><compiler angle=\"radian\"/><worldbody>\n"
              "<body name=\"plate\" pos=\"0 0 -0.1\"><joint name=\"slide\" type=\"slide\" axis=\"1 0 0\"/>\n"
              "<geom type=\"box\" size=\"2 1 0.1\" mass=\"50\"/></body>\n");
    for (int32_t i = 0; i < 27; i++)
        scene_add(s,
                  "<body pos=\"%.17g %.17g %.17g\"><freejoint/><geom type=\"%s\" size=\"0.05 0.05 "
                  "0.05\"/></body>\n",
                  0.105 * (i % 3), 0.105 * (i / 3 % 3), 0.055 + 0.105 * (i / 9), i % 2 ? "box" : "sphere");
    scene_add(s, "</worldbody><actuator><velocity joint=\"slide\" kv=\"2000\"/></actuator></mujoco>\n");
}

// gravity is constant: a shaken bin is one at rest with the bodies' inertia force in its frame
static void shake(scene* s, double t)
{
    const tl_mb* mb = &s->model->mb;
    for (int32_t b = 1; b < mb->nbody; b++) {
        const int32_t at = mb->jnt_dof[mb->body_jnt[b]];
        s->force[at] = mb->mass[b] * SHAKE * sin(SHAKE_W * t);
        s->force[at + 1] = mb->mass[b] * SHAKE * cos(SHAKE_W * t);
    }
}

static void move_floor(scene* s, double t)
{
    talus_state_ctrl(s->state)[0] = FLOOR_SPEED * sin(SHAKE_W * t);
}

static const trial trials[] = {
    {"pile of 64 spheres", write_spheres, NULL, 0.6, 0.0},
    {"clutter of 27", write_clutter, NULL, 0.6, 0.0},
    {"tower of 10 boxes", write_tower, NULL, 0.5, 0.0},
    {"shaken bin, 64 spheres", write_spheres, shake, 0.6, 0.0},
    {"shaken bin, clutter of 27", write_clutter, shake, 0.6, 0.0},
    {"moving floor, 27 bodies", write_moving_floor, move_floor, 0.5, 0.0},
    {"impact at 5 m/s, 64 spheres", write_spheres, NULL, 0.5, 5.0},
    {"impact at 5 m/s, tower", write_tower, NULL, 0.5, 5.0},
    {"impact at 5 m/s, clutter of 27", write_clutter, NULL, 0.5, 5.0},
};

// towards a wall and down, in directions that differ from body to body
static void throw_bodies(scene* s, double speed)
{
    const tl_mb* mb = &s->model->mb;
    for (int32_t b = 1; b < mb->nbody; b++) {
        const int32_t at = mb->jnt_dof[mb->body_jnt[b]];
        s->v[at] = speed * 0.8 * cos(0.1 * b);
        s->v[at + 1] = speed * 0.8 * sin(0.1 * b);
        s->v[at + 2] = -speed * 0.6;
        s->v[at + 4] = 10.0 * sin(1.0 * b);
    }
}

// of the external forces in the last step
static double work_done(const scene* s, double h)
{
    double sum = 0.0;
    for (int32_t i = 0; i < s->model->mb.nv; i++)
        sum += h * s->force[i] * s->v[i];
    return sum;
}

static void count(tally* t, const talus_step_info* info)
{
    const talus_solve_info* x = &info->solve;
    t->steps++;
    t->sum += x->factorizations_max;
    t->most = TL_MAX(t->most, x->factorizations_max);
    t->restarted += x->restarted > 0;
    t->substepped += x->substepped > 0;
    t->lagged += info->lagged;
    t->split += info->substeps > 1;
}

static tally run_trial(const trial* what, const talus_sim_options* opt, double h, const char* label)
{
    scene s;
    tally t = {0};
    scene_begin(&s, 1);
    what->write(&s);
    scene_start(&s, opt);
    if (what->thrown > 0.0)
        throw_bodies(&s, what->thrown);
    const double start = scene_energy(&s), mass = talus_model_get_info(s.model).total_mass;
    double work = 0.0, most = 0.0;
    const int32_t steps = (int32_t)lround(what->time / h);
    for (int32_t k = 0; k < steps; k++) {
        if (what->drive)
            what->drive(&s, k * h);
        const talus_status status = talus_sim_step(s.sim, s.state, h, 0, &s.info);
        if (status != TALUS_OK && status != TALUS_LAGGED)
            fail_msg("%s, %s: step %d: %s; %s", what->name, label, k, talus_status_text(status),
                     s.log.last[status < 0 ? TALUS_ERROR : TALUS_WARNING]);
        count(&t, &s.info);
        work += fmax(0.0, work_done(&s, h));
        talus_energy e;
        assert_int_equal(talus_sim_energy(s.sim, s.state, &e), TALUS_OK);
        most = fmax(most, e.kinetic + e.gravity - work);
    }
    // what a moving floor can put in: every body, plate included, at twice its speed
    const double given = what->drive == move_floor ? 0.5 * mass * 4.0 * FLOOR_SPEED * FLOOR_SPEED : 0.0;
    const double allowed = 1.05 * start + given;
    if (!(most <= allowed))
        fail_msg("%s, %s: energy less work %g J, allowed %g J", what->name, label, most, allowed);
    scene_end(&s);
    return t;
}

static void run_all(bool soft)
{
    static const double h[] = {1e-3, 5e-3, 10e-3}, mu[] = {0.1, 0.5, 1.0};
    print_message(
        "%s material: factorizations a step mean/most (steps: r restarted, s substepped, l LAGGED, p split)\n"
        "%-32s h =",
        soft ? "soft" : "default", "");
    print_message(" 1, 5, 10 ms for mu = 0.1; 0.5; 1\n");
    for (int32_t i = 0; i < TL_COUNT(trials); i++) {
        char line[1024];
        int32_t at = snprintf(line, sizeof line, "%-32s", trials[i].name);
        for (int32_t j = 0; j < TL_COUNT(mu); j++)
            for (int32_t k = 0; k < TL_COUNT(h); k++) {
                talus_sim_options opt = talus_sim_options_default();
                opt.mu = mu[j];
                if (soft) {
                    opt.k = 4e4;
                    opt.d = 1.0;
                    opt.v_s = 1e-3;
                }
                char label[96];
                snprintf(label, sizeof label, "%s material, mu = %g, h = %g s", soft ? "soft" : "default",
                         mu[j], h[k]);
                const tally t = run_trial(trials + i, &opt, h[k], label);
                at += snprintf(line + at, sizeof line - (size_t)at, " %.1f/%d", t.sum / t.steps, t.most);
                const int32_t rare[] = {t.restarted, t.substepped, t.lagged, t.split};
                for (int32_t r = 0; r < TL_COUNT(rare); r++)
                    if (rare[r])
                        at += snprintf(line + at, sizeof line - (size_t)at, "%c%d", "rslp"[r], rare[r]);
                if (k == 2)
                    at += snprintf(line + at, sizeof line - (size_t)at, ";");
            }
        print_message("%s\n", line);
    }
}

static void default_material__no_failure(void** state)
{
    (void)state;
    run_all(false);
}

static void soft_material__no_failure(void** state)
{
    (void)state;
    run_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_material__no_failure),
        cmocka_unit_test(soft_material__no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
