// SPDX-License-Identifier: MIT
#include "mass_inverse.h"

#include <float.h>

// the entry (i, j) of a symmetric matrix whose lower triangle is kept
static double* entry(double* a, int32_t n, int32_t i, int32_t j)
{
    return i >= j ? a + i + (int64_t)j * n : a + j + (int64_t)i * n;
}

int tl_mass_inverse_ref(int32_t n, const double* m, double* inv)
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j; i < n; i++)
            inv[i + (int64_t)j * n] = m[i + (int64_t)j * n];
    for (int32_t k = 0; k < n; k++) {
        const double pivot = *entry(inv, n, k, k), d = 1.0 / pivot;
        if (!(pivot >= DBL_MIN && pivot <= DBL_MAX))
            return 0;
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = j; i < n; i++)
                if (i != k && j != k)
                    *entry(inv, n, i, j) -= *entry(inv, n, i, k) * d * *entry(inv, n, j, k);
        for (int32_t i = 0; i < n; i++)
            if (i != k)
                *entry(inv, n, i, k) *= d;
        *entry(inv, n, k, k) = -d;
    }
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j; i < n; i++)
            inv[j + (int64_t)i * n] = inv[i + (int64_t)j * n] = -inv[i + (int64_t)j * n];
    return 1;
}
