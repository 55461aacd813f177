// SPDX-License-Identifier: MIT
// An allocator that counts, and fails where it is told to:
//
//   counted c = {.fail_at = -1};
//   def.allocator = counted_allocator(&c);
#pragma once

#include <talus/base.h>
#include <stdlib.h>
#include <string.h>

typedef struct counted {
    int64_t calls, fail_at; // the call that returns NULL, from 0; < 0: none
    int64_t live, bytes;    // blocks and bytes not yet freed
} counted;

enum { COUNTED_HEADER = 64 }; // a block's size stands before it; the alignments asked for divide this

static inline void* counted_alloc(void* user, size_t bytes, size_t align)
{
    counted* c = user;
    if (c->calls++ == c->fail_at || align > COUNTED_HEADER)
        return NULL;
    char* p =
        aligned_alloc(COUNTED_HEADER, (bytes + 2 * COUNTED_HEADER - 1) / COUNTED_HEADER * COUNTED_HEADER);
    if (!p)
        return NULL;
    memcpy(p, &bytes, sizeof bytes);
    c->live++;
    c->bytes += (int64_t)bytes;
    return p + COUNTED_HEADER;
}

static inline void counted_free(void* user, void* q)
{
    counted* c = user;
    size_t bytes;
    if (!q)
        return;
    char* p = (char*)q - COUNTED_HEADER;
    memcpy(&bytes, p, sizeof bytes);
    c->live--;
    c->bytes -= (int64_t)bytes;
    free(p);
}

static inline talus_allocator counted_allocator(counted* c)
{
    return (talus_allocator){.alloc = counted_alloc, .free = counted_free, .user = c};
}
