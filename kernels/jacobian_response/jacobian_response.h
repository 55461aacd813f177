// SPDX-License-Identifier: MIT
// How trees of six dofs answer a contact's force, and the diagonal of the Delassus operator (theory:
// src/README.md#lifting, step 0):
//
//   B_i = h M^-1 J_i^T     stored like J_i: the rows t1, t2, n of jacobian_apply.h
//   W_i = h diag(J_i M^-1 J_i^T),   Wt = (W_1 + W_2) / 2,   Wn = W_3
//
// The order of sums is part of the contract, so that all forms give the same bits, for each tree of a row:
//   B_r = ((((m_0r x_0 + m_1r x_1) + m_2r x_2) + ...) + m_5r x_5,   x = h J
//   W   = [ (p0 + p2) + p4 ] + [ (p1 + p3) + p5 ],                  p_c = J_ac B_ac (+ J_bc B_bc)
// Inputs and outputs do not alias. Error of B: 7 ulp of sum |M^-1||x|.
#pragma once

#include "../jacobian_apply/jacobian_apply.h"

/// @param Minv one 6 x 6 block for each tree   @param B out, where J->at says   @param Wt, Wn (n) out
typedef void tl_jacobian_response_fn(int32_t n, const tl_jacobian6* J, const double* const* Minv, double h,
                                     double* B, double* Wt, double* Wn);

tl_jacobian_response_fn tl_jacobian_response_ref, tl_jacobian_response_w2, tl_jacobian_response_avx2,
    tl_jacobian_response_avx512;
