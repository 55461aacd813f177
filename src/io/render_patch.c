// SPDX-License-Identifier: MIT
// Contact patches in pictures: each face is scanned row by row into a buffer of nearest faces; depth and pressure are
// linear on its plane, so both are exact at every sample, whatever the perspective.
#include "render.h"
#include "vec3.h"

#include <float.h>

#define COVER_SHARE 0.15 // of the colour of a surface in front that stays
#define NEAR_SHARE 1e-4  // of the depth: this close to a surface is on it
#define EDGE_SAMPLES 220 // mean size of a face, in samples, from which lines are drawn between faces

// viridis (Smith and van der Walt), every 1/16
static const double map[][3] = {{0.2670, 0.0049, 0.3294}, {0.2823, 0.0950, 0.4173}, {0.2788, 0.1755, 0.4834},
                                {0.2590, 0.2515, 0.5247}, {0.2297, 0.3224, 0.5457}, {0.1994, 0.3876, 0.5546},
                                {0.1727, 0.4488, 0.5579}, {0.1490, 0.5081, 0.5572}, {0.1276, 0.5669, 0.5506},
                                {0.1206, 0.6258, 0.5335}, {0.1579, 0.6838, 0.5017}, {0.2461, 0.7389, 0.4520},
                                {0.3692, 0.7889, 0.3829}, {0.5160, 0.8312, 0.2943}, {0.6785, 0.8637, 0.1895},
                                {0.8456, 0.8873, 0.0997}, {0.9932, 0.9062, 0.1439}};

void tl_pressure_colour(double u, double* rgb)
{
    const int32_t last = TL_COUNT(map) - 1;
    const double x = fmax(0.0, fmin(1.0, u)) * last;
    const int32_t i = (int32_t)fmin(x, last - 1);
    for (int k = 0; k < 3; k++)
        rgb[k] = map[i][k] + (x - i) * (map[i + 1][k] - map[i][k]);
}

typedef struct face {
    int32_t n, index, body[2];
    double centre[3], normal[3];
    double p, slope[3]; // pressure at the centre, its gradient in the plane
    double p_lo, p_hi;
    double x[TL_POLYGON_MAX][2]; // corners in the picture, samples
} face;

// gradient in the plane from the two corners that span most
static void find_slope(const double* x, const double* p, face* f)
{
    double best = 0.0;
    for (int32_t i = 0; i < f->n; i++)
        for (int32_t j = i + 1; j < f->n; j++) {
            double u[3], w[3], m[3], a[3], b[3];
            sub3(u, x + 3 * i, f->centre);
            sub3(w, x + 3 * j, f->centre);
            cross3(m, u, w);
            const double size = dot3(m, m);
            if (!(size > best))
                continue;
            best = size;
            cross3(a, w, m);
            cross3(b, m, u);
            for (int k = 0; k < 3; k++)
                f->slope[k] = ((p[i] - f->p) * a[k] + (p[j] - f->p) * b[k]) / size;
        }
}

static bool place_face(const tl_camera* c, const double* x, const double* p, face* f)
{
    f->p_lo = INFINITY;
    f->p_hi = -INFINITY;
    for (int32_t i = 0; i < f->n; i++) {
        double v[3];
        sub3(v, x + 3 * i, c->eye);
        const double depth = dot3(v, c->forward);
        if (!c->parallel && !(depth > 0.0))
            return false;
        const double scale = c->parallel ? c->scale : c->scale / depth;
        f->x[i][0] = c->width / 2.0 + scale * dot3(v, c->right);
        f->x[i][1] = c->height / 2.0 - scale * dot3(v, c->up);
        f->p_lo = fmin(f->p_lo, p[i]);
        f->p_hi = fmax(f->p_hi, p[i]);
        if (!(fabs(f->x[i][0]) < 1e8 && fabs(f->x[i][1]) < 1e8))
            return false;
    }
    memset(f->slope, 0, sizeof f->slope);
    find_slope(x, p, f);
    return f->n >= 3;
}

// the face at a sample, if it is the nearest there and not hidden
static void draw_sample(const tl_camera* c, const tl_cover* cover, const face* f, int32_t x, int32_t y,
                        tl_patch_layer* layer)
{
    const double u = (x + 0.5 - c->width / 2.0) / c->scale, w = (c->height / 2.0 - y - 0.5) / c->scale;
    double o[3], d[3], v[3];
    for (int k = 0; k < 3; k++) {
        const double side = u * c->right[k] + w * c->up[k];
        o[k] = c->eye[k] + (c->parallel ? side : 0.0);
        d[k] = c->forward[k] + (c->parallel ? 0.0 : side);
    }
    sub3(v, f->centre, o);
    const double t = dot3(v, f->normal) / dot3(d, f->normal);
    const int64_t at = (int64_t)y * c->width + x;
    if (!isfinite(t) || !(t < layer->depth[at]))
        return;
    if (cover && cover->body[at] >= 0 && t > (1.0 + NEAR_SHARE) * cover->depth[at] &&
        cover->body[at] != f->body[0] && cover->body[at] != f->body[1])
        return;
    for (int k = 0; k < 3; k++)
        v[k] = o[k] + t * d[k] - f->centre[k];
    layer->depth[at] = (float)t;
    layer->pressure[at] = (float)fmax(f->p_lo, fmin(f->p_hi, f->p + dot3(f->slope, v)));
    layer->face[at] = f->index;
    layer->top = fmax(layer->top, f->p_hi);
}

static void draw_face(const tl_camera* c, const tl_cover* cover, const face* f, tl_patch_layer* layer)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int32_t i = 0; i < f->n; i++) {
        lo = fmin(lo, f->x[i][1]);
        hi = fmax(hi, f->x[i][1]);
    }
    const int32_t y1 = (int32_t)fmin(c->height, ceil(hi));
    for (int32_t y = (int32_t)fmax(0.0, floor(lo)); y < y1; y++) {
        const double py = y + 0.5;
        double left = INFINITY, right = -INFINITY;
        for (int32_t i = 0; i < f->n; i++) {
            const double *p = f->x[i], *q = f->x[(i + 1) % f->n];
            const double *a = p[1] < q[1] ? p : q,
                         *b = p[1] < q[1] ? q : p; // the neighbour goes the other way
            if (a[1] > py || b[1] <= py)
                continue;
            const double x = a[0] + (py - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            left = fmin(left, x);
            right = fmax(right, x);
        }
        // samples whose middle lies within: neighbours leave no gap and do not overlap
        const int32_t x1 = (int32_t)fmin(c->width, ceil(right - 0.5));
        for (int32_t x = (int32_t)fmax(0.0, ceil(left - 0.5)); x < x1; x++)
            draw_sample(c, cover, f, x, y, layer);
    }
}

static bool faces_are_large(const tl_patch_layer* layer, int64_t samples)
{
    int64_t covered = 0, changes = 0;
    int32_t last = -1;
    for (int64_t i = 0; i < samples; i++) {
        covered += layer->face[i] >= 0;
        changes += layer->face[i] >= 0 && layer->face[i] != last;
        last = layer->face[i];
    }
    // mean run along a row, squared
    return changes > 0 &&
           (double)covered / (double)changes * (double)covered / (double)changes > EDGE_SAMPLES;
}

void tl_patch_layer_draw(const tl_camera* camera, const tl_patch_view* view, const tl_cover* cover,
                         tl_patch_layer* layer)
{
    const int64_t samples = (int64_t)camera->width * camera->height;
    int32_t index = 0;
    for (int64_t i = 0; i < samples; i++) {
        layer->depth[i] = FLT_MAX;
        layer->face[i] = -1;
    }
    layer->top = 0.0;
    for (int32_t k = 0; k < view->n; k++) {
        const tl_patch* p = view->patch[k];
        int64_t first = 0;
        for (int64_t i = 0; i < p->n; first += p->nvertex[i], i++, index++) {
            face f = {.n = p->nvertex[i], .index = index, .p = p->pressure[i], .body = {-1, -1}};
            if (view->pair) {
                f.body[0] = view->pair[k].body_a;
                f.body[1] = view->pair[k].body_b;
            }
            copy3(f.centre, p->centroid + 3 * i);
            copy3(f.normal, p->normal + 3 * i);
            if (place_face(camera, p->vertex + 3 * first, p->vertex_p + first, &f))
                draw_face(camera, cover, &f, layer);
        }
    }
    layer->edges = faces_are_large(layer, samples);
}

bool tl_patch_layer_colour(const tl_patch_layer* layer, const tl_camera* camera, int32_t x, int32_t y,
                           bool covered, double* rgb)
{
    const int64_t at = (int64_t)y * camera->width + x;
    const int32_t seen = layer->face[at];
    if (seen < 0)
        return false;
    double k[3], dark = 1.0;
    tl_pressure_colour(layer->top > 0.0 ? layer->pressure[at] / layer->top : 0.0, k);
    const int64_t width = camera->width;
    const int32_t around[4] = {x > 0 ? layer->face[at - 1] : seen, y > 0 ? layer->face[at - width] : seen,
                               x + 1 < width ? layer->face[at + 1] : seen,
                               y + 1 < camera->height ? layer->face[at + width] : seen};
    for (int i = 0; i < 4; i++)
        if (around[i] < 0)
            dark = 0.3;
        else if (around[i] != seen && i < 2 && layer->edges)
            dark = fmin(dark, 0.72);
    for (int i = 0; i < 3; i++)
        rgb[i] = dark * (k[i] + (covered ? COVER_SHARE * (rgb[i] - k[i]) : 0.0));
    return true;
}
