// SPDX-License-Identifier: MIT
// The picture of a run, 1800 x 1000 pixels: the scene at its end on the left (render.c); on the right, over
// simulated time, the wall time of a step by phase (stacked), the contacts, and the solver's iterations;
// below them the facts.
#include "picture.h"

#ifdef TALUS_HAVE_CAIRO

#include "draw.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 1800
#define HEIGHT 1000
#define SCENE_X 30
#define SCENE_Y 80
#define SCENE_W 1010
#define SCENE_H 890
#define PLOT_X 1130
#define PLOT_W 500

static const tl_rgb phase_colour[TALUS_PHASE_COUNT] = {
    {0.30, 0.52, 0.74}, {0.93, 0.69, 0.28}, {0.42, 0.66, 0.43}, {0.60, 0.45, 0.68}, {0.83, 0.37, 0.32},
    {0.45, 0.70, 0.78}, {0.67, 0.51, 0.40}, {0.90, 0.55, 0.67}, {0.62, 0.62, 0.62},
};

// ---- one plot ---------------------------------------------------------------------------------------------

typedef struct plot {
    double x, y, w, h;  // of the plotting area, pixels
    double t0, t1, top; // ranges: time, and 0 .. top
} plot;

static double at_x(const plot* p, double t)
{
    return p->x + p->w * (t - p->t0) / (p->t1 - p->t0);
}

static double at_y(const plot* p, double value)
{
    return p->y + p->h * (1 - fmin(value / p->top, 1));
}

static plot begin_plot(cairo_t* c, const tl_history* h, double y, double height, double largest,
                       const char* title, bool times)
{
    plot p = {.x = PLOT_X, .y = y, .w = PLOT_W, .h = height, .t0 = 0, .t1 = 1};
    char text[64];
    if (h->count > 0) {
        p.t0 = h->bins[0].t0;
        p.t1 = fmax(h->bins[h->count - 1].t1, p.t0 + 1e-12);
    }
    largest = largest > 0 ? largest : 1;
    const double step = tl_nice_step(largest * 1.04, 4);
    p.top = step * ceil(largest * 1.04 / step);
    cairo_set_line_width(c, 1);
    for (int32_t i = 0; i <= (int32_t)(p.top / step + 0.5); i++) {
        const double py = floor(at_y(&p, i * step)) + 0.5;
        tl_draw_rgb(c, tl_grid);
        cairo_move_to(c, p.x, py);
        cairo_line_to(c, p.x + p.w, py);
        cairo_stroke(c);
        snprintf(text, sizeof text, "%g", i * step);
        tl_draw_text(c, p.x - 8, py + 5, 1, 14, tl_faint, text);
    }
    const double dt = tl_nice_step(p.t1 - p.t0, 5);
    const double first = ceil(p.t0 / dt - 1e-9);
    for (int32_t i = 0; (first + i) * dt <= p.t1 + 1e-9 * dt; i++) {
        const double t = (first + i) * dt;
        const double px = floor(at_x(&p, t)) + 0.5;
        tl_draw_rgb(c, tl_grid);
        cairo_move_to(c, px, p.y + p.h);
        cairo_line_to(c, px, p.y + p.h + 5);
        cairo_stroke(c);
        snprintf(text, sizeof text, "%g", fabs(t) < 1e-9 * dt ? 0.0 : t);
        if (times)
            tl_draw_text(c, px, p.y + p.h + 21, 0.5, 14, tl_faint, text);
    }
    if (times)
        tl_draw_text(c, p.x + p.w, p.y + p.h + 40, 1, 14, tl_faint, "simulated time [s]");
    tl_draw_text(c, p.x, p.y - 12, 0, 16, tl_ink, title);
    return p;
}

static double bin_mean(const tl_history_bin* b, double sum)
{
    return sum / (double)TL_MAX(b->steps, 1);
}

/// Neighbouring bins are drawn together where there are more of them than pixels can show.
static int32_t bin_stride(const tl_history* h)
{
    return TL_MAX(1, h->count / 250);
}

static tl_history_bin wide_bin(const tl_history* h, int32_t first)
{
    tl_history_bin sum = h->bins[first];
    for (int32_t i = first + 1; i < TL_MIN(first + bin_stride(h), h->count); i++) {
        const tl_history_bin* b = &h->bins[i];
        sum.t1 = b->t1;
        sum.steps += b->steps;
        for (int32_t k = 0; k < TALUS_PHASE_COUNT; k++)
            sum.phase[k] += b->phase[k];
        sum.contacts += b->contacts;
        sum.contacts_max = TL_MAX(sum.contacts_max, b->contacts_max);
        sum.iterations_max = TL_MAX(sum.iterations_max, b->iterations_max);
    }
    return sum;
}

static int compare_doubles(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// Top of an axis for n values, which are sorted: the largest, unless a few stand far above all others; they
/// are cut off and told in the title.
static double axis_range(double* values, int32_t n, const char* title, char* text, size_t size)
{
    if (n == 0) {
        snprintf(text, size, "%s", title);
        return 0.0;
    }
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    const double most = values[n - 1], usual = values[n - 1 - n / 50];
    snprintf(text, size, most > 2 * usual && usual > 0 ? "%s, at most %.3g" : "%s", title, most);
    return most > 2 * usual && usual > 0 ? 1.2 * usual : most;
}

/// The area between two curves of steps: value of phases < k, and of phases <= k.
static void fill_phase(cairo_t* c, const plot* p, const tl_history* h, int32_t k)
{
    for (int32_t side = 0; side < 2; side++) {
        const int32_t stride = bin_stride(h), n = (h->count + stride - 1) / stride;
        for (int32_t j = 0; j < n; j++) {
            // there along the upper curve, back along the lower one
            const tl_history_bin b = wide_bin(h, stride * (side ? n - 1 - j : j));
            double below = 0.0;
            for (int32_t i = 0; i < k + 1 - side; i++)
                below += 1e3 * bin_mean(&b, b.phase[i]);
            cairo_line_to(c, at_x(p, side ? b.t1 : b.t0), at_y(p, below));
            cairo_line_to(c, at_x(p, side ? b.t0 : b.t1), at_y(p, below));
        }
    }
    cairo_close_path(c);
    tl_draw_rgb(c, phase_colour[k]);
    cairo_fill(c);
}

static void plot_phases(cairo_t* c, const tl_history* h, double y, double height)
{
    double total = 0.0, share[TALUS_PHASE_COUNT] = {0}, sums[TL_HISTORY_MAX];
    char text[96];
    int32_t n = 0;
    for (int32_t i = 0; i < h->count; i += bin_stride(h)) {
        const tl_history_bin b = wide_bin(h, i);
        double sum = 0.0;
        for (int32_t k = 0; k < TALUS_PHASE_COUNT; k++) {
            sum += 1e3 * bin_mean(&b, b.phase[k]);
            share[k] += b.phase[k];
            total += b.phase[k];
        }
        sums[n++] = sum;
    }
    const double most = axis_range(sums, n, "Wall time of a step, by phase [ms]", text, sizeof text);
    const plot p = begin_plot(c, h, y, height, most, text, false);
    for (int32_t k = TALUS_PHASE_COUNT - 1; k >= 0 && h->count > 0; k--)
        fill_phase(c, &p, h, k);
    double ly = y + 10;
    for (int32_t k = TALUS_PHASE_COUNT - 1; k >= 0; k--, ly += 23) {
        tl_draw_rgb(c, phase_colour[k]);
        cairo_rectangle(c, p.x + p.w + 18, ly - 10, 13, 13);
        cairo_fill(c);
        snprintf(text, sizeof text, "%s", talus_phase_name((talus_phase)k));
        tl_draw_text(c, p.x + p.w + 38, ly + 1, 0, 14, tl_ink, text);
        snprintf(text, sizeof text, "%.0f %%", total > 0 ? 100 * share[k] / total : 0);
        tl_draw_text(c, WIDTH - 20, ly + 1, 1, 14, tl_faint, text);
    }
}

/// what 0: contacts (mean and maximum), 1: iterations (maximum)
static void plot_counts(cairo_t* c, const tl_history* h, int32_t what, double y, double height, bool times)
{
    static const tl_rgb colour[] = {{0.25, 0.53, 0.77}, {0.83, 0.37, 0.32}};
    double values[TL_HISTORY_MAX];
    char text[96];
    for (int32_t i = 0; i < h->count; i++)
        values[i] = what ? h->bins[i].iterations_max : h->bins[i].contacts_max;
    const double most =
        axis_range(values, h->count, what ? "Solver iterations of a step (worst island)" : "Contacts", text,
                   sizeof text);
    const plot p = begin_plot(c, h, y, height, most, text, times);
    for (int32_t i = 0; i < h->count; i += bin_stride(h)) {
        const tl_history_bin b = wide_bin(h, i);
        const double value = what ? b.iterations_max : bin_mean(&b, b.contacts);
        cairo_line_to(c, at_x(&p, b.t0), at_y(&p, value));
        cairo_line_to(c, at_x(&p, b.t1), at_y(&p, value));
    }
    tl_draw_rgb(c, colour[what]);
    cairo_set_line_width(c, 2);
    cairo_stroke(c);
}

// ---- the whole --------------------------------------------------------------------------------------------

static talus_status draw_scene(talus_context* ctx, const tl_picture* p, cairo_surface_t* surface,
                               double* pressure_max)
{
    const size_t bytes = (size_t)SCENE_W * SCENE_H * 3;
    uint8_t* image = tl_alloc(ctx, bytes);
    if (!image)
        return tl_nomem(ctx, bytes);
    const talus_status status =
        tl_render(ctx, p->model, p->sim, p->state, SCENE_W, SCENE_H, image, pressure_max);
    if (status >= 0)
        tl_draw_image(surface, SCENE_X, SCENE_Y, SCENE_W, SCENE_H, image);
    tl_free(ctx, image);
    return status;
}

/// The colours of contact patches, on a white field over the scene's lower right corner.
static void draw_pressures(cairo_t* c, double pressure_max)
{
    const double w = 128, h = 290, x = SCENE_X + SCENE_W - w - 14, y = SCENE_Y + SCENE_H - h - 14;
    cairo_set_source_rgba(c, 1, 1, 1, 0.8);
    cairo_rectangle(c, x, y, w, h);
    cairo_fill(c);
    tl_draw_pressure_bar(c, x + w - 34, y + 42, 20, h - 58, pressure_max);
}

static void draw_all(cairo_t* c, const tl_picture* p, double pressure_max)
{
    char text[64];
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    tl_draw_text(c, SCENE_X, 50, 0, 28, tl_ink, p->title);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    snprintf(text, sizeof text, "t = %.4g s", talus_state_time(p->state));
    tl_draw_text(c, SCENE_X + SCENE_W, 50, 1, 22, tl_faint, text);
    tl_draw_rgb(c, tl_grid);
    cairo_set_line_width(c, 1);
    cairo_rectangle(c, SCENE_X - 0.5, SCENE_Y - 0.5, SCENE_W + 1, SCENE_H + 1);
    cairo_stroke(c);
    if (pressure_max > 0.0)
        draw_pressures(c, pressure_max);
    plot_phases(c, p->history, 108, 250);
    plot_counts(c, p->history, 0, 430, 150, false);
    plot_counts(c, p->history, 1, 645, 120, true);
    for (int32_t i = 0; i < p->nline; i++)
        tl_draw_text(c, PLOT_X, 840 + 25 * i, 0, 16, tl_ink, p->line[i]);
}

talus_status tl_picture_save(talus_context* ctx, const tl_picture* picture, const char* path)
{
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t* c = cairo_create(surface);
    double pressure_max = 0.0;
    talus_status status =
        cairo_status(c) == CAIRO_STATUS_SUCCESS ? TALUS_OK : tl_nomem(ctx, (size_t)4 * WIDTH * HEIGHT);
    if (status >= 0) {
        cairo_set_source_rgb(c, 1, 1, 1);
        cairo_paint(c);
        status = draw_scene(ctx, picture, surface, &pressure_max);
    }
    if (status >= 0) {
        draw_all(c, picture, pressure_max);
        status =
            cairo_status(c) == CAIRO_STATUS_SUCCESS ? tl_draw_save(ctx, surface, path) : tl_nomem(ctx, 0);
    }
    cairo_destroy(c);
    cairo_surface_destroy(surface);
    return status;
}

#else

talus_status tl_picture_save(talus_context* ctx, const tl_picture* picture, const char* path)
{
    (void)picture;
    return tl_fail_at(ctx, TALUS_ERR_UNSUPPORTED, path, 0, "this talus was built without cairo");
}

#endif
