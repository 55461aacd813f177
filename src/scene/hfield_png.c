// SPDX-License-Identifier: MIT
// Grey values of a PNG picture by libpng, the only file that includes it. As MuJoCo reads heights: eight bits a
// point, the red channel of a coloured picture, no correction of brightness.
#include "hfield_file.h"

#ifdef TALUS_HAVE_PNG

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

typedef struct reader {
    tl_spec* spec;
    tl_spec_hfield* h;
    png_structp png;
    png_infop info;
    png_bytep row;
    talus_status status;
    jmp_buf stop;
} reader;

// libpng wants its error handler not to return
static void on_error(png_structp png, png_const_charp text)
{
    reader* r = png_get_error_ptr(png);
    r->status = tl_hfield_bad(r->spec, r->h, "'%.200s': %.100s", r->h->file, text);
    longjmp(r->stop, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_rows(reader* r, FILE* f)
{
    png_structp png = r->png;
    if (setjmp(r->stop))
        return;
    png_init_io(png, f);
    png_read_info(png, r->info);
    const png_uint_32 width = png_get_image_width(png, r->info), height = png_get_image_height(png, r->info);
    r->status = tl_hfield_resize(r->spec, r->h, height, width);
    if (r->status < 0)
        return;
    png_set_expand(png); // palettes to colours, fewer bits to eight
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, r->info);
    const size_t step = png_get_channels(png, r->info), bytes = png_get_rowbytes(png, r->info);
    // an interlaced picture comes in passes over all of it
    const size_t rows = passes > 1 ? height : 1;
    r->row = tl_alloc(r->spec->ctx, bytes * rows);
    if (!r->row) {
        r->status = tl_nomem(r->spec->ctx, bytes * rows);
        return;
    }
    for (int pass = 0; pass < passes; pass++)
        for (png_uint_32 y = 0; y < height; y++) {
            png_bytep row = r->row + (passes > 1 ? y * bytes : 0);
            png_read_row(png, row, NULL);
            double* to = r->h->elevation + (int64_t)(height - 1 - y) * width;
            for (png_uint_32 x = 0; x < width; x++)
                to[x] = row[x * step];
        }
    png_read_end(png, NULL);
}

talus_status tl_hfield_read_png(tl_spec* s, tl_spec_hfield* h, void* f)
{
    reader r = {.spec = s, .h = h};
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    if (r.info)
        read_rows(&r, f);
    else
        r.status = tl_nomem(s->ctx, 0);
    tl_free(s->ctx, r.row);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return r.status;
}

#else

talus_status tl_hfield_read_png(tl_spec* s, tl_spec_hfield* h, void* f)
{
    (void)f;
    return tl_hfield_bad(s, h, "'%.200s': this build reads no PNG files (libpng was not found)", h->file);
}

#endif
