// SPDX-License-Identifier: MIT
// A history of any length: sums, maxima and times are those of all steps (oracle: added up one by one).
#include "test.h"
#include "history.h"

static void history__merging_loses_nothing(void** state)
{
    static const int64_t lengths[] = {1, 2047, 2048, 2049, 4097, 100000};
    (void)state;
    for (int32_t l = 0; l < TL_COUNT(lengths); l++) {
        tl_history* h = malloc(sizeof *h);
        assert_non_null(h);
        tl_history_init(h);
        double phase = 0, contacts = 0;
        int32_t most = 0;
        for (int64_t i = 0; i < lengths[l]; i++) {
            talus_step_info info = {.contacts = (int32_t)(i * 7919 % 1000)};
            info.phase[TALUS_PHASE_FACTOR] = (double)(i % 64); // integers: sums are exact in any order
            phase += info.phase[TALUS_PHASE_FACTOR];
            contacts += info.contacts;
            most = TL_MAX(most, info.contacts);
            tl_history_add(h, (double)i, (double)(i + 1), &info);
        }
        int64_t steps = 0;
        double t = 0;
        for (int32_t i = 0; i < h->count; i++) {
            const tl_history_bin* b = &h->bins[i];
            assert_true(b->t0 == t);
            assert_true(b->t1 - b->t0 == (double)b->steps);
            t = b->t1;
            steps += b->steps;
            phase -= b->phase[TALUS_PHASE_FACTOR];
            contacts -= b->contacts;
        }
        assert_int_equal(steps, lengths[l]);
        assert_true(phase == 0 && contacts == 0);
        assert_true(h->count <= TL_HISTORY_MAX && h->count >= TL_MIN(lengths[l], TL_HISTORY_MAX / 2));
        free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(history__merging_loses_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
