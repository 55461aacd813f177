// SPDX-License-Identifier: MIT
// Dense kernels of the sparse factorization, on panels stored in strips (theory:
// src/README.md#factorization).
//
// A panel of r rows and k columns is cut into strips of 8 rows; a strip holds its columns one after the
// other:
//
//     element (i, p) at  a[(i / 8) * stride + p * 8 + i % 8],   stride = 8 * (k rounded up to 8)
//
//     strip 0   | col 0: 8 doubles | col 1 | ... | col k-1 | zeros |      rows 0..7
//     strip 1   | ...                                             |      rows 8..15
//
// One strip is at once the left operand of a register tile (contiguous vectors down the rows) and the right
// one (8 scalars to broadcast), so products need no packing. Rows and columns are rounded up to 8 and filled
// with zeros, so no kernel has a masked tail. A column-major block with ld a multiple of 8 is the same layout
// with strips 8 apart and columns ld apart: kernels take both distances.
//
// All pointers are 64-byte aligned but where said; outputs do not alias inputs but where said. Kernels use
// fused multiply-adds: forms agree to a few ulp of sum |a||b|, not bit for bit.
#pragma once

#include <stdint.h>

enum { TL_SNODE_STRIP = 8, TL_SNODE_BLOCK = 24 };

/// Symmetric pivot block D (n <= 24, lower triangle read): D = L L^T, Z = L^-T. Z replaces D (upper
/// triangular, zeros below), zt gets Z by column strips: zt[(c / 8) * 192 + p * 8 + c % 8] = Z(p, c).
/// @return 0, or 1: a pivot is not positive and finite
typedef int32_t tl_snode_pivot_fn(int32_t n, double* d, int64_t stride, double* zt);

/// General pivot block D: lower triangle with the diagonal in d, transposed upper triangle in u. Rows are
/// exchanged inside the block where a pivot is below 0.01 of its column: P D = L U with L unit lower. Z =
/// U^-1 replaces d, zt as above; Y = P^T L^-T (full where rows moved) replaces u, yt in the same layout as
/// zt.
/// @return 0, or 1: a pivot is zero or not finite
typedef int32_t tl_snode_lu_fn(int32_t n, double* d, double* u, int64_t stride, double* zt, double* yt);

/// A := A Z in place on nstrip strips, Z of n columns from zt; full 0: Z is upper triangular.
typedef void tl_snode_scale_fn(int32_t nstrip, int32_t n, double* a, int64_t stride, const double* zt,
                               int32_t full);

/// C -= A B^T (set 0) or C = -A B^T (set 1) over `depth` columns, for column strips j < ncol of C (rows of B)
/// and row strips max(j, row0) <= i < nrow (rows of A). No entry depends on which others are asked for. Entries above the diagonal inside strip (j, j) are written too.
typedef void tl_snode_update_fn(int32_t row0, int32_t nrow, int32_t ncol, int32_t depth, const double* a,
                                const double* b, int64_t stride, double* c, int64_t c_strip, int64_t c_col,
                                int32_t set);

/// Rows of a contribution block that land in one strip of the parent: lanes [lo, hi) of strip `strip` receive
/// rows src + lo .. src + hi - 1 (src may be negative).
typedef struct tl_snode_piece {
    int32_t strip, src;
    uint8_t lo, hi, mask, unused;
} tl_snode_piece;

/// Add columns [c0, c1) of a contribution block (lower triangle, column-major, ld) to the parent: column c
/// goes to column col[c] - col0, piece q to strip q.strip - strip0. Entries above the diagonal may be added
/// too, to entries above the diagonal. 7 doubles before src and 7 after its end must be readable.
typedef void tl_snode_extend_fn(int32_t c0, int32_t c1, const double* src, int64_t ld, const int32_t* col,
                                int32_t col0, const tl_snode_piece* piece, int32_t npiece, int32_t strip0,
                                double* dst, int64_t d_strip, int64_t d_col);

/// y -= A x (set 0) or y = -A x (set 1) over n columns: nstrip strips of A, y (8 nstrip); x any alignment.
typedef void tl_snode_forward_fn(int32_t nstrip, int32_t n, const double* a, int64_t stride, const double* x,
                                 double* y, int32_t set);
/// x -= A^T y. Columns n up to the next multiple of 8 must be zero; those elements of x are read and written.
typedef void tl_snode_backward_fn(int32_t nstrip, int32_t n, const double* a, int64_t stride, const double* y,
                                  double* x);

/// The same two on entries rounded to single precision (a 32-byte aligned, stride in entries), sums in double: solves
/// that only precondition move half the bytes.
typedef void tl_snode_forward_single_fn(int32_t nstrip, int32_t n, const float* a, int64_t stride,
                                        const double* x, double* y, int32_t set);
typedef void tl_snode_backward_single_fn(int32_t nstrip, int32_t n, const float* a, int64_t stride,
                                         const double* y, double* x);
/// out := a rounded, n a multiple of 8. @return 0, or 1: an entry is not finite in single precision
typedef int32_t tl_snode_round_fn(int64_t n, const double* a, float* out);

/// Rows [at, at + n) of a vector; runs one after the other take the elements of another one in order.
typedef struct tl_snode_run {
    int32_t at, n;
} tl_snode_run;

/// t := the runs of b; and b += t on the runs. No alignment asked for, no row twice.
typedef void tl_snode_gather_fn(int32_t nrun, const tl_snode_run* run, const double* b, double* t);
typedef void tl_snode_scatter_fn(int32_t nrun, const tl_snode_run* run, const double* t, double* b);

typedef struct tl_snode_kernels {
    const char* isa;
    tl_snode_pivot_fn* pivot;
    tl_snode_lu_fn* lu;
    tl_snode_scale_fn* scale;
    tl_snode_update_fn* update;
    tl_snode_extend_fn* extend;
    tl_snode_forward_fn* forward;
    tl_snode_backward_fn* backward;
    tl_snode_forward_single_fn* forward_single;
    tl_snode_backward_single_fn* backward_single;
    tl_snode_round_fn* round;
    tl_snode_gather_fn* gather;
    tl_snode_scatter_fn* scatter;
} tl_snode_kernels;

/// The set of an instruction set ("ref", "w2", "avx2", "avx512"); "ref" where that was not built.
const tl_snode_kernels* tl_snode_by_name(const char* isa);

tl_snode_pivot_fn tl_snode_pivot_ref, tl_snode_pivot_w2, tl_snode_pivot_avx2, tl_snode_pivot_avx512;
tl_snode_lu_fn tl_snode_lu_ref, tl_snode_lu_w2, tl_snode_lu_avx2, tl_snode_lu_avx512;
tl_snode_scale_fn tl_snode_scale_ref, tl_snode_scale_w2, tl_snode_scale_avx2, tl_snode_scale_avx512;
tl_snode_update_fn tl_snode_update_ref, tl_snode_update_w2, tl_snode_update_avx2, tl_snode_update_avx512;
tl_snode_extend_fn tl_snode_extend_ref, tl_snode_extend_w2, tl_snode_extend_avx2, tl_snode_extend_avx512;
tl_snode_forward_fn tl_snode_forward_ref, tl_snode_forward_w2, tl_snode_forward_avx2, tl_snode_forward_avx512;
tl_snode_backward_fn tl_snode_backward_ref, tl_snode_backward_w2, tl_snode_backward_avx2,
    tl_snode_backward_avx512;
tl_snode_forward_single_fn tl_snode_forward_single_ref, tl_snode_forward_single_w2,
    tl_snode_forward_single_avx2, tl_snode_forward_single_avx512;
tl_snode_backward_single_fn tl_snode_backward_single_ref, tl_snode_backward_single_w2,
    tl_snode_backward_single_avx2, tl_snode_backward_single_avx512;
tl_snode_round_fn tl_snode_round_ref, tl_snode_round_w2, tl_snode_round_avx2, tl_snode_round_avx512;
tl_snode_gather_fn tl_snode_gather_ref, tl_snode_gather_w2, tl_snode_gather_avx2, tl_snode_gather_avx512;
tl_snode_scatter_fn tl_snode_scatter_ref, tl_snode_scatter_w2, tl_snode_scatter_avx2, tl_snode_scatter_avx512;
