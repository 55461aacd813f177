// SPDX-License-Identifier: MIT
// Contact problems as files, JSON or HDF5 (src/io/README.md#problem).
#pragma once

#include <talus/solver.h>
#include "base.h"

/// A problem read from a file; owns all arrays of the view.
typedef struct tl_problem_file {
    talus_problem_view view;
    int32_t nv; // sum of tree_nv
    tl_arena memory;
} tl_problem_file;

/// JSON, or HDF5 where the name ends in .h5 or .hdf5.
/// @return OK, ERR_IO, ERR_INPUT (file, array index and field), ERR_UNSUPPORTED (built without HDF5),
/// ERR_NOMEM;
///         on failure nothing is left to free
talus_status tl_problem_file_load(talus_context* ctx, const char* path, tl_problem_file* out);
void tl_problem_file_fini(tl_problem_file* p);

/// The same, both formats. @return OK, ERR_IO, ERR_NOMEM, ERR_UNSUPPORTED
talus_status tl_problem_file_save(talus_context* ctx, const char* path, const talus_problem_view* view);

bool tl_is_hdf5_name(const char* path);

// ---- between problem_file.c and the two formats -----------------------------------------------------------

/// What must be allocated, filled first by a reader.
typedef struct tl_problem_file_size {
    int64_t ntree, nc, nl, nf;
    int64_t nv, nM, nJ; // total lengths of v, M and J
    bool pair, f0, limit_f0, loss_f0;
} tl_problem_file_size;

/// Writable arrays of a problem; J, M as in talus_problem_view.
typedef struct tl_problem_file_arrays {
    int32_t *tree_nv, *tree_a, *tree_b, *limit_tree, *limit_dof, *loss_tree, *loss_dof;
    int64_t* pair;
    double *M, *v0, *v_star, *J, *delta0, *k, *d, *mu, *f0;
    double *limit_delta0, *limit_k, *limit_d, *limit_sign, *limit_f0, *loss_bound, *loss_f0;
} tl_problem_file_arrays;

/// Allocate zeroed arrays in p->memory and point p->view at them.
talus_status tl_problem_file_alloc(tl_problem_file* p, const tl_problem_file_size* size,
                                   tl_problem_file_arrays* arrays);
/// Ranges of indices and values, with the file's name. @return OK or ERR_INPUT
talus_status tl_problem_file_check(talus_context* ctx, const char* path, const tl_problem_file* p);

talus_status tl_problem_file_load_json(talus_context* ctx, const char* path, tl_problem_file* out);
talus_status tl_problem_file_save_json(talus_context* ctx, const char* path, const talus_problem_view* view);
talus_status tl_problem_file_load_hdf5(talus_context* ctx, const char* path, tl_problem_file* out);
talus_status tl_problem_file_save_hdf5(talus_context* ctx, const char* path, const talus_problem_view* view);
