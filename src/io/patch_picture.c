// SPDX-License-Identifier: MIT
// Map of one contact patch, 1200 x 860 pixels: its faces on the plane across their mean normal, seen from A; beside it
// the colours of the pressure and the totals.
#include "patch_picture.h"

#ifdef TALUS_HAVE_CAIRO

#include "draw.h"
#include "render.h"
#include "vec3.h"

#include <stdio.h>

#define WIDTH 1200
#define HEIGHT 860
#define MAP_X 110
#define MAP_Y 80
#define MAP 690    // pixels a side
#define FILLED 0.9 // of the map, by the patch
#define SAMPLES 3  // a pixel and direction
#define SIDE_X 860 // of the text

typedef struct map {
    tl_camera camera; // in samples
    double offset[2]; // of the map's middle from the centroid, m
    double metres;    // a side
    double unit;      // of the scales, m
    const char* unit_name;
    tl_patch_sum sum;
} map;

static int64_t corners(const tl_patch* p)
{
    int64_t n = 0;
    for (int32_t i = 0; i < p->n; i++)
        n += p->nvertex[i];
    return n;
}

// up is the world's z; on a patch that lies rather than stands its y
static void aim(const tl_patch* p, tl_camera* c)
{
    double n[3] = {0}, z[3] = {0, 0, 1};
    for (int32_t i = 0; i < p->n; i++)
        axpy3(n, n, p->area[i], p->normal + 3 * (int64_t)i);
    if (!(normalize3(n) > 0.0))
        n[2] = 1.0;
    if (fabs(n[2]) > 0.7) {
        z[1] = 1.0;
        z[2] = 0.0;
    }
    for (int k = 0; k < 3; k++)
        c->forward[k] = -n[k];
    cross3(c->right, c->forward, z);
    normalize3(c->right);
    cross3(c->up, c->right, c->forward);
    c->parallel = true;
    c->width = c->height = MAP * SAMPLES;
}

static void fit(const tl_patch* p, map* m)
{
    const int64_t n = corners(p);
    const double* axis[2] = {m->camera.right, m->camera.up};
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; i++) {
        double v[3];
        sub3(v, p->vertex + 3 * i, m->sum.centroid);
        for (int k = 0; k < 2; k++) {
            lo[k] = fmin(lo[k], dot3(v, axis[k]));
            hi[k] = fmax(hi[k], dot3(v, axis[k]));
        }
    }
    const double size = n > 0 ? fmax(hi[0] - lo[0], hi[1] - lo[1]) : 0.0;
    m->metres = size > 0.0 ? size / FILLED : 1.0;
    copy3(m->camera.eye, m->sum.centroid);
    for (int k = 0; k < 2; k++) {
        m->offset[k] = n > 0 ? 0.5 * (lo[k] + hi[k]) : 0.0;
        axpy3(m->camera.eye, m->camera.eye, m->offset[k], axis[k]);
    }
    m->camera.scale = MAP * SAMPLES / m->metres;
    m->unit = m->metres >= 1.0 ? 1.0 : m->metres >= 1e-3 ? 1e-3 : 1e-6;
    m->unit_name = m->metres >= 1.0 ? "m" : m->metres >= 1e-3 ? "mm" : "um";
}

static talus_status draw_faces(talus_context* ctx, const tl_patch* p, const map* m, cairo_surface_t* surface,
                               double* top)
{
    const int64_t samples = (int64_t)MAP * MAP * SAMPLES * SAMPLES;
    tl_arena a;
    tl_arena_init(&a, ctx);
    tl_patch_layer layer = {.depth = TL_ARENA(&a, float, samples),
                            .pressure = TL_ARENA(&a, float, samples),
                            .face = TL_ARENA(&a, int32_t, samples)};
    uint8_t* image = TL_ARENA(&a, uint8_t, 3 * MAP * MAP);
    talus_status status =
        layer.depth && layer.pressure && layer.face && image ? TALUS_OK : tl_nomem(ctx, (size_t)samples * 12);
    if (status >= 0) {
        const tl_patch_view view = {.n = 1, .patch = &p};
        tl_patch_layer_draw(&m->camera, &view, NULL, &layer);
        for (int32_t i = 0; i < MAP * MAP; i++) {
            double sum[3] = {0};
            for (int32_t s = 0; s < SAMPLES * SAMPLES; s++) {
                double rgb[3] = {1, 1, 1};
                tl_patch_layer_colour(&layer, &m->camera, SAMPLES * (i % MAP) + s % SAMPLES,
                                      SAMPLES * (i / MAP) + s / SAMPLES, false, rgb);
                axpy3(sum, sum, 1.0, rgb);
            }
            for (int k = 0; k < 3; k++)
                image[3 * i + k] = (uint8_t)(255 * sum[k] / (SAMPLES * SAMPLES) + 0.5);
        }
        tl_draw_image(surface, MAP_X, MAP_Y, MAP, MAP, image);
        *top = layer.top;
    }
    tl_arena_fini(&a);
    return status;
}

// a direction of the world as "x", "-x", or its components
static void direction_text(const double* v, char* text, size_t size)
{
    for (int k = 0; k < 3; k++)
        if (fabs(fabs(v[k]) - 1.0) < 1e-6) {
            snprintf(text, size, "%s%c", v[k] < 0.0 ? "-" : "", 'x' + k);
            return;
        }
    snprintf(text, size, "(%.3g, %.3g, %.3g)", v[0], v[1], v[2]);
}

static void draw_scale(cairo_t* c, const map* m, int axis)
{
    const double step = tl_nice_step(m->metres / m->unit, 6), middle = m->offset[axis] / m->unit,
                 half = 0.5 * m->metres / m->unit;
    char text[96], name[64];
    tl_draw_rgb(c, tl_faint);
    for (int32_t i = (int32_t)ceil((middle - half) / step); i * step <= middle + half; i++) {
        const double at = floor(MAP * (i * step - middle + half) / (2 * half)) + 0.5;
        const double x = axis ? MAP_X : MAP_X + at, y = axis ? MAP_Y + MAP - at : MAP_Y + MAP;
        tl_draw_rgb(c, tl_faint);
        cairo_move_to(c, x, y);
        cairo_line_to(c, axis ? x - 5 : x, axis ? y : y + 5);
        cairo_stroke(c);
        snprintf(text, sizeof text, "%g", i * step);
        if (axis)
            tl_draw_text(c, x - 9, y + 5, 1, 14, tl_faint, text);
        else
            tl_draw_text(c, x, y + 21, 0.5, 14, tl_faint, text);
    }
    direction_text(axis ? m->camera.up : m->camera.right, name, sizeof name);
    snprintf(text, sizeof text, "%s from the centroid [%s]", name, m->unit_name);
    if (axis)
        tl_draw_text(c, MAP_X, MAP_Y - 12, 0, 14, tl_faint, text);
    else
        tl_draw_text(c, MAP_X + MAP, MAP_Y + MAP + 44, 1, 14, tl_faint, text);
}

static void draw_centroid(cairo_t* c, const map* m)
{
    const double x = MAP_X + MAP * (0.5 - m->offset[0] / m->metres),
                 y = MAP_Y + MAP * (0.5 + m->offset[1] / m->metres);
    for (int white = 1; white >= 0; white--) {
        tl_draw_rgb(c, white ? (tl_rgb){1, 1, 1} : tl_ink);
        cairo_set_line_width(c, white ? 4 : 1.5);
        cairo_move_to(c, x - 8, y);
        cairo_line_to(c, x + 8, y);
        cairo_move_to(c, x, y - 8);
        cairo_line_to(c, x, y + 8);
        cairo_stroke(c);
    }
}

// what is nothing beside `scale` reads as 0
static double round_off(double x, double scale)
{
    return fabs(x) < 1e-9 * scale ? 0.0 : x;
}

static void draw_totals(cairo_t* c, const tl_patch* p, const map* m, double top)
{
    char line[8][128], name[64], pressure[32];
    int32_t n = 0;
    const tl_patch_sum* s = &m->sum;
    const double *x = s->centroid, f = norm3(s->force);
    const double to_a[3] = {-m->camera.forward[0], -m->camera.forward[1], -m->camera.forward[2]};
    direction_text(to_a, name, sizeof name);
    tl_pressure_text(top, pressure, sizeof pressure);
#define LINE(...) snprintf(line[n++], sizeof line[0], __VA_ARGS__)
    if (p->left_out > 0)
        LINE("%d faces, %d of them make no contact", p->n, p->left_out);
    else
        LINE("%d faces", p->n);
    LINE("area  %.5g m^2", s->area);
    LINE("force on A  %.5g N", f);
    LINE("    (%.5g, %.5g, %.5g)", round_off(s->force[0], f), round_off(s->force[1], f),
         round_off(s->force[2], f));
    LINE("largest pressure  %s", pressure);
    LINE("centroid (cross)");
    LINE("    (%.5g, %.5g, %.5g) m", round_off(x[0], m->metres), round_off(x[1], m->metres),
         round_off(x[2], m->metres));
    LINE("mean normal, from B into A  %s", name);
#undef LINE
    for (int32_t i = 0; i < n; i++)
        tl_draw_text(c, SIDE_X, MAP_Y + 430 + 27 * i, 0, 16, tl_ink, line[i]);
}

static talus_status draw(talus_context* ctx, cairo_t* c, cairo_surface_t* surface, const char* title,
                         const tl_patch* p)
{
    const double origin[3] = {0};
    map m = {0};
    double top = 0.0;
    tl_patch_total(p, origin, &m.sum);
    aim(p, &m.camera);
    fit(p, &m);
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    TL_TRY(draw_faces(ctx, p, &m, surface, &top));
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    tl_draw_text(c, MAP_X, 42, 0, 24, tl_ink, title);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    tl_draw_rgb(c, tl_grid);
    cairo_set_line_width(c, 1);
    cairo_rectangle(c, MAP_X - 0.5, MAP_Y - 0.5, MAP + 1, MAP + 1);
    cairo_stroke(c);
    if (p->n == 0) {
        tl_draw_text(c, MAP_X + 0.5 * MAP, MAP_Y + 0.5 * MAP, 0.5, 20, tl_faint, "no contact");
        return TALUS_OK;
    }
    draw_scale(c, &m, 0);
    draw_scale(c, &m, 1);
    draw_centroid(c, &m);
    if (top > 0.0)
        tl_draw_pressure_bar(c, SIDE_X + 64, MAP_Y + 40, 24, 320, top);
    draw_totals(c, p, &m, top);
    return TALUS_OK;
}

talus_status tl_patch_picture_save(talus_context* ctx, const char* title, const tl_patch* p, const char* path)
{
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t* c = cairo_create(surface);
    talus_status status =
        cairo_status(c) == CAIRO_STATUS_SUCCESS ? TALUS_OK : tl_nomem(ctx, (size_t)4 * WIDTH * HEIGHT);
    if (status >= 0)
        status = draw(ctx, c, surface, title, p);
    if (status >= 0)
        status =
            cairo_status(c) == CAIRO_STATUS_SUCCESS ? tl_draw_save(ctx, surface, path) : tl_nomem(ctx, 0);
    cairo_destroy(c);
    cairo_surface_destroy(surface);
    return status;
}

#else

talus_status tl_patch_picture_save(talus_context* ctx, const char* title, const tl_patch* p, const char* path)
{
    (void)title;
    (void)p;
    return tl_fail_at(ctx, TALUS_ERR_UNSUPPORTED, path, 0, "this talus was built without cairo");
}

#endif
