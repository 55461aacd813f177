// SPDX-License-Identifier: MIT
// Small Cholesky, TL_LANES rows at a time down the columns. Bound by latency: n columns one after another, each a
// few registers long.
#include "dense_small.h"
#include "simd.h"

#include <float.h>

#define REGISTERS (TL_ROW_SUMS / TL_LANES)

// y[0 .. n-1] -= s x[0 .. n-1]
static inline void subtract(int32_t n, double s, const double* x, double* y)
{
    const tl_vd f = tl_set(s);
    int32_t i = 0;
    for (; i + TL_LANES <= n; i += TL_LANES)
        tl_store(y + i, tl_load(y + i) - f * tl_load(x + i));
    for (; i < n; i++)
        y[i] -= s * x[i];
}

int TL_KERNEL(dense_factor)(int32_t n, int64_t lda, double* a)
{
    for (int32_t j = 0; j < n; j++) {
        double* aj = a + j * lda;
        if (!(aj[j] > 0.0 && aj[j] <= DBL_MAX))
            return 0;
        aj[j] = __builtin_sqrt(aj[j]);
        const double inv = 1.0 / aj[j];
        for (int32_t i = j + 1; i < n; i++)
            aj[i] *= inv;
        for (int32_t k = j + 1; k < n; k++)
            subtract(n - k, aj[k], aj + k, a + k * lda + k);
    }
    return 1;
}

static inline double dot(int32_t n, const double* x, const double* y)
{
    tl_vd s[REGISTERS] = {{0}};
    double out[TL_ROW_SUMS];
    for (int32_t c = 0; c < n; c += TL_ROW_SUMS)
        for (int k = 0; k < REGISTERS; k++) {
            const int32_t at = c + k * TL_LANES, left = n - at;
            if (left >= TL_LANES)
                s[k] += tl_load(x + at) * tl_load(y + at);
            else if (left > 0)
                s[k] += tl_load_part(x + at, left) * tl_load_part(y + at, left);
        }
    for (int k = 0; k < REGISTERS; k++)
        tl_store(out + k * TL_LANES, s[k]);
    return tl_row_tree(out);
}

void TL_KERNEL(dense_solve)(int32_t n, int64_t lda, const double* l, double* x)
{
    for (int32_t j = 0; j < n; j++) {
        const double* lj = l + j * lda;
        x[j] *= 1.0 / lj[j];
        subtract(n - j - 1, x[j], lj + j + 1, x + j + 1);
    }
    for (int32_t j = n - 1; j >= 0; j--) {
        const double* lj = l + j * lda;
        x[j] = (x[j] - dot(n - j - 1, lj + j + 1, x + j + 1)) * (1.0 / lj[j]);
    }
}
