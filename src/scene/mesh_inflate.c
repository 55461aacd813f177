// SPDX-License-Identifier: MIT
// Blocks that zlib compressed (the only file that includes it).
#include "mesh_file.h"

#if defined(TALUS_HAVE_ZLIB)
#include <zlib.h>

bool tl_inflate(const void* data, size_t bytes, void* out, size_t want)
{
    uLongf got = (uLongf)want;
    return uncompress(out, &got, data, (uLong)bytes) == Z_OK && got == want;
}

bool tl_can_inflate(void)
{
    return true;
}
#else
bool tl_inflate(const void* data, size_t bytes, void* out, size_t want)
{
    (void)data, (void)bytes, (void)out, (void)want;
    return false;
}

bool tl_can_inflate(void)
{
    return false;
}
#endif
