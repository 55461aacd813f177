// SPDX-License-Identifier: MIT
// A small picture of a scene: rays against the primitives themselves, so round things are round; meshes are drawn as their
// convex hulls.
//
// Each geom is drawn into a buffer of nearest hits, only in the pixels its bounding ball can cover, so cost
// grows with what is seen and not with geoms x pixels. The same drawing from the sun's place gives a shadow
// map. Two samples a pixel in each direction; a dark line where the geom changes.
//
//   eye buffer:  depth along the ray, geom           sun buffer: depth along the light
//   colour = rgba (0.35 + 0.65 max(0, n . sun) visible(sun))
//
// Contact patches lie inside bodies: they are drawn over the two that meet there (render_patch.c).
//
// Walls between the camera and the bodies would hide them: fixed geoms on the camera's side are drawn as
// glass, mixed over the picture at the end.
#include "picture.h"
#include "model.h"
#include "render.h"

#include <float.h>
#include <math.h>

#define SAMPLES 2 // a pixel and direction
#define SUN_SIZE 1536
#define GLASS 0.13  // how much of a glass wall's colour is seen
#define MARGIN 1.08 // farther away than needed

typedef struct drawn_geom {
    tl_shape shape;
    double p[3], R[9]; // pose
    double radius;     // of the bounding ball, < 0: everywhere
    double rgb[3];
    int32_t body;
    bool fixed, glass;
} drawn_geom;

typedef struct buffer {
    tl_camera cam;
    float* depth; // (height x width)
    int32_t* geom;
} buffer;

typedef struct renderer {
    talus_context* ctx;
    int32_t ngeom;
    drawn_geom* geoms;
    double centre[3], radius; // of the moving bodies
    double lo[3], hi[3];      // box of their centres
    bool moving;              // there are some; else all geoms count
    double sun[3];            // unit, towards it
    buffer view, glass, shadow;
    tl_patch_layer patches;
    bool patched; // there are some
} renderer;

static double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double* a, const double* b, double* out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(double* a)
{
    const double n = sqrt(dot(a, a));
    for (int32_t i = 0; i < 3; i++)
        a[i] /= n > 0 ? n : 1.0;
}

/// First hit of a world ray with a geom, and the world normal.
static double hit_geom(const drawn_geom* g, const tl_ray* r, double* n)
{
    tl_ray l;
    double m[3] = {0, 0, 1};
    for (int32_t i = 0; i < 3; i++) {
        l.o[i] = l.d[i] = 0.0;
        for (int32_t j = 0; j < 3; j++) {
            l.o[i] += g->R[3 * j + i] * (r->o[j] - g->p[j]);
            l.d[i] += g->R[3 * j + i] * r->d[j];
        }
    }
    const double t = tl_hit_shape(&g->shape, &l, m);
    for (int32_t i = 0; i < 3; i++)
        n[i] = g->R[3 * i] * m[0] + g->R[3 * i + 1] * m[1] + g->R[3 * i + 2] * m[2];
    return t;
}

// ---- cameras and buffers ----------------------------------------------------------------------------------

static void aim(tl_camera* c, const double* eye, const double* at)
{
    const double z[3] = {0, 0, 1};
    for (int32_t i = 0; i < 3; i++) {
        c->eye[i] = eye[i];
        c->forward[i] = at[i] - eye[i];
    }
    normalize(c->forward);
    cross(c->forward, z, c->right);
    normalize(c->right);
    cross(c->right, c->forward, c->up);
}

static tl_ray pixel_ray(const tl_camera* c, double x, double y)
{
    const double u = (x - c->width / 2.0) / c->scale, w = (c->height / 2.0 - y) / c->scale;
    tl_ray r;
    for (int32_t i = 0; i < 3; i++) {
        const double side = u * c->right[i] + w * c->up[i];
        r.o[i] = c->eye[i] + (c->parallel ? side : 0.0);
        r.d[i] = c->forward[i] + (c->parallel ? 0.0 : side);
    }
    return r;
}

/// Pixels that the ball may cover: x0, x1, y0, y1; false: none.
static bool ball_pixels(const tl_camera* c, const double* p, double radius, int32_t* box)
{
    box[0] = box[2] = 0;
    box[1] = c->width;
    box[3] = c->height;
    if (radius < 0)
        return true;
    const double v[3] = {p[0] - c->eye[0], p[1] - c->eye[1], p[2] - c->eye[2]};
    const double depth = dot(v, c->forward);
    double scale = c->scale, reach = radius * c->scale;
    if (!c->parallel) {
        if (depth < -radius)
            return false;
        if (depth <= 1.2 * radius)
            return true;
        scale = c->scale / depth;
        reach = 1.5 * radius * c->scale / (depth - radius); // generous: a ball's outline is not a circle
    }
    const double x = c->width / 2.0 + scale * dot(v, c->right), y = c->height / 2.0 - scale * dot(v, c->up);
    box[0] = (int32_t)fmax(0, fmin(c->width, floor(x - reach)));
    box[1] = (int32_t)fmax(0, fmin(c->width, ceil(x + reach) + 1));
    box[2] = (int32_t)fmax(0, fmin(c->height, floor(y - reach)));
    box[3] = (int32_t)fmax(0, fmin(c->height, ceil(y + reach) + 1));
    return box[0] < box[1] && box[2] < box[3];
}

/// The camera in a geom's frame, so that a pixel costs a few products.
static void local_camera(const tl_camera* c, const drawn_geom* g, double* eye, double (*axes)[3])
{
    const double v[3] = {c->eye[0] - g->p[0], c->eye[1] - g->p[1], c->eye[2] - g->p[2]};
    for (int32_t i = 0; i < 3; i++) {
        const double column[3] = {g->R[i], g->R[3 + i], g->R[6 + i]};
        eye[i] = dot(column, v);
        axes[0][i] = dot(column, c->forward);
        axes[1][i] = dot(column, c->right) / c->scale;
        axes[2][i] = dot(column, c->up) / c->scale;
    }
}

static void draw_geom(buffer* b, const drawn_geom* g, int32_t index, int32_t y0, int32_t y1)
{
    const tl_camera* c = &b->cam;
    int32_t box[4];
    double eye[3], axes[3][3], n[3];
    if (!ball_pixels(c, g->p, g->radius, box))
        return;
    local_camera(c, g, eye, axes);
    for (int32_t y = TL_MAX(box[2], y0); y < TL_MIN(box[3], y1); y++)
        for (int32_t x = box[0]; x < box[1]; x++) {
            const double u = x + 0.5 - c->width / 2.0, w = c->height / 2.0 - y - 0.5;
            tl_ray l;
            for (int32_t i = 0; i < 3; i++) {
                const double side = u * axes[1][i] + w * axes[2][i];
                l.o[i] = eye[i] + (c->parallel ? side : 0.0);
                l.d[i] = axes[0][i] + (c->parallel ? 0.0 : side);
            }
            const double t = tl_hit_shape(&g->shape, &l, n);
            const int64_t at = (int64_t)y * c->width + x;
            if (t > 0 && t < b->depth[at]) {
                b->depth[at] = (float)t;
                b->geom[at] = index;
            }
        }
}

typedef struct draw_task {
    const renderer* r;
    buffer* b;
    bool glass;
} draw_task;

static void draw_rows(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const draw_task* t = arg;
    const int32_t width = t->b->cam.width;
    (void)block;
    for (int64_t i = (int64_t)begin * width; i < (int64_t)end * width; i++) {
        t->b->depth[i] = FLT_MAX;
        t->b->geom[i] = -1;
    }
    for (int32_t i = 0; i < t->r->ngeom; i++)
        if (t->r->geoms[i].glass == t->glass)
            draw_geom(t->b, &t->r->geoms[i], i, begin, end);
}

static void draw_all(const renderer* r, buffer* b, bool glass)
{
    draw_task task = {.r = r, .b = b, .glass = glass};
    tl_parallel_for(r->ctx, b->cam.height, 64, draw_rows, &task);
}

// ---- the scene --------------------------------------------------------------------------------------------

static double bounding_radius(const tl_shape* s)
{
    const double* x = s->size;
    switch ((tl_shape_type)s->type) {
    case TL_SHAPE_SPHERE:
        return x[0];
    case TL_SHAPE_CAPSULE:
        return x[0] + x[1];
    case TL_SHAPE_ELLIPSOID:
        return fmax(x[0], fmax(x[1], x[2]));
    case TL_SHAPE_CYLINDER:
        return sqrt(x[0] * x[0] + x[1] * x[1]);
    case TL_SHAPE_BOX:
        return sqrt(dot(x, x));
    case TL_SHAPE_HFIELD: {
        const double z = fmax(fabs(s->hfield->high), s->hfield->base), *half = s->hfield->half;
        return sqrt(half[0] * half[0] + half[1] * half[1] + z * z);
    }
    case TL_SHAPE_MESH: {
        double most = 0.0;
        for (int32_t i = 0; i < s->hull->nv; i++)
            most = fmax(most, dot(s->hull->x + 3 * i, s->hull->x + 3 * i));
        return sqrt(most);
    }
    default:
        return -1.0;
    }
}

/// Geoms that nobody coloured get one of a few soft colours by body; fixed ones are grey.
static void choose_colour(const double* rgba, int32_t body, drawn_geom* g)
{
    static const double palette[][3] = {{0.89, 0.47, 0.20}, {0.25, 0.53, 0.77}, {0.93, 0.76, 0.29},
                                        {0.36, 0.66, 0.43}, {0.70, 0.36, 0.53}, {0.45, 0.62, 0.70}};
    const bool plain = rgba[0] == 0.5 && rgba[1] == 0.5 && rgba[2] == 0.5;
    const double grey[3] = {0.80, 0.80, 0.78};
    const double* from = !plain ? rgba : g->fixed ? grey : palette[body % TL_COUNT(palette)];
    for (int32_t i = 0; i < 3; i++)
        g->rgb[i] = fmax(0, fmin(1, from[i]));
}

static void gather_geoms(renderer* r, const talus_model* m, const double* pos, const double* quat)
{
    for (int32_t i = 0; i < m->info.ngeom; i++) {
        const tl_shape* s = &m->geom_shape[i];
        const int32_t body = m->geom_body[i];
        drawn_geom* g = &r->geoms[r->ngeom];
        // meshes as their convex hulls, those that only decorate not at all
        if (m->geom_rgba[4 * i + 3] <= 0 || (s->type == TL_SHAPE_MESH && !s->hull))
            continue;
        double q[4], p[3];
        g->shape = *s;
        tl_quat_mul(quat + 4 * body, m->geom_quat + 4 * i, q);
        tl_quat_to_mat(q, g->R);
        tl_quat_rotate(quat + 4 * body, m->geom_pos + 3 * i, p);
        bool finite = true;
        for (int32_t c = 0; c < 3; c++) {
            g->p[c] = pos[3 * body + c] + p[c];
            finite &= isfinite(g->p[c]) && isfinite(g->R[c]);
        }
        g->radius = bounding_radius(s);
        g->body = body;
        g->fixed = m->mb.body_tree[body] < 0;
        g->glass = false;
        choose_colour(m->geom_rgba + 4 * i, body, g);
        r->ngeom += finite;
    }
}

static int compare_doubles(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// A ball around the moving geoms; the farthest hundredth may be left out, since one lost body should not
/// make all others small.
static void find_extent(renderer* r, double* scratch)
{
    double lo[3] = {-1, -1, 0}, hi[3] = {1, 1, 1};
    for (int32_t pass = 0; pass < 2; pass++) {
        const bool moving = pass == 0;
        int32_t n = 0;
        for (int32_t c = 0; c < 3; c++) {
            n = 0;
            for (int32_t i = 0; i < r->ngeom; i++)
                if (r->geoms[i].radius >= 0 && r->geoms[i].fixed != moving)
                    scratch[n++] = r->geoms[i].p[c];
            if (n == 0)
                break;
            qsort(scratch, (size_t)n, sizeof *scratch, compare_doubles);
            lo[c] = scratch[n / 100];
            hi[c] = scratch[n - 1 - n / 100];
        }
        if (n > 0)
            break;
    }
    double size = 0.0;
    r->moving = false;
    for (int32_t i = 0; i < r->ngeom; i++)
        if (r->geoms[i].radius >= 0 && !r->geoms[i].fixed) {
            size = fmax(size, r->geoms[i].radius);
            r->moving = true;
        }
    double half2 = 0.0;
    for (int32_t c = 0; c < 3; c++) {
        r->lo[c] = lo[c];
        r->hi[c] = hi[c];
        r->centre[c] = 0.5 * (lo[c] + hi[c]);
        half2 += 0.25 * (hi[c] - lo[c]) * (hi[c] - lo[c]);
    }
    r->radius = fmax(sqrt(half2) + size, 1e-6);
}

/// Fixed geoms between the camera and the bodies' centre that are not the ground under them.
static void find_glass(renderer* r)
{
    const double* eye = r->view.cam.eye;
    const double side[2] = {eye[0] - r->centre[0], eye[1] - r->centre[1]};
    const double far = sqrt(side[0] * side[0] + side[1] * side[1]);
    for (int32_t i = 0; i < r->ngeom; i++) {
        drawn_geom* g = &r->geoms[i];
        if (!g->fixed || g->shape.type == TL_SHAPE_PLANE || g->shape.type == TL_SHAPE_HFIELD)
            continue;
        const double along = ((g->p[0] - r->centre[0]) * side[0] + (g->p[1] - r->centre[1]) * side[1]) / far;
        const double top = g->p[2] + (g->shape.type == TL_SHAPE_BOX ? fabs(g->R[6]) * g->shape.size[0] +
                                                                          fabs(g->R[7]) * g->shape.size[1] +
                                                                          fabs(g->R[8]) * g->shape.size[2]
                                                                    : g->radius);
        g->glass = along > 0.25 * r->radius && top > r->centre[2] - 0.25 * r->radius;
    }
}

static bool is_counted(const renderer* r, const drawn_geom* g)
{
    bool inside = g->radius >= 0 && g->fixed != r->moving;
    for (int32_t c = 0; c < 3; c++)
        inside = inside && g->p[c] >= r->lo[c] && g->p[c] <= r->hi[c];
    return inside;
}

/// Distance from which the balls of all counted geoms are seen around `at`, and where their middle is then on
/// the right and up axes (tangents).
static double fit_distance(const renderer* r, const tl_camera* c, const double* at, const double* tangent,
                           double* middle)
{
    double away = 0.0, lo[2] = {DBL_MAX, DBL_MAX}, hi[2] = {-DBL_MAX, -DBL_MAX};
    for (int32_t pass = 0; pass < 2; pass++) // the middle needs the distance
        for (int32_t i = 0; i < r->ngeom; i++) {
            const drawn_geom* g = &r->geoms[i];
            if (!is_counted(r, g))
                continue;
            const double v[3] = {g->p[0] - at[0], g->p[1] - at[1], g->p[2] - at[2]},
                         depth = dot(v, c->forward);
            const double side[2] = {dot(v, c->right), dot(v, c->up)};
            for (int32_t k = 0; k < 2; k++) {
                const double reach = g->radius * sqrt(1 + tangent[k] * tangent[k]);
                away = fmax(away, (fabs(side[k]) + reach) / tangent[k] - depth);
                lo[k] = pass ? fmin(lo[k], (side[k] - reach) / (away + depth)) : lo[k];
                hi[k] = pass ? fmax(hi[k], (side[k] + reach) / (away + depth)) : hi[k];
            }
        }
    for (int32_t k = 0; k < 2; k++)
        middle[k] = lo[k] <= hi[k] ? 0.5 * (lo[k] + hi[k]) : 0.0;
    return away;
}

/// Look from a fixed direction, as close as all counted geoms allow.
static void place_eye(renderer* r, tl_camera* c)
{
    const double azimuth = -0.95, elevation = 0.55, field = 0.36; // tangent of half the smaller field of view
    const double back[3] = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)};
    const int32_t smaller = TL_MIN(c->width, c->height);
    const double tangent[2] = {field * c->width / smaller, field * c->height / smaller};
    double at[3], eye[3], away = r->radius / sin(atan(field)), middle[2];
    c->scale = smaller / (2 * field);
    memcpy(at, r->centre, sizeof at);
    for (int32_t round = 0; round < 4; round++) {
        for (int32_t i = 0; i < 3; i++)
            eye[i] = at[i] + away * back[i];
        aim(c, eye, at);
        const double fit = fit_distance(r, c, at, tangent, middle);
        if (fit <= 0)
            break;
        away = MARGIN * fit;
        for (int32_t i = 0; i < 3 && round < 3; i++)
            at[i] += away * (middle[0] * c->right[i] + middle[1] * c->up[i]);
    }
    for (int32_t i = 0; i < 3; i++)
        eye[i] = at[i] + away * back[i];
    aim(c, eye, at);
}

static void place_cameras(renderer* r, int32_t width, int32_t height)
{
    tl_camera* c = &r->view.cam;
    c->parallel = false;
    c->width = width * SAMPLES;
    c->height = height * SAMPLES;
    place_eye(r, c);
    r->glass.cam = *c;

    r->sun[0] = 0.35;
    r->sun[1] = -0.75;
    r->sun[2] = 1.25;
    normalize(r->sun);
    const double far = 4 * r->radius;
    const double above[3] = {r->centre[0] + far * r->sun[0], r->centre[1] + far * r->sun[1],
                             r->centre[2] + far * r->sun[2]};
    c = &r->shadow.cam;
    c->parallel = true;
    c->width = c->height = SUN_SIZE;
    c->scale = SUN_SIZE / (3.2 * r->radius);
    aim(c, above, r->centre);
}

// ---- colours ----------------------------------------------------------------------------------------------

static bool in_sun(const renderer* r, const double* p, const double* n)
{
    const tl_camera* c = &r->shadow.cam;
    double v[3], cells = 0;
    for (int32_t i = 0; i < 3; i++)
        v[i] = p[i] - c->eye[i];
    const double depth = dot(v, c->forward);
    const int32_t x = (int32_t)(c->width / 2.0 + c->scale * dot(v, c->right));
    const int32_t y = (int32_t)(c->height / 2.0 - c->scale * dot(v, c->up));
    if (x < 0 || x >= c->width || y < 0 || y >= c->height)
        return true;
    // steep surfaces change more within a cell of the map
    cells = 1.0 + 2.0 / fmax(0.15, dot(n, r->sun));
    return r->shadow.depth[(int64_t)y * c->width + x] > depth - cells / c->scale;
}

static void shade(const renderer* r, const drawn_geom* g, const tl_ray* pixel, double* rgb)
{
    double n[3], p[3];
    const double t = hit_geom(g, pixel, n);
    for (int32_t i = 0; i < 3; i++)
        p[i] = pixel->o[i] + t * pixel->d[i];
    if (dot(n, pixel->d) > 0)
        for (int32_t i = 0; i < 3; i++)
            n[i] = -n[i];
    const double light = dot(n, r->sun), sky = 0.5 + 0.5 * n[2];
    const double sun = light > 0 && in_sun(r, p, n) ? light : 0.0;
    double tone[3];
    for (int32_t i = 0; i < 3; i++)
        tone[i] = g->rgb[i];
    if (g->shape.type == TL_SHAPE_PLANE) { // squares give the eye a measure of the ground
        const double cell = pow(10.0, floor(log10(2 * r->radius)));
        const bool odd = ((int64_t)floor(p[0] / cell) + (int64_t)floor(p[1] / cell)) & 1;
        for (int32_t i = 0; i < 3; i++)
            tone[i] *= odd ? 0.94 : 1.0;
    }
    for (int32_t i = 0; i < 3; i++)
        rgb[i] = tone[i] * (0.28 + 0.22 * sky + 0.55 * sun);
}

/// Darker where the geom changes between neighbours.
static bool is_edge(const buffer* b, int32_t x, int32_t y)
{
    const int64_t at = (int64_t)y * b->cam.width + x;
    return (x > 0 && b->geom[at] != b->geom[at - 1]) || (y > 0 && b->geom[at] != b->geom[at - b->cam.width]);
}

static void sample_colour(const renderer* r, int32_t x, int32_t y, double* rgb)
{
    const buffer* b = &r->view;
    const int64_t at = (int64_t)y * b->cam.width + x;
    const tl_ray pixel = pixel_ray(&b->cam, x + 0.5, y + 0.5);
    if (b->geom[at] < 0) {
        const double height = (double)y / b->cam.height;
        rgb[0] = 0.93 + 0.05 * height;
        rgb[1] = 0.95 + 0.035 * height;
        rgb[2] = 0.975 + 0.01 * height;
    } else {
        shade(r, &r->geoms[b->geom[at]], &pixel, rgb);
        // the ground fades into the sky
        const double far =
            fmax(0, fmin(1, (b->depth[at] * sqrt(dot(pixel.d, pixel.d)) / r->radius - 6) / 25));
        for (int32_t i = 0; i < 3; i++)
            rgb[i] += far * (0.955 - rgb[i]);
    }
    double dark = is_edge(b, x, y) ? 0.6 : 1.0;
    if (r->patched) {
        const bool covered = b->geom[at] >= 0 && b->depth[at] < (1.0 - 1e-4) * r->patches.depth[at];
        if (tl_patch_layer_colour(&r->patches, &b->cam, x, y, covered, rgb) && !covered)
            dark = 1.0;
    }
    const int32_t glass = r->glass.geom[at];
    if (glass >= 0 && r->glass.depth[at] < b->depth[at]) {
        for (int32_t i = 0; i < 3; i++)
            rgb[i] += GLASS * (r->geoms[glass].rgb[i] - rgb[i]);
        dark = fmin(dark, is_edge(&r->glass, x, y) ? 0.75 : 1.0);
    }
    for (int32_t i = 0; i < 3; i++)
        rgb[i] *= dark;
}

typedef struct colour_task {
    const renderer* r;
    uint8_t* rgb;
    int32_t width;
} colour_task;

static void colour_rows(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const colour_task* t = arg;
    (void)block;
    for (int32_t y = begin; y < end; y++)
        for (int32_t x = 0; x < t->width; x++) {
            double sum[3] = {0, 0, 0};
            for (int32_t s = 0; s < SAMPLES * SAMPLES; s++) {
                double rgb[3];
                sample_colour(t->r, SAMPLES * x + s % SAMPLES, SAMPLES * y + s / SAMPLES, rgb);
                for (int32_t i = 0; i < 3; i++)
                    sum[i] += rgb[i];
            }
            for (int32_t i = 0; i < 3; i++)
                t->rgb[3 * ((int64_t)y * t->width + x) + i] =
                    (uint8_t)fmax(0, fmin(255, 255 * sum[i] / (SAMPLES * SAMPLES) + 0.5));
        }
}

static bool make_buffer(tl_arena* a, buffer* b, int64_t pixels)
{
    b->depth = tl_arena_alloc(a, (size_t)pixels * sizeof *b->depth);
    b->geom = tl_arena_alloc(a, (size_t)pixels * sizeof *b->geom);
    return b->depth && b->geom;
}

/// Contact patches behind the surfaces that the view holds already.
static talus_status draw_patches(renderer* r, tl_arena* a, talus_sim* sim, const talus_state* state,
                                 int64_t pixels)
{
    tl_patch_view view;
    tl_patch_layer* l = &r->patches;
    TL_TRY(tl_sim_patch_view(sim, state, &view));
    if (view.n == 0)
        return TALUS_OK;
    l->depth = TL_ARENA(a, float, pixels);
    l->pressure = TL_ARENA(a, float, pixels);
    l->face = TL_ARENA(a, int32_t, pixels);
    int32_t* body = TL_ARENA(a, int32_t, pixels);
    if (!l->depth || !l->pressure || !l->face || !body)
        return tl_nomem(r->ctx, (size_t)pixels * 16);
    for (int64_t i = 0; i < pixels; i++)
        body[i] = r->view.geom[i] < 0 ? -1 : r->geoms[r->view.geom[i]].body;
    const tl_cover cover = {.depth = r->view.depth, .body = body};
    tl_patch_layer_draw(&r->view.cam, &view, &cover, l);
    r->patched = true;
    return TALUS_OK;
}

static talus_status render(renderer* r, tl_arena* a, const talus_model* m, talus_sim* sim,
                           const talus_state* state, int32_t width, int32_t height, uint8_t* rgb)
{
    const int64_t pixels = (int64_t)width * height * SAMPLES * SAMPLES, nbody = m->mb.nbody,
                  ngeom = m->info.ngeom;
    double *pos = TL_ARENA(a, double, 3 * nbody), *quat = TL_ARENA(a, double, 4 * nbody);
    double* scratch = TL_ARENA(a, double, ngeom);
    r->geoms = TL_ARENA(a, drawn_geom, ngeom);
    if (!pos || !quat || !scratch || !r->geoms || !make_buffer(a, &r->view, pixels) ||
        !make_buffer(a, &r->glass, pixels) || !make_buffer(a, &r->shadow, (int64_t)SUN_SIZE * SUN_SIZE))
        return tl_nomem(r->ctx, (size_t)pixels * 16);
    TL_TRY(talus_sim_bodies(sim, state, pos, quat, NULL, NULL));
    gather_geoms(r, m, pos, quat);
    find_extent(r, scratch);
    place_cameras(r, width, height);
    find_glass(r);
    draw_all(r, &r->view, false);
    draw_all(r, &r->glass, true);
    draw_all(r, &r->shadow, false);
    if (m->nfield > 0)
        TL_TRY(draw_patches(r, a, sim, state, pixels));
    colour_task task = {.r = r, .rgb = rgb, .width = width};
    tl_parallel_for(r->ctx, height, 32, colour_rows, &task);
    return TALUS_OK;
}

talus_status tl_render(talus_context* ctx, const talus_model* model, talus_sim* sim, const talus_state* state,
                       int32_t width, int32_t height, uint8_t* rgb, double* pressure_max)
{
    renderer r = {.ctx = ctx};
    tl_arena a;
    tl_arena_init(&a, ctx);
    const talus_status status = render(&r, &a, model, sim, state, width, height, rgb);
    tl_arena_fini(&a);
    *pressure_max = r.patched ? r.patches.top : 0.0;
    return status;
}
