// SPDX-License-Identifier: MIT
// Boxes of single elements of pressure fields, eight at a time, and which of them overlap: the last step of the trees
// (src/patch/README.md#trees).
//
// A point of an element with corners x_i at pressures p_i is x = sum w_i x_i; that it has at most the pressure p means
// sum w_i p_i <= p. With lo the least coordinate of the corners up to p,
//
//     x >= lo + min(0, min over the others of (x_i - lo) p / p_i)
//
// which is exact where the corners up to p are on the surface. The box is taken in two frames, the axes of A and those
// of B: two elements are apart where they are in either.
#pragma once

#include "tet_clip/tet_clip.h"

#include <stdint.h>

#define TL_LEAF 8 // elements of a leaf

/// Frame 0: A's axes, 1: B's. Lanes without an element, or whose element has no point up to the pressure, are empty
/// (lo > hi): they overlap nothing.
typedef struct tl_leaf_box {
    double lo[2][3][TL_LEAF], hi[2][3][TL_LEAF];
} tl_leaf_box;

typedef struct tl_leaf_placed {
    double R[9], t[3]; // the other frame: y = R x + t
    double pressure;
    double slack; // boxes grow by this
    int32_t own;  // the frame of the elements' own axes, 0 or 1
} tl_leaf_placed;

/// @param n elements e[0 .. n-1], 1 to TL_LEAF
typedef void tl_leaf_bounds_fn(int32_t n, const tl_clip_element* e, const tl_leaf_placed* w,
                               tl_leaf_box* out);
/// @return bit TL_LEAF i + j is set where element i of a and j of b overlap in both frames
typedef uint64_t tl_leaf_pairs_fn(const tl_leaf_box* a, const tl_leaf_box* b);

tl_leaf_bounds_fn tl_leaf_bounds_ref, tl_leaf_bounds_w2, tl_leaf_bounds_avx2, tl_leaf_bounds_avx512;
tl_leaf_pairs_fn tl_leaf_pairs_ref, tl_leaf_pairs_w2, tl_leaf_pairs_avx2, tl_leaf_pairs_avx512;
