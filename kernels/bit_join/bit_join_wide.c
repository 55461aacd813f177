// SPDX-License-Identifier: MIT
// Union of bit rows, a word at a time. What the instruction sets differ in is the count of a word: one
// instruction from avx2 on, a table before.
#include "bit_join.h"
#include "simd.h"

void TL_KERNEL(bit_join)(int32_t words, int32_t n, const int32_t* list, const uint64_t* pivot,
                         const uint64_t* alive, uint64_t* rows, int32_t* count)
{
    for (int32_t k = 0; k < n; k++) {
        uint64_t* row = rows + (int64_t)list[k] * words;
        int32_t bits = 0;
        for (int32_t w = 0; w < words; w++) {
            row[w] = (row[w] | pivot[w]) & alive[w];
            bits += __builtin_popcountll(row[w]);
        }
        count[k] = bits;
    }
}
