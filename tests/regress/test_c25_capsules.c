// SPDX-License-Identifier: MIT
// C25: a capsule along an edge, on a face, beside another: the edge is not missed, what lies flat gets two
// points, and normals point from B into A whichever comes first.
#include "scene.h"

#include "geometry.h"

static const tl_shape capsule = {.type = TL_SHAPE_CAPSULE, .size = {0.3, 0.6}};
#define UPRIGHT                                                                                              \
    {                                                                                                        \
        1, 0, 0, 0, 1, 0, 0, 0, 1                                                                            \
    }
#define ALONG_X                                                                                              \
    {                                                                                                        \
        0, 0, 1, 0, 1, 0, -1, 0, 0                                                                           \
    }

// both orders give the same points with reversed normals; the result of (a, b)
static int32_t both_orders(const tl_shape* a, const tl_pose* Xa, const tl_shape* b, const tl_pose* Xb,
                           tl_contact_point* c)
{
    tl_contact_point r[TL_MANIFOLD_MAX];
    const int32_t n = tl_collide(a, Xa, b, Xb, 0.0, c), m = tl_collide(b, Xb, a, Xa, 0.0, r);
    assert_int_equal(n, m);
    for (int32_t i = 0; i < n; i++) {
        int32_t found = 0;
        for (int32_t j = 0; j < m; j++) {
            double e = fabs(c[i].depth - r[j].depth);
            for (int32_t k = 0; k < 3; k++)
                e = fmax(e, fmax(fabs(c[i].pa[k] - r[j].pb[k]), fabs(c[i].normal[k] + r[j].normal[k])));
            found += e < 1e-12;
        }
        assert_int_equal(found, 1);
        // from B into A: moving A along the normal takes the witnesses apart
        double depth = 0.0;
        for (int32_t k = 0; k < 3; k++)
            depth += (c[i].pb[k] - c[i].pa[k]) * c[i].normal[k];
        test_near1("(pb - pa) . n", depth, c[i].depth, 1e-9);
    }
    return n;
}

// upright, axis 0.25 m from the vertical edge at x = y = 0 of a wall in x, y < 0
static void upright__touches_a_vertical_edge(void** state)
{
    (void)state;
    const tl_shape wall = {.type = TL_SHAPE_BOX, .size = {2.0, 2.0, 2.0}};
    const tl_pose Xw = {.p = {-2.0, -2.0, 0.0}, .R = UPRIGHT};
    const double angles[] = {20.0, 45.0, 70.0};
    for (int32_t i = 0; i < TL_COUNT(angles); i++) {
        const double a = angles[i] * 3.14159265358979323846 / 180.0;
        const tl_pose Xc = {.p = {0.25 * cos(a), 0.25 * sin(a), 0.0}, .R = UPRIGHT};
        tl_contact_point c[TL_MANIFOLD_MAX];
        const int32_t n = both_orders(&capsule, &Xc, &wall, &Xw, c);
        assert_true(n >= 1);
        for (int32_t k = 0; k < n; k++) {
            test_near1("depth", c[k].depth, 0.05, 1e-9);
            const double want[3] = {cos(a), sin(a), 0.0}; // horizontal, from the wall into the capsule
            test_near("normal", c[k].normal, want, 3, 1e-9, 1.0);
        }
    }
}

static void upright__touches_a_vertical_face(void** state)
{
    (void)state;
    const tl_shape wall = {.type = TL_SHAPE_BOX, .size = {2.0, 2.0, 2.0}};
    const tl_pose Xw = {.p = {-2.0, 0.0, 0.0}, .R = UPRIGHT}, Xc = {.p = {0.25, 0.1, 0.2}, .R = UPRIGHT};
    tl_contact_point c[TL_MANIFOLD_MAX];
    const int32_t n = both_orders(&capsule, &Xc, &wall, &Xw, c);
    assert_int_equal(n, 2);
    for (int32_t k = 0; k < n; k++) {
        test_near1("depth", c[k].depth, 0.05, 1e-9);
        test_near1("normal", c[k].normal[0], 1.0, 1e-12);
    }
}

static void lying__two_points_on_a_face(void** state)
{
    (void)state;
    const tl_shape box = {.type = TL_SHAPE_BOX, .size = {2.0, 2.0, 0.5}};
    const tl_pose Xb = {.p = {0.0, 0.0, -0.5}, .R = UPRIGHT}, Xc = {.p = {0.1, 0.2, 0.29}, .R = ALONG_X};
    tl_contact_point c[TL_MANIFOLD_MAX];
    const int32_t n = both_orders(&capsule, &Xc, &box, &Xb, c);
    assert_int_equal(n, 2);
    for (int32_t k = 0; k < n; k++) {
        test_near1("depth", c[k].depth, 0.01, 1e-9);
        test_near1("normal", c[k].normal[2], 1.0, 1e-12);
        test_near1("end of the axis", fabs(c[k].pa[0] - 0.1), 0.6, 1e-9);
    }
    assert_true((c[0].pa[0] - 0.1) * (c[1].pa[0] - 0.1) < 0.0);
}

static void parallel__two_points(void** state)
{
    (void)state;
    const tl_pose Xa = {.p = {0.0, 0.0, 0.55}, .R = ALONG_X}, Xb = {.p = {0.2, 0.0, 0.0}, .R = ALONG_X};
    tl_contact_point c[TL_MANIFOLD_MAX];
    const int32_t n = both_orders(&capsule, &Xa, &capsule, &Xb, c);
    assert_int_equal(n, 2);
    for (int32_t k = 0; k < n; k++) {
        test_near1("depth", c[k].depth, 0.05, 1e-9);
        test_near1("normal", c[k].normal[2], 1.0, 1e-12);
    }
    // the ends of the common length, x = -0.4 and 0.6
    test_near1("length", fabs(c[0].pa[0] - c[1].pa[0]), 1.0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright__touches_a_vertical_edge),
        cmocka_unit_test(upright__touches_a_vertical_face),
        cmocka_unit_test(lying__two_points_on_a_face),
        cmocka_unit_test(parallel__two_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
