// SPDX-License-Identifier: MIT
// C17: NaN, Inf, 1e300 and wrong signs are refused where they enter, with the name of the field and body; the
// state stays as it was. Elsewhere 1e300 reached the solver and the error pointed at the wrong place.
#include "scene.h"

static void block(scene* s)
{
    scene_begin(s, 1);
    scene_head(s, 1e4, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(s, "<geom type=\"plane\" size=\"1 1 1\"/>\n"
                 "<body name=\"block\" pos=\"0 0 0.1\"><freejoint name=\"float\"/>"
                 "<geom type=\"box\" size=\"0.1 0.1 0.1\"/></body>\n");
    scene_tail(s);
    scene_start(s, NULL);
    scene_run(s, 1e-3, 10);
}

// everything of the state, bit for bit
typedef struct snapshot {
    double q[7], v[6], force[6], time;
} snapshot;

static snapshot take(const scene* s)
{
    snapshot x;
    memcpy(x.q, s->q, sizeof x.q);
    memcpy(x.v, s->v, sizeof x.v);
    memcpy(x.force, s->force, sizeof x.force);
    x.time = talus_state_time(s->state);
    return x;
}

static void refuses(scene* s, double h, talus_status expected, const char* name1, const char* name2)
{
    const snapshot before = take(s);
    assert_int_equal(talus_sim_step(s->sim, s->state, h, 0, NULL), expected);
    const snapshot after = take(s);
    assert_int_equal(memcmp(&before, &after, sizeof before), 0);
    const char* text = s->log.last[TALUS_ERROR];
    if (!strstr(text, name1) || !strstr(text, name2))
        fail_msg("the message names neither '%s' nor '%s': %s", name1, name2, text);
}

static void state__bad_values_are_named(void** state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int32_t i = 0; i < TL_COUNT(bad); i++) {
        scene s;
        block(&s);
        s.v[1] = bad[i];
        refuses(&s, 1e-3, TALUS_ERR_INPUT, "v[1]", "'block'");
        s.v[1] = 0.0;
        s.q[2] = bad[i];
        refuses(&s, 1e-3, TALUS_ERR_INPUT, "q[2]", "'block'");
        s.q[2] = 0.1;
        s.force[5] = bad[i];
        refuses(&s, 1e-3, TALUS_ERR_INPUT, "force[5]", "'block'");
        s.force[5] = 0.0;
        scene_step(&s, 1e-3); // and goes on once mended
        scene_end(&s);
    }
}

static void step_length__must_be_positive(void** state)
{
    (void)state;
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    scene s;
    block(&s);
    for (int32_t i = 0; i < TL_COUNT(bad); i++)
        refuses(&s, bad[i], TALUS_ERR_ARG, "step length", "h =");
    scene_step(&s, 1e-3);
    scene_end(&s);
}

// `what` in a body on line 4; the message must say where
static void model_refused(const char* custom, const char* body, int32_t line, const char* name)
{
    scene s;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco>\n<custom>%s</custom>\n<worldbody>\n%s\n</worldbody>\n</mujoco>\n", custom, body);
    assert_int_equal(scene_read(&s), TALUS_ERR_INPUT);
    assert_null(s.model);
    const char* text = s.log.last[TALUS_ERROR];
    if (!strstr(text, name))
        fail_msg("the message does not name '%s': %s", name, text);
    if (s.log.line != line)
        fail_msg("line %d expected, got %d: %s", line, s.log.line, text);
    scene_end(&s);
}

static void model__bad_numbers_are_refused_with_their_line(void** state)
{
    (void)state;
    const char* good = "<body name=\"b\"><freejoint/><geom size=\"0.1\"/></body>";
    model_refused("", "<body name=\"b\" pos=\"0 nan 0\"><freejoint/><geom size=\"0.1\"/></body>", 4, "pos");
    model_refused("", "<body name=\"b\" pos=\"0 inf 0\"><freejoint/><geom size=\"0.1\"/></body>", 4, "pos");
    model_refused("", "<body name=\"b\"><freejoint/><geom size=\"0.1\" mass=\"-1\"/></body>", 4, "mass");
    model_refused("", "<body name=\"b\"><freejoint/><geom size=\"-0.1\"/></body>", 4, "size");
    model_refused("", "<body name=\"b\"><freejoint/><geom size=\"0.1\" friction=\"-0.1\"/></body>", 4,
                  "friction");
    model_refused("<text name=\"talus.default\" data=\"k=-1\"/>", good, 2, "k");
    model_refused("<text name=\"talus.default\" data=\"mu=-0.1\"/>", good, 2, "mu");
    model_refused("<text name=\"talus.default\" data=\"d=nan\"/>", good, 2, "d");
}

static void options__wrong_signs_are_refused(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    talus_sim_options opt = talus_sim_options_default();
    const talus_option_info* list;
    const int32_t n = talus_sim_options_list(&list);
    const char* const bad[][2] = {{"contact.k", "-1"},   {"contact.k", "nan"},    {"contact.mu", "-0.1"},
                                  {"contact.d", "-2"},   {"contact.v_s", "0"},    {"contact.v_s", "-1e-4"},
                                  {"contact.mu", "inf"}, {"solver.tol", "1e300"}, {"contact.limit_k", "0"}};
    const talus_sim_options before = opt;
    for (int32_t i = 0; i < TL_COUNT(bad); i++) {
        if (talus_option_set(ctx, list, n, &opt, bad[i][0], bad[i][1]) != TALUS_ERR_ARG)
            fail_msg("%s=%s was taken", bad[i][0], bad[i][1]);
        assert_int_equal(memcmp(&opt, &before, sizeof opt), 0);
    }
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state__bad_values_are_named),
        cmocka_unit_test(step_length__must_be_positive),
        cmocka_unit_test(model__bad_numbers_are_refused_with_their_line),
        cmocka_unit_test(options__wrong_signs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
