// SPDX-License-Identifier: MIT
// Private to la: the backends and the copy of the pattern that each of them keeps.
#pragma once

#include "la.h"

/// An owned pattern with its block offsets and the first row of every node.
typedef struct tl_pattern_copy {
    int32_t n, nblock, nrow; // nodes, blocks, rows
    int32_t *size, *ptr, *idx;
    int64_t* off;   // (nblock + 1) first double of each block
    int32_t* row;   // (n + 1) first row of each node
    int64_t cap[5]; // elements of the five arrays above, in their order
    int32_t made;   // times a new pattern was taken, each followed by a symbolic analysis
    bool valid;
} tl_pattern_copy;

/// Copy p. @return OK, ERR_NOMEM (the copy is then not valid)
talus_status tl_pattern_copy_set(talus_context* ctx, tl_pattern_copy* c, const tl_pattern* p);
/// Whether the copy is valid and equals p.
bool tl_pattern_copy_is(const tl_pattern_copy* c, const tl_pattern* p);
void tl_pattern_copy_fini(talus_context* ctx, tl_pattern_copy* c);

extern const tl_backend tl_backend_own, tl_backend_dense;
#ifdef TALUS_HAVE_CHOLMOD
extern const tl_backend tl_backend_cholmod;
#endif
#ifdef TALUS_HAVE_UMFPACK
extern const tl_backend tl_backend_umfpack;
#endif
