// SPDX-License-Identifier: MIT
// The sort against the C library's, and its stability.
#include "test.h"

typedef struct item {
    int32_t key, place;
} item;

static int by_key(const void* a, const void* b)
{
    const item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static void sort__orders_and_keeps_equals_in_place(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 1);
    for (int32_t n = 0; n < 300; n++) {
        item a[300], scratch[300];
        int64_t sum = 0;
        for (int32_t i = 0; i < n; i++) {
            a[i] = (item){.key = (int32_t)tl_rng_uniform(&r, 0, 20), .place = i};
            sum += a[i].key;
        }
        tl_sort(a, n, sizeof *a, by_key, scratch);
        for (int32_t i = 0; i < n; i++) {
            sum -= a[i].key;
            if (i)
                assert_true(a[i - 1].key < a[i].key ||
                            (a[i - 1].key == a[i].key && a[i - 1].place < a[i].place));
        }
        assert_int_equal(sum, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sort__orders_and_keeps_equals_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
