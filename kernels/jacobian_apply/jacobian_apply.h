// SPDX-License-Identifier: MIT
// Products with the Jacobian of contacts between trees of six dofs, which is what free bodies are (theory:
// src/README.md#operators):
//
//   jacobian_apply   w_i = J_i v                        i = list[0], list[1], ...
//   jacobian_add     v += scale J_i^T f_i               contact after contact in this order
//   jacobian_gather  v += scale J^T f                   tree after tree, so that trees can be shared by threads
//
// With B_i = h M^-1 J_i^T stored like J_i the second one is also a sweep's response v += B_i df_i.
//
// Layout: contact i has its three rows t1, t2, n at rows + at[i], row-major; a row is tree a's six columns
// and, where b[i] >= 0, tree b's six columns after them:
//
//     | t1: a0 .. a5  b0 .. b5 | t2: a0 .. a5  b0 .. b5 | n: a0 .. a5  b0 .. b5 |
//
// Tree t's six velocities start at v[dof[t]]. No alignment is asked for; inputs and outputs do not alias.
//
// The order of sums is part of the contract, so that all forms give the same bits:
//   w = [ (p0 + p2) + p4 ] + [ (p1 + p3) + p5 ],  p_c = J_ac va_c (+ J_bc vb_c)
//   v_c += (J_1c g1 + J_2c g2) + J_3c g3,         g = scale f; nothing is added where g = 0
// jacobian_gather adds a tree's contacts in the order of their list: in contact order the bits of jacobian_add.
// Error of w: 7 ulp of sum |J||v|.
#pragma once

#include <stdint.h>

typedef struct tl_jacobian6 {
    const double* rows;
    const int64_t* at;    // (nc) where a contact's rows start
    const int32_t *a, *b; // (nc) trees; b = -1: the world
    const int32_t* dof;   // first dof of each tree
} tl_jacobian6;

/// @param list (n) contacts; -1: no contact, gives w = 0; NULL: 0 .. n-1   @param w (3 x n) out, row r at + r
/// * ld
typedef void tl_jacobian_apply_fn(int32_t n, const int32_t* list, const tl_jacobian6* J, const double* v,
                                  int64_t ld, double* w);
/// @param f (3 x n), place i belongs to list[i]; places with list -1 are passed over   @param v in/out
typedef void tl_jacobian_add_fn(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                                const double* f, int64_t ld, double* v);

/// v += scale J^T f on trees [begin, end): tree t adds the entries list[start[t] .. start[t + 1]), each
/// 2 contact + side, side 0: the contact's tree a is t, 1: its tree b.   @param f (3 x nc), row r at f + r * ld
typedef void tl_jacobian_gather_fn(int32_t begin, int32_t end, const int32_t* start, const int32_t* list,
                                   const tl_jacobian6* J, double scale, const double* f, int64_t ld,
                                   double* v);

tl_jacobian_apply_fn tl_jacobian_apply_ref, tl_jacobian_apply_w2, tl_jacobian_apply_avx2,
    tl_jacobian_apply_avx512;
tl_jacobian_add_fn tl_jacobian_add_ref, tl_jacobian_add_w2, tl_jacobian_add_avx2, tl_jacobian_add_avx512;
tl_jacobian_gather_fn tl_jacobian_gather_ref, tl_jacobian_gather_w2, tl_jacobian_gather_avx2,
    tl_jacobian_gather_avx512;
