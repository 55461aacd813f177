// SPDX-License-Identifier: MIT
#include "scene_text.h"
#include <locale.h>

#define W(body) "<mujoco><worldbody>" body "</worldbody></mujoco>"
#define BODY(inside) W("<body name='x'>" inside "</body>")
#define FREE(inside) BODY("<freejoint/>" inside)
#define INERTIAL(mass, I) "<inertial pos='0 0 0' mass='" mass "' diaginertia='" I "'/>"

static void bad_scenes__name_file_line_and_what_was_expected(void** state)
{
    (void)state;
    // scene, what the message must say after the path
    static const char* const cases[][2] = {
        {"<mujoco>\n<worldbody><body>\n</worldbody></mujoco>", ":3: not well-formed XML"},
        {"<robot/>", ":1: unknown root element 'robot'; expected: mujoco"},
        {W("\n<gemo size='1'/>"), ":2: unknown element 'gemo' in <worldbody>; expected: body"},
        {W("\n\n<geom sise='1'/>"), ":3: unknown attribute 'sise' of <geom>; expected: adhesion"},
        {W("<body pos='0 nan 0'/>"), ":1: <body>: attribute 'pos': not a finite number: 'nan'"},
        {W("<geom size='1e999'/>"), "attribute 'size': not a finite number: '1e999'"},
        {W("<body pos='1 2'/>"), "attribute 'pos' has 2 numbers, expected 3"},
        {W("<body pos='1 2 x'/>"), "attribute 'pos': expected a number, not 'x'"},
        {W("<geom size='0'/>"), "number 1 of a sphere must be positive, not 0"},
        {W("<geom size='1' friction='-0.1'/>"), "attribute 'friction' is negative: -0.1"},
        {W("<geom size='1' mass='-1'/>"), "attribute 'mass' is negative: -1"},
        {FREE(INERTIAL("-1", "1 1 1")), "attribute 'mass' is negative: -1"},
        {BODY("<joint type='screw'/>"), "attribute 'type': unknown 'screw'; expected: free|ball|slide|hinge"},
        {BODY("<joint axis='0 0 0'/>"), "a zero vector is not an axis"},
        {BODY("<joint range='1 -1'/>"), "range [1, -1] is empty"},
        {W("<body quat='0 0 0 0'/>"), "a zero quaternion is not a rotation"},
        {W("<body quat='1 0 0 0' euler='0 0 0'/>"), "more than one of quat"},
        {W("<body name='a'/>\n<body name='a'/>"), ":2: duplicate name: body 'a' stands already at "},
        {W("<geom class='no' size='1'/>"), "unknown default class 'no'"},
        {W("<geom type='mesh' mesh='no'/>"), "unknown mesh 'no'"},
        {W("<joint/>"), "the world cannot have joints"},
        {W("<body><geom size='1'/><body name='in'><freejoint/></body></body>"),
         "<body in>: a free joint inside another"},
        {W("<include file='nowhere.xml'/>"), "cannot read 'nowhere.xml'"},
        {W("<attach model='no' prefix=''/>"), "unknown model 'no'"},
        {BODY("<geom size='1'/><attach body='x' prefix='p'/>"), "body 'x' cannot be attached inside itself"},
        {W("<replicate count='1000000'><replicate count='1000000'><geom size='1'/></replicate></replicate>"),
         "1000000000000 copies with the replicates around"},
        {"<mujoco><option timestep='0'/></mujoco>", "attribute 'timestep' must be positive, not 0"},
        {"<mujoco><option timestep='-1'/></mujoco>", "attribute 'timestep' must be positive, not -1"},
        {"<mujoco><worldbody/><actuator><motor joint='no'/></actuator></mujoco>",
         "<motor>: unknown joint 'no'"},
        {"<mujoco><custom><text name='talus.geom.g' data='k=1'/></custom></mujoco>", "unknown geom 'g'"},
        {"<mujoco><custom><text name='talus.default' data='k=-1'/></custom></mujoco>",
         "k must be positive, not -1"},
        {"<mujoco><custom><text name='talus.default' data='mu=-1'/></custom></mujoco>",
         "mu must be at least 0, not -1"},
        {"<mujoco><custom><text name='talus.default' data='q=1'/></custom></mujoco>",
         "unknown 'q=1'; expected: k=NUMBER"},
        {"<mujoco><default class='a'/></mujoco>", "the top default class is called 'main', not 'a'"},
        {"<mujoco><default><default class='a'/><default class='a'/></default></mujoco>",
         "'a' stands already"},
        // masses
        {BODY("<joint/>"), "<body x>: a moving body needs mass"},
        {BODY("<joint/><geom size='1' mass='1e200'/>"),
         "<body x>: mass or inertia of 1e+200 kg or kg m^2; expected: at most 1e+50"},
        {FREE(INERTIAL("1", "1e-3 1e-3 3e-3")),
         "<body x>: no body has the moments of inertia (0.001, 0.001, 0.003)"},
        {FREE(INERTIAL("1", "-1e-3 1e-3 1e-3")),
         "<body x>: a moment of inertia is negative: (-0.001, 0.001, 0.001)"},
        {FREE(INERTIAL("1", "0 1e-3 1e-3")), "<body x>: a joint moves this body in a direction"},
        {BODY("<joint axis='1 0 0'/>" INERTIAL("1", "0 1e-3 1e-3")),
         "<body x>: a joint moves this body in a direction"},
    };
    scene_log log;
    talus_context* ctx = scene_context(&log);
    for (int i = 0; i < TL_COUNT(cases); i++) {
        talus_model* m = NULL;
        log.errors = 0;
        const talus_status status = scene_load(ctx, cases[i][0], 0, &m);
        if (status != TALUS_ERR_INPUT || log.errors != 1 || !strstr(log.error, cases[i][1]) ||
            !strstr(log.error, "scene.xml:"))
            fail_msg("%s\nstatus %d, %d messages, the last: %s\nwanted: %s", cases[i][0], status, log.errors,
                     log.error, cases[i][1]);
        assert_null(m);
    }
    talus_context_destroy(ctx);
}

static void good_scenes__at_the_edge_load(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "<mujoco/>",
        "<mujoco><worldbody/></mujoco>",
        BODY(INERTIAL("0", "0 0 0")),                                      // massless, welded to the world
        BODY("<joint axis='0 0 1'/>" INERTIAL("1", "0 1e-3 1e-3")),        // a rod never spun about itself
        BODY("<joint axis='1 0 0' armature='1'/>" INERTIAL("1", "0 1 1")), // or with armature
        BODY("<joint type='slide'/>" INERTIAL("1", "0 0 0")),              // a point mass that slides
        BODY("<joint/><body><geom size='1'/></body>"),                     // its mass is welded to it
        W("<replicate count='0'><geom size='1'/></replicate>"),
        W("<body><freejoint/><geom size='1'/></body><!-- - -->"),
    };
    scene_log log;
    talus_context* ctx = scene_context(&log);
    for (int i = 0; i < TL_COUNT(texts); i++)
        talus_model_destroy(scene_model(ctx, &log, texts[i]));
    talus_context_destroy(ctx);
}

static void include__may_stand_in_the_worldbody(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    scene_write("part.xml", "<mujocoinclude><body name='a'/><body name='b'/></mujocoinclude>");
    talus_model* m = scene_model(ctx, &log, W("<body name='z'/><include file='part.xml'/><body name='c'/>"));
    assert_int_equal(talus_model_find(m, TALUS_BODY, "z"), 1);
    assert_int_equal(talus_model_find(m, TALUS_BODY, "a"), 2);
    assert_int_equal(talus_model_find(m, TALUS_BODY, "c"), 4);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void include__cycle_is_named(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = NULL;
    assert_int_equal(scene_load(ctx, "<mujoco><include file='scene.xml'/></mujoco>", 0, &m), TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "include cycle: "));
    assert_non_null(strstr(log.error, "scene.xml -> "));
    scene_write("other.xml", "<mujoco>\n<include file='scene.xml'/></mujoco>");
    assert_int_equal(scene_load(ctx, "<mujoco><include file='other.xml'/></mujoco>", 0, &m), TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "other.xml:2: include cycle: "));
    assert_int_equal(
        scene_load(ctx, "<mujoco><asset><model name='s' file='scene.xml'/></asset></mujoco>", 0, &m),
        TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "include cycle: "));
    talus_context_destroy(ctx);
}

static void class__inherits_through_nested_defaults(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(
        ctx, &log,
        "<mujoco><default><default class='a'><joint type='slide' axis='1 0 0'/><default "
        "class='b'/></default></default>"
        "<worldbody><body childclass='b'><joint/><geom size='1'/><frame><frame><body><joint type='hinge'/>"
        "<geom size='1'/></body></frame></frame></body></worldbody></mujoco>");
    assert_int_equal(m->mb.jnt_type[0], TL_JOINT_SLIDE);
    assert_int_equal(m->mb.jnt_type[1], TL_JOINT_HINGE);
    test_near("axis", m->mb.jnt_axis, (double[]){1, 0, 0, 1, 0, 0}, 6, 0.0, 1.0);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void nesting__of_100000_bodies_loads(void** state)
{
    (void)state;
    const int32_t n = 100000;
    const char *open = "<body>", *close = "</body>";
    char* text = malloc(13 * (size_t)n + 100);
    assert_non_null(text);
    char* p = text + sprintf(text, "<mujoco><worldbody>");
    for (int32_t i = 0; i < n; i++, p += strlen(open))
        memcpy(p, open, strlen(open));
    for (int32_t i = 0; i < n; i++, p += strlen(close))
        memcpy(p, close, strlen(close));
    sprintf(p, "</worldbody></mujoco>");
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, text);
    assert_int_equal(talus_model_get_info(m).nbody, n + 1);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
    free(text);
}

static void notices__come_once_and_are_errors_when_strict(void** state)
{
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/><site name='s'/></body></worldbody>\n"
        "<tendon><fixed><joint joint='j' coef='1'/></fixed>\n<fixed><joint joint='j' "
        "coef='2'/></fixed></tendon>\n"
        "<equality><joint joint1='j'/></equality><sensor><jointpos joint='j'/></sensor></mujoco>";
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, text);
    assert_int_equal(log.notices, 3);
    assert_int_equal(talus_model_get_info(m).nnotice, 3);
    assert_non_null(strstr(log.notice, "scene.xml:2: not used: tendons\n"));
    assert_non_null(strstr(log.notice, "scene.xml:4: not used: equality constraints\n"));
    assert_string_equal(m->notice[0] + strlen(m->notice[0]) - 7, "tendons");
    talus_model_destroy(m);
    assert_int_equal(scene_load(ctx, text, 1, &m), TALUS_ERR_UNSUPPORTED);
    assert_non_null(strstr(log.error, "scene.xml:2: not supported: tendons"));
    static const struct {
        const char *geom, *what;
    } laws[] = {
        {"condim='4'", "torsional"}, {"condim='6'", "rolling"}, {"margin='0.1' gap='0.05'", "margin"}};
    for (int32_t i = 0; i < TL_COUNT(laws); i++) {
        char scene[128];
        snprintf(scene, sizeof scene, "<mujoco><worldbody>\n<geom size='1' %s/></worldbody></mujoco>",
                 laws[i].geom);
        assert_int_equal(scene_load(ctx, scene, 1, &m), TALUS_ERR_UNSUPPORTED);
        assert_non_null(strstr(log.error, "scene.xml:2: not supported: "));
        assert_non_null(strstr(log.error, laws[i].what));
    }
    // a margin that only looks is no force
    assert_int_equal(
        scene_load(ctx,
                   "<mujoco><worldbody><geom size='1' condim='1' margin='0.1' gap='0.1'/></worldbody>"
                   "</mujoco>",
                   1, &m),
        TALUS_OK);
    talus_model_destroy(m);
    // sensors and pictures never change the motion
    assert_int_equal(
        scene_load(ctx,
                   "<mujoco><asset><texture type='2d' builtin='flat' width='1' height='1'/></asset>"
                   "<worldbody><light/><camera/></worldbody><sensor><clock/></sensor></mujoco>",
                   1, &m),
        TALUS_OK);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void quaternions__of_any_length_are_the_same_rotation(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m =
        scene_model(ctx, &log, W("<body quat='2 0 0 0'/><body quat='1 1e-4 0 0'/><body quat='3 0 4 0'/>"));
    const double r = sqrt(1.0 + 1e-8);
    test_near("quat", m->mb.quat + 4, (double[]){1, 0, 0, 0, 1 / r, 1e-4 / r, 0, 0, 0.6, 0, 0.8, 0}, 12,
              1e-15, 1.0);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void orientations__agree_with_their_closed_forms(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(
        ctx, &log,
        W("<body euler='0 0 90'/><body axisangle='0 0 2 90'/><body xyaxes='0 3 0 -1 5 0'/><body zaxis='1 0 "
          "0'/>"
          "<body euler='90 90 0'/><frame euler='0 0 90' pos='1 0 0'><body pos='1 0 0'/></frame>"));
    const double s = sqrt(0.5);
    const double want[] = {s, 0, 0, s, s, 0, 0, s, s, 0, 0, s, s, 0, s, 0, 0.5, 0.5, 0.5, 0.5, s, 0, 0, s};
    test_near("quat", m->mb.quat + 4, want, 24, 1e-15, 1.0);
    test_near("pos", m->mb.pos + 18, (double[]){1, 1, 0}, 3, 1e-15, 1.0);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void replicate__copies_what_refers_to_it(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(
        ctx, &log,
        "<mujoco><worldbody><replicate count='3' offset='1 0 0' sep='-'><body name='a'><joint name='j'/>"
        "<geom name='g' size='1'/><body name='b'><joint/><geom name='h' "
        "size='1'/></body></body></replicate></worldbody>"
        "<contact><exclude body1='a' body2='b'/><pair geom1='g-0' geom2='g-2'/></contact>"
        "<actuator><motor name='m' joint='j'/></actuator></mujoco>");
    assert_int_equal(m->nexclude, 3);
    assert_int_equal(m->npair, 1);
    assert_int_equal(m->nu, 3);
    assert_int_equal(talus_model_find(m, TALUS_ACTUATOR, "m-2"), 2);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(m->excludes[i].a, 1 + 2 * i);
        assert_int_equal(m->excludes[i].b, 2 + 2 * i);
        assert_int_equal(m->actuator[i].joint, 2 * i);
        test_near1("x", m->mb.pos[3 * (1 + 2 * i)], i, 1e-15);
    }
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void numbers__are_read_the_same_in_every_locale(void** state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        skip();
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, W("<body pos='0.5 1.25e-1 .75'/>"));
    test_near("pos", m->mb.pos + 3, (double[]){0.5, 0.125, 0.75}, 3, 0.0, 1.0);
    setlocale(LC_NUMERIC, "C");
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_scenes__name_file_line_and_what_was_expected),
        cmocka_unit_test(good_scenes__at_the_edge_load),
        cmocka_unit_test(include__may_stand_in_the_worldbody),
        cmocka_unit_test(include__cycle_is_named),
        cmocka_unit_test(class__inherits_through_nested_defaults),
        cmocka_unit_test(nesting__of_100000_bodies_loads),
        cmocka_unit_test(notices__come_once_and_are_errors_when_strict),
        cmocka_unit_test(quaternions__of_any_length_are_the_same_rotation),
        cmocka_unit_test(orientations__agree_with_their_closed_forms),
        cmocka_unit_test(replicate__copies_what_refers_to_it),
        cmocka_unit_test(numbers__are_read_the_same_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
