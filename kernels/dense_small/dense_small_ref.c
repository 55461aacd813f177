// SPDX-License-Identifier: MIT
// Small Cholesky, scalar: the oracle of the wide form.
#include "dense_small.h"

#include <float.h>
#include <math.h>

int tl_dense_factor_ref(int32_t n, int64_t lda, double* a)
{
    for (int32_t j = 0; j < n; j++) {
        double* aj = a + j * lda;
        if (!(aj[j] > 0.0 && aj[j] <= DBL_MAX))
            return 0;
        aj[j] = sqrt(aj[j]);
        const double inv = 1.0 / aj[j];
        for (int32_t i = j + 1; i < n; i++)
            aj[i] *= inv;
        for (int32_t k = j + 1; k < n; k++)
            for (int32_t i = k; i < n; i++)
                a[k * lda + i] -= aj[k] * aj[i];
    }
    return 1;
}

void tl_dense_solve_ref(int32_t n, int64_t lda, const double* l, double* x)
{
    for (int32_t j = 0; j < n; j++) {
        x[j] *= 1.0 / l[j * lda + j];
        for (int32_t i = j + 1; i < n; i++)
            x[i] -= x[j] * l[j * lda + i];
    }
    for (int32_t from = (n - 1) / 8 * 8; from >= 0; from -= 8) {
        const int32_t end = from + 8 < n ? from + 8 : n;
        for (int32_t j = from; j < end; j++) {
            double s[TL_ROW_SUMS] = {0};
            for (int32_t c = end + (n - end - 1) / 8 * 8; c >= end && c < n; c -= 8)
                for (int32_t i = c; i < n && i < c + 8; i++)
                    s[i - c] += l[j * lda + i] * x[i];
            x[j] -= tl_row_tree(s);
        }
        for (int32_t i = end - 1; i >= from; i--) {
            x[i] *= 1.0 / l[i * lda + i];
            for (int32_t j = from; j < i; j++)
                x[j] -= l[j * lda + i] * x[i];
        }
    }
}
