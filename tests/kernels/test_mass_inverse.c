// SPDX-License-Identifier: MIT
// mass_inverse: all instruction sets against the scalar form in every bit; M M^-1 = 1 in long double; symmetry;
// refusals.
#include "kernel_inputs.h"

#define N 80

static const int32_t sizes[] = {0,  1,  2,  3,  5,  6,  7,  8,  9,  12, 15, 16,
                                17, 24, 30, 31, 36, 40, 41, 63, 64, 65, 70, N};

// positive definite, with units that differ by 10^6 between rows; above the diagonal not to be read
static void make_mass(int32_t n, double* m)
{
    static double x[N * N];
    tl_rng rng;
    tl_rng_seed(&rng, (uint64_t)n + 1);
    for (int32_t i = 0; i < n * n; i++)
        x[i] = tl_rng_normal(&rng);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            double s = i == j ? n : 0.0;
            for (int32_t k = 0; k < n; k++)
                s += x[n * k + i] * x[n * k + j];
            m[n * j + i] = i < j ? NAN : s * (i % 2 ? 1.0 : 1e3) * (j % 2 ? 1.0 : 1e3);
        }
}

static void check_inverse(int32_t n, const double* m, const double* inv)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            long double s = 0, size = 0;
            for (int32_t k = 0; k < n; k++) {
                const long double x = (long double)m[i >= k ? n * k + i : n * i + k] * inv[n * j + k];
                s += x;
                size += fabsl(x);
            }
            const double want = i == j, got = (double)s;
            test_near("M inv(M)", &got, &want, 1, 4 * (n + 1) * 0x1p-53, (double)size);
            assert_true(inv[n * j + i] == inv[n * i + j]);
        }
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    for (int32_t c = 0; c < TL_COUNT(sizes); c++) {
        const int32_t n = sizes[c];
        double *m = doubles(n * n + 8), *want = doubles(n * n + 8);
        make_mass(n, m);
        assert_int_equal(tl_mass_inverse_ref(n, m, want), 1);
        check_inverse(n, m, want);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            double* got = doubles(n * n + 8);
            if (set) {
                assert_int_equal(set->mass_inverse(n, m, got), 1);
                same_bits("inverse", set->isa, got, want, 1, n * n + 8, 0); // and nothing behind it
            }
            free(got);
        }
        free(m);
        free(want);
    }
}

static void bad_pivots__are_refused(void** state)
{
    (void)state;
    const double bad[] = {-1.0, 0.0, NAN, INFINITY, 1e-310};
    for (int32_t c = 1; c < TL_COUNT(sizes); c++)
        for (int k = 0; k < TL_COUNT(bad); k++)
            for (int s = 0; s < TL_COUNT(all_isas); s++) {
                const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
                const int32_t n = sizes[c], at = n / 2;
                double *m = doubles(n * n), *inv = doubles(n * n);
                make_mass(n, m);
                for (int32_t i = 0; i < n; i++) // alone, so that its pivot is what stands there
                    m[i >= at ? n * at + i : n * i + at] = 0.0;
                m[n * at + at] = bad[k];
                if (set)
                    assert_int_equal(set->mass_inverse(n, m, inv), 0);
                free(m);
                free(inv);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wide__equals_ref_in_every_bit),
                                       cmocka_unit_test(bad_pivots__are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
