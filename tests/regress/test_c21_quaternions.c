// SPDX-License-Identifier: MIT
// C21: quaternions that are not of unit length. (2, 0, 0, 0) is (1, 0, 0, 0), zero is refused, a slightly
// long one is normalized, and a million steps of 10 rad/s keep the length.
#include "scene.h"

static void spinning(scene* s)
{
    scene_begin(s, 1);
    scene_head(s, 1e4, 5.0, 0.5, 0.0, 0.0, 0.0);
    scene_add(s,
              "<body name=\"top\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"1\"/></body>\n"
              "<body name=\"ball\" pos=\"2 0 0\"><joint type=\"ball\"/>"
              "<geom type=\"sphere\" size=\"0.1\" mass=\"1\"/></body>\n");
    scene_tail(s);
    scene_start(s, NULL);
    for (int32_t i = 0; i < 3; i++)
        s->v[3 + i] = s->v[6 + i] = 1.0 + i;
}

static double length_error(const double* q)
{
    return fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1.0);
}

// the same motion from two starts that mean the same turn
static void twice_as_long__is_the_same(void** state)
{
    (void)state;
    scene a, b;
    spinning(&a);
    spinning(&b);
    b.q[3] = b.q[7] = 2.0;
    for (int32_t i = 0; i < 100; i++) {
        scene_step(&a, 1e-3);
        scene_step(&b, 1e-3);
        assert_true(talus_state_hash(a.state) == talus_state_hash(b.state));
    }
    scene_end(&a);
    scene_end(&b);
}

static void zero__is_refused(void** state)
{
    (void)state;
    const char* const body[] = {"'top'", "'ball'"};
    for (int32_t i = 0; i < 2; i++) {
        scene s;
        spinning(&s);
        memset(s.q + (i ? 7 : 3), 0, 4 * sizeof *s.q);
        const uint64_t before = talus_state_hash(s.state);
        assert_int_equal(talus_sim_step(s.sim, s.state, 1e-3, 0, NULL), TALUS_ERR_INPUT);
        assert_true(talus_state_hash(s.state) == before);
        assert_non_null(strstr(s.log.last[TALUS_ERROR], body[i]));
        scene_end(&s);
    }
}

static void slightly_long__is_normalized(void** state)
{
    (void)state;
    scene s;
    spinning(&s);
    s.q[4] = s.q[8] = 1e-4;
    scene_step(&s, 1e-3);
    assert_true(length_error(s.q + 3) < 1e-15 && length_error(s.q + 7) < 1e-15);
    scene_end(&s);
}

static void model__zero_is_refused_and_long_is_normalized(void** state)
{
    (void)state;
    const char* const quat[] = {"0 0 0 0", "2 0 0 0"};
    for (int32_t i = 0; i < 2; i++) {
        scene s;
        scene_begin(&s, 1);
        scene_add(
            &s,
            "<mujoco><worldbody>\n<body name=\"top\" quat=\"%s\"><freejoint/><geom size=\"0.1\"/></body>\n"
            "</worldbody></mujoco>",
            quat[i]);
        const talus_status status = scene_read(&s);
        if (i == 0) {
            assert_int_equal(status, TALUS_ERR_INPUT);
            assert_non_null(strstr(s.log.last[TALUS_ERROR], "quat"));
            assert_int_equal(s.log.line, 2);
        } else {
            assert_int_equal(status, TALUS_OK);
            scene_sim(&s, NULL);
            assert_true(s.q[3] == 1.0 && s.q[4] == 0.0);
        }
        scene_end(&s);
    }
}

static void million_steps__keep_the_length(void** state)
{
    (void)state;
    scene s;
    spinning(&s);
    for (int32_t i = 0; i < 2; i++) {
        s.v[3 + 3 * i] = 0.0;
        s.v[4 + 3 * i] = 6.0; // 10 rad/s, for the free body about no principal axis
        s.v[5 + 3 * i] = 8.0;
    }
    double worst = 0.0;
    for (int32_t i = 0; i < 1000000; i++) {
        scene_step(&s, 1e-3);
        worst = fmax(worst, fmax(length_error(s.q + 3), length_error(s.q + 7)));
    }
    print_message("largest | |q| - 1 | in 1e6 steps: %.3g\n", worst);
    assert_true(worst < 1e-12);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_as_long__is_the_same),
        cmocka_unit_test(zero__is_refused),
        cmocka_unit_test(slightly_long__is_normalized),
        cmocka_unit_test(model__zero_is_refused_and_long_is_normalized),
        cmocka_unit_test(million_steps__keep_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
