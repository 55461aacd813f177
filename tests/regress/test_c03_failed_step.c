// SPDX-License-Identifier: MIT
// C03: a step that does not converge must not end the run, and round-off must not decide. A rigid cylinder
// with 8 rim points an end, h^2 k / m = 5000, is dropped tilted by 30 degrees from 2 m; a second run starts
// one ulp higher.
#include "scene.h"

#define H 1e-2

static void cylinders(scene* s, int32_t n)
{
    const double pi = 3.14159265358979323846, m = 0.2, r = 0.05, l = 0.1, rim = 1e-3;
    scene_head(s, 1e7, 0.1, 1.0, 0.0, 0.0, -SCENE_G);
    scene_add(s, "<geom type=\"plane\" size=\"9 9 1\"/>\n");
    for (int32_t k = 0; k < n; k++) { // side by side
        scene_add(s,
                  "<body name=\"cylinder%d\" pos=\"%d 0 2\" euler=\"%.17g 0 0\"><freejoint/>\n"
                  "  <inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
                  k, k, pi / 6.0, m, m * (3.0 * r * r + l * l) / 12.0, m * (3.0 * r * r + l * l) / 12.0,
                  m * r * r / 2.0);
        for (int32_t i = 0; i < 16; i++)
            scene_add(s, "  <geom type=\"sphere\" size=\"%.17g\" pos=\"%.17g %.17g %.17g\"/>\n", rim,
                      r * cos(i * pi / 4.0), r * sin(i * pi / 4.0), (i < 8 ? 0.5 : -0.5) * l);
        scene_add(s, "</body>\n");
    }
    scene_tail(s);
}

typedef struct drop {
    int32_t restarted, substepped, lagged, unconverged;
    double worst, high; // largest rise of the energy beyond what is explained, and over the start, relative
} drop;

// Contacts enter a step with the overlap of its start, so a point that fell in by delta during one step is
// put back on the surface by the next. That lifts the body by delta: kinetic and gravity energy may rise by
// m g delta in that step, but by nothing else. (k delta^2 / 2 of a point that has not been in any step yet is
// no energy that anything has worked for: here 3e4 J against 4 J.)
static drop run(double start, const talus_sim_options* opt)
{
    const double weight = 0.2 * SCENE_G, scale = weight * start;
    scene s;
    scene_begin(&s, 1);
    cylinders(&s, 1);
    scene_start(&s, opt);
    s.q[2] = start;
    drop r = {.worst = -1.0};
    double before = scale;
    for (int32_t i = 0; i < 300; i++) {
        const uint64_t hash = talus_state_hash(s.state);
        const talus_status status = talus_sim_step(s.sim, s.state, H, 0, &s.info);
        assert_true(status >= 0);
        if (status == TALUS_NOT_CONVERGED) { // not committed
            r.unconverged++;
            assert_true(talus_state_hash(s.state) == hash);
            assert_int_equal(s.log.count[TALUS_WARNING], r.unconverged);
            break;
        }
        r.lagged += s.info.lagged;
        r.substepped += s.info.substeps > 1;
        r.restarted += s.info.solve.restarted > 0;
        talus_energy e;
        assert_int_equal(talus_sim_energy(s.sim, s.state, &e), TALUS_OK);
        const double now = e.kinetic + e.gravity, depth = s.info.contacts ? s.info.max_depth : 0.0;
        r.worst = fmax(r.worst, (now - before - weight * depth) / scale);
        r.high = fmax(r.high, (now - scale) / scale);
        before = now;
    }
    scene_end(&s);
    return r;
}

static void check(const char* what, double start, const drop* r)
{
    print_message(
        "%s from %.17g m: restarted %d, split %d, lagged %d steps; worst unexplained rise of energy "
        "%.3g of the start\n",
        what, start, r->restarted, r->substepped, r->lagged, r->worst);
    assert_int_equal(r->unconverged, 0);
    assert_true(r->worst <= 1e-9);
    assert_true(r->high <= 1e-9);
}

static void drop__finishes_with_and_without_an_ulp(void** state)
{
    (void)state;
    const double start[2] = {2.0, nextafter(2.0, 3.0)};
    for (int32_t i = 0; i < 2; i++) {
        const drop r = run(start[i], NULL);
        check("default", start[i], &r);
    }
}

// a solver made to fail at once: no sweeps, no restart, no fallback of its own
static talus_sim_options crippled(int32_t iterations, int32_t substeps)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.globalization = TALUS_GLOBALIZATION_TALS;
    opt.solver.max_iter = iterations;
    opt.substeps = substeps;
    return opt;
}

static void failed_step__is_not_committed(void** state)
{
    (void)state;
    const talus_sim_options opt = crippled(1, 1);
    const drop r = run(2.0, &opt);
    assert_int_equal(r.unconverged, 1);
}

// one number of the contacts a sim shows: how many, how deep, how strong
static double contacts_seen(const talus_sim* sim)
{
    const talus_contacts c = talus_sim_contacts(sim);
    double sum = c.count;
    for (int32_t i = 0; i < c.count; i++)
        sum += (i + 1) * (c.depth[i] + c.force[3 * i + 2]);
    return sum;
}

// Two halves of which the first converges and the second does not: the state is that before the step, to the last bit,
// and the sim still shows the contacts of the last step that was committed, so the same call fails in the same way, with
// the same residual. (Not seen here: the history of warm starts.) A second cylinder is thrown down at 20 m/s so as to
// arrive half a step after the first. Which half fails depends on round-off, so many starts and limits are tried: every
// failed step is checked, and some must have failed in the second half.
static void failed_half__is_taken_back(void** state)
{
    (void)state;
    const double h = 0.5 * H;
    int32_t halves = 0;
    for (int32_t trial = 0; trial < 16 * 64; trial++) {
        talus_sim_options opt = crippled(1 + trial % 16, 2);
        opt.ahead = 0;
        scene s;
        scene_begin(&s, 1);
        cylinders(&s, 2);
        scene_start(&s, &opt);
        s.q[9] = 14.5 + 0.01 * (trial / 16);
        s.v[8] = -20.0;
        talus_status status = TALUS_OK;
        uint64_t hash = 0;
        double seen = 0.0;
        for (int32_t i = 0; i < 300 && status != TALUS_NOT_CONVERGED; i++) {
            seen = contacts_seen(s.sim);
            hash = talus_state_hash(s.state);
            status = talus_sim_step(s.sim, s.state, h, 0, &s.info);
            assert_true(status >= 0);
        }
        if (status == TALUS_NOT_CONVERGED) {
            const double residual = s.info.solve.residual, t = talus_state_time(s.state);
            assert_true(talus_state_hash(s.state) == hash);
            assert_int_equal(talus_sim_step(s.sim, s.state, h, 0, &s.info), TALUS_NOT_CONVERGED);
            assert_true(s.info.solve.residual == residual);
            assert_true(talus_state_hash(s.state) == hash);
            assert_true(talus_state_time(s.state) == t);
            assert_true(contacts_seen(s.sim) == seen);
            // was the first half good?
            status = talus_sim_step(s.sim, s.state, 0.5 * h, 0, &s.info);
            halves += (status == TALUS_OK || status == TALUS_LAGGED) && s.info.substeps == 1;
        }
        scene_end(&s);
    }
    print_message("%d steps failed in their second half\n", halves);
    assert_true(halves > 0);
}

// overlap of a whole step let out in a shorter one comes out faster, so the energy is not bounded here as
// above; dissipation caps the speed of points at 1/d = 10 m/s
static void failed_step__is_saved_by_shorter_ones(void** state)
{
    (void)state;
    const talus_sim_options opt = crippled(8, 1024);
    const drop r = run(2.0, &opt);
    print_message("8 iterations: %d steps split\n", r.substepped);
    assert_int_equal(r.unconverged, 0);
    assert_true(r.substepped > 0);
    assert_true(r.high <= 0.5 * 0.2 * 100.0 / (0.2 * SCENE_G * 2.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drop__finishes_with_and_without_an_ulp),
        cmocka_unit_test(failed_step__is_not_committed),
        cmocka_unit_test(failed_half__is_taken_back),
        cmocka_unit_test(failed_step__is_saved_by_shorter_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
