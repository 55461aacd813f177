// SPDX-License-Identifier: MIT
// Union of bit rows, one bit at a time: the oracle of the wide forms.
#include "bit_join.h"

void tl_bit_join_ref(int32_t words, int32_t n, const int32_t* list, const uint64_t* pivot,
                     const uint64_t* alive, uint64_t* rows, int32_t* count)
{
    for (int32_t k = 0; k < n; k++) {
        uint64_t* row = rows + (int64_t)list[k] * words;
        count[k] = 0;
        for (int32_t b = 0; b < 64 * words; b++) {
            const uint64_t bit = (uint64_t)1 << b % 64;
            const int set = ((row[b / 64] & bit) || (pivot[b / 64] & bit)) && (alive[b / 64] & bit);
            row[b / 64] = set ? row[b / 64] | bit : row[b / 64] & ~bit;
            count[k] += set;
        }
    }
}
