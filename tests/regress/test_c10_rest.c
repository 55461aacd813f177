// SPDX-License-Identifier: MIT
// C10: what rests, stays, without a sleeping rule. Elsewhere spheres at rest wander. One sphere for 60 s,
// then a rack of 16 touching ones.
#include "scene.h"

#define H (1.0 / 60.0)
#define R 0.03
#define M 0.17
#define K 1e5

static void ball(scene* s, int32_t i, double x, double y)
{
    scene_add(s,
              "<body name=\"ball%d\" pos=\"%.17g %.17g %.17g\"><freejoint/>"
              "<geom type=\"sphere\" size=\"%g\" mass=\"%g\"/></body>\n",
              i, x, y, R - M * SCENE_G / K, R, M);
}

static void sphere__does_not_wander(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, K, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"9 9 1\"/>\n");
    ball(&s, 0, 0.0, 0.0);
    scene_tail(&s);
    scene_start(&s, NULL);
    double far = 0.0;
    for (int32_t i = 0; i < 3600; i++) {
        scene_step(&s, H);
        far = fmax(far, hypot(s.q[0], s.q[1]));
    }
    print_message("one sphere, 60 s: farthest from its place %.3g m, height error %.3g m\n", far,
                  fabs(s.q[2] - (R - M * SCENE_G / K)));
    assert_true(far < 1e-9);
    assert_true(fabs(s.q[2] - (R - M * SCENE_G / K)) < 1e-9);
    scene_end(&s);
}

static void rack__stays_put(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, K, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"9 9 1\"/>\n");
    double start[16][2];
    for (int32_t i = 0; i < 16; i++) { // a rhombus: every sphere touches up to six
        start[i][0] = 2.0 * R * (i % 4 + 0.5 * (i / 4));
        start[i][1] = 2.0 * R * sqrt(0.75) * (i / 4);
        ball(&s, i, start[i][0], start[i][1]);
    }
    scene_tail(&s);
    scene_start(&s, NULL);
    double moved = 0.0;
    for (int32_t i = 0; i < 3600; i++) {
        scene_step(&s, H);
        for (int32_t b = 0; b < 16; b++)
            moved = fmax(moved, hypot(s.q[7 * b] - start[b][0], s.q[7 * b + 1] - start[b][1]));
        // no net horizontal force on the rack
        double sum[3];
        scene_contact_force(&s, 0, -1, sum);
        assert_true(hypot(sum[0], sum[1]) < 1e-9 * 16.0 * M * SCENE_G);
    }
    print_message("rack of 16, 60 s: farthest from its place %.3g m\n", moved);
    assert_true(moved < 1e-6);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere__does_not_wander),
        cmocka_unit_test(rack__stays_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
