// SPDX-License-Identifier: MIT
// Small dense factorizations on column-major blocks: A = L L^T (SPD) and P A = L U (general).
//
// Both are right-looking: column j is finished, then the trailing columns lose its rank-one product. Every
// inner loop runs down a contiguous column. Mass blocks of free bodies (6), single joints (1..3) and arms
// (7..12) are the usual sizes, so the Cholesky routines are expanded for n = 3, 6 and 12 with the size known
// to the compiler; larger blocks take the loop with n as an argument. The order of operations is the same in
// all of them.
#include "la.h"

#include "kernels.h"

#include <float.h>
#include <math.h>

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

// calls body(n) with a literal for the common sizes
#define FOR_SIZE(n, call)                                                                                    \
    switch (n) {                                                                                             \
    case 3:                                                                                                  \
        call(3);                                                                                             \
        break;                                                                                               \
    case 6:                                                                                                  \
        call(6);                                                                                             \
        break;                                                                                               \
    case 12:                                                                                                 \
        call(12);                                                                                            \
        break;                                                                                               \
    default:                                                                                                 \
        call(n);                                                                                             \
    }

static bool is_usable(double pivot)
{
    return fabs(pivot) > 0.0 && fabs(pivot) <= DBL_MAX;
}

// ---- Cholesky
// ------------------------------------------------------------------------------------------------

INLINE bool cholesky(double* a, int32_t n, int64_t lda)
{
    for (int32_t j = 0; j < n; j++) {
        double* aj = a + j * lda;
        if (!(aj[j] > 0.0 && aj[j] <= DBL_MAX))
            return false;
        const double ljj = sqrt(aj[j]), inv = 1.0 / ljj;
        aj[j] = ljj;
        for (int32_t i = j + 1; i < n; i++)
            aj[i] *= inv;
        for (int32_t k = j + 1; k < n; k++) {
            double* ak = a + k * lda;
            const double s = aj[k];
            for (int32_t i = k; i < n; i++)
                ak[i] -= s * aj[i];
        }
    }
    return true;
}

bool tl_dense_cholesky(double* a, int32_t n, int32_t lda)
{
    bool ok = false;
#define CALL(size) ok = cholesky(a, (size), lda)
    FOR_SIZE(n, CALL)
#undef CALL
    return ok;
}

bool tl_dense_mass_factor(const tl_kernels* kernels, double* a, int32_t n)
{
    return n > 12 ? kernels->dense_factor(n, n, a) != 0 : tl_dense_cholesky(a, n, n);
}

INLINE void cholesky_solve(const double* l, int32_t n, int64_t lda, double* x)
{
    for (int32_t j = 0; j < n; j++) {
        const double* lj = l + j * lda;
        const double s = x[j] *= 1.0 / lj[j]; // a quotient that does not wait for x
        for (int32_t i = j + 1; i < n; i++)
            x[i] -= s * lj[i];
    }
    for (int32_t j = n - 1; j >= 0; j--) {
        const double* lj = l + j * lda;
        // four sums: each addition waits for the last one of its own
        double s[4] = {0};
        int32_t i = j + 1;
        for (; i + 4 <= n; i += 4)
            for (int k = 0; k < 4; k++)
                s[k] += lj[i + k] * x[i + k];
        for (; i < n; i++)
            s[0] += lj[i] * x[i];
        x[j] = (x[j] - ((s[0] + s[1]) + (s[2] + s[3]))) * (1.0 / lj[j]);
    }
}

void tl_dense_cholesky_solve(const double* l, int32_t n, int32_t lda, double* b, int32_t nrhs, int32_t ldb)
{
    for (int32_t r = 0; r < nrhs; r++) {
        double* x = b + (int64_t)r * ldb;
#define CALL(size) cholesky_solve(l, (size), lda, x)
        FOR_SIZE(n, CALL)
#undef CALL
    }
}

// ---- LU
// ------------------------------------------------------------------------------------------------------

// row swaps run through all columns at once, as in LAPACK's getrf: L and U come out in final row order
bool tl_dense_lu(double* a, int32_t n, int32_t lda, int32_t* piv)
{
    const int64_t ld = lda;
    for (int32_t j = 0; j < n; j++) {
        double* aj = a + j * ld;
        int32_t p = j;
        for (int32_t i = j + 1; i < n; i++)
            if (fabs(aj[i]) > fabs(aj[p]))
                p = i;
        piv[j] = p;
        if (!is_usable(aj[p]))
            return false;
        if (p != j) {
            for (int32_t k = 0; k < n; k++) {
                double* ak = a + k * ld;
                const double t = ak[j];
                ak[j] = ak[p];
                ak[p] = t;
            }
        }
        const double pivot = aj[j];
        for (int32_t i = j + 1; i < n; i++)
            aj[i] /= pivot;
        for (int32_t k = j + 1; k < n; k++) {
            double* ak = a + k * ld;
            const double s = ak[j];
            for (int32_t i = j + 1; i < n; i++)
                ak[i] -= s * aj[i];
        }
    }
    return true;
}

void tl_dense_lu_solve(const double* a, int32_t n, int32_t lda, const int32_t* piv, double* b, int32_t nrhs,
                       int32_t ldb)
{
    const int64_t ld = lda;
    for (int32_t r = 0; r < nrhs; r++) {
        double* x = b + (int64_t)r * ldb;
        for (int32_t j = 0; j < n; j++) {
            const double t = x[j];
            x[j] = x[piv[j]];
            x[piv[j]] = t;
        }
        for (int32_t j = 0; j < n; j++) {
            const double* aj = a + j * ld;
            for (int32_t i = j + 1; i < n; i++)
                x[i] -= x[j] * aj[i];
        }
        for (int32_t j = n - 1; j >= 0; j--) {
            const double* aj = a + j * ld;
            const double s = x[j] /= aj[j];
            for (int32_t i = 0; i < j; i++)
                x[i] -= s * aj[i];
        }
    }
}
