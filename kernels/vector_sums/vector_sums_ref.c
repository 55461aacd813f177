// SPDX-License-Identifier: MIT
// Dots and combinations of a basis, scalar: the oracle of the wide forms.
#include "vector_sums.h"

void tl_vector_dots_ref(int64_t n, int32_t count, const double* X, int64_t ldx, const double* y, double* out)
{
    for (int32_t c = 0; c < count; c++) {
        double s[TL_DOT_SUMS] = {0};
        for (int64_t i = 0; i < n; i++)
            s[i % TL_DOT_SUMS] += X[c * ldx + i] * y[i];
        out[c] = tl_dot_tree(s);
    }
}

void tl_vector_combine_ref(int64_t n, int32_t count, const double* a, const double* X, int64_t ldx, double* y)
{
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < count; c++)
            y[i] += a[c] * X[c * ldx + i];
}
