// SPDX-License-Identifier: MIT
// vector_sums: all instruction sets against the scalar form in every bit, the scalar form against long double.
#include "kernel_inputs.h"

#define COLUMNS 5

static const int64_t lengths[] = {0, 1, 7, 15, 16, 17, 48, 63, 1000, 3073};

static void fill(double* x, int64_t n, uint64_t seed)
{
    tl_rng rng;
    tl_rng_seed(&rng, seed);
    for (int64_t i = 0; i < n; i++)
        x[i] = tl_rng_normal(&rng) * exp(3.0 * tl_rng_normal(&rng));
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    for (int l = 0; l < TL_COUNT(lengths); l++) {
        const int64_t n = lengths[l], ldx = n + 3;
        double *X = doubles(COLUMNS * ldx), *y = doubles(n + 1), *want = doubles(n + 1),
               *got = doubles(n + 1);
        double a[COLUMNS], dots[COLUMNS], wide[COLUMNS];
        fill(X, COLUMNS * ldx, 1);
        fill(y, n, 2);
        fill(a, COLUMNS, 3);
        tl_vector_dots_ref(n, COLUMNS, X, ldx, y, dots);
        memcpy(want, y, sizeof(double) * (size_t)(n + 1));
        tl_vector_combine_ref(n, COLUMNS, a, X, ldx, want);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            if (!set)
                continue;
            set->vector_dots(n, COLUMNS, X, ldx, y, wide);
            assert_memory_equal(wide, dots, sizeof dots);
            memcpy(got, y, sizeof(double) * (size_t)(n + 1));
            set->vector_combine(n, COLUMNS, a, X, ldx, got);
            assert_memory_equal(got, want, sizeof(double) * (size_t)(n + 1)); // the element after y too
        }
        free(X);
        free(y);
        free(want);
        free(got);
    }
}

static void ref__is_the_sum_in_long_double(void** state)
{
    (void)state;
    for (int l = 0; l < TL_COUNT(lengths); l++) {
        const int64_t n = lengths[l], ldx = n + 3;
        double *X = doubles(COLUMNS * ldx), *y = doubles(n + 1), *z = doubles(n + 1);
        double a[COLUMNS], dots[COLUMNS];
        fill(X, COLUMNS * ldx, 4);
        fill(y, n, 5);
        fill(a, COLUMNS, 6);
        memcpy(z, y, sizeof(double) * (size_t)(n + 1));
        tl_vector_dots_ref(n, COLUMNS, X, ldx, y, dots);
        tl_vector_combine_ref(n, COLUMNS, a, X, ldx, z);
        for (int c = 0; c < COLUMNS; c++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < n; i++) {
                sum += (long double)X[c * ldx + i] * y[i];
                size += fabsl((long double)X[c * ldx + i] * y[i]);
            }
            assert_true(fabsl(dots[c] - sum) <= ((long double)n / 16 + 5) * 0x1p-53L * size);
        }
        for (int64_t i = 0; i < n; i++) {
            long double sum = y[i], size = fabs(y[i]);
            for (int c = 0; c < COLUMNS; c++) {
                sum += (long double)a[c] * X[c * ldx + i];
                size += fabsl((long double)a[c] * X[c * ldx + i]);
            }
            assert_true(fabsl(z[i] - sum) <= (COLUMNS + 1) * 0x1p-53L * size);
        }
        free(X);
        free(y);
        free(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(ref__is_the_sum_in_long_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
