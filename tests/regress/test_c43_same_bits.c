// SPDX-License-Identifier: MIT
// C43: the same bits for any number of threads and in every run. Four columns of ten crates and one of eight
// spheres, 500 steps; elsewhere runs parted from 40 crates on. The symmetric column stays on its axis.
#include "scene.h"

#define STEPS 500
#define RUNS 10

static uint64_t run(int32_t threads, double* off_axis)
{
    scene s;
    scene_begin(&s, threads);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"9 9 1\"/>\n");
    for (int32_t column = 0; column < 4; column++)
        for (int32_t i = 0; i < 10; i++) // shifted and turned a little, so that they work
            scene_add(&s,
                      "<body pos=\"%g %g %g\" euler=\"0 0 %g\"><freejoint/>"
                      "<geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/></body>\n",
                      1.0 + column % 2 + 0.01 * (i * 7 % 3), 1.0 + column / 2 + 0.01 * (i * 5 % 4),
                      0.1 + 0.2 * i, 0.05 * (i % 3));
    for (int32_t i = 0; i < 8; i++)
        scene_add(&s,
                  "<body pos=\"0 0 %g\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\"/></body>\n",
                  0.1 + 0.2 * i);
    scene_tail(&s);
    scene_start(&s, NULL);
    scene_run(&s, 2e-3, STEPS);
    const uint64_t hash = talus_state_hash(s.state);
    *off_axis = 0.0;
    for (int32_t i = 40; i < 48; i++)
        *off_axis = fmax(*off_axis, hypot(s.q[7 * i], s.q[7 * i + 1]));
    assert_true(s.info.contacts > 160);
    scene_end(&s);
    return hash;
}

static void state__same_bits_for_any_threads_and_run(void** state)
{
    (void)state;
    const int32_t threads[] = {1, 2, 3, 8};
    double off;
    const uint64_t first = run(1, &off);
    print_message("column of spheres off its axis by %.3g m\n", off);
    assert_true(off <= 1e-12);
    for (int32_t t = 0; t < TL_COUNT(threads); t++) {
        const double start = tl_now();
        for (int32_t i = 0; i < RUNS; i++)
            if (run(threads[t], &off) != first)
                fail_msg("%d threads, run %d: another state", threads[t], i);
        print_message("%d threads: %d runs alike, %.2f s each\n", threads[t], RUNS,
                      (tl_now() - start) / RUNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(state__same_bits_for_any_threads_and_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
