// SPDX-License-Identifier: MIT
// Products with Jacobians, mobilities and mass blocks of trees of any size (theory: src/README.md#operators);
// free bodies have their own, jacobian_apply.h and jacobian_response.h.
//
//   rows_apply      w_i = J_i v                          i = list[0], list[1], ...
//   rows_add        v += scale J_i^T f_i                 contact after contact in this order
//   rows_gather     v += scale J^T f                     tree after tree, as jacobian_gather
//   rows_response   B_i = h M^-1 J_i^T, Wt, Wn           as jacobian_response.h
//   block_multiply  y_t = A_t x_t for every tree, A_t symmetric
//   block_add       C += X^T T, one contact's part of a block of J^T G J
//
// Layout as in jacobian_apply.h with n_a and n_b columns instead of six; tree t has the dofs dof[t] ..
// dof[t + 1] - 1. No alignment is asked for; inputs and outputs do not alias.
//
// The order of sums is part of the contract, so that all forms give the same bits:
//   dot (a row with a vector): eight partial sums, column c of its tree adds to sum c mod 8, tree a's columns
//     before tree b's; then s_l += s_l+4, s_l += s_l+2, s_0 + s_1
//   v_c += (J_1c g1 + J_2c g2) + J_3c g3, g = scale f; nothing is added where g = 0
//   columns of M^-1 and A: from the first to the last
//   c_ij += (X_1i t_1j + X_2i t_2j) + X_3i t_3j; nothing is added to column j where t_j = 0
// Error of a dot: (n/8 + 4) ulp of sum |J||v|.
#pragma once

#include <stdint.h>

typedef struct tl_tree_rows {
    const double* rows;
    const int64_t* at;    // (nc) where a contact's rows start
    const int32_t *a, *b; // (nc) trees; b = -1: one tree
    const int32_t* dof;   // (ntree + 1)
} tl_tree_rows;

/// @param list (n) contacts; -1: no contact, gives w = 0; NULL: 0 .. n-1   @param w (3 x n) out, row r at r ld
typedef void tl_rows_apply_fn(int32_t n, const int32_t* list, const tl_tree_rows* J, const double* v,
                              int64_t ld, double* w);
/// @param f (3 x n), place i belongs to list[i]; places with list -1 are passed over   @param v in/out
typedef void tl_rows_add_fn(int32_t n, const int32_t* list, const tl_tree_rows* J, double scale,
                            const double* f, int64_t ld, double* v);
/// Trees [begin, end) and their entries, as tl_jacobian_gather_fn.
typedef void tl_rows_gather_fn(int32_t begin, int32_t end, const int32_t* start, const int32_t* list,
                               const tl_tree_rows* J, double scale, const double* f, int64_t ld, double* v);
/// @param Minv one block for each tree   @param B out, where J->at says   @param Wt, Wn (n) out
typedef void tl_rows_response_fn(int32_t n, const tl_tree_rows* J, const double* const* Minv, double h,
                                 double* B, double* Wt, double* Wn);
/// @param A (ntree) column-major blocks   @param x, y (dof[ntree])
typedef void tl_block_multiply_fn(int32_t ntree, const int32_t* dof, const double* const* A, const double* x,
                                  double* y);

/// @param X (3 x m), T (3 x n) row-major, rows `stride` apart   @param lower only entries i >= j
/// @param C (m x n) column-major, in/out
typedef void tl_block_add_fn(int32_t m, int32_t n, const double* X, const double* T, int64_t stride,
                             int lower, double* C);

#define TL_ROW_SUMS 8 // partial sums of a dot

/// s_l += s_l+4, s_l += s_l+2, s_0 + s_1
static inline double tl_row_tree(double* s)
{
    for (int32_t half = TL_ROW_SUMS / 2; half > 0; half /= 2)
        for (int32_t l = 0; l < half; l++)
            s[l] += s[l + half];
    return s[0];
}

tl_rows_apply_fn tl_rows_apply_ref, tl_rows_apply_w2, tl_rows_apply_avx2, tl_rows_apply_avx512;
tl_rows_add_fn tl_rows_add_ref, tl_rows_add_w2, tl_rows_add_avx2, tl_rows_add_avx512;
tl_rows_gather_fn tl_rows_gather_ref, tl_rows_gather_w2, tl_rows_gather_avx2, tl_rows_gather_avx512;
tl_rows_response_fn tl_rows_response_ref, tl_rows_response_w2, tl_rows_response_avx2, tl_rows_response_avx512;
tl_block_multiply_fn tl_block_multiply_ref, tl_block_multiply_w2, tl_block_multiply_avx2,
    tl_block_multiply_avx512;
tl_block_add_fn tl_block_add_ref, tl_block_add_w2, tl_block_add_avx2, tl_block_add_avx512;
