// SPDX-License-Identifier: MIT
// C49: include inside worldbody, a joint type inherited through two classes, files that include themselves, and
// 100,000 nested bodies. Elsewhere the joint was a hinge and the cycle a stack overflow.
#include "scene.h"

#define CASES TALUS_SOURCE_DIR "/tests/data/cases/"

static talus_status load(scene* s, const char* file)
{
    char path[1024];
    snprintf(path, sizeof path, CASES "%s", file);
    scene_begin(s, 1);
    return talus_model_load(s->ctx, path, NULL, &s->model);
}

static void defaults__are_inherited_through_classes_and_includes(void** state)
{
    (void)state;
    scene s;
    if (load(&s, "nested_defaults.xml") < 0)
        fail_msg("%s", s.log.last[TALUS_ERROR]);
    assert_int_equal(talus_model_get_info(s.model).nbody, 3);
    scene_body(&s, "included");
    // radius from main, density from b
    test_near1("mass", talus_model_get_info(s.model).total_mass,
               2.0 * 500.0 * 4.0 / 3.0 * 3.14159265358979323846 * 1e-3, 1e-12);
    scene_sim(&s, NULL);
    scene_step(&s, 0.01); // slides along z fall, hinges through the centre would not turn
    for (int32_t i = 0; i < 2; i++)
        test_near1("speed", s.v[i], -SCENE_G * 0.01, 1e-12);
    scene_end(&s);
}

static void cycle(const char* file, int32_t line, const char* chain)
{
    scene s;
    assert_int_equal(load(&s, file), TALUS_ERR_INPUT);
    assert_null(s.model);
    // the text has whole paths: compare with their directories taken out
    char text[1024];
    int32_t n = 0;
    for (const char* p = s.log.last[TALUS_ERROR]; *p && n < 1023;)
        if (strncmp(p, CASES, sizeof CASES - 1) == 0)
            p += sizeof CASES - 1;
        else
            text[n++] = *p++;
    text[n] = 0;
    if (!strstr(text, chain) || s.log.line != line)
        fail_msg("expected '%s' at line %d, got line %d: %s", chain, line, s.log.line, text);
    scene_end(&s);
}

static void cycle__is_named(void** state)
{
    (void)state;
    cycle("includes_itself.xml", 3, "include cycle: includes_itself.xml -> includes_itself.xml");
    cycle("includes_a.xml", 2, "include cycle: includes_a.xml -> includes_b.xml -> includes_a.xml");
}

static void nesting__of_100000_bodies_does_not_crash(void** state)
{
    (void)state;
    const int32_t n = 100000;
    scene s;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco><worldbody>\n");
    for (int32_t i = 0; i < n; i++)
        scene_add(&s, "<body>");
    scene_add(&s, "<joint/><geom size=\"0.1\"/>");
    for (int32_t i = 0; i < n; i++)
        scene_add(&s, "</body>");
    scene_add(&s, "\n</worldbody></mujoco>\n");
    const talus_status status = scene_read(&s);
    if (status == TALUS_OK)
        assert_int_equal(talus_model_get_info(s.model).nbody, n + 1);
    else
        assert_true(status == TALUS_ERR_INPUT && s.log.count[TALUS_ERROR] == 1);
    print_message("100,000 nested bodies: %s\n", talus_status_text(status));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults__are_inherited_through_classes_and_includes),
        cmocka_unit_test(cycle__is_named),
        cmocka_unit_test(nesting__of_100000_bodies_does_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
