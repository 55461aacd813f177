// SPDX-License-Identifier: MIT
// The transition-aware step length of each contact (theory: src/README.md#tals; Castro et al. 2020,
// Sec. III-B), from tangential velocity v and its Newton change dv:
//   - both ends outside the stiction disc, segment passes through it at 0 < a < 1: alpha = closest point to
//     the origin; if that is within eps of the origin, stop v_s/2 short
//   - start within eps of rest, end sliding: alpha = (v_s/2)/|dv|; start sliding, end within eps of rest:
//     alpha = 1 - (v_s/2)/|dv|
//   - both outside, turning by more than theta_max: smallest positive root of
//     |v|^2 |v + a dv|^2 cos^2(theta_max) = (v . (v + a dv))^2
//   - otherwise 1 (also where |dv| < eps).   eps = 1e-2 v_s
// theta_max is in (0, pi/2]: then that root is |v|^2 sin / (|v x dv| cos - (v . dv) sin).
//
// Wide forms equal the reference bit for bit. Layout as in contact_force.h; padding lanes have v = dv = 0
// and v_s = 1 and give 1.
#pragma once

#include <stdint.h>

/// @param v, dv (2 x n), row c at + c * ld   @param v_s (n)   @param alpha (n) out, in (0, 1]
typedef void tl_tals_limit_fn(int32_t n, int64_t ld, const double* v, const double* dv, const double* v_s,
                              double theta_max, double* alpha);

tl_tals_limit_fn tl_tals_limit_ref, tl_tals_limit_w2, tl_tals_limit_avx2, tl_tals_limit_avx512;
