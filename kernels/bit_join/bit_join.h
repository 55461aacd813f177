// SPDX-License-Identifier: MIT
// One elimination of a graph kept as rows of bits (la/order.c): the neighbours of the eliminated node become
// a clique.
//
//   row_i := (row_i | pivot) & alive,   count_i = bits set in row_i       for every i of a list
//
// Layout: row i is words [i words, (i + 1) words) of `rows`. `pivot` may be a row that the list leaves out.
// Whole numbers: the same on every instruction set.
#pragma once

#include <stdint.h>

/// @param list (n) rows to change   @param pivot, alive (words)   @param count (n) out
typedef void tl_bit_join_fn(int32_t words, int32_t n, const int32_t* list, const uint64_t* pivot,
                            const uint64_t* alive, uint64_t* rows, int32_t* count);

tl_bit_join_fn tl_bit_join_ref, tl_bit_join_w2, tl_bit_join_avx2, tl_bit_join_avx512;
