// SPDX-License-Identifier: MIT
// The two products of a Krylov basis (theory: src/README.md#linear-algebra):
//
//   vector_dots       out_c = x_c . y            for the columns x_c of X
//   vector_combine    y += sum_c a_c x_c         column after column, in this order
//
// Layout: X holds columns of length n, ldx apart; no alignment and no padding asked for. Sums run over 16
// partial sums (element i adds to sum i mod 16), which are added as a binary tree: the same bits on every
// instruction set. No aliasing. Error of a dot: (n/16 + 5) ulp of sum |x_i y_i|.
#pragma once

#include <stdint.h>

/// @param X (count columns of n, ldx apart)   @param y (n)   @param out (count)
typedef void tl_vector_dots_fn(int64_t n, int32_t count, const double* X, int64_t ldx, const double* y,
                               double* out);
/// @param a (count)   @param X (count columns of n, ldx apart)   @param y (n) in and out
typedef void tl_vector_combine_fn(int64_t n, int32_t count, const double* a, const double* X, int64_t ldx,
                                  double* y);

#define TL_DOT_SUMS 16 // partial sums of a dot product

/// The partial sums added as a tree: s[i] += s[i + 8], + 4, + 2, + 1.
static inline double tl_dot_tree(double* s)
{
    for (int32_t half = TL_DOT_SUMS / 2; half > 0; half /= 2)
        for (int32_t i = 0; i < half; i++)
            s[i] += s[i + half];
    return s[0];
}

tl_vector_dots_fn tl_vector_dots_ref, tl_vector_dots_w2, tl_vector_dots_avx2, tl_vector_dots_avx512;
tl_vector_combine_fn tl_vector_combine_ref, tl_vector_combine_w2, tl_vector_combine_avx2,
    tl_vector_combine_avx512;
