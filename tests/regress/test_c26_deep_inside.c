// SPDX-License-Identifier: MIT
// C26: a small sphere deep inside a box keeps its signed distance without a jump where its centre goes in; a
// body that may have passed a thin plate between two steps is counted, never silent.
#include "scene.h"

#include "geometry.h"

static void sphere__signed_distance_has_no_jump(void** state)
{
    (void)state;
    const double r = 0.005;
    const tl_shape ball = {.type = TL_SHAPE_SPHERE, .size = {r}},
                   box = {.type = TL_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    const tl_pose Xb = {.p = {0.0, 0.0, -0.5}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int32_t i = 0; i <= 2400; i++) {
        const double z = 0.004 - 1e-5 * i;
        const tl_pose Xs = {.p = {0.1, 0.05, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        tl_contact_point c[TL_MANIFOLD_MAX];
        assert_int_equal(tl_collide(&ball, &Xs, &box, &Xb, 0.0, c), 1);
        test_near("signed distance", &(double){-c[0].depth}, &(double){z - r}, 1, 1e-12, 1.0);
        test_near1("normal", c[0].normal[2], 1.0, 1e-12);
    }
}

// r 0.02 at 60 m/s against a 5 mm plate: 1 m a step at 1/60 s
static void fast_body__is_counted(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, 0.0);
    scene_add(
        &s,
        "<geom type=\"box\" size=\"1 1 0.0025\"/>\n"
        "<body name=\"bullet\" pos=\"0 0 1.5\"><freejoint/><geom type=\"sphere\" size=\"0.02\"/></body>\n");
    scene_tail(&s);
    scene_start(&s, NULL);
    s.v[2] = -60.0;
    int32_t missed = 0, contacts = 0;
    for (int32_t i = 0; i < 4; i++) {
        scene_step(&s, 1.0 / 60.0);
        missed += s.info.missed;
        contacts += s.info.contacts;
    }
    print_message("60 m/s: %d contacts, 'missed contact possible' in %d of 4 steps\n", contacts, missed);
    assert_true(contacts > 0 || missed > 0);
    scene_end(&s);
}

static void slow_body__is_not_counted(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, 0.0);
    scene_add(
        &s, "<geom type=\"box\" size=\"1 1 0.0025\"/>\n"
            "<body name=\"ball\" pos=\"0 0 0.5\"><freejoint/><geom type=\"sphere\" size=\"0.02\"/></body>\n");
    scene_tail(&s);
    scene_start(&s, NULL);
    s.v[2] = -1.0; // 1 mm a step
    int32_t contacts = 0;
    for (int32_t i = 0; i < 700; i++) {
        scene_step(&s, 1e-3);
        assert_int_equal(s.info.missed, 0);
        contacts += s.info.contacts;
    }
    assert_true(contacts > 0);
    assert_true(s.q[2] > 0.0225 - 0.002); // thrown back
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere__signed_distance_has_no_jump),
        cmocka_unit_test(fast_body__is_counted),
        cmocka_unit_test(slow_body__is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
