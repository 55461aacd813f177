// SPDX-License-Identifier: MIT
// Pairs of oriented boxes that overlap (separating axes, Gottschalk et al. 1996), for the trees of pressure fields
// (src/patch/README.md#trees). A box depends on a pressure p: centre c + p cp, half sizes h + p hp. B stands in A's axes
// by x_A = R x_B + t. Boxes are taken `slack` apart as overlapping.
//
// Wide forms equal the reference exactly: the order of operations is the same.
#pragma once

#include <stdint.h>

/// 0: apart; else they overlap and the one to open is both, A, or B, neither being much larger: sums of squared half
/// sizes within a factor TL_BOXES_RATIO
enum { TL_BOXES_APART, TL_BOXES_OPEN_BOTH, TL_BOXES_OPEN_A, TL_BOXES_OPEN_B };
#define TL_BOXES_RATIO 4.0

/// Two lines of the cache; pad is finite.
typedef struct tl_box {
    double c[3], h[3], pad[2];
    double cp[3], hp[3], pad_p[2];
} tl_box;

typedef struct tl_boxes_placed {
    const tl_box *a, *b;
    double pa, pb;     // pressures the boxes are taken at
    double R[9], t[3]; // x_A = R x_B + t
    double slack;
} tl_boxes_placed;

/// @param pair (n x 2) box of A, box of B   @param found (n) out
typedef void tl_boxes_overlap_fn(int32_t n, const int32_t* pair, const tl_boxes_placed* w, uint8_t* found);

tl_boxes_overlap_fn tl_boxes_overlap_ref, tl_boxes_overlap_w2, tl_boxes_overlap_avx2, tl_boxes_overlap_avx512;
