// SPDX-License-Identifier: MIT
// C46: memory over a long run. Elsewhere 30 GB after 25,000 steps, 2 GB after a restart. Boxes in a bin are kicked
// every 50 steps, and a model with its simulation is made and dropped every 20 steps. What the context holds (counted
// by its allocator) and the resident memory may each grow by 2 MiB after the first part; a sanitizer keeps freed
// blocks and instruments the rest, so that there only the first counts. Short form: 27 boxes, 3000 steps, from step
// 1000 on. TALUS_LONG_TESTS=1 in the environment: 200 boxes, 20,000 steps.
#include "scene.h"
#include "counted.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RESIDENT_IS_OURS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RESIDENT_IS_OURS 0
#endif
#endif
#ifndef RESIDENT_IS_OURS
#define RESIDENT_IS_OURS 1
#endif

#define MIB (1024.0 * 1024.0)

static double resident(void) // MiB
{
    FILE* f = fopen("/proc/self/statm", "r");
    if (!f)
        skip();
    long size = 0, pages = 0;
    assert_int_equal(fscanf(f, "%ld %ld", &size, &pages), 2);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / MIB;
}

static void fill(scene* s, int32_t n, counted* c)
{
    scene_begin_with(s, 1, counted_allocator(c));
    assert_int_equal(tl_gen_scene(s->ctx, "boxes", n, 0, &s->text), TALUS_OK);
    scene_start(s, NULL);
}

/// A body more and gone again: all that a host makes for it.
static void come_and_go(counted* c)
{
    scene s;
    fill(&s, 2, c);
    scene_run(&s, 2e-3, 2);
    scene_end(&s);
}

static void memory__does_not_grow(void** state)
{
    (void)state;
    const char* text = getenv("TALUS_LONG_TESTS");
    const bool full = text && text[0] == '1';
    const int32_t n = full ? 200 : 27, steps = full ? 20000 : 3000, warm = 1000;
    counted c = {.fail_at = -1};
    int64_t bytes_before = 0;
    scene s;
    fill(&s, n, &c);
    tl_gen_rng rng;
    tl_gen_seed(&rng, 46, 0);
    const int32_t nv = 6 * n;
    double before = 0.0, contacts = 0.0;
    for (int32_t i = 0; i < steps; i++) {
        if (i == warm) {
            before = resident();
            bytes_before = c.bytes;
        }
        if (i % 50 == 0)
            for (int32_t j = 0; j < nv; j++)
                s.v[j] += tl_gen_uniform(&rng, -0.5, 0.5);
        if (i % 20 == 0)
            come_and_go(&c);
        scene_step(&s, 2e-3);
        contacts += (double)s.info.contacts / steps;
    }
    const double after = resident(), held = (double)c.bytes / MIB, held_before = (double)bytes_before / MIB;
    print_message(
        "%d boxes, %d steps, %.0f contacts: held %.2f MiB at step %d, %.2f MiB at the end; resident %.2f and "
        "%.2f MiB\n",
        n, steps, contacts, held_before, warm, held, before, after);
    assert_true(contacts > n); // they did not fly away
    assert_true(held - held_before <= 2.0);
    if (RESIDENT_IS_OURS)
        assert_true(after - before <= 2.0);
    scene_end(&s);
    assert_int_equal(c.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory__does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
