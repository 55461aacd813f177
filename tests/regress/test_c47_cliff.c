// SPDX-License-Identifier: MIT
// C47: no cliff of cost with many static shapes, no blow-up of a large block. Elsewhere 6400 static shapes or 400
// convex meshes took the whole step, and 10^3 spheres blew up.
#include "scene.h"

#include <time.h>

#define FAR 6400 // fixed boxes
#define SIDE 10  // spheres along an edge of the block

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// 10 x 10 balls, each on the ground, and fixed boxes in a grid that starts 100 m away.
static void ground(scene* s, int32_t boxes)
{
    scene_begin(s, 1);
    scene_head(s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(s, "<geom type=\"box\" size=\"5 5 0.5\" pos=\"0 0 -0.5\"/>\n");
    for (int32_t i = 0; i < boxes; i++)
        scene_add(s, "<geom type=\"box\" size=\"0.2 0.2 0.2\" pos=\"%d %d 0\"/>\n", 100 + i % 80, i / 80);
    for (int32_t i = 0; i < 100; i++)
        scene_add(
            s, "<body pos=\"%.17g %.17g 0.0999\"><freejoint/><geom type=\"sphere\" size=\"0.1\"/></body>\n",
            0.3 * (i % 10), 0.3 * (i / 10));
    scene_tail(s);
    scene_start(s, NULL);
    scene_run(s, 1e-3, 50);
}

/// Shapes far away make no pair and little of the CPU time of 100 balls: least of rounds in turns, until they agree:
/// the machine has other work too.
static void far_shapes__cost_little(void** state)
{
    (void)state;
    scene s[2];
    double least[2] = {1.0, 1.0};
    ground(&s[0], 0);
    ground(&s[1], FAR);
    for (int32_t round = 0; round < 15 || (round < 150 && least[1] > 1.05 * least[0]); round++)
        for (int32_t i = 0; i < 2; i++) {
            const double t = cpu_seconds();
            scene_run(&s[i], 1e-3, 20);
            least[i] = fmin(least[i], (cpu_seconds() - t) / 20.0);
        }
    print_message("a step with 0 and %d boxes far away: %.1f, %.1f us; pairs %d, %d\n", FAR, 1e6 * least[0],
                  1e6 * least[1], s[0].info.pairs, s[1].info.pairs);
    assert_int_equal(s[0].info.contacts, 100);
    assert_int_equal(s[1].info.contacts, 100);
    assert_int_equal(s[1].info.pairs, s[0].info.pairs);
    assert_memory_equal(s[0].v, s[1].v, 600 * sizeof(double)); // not a bit of the motion changes
    assert_true(least[1] <= 1.05 * least[0]);
    scene_end(&s[0]);
    scene_end(&s[1]);
}

/// A block of spheres, each straight above another: the lowest contacts carry ten weights, at any depth x of force
/// k x. It rests within twice that depth and does not blow up.
static void sphere_block__rests(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    const double k = 1e5, r = 0.1;
    scene_head(&s, k, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"5 5 1\"/>\n");
    for (int32_t i = 0; i < SIDE * SIDE * SIDE; i++)
        scene_add(&s,
                  "<body pos=\"%.17g %.17g %.17g\"><freejoint/><geom type=\"sphere\" size=\"%g\" "
                  "mass=\"1\"/></body>\n",
                  0.25 * (i % SIDE), 0.25 * (i / SIDE % SIDE), r + 2.0 * r * (i / (SIDE * SIDE)), r);
    scene_tail(&s);
    scene_start(&s, NULL);
    double deepest = 0.0, phases = 0.0;
    for (int32_t i = 0; i < 100; i++) {
        scene_step(&s, 5e-3);
        deepest = fmax(deepest, s.info.max_depth);
        assert_int_equal(s.info.solve.lagged, 0);
    }
    const double expected = SIDE * SCENE_G / k; // 10 kg on k
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++) {
        print_message("%s %.3f ms  ", talus_phase_name((talus_phase)p), 1e3 * s.info.phase[p]);
        phases += s.info.phase[p];
    }
    print_message("\ndeepest %.3e m, static estimate %.3e m\n", deepest, expected);
    assert_true(phases > 0.0);
    assert_true(s.info.max_depth > 0.5 * expected);
    assert_true(deepest < 2.0 * expected);
    scene_end(&s);
}

/// Pyramids of 10, 20 and 40 layers: a contact costs about the same in each, and they stand.
static void pyramids__cost_by_contact(void** state)
{
    (void)state;
    double cost[3] = {INFINITY, INFINITY, INFINITY}; // s a contact and step
    scene s[3];
    for (int32_t i = 0; i < 3; i++) {
        const int32_t layers = 10 << i;
        scene_begin(&s[i], 1);
        scene_head(&s[i], 1e6, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
        scene_add(&s[i], "<geom type=\"plane\" size=\"9 9 1\"/>\n");
        for (int32_t l = 0; l < layers; l++)
            for (int32_t j = 0; j < layers - l; j++)
                scene_add(&s[i],
                          "<body pos=\"%.17g 0 %.17g\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" "
                          "mass=\"1\"/></body>\n",
                          0.21 * j + 0.105 * l, 0.1 + 0.2 * l);
        scene_tail(&s[i]);
        scene_start(&s[i], NULL);
        scene_run(&s[i], 5e-3, 200);
    }
    for (int32_t round = 0; round < 5 || (round < 50 && cost[2] > 3.0 * cost[0]); round++)
        for (int32_t i = 0; i < 3; i++) {
            const double t = cpu_seconds();
            scene_run(&s[i], 5e-3, 5);
            cost[i] = fmin(cost[i], (cpu_seconds() - t) / 5.0 / s[i].info.contacts);
        }
    for (int32_t i = 0; i < 3; i++) {
        const int32_t layers = 10 << i, bodies = layers * (layers + 1) / 2;
        print_message("%d layers: %d contacts, %.3f us a contact, deepest %.2e m\n", layers,
                      s[i].info.contacts, 1e6 * cost[i], s[i].info.max_depth);
        assert_int_equal(s[i].info.contacts, 4 * layers + 8 * (bodies - layers));
        assert_int_equal(s[i].info.solve.lagged, 0);
        for (int32_t k = 0; k < 6 * bodies; k++)
            assert_true(fabs(s[i].v[k]) < 1e-3); // m/s, rad/s: it stands
    }
    assert_true(cost[2] <= 3.0 * cost[0]);
    for (int32_t i = 0; i < 3; i++)
        scene_end(&s[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_shapes__cost_little),
                                       cmocka_unit_test(sphere_block__rests),
                                       cmocka_unit_test(pyramids__cost_by_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
