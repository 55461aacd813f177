// SPDX-License-Identifier: MIT
// Inverse of one mass matrix: symmetric, positive definite, of six rows (free bodies) to some dozens (a humanoid).
//
// Gauss-Jordan on the lower triangle (the sweep operator). For k = 0 .. n-1, with v the column k (v_i = a_ki for i < k),
// d = 1 / a_kk and w_i = v_i d:
//
//     a_ij := a_ij - w_i v_j  for i >= j, both unlike k;      a_ik := w_i;      a_kk := -d
//
// leaves -A^-1. A pivot is what remains of the diagonal: positive where A is positive definite. That order of operations
// is part of the contract, so that all forms give the same bits.
#pragma once

#include <stdint.h>

/// @param m (n x n) column-major, lower triangle read   @param inv (n x n) out, both triangles; not m
/// @return 0: some pivot is not positive, not normal or not finite; inv is garbage
typedef int tl_mass_inverse_fn(int32_t n, const double* m, double* inv);

tl_mass_inverse_fn tl_mass_inverse_ref, tl_mass_inverse_w2, tl_mass_inverse_avx2, tl_mass_inverse_avx512;
