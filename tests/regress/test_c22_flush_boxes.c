// SPDX-License-Identifier: MIT
// C22: two flush cubes, one turned by less than 0.1 degree, must not get a contact as deep as a cube is wide.
// Cubes of 71 mm side by side in y; the second is turned about z through +-0.1 degree in 1000 turns.
#include "scene.h"

#include "geometry.h"

#define HALF 0.0355
#define DEGREE (3.14159265358979323846 / 180.0)

static tl_pose turned(double y, double angle)
{
    const double c = cos(angle), s = sin(angle);
    return (tl_pose){.p = {0.0, y, 0.0}, .R = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
}

static void flush_boxes__have_no_phantom_depth(void** state)
{
    (void)state;
    const tl_shape cube = {.type = TL_SHAPE_BOX, .size = {HALF, HALF, HALF}};
    const tl_pose fixed = turned(0.0, 0.0);
    // at 0.08 degree the corner overlaps by 0.056 mm
    const double a = 0.08 * DEGREE, distance = HALF + HALF * (cos(a) + sin(a)) - 0.056e-3;
    double last = -1.0, deepest = 0.0, jump = 0.0, tilt = 0.0, off = 0.0;
    for (int32_t i = 0; i <= 1000; i++) {
        const double angle = (-0.1 + 2e-4 * i) * DEGREE;
        const tl_pose moving = turned(distance, angle);
        tl_contact_point c[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&cube, &fixed, &cube, &moving, 0.0, c);
        assert_true(n > 0);
        double depth = 0.0;
        for (int32_t k = 0; k < n; k++) {
            assert_true(c[k].normal[1] < 0.0); // from the second into the first
            depth = fmax(depth, c[k].depth);
            tilt = fmax(tilt, acos(fmin(1.0, fabs(c[k].normal[1]))));
        }
        // exact: the deepest corner of the turned cube below the face of the fixed one
        const double exact = HALF - (distance - HALF * (cos(angle) + fabs(sin(angle))));
        off = fmax(off, fabs(depth - exact));
        deepest = fmax(deepest, depth);
        if (last >= 0.0)
            jump = fmax(jump, fabs(depth - last));
        last = depth;
    }
    print_message(
        "deepest %.4g mm, off the exact corner by %.2g mm, largest jump %.3g mm, normals within %.3g "
        "deg of y\n",
        1e3 * deepest, 1e3 * off, 1e3 * jump, tilt / DEGREE);
    assert_true(deepest <= 0.2e-3);
    assert_true(tilt <= 0.2 * DEGREE);
    // a turn by 2e-4 degree moves a corner by 1.2e-4 mm
    assert_true(jump <= 2.0 * 2e-4 * DEGREE * HALF);
    // either face may be taken as reference: second order in the turn
    assert_true(off <= 2.0 * HALF * 0.1 * DEGREE * 0.1 * DEGREE);
}

// at rest under gravity nothing flies off
static void flush_boxes__stay(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    const double a = 0.04 * DEGREE, distance = HALF + HALF * (cos(2.0 * a) + sin(2.0 * a)) - 0.056e-3;
    scene_add(
        &s,
        "<geom type=\"plane\" size=\"1 1 1\"/>\n"
        "<body pos=\"0 0 %.17g\"><freejoint/><geom type=\"box\" size=\"%g %g %g\" mass=\"0.3\"/></body>\n"
        "<body pos=\"0 %.17g %.17g\" quat=\"%.17g 0 0 %.17g\"><freejoint/>"
        "<geom type=\"box\" size=\"%g %g %g\" mass=\"0.3\"/></body>\n",
        HALF, HALF, HALF, HALF, distance, HALF, cos(a), sin(a), HALF, HALF, HALF);
    scene_tail(&s);
    scene_start(&s, NULL);
    double fastest = 0.0;
    for (int32_t i = 0; i < 1000; i++) {
        scene_step(&s, 1e-3);
        fastest = fmax(fastest, fmax(hypot(s.v[0], s.v[1]), hypot(s.v[6], s.v[7])));
    }
    // k delta^2 / 2 = 2 * 1e5 * (0.056 mm)^2 / 2 lets a 0.3 kg cube leave with 0.032 m/s at most
    print_message("fastest %.4g m/s\n", fastest);
    assert_true(fastest < 0.033);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_boxes__have_no_phantom_depth),
        cmocka_unit_test(flush_boxes__stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
