// SPDX-License-Identifier: MIT
// C46: memory over a long run. Elsewhere 30 GB after 25,000 steps, 2 GB after a restart. Boxes in a bin are kicked
// every 50 steps, and a model with its simulation is made and dropped every 20 steps. The resident memory may grow by
// 2 MiB after the first part. Short form: 27 boxes, 3000 steps, from step 1000 on. TALUS_LONG_TESTS=1 in the
// environment: 200 boxes, 20,000 steps.
#include "scene.h"

#include <stdlib.h>

static double resident(void) // MiB
{
    FILE* f = fopen("/proc/self/statm", "r");
    if (!f)
        skip();
    long size = 0, pages = 0;
    assert_int_equal(fscanf(f, "%ld %ld", &size, &pages), 2);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1024.0 * 1024.0);
}

static void fill(scene* s, int32_t n)
{
    scene_begin(s, 1);
    tl_text_fini(&s->text);
    assert_int_equal(tl_gen_scene(s->ctx, "boxes", n, 0, &s->text), TALUS_OK);
    scene_start(s, NULL);
}

/// A body more and gone again: all that a host makes for it.
static void come_and_go(void)
{
    scene s;
    fill(&s, 2);
    scene_run(&s, 2e-3, 2);
    scene_end(&s);
}

static void memory__does_not_grow(void** state)
{
    (void)state;
    const char* text = getenv("TALUS_LONG_TESTS");
    const bool full = text && text[0] == '1';
    const int32_t n = full ? 200 : 27, steps = full ? 20000 : 3000, warm = 1000;
    scene s;
    fill(&s, n);
    tl_gen_rng rng;
    tl_gen_seed(&rng, 46, 0);
    const int32_t nv = 6 * n;
    double before = 0.0, contacts = 0.0;
    for (int32_t i = 0; i < steps; i++) {
        if (i == warm)
            before = resident();
        if (i % 50 == 0)
            for (int32_t j = 0; j < nv; j++)
                s.v[j] += tl_gen_uniform(&rng, -0.5, 0.5);
        if (i % 20 == 0)
            come_and_go();
        scene_step(&s, 2e-3);
        contacts += (double)s.info.contacts / steps;
    }
    const double after = resident();
    print_message("%d boxes, %d steps, %.0f contacts: %.2f MiB at step %d, %.2f MiB at the end\n", n, steps,
                  contacts, before, warm, after);
    assert_true(contacts > n); // they did not fly away
    assert_true(after - before <= 2.0);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory__does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
