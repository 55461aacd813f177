// SPDX-License-Identifier: MIT
// Dense helpers against the matrix they factor: products computed here, by the definition.
#include "test.h"
#include "la.h"

enum { MAX = 41, PAD = 3 };

static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 27, 40};

static void random_matrix(tl_rng* r, double* a, int32_t n, int32_t ld)
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++)
            a[i + j * ld] = tl_rng_normal(r);
}

// a = b b^T + n I
static void random_spd(tl_rng* r, double* a, int32_t n, int32_t ld)
{
    double b[MAX * MAX];
    random_matrix(r, b, n, n);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            double s = i == j ? n : 0.0;
            for (int32_t k = 0; k < n; k++)
                s += b[i + k * n] * b[j + k * n];
            a[i + j * ld] = s;
        }
    }
}

// b = A x, all columns
static void multiply(const double* a, int32_t n, int32_t ld, const double* x, int32_t nrhs, double* b)
{
    for (int32_t r = 0; r < nrhs; r++) {
        for (int32_t i = 0; i < n; i++) {
            double s = 0.0;
            for (int32_t k = 0; k < n; k++)
                s += a[i + k * ld] * x[k + r * n];
            b[i + r * n] = s;
        }
    }
}

static void dense_cholesky__solves(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 1);
    for (int32_t s = 0; s < TL_COUNT(sizes); s++) {
        const int32_t n = sizes[s], ld = n + PAD;
        double a[MAX * (MAX + PAD)] = {0}, l[MAX * (MAX + PAD)], x[2 * MAX], b[2 * MAX];
        random_spd(&r, a, n, ld);
        memcpy(l, a, sizeof l);
        // the upper triangle must not be read
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < j; i++)
                l[i + j * ld] = NAN;
        for (int32_t i = 0; i < 2 * n; i++)
            x[i] = tl_rng_normal(&r);
        multiply(a, n, ld, x, 2, b);
        assert_true(tl_dense_cholesky(l, n, ld));
        tl_dense_cholesky_solve(l, n, ld, b, 2, n);
        test_near("x", b, x, 2 * n, 1e-13, 0.0);
    }
}

static void dense_cholesky__refuses_indefinite_and_nonfinite(void** state)
{
    (void)state;
    double a[4] = {1.0, 2.0, 2.0, 3.9};
    assert_false(tl_dense_cholesky(a, 2, 2));
    double zero[4] = {1.0, 1.0, 1.0, 1.0};
    assert_false(tl_dense_cholesky(zero, 2, 2));
    double nan[4] = {1.0, NAN, 0.0, 2.0};
    assert_false(tl_dense_cholesky(nan, 2, 2));
    double inf[4] = {1.0, 0.0, 0.0, INFINITY};
    assert_false(tl_dense_cholesky(inf, 2, 2));
    assert_true(tl_dense_cholesky(a, 0, 1));
}

static void dense_lu__solves(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 2);
    for (int32_t s = 0; s < TL_COUNT(sizes); s++) {
        const int32_t n = sizes[s], ld = n + PAD;
        double a[MAX * (MAX + PAD)] = {0}, lu[MAX * (MAX + PAD)], x[2 * MAX], b[2 * MAX], back[2 * MAX];
        int32_t piv[MAX];
        random_matrix(&r, a, n, ld);
        a[0] = n > 1 ? 0.0 : 1.0; // without pivoting this one divides by zero
        memcpy(lu, a, sizeof lu);
        for (int32_t i = 0; i < 2 * n; i++)
            x[i] = tl_rng_normal(&r);
        multiply(a, n, ld, x, 2, b);
        memcpy(back, b, sizeof back);
        assert_true(tl_dense_lu(lu, n, ld, piv));
        tl_dense_lu_solve(lu, n, ld, piv, b, 2, n);
        // the residual is small whatever the condition of a random matrix
        multiply(a, n, ld, b, 2, x);
        test_near("A x", x, back, 2 * n, 1e-12, 0.0);
    }
}

static void dense_lu__refuses_singular_and_nonfinite(void** state)
{
    (void)state;
    int32_t piv[2];
    double singular[4] = {1.0, 2.0, 2.0, 4.0};
    assert_false(tl_dense_lu(singular, 2, 2, piv));
    double nan[4] = {1.0, 2.0, NAN, 4.0};
    assert_false(tl_dense_lu(nan, 2, 2, piv));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_cholesky__solves),
        cmocka_unit_test(dense_cholesky__refuses_indefinite_and_nonfinite),
        cmocka_unit_test(dense_lu__solves),
        cmocka_unit_test(dense_lu__refuses_singular_and_nonfinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
