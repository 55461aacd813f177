// SPDX-License-Identifier: MIT
// dense_small: all instruction sets against the scalar form in every bit; residual of the solution; refusals.
#include "kernel_inputs.h"

#define N 45
#define LDA 48

static void make_matrix(int32_t n, double* a, double* b)
{
    double x[N * N];
    tl_rng rng;
    tl_rng_seed(&rng, (uint64_t)n);
    for (int32_t i = 0; i < n * n; i++)
        x[i] = tl_rng_normal(&rng);
    for (int32_t i = 0; i < n; i++) {
        b[i] = tl_rng_normal(&rng);
        for (int32_t j = 0; j < n; j++) {
            double s = i == j ? 0.1 : 0.0;
            for (int32_t k = 0; k < n; k++)
                s += x[n * k + i] * x[n * k + j];
            a[LDA * j + i] = s;
        }
    }
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    for (int32_t n = 0; n <= N; n++) {
        double *a = doubles(LDA * N), *want = doubles(LDA * N), *got = doubles(LDA * N);
        double b[N + 1], x[N + 1], y[N + 1];
        make_matrix(n, a, b);
        b[n] = -7.0;
        memcpy(want, a, sizeof(double) * LDA * N);
        memcpy(x, b, sizeof x);
        assert_int_equal(tl_dense_factor_ref(n, LDA, want), 1);
        tl_dense_solve_ref(n, LDA, want, x);
        for (int32_t i = 0; i < n; i++) { // A x = b
            long double s = 0, size = 0;
            for (int32_t j = 0; j < n; j++) {
                s += (long double)a[LDA * j + i] * x[j];
                size += fabsl((long double)a[LDA * j + i] * x[j]);
            }
            const double left = (double)s;
            test_near("A x", &left, &b[i], 1, 4 * N * 0x1p-53, (double)size);
        }
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            if (!set)
                continue;
            memcpy(got, a, sizeof(double) * LDA * N);
            memcpy(y, b, sizeof y);
            assert_int_equal(set->dense_factor(n, LDA, got), 1);
            same_bits("L", set->isa, got, want, 1, LDA * N, 0);
            set->dense_solve(n, LDA, got, y);
            same_bits("x", set->isa, y, x, 1, n + 1, 0);
        }
        free(a);
        free(want);
        free(got);
    }
}

static void bad_pivots__are_refused(void** state)
{
    (void)state;
    const double bad[] = {-1.0, 0.0, NAN, INFINITY};
    for (int k = 0; k < TL_COUNT(bad); k++)
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            double *a = doubles(LDA * N), b[N];
            make_matrix(9, a, b);
            a[LDA * 5 + 5] = bad[k];
            if (set)
                assert_int_equal(set->dense_factor(9, LDA, a), 0);
            free(a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(bad_pivots__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
