// SPDX-License-Identifier: MIT
// Block patterns: offsets of the blocks in a value array, the owned copy of a pattern, and the table of
// backends. A pattern is compared before it is copied: between steps it is often the same, and then analysis
// is skipped.
#include "factor.h"

void tl_pattern_offsets(const tl_pattern* p, int64_t* off)
{
    int64_t at = 0;
    for (int32_t j = 0; j < p->n; j++) {
        for (int32_t b = p->ptr[j]; b < p->ptr[j + 1]; b++) {
            off[b] = at;
            at += (int64_t)p->size[p->idx[b]] * p->size[j];
        }
    }
    off[p->n > 0 ? p->ptr[p->n] : 0] = at;
}

bool tl_pattern_copy_is(const tl_pattern_copy* c, const tl_pattern* p)
{
    if (!c->valid || c->n != p->n)
        return false;
    if (p->n == 0)
        return true;
    const size_t word = sizeof(int32_t);
    return memcmp(c->size, p->size, (size_t)p->n * word) == 0 &&
           memcmp(c->ptr, p->ptr, (size_t)(p->n + 1) * word) == 0 &&
           memcmp(c->idx, p->idx, (size_t)c->nblock * word) == 0;
}

talus_status tl_pattern_copy_set(talus_context* ctx, tl_pattern_copy* c, const tl_pattern* p)
{
    const int32_t n = p->n, nblock = n > 0 ? p->ptr[n] : 0;
    c->valid = false;
    TL_TRY(TL_GROW(ctx, c->size, c->cap[0], 0, n));
    TL_TRY(TL_GROW(ctx, c->ptr, c->cap[1], 0, n + 1));
    TL_TRY(TL_GROW(ctx, c->idx, c->cap[2], 0, nblock));
    TL_TRY(TL_GROW(ctx, c->off, c->cap[3], 0, nblock + 1));
    TL_TRY(TL_GROW(ctx, c->row, c->cap[4], 0, n + 1));
    c->n = n;
    c->nblock = nblock;
    c->ptr[0] = c->row[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        c->size[i] = p->size[i];
        c->ptr[i + 1] = p->ptr[i + 1];
        c->row[i + 1] = c->row[i] + p->size[i];
    }
    for (int32_t b = 0; b < nblock; b++)
        c->idx[b] = p->idx[b];
    c->nrow = c->row[n];
    tl_pattern_offsets(p, c->off);
    c->valid = true;
    c->made++;
    return TALUS_OK;
}

void tl_pattern_copy_fini(talus_context* ctx, tl_pattern_copy* c)
{
    tl_free(ctx, c->size);
    tl_free(ctx, c->ptr);
    tl_free(ctx, c->idx);
    tl_free(ctx, c->off);
    tl_free(ctx, c->row);
    *c = (tl_pattern_copy){.n = 0};
}

const tl_backend* tl_backend_get(tl_backend_kind kind)
{
    switch (kind) {
    case TL_BACKEND_OWN:
        return &tl_backend_own;
    case TL_BACKEND_DENSE:
        return &tl_backend_dense;
    case TL_BACKEND_CHOLMOD:
#ifdef TALUS_HAVE_CHOLMOD
        return &tl_backend_cholmod;
#else
        return NULL;
#endif
    case TL_BACKEND_UMFPACK:
#ifdef TALUS_HAVE_UMFPACK
        return &tl_backend_umfpack;
#else
        return NULL;
#endif
    }
    return NULL;
}
