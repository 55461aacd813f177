// SPDX-License-Identifier: MIT
// The block that all contacts of one pair of trees add to A = M + h J^T G J, for trees of six dofs (theory:
// src/README.md#linear-algebra): merged here, it is scattered into the matrix once.
//
//   C = sum over i in list of J_i^T (scale G_i) J_i
//
// With `full` G has its coupling column (xn, yn) and C is not symmetric; without, the column is left out:
// the symmetric A_s.
//
// All contacts of the list join the same a and b. C is column-major, nd x nd with nd = 12, a's dofs before
// b's, or 6 where b is the world. Without `full` the upper right block (rows of a, columns of b) is left as
// it was: it is the transpose of the lower left. G is indexed by contact: G[row * ld + list[place]], rows as
// in contact_force.h.
//
// Order of sums, the same in all forms and so with the same bits:
//   T_1 = (xx J_1 + xy J_2) + xn J_3,  T_2 = (xy J_1 + yy J_2) + yn J_3,  T_3 = nn J_3,  xx .. nn times scale
//   first C_rc += (J_1r T_1c + J_2r T_2c) + J_3r T_3c, contact after contact
// Error: (n + 7) ulp of the sum of absolute terms.
#pragma once

#include "../contact_force/contact_force.h"
#include "../jacobian_apply/jacobian_apply.h"

enum { TL_GRAM_SIZE = 144 };

/// @param list (n) contacts of one pair, n >= 1   @param C (144) out
typedef void tl_jacobian_gram_fn(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                                 const double* G, int64_t ld, int32_t full, double* C);

tl_jacobian_gram_fn tl_jacobian_gram_ref, tl_jacobian_gram_w2, tl_jacobian_gram_avx2, tl_jacobian_gram_avx512;
