// SPDX-License-Identifier: MIT
// Private to solver/: the solver object, its kept factors, and the gathering of a problem view into islands.
#pragma once

#include "island.h"

/// A factor kept from step to step for the island whose smallest tree is the slot's index.
struct tl_slot {
    tl_factor* factor[2]; // by use: [0] dense, [1] own, cholmod
    const tl_backend* backend[2];
    int32_t current; // which of the two holds the last factorization, -1: none
    bool full;       // it is an LU of the whole A
    int32_t* tree;   // trees it was made for
    int64_t tree_cap;
    int32_t ntree;
};

struct talus_solver {
    talus_context* ctx;
    talus_solver_options opt;
    tl_arena arena; // this step's islands
    tl_slot* slot;  // (nslot), indexed by tree
    int64_t nslot;
};

/// How trees are grouped.
typedef enum tl_grouping {
    TL_GROUP_ISLANDS, // connected components
    TL_GROUP_ONE,     // all trees in contact together (the paper's global step length)
    TL_GROUP_ALL      // all trees, with or without contact
} tl_grouping;

/// Islands that one thread solves one after the other.
typedef struct tl_task {
    int32_t n;
    tl_island** list;
    tl_arena work; // of what they do together
} tl_task;

typedef struct tl_islands {
    int32_t n;
    tl_island* island;
    int64_t* gdof;     // (ntree + 1) first dof of each tree
    int32_t ncontacts; // taking part
    int32_t ntask;
    tl_task* task;
    bool alone; // the first task is one large island: its linear algebra may use the threads
} tl_islands;

/// problem.c: sizes, signs, finite values; messages name field and index.
talus_status tl_problem_check(talus_context* ctx, const talus_problem_view* p);
/// gather.c: islands with all their arrays in s->arena.
talus_status tl_islands_make(talus_solver* s, const talus_problem_view* p, tl_grouping grouping,
                             tl_islands* out);
