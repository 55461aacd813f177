// SPDX-License-Identifier: MIT
// C53: a message about small numbers shows them ("time step 0.000" helps nobody). A step of 1e-7 s at
// 0.154321 s is made to fail; the message must name step, time, worst contact, residual, depth, slip and a
// way out.
#include "scene.h"

static double number_after(const char* text, const char* what)
{
    const char* at = strstr(text, what);
    if (!at)
        fail_msg("no '%s' in: %s", what, text);
    return strtod(at + strlen(what), NULL);
}

static void failing(int32_t globalization)
{
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(
        &s,
        "<geom type=\"plane\" size=\"1 1 1\"/>\n"
        "<body name=\"rest1\" pos=\"1 0 0.0999019\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>\n"
        "<body name=\"worst\" pos=\"0 0 0.0875\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>\n"
        "<body name=\"less\" pos=\"0 1 0.0999\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>\n"
        "<body name=\"rest2\" pos=\"2 0 0.0999019\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>\n");
    scene_tail(&s);
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.globalization = globalization;
    opt.solver.max_iter = opt.solver.max_iter_restart = 0;
    opt.solver.sweeps = 0;
    opt.solver.substeps_max = opt.solver.lagged = 0;
    opt.substeps = 1;
    scene_start(&s, &opt);
    talus_state_set_time(s.state, 0.1543210);
    s.v[6] = s.v[12] = 3.0; // 'less' slides as fast, but with a hundredth of the force
    s.log.count[TALUS_WARNING] = 0;
    const uint64_t before = talus_state_hash(s.state);
    assert_int_equal(talus_sim_step(s.sim, s.state, 1e-7, 0, &s.info), TALUS_NOT_CONVERGED);
    assert_true(talus_state_hash(s.state) == before);
    const char* text = s.log.last[TALUS_WARNING];
    print_message("%s\n", text);
    assert_non_null(strstr(text, "1e-07"));
    assert_non_null(strstr(text, "0.154321"));
    assert_non_null(strstr(text, "'worst'"));
    assert_true(number_after(text, "residual ") > 0.0);
    test_near1("depth", number_after(text, "depth "), 0.0125, 1e-5);
    test_near1("slip", number_after(text, "slip "), 3.0, 1e-3);
    assert_non_null(strstr(text, "try "));
    assert_non_null(strstr(text, "contact.v_s"));
    scene_end(&s);
}

static void message__of_lifting(void** state)
{
    (void)state;
    failing(TALUS_GLOBALIZATION_LIFTING);
}

static void message__of_tals(void** state)
{
    (void)state;
    failing(TALUS_GLOBALIZATION_TALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message__of_lifting),
        cmocka_unit_test(message__of_tals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
