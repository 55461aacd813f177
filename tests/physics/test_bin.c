// SPDX-License-Identifier: MIT
// A bin of 512 spheres and one of 512 boxes, dropped, h = 5 ms, default material. Over 2 s every step
// converges; from the first contact on the energy kinetic + gravity + sum k delta^2 / 2 only falls; at rest
// floor and walls carry the weight (sum of forces = m g once dp/dt = 0).
//
// Without contact.ahead a contact takes part from the step on at whose start it overlaps (theory:
// src/README.md#problem). By then it is up to h v_n deep, which no force has resisted: k delta0^2 / 2 appears
// at that moment, 10 mm and 25 J a contact at 2 m/s, where a body falls through 2 J. Less what contacts bring
// along when they are found the energy only falls there too, and what appears is second order in h.
#include "regress/scene.h"
#include "sim.h"

#define N 512
#define H 5e-3
#define STEPS 400      // 2 s
#define STEPS_MAX 1600 // a pile that is not at rest by then gets more
#define AT_REST 5e-6   // kinetic over initial potential energy: nothing brakes a sphere that rolls
#define CALM 10        // steps in a row

/// A running minimum and the largest rise over it.
typedef struct rise {
    double least, most, when;
} rise;

typedef struct watch {
    bool touched;
    double initial; // potential energy over the floor at the start   J
    double found;   // sum of k delta0^2 / 2 of contacts when found    J
    rise total, balance;
    int32_t lagged, split; // steps
    double factors;        // factorizations of the worst island, summed over the steps with contact
    int32_t most_factors, contacts, contact_steps;
    int32_t calm; // steps in a row
} watch;

static void follow(rise* r, double e, double time, bool first)
{
    r->least = first ? e : fmin(r->least, e);
    if (e - r->least > r->most) {
        r->most = e - r->least;
        r->when = time;
    }
}

static bool took_part(const tl_contact_set* in, int32_t a, int32_t b, int64_t feature)
{
    for (int32_t i = 0; i < in->n; i++)
        if (in->geom_a[i] == a && in->geom_b[i] == b && in->feature[i] == feature)
            return true;
    return false;
}

// of the contacts that are there now and took no part in the last step
static double found_energy(const talus_sim* sim)
{
    const tl_contact_set* c = &sim->now;
    double e = 0.0;
    for (int32_t i = 0; i < c->n; i++)
        if (!took_part(&sim->last, c->geom_a[i], c->geom_b[i], c->feature[i]))
            e += 0.5 * c->k[i] * c->depth[i] * c->depth[i];
    return e;
}

static void look(scene* s, watch* w)
{
    w->lagged += s->info.lagged;
    w->split += s->info.substeps > 1;
    w->factors += s->info.solve.factorizations_max;
    w->most_factors = TL_MAX(w->most_factors, s->info.solve.factorizations_max);
    w->contacts = TL_MAX(w->contacts, s->info.contacts);
    w->contact_steps += s->info.contacts > 0;
    talus_energy e;
    assert_int_equal(talus_sim_energy(s->sim, s->state, &e), TALUS_OK);
    w->calm = e.kinetic <= AT_REST * w->initial ? w->calm + 1 : 0;
    w->found += found_energy(s->sim);
    // free fall exchanges kinetic and gravity to first order in h only: from the first contact on
    const bool first = !w->touched;
    if (first && s->sim->now.n == 0)
        return;
    w->touched = true;
    const double time = talus_state_time(s->state), mechanical = e.kinetic + e.gravity;
    assert_true(isfinite(mechanical + e.elastic));
    follow(&w->total, mechanical + e.elastic, time, first);
    follow(&w->balance, mechanical + e.elastic - w->found, time, first);
}

static void step_and_look(scene* s, watch* w, double h)
{
    const talus_status status = talus_sim_step(s->sim, s->state, h, 0, &s->info);
    if (status != TALUS_OK && status != TALUS_LAGGED)
        fail_msg("step at t = %g s: %s; %s", talus_state_time(s->state), talus_status_text(status),
                 s->log.last[TALUS_WARNING]);
    look(s, w);
}

static void begin(scene* s, watch* w, const char* kind, int32_t n, bool ahead)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.ahead = ahead;
    scene_begin(s, 1);
    assert_int_equal(tl_gen_scene(s->ctx, kind, n, 0, &s->text), TALUS_OK);
    scene_start(s, &opt);
    *w = (watch){.initial = scene_energy(s)};
}

static void drop(const char* kind)
{
    scene s;
    watch w;
    begin(&s, &w, kind, N, true);
    // the mean over the calm steps: one sphere of 512 that still rolls off another is 2e-3 of the weight
    double carried[3] = {0};
    for (int32_t k = 0; k < STEPS || (k < STEPS_MAX && w.calm < CALM); k++) {
        step_and_look(&s, &w, H);
        double now[3];
        scene_contact_force(&s, 0, -1, now); // on the world: down
        for (int32_t i = 0; i < 3; i++)
            carried[i] = w.calm > 0 ? carried[i] + (now[i] - carried[i]) / w.calm : 0.0;
    }
    const double weight = talus_model_get_info(s.model).total_mass * SCENE_G;
    const double error = hypot(hypot(carried[0], carried[1]), carried[2] + weight) / weight;
    print_message(
        "%d %s: %d contacts at most, factorizations of the worst island %.2f mean, %d most; %d steps "
        "lagged, %d split; at rest at t = %g s: floor and walls carry the weight to %.2g\n",
        N, kind, w.contacts, w.factors / w.contact_steps, w.most_factors, w.lagged, w.split,
        talus_state_time(s.state), error);
    print_message("  kinetic + gravity + elastic: largest rise after the first contact %.3g of the initial "
                  "potential energy, t = %g s\n",
                  w.total.most / w.initial, w.total.when);
    assert_true(w.contacts > N);
    assert_true(w.calm >= CALM);
    assert_true(error < 1e-3 * test_tol_scale());
    assert_true(w.balance.most < 1e-3 * w.initial * test_tol_scale());
    assert_true(w.total.most < 1e-3 * w.initial * test_tol_scale());
    assert_int_equal(w.lagged + w.split, 0);
    for (int32_t i = 0; i < N; i++) // nothing sank in
        assert_true(s.q[7 * i + 2] > 0.049);
    scene_end(&s);
}

static void bin_of_spheres__comes_to_rest(void** state)
{
    (void)state;
    drop("spheres");
}

static void bin_of_boxes__comes_to_rest(void** state)
{
    (void)state;
    drop("boxes");
}

// without contact.ahead the energy that appears when contacts are found is the price of the step length: k (h v)^2 / 2 each
static void energy_found__is_second_order_in_h(void** state)
{
    (void)state;
    double most[2];
    for (int32_t i = 0; i < 2; i++) {
        const double h = i ? H / 8 : H;
        scene s;
        watch w;
        begin(&s, &w, "spheres", 64, false);
        while (talus_state_time(s.state) < 0.4)
            step_and_look(&s, &w, h);
        most[i] = w.total.most / w.initial;
        print_message("64 spheres, h = %g s: largest rise of kinetic + gravity + elastic %.3g of the initial "
                      "potential energy\n",
                      h, most[i]);
        assert_true(w.balance.most < 1e-3 * w.initial * test_tol_scale());
        scene_end(&s);
    }
    assert_true(most[1] < most[0] / 16.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bin_of_spheres__comes_to_rest),
        cmocka_unit_test(bin_of_boxes__comes_to_rest),
        cmocka_unit_test(energy_found__is_second_order_in_h),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
