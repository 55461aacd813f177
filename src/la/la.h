// SPDX-License-Identifier: MIT
// Linear algebra on the graph of trees: a block matrix with one node per tree, symmetric pattern, symmetric
// (L L^T) or nonsymmetric (L U) values. Three phases, three calls: analyze (pattern), factor (values), solve.
// Guide: README.md in this folder.
#pragma once

#include "base.h"

/// Lower block pattern, column by column: column j holds block rows i >= j in idx[ptr[j] .. ptr[j+1]),
/// sorted, the diagonal first. Borrowed.
typedef struct tl_pattern {
    int32_t n;           // nodes
    const int32_t* size; // (n) rows of each node, >= 1
    const int32_t* ptr;  // (n + 1)
    const int32_t* idx;  // (ptr[n])
} tl_pattern;

/// Offset of every block in a value array, blocks in pattern order, block (i, j) is column-major size_i x
/// size_j.
/// @param off (ptr[n] + 1) out: off[b] is the first double of block b, off[ptr[n]] the total
void tl_pattern_offsets(const tl_pattern* p, int64_t* off);

/// Values on a pattern. lower: blocks (i, j), i >= j; diagonal blocks hold both triangles when `upper` is
/// given, else only their lower triangle is read. upper: NULL (symmetric matrix) or the blocks (j, i), i > j,
/// stored at the same offset, column-major size_j x size_i (its diagonal entries are not read).
/// parallel: the caller is no task itself, so the factorization may use the context's threads; same bits.
/// precondition: solves will be tl_backend.precondition.
typedef struct tl_values {
    const double* lower;
    const double* upper;
    bool parallel;
    bool precondition;
} tl_values;

typedef enum tl_order {
    TL_ORDER_AUTO, // FILL, METIS from 1500 nodes
    TL_ORDER_FILL, // least fill of each elimination
    TL_ORDER_AMD,
    TL_ORDER_METIS,
    TL_ORDER_NATURAL
} tl_order;
typedef enum tl_backend_kind {
    TL_BACKEND_OWN,
    TL_BACKEND_DENSE,
    TL_BACKEND_CHOLMOD,
    TL_BACKEND_UMFPACK
} tl_backend_kind;

/// A factorization with its workspaces; grows, never shrinks.
typedef struct tl_factor tl_factor;

typedef struct tl_factor_stats {
    double flops;     // of one numeric factorization
    int64_t nnz;      // stored entries of L (and U)
    int32_t entry;    // bytes of an entry that preconditioning reads
    int32_t nsuper;   // supernodes
    int32_t largest;  // rows of the largest front
    int32_t analyses; // symbolic analyses since creation: equal patterns are not analyzed again
} tl_factor_stats;

/// One linear-system backend.
typedef struct tl_backend {
    const char* name;
    bool nonsymmetric; // takes values with `upper`
    talus_status (*create)(talus_context* ctx, tl_factor** out);
    void (*destroy)(tl_factor* f);
    /// pattern and sizes are copied; a pattern equal to the last one is recognized and costs a comparison.
    /// @return OK, ERR_NOMEM (analyze again before factor)
    talus_status (*analyze)(tl_factor* f, const tl_pattern* p, tl_order order);
    /// @return OK, ERR_SINGULAR (a pivot that is not positive for symmetric values, zero or not finite;
    /// umfpack takes indefinite values),
    /// ERR_NOMEM. No message is sent for ERR_SINGULAR: the solver decides what it means.
    talus_status (*factor)(tl_factor* f, const tl_values* a);
    /// x in: right-hand side, out: solution, node order of the pattern. f is not changed but for its own
    /// scratch: one caller at a time. parallel: as in tl_values.
    void (*solve)(tl_factor* f, double* x, bool parallel);
    /// The same by a factor that may be rounded to single precision: a fixed linear map near the inverse, at half
    /// the memory traffic. NULL: use solve. As solve where the values did not ask for it.
    void (*precondition)(tl_factor* f, double* x, bool parallel);
    tl_factor_stats (*stats)(const tl_factor* f);
} tl_backend;

/// NULL when the backend was not built.
const tl_backend* tl_backend_get(tl_backend_kind kind);

// ---- small dense helpers on column-major blocks (la/dense.c)
// ------------------------------------------------------
/// Cholesky of the lower triangle in place. @return false: not positive definite or not finite
bool tl_dense_cholesky(double* a, int32_t n, int32_t lda);
/// The same bits for an n x n block, by the kernel where that is faster.
bool tl_dense_mass_factor(const struct tl_kernels* kernels, double* a, int32_t n);
/// L L^T x = b in place, nrhs columns.
void tl_dense_cholesky_solve(const double* l, int32_t n, int32_t lda, double* b, int32_t nrhs, int32_t ldb);
/// LU with partial pivoting in place. @return false: singular or not finite
bool tl_dense_lu(double* a, int32_t n, int32_t lda, int32_t* piv);
void tl_dense_lu_solve(const double* a, int32_t n, int32_t lda, const int32_t* piv, double* b, int32_t nrhs,
                       int32_t ldb);
