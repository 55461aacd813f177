// SPDX-License-Identifier: MIT
// C14: a start in deep overlap. Two 1 kg cubes of 0.1 m with centres 0.05 m apart hold 0.5 * 4 k 0.05^2 =
// 5000 J with k = 1e6 a point: the user is warned before the first step or, on request, refused; what flies
// apart obeys the energy, 70.7 m/s each at most.
#include "scene.h"

static void cubes(scene* s, double d)
{
    scene_begin(s, 1);
    scene_head(s, 1e6, d, 0.5, 0.0, 0.0, 0.0);
    for (int32_t i = 0; i < 2; i++)
        scene_add(s,
                  "<body name=\"%s\" pos=\"%g 0 0\"><freejoint/>"
                  "<geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"/></body>\n",
                  i ? "right" : "left", i ? 0.025 : -0.025);
    scene_tail(s);
}

static void deep_start__warns_and_obeys_energy(void** state)
{
    (void)state;
    const double steps[] = {1e-2, 1e-3, 1e-5};
    for (int32_t i = 0; i < TL_COUNT(steps); i++) {
        scene s;
        cubes(&s, 0.0);
        scene_start(&s, NULL);
        const double h = steps[i];
        scene_step(&s, h);
        const char* text = s.log.last[TALUS_WARNING];
        assert_int_equal(s.log.count[TALUS_WARNING], 1);
        if (!strstr(text, "'left'") || !strstr(text, "'right'") || !strstr(text, "0.05 m"))
            fail_msg("the warning does not name the pair and the depth: %s", text);
        scene_run(&s, h, (int32_t)lround(0.02 / h));
        assert_int_equal(s.log.count[TALUS_WARNING], 1);
        print_message("h = %g s: speeds %.6g and %.6g m/s, bound 70.7107\n", h, s.v[0], s.v[6]);
        for (int32_t k = 0; k < 12; k++)
            assert_true(isfinite(s.v[k]));
        assert_true(-s.v[0] <= 70.8 && s.v[6] <= 70.8);
        assert_true(-s.v[0] > 0.0 && s.v[6] > 0.0);
        test_near1("momentum", s.v[0], -s.v[6], 1e-12);
        // a resolved quarter period: all the energy comes back, less what implicit Euler damps, w = sqrt(8 k
        // / m)
        if (h < 1e-4)
            test_near1("speed", s.v[6], sqrt(5000.0) * exp(-3.14159265 / 4.0 * h * sqrt(8e6)), 1e-3);
        scene_end(&s);
    }
}

static void deep_start__is_refused_on_request(void** state)
{
    (void)state;
    scene s;
    cubes(&s, 0.0);
    talus_sim_options opt = talus_sim_options_default();
    opt.refuse_deep = 1;
    scene_start(&s, &opt);
    const uint64_t before = talus_state_hash(s.state);
    for (int32_t i = 0; i < 2; i++) // a second try is no way round it
        assert_int_equal(talus_sim_step(s.sim, s.state, 1e-3, 0, NULL), TALUS_ERR_INPUT);
    assert_true(talus_state_hash(s.state) == before);
    assert_non_null(strstr(s.log.last[TALUS_ERROR], "0.05 m"));
    scene_end(&s);
}

static void past_a_limit__warns(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e6, 0.0, 0.5, 0.0, 0.0, 0.0);
    scene_add(&s, "<body name=\"cart\"><joint name=\"rail\" type=\"slide\" axis=\"1 0 0\" limited=\"true\" "
                  "range=\"-1 1\"/><geom type=\"sphere\" size=\"0.1\" mass=\"1\"/></body>\n");
    scene_tail(&s);
    scene_start(&s, NULL);
    s.q[0] = 1.05;
    scene_step(&s, 1e-4);
    const char* text = s.log.last[TALUS_WARNING];
    if (!strstr(text, "'rail'") || !strstr(text, "0.05"))
        fail_msg("the warning does not name the joint and how far: '%s'", text);
    scene_run(&s, 1e-4, 1000);
    print_message("0.05 m past a limit: leaves with %.6g m/s, bound 50\n", -s.v[0]);
    assert_true(isfinite(s.v[0]) && s.v[0] < 0.0 && -s.v[0] <= 0.05 * sqrt(1e6) * (1.0 + 1e-9));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_start__warns_and_obeys_energy),
        cmocka_unit_test(deep_start__is_refused_on_request),
        cmocka_unit_test(past_a_limit__warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
