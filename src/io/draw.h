// SPDX-License-Identifier: MIT
// What pictures share: text, axes, pressure colours, PNG files. Only files that draw with cairo include it.
#pragma once

#include "base.h"

#include <cairo.h>

typedef struct tl_rgb {
    double r, g, b;
} tl_rgb;

static const tl_rgb tl_ink = {0.13, 0.14, 0.16}, tl_faint = {0.45, 0.47, 0.50}, tl_grid = {0.88, 0.89, 0.90};

void tl_draw_rgb(cairo_t* c, tl_rgb k);
/// align: 0 left, 0.5 centred, 1 right of x; y is the base line
void tl_draw_text(cairo_t* c, double x, double y, double align, double size, tl_rgb k, const char* text);
/// A step of 1, 2 or 5 times a power of ten that divides `range` into about n parts.
double tl_nice_step(double range, double n);
/// Copy a picture (height x width x 3 bytes) into the surface with its corner at x, y.
void tl_draw_image(cairo_surface_t* surface, int32_t x, int32_t y, int32_t width, int32_t height,
                   const uint8_t* rgb);
/// Colours of pressures from 0 to `top` Pa upwards from y + h, ticks at round values on the left, title and unit above.
void tl_draw_pressure_bar(cairo_t* c, double x, double y, double w, double h, double top);
/// Pressure with three digits in the unit that reads best: "6.81 kPa".
void tl_pressure_text(double p, char* text, size_t size);
/// Write a PNG. @return OK, ERR_IO with a message
talus_status tl_draw_save(talus_context* ctx, cairo_surface_t* surface, const char* path);
