// SPDX-License-Identifier: MIT
// Flat faces, edges and deep points: counts, places, and that neither flickers.
#include "random_shapes.h"

static tl_shape plane(void)
{
    return (tl_shape){.type = TL_SHAPE_PLANE, .size = {1, 1, 1}};
}

static tl_shape box(double x, double y, double z)
{
    return (tl_shape){.type = TL_SHAPE_BOX, .size = {x, y, z}};
}

static tl_shape cylinder(double r, double l)
{
    return (tl_shape){.type = TL_SHAPE_CYLINDER, .size = {r, l, 0}};
}

static tl_shape capsule(double r, double l)
{
    return (tl_shape){.type = TL_SHAPE_CAPSULE, .size = {r, l, 0}};
}

static tl_shape ball(double r)
{
    return (tl_shape){.type = TL_SHAPE_SPHERE, .size = {r, 0, 0}};
}

static tl_pose turned(double x, double y, double z, double ax, double ay, double az, double angle)
{
    tl_pose X = pose_at(x, y, z);
    turn(&X, ax, ay, az, angle);
    return X;
}

#define RIGHT 1.5707963267948966

typedef struct resting {
    const char* name;
    tl_shape a, b;
    tl_pose Xa, Xb;
    int32_t count; // of points within the depth
    double depth;
} resting;

static int32_t by_feature(const void* a, const void* b)
{
    return ((const tl_contact_point*)a)->feature - ((const tl_contact_point*)b)->feature;
}

static int compare(const void* a, const void* b)
{
    return (int)by_feature(a, b);
}

// a pose at rest and 400 others a micro-radian and a nanometre away: same features, places within 1 %
static void at_rest__count_and_places_do_not_flicker(void** state)
{
    (void)state;
    const double d = 1e-4;
    const resting list[] = {
        {"box on plane", box(.1, .1, .1), plane(), pose_at(0, 0, .1 - d), pose_at(0, 0, 0), 4, d},
        {"box on box, concentric", box(.05, .05, .05), box(.05, .05, .05), pose_at(0, 0, .1 - d),
         pose_at(0, 0, 0), 4, d},
        {"box on box, half over", box(.1, .05, .04), box(.1, .05, .04), pose_at(.1, 0, .08 - d),
         pose_at(0, 0, 0), 4, d},
        {"box on box, turned 45 deg", box(.1, .1, .1), box(.1, .1, .1),
         turned(0, 0, .2 - d, 0, 0, 1, RIGHT / 2), pose_at(0, 0, 0), 8, d},
        {"small box on large", box(.02, .03, .04), box(5, 5, .05), turned(1, 2, .09 - d, 0, 0, 1, .3),
         pose_at(0, 0, 0), 4, d},
        {"disc on plane", cylinder(.02, .005), plane(), pose_at(0, 0, .005 - d), pose_at(0, 0, 0), 7, d},
        {"disc on box", cylinder(.02, .005), box(.1, .1, .1), pose_at(0, 0, .105 - d), pose_at(0, 0, 0), 7,
         d},
        {"disc on equal disc", cylinder(.02, .005), cylinder(.02, .005), pose_at(0, 0, .01 - d),
         pose_at(0, 0, 0), 7, d},
        {"disc on larger disc", cylinder(.02, .005), cylinder(.03, .005), pose_at(0, 0, .01 - d),
         pose_at(0, 0, 0), 7, d},
        {"box on disc", box(.01, .01, .01), cylinder(.03, .005), pose_at(0, 0, .015 - d), pose_at(0, 0, 0), 4,
         d},
        {"cylinder lying on plane", cylinder(.1, .3), plane(), turned(0, 0, .1 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"cylinder lying on box", cylinder(.1, .3), box(.5, .5, .5), turned(0, 0, .6 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"cylinder lying over box", cylinder(.1, .3), box(.5, .2, .5), turned(0, 0, .6 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"cylinders side by side", cylinder(.1, .3), cylinder(.2, .3), pose_at(.3 - d, 0, .1),
         pose_at(0, 0, 0), 2, d},
        {"capsule lying on plane", capsule(.1, .3), plane(), turned(0, 0, .1 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"capsule lying on box", capsule(.1, .3), box(.5, .5, .5), turned(0, 0, .6 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"capsule lying over box", capsule(.1, .3), box(.5, .2, .5), turned(0, 0, .6 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"parallel capsules", capsule(.1, .3), capsule(.1, .3), pose_at(.2 - d, 0, .1), pose_at(0, 0, 0), 2,
         d},
        {"capsule beside cylinder", capsule(.1, .3), cylinder(.1, .3), pose_at(.2 - d, 0, .1),
         pose_at(0, 0, 0), 2, d},
        {"capsule lying on a disc", capsule(.1, .3), cylinder(1, .1), turned(0, 0, .2 - d, 1, 0, 0, RIGHT),
         pose_at(0, 0, 0), 2, d},
        {"box on its edge", box(.1, .2, .1), box(1, 1, .1),
         turned(0, 0, .1 * sqrt(2) + .1 - d, 0, 1, 0, RIGHT / 2), pose_at(0, 0, 0), 2, d},
        {"box on its edge, plane", box(.1, .2, .1), plane(),
         turned(0, 0, .1 * sqrt(2) - d, 0, 1, 0, RIGHT / 2), pose_at(0, 0, 0), 2, d},
        {"cylinder on its rim", cylinder(.1, .1), box(1, 1, .1),
         turned(0, 0, .1 * sqrt(2) + .1 - d, 0, 1, 0, RIGHT / 2), pose_at(0, 0, 0), 1, d},
        {"brick over the joint", box(.1, .05, .04), box(.1, .05, .04), pose_at(.1, 0, .08 - d),
         pose_at(0, 0, 0), 4, d},
        {"disc half over a box", cylinder(.02, .005), box(.1, .1, .1), pose_at(.095, .03, .105 - d),
         pose_at(0, 0, 0), 6, d},
        {"ellipsoid on box", (tl_shape){.type = TL_SHAPE_ELLIPSOID, .size = {.1, .2, .05}}, box(1, 1, .1),
         pose_at(0, 0, .15 - d), pose_at(0, 0, 0), 1, d},
        {"crossed cylinders", cylinder(.1, .3), cylinder(.1, .3), turned(0, 0, .2 - d, 0, 1, 0, RIGHT),
         turned(0, 0, 0, 1, 0, 0, RIGHT), 1, d},
    };
    tl_rng r;
    tl_rng_seed(&r, 3);
    for (size_t c = 0; c < sizeof list / sizeof *list; c++) {
        const resting* s = &list[c];
        tl_contact_point p[TL_MANIFOLD_MAX], q[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&s->a, &s->Xa, &s->b, &s->Xb, 0, p);
        if (n != s->count)
            fail_msg("%s: %d points, want %d", s->name, n, s->count);
        qsort(p, (size_t)n, sizeof *p, compare);
        for (int32_t i = 0; i < n; i++) {
            test_near1(s->name, p[i].depth, s->depth, 1e-9);
            if (i > 0 && p[i].feature == p[i - 1].feature)
                fail_msg("%s: feature %d twice", s->name, p[i].feature);
        }
        for (int t = 0; t < 400; t++) {
            tl_pose Xa = s->Xa;
            double axis[3], dir[3];
            random_unit(&r, axis);
            random_unit(&r, dir);
            turn(&Xa, axis[0], axis[1], axis[2], 1e-6);
            for (int k = 0; k < 3; k++)
                Xa.p[k] += 1e-9 * dir[k];
            const int32_t m = tl_collide(&s->a, &Xa, &s->b, &s->Xb, 0, q);
            if (m != n)
                fail_msg("%s: %d points, after a tilt of 1e-6 %d", s->name, n, m);
            qsort(q, (size_t)m, sizeof *q, compare);
            for (int32_t i = 0; i < n; i++) {
                if (p[i].feature != q[i].feature)
                    fail_msg("%s: feature %d became %d", s->name, p[i].feature, q[i].feature);
                test_near(s->name, q[i].pa, p[i].pa, 3, 0.002, s->a.size[0]);
                test_near1("depth", q[i].depth, s->depth, 0.02);
                test_near("normal", q[i].normal, p[i].normal, 3, 3e-6, 1.0);
            }
        }
    }
}

static void concentric_cubes__touch_at_the_four_corners(void** state)
{
    (void)state;
    const tl_shape c = box(.05, .05, .05);
    const tl_pose Xa = pose_at(0, 0, .1 - 2.5e-4), Xb = pose_at(0, 0, 0);
    tl_contact_point p[TL_MANIFOLD_MAX];
    assert_int_equal(tl_collide(&c, &Xa, &c, &Xb, 0, p), 4);
    for (int32_t i = 0; i < 4; i++) {
        const double corner[3] = {copysign(.05, p[i].pa[0]), copysign(.05, p[i].pa[1]), .05 - 2.5e-4};
        const double up[3] = {0, 0, 1};
        test_near("corner", p[i].pa, corner, 3, 1e-12, 1);
        test_near("normal", p[i].normal, up, 3, 1e-15, 1);
        test_near1("depth", p[i].depth, 2.5e-4, 1e-11);
    }
}

static void tilted_boxes_with_margin__keep_their_count(void** state)
{
    (void)state;
    const tl_shape a = box(.007, .007, .01), floor_box = box(.1, .1, .1), floor_plane = plane();
    tl_rng r;
    tl_rng_seed(&r, 4);
    for (int t = 0; t < 1000; t++) {
        double axis[3];
        random_unit(&r, axis);
        const double gap = tl_rng_uniform(&r, -1e-4, 1e-4);
        const tl_pose Xa = turned(0, 0, .01 + gap, axis[0], axis[1], axis[2], 1e-6);
        const tl_pose Xb = pose_at(0, 0, -.1), ground = pose_at(0, 0, 0), Xc = pose_at(0, 0, -.01);
        tl_contact_point p[TL_MANIFOLD_MAX];
        assert_int_equal(tl_collide(&a, &Xa, &floor_box, &Xb, 5e-4, p), 4);
        assert_int_equal(tl_collide(&a, &Xa, &floor_plane, &ground, 5e-4, p), 4);
        assert_int_equal(tl_collide(&a, &Xa, &a, &Xc, 5e-4, p), 4);
        for (int i = 0; i < 4; i++)
            test_near1("depth", p[i].depth, -gap, 2e-8 / fabs(gap));
    }
}

// flush cubes, the second turned so that one corner enters by 0.056 mm
static void flush_cubes__never_deep_sideways(void** state)
{
    (void)state;
    const double h = .0355, full = .08 * RIGHT / 90;
    const double distance = h + h * (cos(full) + sin(full)) - 5.6e-5;
    const tl_shape c = box(h, h, h);
    double last = 0;
    for (int i = 0; i <= 1000; i++) {
        const double angle = (i / 500.0 - 1) * 0.1 * RIGHT / 90;
        const tl_pose Xa = pose_at(0, 0, 0), Xb = turned(0, distance, 0, 0, 0, 1, angle);
        tl_contact_point p[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&c, &Xa, &c, &Xb, 1e-3, p);
        double depth = -1;
        assert_true(n > 0);
        for (int k = 0; k < n; k++) {
            depth = fmax(depth, p[k].depth);
            if (p[k].depth > 2e-4 || -p[k].normal[1] < cos(.2 * RIGHT / 90))
                fail_msg("angle %g: depth %g, normal %g %g %g", angle, p[k].depth, p[k].normal[0],
                         p[k].normal[1], p[k].normal[2]);
        }
        // closed form of the corner that reaches farthest
        test_near1("depth", depth, h + h * (cos(angle) + sin(fabs(angle))) - distance, 1e-9 / 5.6e-5);
        // one step is 3.5e-6 rad at a lever of 0.05 m
        if (i > 0 && fabs(depth - last) > 2e-7)
            fail_msg("angle %g: depth jumps from %g to %g", angle, last, depth);
        last = depth;
    }
}

static void ball_in_box__distance_is_exact_through_the_surface(void** state)
{
    (void)state;
    const tl_shape a = ball(.005), b = box(.5, .5, .5), c = cylinder(.5, .5);
    for (int i = 0; i <= 2400; i++) {
        const double z = .004 - 1e-5 * i;
        const tl_pose Xa = pose_at(.1, .05, z), Xb = pose_at(0, 0, -.5);
        tl_contact_point p;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(tl_collide(&a, &Xa, k ? &c : &b, &Xb, 0, &p), 1);
            test_near1("depth", p.depth, .005 - z, 1e-12 / .001);
            test_near1("normal", p.normal[2], 1, 1e-12);
        }
    }
}

static void ball_beside_cylinder__depth_is_radial(void** state)
{
    (void)state;
    const tl_shape a = ball(.006), b = cylinder(.04, .05);
    for (int i = 0; i < 100; i++) {
        const double phi = .0628 * i, rho = .0401 + 5e-5 * (i % 10);
        const tl_pose Xa = pose_at(rho * cos(phi), rho * sin(phi), .049), Xb = pose_at(0, 0, 0);
        const double want[3] = {cos(phi), sin(phi), 0};
        tl_contact_point p;
        assert_int_equal(tl_collide(&a, &Xa, &b, &Xb, 0, &p), 1);
        test_near1("depth", p.depth, .046 - rho, 1e-11);
        test_near("normal", p.normal, want, 3, 1e-12, 1);
    }
}

// deep cubes take the least axis; half an edge deep is 0.05
static void deep_cubes__take_least_axis(void** state)
{
    (void)state;
    const tl_shape c = box(.05, .05, .05);
    const tl_pose Xa = pose_at(.05, 0, 0), Xb = pose_at(0, 0, 0);
    tl_contact_point p[TL_MANIFOLD_MAX];
    const int32_t n = tl_collide(&c, &Xa, &c, &Xb, 0, p);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) {
        test_near1("depth", p[i].depth, .05, 1e-13);
        test_near1("normal", p[i].normal[0], 1, 1e-15);
    }
}

static void capsule_along_edge__pushed_sideways(void** state)
{
    (void)state;
    const tl_shape a = capsule(.3, .6), wall = box(1, 1, 2);
    // straight out from the wall's face, and diagonally from its vertical edge
    const double x[2] = {1.25, 1 + .25 * sqrt(.5)}, y[2] = {.3, 1 + .25 * sqrt(.5)};
    for (int k = 0; k < 2; k++) {
        const tl_pose Xa = pose_at(x[k], y[k], .2), Xb = pose_at(0, 0, 0);
        tl_contact_point p[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&a, &Xa, &wall, &Xb, 0, p);
        assert_int_equal(n, 2);
        for (int i = 0; i < n; i++) {
            const double want[3] = {k ? sqrt(.5) : 1, k ? sqrt(.5) : 0, 0};
            test_near1("depth", p[i].depth, .05, 1e-12);
            test_near("normal", p[i].normal, want, 3, 1e-12, 1);
        }
    }
}

// a cylinder that rolls on its side keeps two points, whatever its phase
static void rolling_cylinder__two_points(void** state)
{
    (void)state;
    const tl_shape a = cylinder(.1, .05), floor_plane = plane(), floor_box = box(2, 2, .5);
    for (int i = 0; i < 1000; i++) {
        tl_pose Xa = turned(0, 0, .1 - 1e-4, 0, 0, 1, .01 * i);
        turn(&Xa, 1, 0, 0, RIGHT);
        const tl_pose ground = pose_at(0, 0, 0), Xb = pose_at(0, 0, -.5);
        tl_contact_point p[TL_MANIFOLD_MAX];
        for (int k = 0; k < 2; k++) {
            assert_int_equal(tl_collide(&a, &Xa, k ? &floor_box : &floor_plane, k ? &Xb : &ground, 0, p), 2);
            for (int j = 0; j < 2; j++)
                test_near1("depth", p[j].depth, 1e-4, 1e-10);
        }
    }
}

// from standing to lying: the deepest point of a tilting cylinder on a plane and on a box is l cos + r sin
static void tilting_cylinder__depth_follows_closed_form(void** state)
{
    (void)state;
    const tl_shape a = cylinder(.1, .2), floor_plane = plane(), floor_box = box(2, 2, .5);
    const double height = .195;
    for (int i = 0; i <= 2000; i++) {
        const double tilt = RIGHT * i / 2000;
        const tl_pose Xa = turned(0, 0, height, .6, .8, 0, tilt), ground = pose_at(0, 0, 0),
                      Xb = pose_at(0, 0, -.5);
        const double want = .2 * cos(tilt) + .1 * sin(tilt) - height;
        for (int k = 0; k < 2; k++) {
            tl_contact_point p[TL_MANIFOLD_MAX];
            const int32_t n = tl_collide(&a, &Xa, k ? &floor_box : &floor_plane, k ? &Xb : &ground, 0, p);
            double depth = 0;
            for (int j = 0; j < n; j++)
                depth = fmax(depth, p[j].depth);
            // exact beyond a tilt of 2e-3, where the steepest point stands on the rim
            test_near1("depth", depth, fmax(want, 0), (tilt < 2.1e-3 ? 3e-5 : 1e-12) / fmax(want, 1e-3));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest__count_and_places_do_not_flicker),
        cmocka_unit_test(concentric_cubes__touch_at_the_four_corners),
        cmocka_unit_test(tilted_boxes_with_margin__keep_their_count),
        cmocka_unit_test(flush_cubes__never_deep_sideways),
        cmocka_unit_test(ball_in_box__distance_is_exact_through_the_surface),
        cmocka_unit_test(ball_beside_cylinder__depth_is_radial),
        cmocka_unit_test(deep_cubes__take_least_axis),
        cmocka_unit_test(capsule_along_edge__pushed_sideways),
        cmocka_unit_test(rolling_cylinder__two_points),
        cmocka_unit_test(tilting_cylinder__depth_follows_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
