// SPDX-License-Identifier: MIT
// The kernel table: pure functions on arrays, no allocation, no threads, no context, no failure. Each
// operation has its contract in kernels/OP/OP.h; tl_kernels_select() picks the widest set this CPU can run.
#pragma once

#include "bit_join/bit_join.h"
#include "boxes_overlap/boxes_overlap.h"
#include "contact_force/contact_force.h"
#include "contact_local/contact_local.h"
#include "dense_small/dense_small.h"
#include "gradient_apply/gradient_apply.h"
#include "jacobian_apply/jacobian_apply.h"
#include "jacobian_gram/jacobian_gram.h"
#include "jacobian_response/jacobian_response.h"
#include "leaf_boxes/leaf_boxes.h"
#include "mass_inverse/mass_inverse.h"
#include "tals_limit/tals_limit.h"
#include "tree_rows/tree_rows.h"
#include "tet_clip/tet_clip.h"
#include "vector_sums/vector_sums.h"

typedef struct tl_kernels {
    const char* isa; // "ref", "w2", "avx2", "avx512"
    tl_contact_force_fn* contact_force;
    tl_contact_local_fn* contact_local;
    tl_tals_limit_fn* tals_limit;
    tl_gradient_apply_fn* gradient_apply;
    tl_jacobian_apply_fn* jacobian_apply;
    tl_jacobian_add_fn* jacobian_add;
    tl_jacobian_gather_fn* jacobian_gather;
    tl_jacobian_gram_fn* jacobian_gram;
    tl_jacobian_response_fn* jacobian_response;
    tl_rows_apply_fn* rows_apply;
    tl_rows_add_fn* rows_add;
    tl_rows_gather_fn* rows_gather;
    tl_rows_response_fn* rows_response;
    tl_block_multiply_fn* block_multiply;
    tl_block_add_fn* block_add;
    tl_dense_factor_fn* dense_factor;
    tl_dense_solve_fn* dense_solve;
    tl_mass_inverse_fn* mass_inverse;
    tl_vector_dots_fn* vector_dots;
    tl_vector_combine_fn* vector_combine;
    tl_bit_join_fn* bit_join;
    tl_boxes_overlap_fn* boxes_overlap;
    tl_leaf_bounds_fn* leaf_bounds;
    tl_leaf_pairs_fn* leaf_pairs;
    tl_clip_meet_fn* clip_meet;
    tl_tet_clip_fn* tet_clip;
    tl_tet_fan_fn* tet_fan;
    tl_tet_section_fn* tet_section;
    tl_section_fan_fn* section_fan;
} tl_kernels;

/// The widest set, or the one named by the environment variable TALUS_ISA (a debugging aid).
const tl_kernels* tl_kernels_select(void);
/// A set by name; NULL when it was not built or this CPU lacks it.
const tl_kernels* tl_kernels_by_name(const char* isa);
