// SPDX-License-Identifier: MIT
// g = G w, contact by contact: the middle factor of A x = M x + h J^T G J x (theory:
// src/README.md#operators).
//
//   [ g_x ]   [ xx xy xn ] [ w_x ]
//   [ g_y ] = [ xy yy yn ] [ w_y ]        G as contact_force.h hands it out; sums from left to right
//   [ g_n ]   [ 0  0  nn ] [ w_n ]
//
// With `base` the result is base - G (w - w0), the force linearized at w0: the lifted forces and right sides.
//
// Layout as in contact_force.h: n a multiple of 8, rows ld apart; padding lanes with G = w = 0 give 0. g may
// be w itself; else no aliasing. Wide forms equal the reference bit for bit. Error: 3 ulp of sum |G||w|.
#pragma once

#include "../contact_force/contact_force.h"

/// @param G (6 x n)   @param w (3 x n)   @param base, w0 (3 x n), both or neither NULL   @param g (3 x n) out
typedef void tl_gradient_apply_fn(int32_t n, int64_t ld, const double* G, const double* w, const double* base,
                                  const double* w0, double* g);

tl_gradient_apply_fn tl_gradient_apply_ref, tl_gradient_apply_w2, tl_gradient_apply_avx2,
    tl_gradient_apply_avx512;
