// SPDX-License-Identifier: MIT
// C27: what slides or rests on a height field does not feel the inner edges of its triangles: a sphere without friction
// keeps its velocity over all of them with one contact of constant force; a box stands on its four corners (C23).
#include "scene.h"

#include "geometry.h"

static void ground(scene* s, double hx, double hy, int32_t nrow, int32_t ncol, const char* geom)
{
    scene_add(s,
              "</worldbody><asset><hfield name=\"ground\" nrow=\"%d\" ncol=\"%d\" size=\"%g %g 1 "
              "1\"/></asset><worldbody>\n",
              nrow, ncol, hx, hy);
    scene_add(s, "<geom type=\"hfield\" hfield=\"ground\" %s/>\n", geom);
}

// 10 x 1 m of 20 triangles, r 0.1, 1 m/s, mu = 0; once along the axis of the grid's lines, once across its diagonals
static void sphere__slides_over_inner_edges(void** state)
{
    (void)state;
    for (int32_t run = 0; run < 2; run++) {
        scene s;
        scene_begin(&s, 1);
        const double k = 1e5, r = 0.1, depth = SCENE_G / k;
        scene_head(&s, k, 5.0, 0.0, 0.0, 0.0, -SCENE_G);
        ground(&s, 5.0, 0.5, 2, 11, "");
        scene_add(&s,
                  "<body name=\"ball\" pos=\"-4.5 %g %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" "
                  "diaginertia=\"0.004 0.004 0.004\"/><geom size=\"%g\"/></body>\n",
                  run ? -0.4 : 0.0, r - depth, r);
        scene_tail(&s);
        scene_start(&s, NULL);
        const int32_t ball = scene_body(&s, "ball");
        const double vy = run ? 0.09 : 0.0;
        s.v[0] = 1.0;
        s.v[1] = vy;
        for (int32_t i = 0; i < 4400; i++) {
            double f[3];
            scene_step(&s, 2e-3);
            assert_int_equal(scene_contact_force(&s, ball, -1, f), 1);
            test_near("vz", &s.v[2], &(double){0.0}, 1, 1e-9, 1.0);
            test_near("vx, vy", s.v, (double[]){1.0, vy}, 2, 1e-9, 1.0);
            test_near("force", f, (double[]){0.0, 0.0, SCENE_G}, 3, 1e-9, SCENE_G);
        }
        scene_end(&s);
    }
}

// the default tolerance lets forces be off by 1e-6: here they shall add up better
static void start(scene* s)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-11;
    scene_start(s, &opt);
}

/// Steps until it rests, then checks that nothing changes any more. @return the depth
static double rest(scene* s, int32_t body, int32_t points, double weight)
{
    double depth = 0.0, first[3 * TL_MANIFOLD_MAX];
    scene_run(s, 2e-3, 500);
    for (int32_t i = 0; i < 1000; i++) {
        double f[3];
        scene_step(s, 2e-3);
        const talus_contacts c = talus_sim_contacts(s->sim);
        assert_int_equal(c.count, points);
        assert_int_equal(scene_contact_force(s, body, -1, f), points);
        test_near("sum of forces", f, (double[]){0.0, 0.0, weight}, 3, 1e-8, weight);
        if (i == 0)
            memcpy(first, c.point, sizeof(double) * 3 * (size_t)points);
        test_near("points stay", c.point, first, 3 * points, 1e-6, 1.0);
        depth = c.depth[0];
    }
    return depth;
}

static void box(scene* s, const char* name, double x, double z)
{
    scene_add(s,
              "<body name=\"%s\" pos=\"%g 0.013 %.17g\" euler=\"0 0 0.3\"><freejoint/><geom type=\"box\" "
              "size=\"0.21 0.15 "
              "0.1\" mass=\"1\"/></body>\n",
              name, x, z);
}

static void box__rests_as_on_a_plane(void** state)
{
    (void)state;
    double depth[2];
    for (int32_t field = 0; field < 2; field++) {
        scene s;
        scene_begin(&s, 1);
        scene_head(&s, 2e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
        if (field)
            ground(&s, 2.0, 2.0, 100, 100, "");
        else
            scene_add(&s, "<geom type=\"plane\" size=\"2 2 1\"/>\n");
        box(&s, "box", 0.1, 0.11);
        scene_tail(&s);
        start(&s);
        depth[field] = rest(&s, scene_body(&s, "box"), 4, SCENE_G);
        scene_end(&s);
    }
    test_near1("depth on a field and on a plane", depth[1], depth[0], 1e-9);
    test_near1("depth", depth[1], SCENE_G / (4.0 * 2e4), 1e-6);
}

// half of it over the border, held by two corners and the border's edge
static void box__rests_over_the_border(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 2e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    ground(&s, 1.0, 1.0, 21, 21, "pos=\"0 0 1\"");
    box(&s, "box", 0.93, 1.1);
    scene_tail(&s);
    start(&s);
    rest(&s, scene_body(&s, "box"), 4, SCENE_G);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere__slides_over_inner_edges),
        cmocka_unit_test(box__rests_as_on_a_plane),
        cmocka_unit_test(box__rests_over_the_border),
    };
    return cmocka_run_group_tests_name("c27", tests, NULL, NULL);
}
