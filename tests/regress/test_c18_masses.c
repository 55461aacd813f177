// SPDX-License-Identifier: MIT
// C18: bodies without mass and inertias that no body can have. Refused with the body's name and line, unless
// nothing depends on what is missing: a massless body fixed to the world, a thin rod that never spins about
// itself.
#include "scene.h"

static talus_status load(scene* s, const char* joint, const char* inertial)
{
    scene_begin(s, 1);
    scene_add(s, "<mujoco>\n<worldbody>\n<body name=\"link\">\n%s\n%s\n</body>\n</worldbody>\n</mujoco>\n",
              joint, inertial);
    return scene_read(s);
}

static void refused(const char* joint, const char* inertial, const char* name)
{
    scene s;
    const talus_status status = load(&s, joint, inertial);
    const char* text = s.log.last[TALUS_ERROR];
    if (status != TALUS_ERR_INPUT)
        fail_msg("accepted: %s %s", joint, inertial);
    if (!strstr(text, name) || s.log.line < 3 || s.log.line > 5)
        fail_msg("expected '%s' and a line from 3 to 5: %s", name, text);
    scene_end(&s);
}

static void accepted(const char* joint, const char* inertial)
{
    scene s;
    if (load(&s, joint, inertial) < 0)
        fail_msg("%s", s.log.last[TALUS_ERROR]);
    scene_sim(&s, NULL);
    scene_run(&s, 1e-3, 100);
    const int32_t nv = talus_model_get_info(s.model).nv;
    for (int32_t i = 0; i < nv; i++)
        assert_true(isfinite(s.v[i]));
    scene_end(&s);
}

#define HINGE(axis) "<joint type=\"hinge\" axis=\"" axis "\"/>"
#define INERTIAL(mass, moments) "<inertial pos=\"0 0 0\" mass=\"" mass "\" diaginertia=\"" moments "\"/>"

static void massless__moving_is_refused(void** state)
{
    (void)state;
    refused(HINGE("0 0 1"), "<geom type=\"sphere\" size=\"0.1\" mass=\"0\"/>", "link");
    refused("<freejoint/>", "", "link");
    refused("<joint type=\"slide\" axis=\"1 0 0\"/>", INERTIAL("0", "0 0 0"), "link");
}

static void massless__fixed_is_accepted(void** state)
{
    (void)state;
    accepted("", "<geom type=\"sphere\" size=\"0.1\" mass=\"0\"/>");
}

static void moments__must_obey_the_triangle(void** state)
{
    (void)state;
    refused("<freejoint/>", INERTIAL("1", "1e-3 1e-3 3e-3"), "inertia");
    refused("<freejoint/>", INERTIAL("1", "-1e-3 1e-3 1e-3"), "inertia");
    accepted("<freejoint/>", INERTIAL("1", "1e-3 1e-3 2e-3")); // a disc: equality
}

static void thin_rod__depends_on_the_joint(void** state)
{
    (void)state;
    const char* rod = INERTIAL("1", "0 1e-3 1e-3");
    accepted(HINGE("0 1 0"), rod);
    accepted(HINGE("0 0 1"), rod);
    accepted("<joint type=\"slide\" axis=\"1 0 0\"/>", rod);
    refused(HINGE("1 0 0"), rod, "link");
    refused("<freejoint/>", rod, "link");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(massless__moving_is_refused),
        cmocka_unit_test(massless__fixed_is_accepted),
        cmocka_unit_test(moments__must_obey_the_triangle),
        cmocka_unit_test(thin_rod__depends_on_the_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
