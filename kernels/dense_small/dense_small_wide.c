// SPDX-License-Identifier: MIT
// Small Cholesky, TL_LANES rows at a time down the columns. Bound by latency: n columns one after another, each a
// few registers long. The solves go by blocks of eight columns, whose unknowns wait for each other in registers.
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

enum { PANEL = 4, ROWS = TL_LANES > 2 ? 2 : 4 }; // columns and registers of a tile

// Columns j .. j + PANEL - 1 of `rows` registers of rows from i on, after the columns before j, one after the other:
// what the right-looking order does to each entry, with the entry kept in a register. `left` < TL_LANES: so many rows.
static inline void tile(int rows, int left, int64_t lda, const double* a, int32_t j, int32_t i,
                        tl_vd c[PANEL][ROWS])
{
    for (int k = 0; k < PANEL; k++)
        for (int r = 0; r < rows; r++) {
            const double* at = a + (j + k) * lda + i + r * TL_LANES;
            c[k][r] = left < TL_LANES ? tl_load_part(at, left) : tl_load(at);
        }
    for (int32_t p = 0; p < j; p++) {
        const double* ap = a + p * lda;
        tl_vd x[ROWS];
        for (int r = 0; r < rows; r++)
            x[r] = left < TL_LANES ? tl_load_part(ap + i, left) : tl_load(ap + i + r * TL_LANES);
        for (int k = 0; k < PANEL; k++)
            for (int r = 0; r < rows; r++)
                c[k][r] = c[k][r] - tl_set(ap[j + k]) * x[r];
    }
}

// rows [from, count) of a register
static inline void store_part(double* at, tl_vd x, int32_t from, int32_t count)
{
    double lane[TL_LANES];
    tl_store(lane, x);
    for (int32_t l = from; l < count; l++)
        at[l] = lane[l];
}

// PANEL columns from j on after the columns before j.
static void apply_before(int32_t n, int64_t lda, double* a, int32_t j)
{
    tl_vd c[PANEL][ROWS];
    int32_t i = j;
    for (; i + TL_LANES <= n && i < j + PANEL; i += TL_LANES) { // with the triangle
        tile(1, TL_LANES, lda, a, j, i, c);
        for (int k = 0; k < PANEL; k++)
            store_part(a + (j + k) * lda + i, c[k][0], j + k > i ? j + k - i : 0, TL_LANES);
    }
    for (; i + ROWS * TL_LANES <= n; i += ROWS * TL_LANES) {
        tile(ROWS, TL_LANES, lda, a, j, i, c);
        for (int k = 0; k < PANEL; k++)
            for (int r = 0; r < ROWS; r++)
                tl_store(a + (j + k) * lda + i + r * TL_LANES, c[k][r]);
    }
    for (; i < n; i += TL_LANES) {
        const int32_t left = n - i < TL_LANES ? n - i : TL_LANES;
        tile(1, left, lda, a, j, i, c);
        for (int k = 0; k < PANEL; k++)
            store_part(a + (j + k) * lda + i, c[k][0], j + k > i ? j + k - i : 0, left);
    }
}

int TL_KERNEL(dense_factor)(int32_t n, int64_t lda, double* a)
{
    for (int32_t j0 = 0; j0 < n; j0 += PANEL) {
        const int32_t end = j0 + PANEL < n ? j0 + PANEL : n;
        if (end == j0 + PANEL)
            apply_before(n, lda, a, j0);
        else
            for (int32_t k = j0; k < end; k++)
                for (int32_t p = 0; p < j0; p++)
                    subtract(n - k, a[p * lda + k], a + p * lda + k, a + k * lda + k);
        for (int32_t j = j0; j < end; j++) {
            double* aj = a + j * lda;
            if (!(aj[j] > 0.0 && aj[j] <= DBL_MAX))
                return 0;
            aj[j] = __builtin_sqrt(aj[j]);
            const double inv = 1.0 / aj[j];
            for (int32_t i = j + 1; i < n; i++)
                aj[i] *= inv;
            for (int32_t k = j + 1; k < end; k++)
                subtract(n - k, aj[k], aj + k, a + k * lda + k);
        }
    }
    return 1;
}

#define BLOCK TL_ROW_SUMS // columns of a block of the solves

// the unknowns of w columns from the diagonal block alone; w is known to the compiler but for the last block
static inline __attribute__((always_inline)) void forward_block(int32_t w, int64_t lda, const double* l,
                                                                double* x)
{
    for (int32_t k = 0; k < w; k++) {
        x[k] *= 1.0 / l[k * lda + k];
        for (int32_t i = k + 1; i < w; i++)
            x[i] -= x[k] * l[k * lda + i];
    }
}

static inline __attribute__((always_inline)) void backward_block(int32_t w, int64_t lda, const double* l,
                                                                 double* x)
{
    for (int32_t i = w - 1; i >= 0; i--) {
        x[i] *= 1.0 / l[i * lda + i];
        for (int32_t j = 0; j < i; j++)
            x[j] -= l[j * lda + i] * x[i];
    }
}

// x[0 .. n-1] -= the products of the BLOCK columns l (n rows) with y, column after column
static inline void subtract_block(int32_t n, int64_t lda, const double* l, const double* y, double* x)
{
    for (int32_t i = 0; i < n; i += TL_LANES) {
        const int32_t left = n - i;
        tl_vd s = left < TL_LANES ? tl_load_part(x + i, left) : tl_load(x + i);
        for (int k = 0; k < BLOCK; k++) {
            const double* at = l + k * lda + i;
            s = s - tl_set(y[k]) * (left < TL_LANES ? tl_load_part(at, left) : tl_load(at));
        }
        if (left < TL_LANES)
            tl_store_part(x + i, s, left);
        else
            tl_store(x + i, s);
    }
}

// y[k] -= column k of l (n rows) . x for `columns` columns
static inline __attribute__((always_inline)) void subtract_dots(int32_t n, int32_t columns, int64_t lda,
                                                                const double* l, const double* x, double* y)
{
    tl_vd s[BLOCK][REGISTERS];
    for (int32_t k = 0; k < columns; k++)
        for (int r = 0; r < REGISTERS; r++)
            s[k][r] = (tl_vd){0};
    for (int32_t c = (n - 1) / BLOCK * BLOCK; c >= 0 && c < n; c -= BLOCK)
        for (int r = 0; r < REGISTERS; r++) {
            const int32_t at = c + r * TL_LANES, left = n - at;
            if (left <= 0)
                break;
            const tl_vd v = left < TL_LANES ? tl_load_part(x + at, left) : tl_load(x + at);
            for (int32_t k = 0; k < columns; k++) {
                const double* lk = l + k * lda + at;
                s[k][r] += (left < TL_LANES ? tl_load_part(lk, left) : tl_load(lk)) * v;
            }
        }
    for (int32_t k = 0; k < columns; k++)
        y[k] -= tl_sum_eight(s[k]);
}

void TL_KERNEL(dense_solve)(int32_t n, int64_t lda, const double* l, double* x)
{
    int32_t j = 0;
    for (; j + BLOCK <= n; j += BLOCK) {
        const double* lj = l + j * lda + j;
        double y[BLOCK]; // apart from x: they stay in registers
        for (int k = 0; k < BLOCK; k++)
            y[k] = x[j + k];
        forward_block(BLOCK, lda, lj, y);
        for (int k = 0; k < BLOCK; k++)
            x[j + k] = y[k];
        subtract_block(n - j - BLOCK, lda, lj + BLOCK, y, x + j + BLOCK);
    }
    if (j < n) {
        forward_block(n - j, lda, l + j * lda + j, x + j);
        backward_block(n - j, lda, l + j * lda + j, x + j);
    }
    for (j -= BLOCK; j >= 0; j -= BLOCK) {
        const double* lj = l + j * lda + j;
        double y[BLOCK];
        for (int k = 0; k < BLOCK; k++)
            y[k] = x[j + k];
        subtract_dots(n - j - BLOCK, BLOCK, lda, lj + BLOCK, x + j + BLOCK, y);
        backward_block(BLOCK, lda, lj, y);
        for (int k = 0; k < BLOCK; k++)
            x[j + k] = y[k];
    }
}
