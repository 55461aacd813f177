// SPDX-License-Identifier: MIT
// Cholesky of one small symmetric matrix and its solves: what islands of a few bodies factor with.
//
//   dense_factor   A = L L^T in place, lower triangle, column-major; the upper triangle is not touched
//   dense_solve    L L^T x = b in place
//
// The order of operations is part of the contract, so that all forms give the same bits: right-looking, column
// after column, with products by the reciprocal of the pivot. Backward, columns come in blocks of eight from the
// first one, the last block first. Rows below a block take part as dots of eight partial sums, eight rows at a time,
// the last rows first, added as in tree_rows.h; inside a block each unknown is taken from those before it.
#pragma once

#include "../tree_rows/tree_rows.h"

/// @param a (n columns, lda apart)   @return 0: some pivot is not positive or not finite
typedef int tl_dense_factor_fn(int32_t n, int64_t lda, double* a);
/// @param l as dense_factor leaves it   @param x (n)
typedef void tl_dense_solve_fn(int32_t n, int64_t lda, const double* l, double* x);

tl_dense_factor_fn tl_dense_factor_ref, tl_dense_factor_w2, tl_dense_factor_avx2, tl_dense_factor_avx512;
tl_dense_solve_fn tl_dense_solve_ref, tl_dense_solve_w2, tl_dense_solve_avx2, tl_dense_solve_avx512;
