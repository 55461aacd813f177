// SPDX-License-Identifier: MIT
// C24: contacts given many times over change nothing but cost. Elsewhere 2100 redundant points took 97 % of
// the step and never settled. The slab of C01 at 27 degrees, each point 100 times with a hundredth of the
// stiffness.
#include "scene.h"

typedef struct outcome {
    double acceleration, depth;
    int32_t iterations, factorizations, redundant;
} outcome;

static outcome slide(int32_t copies)
{
    scene s;
    scene_begin(&s, 1);
    scene_slab(&s, 27.0, 0.5, 0.0, copies);
    scene_start(&s, NULL);
    outcome r = {0};
    double v1 = 0.0;
    for (int32_t i = 0; i < 2000; i++) {
        if (i == 1000)
            v1 = s.v[0];
        scene_step(&s, 1e-3);
        r.iterations = TL_MAX(r.iterations, s.info.solve.iterations_max);
        r.factorizations += s.info.solve.factorizations;
        assert_int_equal(s.info.solve.lagged + s.info.solve.substepped + s.info.solve.restarted, 0);
    }
    r.acceleration = s.v[0] - v1;
    r.redundant = s.info.redundant;
    const talus_contacts c = talus_sim_contacts(s.sim);
    assert_int_equal(c.count, 4 * copies);
    for (int32_t i = 0; i < c.count; i++)
        r.depth += c.depth[i] / c.count;
    scene_end(&s);
    return r;
}

static void duplicates__change_nothing(void** state)
{
    (void)state;
    const outcome one = slide(1), many = slide(100);
    print_message("1 and 100 copies: acceleration %.8f %.8f, depth %.10e %.10e, iterations at most %d %d, "
                  "factorizations %d %d\n",
                  one.acceleration, many.acceleration, one.depth, many.depth, one.iterations, many.iterations,
                  one.factorizations, many.factorizations);
    const double expected = 0.083260;
    test_near("acceleration", &many.acceleration, &expected, 1, 1e-4, 1.0);
    test_near("depth", &many.depth, &one.depth, 1, 1e-8, 1.0);
    assert_true(many.iterations <= one.iterations + 1);
    assert_int_equal(one.redundant, 0);
    assert_int_equal(many.redundant, 396);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(duplicates__change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
