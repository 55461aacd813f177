// SPDX-License-Identifier: MIT
// Random block matrices on given graphs, and products with them computed block by block from their
// definition.
#pragma once

#include "la.h"
#include "test.h"

typedef struct problem {
    tl_pattern p;
    int32_t *size, *ptr, *idx, *row;
    int64_t* off;
    double *lower, *upper; // upper: NULL for symmetric values
    int32_t nrow;
} problem;

typedef enum graph_kind { PILE, CHAIN, STAR, ISLANDS, SINGLE, DENSE, GRID, GRAPH_KINDS } graph_kind;

static inline bool linked(graph_kind kind, int32_t i, int32_t j, const double* x, double reach)
{
    const int32_t side = 12;
    double d2 = 0.0;
    switch (kind) {
    case PILE:
    case ISLANDS:
        for (int32_t c = 0; c < 3; c++)
            d2 += (x[3 * i + c] - x[3 * j + c]) * (x[3 * i + c] - x[3 * j + c]);
        return d2 < reach * reach && (kind == PILE || i % 4 == j % 4);
    case CHAIN:
        return abs(i - j) == 1;
    case STAR:
        return (i == 7) != (j == 7);
    case DENSE:
        return true;
    case GRID:
        return i - j == side || (i - j == 1 && i % side != 0);
    default:
        return false;
    }
}

/// size_max > 0: sizes 1 .. size_max at random; < 0: all of -size_max
static inline problem problem_make(graph_kind kind, int32_t n, int32_t size_max, bool symmetric,
                                   uint64_t seed)
{
    tl_rng r;
    tl_rng_seed(&r, seed);
    problem q = {.p = {.n = n}};
    q.size = calloc((size_t)n + 1, sizeof(int32_t));
    q.ptr = calloc((size_t)n + 1, sizeof(int32_t));
    q.row = calloc((size_t)n + 1, sizeof(int32_t));
    q.idx = calloc((size_t)n * (size_t)(n + 1) / 2 + 1, sizeof(int32_t));
    double* x = calloc((size_t)n * 3 + 1, sizeof(double));
    for (int32_t i = 0; i < 3 * n; i++)
        x[i] = tl_rng_uniform(&r, 0.0, 1.0);
    const double reach = cbrt(6.0 / (n + 1.0) * 0.75 / 3.14159);
    for (int32_t j = 0; j < n; j++) {
        q.size[j] = size_max < 0 ? -size_max : 1 + (int32_t)(tl_rng_next(&r) % (uint64_t)size_max);
        q.row[j + 1] = q.row[j] + q.size[j];
        q.ptr[j + 1] = q.ptr[j];
        for (int32_t i = j; i < n; i++)
            if (i == j || linked(kind, i, j, x, reach))
                q.idx[q.ptr[j + 1]++] = i;
    }
    free(x);
    q.nrow = q.row[n];
    q.p.size = q.size;
    q.p.ptr = q.ptr;
    q.p.idx = q.idx;
    q.off = calloc((size_t)q.ptr[n] + 1, sizeof(int64_t));
    tl_pattern_offsets(&q.p, q.off);
    q.lower = calloc((size_t)q.off[q.ptr[n]] + 1, sizeof(double));
    q.upper = symmetric ? NULL : calloc((size_t)q.off[q.ptr[n]] + 1, sizeof(double));
    return q;
}

static inline void problem_free(problem* q)
{
    free(q->size);
    free(q->ptr);
    free(q->row);
    free(q->idx);
    free(q->off);
    free(q->lower);
    free(q->upper);
}

// block b of column j gets += u w^T, rows of node i
static inline void add_outer(double* block, const double* u, int32_t m, const double* w, int32_t n, double g)
{
    for (int32_t c = 0; c < n; c++)
        for (int32_t i = 0; i < m; i++)
            block[i + c * m] += g * u[i] * w[c];
}

/// A = unit mass + sum over edges of g j j^T with 3 random rows j on both nodes, g in 1 .. 10^decades
/// (positive definite, as mass plus contacts is); values with `upper` add a tangent-normal coupling of 0.4 g.
static inline void problem_fill(problem* q, double decades, uint64_t seed)
{
    enum { SIZE = 64, ROWS = 3 };
    tl_rng r;
    tl_rng_seed(&r, seed);
    const int32_t n = q->p.n;
    memset(q->lower, 0, sizeof(double) * (size_t)q->off[q->ptr[n]]);
    if (q->upper)
        memset(q->upper, 0, sizeof(double) * (size_t)q->off[q->ptr[n]]);
    for (int32_t j = 0; j < n; j++) {
        double* djj = q->lower + q->off[q->ptr[j]];
        for (int32_t c = 0; c < q->size[j]; c++)
            djj[c * (q->size[j] + 1)] += 1.0;
        for (int32_t b = q->ptr[j]; b < q->ptr[j + 1]; b++) {
            const int32_t i = q->idx[b], m = q->size[i], k = q->size[j];
            double u[ROWS][SIZE], w[ROWS][SIZE], g[ROWS][ROWS] = {{0}};
            for (int32_t t = 0; t < ROWS; t++) {
                for (int32_t c = 0; c < SIZE; c++) {
                    u[t][c] = tl_rng_uniform(&r, -1.0, 1.0);
                    w[t][c] = tl_rng_uniform(&r, -1.0, 1.0);
                }
                g[t][t] = pow(10.0, tl_rng_uniform(&r, 0.0, decades));
            }
            for (int32_t t = 0; t < ROWS - 1 && q->upper; t++)
                g[t][ROWS - 1] = 0.4 * fmin(g[t][t], g[ROWS - 1][ROWS - 1]);
            double* dii = q->lower + q->off[q->ptr[i]];
            for (int32_t s = 0; s < ROWS; s++) {
                for (int32_t t = 0; t < ROWS; t++) {
                    add_outer(djj, w[s], k, w[t], k, g[s][t]);
                    if (i == j)
                        continue;
                    add_outer(dii, u[s], m, u[t], m, g[s][t]);
                    add_outer(q->lower + q->off[b], u[s], m, w[t], k, g[s][t]);
                    if (q->upper)
                        add_outer(q->upper + q->off[b], w[s], k, u[t], m, g[s][t]);
                }
            }
        }
    }
}

/// y = A x, and with z not NULL z = |A| |x|
static inline void problem_multiply(const problem* q, const double* x, double* y, double* z)
{
    memset(y, 0, sizeof(double) * (size_t)q->nrow);
    if (z)
        memset(z, 0, sizeof(double) * (size_t)q->nrow);
    for (int32_t j = 0; j < q->p.n; j++) {
        for (int32_t b = q->ptr[j]; b < q->ptr[j + 1]; b++) {
            const int32_t i = q->idx[b], m = q->size[i], k = q->size[j];
            for (int32_t c = 0; c < k; c++) {
                for (int32_t a = 0; a < m; a++) {
                    const int32_t row = q->row[i] + a, col = q->row[j] + c;
                    const double v = q->lower[q->off[b] + a + c * m];
                    y[row] += v * x[col];
                    if (z)
                        z[row] += fabs(v * x[col]);
                    if (i == j)
                        continue;
                    const double t = q->upper ? q->upper[q->off[b] + c + a * k] : v;
                    y[col] += t * x[row];
                    if (z)
                        z[col] += fabs(t * x[row]);
                }
            }
        }
    }
}

/// max |b - A x| / (|A| |x| + |b|), the componentwise backward error (Oettli and Prager)
static inline double problem_backward_error(const problem* q, const double* x, const double* b)
{
    double* y = calloc((size_t)q->nrow * 2 + 1, sizeof(double));
    double* z = y + q->nrow;
    problem_multiply(q, x, y, z);
    double worst = 0.0;
    for (int32_t i = 0; i < q->nrow; i++) {
        const double e = fabs(b[i] - y[i]) / (z[i] + fabs(b[i]) + 1e-300);
        if (!(e <= worst))
            worst = e;
    }
    free(y);
    return worst;
}

static inline void random_vector(double* x, int32_t n, uint64_t seed)
{
    tl_rng r;
    tl_rng_seed(&r, seed);
    for (int32_t i = 0; i < n; i++)
        x[i] = tl_rng_normal(&r);
}
