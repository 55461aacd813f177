// SPDX-License-Identifier: MIT
// Contact force and its gradient, contact by contact (theory: src/README.md#contact-law).
//
//   pi   = k (1 - d v_n)+ (delta0 - (h + tau) v_n)+    f_n = pi
//          Hunt-Crossley: tau = 0; linear dissipation, (k (delta0 - h v_n) - c v_n)+: d = 0, tau = c/k
//   f_t  = -(mu~(s)/s) pi v_t,  s = |v_t|,  x = s/v_s
//   quadratic: mu~ = mu x (2 - x) where x < 1, else mu;   linear: mu~ = mu min(x, 1)
//   G    = -df/dv_c = [ Gtt (sym 2x2) | g_tn ]         Gtt = pi [ mu~' P + (mu~/s) P_perp ]
//                     [ 0      0      | g_nn ]         g_tn = mu~ vhat pi',  g_nn = -pi'
//
// With `bound` the friction uses that normal force instead of pi (f_n stays pi) and has no coupling column:
// one-way, lagged. With `secant` Gtt = bound (mu~/s) I, the majorizing stiffness.
//
// Layout: structure of arrays, n a multiple of 8, 64-byte aligned, no aliasing. Padding lanes have k = 0,
// mu = 0, v_s = 1 and yield exact zeros whatever else they hold. At s = 0: vhat = 0, Gtt = pi mu~'(0) I.
//
// Wide forms equal the reference bit for bit (no contraction). Error: a few ulp of the terms, where a term
// of (1 - d v_n) is |d v_n| and one of (delta0 - h v_n) is |(h + tau) v_n|. Any of f or G may be NULL.
#pragma once

#include <stdint.h>

typedef struct tl_contact_params {
    const double* k;      // N/m
    const double* d;      // s/m
    const double* mu;     // -
    const double* delta0; // m
    const double* v_s;    // m/s
    const double* tau;    // s, or NULL: 0
    double h;             // s
    int32_t linear;       // friction law: 0 quadratic, 1 linear
} tl_contact_params;

// rows of G in the order xx, xy, yy, xn, yn, nn: G[c * ld + i]
enum { TL_G_XX, TL_G_XY, TL_G_YY, TL_G_XN, TL_G_YN, TL_G_NN, TL_G_ROWS };

/// @param v  (3 x n) contact velocities, row c at v + c * ld  (t1, t2, n)
/// @param bound  (n) or NULL   @param f (3 x n) out   @param G (6 x n) out
typedef void tl_contact_force_fn(int32_t n, int64_t ld, const tl_contact_params* p, const double* v,
                                 const double* bound, int32_t secant, double* f, double* G);

tl_contact_force_fn tl_contact_force_ref, tl_contact_force_w2, tl_contact_force_avx2, tl_contact_force_avx512;
