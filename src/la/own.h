// SPDX-License-Identifier: MIT
// Private to the own backend: the factor object shared by ordering, symbolic analysis, numeric factor and
// solve.
#pragma once

#include <stdatomic.h>

#include "factor.h"
#include "snode_update/snode_update.h"

enum {
    TL_STRIP = TL_SNODE_STRIP,
    TL_BLOCK = TL_SNODE_BLOCK,
    TL_OUTER = 4 * TL_SNODE_BLOCK,
    TL_SLICE = 6 // strips of a slice of rows
};

/// Undirected graph of the nodes, no self edges: neighbours of j are adj[ptr[j] .. ptr[j+1]).
typedef struct tl_graph {
    int32_t n;
    const int32_t* size; // rows of each node
    int32_t* ptr;        // (n + 1)
    int32_t* adj;
    int32_t* block; // pattern block of each neighbour: (max, min) of the pair
} tl_graph;

/// One supernode: k pivot rows and m rows below them, both rounded up to strips in kp and mp.
typedef struct tl_super {
    int32_t first;   // first pivot, a permuted row
    int32_t at;      // its place in its vector of solves, where every supernode has kp rows
    int32_t k, m;    // pivots, rows below
    int32_t kp, mp;  // rounded up to 8
    int32_t parent;  // -1: a root
    int32_t child;   // first child, -1: a leaf; children in the order of elimination
    int32_t sibling; // next child of the same parent, -1: the last
    int32_t depth;   // of the tree: its parity names the stack of the contribution block
    int32_t below;   // nodes below
    int32_t npivot;  // rows of the contribution block that are pivots of the parent
    int64_t panel;   // first double of the panel, (kp + mp) x kp in strips
    int64_t cb;      // first double of the contribution block, mp x mp
    int64_t row;     // first of m entries in colmap
    int64_t run;     // first run of the rows below in the vector of solves
    int32_t nrun;
    int64_t piece; // first piece of the extend-add to the parent
    int32_t npiece;
    int32_t nblock; // blocks of the matrix in the pivot columns
    int64_t block;  // first of them
    int32_t task;   // that it belongs to, -1: none
    bool large;     // worth to be cut into slices of rows
} tl_super;

/// A subtree that is a task: supernodes [begin, end). Its vector of solves has the `own` places of its
/// supernodes and then those of the supernodes in no task, where it writes what it adds to them.
typedef struct tl_task {
    int32_t begin, end;
    int32_t own;
    int64_t vector; // first double of it in the work array
    int32_t bad;    // out: a pivot failed
} tl_task;

/// One block of the matrix and its place in a panel: rows x cols at (row, col) of the panel.
typedef struct tl_scatter {
    int64_t off;        // first double of the values
    int32_t row, col;   // row counts the rounded-up pivots
    int32_t rows, cols; // of the panel, not of the stored block
    int32_t kind;       // TL_SCATTER_*
} tl_scatter;

enum { TL_SCATTER_DIAGONAL, TL_SCATTER_STRAIGHT, TL_SCATTER_TRANSPOSED };

typedef struct tl_symbolic {
    int32_t nsuper, nrow;
    int32_t ncommon; // places of supernodes in no task: their vector of solves comes first in the work array
    int64_t work;    // doubles of it
    tl_super* super;
    bool shared; // large enough for tasks and slices
    int32_t ntask;
    tl_task* task;
    int32_t* turn;   // (ntask) tasks in the order they are handed out: both halves have about the same work
    int32_t* perm;   // (n) node eliminated at each position
    int32_t* row_of; // (nrow) row of the pattern that stands at a permuted row
    int32_t* colmap; // their row in the parent's panel, pivots rounded up
    tl_snode_piece* piece;
    tl_snode_run* run;
    tl_scatter* scatter;
    int64_t panel_size, cb_size; // doubles of all panels, of the contribution stacks
    int32_t largest_panel;       // rows kp + mp of the tallest panel
    tl_factor_stats stats;       // of the symmetric factorization
} tl_symbolic;

struct tl_factor {
    talus_context* ctx;
    const tl_snode_kernels* kernels;
    tl_pattern_copy pattern;
    tl_order order; // that `sym` was made with
    tl_arena keep, scratch;
    tl_symbolic sym;
    // panels and contribution blocks: [0] lower, [1] transposed upper (values with `upper` only)
    double* panel[2];
    double* cb[2];
    int64_t panel_cap[2], cb_cap[2];
    double* work; // solve: permuted right-hand sides of common supernodes and of each task, local vectors
    int64_t work_cap;
    bool lu, ready;
    // the lower panels in single precision, for preconditioning; not when an entry is beyond its range
    float* single;
    int64_t single_cap;
    bool rounded;
    atomic_bool beyond;
};

/// Elimination order of g: perm[position] = node. scratch is used and given back.
talus_status tl_order_graph(talus_context* ctx, tl_arena* scratch, const tl_graph* g, tl_order order,
                            int32_t* perm);
#ifdef TALUS_HAVE_METIS
/// Nested dissection; @return OK, ERR_NOMEM, ERR_UNSUPPORTED (METIS refused: use another order)
talus_status tl_order_metis(talus_context* ctx, tl_arena* scratch, const tl_graph* g, int32_t* perm);
#endif

/// Elimination tree and supernodes of g under perm: f->sym without the assembly lists.
talus_status tl_symbolic_supernodes(tl_factor* f, const tl_graph* g);
/// Scatter lists, extend-add pieces, storage offsets.
talus_status tl_symbolic_assembly(tl_factor* f, const tl_graph* g);

talus_status tl_numeric_factor(tl_factor* f, const tl_values* a);
void tl_numeric_solve(tl_factor* f, double* x, bool parallel);
void tl_numeric_precondition(tl_factor* f, double* x, bool parallel);
