// SPDX-License-Identifier: MIT
// C23: contact of flat faces is neither dropped nor flickers: concentric cubes get their four corners; boxes
// and discs at rest keep the number and places of their points for 1000 steps, and the forces add up to the
// weight in every step.
#include "scene.h"

#include "geometry.h"

static void concentric_cubes__four_corners(void** state)
{
    (void)state;
    const double half = 0.05, overlap = 2.5e-4;
    const tl_shape cube = {.type = TL_SHAPE_BOX, .size = {half, half, half}};
    const tl_pose low = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                  high = {.p = {0.0, 0.0, 0.1 - overlap}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tl_contact_point c[TL_MANIFOLD_MAX];
    const int32_t n = tl_collide(&cube, &high, &cube, &low, 0.0, c);
    assert_int_equal(n, 4);
    int32_t corners = 0;
    for (int32_t i = 0; i < n; i++) {
        test_near1("depth", c[i].depth, overlap, 1e-12);
        test_near1("normal", c[i].normal[2], 1.0, 1e-15);
        for (int32_t k = 0; k < 2; k++)
            test_near1("corner", fabs(c[i].pa[k]), half, 1e-12);
        corners |= 1 << ((c[i].pa[0] > 0.0) + 2 * (c[i].pa[1] > 0.0));
    }
    assert_int_equal(corners, 15);
}

// the default tolerance lets forces be off by 1e-6: here they shall add up better
static void start(scene* s)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-10;
    scene_start(s, &opt);
}

// 200 steps to settle, then 1000: same number of points, each within 1 % of `size` of where it was, forces =
// weight
static void rests(scene* s, const char* body, double h, double weight, double size)
{
    enum { MOST = 16 };
    double first[3 * MOST], moved = 0.0, off = 0.0;
    int64_t feature[MOST];
    int32_t count = 0;
    scene_run(s, h, 200);
    for (int32_t i = 0; i < 1000; i++) {
        scene_step(s, h);
        const talus_contacts c = talus_sim_contacts(s->sim);
        if (i == 0) {
            count = c.count;
            assert_true(count >= 3 && count <= MOST);
            memcpy(first, c.point, sizeof(double) * 3 * (size_t)count);
            memcpy(feature, c.feature, sizeof(int64_t) * (size_t)count);
        }
        assert_int_equal(c.count, count);
        assert_int_equal(memcmp(feature, c.feature, sizeof(int64_t) * (size_t)count), 0);
        for (int32_t k = 0; k < 3 * count; k++)
            moved = fmax(moved, fabs(c.point[k] - first[k]));
        double f[3];
        scene_contact_force(s, scene_body(s, body), -1, f);
        off = fmax(off, fabs(f[2] - weight) / weight);
    }
    print_message("%s: %d points, moved by %.2g of the size, forces off the weight by %.2g\n", body, count,
                  moved / size, off);
    assert_true(moved < 0.01 * size);
    assert_true(off < 1e-7 * test_tol_scale());
}

// 7 x 7 x 10 mm half sizes, tilted by 1e-6 rad, on a plane and on a box
static void tilted_box(const char* floor)
{
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    const double m = 8.0 * 0.007 * 0.007 * 0.01 * 1000.0;
    scene_add(&s,
              "%s<body name=\"box\" pos=\"0 0 %.17g\" euler=\"1e-6 0 0\"><freejoint/>"
              "<geom type=\"box\" size=\"0.007 0.007 0.01\" density=\"1000\" margin=\"0.0005\"/></body>\n",
              floor, 0.01 - m * SCENE_G / 4e4);
    scene_tail(&s);
    start(&s);
    rests(&s, "box", 1e-3, m * SCENE_G, 0.014);
    scene_end(&s);
}

static void tilted_box__rests_on_plane(void** state)
{
    (void)state;
    tilted_box("<geom type=\"plane\" size=\"1 1 1\" margin=\"0.0005\"/>\n");
}

static void tilted_box__rests_on_box(void** state)
{
    (void)state;
    tilted_box("<geom type=\"box\" size=\"0.1 0.1 0.1\" pos=\"0 0 -0.1\" margin=\"0.0005\"/>\n");
}

static void disc(const char* floor)
{
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s,
              "%s<body name=\"disc\" pos=\"0 0 %.17g\"><freejoint/>"
              "<geom type=\"cylinder\" size=\"0.02 0.005\" mass=\"0.1\"/></body>\n",
              floor, 0.005 - 0.1 * SCENE_G / 4e4);
    scene_tail(&s);
    start(&s);
    rests(&s, "disc", 1e-3, 0.1 * SCENE_G, 0.04);
    scene_end(&s);
}

static void disc__rests_on_plane(void** state)
{
    (void)state;
    disc("<geom type=\"plane\" size=\"1 1 1\"/>\n");
}

static void disc__rests_on_box(void** state)
{
    (void)state;
    disc("<geom type=\"box\" size=\"0.1 0.1 0.1\" pos=\"0 0 -0.1\"/>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concentric_cubes__four_corners),
        cmocka_unit_test(tilted_box__rests_on_plane),
        cmocka_unit_test(tilted_box__rests_on_box),
        cmocka_unit_test(disc__rests_on_plane),
        cmocka_unit_test(disc__rests_on_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
