// SPDX-License-Identifier: MIT
// Fields from meshes: bad ones are refused or repaired with counts, pressures of given tetrahedra.
#include "field_builder.h"

// corners of a cube by bits x = 1, y = 2, z = 4
static const double cube[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int32_t five[20] = {0, 1, 2, 4, 3, 1, 7, 2, 5, 1, 4, 7, 6, 2, 7, 4, 1, 2, 4, 7};
static const int32_t sides[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

// five tetrahedra have corners on the surface only: split, not silently without pressure
static void cube_of_five__is_split(void** state)
{
    tl_field* f;
    assert_int_equal(tl_field_from_tets(*state, 8, cube, 5, five, NULL, 1e5, "cube", &f), TALUS_OK);
    const tl_field_info* i = tl_field_get_info(f);
    assert_int_equal(i->without_pressure, 5);
    assert_int_equal(i->ne, 20);
    const double one = 1.0;
    test_near("volume", &i->volume, &one, 1, 1e-14, 1.0);
    tl_field* floor = field_of(*state, TL_SHAPE_PLANE, NULL, TL_FIELD_RIGID, 0, 0);
    assert_true(sum_of(*state, f, at(0, 0, -0.1), floor, at(0, 0, 0)).force[2] > 0.0);
    tl_field_destroy(*state, f);
    tl_field_destroy(*state, floor);
    // given pressures cannot be invented: refused
    const double none[8] = {0};
    assert_int_equal(tl_field_from_tets(*state, 8, cube, 5, five, none, 1e5, "cube", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "5 tetrahedra have zero pressure"));
}

// the pressure inside is E times depth over the largest depth: the cube's centre is deepest
static void pressure__is_the_distance_to_the_surface(void** state)
{
    double x[27];
    int32_t tet[48];
    memcpy(x, cube, sizeof cube);
    x[24] = 0.5, x[25] = 0.5, x[26] = 0.4; // nearest side: z = 0
    for (int t = 0; t < 12; t++) {
        memcpy(tet + 4 * t, sides + 3 * t, 3 * sizeof(int32_t));
        tet[4 * t + 3] = 8;
    }
    tl_field* f;
    assert_int_equal(tl_field_from_tets(*state, 9, x, 12, tet, NULL, 2e5, "cube", &f), TALUS_OK);
    const double *y, *p, deepest = 2e5, zero = 0.0;
    const int32_t* e;
    tl_field_get_mesh(f, &y, &e, &p);
    test_near("inside", &p[8], &deepest, 1, 1e-15, deepest);
    test_near("on the surface", &p[3], &zero, 1, 1e-15, deepest);
    // 0.1 deep in the floor: along the axis the pressure is E z / 0.4
    tl_field* floor = field_of(*state, TL_SHAPE_PLANE, NULL, TL_FIELD_RIGID, 0, 0);
    const tl_patch_sum s = sum_of(*state, f, at(0, 0, -0.1), floor, at(0, 0, 0));
    const double most = 2e5 * 0.1 / 0.4;
    assert_true(s.pressure_max <= most * (1 + 1e-12) && s.pressure_max > 0.6 * most);
    tl_field_destroy(*state, floor);
    tl_field_destroy(*state, f);
}

static void flat_and_turned_elements__are_counted(void** state)
{
    double x[30];
    int32_t tet[24];
    memcpy(x, cube, sizeof cube);
    x[24] = 0.5, x[25] = 0.5, x[26] = 0.5;
    x[27] = 0.5, x[28] = 1e-17, x[29] = 0.0; // on an edge but for 1e-17
    const int32_t some[24] = {0, 2, 3, 8, 0, 1, 3, 8, /* flat: */ 0, 1, 9, 8, 0, 1, 5, 8,
                              2, 6, 7, 8, 0, 9, 1, 8};
    memcpy(tet, some, sizeof tet);
    double p[10] = {0};
    p[8] = 1e5;
    tl_field* f;
    assert_int_equal(tl_field_from_tets(*state, 10, x, 6, tet, p, 0, "mesh", &f), TALUS_OK);
    const tl_field_info* i = tl_field_get_info(f);
    assert_int_equal(i->degenerate, 2);
    assert_int_equal(i->ne, 4);
    assert_true(i->turned > 0 && i->turned < 4);
    tl_field_destroy(*state, f);
}

static void convex_surface__is_a_cone_from_its_centroid(void** state)
{
    tl_field* f;
    assert_int_equal(tl_field_from_convex(*state, 8, cube, 12, sides, 1e6, "cube", &f), TALUS_OK);
    const double *x, *p, centre[3] = {0.5, 0.5, 0.5}, E = 1e6, one = 1.0;
    const int32_t* e;
    tl_field_get_mesh(f, &x, &e, &p);
    test_near("centroid", x + 24, centre, 3, 1e-14, 1.0);
    test_near("pressure", p + 8, &E, 1, 1e-15, E);
    test_near("volume", &tl_field_get_info(f)->volume, &one, 1, 1e-14, 1.0);
    // as a cube of the primitives: F = (E/H) (A t - P t^2/2 + 4 t^3/3)
    tl_field* floor = field_of(*state, TL_SHAPE_PLANE, NULL, TL_FIELD_RIGID, 0, 0);
    const double t = 0.1, want = E / 0.5 * (t - 4 * t * t / 2 + 4 * t * t * t / 3);
    const tl_patch_sum s = sum_of(*state, f, at(0, 0, -t), floor, at(0, 0, 0));
    test_near("force", &s.force[2], &want, 1, 1e-12, want);
    tl_field_destroy(*state, floor);
    tl_field_destroy(*state, f);
}

static void bad_input__is_named(void** state)
{
    double x[24], p[8] = {0};
    int32_t tet[20];
    tl_field* f = NULL;
    memcpy(x, cube, sizeof x);
    memcpy(tet, five, sizeof tet);
    x[10] = NAN;
    assert_int_equal(tl_field_from_tets(*state, 8, x, 5, five, NULL, 1e5, "jelly", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "jelly: vertex 3 is not finite"));
    tet[6] = 8;
    assert_int_equal(tl_field_from_tets(*state, 8, cube, 5, tet, NULL, 1e5, "jelly", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "tetrahedron 1 names vertex 8, but there are 8"));
    p[2] = -1.0;
    assert_int_equal(tl_field_from_tets(*state, 8, cube, 5, five, p, 1e5, "jelly", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "pressure of vertex 2 is -1 Pa"));
    assert_int_equal(tl_field_from_tets(*state, 8, cube, 5, five, NULL, -1, "jelly", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "positive hydroelastic modulus"));
    assert_int_equal(tl_field_from_tets(*state, 8, cube, 0, five, NULL, 1e5, "jelly", &f), TALUS_ERR_INPUT);
    const tl_shape ball = {.type = TL_SHAPE_SPHERE, .size = {0.1, 0, 0}}, ground = {.type = TL_SHAPE_PLANE};
    const tl_field_spec no_hint = {.kind = TL_FIELD_COMPLIANT, .modulus = 1e5};
    assert_int_equal(tl_field_from_shape(*state, &ball, &no_hint, "ball", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "ball: hint = 0 m"));
    assert_int_equal(tl_field_from_shape(*state, &ground, &no_hint, "ground", &f), TALUS_ERR_INPUT);
    assert_non_null(strstr(last_message, "thickness = 0 m"));
    assert_null(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_of_five__is_split),
        cmocka_unit_test(pressure__is_the_distance_to_the_surface),
        cmocka_unit_test(flat_and_turned_elements__are_counted),
        cmocka_unit_test(convex_surface__is_a_cone_from_its_centroid),
        cmocka_unit_test(bad_input__is_named),
    };
    return cmocka_run_group_tests(tests, field_context_begin, field_context_end);
}
