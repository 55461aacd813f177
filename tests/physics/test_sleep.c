// SPDX-License-Identifier: MIT
// Sleeping islands: what falls asleep and what does not, that sleep costs nothing and loses no momentum when a body at
// rest is hit, and that everything the rule names wakes (talus/sim.h: talus_state_asleep).
#include "regress/scene.h"
#include "counted.h"
#include "sim.h"

#define H 2e-3

/// A second simulation without sleep, and a copy of the state, of the same model.
static void begin_wide_awake(scene* off, const scene* on, talus_sim_options opt)
{
    memset(off, 0, sizeof *off);
    off->ctx = on->ctx;
    off->model = on->model;
    opt.sleep = 0;
    scene_sim(off, &opt);
    assert_int_equal(talus_state_copy(off->state, on->state), TALUS_OK);
}

static void end_wide_awake(scene* off)
{
    talus_state_destroy(off->state);
    talus_sim_destroy(off->sim);
}

static talus_sim_options sleepy(void)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.sleep = 1;
    return opt;
}

static void add_box(scene* s, const char* name, double x, double z, double half, double mass)
{
    scene_add(s,
              "<body name='%s' pos='%.17g 0 %.17g'><freejoint/><geom type='box' size='%g %g %g' "
              "mass='%g'/></body>\n",
              name, x, z, half, half, half, mass);
}

// three stacks of three boxes, 1 m apart, and a ball that waits in the air at x = -2 on a sleeping-free slide
static void stacks(scene* s, const talus_sim_options* opt, int32_t threads)
{
    scene_begin(s, threads);
    scene_head(s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(s, "<geom type='plane' size='9 9 1'/>\n");
    for (int32_t k = 0; k < 3; k++)
        for (int32_t i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "b%d%d", k, i);
            add_box(s, name, k, 0.1 + 0.2 * i, 0.1, 1.0);
        }
    scene_add(s, "<body name='ball' pos='-3 0 0.3'><joint type='slide' axis='1 0 0'/>"
                 "<geom type='sphere' size='0.05' mass='1'/></body>\n");
    scene_tail(s);
    scene_start(s, opt);
}

static int32_t run_until_asleep(scene* s, int32_t bodies, int32_t most)
{
    for (int32_t i = 0; i < most; i++) {
        scene_step(s, H);
        if (s->info.bodies_asleep == bodies)
            return i + 1;
    }
    fail_msg("after %d steps %d bodies sleep, expected %d", most, s->info.bodies_asleep, bodies);
    return 0;
}

static double upward_from_static(const talus_contacts* c, const talus_model* m)
{
    (void)m;
    double sum = 0.0;
    for (int32_t i = 0; i < c->count; i++) {
        if (c->body_a[i] == 0)
            sum -= c->force[3 * i + 2];
        if (c->body_b[i] == 0)
            sum += c->force[3 * i + 2];
    }
    return sum;
}

// ---- rest -------------------------------------------------------------------------------------------------

static void pile__sleeps_and_costs_nothing(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene s;
    stacks(&s, &opt, 1);
    const int32_t steps = run_until_asleep(&s, 10, 1500);
    // no sooner than the time rule allows
    assert_true(steps * H >= opt.sleep_time);
    assert_int_equal(s.info.islands_asleep, 4);
    assert_int_equal(s.info.bodies_awake, 0);
    double q[7 * 9 + 1];
    memcpy(q, s.q, sizeof q);
    for (int32_t i = 0; i < 50; i++) {
        scene_step(&s, H);
        assert_int_equal(s.info.contacts, 0);
        assert_int_equal(s.info.solve.nislands, 0);
        assert_int_equal(s.info.solve.iterations, 0);
        assert_int_equal(s.info.solve.factorizations, 0);
        assert_int_equal(s.info.pairs, 0);
    }
    assert_memory_equal(q, s.q, sizeof q);
    for (int32_t i = 0; i < 55; i++)
        assert_true(s.v[i] == 0.0);
    // contacts are kept with the forces that hold the weight
    assert_int_equal(talus_sim_contacts(s.sim).count, 0);
    const talus_contacts c = talus_state_sleeping_contacts(s.state);
    assert_true(c.count >= 9 * 4);
    test_near1("weight", upward_from_static(&c, s.model), 9 * SCENE_G, 1e-3);
    scene_end(&s);
}

static void off__changes_no_bit(void** state)
{
    (void)state;
    talus_sim_options opt = talus_sim_options_default();
    scene off, on;
    stacks(&off, &opt, 1);
    opt = sleepy();
    opt.sleep_time = 1e6; // on, but nothing ever sleeps
    stacks(&on, &opt, 1);
    off.v[60 - 6] = on.v[60 - 6] = 3.0; // the ball hits the first stack
    scene_run(&off, H, 700);
    scene_run(&on, H, 700);
    assert_int_equal(on.info.bodies_asleep, 0);
    assert_true(talus_state_hash(off.state) == talus_state_hash(on.state));
    scene_end(&off);
    scene_end(&on);
}

static void creep__sleeps_below_the_threshold_alone(void** state)
{
    (void)state;
    // linear friction: the slab creeps at v_s tan(angle) / mu
    const double degrees = 10.0, mu = 0.5, tangent = tan(degrees * 3.14159265358979323846 / 180.0);
    for (int32_t k = 0; k < 2; k++) {
        talus_sim_options opt = sleepy();
        opt.friction = TALUS_FRICTION_LINEAR;
        opt.v_s = (k ? 3.0 : 0.3) * opt.sleep_v * mu / tangent;
        scene s;
        scene_begin(&s, 1);
        scene_slab(&s, degrees, mu, 0.0, 1);
        scene_start(&s, &opt);
        scene_run(&s, H, 1000);
        assert_int_equal(talus_state_asleep(s.state, 1), !k);
        if (k)
            test_near1("creep", hypot(s.v[0], s.v[1]), 3.0 * opt.sleep_v, 0.02);
        scene_end(&s);
    }
}

static void turning_point__is_not_rest(void** state)
{
    (void)state;
    talus_sim_options opt = sleepy();
    opt.sleep_v = 0.02;
    opt.sleep_time = 0.05;
    scene s;
    scene_begin(&s, 1);
    // a pendulum, and a ball thrown up: both turn, below the threshold for a moment
    scene_add(&s, "<mujoco><worldbody><body pos='0 0 2'><joint axis='0 1 0'/>"
                  "<geom type='sphere' size='0.05' pos='0 0 -1' mass='1'/></body>"
                  "<body pos='2 0 1'><freejoint/><geom type='sphere' size='0.05' mass='1'/></body>"
                  "</worldbody></mujoco>");
    scene_start(&s, &opt);
    s.q[0] = 0.2;
    s.v[1 + 2] = SCENE_G; // up for one second
    int32_t turns = 0, slow = 0;
    for (int32_t i = 0; i < 3000; i++) {
        const double before = s.v[0];
        scene_step(&s, H);
        turns += before * s.v[0] < 0.0;
        slow += fabs(s.v[0]) < opt.sleep_v;
        assert_int_equal(s.info.bodies_asleep, 0);
    }
    // never for long enough at once, but together
    assert_true(turns >= 5);
    assert_true(slow * H > 2 * opt.sleep_time);
    assert_true(s.v[3] < -SCENE_G); // still falling: it has passed its own turning point
    scene_end(&s);
}

// slow at the start of every step for long enough, but not at the end of the last
static void slow_fall__is_not_rest(void** state)
{
    (void)state;
    talus_sim_options opt = sleepy();
    opt.sleep_time = 249.5 * H;
    for (int32_t k = 0; k < 2; k++) {
        scene s;
        scene_begin(&s, 1);
        scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -opt.sleep_v / ((k ? 249.5 : 250.5) * H));
        add_box(&s, "falls", 0.0, 0.0, 0.1, 1.0);
        scene_tail(&s);
        scene_start(&s, &opt);
        scene_run(&s, H, 250);
        assert_int_equal(s.info.bodies_asleep, !k); // one step more or less to the threshold
        scene_end(&s);
    }
}

static void overhang__tips_and_falls(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type='box' size='0.5 0.5 0.5' pos='0 0 -0.5'/>\n");
    add_box(&s, "over", 0.5 + 1e-5, 0.1, 0.1, 1.0); // its centre barely beyond the edge
    add_box(&s, "on", 0.0, 0.1, 0.1, 1.0);
    scene_tail(&s);
    scene_start(&s, &opt);
    for (int32_t i = 0; i < 1500; i++) {
        scene_step(&s, H);
        assert_int_equal(talus_state_asleep(s.state, 1), 0);
    }
    assert_int_equal(talus_state_asleep(s.state, 2), 1);
    assert_true(s.q[2] < -1.0);
    scene_end(&s);
}

// ---- being hit --------------------------------------------------------------------------------------------

// boxes without friction in a row, and a ball that slides towards them
#define ROW 4
static void row(scene* s, const talus_sim_options* opt)
{
    scene_begin(s, 1);
    scene_head(s, 1e5, 0.5, 0.0, 0.0, 0.0, -SCENE_G);
    scene_add(s, "<geom type='plane' size='9 9 1'/>\n");
    for (int32_t k = 0; k < ROW; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        add_box(s, name, 0.25 * k, 0.1 - SCENE_G / 4e5, 0.1, 1.0);
    }
    scene_add(
        s,
        "<body name='ball' pos='-1 0 %.17g'><freejoint/><geom type='sphere' size='0.1' mass='2'/></body>\n",
        0.1 - 2 * SCENE_G / 1e5);
    scene_tail(s);
    scene_start(s, opt);
}

static double momentum_x(const scene* s)
{
    double sum = 2.0 * s->v[6 * ROW];
    for (int32_t k = 0; k < ROW; k++)
        sum += s->v[6 * k];
    return sum;
}

static void chain__wakes_one_after_another_and_keeps_momentum(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene on, off;
    row(&on, &opt);
    run_until_asleep(&on, ROW + 1, 2000);
    on.v[6 * ROW] = 1.0; // the host wakes the ball
    begin_wide_awake(&off, &on, opt);
    int32_t woke[ROW] = {0}, touched[ROW] = {0};
    double most = 0.0;
    for (int32_t i = 1; i <= 1000; i++) {
        scene_step(&on, H);
        scene_step(&off, H);
        assert_int_equal(talus_state_asleep(on.state, ROW + 1), 0);
        test_near1("momentum", momentum_x(&on), 2.0, 1e-6);
        for (int32_t k = 0; k < ROW; k++)
            if (!woke[k] && !talus_state_asleep(on.state, k + 1))
                woke[k] = i;
        const talus_contacts c = talus_sim_contacts(off.sim);
        for (int32_t j = 0; j < c.count; j++) // bodies that push each other where nothing ever sleeps
            if (c.body_a[j] > 0 && c.body_b[j] > 0 && fabs(c.force[3 * j]) > 0.0) {
                const int32_t bodies[2] = {c.body_a[j] - 1, c.body_b[j] - 1};
                for (int k = 0; k < 2; k++)
                    if (bodies[k] < ROW && !touched[bodies[k]])
                        touched[bodies[k]] = i;
            }
        for (int32_t j = 0; j < 7 * (ROW + 1); j++)
            most = fmax(most, fabs(on.q[j] - off.q[j]));
    }
    print_message("boxes wake at steps %d %d %d %d; the run without sleep has the same paths to %.2g m\n",
                  woke[0], woke[1], woke[2], woke[3], most);
    for (int32_t k = 0; k < ROW; k++) {
        assert_true(woke[k] > 0 && touched[k] > 0);
        assert_true(woke[k] <= touched[k] && woke[k] >= touched[k] - 2); // a gap that may close wakes, too
        assert_true(k == 0 || woke[k] > woke[k - 1]);
    }
    assert_true(most <= 1e-6);
    end_wide_awake(&off);
    scene_end(&on);
}

static void ball__wakes_the_stack_it_hits_and_no_other(void** state)
{
    (void)state;
    for (int32_t ahead = 0; ahead < 2; ahead++) {
        talus_sim_options opt = sleepy();
        opt.ahead = ahead;
        scene on, off;
        stacks(&on, &opt, 1);
        run_until_asleep(&on, 10, 1500);
        on.v[54] = 4.0;
        begin_wide_awake(&off, &on, opt);
        bool hit = false;
        double most = 0.0;
        for (int32_t i = 0; i < 800; i++) {
            const double before = on.v[54];
            const bool slept = talus_state_asleep(on.state, scene_body(&on, "b01"));
            scene_step(&on, H);
            scene_step(&off, H);
            double force[3];
            const int32_t n = scene_contact_force(&on, scene_body(&on, "ball"), -1, force);
            if (n > 0 && !hit) {
                hit = true;
                assert_true(slept);
                print_message("ahead %d: touched in step %d\n", ahead, i);
            }
            // whole and at once, and nothing sooner
            for (int32_t k = 0; k < 3; k++) {
                char name[8];
                snprintf(name, sizeof name, "b0%d", k);
                assert_int_equal(talus_state_asleep(on.state, scene_body(&on, name)), !hit);
                snprintf(name, sizeof name, "b1%d", k);
                if (!hit)
                    assert_int_equal(talus_state_asleep(on.state, scene_body(&on, name)), 1);
            }
            if (!hit)
                assert_true(on.v[54] == before);
            for (int32_t j = 0; j < 7 * 3 && i < 500; j++)
                most = fmax(most, fabs(on.q[j] - off.q[j]));
            if (hit && i > 460)
                break;
        }
        assert_true(hit);
        print_message("paths with and without sleep differ by %.2g m\n", most);
        assert_true(most <= 1e-5);
        for (int32_t k = 0; k < 3; k++) {
            char name[8];
            snprintf(name, sizeof name, "b2%d", k);
            assert_int_equal(talus_state_asleep(on.state, scene_body(&on, name)), 1);
        }
        end_wide_awake(&off);
        scene_end(&on);
    }
}

// ---- the host ---------------------------------------------------------------------------------------------

static void host__wakes_by_what_it_changes(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    for (int32_t how = 0; how < 8; how++) {
        scene s;
        stacks(&s, &opt, 1);
        run_until_asleep(&s, 10, 1500);
        talus_sim* other = NULL;
        if (how == 0)
            s.q[2] += 1e-9;
        if (how == 1)
            s.v[5] = 1e-12;
        if (how == 2)
            s.force[1] = 1e-3;
        if (how == 3)
            assert_int_equal(talus_state_wake(s.state, scene_body(&s, "b02")), TALUS_OK);
        if (how == 4)
            assert_int_equal(talus_state_wake(s.state, -1), TALUS_OK);
        if (how == 5) {
            const double pos[3] = {0.0, 0.0, 0.1};
            assert_int_equal(talus_state_set_free_body(s.state, scene_body(&s, "b00"), pos, NULL, NULL, NULL),
                             TALUS_OK);
        }
        if (how >= 6) { // other options, or none of sleep
            talus_sim_options changed = opt;
            changed.mu = how == 6 ? 0.4 : -1.0;
            changed.sleep = how == 6;
            assert_int_equal(talus_sim_create(s.ctx, s.model, &changed, &other), TALUS_OK);
        }
        assert_int_equal(talus_sim_step(other ? other : s.sim, s.state, H, 0, &s.info), TALUS_OK);
        const bool all = how == 4 || how >= 6;
        for (int32_t b = 1; b <= 10; b++)
            assert_int_equal(talus_state_asleep(s.state, b), !(all || b <= 3));
        assert_int_equal(s.info.bodies_asleep, all ? 0 : 7);
        assert_int_equal(s.info.islands_asleep, all ? 0 : 3);
        // forces are those of the rest they woke from
        double up = 0.0;
        const talus_contacts c = talus_sim_contacts(other ? other : s.sim);
        up = upward_from_static(&c, s.model);
        if (how != 0 && how != 5)
            test_near1("weight", up, (all ? 9 : 3) * SCENE_G, 1e-2);
        talus_sim_destroy(other);
        scene_end(&s);
    }
}

static void wake__brings_the_forces_back(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene s;
    stacks(&s, &opt, 1);
    run_until_asleep(&s, 10, 1500);
    scene_run(&s, H, 2);
    const int32_t count = talus_state_sleeping_contacts(s.state).count;
    assert_int_equal(s.state->nhistory, 0);
    assert_int_equal(talus_state_wake(s.state, -1), TALUS_OK);
    assert_int_equal(talus_state_sleeping_contacts(s.state).count, 0);
    assert_int_equal(s.state->nhistory, count);
    double up = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const talus_last_force* e = s.state->history + i;
        up += e->geom_a == 0 ? e->fn : 0.0; // the plane
        assert_true(i == 0 || e->geom_a > e[-1].geom_a ||
                    (e->geom_a == e[-1].geom_a && e->geom_b >= e[-1].geom_b));
    }
    test_near1("weight", up, 9 * SCENE_G, 1e-3);
    scene_end(&s);
}

static void copy__goes_on_with_the_same_bits(void** state)
{
    (void)state;
    talus_sim_options opt = sleepy();
    opt.solver.reuse = 0; // a kept factor makes other last bits
    scene s;
    stacks(&s, &opt, 1);
    run_until_asleep(&s, 10, 1500);
    talus_state* copy;
    talus_sim* fresh;
    assert_int_equal(talus_state_create(s.ctx, s.model, &copy), TALUS_OK);
    assert_int_equal(talus_sim_create(s.ctx, s.model, &opt, &fresh), TALUS_OK);
    // another state, whose first stack sleeps elsewhere
    talus_state* moved;
    assert_int_equal(talus_state_create(s.ctx, s.model, &moved), TALUS_OK);
    assert_int_equal(talus_state_copy(moved, s.state), TALUS_OK);
    for (int32_t i = 0; i < 3; i++)
        talus_state_q(moved)[7 * i] -= 0.7;
    for (int32_t i = 0; i < 400; i++)
        assert_int_equal(talus_sim_step(fresh, moved, H, 0, NULL), TALUS_OK);
    assert_int_equal(talus_state_asleep(moved, 1), 1);
    // `fresh` takes turns with both (0) or looks at the other one (1); s.sim has the first alone
    talus_state* start;
    assert_int_equal(talus_state_create(s.ctx, s.model, &start), TALUS_OK);
    s.v[54] = 4.0;
    assert_int_equal(talus_state_copy(start, s.state), TALUS_OK);
    for (int32_t look = 0; look < 2; look++) {
        assert_int_equal(talus_state_copy(s.state, start), TALUS_OK);
        assert_int_equal(talus_state_copy(copy, start), TALUS_OK);
        for (int32_t i = 0; i < 500; i++) {
            talus_energy e;
            scene_step(&s, H);
            assert_int_equal(talus_sim_step(fresh, copy, H, 0, NULL), TALUS_OK);
            assert_int_equal(look ? talus_sim_energy(fresh, moved, &e)
                                  : talus_sim_step(fresh, moved, H, 0, NULL),
                             TALUS_OK);
            assert_true(talus_state_hash(copy) == talus_state_hash(s.state));
        }
        assert_int_equal(talus_state_asleep(s.state, 1), 0);
        assert_int_equal(talus_state_asleep(s.state, 7), 1);
        assert_int_equal(talus_state_asleep(moved, 1), 1);
    }
    talus_state_destroy(start);
    talus_state_destroy(moved);
    talus_state_destroy(copy);
    talus_sim_destroy(fresh);
    scene_end(&s);
}

// ---- joints, patches, threads, memory ---------------------------------------------------------------------

static void arm__sleeps_and_wakes_by_its_control(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene s;
    scene_begin(&s, 1);
    scene_add(
        &s, "<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
            "<body name='upper' pos='0 0 1'><joint name='a' axis='0 1 0' damping='2' range='-90 90'/>"
            "<geom type='capsule' size='0.04' fromto='0 0 0 0.4 0 0'/>"
            "<body name='lower' pos='0.4 0 0'><joint name='b' axis='0 1 0' damping='2' frictionloss='0.05'/>"
            "<geom type='capsule' size='0.04' fromto='0 0 0 0.4 0 0'/></body></body>"
            "<body name='box' pos='2 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>"
            "<actuator><position name='p' joint='a' kp='200'/></actuator></mujoco>");
    scene_start(&s, &opt);
    run_until_asleep(&s, 3, 6000);
    assert_int_equal(s.info.islands_asleep, 2);
    const double a = s.q[0], b = s.q[1];
    const double held = talus_sim_loss_force(s.sim)[1];
    scene_run(&s, H, 20);
    assert_true(s.q[0] == a && s.q[1] == b && held == talus_sim_loss_force(s.sim)[1]);
    s.v[2 + 0] = 0.1; // the box is pushed
    scene_step(&s, H);
    assert_int_equal(s.info.bodies_asleep, 2);
    assert_true(held != 0.0 && held == talus_sim_loss_force(s.sim)[1]);
    run_until_asleep(&s, 3, 6000);
    talus_state_ctrl(s.state)[0] = -0.5;
    scene_step(&s, H);
    assert_int_equal(talus_state_asleep(s.state, scene_body(&s, "lower")), 0);
    assert_int_equal(talus_state_asleep(s.state, scene_body(&s, "box")), 1);
    run_until_asleep(&s, 3, 6000);
    assert_true(fabs(s.q[0] - a) > 0.2);
    scene_end(&s);
}

// each patch of sleeping bodies is the sum of its contacts; @return force on the floor
static double check_sleeping_patches(const scene* s, int32_t want)
{
    const talus_patch* p;
    assert_int_equal(talus_state_sleeping_patches(s->state, &p), want);
    const talus_contacts c = talus_state_sleeping_contacts(s->state);
    int32_t faces = 0;
    double down = 0.0;
    for (int32_t i = 0; i < want; i++) {
        double sum[3] = {0};
        faces += p[i].faces;
        for (int32_t k = p[i].first; k < p[i].first + p[i].faces; k++) {
            assert_true(c.geom_a[k] == p[i].geom_a && c.geom_b[k] == p[i].geom_b);
            for (int r = 0; r < 3; r++)
                sum[r] += c.force[3 * k + r];
        }
        test_near("patch", p[i].force, sum, 3, 1e-12, 4 * SCENE_G);
        down += p[i].body_a == 0 ? -p[i].force[2] : 0.0;
    }
    assert_int_equal(faces, c.count);
    return down;
}

static void patch__sleeps_with_its_force(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene s;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                  "<body pos='0 0 0.0499'><freejoint/><geom type='box' size='.1 .1 .05' mass='4'/></body>"
                  "<body pos='0 0 0.149'><freejoint/><geom type='sphere' size='.05' mass='1'/></body>"
                  "<body pos='1 0 0.0499'><freejoint/><geom type='box' size='.1 .1 .05' mass='3'/></body>"
                  "</worldbody><custom><text name='talus.default' data='contact=compliant E=1e6 d=5'/>"
                  "<text name='talus.geom.floor' data='contact=rigid'/></custom></mujoco>");
    scene_start(&s, &opt);
    run_until_asleep(&s, 3, 3000);
    assert_int_equal(s.info.islands_asleep, 2);
    scene_step(&s, H);
    assert_int_equal(s.info.patches, 0);
    assert_int_equal(s.info.faces, 0);
    const talus_patch* p;
    assert_int_equal(talus_sim_patches(s.sim, &p), 0);
    test_near1("weight", check_sleeping_patches(&s, 3), 8 * SCENE_G, 1e-3);
    s.v[12] = 0.01; // one island wakes, the other one stays
    scene_step(&s, H);
    assert_int_equal(s.info.bodies_asleep, 2);
    assert_int_equal(s.info.patches, 1);
    test_near1("weight", check_sleeping_patches(&s, 2), 5 * SCENE_G, 1e-3);
    scene_end(&s);
}

// a soft ball that was put aside drops on a soft box: the box wakes, and nothing depends on what else was looked at
static void patch__is_hit(void** state)
{
    (void)state;
    const talus_sim_options opt = sleepy();
    scene s, off;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                  "<body pos='0 0 0.0499'><freejoint/><geom type='box' size='.1 .1 .05' mass='4'/></body>"
                  "<body pos='1 0 0.0499'><freejoint/><geom type='sphere' size='.05' mass='1'/></body>"
                  "</worldbody><custom><text name='talus.default' data='contact=compliant E=1e6 d=5'/>"
                  "<text name='talus.geom.floor' data='contact=rigid'/></custom></mujoco>");
    scene_start(&s, &opt);
    run_until_asleep(&s, 2, 3000);
    s.q[7] = 0.02;
    s.q[9] = 0.3;
    begin_wide_awake(&off, &s, opt);
    int32_t woke = 0;
    double most = 0.0, fall = 0.0;
    for (int32_t i = 1; i <= 150; i++) {
        fall = s.v[8];
        scene_step(&s, H);
        scene_step(&off, H);
        const bool asleep = talus_state_asleep(s.state, 1);
        if (!asleep && !woke)
            woke = i;
        assert_true(asleep == (woke == 0));
        if (asleep)
            test_near1("fall", s.v[8], fall - H * SCENE_G, 1e-12);
        for (int32_t j = 0; j < 14; j++)
            most = fmax(most, fabs(s.q[j] - off.q[j]));
    }
    // from 0.3 - 0.15 m on: the step in which sqrt(2 g 0.15) is reached, or the one before, which looks ahead
    const double t = sqrt(2 * 0.15 / SCENE_G) / H;
    print_message("hit at step %.1f, awake in step %d; with and without sleep paths differ by %.2g m\n", t,
                  woke, most);
    assert_true(woke >= t - 1 && woke <= t + 2);
    assert_true(most <= 1e-5);
    end_wide_awake(&off);
    scene_end(&s);
}

static uint64_t busy(int32_t threads)
{
    const talus_sim_options opt = sleepy();
    scene s;
    scene_begin(&s, threads);
    tl_text text;
    assert_int_equal(tl_gen_scene(s.ctx, "boxes", 216, 0, &text), TALUS_OK);
    tl_text_fini(&s.text);
    s.text = text;
    scene_start(&s, &opt);
    scene_run(&s, 5e-3, 300);
    assert_true(s.info.islands_asleep > 5);
    const int32_t asleep = s.info.bodies_asleep;
    for (int32_t b = 0; b < 3; b++)
        s.v[6 * 60 * b] = 2.0; // into their neighbours
    scene_run(&s, 5e-3, 40);
    assert_true(s.info.bodies_asleep < asleep && s.info.bodies_asleep > 0);
    const uint64_t hash = talus_state_hash(s.state);
    scene_end(&s);
    return hash;
}

static void threads__same_bits(void** state)
{
    (void)state;
    const int32_t threads[] = {2, 3, 8};
    const uint64_t want = busy(1);
    for (int32_t i = 0; i < TL_COUNT(threads); i++)
        assert_true(busy(threads[i]) == want);
}

static void memory__is_not_asked_for(void** state)
{
    (void)state;
    counted c = {.fail_at = -1};
    const talus_sim_options opt = sleepy();
    scene s;
    memset(&s, 0, sizeof s);
    scene_begin_with(&s, 1, counted_allocator(&c));
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type='plane' size='9 9 1'/>\n");
    for (int32_t k = 0; k < 6; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        add_box(&s, name, 0.5 * k, 0.0999, 0.1, 1.0);
    }
    scene_tail(&s);
    scene_start(&s, &opt);
    for (int32_t cycle = 0; cycle < 3; cycle++) { // asleep, then one is pushed and falls asleep again
        const int64_t before = c.calls;
        run_until_asleep(&s, 6, 1500);
        scene_run(&s, H, 20);
        if (cycle == 2)
            assert_int_equal(c.calls - before, 0);
        s.v[0] = 0.2;
    }
    scene_end(&s);
    assert_int_equal(c.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pile__sleeps_and_costs_nothing),
        cmocka_unit_test(off__changes_no_bit),
        cmocka_unit_test(creep__sleeps_below_the_threshold_alone),
        cmocka_unit_test(turning_point__is_not_rest),
        cmocka_unit_test(slow_fall__is_not_rest),
        cmocka_unit_test(overhang__tips_and_falls),
        cmocka_unit_test(wake__brings_the_forces_back),
        cmocka_unit_test(chain__wakes_one_after_another_and_keeps_momentum),
        cmocka_unit_test(ball__wakes_the_stack_it_hits_and_no_other),
        cmocka_unit_test(host__wakes_by_what_it_changes),
        cmocka_unit_test(copy__goes_on_with_the_same_bits),
        cmocka_unit_test(arm__sleeps_and_wakes_by_its_control),
        cmocka_unit_test(patch__sleeps_with_its_force),
        cmocka_unit_test(patch__is_hit),
        cmocka_unit_test(threads__same_bits),
        cmocka_unit_test(memory__is_not_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
