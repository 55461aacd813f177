// SPDX-License-Identifier: MIT
// What pictures share, on cairo.
#ifdef TALUS_HAVE_CAIRO

#include "draw.h"
#include "render.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

void tl_draw_rgb(cairo_t* c, tl_rgb k)
{
    cairo_set_source_rgb(c, k.r, k.g, k.b);
}

void tl_draw_text(cairo_t* c, double x, double y, double align, double size, tl_rgb k, const char* text)
{
    cairo_text_extents_t e;
    cairo_set_font_size(c, size);
    cairo_text_extents(c, text, &e);
    tl_draw_rgb(c, k);
    cairo_move_to(c, x - align * e.x_advance, y);
    cairo_show_text(c, text);
    cairo_new_path(c); // the text leaves a point behind
}

double tl_nice_step(double range, double n)
{
    const double raw = range / n, power = pow(10.0, floor(log10(raw))), m = raw / power;
    return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}

void tl_draw_image(cairo_surface_t* surface, int32_t x0, int32_t y0, int32_t width, int32_t height,
                   const uint8_t* rgb)
{
    cairo_surface_flush(surface);
    unsigned char* data = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const uint8_t* k = rgb + 3 * ((size_t)y * (size_t)width + (size_t)x);
            const uint32_t pixel = 0xff000000u | (uint32_t)k[0] << 16 | (uint32_t)k[1] << 8 | k[2];
            memcpy(data + (size_t)(y + y0) * (size_t)stride + 4 * (size_t)(x + x0), &pixel, 4);
        }
    cairo_surface_mark_dirty(surface);
}

// the unit in which p has one to three digits before the point
static double pressure_unit(double p, const char** name)
{
    static const struct {
        double size;
        const char* name;
    } units[] = {{1e9, "GPa"}, {1e6, "MPa"}, {1e3, "kPa"}, {1.0, "Pa"}, {1e-3, "mPa"}};
    int32_t i = 0;
    while (i < TL_COUNT(units) - 1 && p < 0.9995 * units[i].size)
        i++;
    *name = units[i].name;
    return units[i].size;
}

void tl_pressure_text(double p, char* text, size_t size)
{
    const char* unit;
    const double scale = pressure_unit(p, &unit);
    snprintf(text, size, "%.3g %s", p / scale, unit);
}

void tl_draw_pressure_bar(cairo_t* c, double x, double y, double w, double h, double top)
{
    const char* unit;
    const double scale = pressure_unit(top, &unit), most = top / scale, step = tl_nice_step(most, 5);
    char text[64];
    const int32_t rows = (int32_t)h;
    for (int32_t i = 0; i < rows; i++) {
        double k[3];
        tl_pressure_colour((i + 0.5) / rows, k);
        cairo_set_source_rgb(c, k[0], k[1], k[2]);
        cairo_rectangle(c, x, y + h - i - 1, w, 1.05);
        cairo_fill(c);
    }
    cairo_set_line_width(c, 1);
    for (int32_t i = 0; i * step <= most * (1 + 1e-9); i++) {
        const double py = floor(y + h - h * i * step / most) + 0.5;
        tl_draw_rgb(c, tl_ink);
        cairo_move_to(c, x - 4, py);
        cairo_line_to(c, x, py);
        cairo_stroke(c);
        snprintf(text, sizeof text, "%g", i * step);
        tl_draw_text(c, x - 8, py + 5, 1, 14, tl_ink, text);
    }
    snprintf(text, sizeof text, "pressure [%s]", unit);
    tl_draw_text(c, x + w, y - 14, 1, 14, tl_ink, text);
}

typedef struct writer {
    FILE* file;
    int error;
} writer;

static cairo_status_t write_bytes(void* closure, const unsigned char* data, unsigned int n)
{
    writer* w = closure;
    errno = 0;
    if (fwrite(data, 1, n, w->file) == n)
        return CAIRO_STATUS_SUCCESS;
    w->error = errno;
    return CAIRO_STATUS_WRITE_ERROR;
}

talus_status tl_draw_save(talus_context* ctx, cairo_surface_t* surface, const char* path)
{
    errno = 0;
    writer w = {.file = fopen(path, "wb")};
    if (!w.file)
        return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s", strerror(errno));
    const cairo_status_t written = cairo_surface_write_to_png_stream(surface, write_bytes, &w);
    errno = 0;
    const bool closed = fclose(w.file) == 0;
    if (written == CAIRO_STATUS_NO_MEMORY)
        return tl_nomem(ctx, 0);
    if (written == CAIRO_STATUS_SUCCESS && closed)
        return TALUS_OK;
    const int error = w.error ? w.error : errno;
    return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s",
                      error ? strerror(error) : "write failed");
}

#endif
