// SPDX-License-Identifier: MIT
// Faces in pictures: every sample within a face holds the pressure of the point that its ray meets, faces side by side
// share no sample and leave none out, and bodies hide faces that are not theirs.
#include "test.h"
#include "render.h"

#define W 160
#define H 120

typedef struct canvas {
    float depth[W * H], pressure[W * H], cover_depth[W * H];
    int32_t face[W * H], cover_body[W * H];
    tl_patch_layer layer;
} canvas;

static tl_patch_layer* layer_of(canvas* c)
{
    c->layer = (tl_patch_layer){.depth = c->depth, .pressure = c->pressure, .face = c->face};
    return &c->layer;
}

// two triangles of the square z = a x + b y, |x|, |y| <= 1, with the pressure 10 + 3 x - 4 y
typedef struct square {
    double x[6][3], p[6], centroid[2][3], normal[2][3], pressure[2];
    int32_t nvertex[2];
    tl_patch patch;
    const tl_patch* list;
    talus_patch pair;
    tl_patch_view view;
} square;

static double pressure_at(double x, double y)
{
    return 10 + 3 * x - 4 * y;
}

static void make_square(square* s, double a, double b)
{
    static const double corner[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    const double size = sqrt(1 + a * a + b * b);
    for (int i = 0; i < 6; i++) {
        const double *c = corner[i], v[3] = {c[0], c[1], a * c[0] + b * c[1]};
        memcpy(s->x[i], v, sizeof v);
        s->p[i] = pressure_at(c[0], c[1]);
    }
    for (int t = 0; t < 2; t++) {
        const double n[3] = {-a / size, -b / size, 1 / size};
        memcpy(s->normal[t], n, sizeof n);
        for (int r = 0; r < 3; r++)
            s->centroid[t][r] = (s->x[3 * t][r] + s->x[3 * t + 1][r] + s->x[3 * t + 2][r]) / 3;
        s->pressure[t] = pressure_at(s->centroid[t][0], s->centroid[t][1]);
        s->nvertex[t] = 3;
    }
    s->patch = (tl_patch){.n = 2,
                          .vertex = s->x[0],
                          .vertex_p = s->p,
                          .centroid = s->centroid[0],
                          .normal = s->normal[0],
                          .pressure = s->pressure,
                          .nvertex = s->nvertex};
    s->list = &s->patch;
    s->pair = (talus_patch){.body_a = 3, .body_b = 7};
    s->view = (tl_patch_view){.n = 1, .patch = &s->list, .pair = &s->pair};
}

// from above, y up in the picture
static tl_camera above(bool parallel)
{
    return (tl_camera){.eye = {0.1, -0.05, 4},
                       .right = {1, 0, 0},
                       .up = {0, 1, 0},
                       .forward = {0, 0, -1},
                       .scale = parallel ? 40 : 150,
                       .parallel = parallel,
                       .width = W,
                       .height = H};
}

static void samples__hold_the_pressure_of_their_point(void** state)
{
    static canvas c;
    (void)state;
    for (int parallel = 0; parallel < 2; parallel++) {
        const double a = 0.4, b = -0.3;
        square s;
        make_square(&s, a, b);
        const tl_camera cam = above(parallel);
        tl_patch_layer_draw(&cam, &s.view, NULL, layer_of(&c));
        const double top = pressure_at(1, -1);
        test_near("top", &c.layer.top, &top, 1, 1e-15, 0);
        int32_t inside = 0, both = 0;
        for (int32_t y = 0; y < H; y++)
            for (int32_t x = 0; x < W; x++) {
                // the ray eye + t (u, w, -1), or from eye + (u, w, 0) straight down, meets z = a x + b y
                const double u = (x + 0.5 - W / 2.0) / cam.scale, w = (H / 2.0 - y - 0.5) / cam.scale,
                             ex = cam.eye[0], ey = cam.eye[1], ez = cam.eye[2];
                const double t = parallel ? ez - a * (ex + u) - b * (ey + w)
                                          : (ez - a * ex - b * ey) / (1 + a * u + b * w);
                const double px = parallel ? ex + u : ex + t * u, py = parallel ? ey + w : ey + t * w;
                const bool seen = c.face[y * W + x] >= 0;
                const double off = fmax(fabs(px), fabs(py)) - 1;
                if (fabs(off) < 1e-9)
                    continue;
                assert_int_equal(seen, off < 0);
                if (!seen)
                    continue;
                inside++;
                both += c.face[y * W + x] == 1;
                if (fabs(py - px) > 1e-9)
                    assert_int_equal(c.face[y * W + x], py > px);
                const double got[2] = {c.pressure[y * W + x], c.depth[y * W + x]},
                             want[2] = {pressure_at(px, py), t};
                test_near("pressure and depth", got, want, 2, 1e-6, 10);
            }
        assert_true(inside > 3000 && both > 1000 && both < inside - 1000);
    }
}

static int32_t seen_behind(canvas* c, const square* s, int32_t body, float depth)
{
    const tl_camera cam = above(true);
    int32_t n = 0;
    for (int32_t i = 0; i < W * H; i++) {
        c->cover_depth[i] = depth;
        c->cover_body[i] = i % W < W / 2 ? -1 : body; // on the right
    }
    const tl_cover cover = {.depth = c->cover_depth, .body = c->cover_body};
    tl_patch_layer_draw(&cam, &s->view, &cover, layer_of(c));
    for (int32_t i = 0; i < W * H; i++)
        n += c->face[i] >= 0 && i % W >= W / 2;
    return n;
}

static void other_bodies__hide_a_patch(void** state)
{
    static canvas c;
    square s;
    (void)state;
    make_square(&s, 0, 0);
    // 4 m below the eye; the right half of the picture begins at x = 0.1
    const int32_t all = (int32_t)(0.9 * 40) * 80;
    assert_int_equal(seen_behind(&c, &s, 3, 3.0f), all);
    assert_int_equal(seen_behind(&c, &s, 7, 3.0f), all);
    assert_int_equal(seen_behind(&c, &s, 5, 3.0f), 0);
    assert_int_equal(seen_behind(&c, &s, 5, 5.0f), all);
    assert_int_equal(seen_behind(&c, &s, 5, 4.0f), all); // on its surface
}

// CIE lightness rises evenly with the pressure
static void colours__rise_evenly_in_lightness(void** state)
{
    (void)state;
    double last = 0.0;
    for (int i = 0; i <= 64; i++) {
        double rgb[3], y = 0.0;
        const double weight[3] = {0.2126, 0.7152, 0.0722};
        tl_pressure_colour(i / 64.0, rgb);
        for (int k = 0; k < 3; k++)
            y += weight[k] * (rgb[k] <= 0.04045 ? rgb[k] / 12.92 : pow((rgb[k] + 0.055) / 1.055, 2.4));
        const double lightness = 116 * cbrt(y) - 16;
        if (i > 0)
            assert_true(lightness - last > 0.6 && lightness - last < 1.8); // 76 in all, 1.2 a step
        last = lightness;
    }
    double low[3], under[3];
    tl_pressure_colour(0.0, low);
    tl_pressure_colour(-3.0, under);
    assert_memory_equal(low, under, sizeof low);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples__hold_the_pressure_of_their_point),
        cmocka_unit_test(other_bodies__hide_a_patch),
        cmocka_unit_test(colours__rise_evenly_in_lightness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
