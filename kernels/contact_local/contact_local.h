// SPDX-License-Identifier: MIT
// One contact alone against its own diagonal response (theory: src/README.md#lifting, step 2):
// nu = w + hW (f(nu) - fl) with hW replaced by diag(Wt, Wt, Wn).
//
//   with h for h + tau: a = w_n - Wn fl_n;  y = a where pi(a) = 0, else y = 2 g / (q + sqrt(q^2 - 4 Wn k d h g)),
//   q = 1 + Wn k (d delta0 + h),  g = Wn k delta0 + a;   p = pi(y)
//   u = w_t - Wt fl_t, U = |u|, c = Wt mu p
//   sliding, U >= v_s + c:  factor (U - c)/U
//   quadratic: 2 / (B + sqrt(B^2 - 4 c U / v_s^2)), B = 1 + 2 c / v_s;   linear: 1 / (1 + c / v_s)
//   nu_t = factor u, nu_n = y
// Both discriminants are at least 1 where they are used, and evaluated without cancellation.
//
// With `bound` p is that normal force and nu_n follows from a normal force frozen at bound: y = a + Wn bound.
// Then f_n is bound as well, so that the equation on top holds for the pair (nu, f) handed out.
// (contact_force returns f_n = pi(v_n) in that case.)
//
// Layout and padding as in contact_force.h; Wt and Wn carry the factor h (m/s per N).
// Wide forms equal the reference bit for bit. Error of nu: a few ulp of |w| + W |fl|; f taken at nu inherits
// the slope 1 + W |df/dnu| of the equation.
#pragma once

#include "../contact_force/contact_force.h"

/// @param w (3 x n) velocities at the linearization  @param fl (3 x n) linearized forces  @param nu (3 x n)
/// out
/// @param f (3 x n) out: force at nu, or NULL
typedef void tl_contact_local_fn(int32_t n, int64_t ld, const tl_contact_params* p, const double* Wt,
                                 const double* Wn, const double* w, const double* fl, const double* bound,
                                 double* nu, double* f);

tl_contact_local_fn tl_contact_local_ref, tl_contact_local_w2, tl_contact_local_avx2, tl_contact_local_avx512;
