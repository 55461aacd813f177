// SPDX-License-Identifier: MIT
// bit_join: all instruction sets against the bit-by-bit form, that form against sets of numbers.
#include "kernel_inputs.h"

enum { ROWS = 7, WORDS = 5 };

typedef struct graph {
    uint64_t row[ROWS * WORDS + 1], pivot[WORDS], alive[WORDS];
} graph;

static graph random_graph(uint64_t seed)
{
    tl_rng r;
    graph g;
    tl_rng_seed(&r, seed);
    for (int i = 0; i <= ROWS * WORDS; i++)
        g.row[i] = tl_rng_next(&r) & tl_rng_next(&r);
    for (int i = 0; i < WORDS; i++) {
        g.pivot[i] = tl_rng_next(&r) & tl_rng_next(&r) & tl_rng_next(&r);
        g.alive[i] = tl_rng_next(&r) | tl_rng_next(&r);
    }
    return g;
}

static const int32_t list[] = {0, 2, 3, 6};

static void bit_join__equals_ref(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (int32_t words = 1; words <= WORDS; words++) {
            graph want = random_graph(seed);
            int32_t count[TL_COUNT(list)];
            tl_bit_join_ref(words, TL_COUNT(list), list, want.pivot, want.alive, want.row, count);
            for (int s = 0; s < TL_COUNT(all_isas); s++) {
                const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
                if (!set)
                    continue;
                graph got = random_graph(seed);
                int32_t n[TL_COUNT(list)];
                set->bit_join(words, TL_COUNT(list), list, got.pivot, got.alive, got.row, n);
                assert_memory_equal(&got, &want, sizeof got); // rows outside the list too
                assert_memory_equal(n, count, sizeof n);
            }
        }
}

static bool has(const uint64_t* row, int32_t b)
{
    return row[b / 64] >> b % 64 & 1;
}

static void bit_join__ref_is_a_union_of_sets(void** state)
{
    (void)state;
    const graph old = random_graph(77);
    graph g = old;
    int32_t count[TL_COUNT(list)];
    tl_bit_join_ref(WORDS, TL_COUNT(list), list, g.pivot, g.alive, g.row, count);
    for (int k = 0; k < TL_COUNT(list); k++) {
        const uint64_t *now = g.row + list[k] * WORDS, *before = old.row + list[k] * WORDS;
        int32_t n = 0;
        for (int32_t b = 0; b < 64 * WORDS; b++) {
            n += has(now, b);
            assert_int_equal(has(now, b), (has(before, b) || has(g.pivot, b)) && has(g.alive, b));
        }
        assert_int_equal(count[k], n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_join__equals_ref),
        cmocka_unit_test(bit_join__ref_is_a_union_of_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
