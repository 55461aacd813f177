// SPDX-License-Identifier: MIT
// An allocator that counts, and fails where it is told to, for tests and benchmarks; any thread may call it.
//
//   counted c = {.fail_at = -1};
//   def.allocator = counted_allocator(&c);
#pragma once

#include <stdatomic.h>
#include <talus/base.h>
#include <stdlib.h>
#include <string.h>

typedef struct counted {
    int64_t fail_at; // the call that returns NULL, from 0; < 0: none
    _Atomic int64_t calls;
    _Atomic int64_t live, bytes; // blocks and bytes not yet freed
    _Atomic int64_t most;        // bytes at one time
} counted;

enum { COUNTED_HEADER = 64 }; // a block's size stands before it; the alignments asked for divide this

static inline void* counted_alloc(void* user, size_t bytes, size_t align)
{
    counted* c = user;
    if (atomic_fetch_add(&c->calls, 1) == c->fail_at || align > COUNTED_HEADER)
        return NULL;
    char* p =
        aligned_alloc(COUNTED_HEADER, (bytes + 2 * COUNTED_HEADER - 1) / COUNTED_HEADER * COUNTED_HEADER);
    if (!p)
        return NULL;
    memcpy(p, &bytes, sizeof bytes);
    c->live++;
    const int64_t now = atomic_fetch_add(&c->bytes, (int64_t)bytes) + (int64_t)bytes;
    int64_t most = c->most;
    while (most < now && !atomic_compare_exchange_weak(&c->most, &most, now))
        ;
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
