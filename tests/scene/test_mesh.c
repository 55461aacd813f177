// SPDX-License-Identifier: MIT
#include "scene_text.h"

/// A 0.1 m cube at (1, 2, 3) as triangles, outward.
static const char cube_vertices[] = "0.95 1.95 2.95 1.05 1.95 2.95 1.05 2.05 2.95 0.95 2.05 2.95 "
                                    "0.95 1.95 3.05 1.05 1.95 3.05 1.05 2.05 3.05 0.95 2.05 3.05";
static const char cube_faces[] = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 1 2 6 1 6 5 0 4 7 0 7 3";

static const char* mesh_scene(const char* mesh)
{
    static char text[4000];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' %s/></asset><worldbody><body><freejoint/>"
             "<geom type='mesh' mesh='m' density='1000'/></body></worldbody></mujoco>",
             mesh);
    return text;
}

static const char* inline_mesh(const char* vertices, const char* faces, const char* more)
{
    static char text[3000];
    snprintf(text, sizeof text, "vertex='%s' face='%s' %s", vertices, faces, more);
    return mesh_scene(text);
}

/// density 1000, edge 0.1: 1 kg, moments m a^2 / 6; single-precision vertices
static void check_cube(const talus_model* m)
{
    const double I = 0.01 / 6.0;
    test_near("mass", m->mb.mass + 1, (double[]){1.0}, 1, 1e-5, 1.0);
    test_near("com", m->mb.ipos + 3, (double[]){1, 2, 3}, 3, 1e-6, 1.0);
    test_near("inertia", m->mb.inertia + 3, (double[]){I, I, I}, 3, 2e-5, I);
}

#if defined(TALUS_HAVE_QHULL)
enum { HULLS = 1 };
#else
enum { HULLS = 0 };
#endif

static void cube__has_its_mass_in_every_mode(void** state)
{
    (void)state;
    static const char* const modes[] = {"", "inertia='exact'", "inertia='legacy'", "inertia='convex'"};
    scene_log log;
    talus_context* ctx = scene_context(&log);
    for (int i = 0; i < TL_COUNT(modes) - !HULLS; i++) {
        talus_model* m = scene_model(ctx, &log, inline_mesh(cube_vertices, cube_faces, modes[i]));
        check_cube(m);
        talus_model_destroy(m);
    }
    if (HULLS) {
        // without faces: the convex hull
        char text[400];
        snprintf(text, sizeof text, "vertex='%s'", cube_vertices);
        talus_model* m = scene_model(ctx, &log, mesh_scene(text));
        check_cube(m);
        talus_model_destroy(m);
    }
    talus_context_destroy(ctx);
}

static void cube__as_a_shell_weighs_its_surface(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, inline_mesh(cube_vertices, cube_faces, "inertia='shell'"));
    // 6 a^2 of 1000 kg/m^2; a thin cube has moments 5/18 m a^2
    test_near("mass", m->mb.mass + 1, (double[]){60.0}, 1, 1e-5, 60.0);
    const double I = 60.0 * 0.01 * 5.0 / 18.0;
    test_near("inertia", m->mb.inertia + 3, (double[]){I, I, I}, 3, 2e-5, I);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void tetrahedron__has_the_closed_form(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log,
                                 mesh_scene("inertia='exact' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
                                            "face='0 2 1 0 1 3 0 3 2 1 2 3'"));
    // V = 1/6; about the centroid I_xx = 3/40 m and I_xy = 1/80 m: moments m/10 along (1, 1, 1), m/16 across
    const double mass = 1000.0 / 6.0;
    test_near("mass", m->mb.mass + 1, &mass, 1, 1e-12, mass);
    test_near("com", m->mb.ipos + 3, (double[]){0.25, 0.25, 0.25}, 3, 1e-12, 1.0);
    test_near("inertia", m->mb.inertia + 3, (double[]){mass / 10, mass / 16, mass / 16}, 3, 1e-12, mass);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void surface__turned_inward_or_open_is_named(void** state)
{
    (void)state;
    char inward[200], open[200];
    const int32_t n = (int32_t)strlen(cube_faces);
    snprintf(open, sizeof open, "%.*s", n - 6, cube_faces); // one triangle is missing
    for (int32_t i = 0; i < n; i++)                         // swap the first two corners of each triangle
        inward[i] = cube_faces[i % 6 == 0 && i + 2 < n ? i + 2 : i % 6 == 2 ? i - 2 : i];
    inward[n] = '\0';
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = NULL;
    assert_int_equal(scene_load(ctx, inline_mesh(cube_vertices, inward, "inertia='exact'"), 0, &m),
                     TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "<mesh m>: the volume is negative"));
    assert_int_equal(scene_load(ctx, inline_mesh(cube_vertices, open, "inertia='exact'"), 0, &m),
                     TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "<mesh m>: open edges: 3"));
    // the default mode takes both, and says so of the open one
    m = scene_model(ctx, &log, inline_mesh(cube_vertices, inward, ""));
    check_cube(m);
    talus_model_destroy(m);
    m = scene_model(ctx, &log, inline_mesh(cube_vertices, open, ""));
    assert_non_null(strstr(log.notice, "open edges: 3"));
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void triangles__without_area_change_nothing(void** state)
{
    (void)state;
    char faces[200];
    snprintf(faces, sizeof faces, "%s 0 0 1 2 2 2", cube_faces);
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, inline_mesh(cube_vertices, faces, "inertia='exact'"));
    check_cube(m);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void obj__reads_quads_and_indices_from_the_end(void** state)
{
    (void)state;
    char text[2000] = "# cube\n", *p = text + strlen(text);
    static const int32_t quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {2, 3, 7, 6}, {1, 2, 6, 5}, {0, 4, 7, 3}};
    for (int32_t i = 0; i < 8; i++) {
        const double x = i % 4 == 1 || i % 4 == 2 ? 1.05 : 0.95, y = i % 4 >= 2 ? 2.05 : 1.95,
                     z = i >= 4 ? 3.05 : 2.95;
        p += sprintf(p, "v %g %g %g\r\n", x, y, z);
    }
    p += sprintf(p, "vn 0 0 1\nvt 0 0\nusemtl x\n");
    for (int32_t i = 0; i < 6; i++)
        p += sprintf(p, i % 2 ? "f %d//1 %d//1 %d//1 %d//1\n" : "f %d/1/1 %d/1/1 %d/1/1 %d/1/1\n",
                     quads[i][0] - 8, quads[i][1] - 8, quads[i][2] - 8, quads[i][3] - 8);
    scene_write("cube file.obj", text); // blanks in the name
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, mesh_scene("inertia='exact' file='cube file.obj'"));
    check_cube(m);
    talus_model_destroy(m);
    char uri[300];
    snprintf(uri, sizeof uri, "file='file://%s'", scene_path("cube file.obj"));
    m = scene_model(ctx, &log, mesh_scene(uri));
    check_cube(m);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void stl__binary_may_begin_with_solid(void** state)
{
    (void)state;
#if !defined(TALUS_HAVE_ASSIMP)
    skip();
#endif
    unsigned char data[84 + 12 * 50] = "solid cube";
    float v[24];
    int32_t f[36];
    const char* p = cube_vertices;
    for (int i = 0; i < 24; i++)
        v[i] = strtof(p, (char**)&p);
    p = cube_faces;
    for (int i = 0; i < 36; i++)
        f[i] = (int32_t)strtol(p, (char**)&p, 10);
    const uint32_t count = 12;
    memcpy(data + 80, &count, 4);
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++)
            memcpy(data + 84 + 50 * t + 12 + 12 * k, v + 3 * f[3 * t + k], 12);
    scene_write_bytes("cube.stl", data, sizeof data);
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, mesh_scene("inertia='exact' file='cube.stl'"));
    check_cube(m);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void msh__is_read_and_checked(void** state)
{
    (void)state;
    unsigned char data[16 + 8 * 12 + 12 * 12];
    const int32_t head[4] = {8, 0, 0, 12};
    memcpy(data, head, sizeof head);
    const char* p = cube_vertices;
    for (int i = 0; i < 24; i++) {
        const float v = strtof(p, (char**)&p);
        memcpy(data + 16 + 4 * i, &v, 4);
    }
    p = cube_faces;
    for (int i = 0; i < 36; i++) {
        const int32_t f = (int32_t)strtol(p, (char**)&p, 10);
        memcpy(data + 16 + 96 + 4 * i, &f, 4);
    }
    scene_write_bytes("cube.msh", data, sizeof data);
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, mesh_scene("inertia='exact' file='cube.msh'"));
    check_cube(m);
    talus_model_destroy(m);
    scene_write_bytes("cube.msh", data, sizeof data - 1);
    assert_int_equal(scene_load(ctx, mesh_scene("file='cube.msh'"), 0, &m), TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "the sizes in the header do not fit the file"));
    talus_context_destroy(ctx);
}

static void missing_file__is_an_error_for_contact_and_a_notice_for_looks(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = NULL;
    assert_int_equal(scene_load(ctx, mesh_scene("file='package://nope/a.obj'"), 0, &m), TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "scene.xml:1: <mesh m>: cannot resolve 'package://nope/a.obj'"));
    assert_int_equal(scene_load(ctx, mesh_scene("file='nope.obj'"), 0, &m), TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "scene.xml:1: <mesh m>: cannot read the mesh file; searched: "));
    m = scene_model(ctx, &log,
                    "<mujoco><asset><mesh name='m' file='nope.obj'/></asset><worldbody>"
                    "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/></worldbody></mujoco>");
    assert_non_null(strstr(log.notice, "it is only drawn, loading goes on"));
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube__has_its_mass_in_every_mode),
        cmocka_unit_test(cube__as_a_shell_weighs_its_surface),
        cmocka_unit_test(tetrahedron__has_the_closed_form),
        cmocka_unit_test(surface__turned_inward_or_open_is_named),
        cmocka_unit_test(triangles__without_area_change_nothing),
        cmocka_unit_test(obj__reads_quads_and_indices_from_the_end),
        cmocka_unit_test(stl__binary_may_begin_with_solid),
        cmocka_unit_test(msh__is_read_and_checked),
        cmocka_unit_test(missing_file__is_an_error_for_contact_and_a_notice_for_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
