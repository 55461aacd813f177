// SPDX-License-Identifier: MIT
// What this machine can do, measured in the run that compares with it, with the vector width of each
// instruction set:
//   peak   multiply-adds on registers without dependences, flops a second
//   triad  a = b + s c on arrays of a kernel's size, and on 64 MB, bytes a second
//   div, root   quotients and square roots a second: one slow unit that some kernels are short of
// A kernel's roof is the longest of flops/peak, bytes/triad and quotients/div + roots/sqrt.
#pragma once

#include "shim.h"

#include <stddef.h>

typedef struct limits {
    double peak, triad, triad_mem; // flops/s, bytes/s of arrays like the kernel's, bytes/s of memory
    double div, root;              // per second
} limits;

#define LIMIT_SETS 4

/// Instruction sets by the names of tl_kernels_by_name: ref, w2, avx2, avx512.
extern const char* const limit_isa[LIMIT_SETS];
/// All zero where this build has no loops for the set.
/// @param set   index into limit_isa; the CPU must have it   @param triad_doubles  length of the small triad's arrays
limits limits_measure(int set, int64_t triad_doubles);

/// What one iteration does, counted by hand from the reference loops.
typedef struct counts {
    double flops, divs, roots, bytes; // flops contain the other two
} counts;

/// Counters of a row, after the loop: flops, bytes, gflops, bound_flops, bound_bytes, bound_div and roof, the largest of
/// the three: 1 is the best the machine allows.
void roof_report(bm_state* s, const limits* m, const counts* c);

/// n zeroed doubles, aligned to 64 bytes; ends the program where there is no memory.
double* doubles(size_t n);
double uniform(uint64_t* s, double lo, double hi);
