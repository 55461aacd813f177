// SPDX-License-Identifier: MIT
// Scratch arena. One block, bumped:
//
//     base                 top                       size
//     |== in use ==========|........ free ...........|     and, when short, a list of fallback pieces
//
// tl_arena_reset frees the pieces and enlarges the block to the largest use seen, so steady use never
// allocates.
#include "base.h"

struct tl_arena_piece {
    struct tl_arena_piece* next;
    char pad[TL_ALIGN - sizeof(void*)];
};

void tl_arena_init(tl_arena* a, talus_context* ctx)
{
    *a = (tl_arena){.ctx = ctx};
}

static void free_pieces(tl_arena* a, const struct tl_arena_piece* until)
{
    while (a->fallback != until) {
        struct tl_arena_piece* next = a->fallback->next;
        tl_free(a->ctx, a->fallback);
        a->fallback = next;
    }
}

void tl_arena_fini(tl_arena* a)
{
    free_pieces(a, NULL);
    tl_free(a->ctx, a->base);
    *a = (tl_arena){.ctx = a->ctx};
}

talus_status tl_arena_reset(tl_arena* a)
{
    free_pieces(a, NULL);
    a->top = a->used = 0;
    if (a->high > a->size) {
        tl_free(a->ctx, a->base);
        a->size = 0;
        a->base = tl_alloc(a->ctx, a->high + a->high / 4);
        if (!a->base)
            return tl_nomem(a->ctx, a->high + a->high / 4);
        a->size = a->high + a->high / 4;
    }
    return TALUS_OK;
}

void* tl_arena_alloc(tl_arena* a, size_t bytes)
{
    const size_t n = (bytes + TL_ALIGN - 1) / TL_ALIGN * TL_ALIGN;
    a->used += n;
    a->high = TL_MAX(a->high, a->used);
    if (n <= a->size - a->top) {
        void* p = a->base + a->top;
        a->top += n;
        return p;
    }
    struct tl_arena_piece* piece = tl_alloc(a->ctx, sizeof *piece + n);
    if (!piece)
        return NULL;
    piece->next = a->fallback;
    a->fallback = piece;
    return piece + 1;
}

tl_arena_mark tl_arena_get_mark(const tl_arena* a)
{
    return (tl_arena_mark){.top = a->top, .used = a->used, .fallback = a->fallback};
}

void tl_arena_release(tl_arena* a, tl_arena_mark m)
{
    free_pieces(a, m.fallback);
    a->top = m.top;
    a->used = m.used;
}
