// SPDX-License-Identifier: MIT
// Elevation of a height field, as MuJoCo reads it: from the text, a PNG picture, or its binary format
//
//     int32 nrow, ncol; float32 elevation (nrow x ncol), the first row at -y
//
// then brought to 0 .. 1 by its least and largest value. A field that is flat becomes 0.
#include "hfield_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

talus_status tl_hfield_bad(const tl_spec* s, const tl_spec_hfield* h, const char* fmt, ...)
{
    char text[500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return tl_fail_at(s->ctx, TALUS_ERR_INPUT, h->at.file, h->at.line, "<hfield %.80s>: %s", h->name, text);
}

talus_status tl_hfield_resize(tl_spec* s, tl_spec_hfield* h, int64_t nrow, int64_t ncol)
{
    if (nrow < 2 || ncol < 2 || nrow > TL_HFIELD_MOST / ncol)
        return tl_hfield_bad(
            s, h, "'%.200s' has %lld rows and %lld columns; expected: at least 2 of each, at most %d points",
            h->file, (long long)nrow, (long long)ncol, TL_HFIELD_MOST);
    h->elevation = tl_arena_alloc(&s->memory, sizeof(double) * (size_t)(nrow * ncol));
    if (!h->elevation)
        return tl_nomem(s->ctx, sizeof(double) * (size_t)(nrow * ncol));
    h->nrow = (int32_t)nrow;
    h->ncol = (int32_t)ncol;
    return TALUS_OK;
}

static talus_status read_binary(tl_spec* s, tl_spec_hfield* h, FILE* f)
{
    int32_t size[2];
    if (fread(size, sizeof size, 1, f) != 1)
        return tl_hfield_bad(s, h, "'%.200s': the header is missing; expected: int32 nrow, ncol", h->file);
    TL_TRY(tl_hfield_resize(s, h, size[0], size[1]));
    const int64_t n = (int64_t)h->nrow * h->ncol;
    for (int64_t i = 0; i < n;) {
        float part[1024];
        const size_t want = (size_t)TL_MIN(n - i, (int64_t)TL_COUNT(part));
        if (fread(part, sizeof *part, want, f) != want)
            return tl_hfield_bad(s, h, "'%.200s' ends before its %d x %d numbers", h->file, h->nrow, h->ncol);
        for (size_t k = 0; k < want; k++)
            h->elevation[i++] = part[k];
    }
    return fgetc(f) == EOF
               ? TALUS_OK
               : tl_hfield_bad(s, h, "'%.200s' goes on after its %d x %d numbers", h->file, h->nrow, h->ncol);
}

static bool is_png(const tl_spec_hfield* h)
{
    const char* dot = strrchr(h->file, '.');
    return h->content_type ? strcmp(h->content_type, "image/png") == 0 : dot && strcasecmp(dot, ".png") == 0;
}

static talus_status read_file(tl_spec* s, tl_spec_hfield* h)
{
    if (h->content_type && !is_png(h) && strcmp(h->content_type, "image/vnd.mujoco.hfield") != 0)
        return tl_hfield_bad(
            s, h, "attribute 'content_type': '%.60s'; expected: image/png, image/vnd.mujoco.hfield",
            h->content_type);
    FILE* f = fopen(h->file, "rb");
    if (!f)
        return tl_hfield_bad(s, h, "cannot read the hfield file; searched: %.300s", h->file);
    const talus_status status = is_png(h) ? tl_hfield_read_png(s, h, f) : read_binary(s, h, f);
    fclose(f);
    return status;
}

talus_status tl_hfield_prepare(tl_spec* s, tl_spec_hfield* h)
{
    if (h->ready)
        return TALUS_OK;
    if (h->file)
        TL_TRY(read_file(s, h));
    const int64_t n = (int64_t)h->nrow * h->ncol;
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(h->elevation[i]))
            return tl_hfield_bad(s, h, "the elevation at row %lld, column %lld is not finite",
                                 (long long)(i / h->ncol), (long long)(i % h->ncol));
        lo = fmin(lo, h->elevation[i]);
        hi = fmax(hi, h->elevation[i]);
    }
    if (!isfinite(hi - lo))
        return tl_hfield_bad(s, h, "elevations from %g to %g are too far apart", lo, hi);
    for (int64_t i = 0; i < n; i++) {
        h->elevation[i] -= lo;
        if (hi - lo > 1e-14) // MuJoCo's mjEPS
            h->elevation[i] /= hi - lo;
    }
    h->ready = true;
    return TALUS_OK;
}
