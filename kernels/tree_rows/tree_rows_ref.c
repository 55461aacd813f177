// SPDX-License-Identifier: MIT
// Products for trees of any size, scalar: the oracle of the wide forms.
#include "tree_rows.h"

static void add_dot(int32_t n, const double* x, const double* y, double s[TL_ROW_SUMS])
{
    for (int32_t c = 0; c < n; c++)
        s[c % TL_ROW_SUMS] += x[c] * y[c];
}

static int32_t size(const tl_tree_rows* J, int32_t t)
{
    return t < 0 ? 0 : J->dof[t + 1] - J->dof[t];
}

void tl_rows_apply_ref(int32_t n, const int32_t* list, const tl_tree_rows* J, const double* v, int64_t ld,
                       double* w)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        for (int r = 0; r < 3; r++) {
            double s[TL_ROW_SUMS] = {0};
            if (i >= 0) {
                const int32_t a = J->a[i], b = J->b[i], na = size(J, a), nb = size(J, b);
                const double* row = J->rows + J->at[i] + r * (na + nb);
                add_dot(na, row, v + J->dof[a], s);
                if (b >= 0)
                    add_dot(nb, row + na, v + J->dof[b], s);
            }
            w[r * ld + place] = tl_row_tree(s);
        }
    }
}

void tl_rows_add_ref(int32_t n, const int32_t* list, const tl_tree_rows* J, double scale, const double* f,
                     int64_t ld, double* v)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        const double g[3] = {scale * f[place], scale * f[ld + place], scale * f[2 * ld + place]};
        if (i < 0 || (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0))
            continue;
        const int32_t tree[2] = {J->a[i], J->b[i]}, row = size(J, tree[0]) + size(J, tree[1]);
        const double* x = J->rows + J->at[i];
        for (int side = 0; side < 2; side++)
            for (int32_t c = 0; c < size(J, tree[side]); c++, x++)
                v[J->dof[tree[side]] + c] += (x[0] * g[0] + x[row] * g[1]) + x[2 * row] * g[2];
    }
}

void tl_rows_gather_ref(int32_t begin, int32_t end, const int32_t* start, const int32_t* list,
                        const tl_tree_rows* J, double scale, const double* f, int64_t ld, double* v)
{
    for (int32_t t = begin; t < end; t++)
        for (int32_t e = start[t]; e < start[t + 1]; e++) {
            const int32_t i = list[e] / 2, na = size(J, J->a[i]), row = na + size(J, J->b[i]);
            const double g[3] = {scale * f[i], scale * f[ld + i], scale * f[2 * ld + i]};
            const double* x = J->rows + J->at[i] + (list[e] % 2 ? na : 0);
            if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0)
                continue;
            for (int32_t c = 0; c < size(J, t); c++, x++)
                v[J->dof[t] + c] += (x[0] * g[0] + x[row] * g[1]) + x[2 * row] * g[2];
        }
}

static void respond(int32_t n, const double* Minv, double h, const double* J, double* B,
                    double s[TL_ROW_SUMS])
{
    for (int32_t r = 0; r < n; r++) {
        B[r] = 0.0;
        for (int32_t c = 0; c < n; c++)
            B[r] += Minv[(int64_t)n * c + r] * (h * J[c]);
    }
    add_dot(n, J, B, s);
}

void tl_rows_response_ref(int32_t n, const tl_tree_rows* J, const double* const* Minv, double h, double* B,
                          double* Wt, double* Wn)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = J->a[i], b = J->b[i], na = size(J, a), nb = size(J, b);
        double W[3];
        for (int r = 0; r < 3; r++) {
            const int64_t at = J->at[i] + r * (na + nb);
            double s[TL_ROW_SUMS] = {0};
            respond(na, Minv[a], h, J->rows + at, B + at, s);
            if (b >= 0)
                respond(nb, Minv[b], h, J->rows + at + na, B + at + na, s);
            W[r] = tl_row_tree(s);
        }
        Wt[i] = 0.5 * (W[0] + W[1]);
        Wn[i] = W[2];
    }
}

void tl_block_multiply_ref(int32_t ntree, const int32_t* dof, const double* const* A, const double* x,
                           double* y)
{
    for (int32_t t = 0; t < ntree; t++) {
        const int32_t n = dof[t + 1] - dof[t];
        for (int32_t i = 0; i < n; i++) {
            double s = 0.0;
            for (int32_t j = 0; j < n; j++)
                s += A[t][(int64_t)n * j + i] * x[dof[t] + j];
            y[dof[t] + i] = s;
        }
    }
}

void tl_block_add_ref(int32_t m, int32_t n, const double* X, const double* T, int64_t stride, int lower,
                      double* C)
{
    for (int32_t j = 0; j < n; j++) {
        const double t0 = T[j], t1 = T[stride + j], t2 = T[2 * stride + j];
        if (t0 == 0.0 && t1 == 0.0 && t2 == 0.0)
            continue;
        for (int32_t i = lower ? j : 0; i < m; i++)
            C[(int64_t)m * j + i] += (X[i] * t0 + X[stride + i] * t1) + X[2 * stride + i] * t2;
    }
}
