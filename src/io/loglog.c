// SPDX-License-Identifier: MIT
// Log-log plots, 1100 x 760 pixels: points, their fitted power as a line, the exponent in the legend.
#include "loglog.h"

#include <math.h>

bool tl_power_fit(const tl_series* s, double* exponent, double* factor)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    int32_t n = 0;
    for (int32_t i = 0; i < s->n; i++) {
        if (!(s->x[i] > 0.0 && s->y[i] > 0.0))
            continue;
        const double x = log(s->x[i]), y = log(s->y[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        n++;
    }
    const double spread = sxx - sx * sx / fmax(n, 1);
    if (n < 2 || !(spread > 1e-12))
        return false;
    *exponent = (sxy - sx * sy / n) / spread;
    *factor = exp((sy - *exponent * sx) / n);
    return true;
}

#ifdef TALUS_HAVE_CAIRO

#include "draw.h"

#include <stdio.h>

#define WIDTH 1100
#define HEIGHT 760
#define LEFT 90.0
#define TOP 70.0
#define PLOT_W 640.0
#define PLOT_H 600.0

static const double colour[][3] = {{0.20, 0.44, 0.69}, {0.83, 0.37, 0.24}, {0.30, 0.60, 0.36},
                                   {0.58, 0.40, 0.70}, {0.85, 0.62, 0.15}, {0.30, 0.66, 0.70},
                                   {0.60, 0.42, 0.30}, {0.85, 0.45, 0.62}};

typedef struct axes {
    double x0, x1, y0, y1; // decimal logarithms
} axes;

static double at_x(const axes* a, double x)
{
    return LEFT + PLOT_W * (log10(x) - a->x0) / (a->x1 - a->x0);
}

static double at_y(const axes* a, double y)
{
    return TOP + PLOT_H * (a->y1 - log10(y)) / (a->y1 - a->y0);
}

static axes find_range(const tl_loglog* p)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {0.0, 0.0};
    for (int32_t k = 0; k < p->nseries; k++)
        for (int32_t i = 0; i < p->series[k].n; i++) {
            const double v[2] = {p->series[k].x[i], p->series[k].y[i]};
            for (int r = 0; r < 2 && v[0] > 0.0 && v[1] > 0.0; r++) {
                lo[r] = fmin(lo[r], v[r]);
                hi[r] = fmax(hi[r], v[r]);
            }
        }
    axes a = {0, 1, 0, 1};
    if (hi[0] > 0.0)
        a = (axes){log10(lo[0]) - 0.1, log10(hi[0]) + 0.1, log10(lo[1]) - 0.1, log10(hi[1]) + 0.1};
    return a;
}

// grid lines at 1, 2, 5 times the powers of ten
static void draw_axis(cairo_t* c, const axes* a, bool horizontal)
{
    static const double mantissa[] = {1, 2, 5};
    const double lo = horizontal ? a->x0 : a->y0, hi = horizontal ? a->x1 : a->y1;
    for (int d = (int)floor(lo); d <= (int)ceil(hi); d++)
        for (int k = 0; k < 3; k++) {
            const double v = mantissa[k] * pow(10.0, d);
            if (log10(v) < lo || log10(v) > hi)
                continue;
            char text[32];
            snprintf(text, sizeof text, "%g", v);
            tl_draw_rgb(c, tl_grid);
            if (horizontal) {
                cairo_move_to(c, at_x(a, v), TOP);
                cairo_line_to(c, at_x(a, v), TOP + PLOT_H);
            } else {
                cairo_move_to(c, LEFT, at_y(a, v));
                cairo_line_to(c, LEFT + PLOT_W, at_y(a, v));
            }
            cairo_stroke(c);
            if (horizontal)
                tl_draw_text(c, at_x(a, v), TOP + PLOT_H + 22, 0.5, 14, tl_faint, text);
            else
                tl_draw_text(c, LEFT - 8, at_y(a, v) + 5, 1.0, 14, tl_faint, text);
        }
}

static void draw_series(cairo_t* c, const axes* a, const tl_series* s, int32_t k)
{
    const double* rgb = colour[k % TL_COUNT(colour)];
    double exponent = 0.0, factor = 0.0, lo = INFINITY, hi = 0.0;
    char text[96];
    cairo_set_source_rgb(c, rgb[0], rgb[1], rgb[2]);
    for (int32_t i = 0; i < s->n; i++) {
        if (!(s->x[i] > 0.0 && s->y[i] > 0.0))
            continue;
        lo = fmin(lo, s->x[i]);
        hi = fmax(hi, s->x[i]);
        cairo_arc(c, at_x(a, s->x[i]), at_y(a, s->y[i]), 5.0, 0.0, 6.2831853);
        cairo_fill(c);
    }
    const bool fitted = tl_power_fit(s, &exponent, &factor);
    if (fitted) {
        cairo_move_to(c, at_x(a, lo), at_y(a, factor * pow(lo, exponent)));
        cairo_line_to(c, at_x(a, hi), at_y(a, factor * pow(hi, exponent)));
        cairo_stroke(c);
    }
    const double y = TOP + 16 + 26.0 * k;
    cairo_arc(c, LEFT + PLOT_W + 24, y - 5, 5.0, 0.0, 6.2831853);
    cairo_fill(c);
    if (fitted)
        snprintf(text, sizeof text, "%s, x^%.2f", s->name, exponent);
    else
        snprintf(text, sizeof text, "%s", s->name);
    tl_draw_text(c, LEFT + PLOT_W + 38, y, 0.0, 15, tl_ink, text);
}

talus_status tl_loglog_save(talus_context* ctx, const tl_loglog* p, const char* path)
{
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t* c = cairo_create(surface);
    const axes a = find_range(p);
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_width(c, 1.5);
    draw_axis(c, &a, true);
    draw_axis(c, &a, false);
    tl_draw_text(c, LEFT, 40, 0.0, 20, tl_ink, p->title);
    tl_draw_text(c, LEFT + PLOT_W, TOP + PLOT_H + 48, 1.0, 15, tl_ink, p->x_label);
    tl_draw_text(c, LEFT, TOP - 10, 0.0, 15, tl_ink, p->y_label);
    for (int32_t k = 0; k < p->nseries; k++)
        draw_series(c, &a, &p->series[k], k);
    const talus_status status = cairo_status(c) == CAIRO_STATUS_SUCCESS
                                    ? tl_draw_save(ctx, surface, path)
                                    : tl_nomem(ctx, 4 * (size_t)WIDTH * HEIGHT);
    cairo_destroy(c);
    cairo_surface_destroy(surface);
    return status;
}

#else

talus_status tl_loglog_save(talus_context* ctx, const tl_loglog* p, const char* path)
{
    (void)p;
    return tl_fail_at(ctx, TALUS_ERR_UNSUPPORTED, path, 0, "this build draws no pictures (cairo is missing)");
}

#endif
