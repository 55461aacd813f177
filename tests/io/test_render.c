// SPDX-License-Identifier: MIT
// The picture of a ball is a disc of the size that the camera's geometry says (closed form).
#include "test.h"
#include <talus/talus.h>
#include "picture.h"
#include "render.h"

#include <unistd.h>

static void render_scene(const char* scene, int32_t width, int32_t height, uint8_t* rgb)
{
    char path[64];
    talus_model* model = NULL;
    talus_state* state = NULL;
    talus_sim* sim = NULL;
    double pressure_max = 0.0;
    talus_context* ctx = test_context(2);
    snprintf(path, sizeof path, "/tmp/talus_test_%ld.xml", (long)getpid());
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    fputs(scene, f);
    fclose(f);
    const talus_load_options load = talus_load_default();
    assert_int_equal(talus_model_load(ctx, path, &load, &model), TALUS_OK);
    unlink(path);
    assert_int_equal(talus_state_create(ctx, model, &state), TALUS_OK);
    assert_int_equal(talus_sim_create(ctx, model, NULL, &sim), TALUS_OK);
    assert_int_equal(tl_render(ctx, model, sim, state, width, height, rgb, &pressure_max), TALUS_OK);
    talus_sim_destroy(sim);
    talus_state_destroy(state);
    talus_model_destroy(model);
    talus_context_destroy(ctx);
}

#define W 400
#define H 300

/// Pixels that are red, as nothing else in these scenes is.
static int32_t count_red(const uint8_t* rgb)
{
    int32_t n = 0;
    for (int32_t i = 0; i < W * H; i++)
        n += rgb[3 * i] > 2 * rgb[3 * i + 1] + 20;
    return n;
}

static void ball__covers_the_disc_of_its_cone(void** state)
{
    static uint8_t rgb[W * H * 3];
    (void)state;
    render_scene("<mujoco><worldbody><body pos=\"3 -2 7\"><freejoint/>"
                 "<geom size=\"0.4\" rgba=\"1 0 0 1\"/></body></worldbody></mujoco>",
                 W, H, rgb);
    // the camera stands so that a ball of 1.02 times the radius would touch the edge of the lower field of
    // view, 0.36
    const double angle = asin(sin(atan(0.36)) / 1.08), radius = H / (2 * 0.36) * tan(angle);
    const double want = 3.14159265358979 * radius * radius;
    // the rim is a dark line of about a pixel
    const double got = count_red(rgb);
    test_near("disc", &got, &want, 1, 4 / radius, want);
}

static void walls__in_front_are_glass(void** state)
{
    static uint8_t open[W * H * 3], walled[W * H * 3];
    (void)state;
    const char* ball = "<body pos=\"0 0 1\"><freejoint/><geom size=\"0.4\" rgba=\"1 0 0 1\"/></body>";
    char scene[1024];
    snprintf(scene, sizeof scene, "<mujoco><worldbody>%s</worldbody></mujoco>", ball);
    render_scene(scene, W, H, open);
    snprintf(scene, sizeof scene,
             "<mujoco><worldbody>%s<geom type=\"box\" size=\"2 0.05 2\" pos=\"0 -1 1\"/>"
             "<geom type=\"box\" size=\"2 0.05 2\" pos=\"0 1 1\"/></worldbody></mujoco>",
             ball);
    render_scene(scene, W, H, walled);
    // the near wall stands between camera and ball, the far one behind it
    const double want = count_red(open), got = count_red(walled);
    assert_true(want > 10000);
    test_near("red", &got, &want, 1, 0.15, want);
}

/// t of a ray and the triangle a b c by Cramer's rule, INFINITY: passes by.
static double brute_hit(const double* o, const double* d, const double* a, const double* b, const double* c)
{
    double m[3][3], rhs[3], x[3];
    for (int i = 0; i < 3; i++) {
        m[i][0] = -d[i];
        m[i][1] = b[i] - a[i];
        m[i][2] = c[i] - a[i];
        rhs[i] = o[i] - a[i];
    }
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int k = 0; k < 3; k++) {
        double s[3][3];
        memcpy(s, m, sizeof s);
        for (int i = 0; i < 3; i++)
            s[i][k] = rhs[i];
        x[k] = (s[0][0] * (s[1][1] * s[2][2] - s[1][2] * s[2][1]) -
                s[0][1] * (s[1][0] * s[2][2] - s[1][2] * s[2][0]) +
                s[0][2] * (s[1][0] * s[2][1] - s[1][1] * s[2][0])) /
               det;
    }
    return x[0] >= 0 && x[1] >= 0 && x[2] >= 0 && x[1] + x[2] <= 1 ? x[0] : INFINITY;
}

static void height_field__is_hit_where_its_triangles_are(void** state)
{
    (void)state;
    enum { ROWS = 7, COLS = 9 };
    const double half[2] = {1.5, 1.1};
    double z[ROWS * COLS], n[3];
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 3);
    tl_hfield* h = NULL;
    for (int i = 0; i < ROWS * COLS; i++)
        z[i] = tl_rng_uniform(&rng, 0.0, 0.4);
    assert_int_equal(tl_hfield_create(ctx, ROWS, COLS, half, 0.5, z, &h), TALUS_OK);
    int32_t hits = 0;
    for (int32_t i = 0; i < 20000; i++) {
        const double o[3] = {tl_rng_uniform(&rng, -1.4, 1.4), tl_rng_uniform(&rng, -1, 1), 0.41};
        const double d[3] = {tl_rng_normal(&rng), i % 7 ? tl_rng_normal(&rng) : 0.0,
                             -tl_rng_uniform(&rng, 0.01, 1)};
        double want = INFINITY;
        for (int r = 0; r + 1 < ROWS; r++)
            for (int c = 0; c + 1 < COLS; c++) {
                double v[4][3];
                for (int k = 0; k < 4; k++) {
                    v[k][0] = 3.0 * (c + k % 2) / (COLS - 1) - 1.5;
                    v[k][1] = 2.2 * (r + k / 2) / (ROWS - 1) - 1.1;
                    v[k][2] = z[(r + k / 2) * COLS + c + k % 2];
                }
                want = fmin(want, fmin(brute_hit(o, d, v[0], v[1], v[3]), brute_hit(o, d, v[0], v[3], v[2])));
            }
        const double got = tl_hit_hfield(h, o, d, n);
        if (isinf(want)) {
            assert_true(got < 0);
            continue;
        }
        test_near1("hit", got, want, 1e-9);
        hits++;
    }
    assert_true(hits > 10000);
    // from the side, into a wall
    const double o[3] = {-4, 0.1, -0.2}, d[3] = {1, 0, 0};
    test_near1("wall", tl_hit_hfield(h, o, d, n), 2.5, 1e-15);
    test_near("normal of the wall", n, (double[]){-1, 0, 0}, 3, 1e-15, 1.0);
    tl_free(ctx, h);
    talus_context_destroy(ctx);
}

// negative inside a shape, 0 on its surface; of distances, or nearly
static double outside(const tl_shape* s, const double* x)
{
    const double *a = s->size, rho = hypot(x[0], x[1]);
    switch ((tl_shape_type)s->type) {
    case TL_SHAPE_SPHERE:
        return hypot(rho, x[2]) - a[0];
    case TL_SHAPE_CAPSULE:
        return hypot(rho, fmax(fabs(x[2]) - a[1], 0.0)) - a[0];
    case TL_SHAPE_ELLIPSOID:
        return sqrt(pow(x[0] / a[0], 2) + pow(x[1] / a[1], 2) + pow(x[2] / a[2], 2)) - 1.0;
    case TL_SHAPE_CYLINDER:
        return fmax(rho - a[0], fabs(x[2]) - a[1]);
    case TL_SHAPE_BOX:
        return fmax(fabs(x[0]) - a[0], fmax(fabs(x[1]) - a[1], fabs(x[2]) - a[2]));
    default:
        return x[2]; // plane
    }
}

// the first point of the ray that is on the surface, and the direction in which the function above grows there
static void ray__meets_the_surface_first(void** state)
{
    (void)state;
    const tl_shape shapes[] = {{.type = TL_SHAPE_SPHERE, .size = {0.7}},
                               {.type = TL_SHAPE_CAPSULE, .size = {0.4, 0.6}},
                               {.type = TL_SHAPE_ELLIPSOID, .size = {0.9, 0.3, 0.6}},
                               {.type = TL_SHAPE_CYLINDER, .size = {0.5, 0.7}},
                               {.type = TL_SHAPE_BOX, .size = {0.5, 0.8, 0.3}},
                               {.type = TL_SHAPE_PLANE, .size = {0, 0, 1}}};
    tl_rng rng;
    tl_rng_seed(&rng, 17);
    for (int k = 0; k < TL_COUNT(shapes); k++) {
        int32_t hits = 0, misses = 0;
        for (int i = 0; i < 2000; i++) {
            tl_ray r;
            double n[3], x[3];
            for (int j = 0; j < 3; j++) {
                r.o[j] = tl_rng_uniform(&rng, 1.5, 3) * (tl_rng_uniform(&rng, -1, 1) < 0 && j < 2 ? -1 : 1);
                r.d[j] = 0.5 * (tl_rng_uniform(&rng, -1.2, 1.2) - r.o[j]);
            }
            const double t = tl_hit_shape(shapes + k, &r, n), end = t > 0 ? t * (1 - 1e-9) : 4.0;
            for (int c = 0; c < 400; c++) {
                for (int j = 0; j < 3; j++)
                    x[j] = r.o[j] + end * c / 399 * r.d[j];
                assert_true(outside(shapes + k, x) > 0.0);
            }
            hits += t > 0;
            misses += t < 0;
            if (t < 0)
                continue;
            double along = 0.0, size = 0.0;
            for (int j = 0; j < 3; j++)
                x[j] = r.o[j] + t * r.d[j];
            assert_true(fabs(outside(shapes + k, x)) < 1e-12);
            for (int j = 0; j < 3; j++) {
                double y[3] = {x[0], x[1], x[2]}, z[3] = {x[0], x[1], x[2]};
                y[j] += 1e-6;
                z[j] -= 1e-6;
                const double slope = outside(shapes + k, y) - outside(shapes + k, z);
                along += slope * n[j];
                size += slope * slope;
            }
            // the slope turns where it is measured across an edge
            test_near1("length of the normal", sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1.0, 1e-12);
            assert_true(along > 0.999 * sqrt(size) || (k >= 3 && along > 0.5 * sqrt(size)));
        }
        assert_true(hits > 200 && (misses > 200 || k == 5));
    }
}

// a cube given as a mesh of its corners, seen beside the same cube as a box: the pictures are one but for single pixels
static void mesh__looks_like_its_hull(void** state)
{
    static uint8_t box[W * H * 3], mesh[W * H * 3];
    (void)state;
#if !defined(TALUS_HAVE_QHULL)
    skip(); // no hulls
#endif
    const char* pose = "pos=\"0.2 0 1\" euler=\"20 30 40\"";
    char scene[1024];
    snprintf(
        scene, sizeof scene,
        "<mujoco><worldbody><body %s><freejoint/><geom type=\"box\" size=\"0.3 0.2 0.1\" rgba=\"1 0 0 1\"/>"
        "</body></worldbody></mujoco>",
        pose);
    render_scene(scene, W, H, box);
    snprintf(
        scene, sizeof scene,
        "<mujoco><asset><mesh name=\"m\" vertex=\".3 .2 .1 -.3 .2 .1 .3 -.2 .1 -.3 -.2 .1 .3 .2 -.1 -.3 .2 "
        "-.1 "
        ".3 -.2 -.1 -.3 -.2 -.1\"/></asset><worldbody><body %s><freejoint/><geom type=\"mesh\" mesh=\"m\" "
        "rgba=\"1 0 0 1\"/></body></worldbody></mujoco>",
        pose);
    render_scene(scene, W, H, mesh);
    // the balls around them differ in the last bits, and so does the camera
    const double want = count_red(box), got = count_red(mesh);
    assert_true(want > 5000);
    test_near("red", &got, &want, 1, 0.01, want);
    int32_t off = 0;
    for (int32_t i = 0; i < W * H * 3; i++)
        off += abs(box[i] - mesh[i]) > 8;
    assert_true(off < W * H * 3 / 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball__covers_the_disc_of_its_cone), cmocka_unit_test(walls__in_front_are_glass),
        cmocka_unit_test(height_field__is_hit_where_its_triangles_are),
        cmocka_unit_test(ray__meets_the_surface_first), cmocka_unit_test(mesh__looks_like_its_hull)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
