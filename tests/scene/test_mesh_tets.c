// SPDX-License-Identifier: MIT
// Tetrahedra out of VTK and Gmsh files: what a scene makes of them, and what is said of files that are not right.
// tests/peers/test_meshio.py reads what other programs wrote.
#include "scene_text.h"
#include "mesh_file.h"
#include "patch.h"

#include <math.h>

// The cube [0, 0.1]^3 with a vertex in the middle: two tetrahedra on each side.
static const char cube_points[] = "0 0 0 .1 0 0 .1 .1 0 0 .1 0 0 0 .1 .1 0 .1 .1 .1 .1 0 .1 .1 .05 .05 .05";
static const int cube_sides[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                      {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};

/// As a legacy VTK file; `turned` tetrahedra are written the other way round.
static const char* cube_vtk(int turned)
{
    static char text[2000];
    int n = snprintf(text, sizeof text,
                     "# vtk DataFile Version 2.0\ncube\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                     "POINTS 9 double\n%s\nCELLS 12 60\n",
                     cube_points);
    for (int i = 0; i < 12; i++) {
        const int* s = cube_sides[i];
        // a side from outside, then the middle: negative volume
        n += snprintf(text + n, sizeof text - (size_t)n, "4 %d %d %d 8\n", s[0], s[i < turned ? 1 : 2],
                      s[i < turned ? 2 : 1]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "CELL_TYPES 12\n10 10 10 10 10 10 10 10 10 10 10 10\n");
    return text;
}

static const char* cube_scene(const char* file, const char* more)
{
    static char text[2000];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 -10'/><asset>\n<mesh name='m' file='%s' %s/></asset><worldbody>"
             "<geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 0.2'><freejoint/>"
             "<geom name='cube' type='mesh' mesh='m' density='1000'/></body></worldbody>"
             "<custom><text name='talus.geom.cube' data='contact=compliant E=1e6'/>"
             "<text name='talus.geom.floor' data='contact=rigid'/></custom></mujoco>",
             file, more);
    return text;
}

static int32_t geom_field_of(const talus_model* m)
{
    for (int32_t g = 0; g < m->info.ngeom; g++)
        if (m->geom_field[g] && tl_field_get_kind(m->geom_field[g]) == TL_FIELD_COMPLIANT)
            return g;
    fail_msg("no compliant geom");
    return -1;
}

static void scene__mesh_with_tetrahedra_is_its_own_field(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    scene_write("cube.vtk", cube_vtk(0));
    talus_model* m = scene_model(ctx, &log, cube_scene("cube.vtk", ""));
    const tl_field* f = m->geom_field[geom_field_of(m)];
    const tl_field_info* i = tl_field_get_info(f);
    assert_int_equal(i->nv, 9);
    assert_int_equal(i->ne, 12);
    assert_int_equal(i->turned + i->degenerate + i->without_pressure, 0);
    test_near("volume", &i->volume, (double[]){1e-3}, 1, 1e-15, 1e-3);
    // the body weighs what the surface encloses
    const double I = 0.01 / 6.0;
    test_near("mass", m->mb.mass + 1, (double[]){1.0}, 1, 1e-12, 1.0);
    test_near("com", m->mb.ipos + 3, (double[]){0.05, 0.05, 0.05}, 3, 1e-12, 1.0);
    test_near("inertia", m->mb.inertia + 3, (double[]){I, I, I}, 3, 1e-12, I);
    // pressure: E in the middle, 0 on the surface
    const double *x, *p;
    const int32_t* element;
    double sum = 0.0, most = 0.0;
    tl_field_get_mesh(f, &x, &element, &p);
    for (int32_t k = 0; k < i->nv; k++) {
        sum += p[k];
        most = fmax(most, p[k]);
    }
    assert_true(fabs(most - 1e6) < 1e-6 && fabs(sum - 1e6) < 1e-6);
    assert_int_equal(log.notices, tl_spec_makes_hulls() ? 0 : 1); // no contact at points without hulls
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void scene__turned_mirrored_and_unused_are_counted(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    scene_write("cube.vtk", cube_vtk(5));
    talus_model* m = scene_model(ctx, &log, cube_scene("cube.vtk", ""));
    assert_int_equal(tl_field_get_info(m->geom_field[geom_field_of(m)])->turned, 5);
    assert_non_null(strstr(log.notice, "geom 'cube': tetrahedra turned the right way round: 5 of 12"));
    talus_model_destroy(m);
    // a mirrored mesh is not a wrong one
    scene_write("cube.vtk", cube_vtk(0));
    m = scene_model(ctx, &log, cube_scene("cube.vtk", "scale='1 -2 1'"));
    assert_int_equal(tl_field_get_info(m->geom_field[geom_field_of(m)])->turned, 0);
    test_near("mass", m->mb.mass + 1, (double[]){2.0}, 1, 1e-12, 1.0);
    talus_model_destroy(m);
    // a vertex of no tetrahedron is in no hull
    char text[2000];
    const char* cube = cube_vtk(0);
    const char* points = strstr(cube, "POINTS 9 double\n");
    snprintf(text, sizeof text, "%.*sPOINTS 10 double\n%s 5 5 5%s", (int)(points - cube), cube, cube_points,
             strstr(cube, "\nCELLS"));
    scene_write("cube.vtk", text);
    m = scene_model(ctx, &log, cube_scene("cube.vtk", ""));
    assert_int_equal(tl_field_get_info(m->geom_field[geom_field_of(m)])->nv, 9);
    assert_non_null(strstr(log.notice, "<mesh m>: vertices that belong to no tetrahedron, left out: 1"));
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

// Case C34: five tetrahedra between the corners of a cube have no pressure anywhere, and one more without volume.
static void scene__corner_tetrahedra_are_split_and_flat_ones_dropped(void** state)
{
    (void)state;
    static const char gmsh[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n"
        "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n90 0.5 0 6e-20\n$EndNodes\n"
        "$Elements\n6\n1 4 2 1 1 1 2 4 5\n2 4 2 1 1 3 4 2 7\n3 4 2 1 1 6 5 7 2\n4 4 2 1 1 8 7 5 4\n"
        "5 4 2 1 1 2 4 5 7\n6 4 2 1 1 1 2 90 3\n$EndElements\n";
    scene_log log;
    talus_context* ctx = scene_context(&log);
    scene_write("five.msh", gmsh);
    talus_model* m = scene_model(ctx, &log, cube_scene("five.msh", ""));
    const tl_field_info* i = tl_field_get_info(m->geom_field[geom_field_of(m)]);
    assert_int_equal(i->without_pressure, 5);
    assert_int_equal(i->degenerate, 1);
    assert_int_equal(i->ne, 20);
    test_near("volume", &i->volume, (double[]){1.0}, 1, 1e-14, 1.0);
    assert_non_null(strstr(log.notice, "where the pressure is zero, split in four: 5"));
    assert_non_null(strstr(log.notice, "tetrahedra without volume, left out: 1"));
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

// ---- files alone ----------------------------------------------------------------------------------------

typedef struct file {
    tl_arena memory;
    tl_mesh_file m;
} file;

static talus_status read_bytes(talus_context* ctx, scene_log* log, const char* name, const void* data,
                               size_t n, file* f)
{
    log->error[0] = '\0';
    log->errors = 0;
    tl_arena_init(&f->memory, ctx);
    f->m = (tl_mesh_file){.ctx = ctx, .path = scene_write_bytes(name, data, n), .memory = &f->memory};
    bool found;
    const talus_status status = tl_mesh_file_read(&f->m, &found);
    assert_true(found);
    assert_int_equal(log->errors, status < 0);
    return status;
}

// Case C33: a plane through a vertex and edges of the tetrahedra of a file, and a hair from their sides, cuts
// polygons that add up to the section.
static void file__slivers_add_up_to_the_section(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    file f;
    const char* text = cube_vtk(0);
    assert_int_equal(read_bytes(ctx, &log, "cube.vtk", text, strlen(text), &f), TALUS_OK);
    assert_true(f.m.ntet == 12 && f.m.nface == 12 && f.m.nvert == 9);
    tl_field *soft = NULL, *floor_field = NULL;
    assert_int_equal(
        tl_field_from_tets(ctx, (int32_t)f.m.nvert, f.m.vert, 12, f.m.tet, NULL, 1e6, "cube", &soft),
        TALUS_OK);
    const tl_shape plane = {.type = TL_SHAPE_PLANE};
    const tl_field_spec rigid = {.kind = TL_FIELD_RIGID};
    assert_int_equal(tl_field_from_shape(ctx, &plane, &rigid, "floor", &floor_field), TALUS_OK);
    static const double depth[] = {0.05, 0.05 - 0x1p-50, 0.05 - 0x1p-30, 0.02, 0x1p-30, 0x1p-50};
    for (int32_t i = 0; i < TL_COUNT(depth); i++) {
        const tl_pose X = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0, 0, -depth[i]}},
                      O = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        tl_patch p = {0};
        tl_patch_sum sum;
        assert_int_equal(tl_patch_collide(ctx, soft, &X, floor_field, &O, NULL, &p), TALUS_OK);
        tl_patch_total(&p, O.p, &sum);
        if (fabs(sum.area - 0.01) > 1e-14)
            fail_msg("depth %g: area %.17g, want 0.01", depth[i], sum.area);
        tl_patch_free(ctx, &p);
    }
    tl_field_destroy(ctx, soft);
    tl_field_destroy(ctx, floor_field);
    tl_arena_fini(&f.memory);
    talus_context_destroy(ctx);
}

static void file__bad_ones_name_the_place_and_what_was_expected(void** state)
{
    (void)state;
#define VTK "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define FOUR VTK "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define GMSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES GMSH "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n$EndNodes\n"
#define GRID "<VTKFile type='UnstructuredGrid'>\n<UnstructuredGrid>\n"
#define PIECE GRID "<Piece NumberOfPoints='4' NumberOfCells='1'><Points>\n"
#define POINTS                                                                                               \
    "<DataArray type='Float64' NumberOfComponents='3'>\n0 0 0 1 0 0\n0 1 0 0 0 1</DataArray></Points>\n"
#define CELLS(a, b, c)                                                                                       \
    "<Cells><DataArray type='Int32' Name='connectivity'>\n" a "</DataArray>\n"                               \
    "<DataArray type='Int32' Name='offsets'>" b "</DataArray>\n"                                             \
    "<DataArray type='UInt8' Name='types'>" c "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"a.vtk", "not a mesh\n", "line 1: expected: '# vtk DataFile Version'"},
        {"a.vtk", "# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\n",
         "line 4: a data set 'POLYDATA'; expected: UNSTRUCTURED_GRID"},
        {"a.vtk", VTK "POINTS 4 float\n0 0 0 1 0 nan\n", "line 6: POINTS: "},
        {"a.vtk", VTK "POINTS 4 float\n0 0 0\n1 0 0 0 inf 0 0 0 1\n",
         "line 7: POINTS: 'inf'; expected: a finite number"},
        {"a.vtk", VTK "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0              ",
         "the file ends too early; expected: a finite number"},
        {"a.vtk", VTK "POINTS 2000000000 double\n0 0 0\n", "6000000000 numbers, but only 6 bytes are left"},
        {"a.vtk", VTK "POINTS 4 complex\n", "line 5: POINTS: 'complex' is no type of numbers"},
        {"a.vtk", FOUR "CELLS 1 5\n4 0 1\n2 9\nCELL_TYPES 1\n10\n",
         "line 9: CELLS: cell 0 names point 9; expected: 0 to 3"},
        {"a.vtk", FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n77\n",
         "line 10: CELL_TYPES: cell 0 has the unknown type 77"},
        {"a.vtk", FOUR "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n",
         "cell 0, one of the tetrahedra, has 3 points; expected: 4"},
        {"a.vtk", FOUR "CELLS 1 5\n5 0 1 2 3\nCELL_TYPES 1\n10\n",
         "cell 0 has 5 points, but 4 numbers are left"},
        {"a.vtk", FOUR "CELLS 1 5\n4 0 1 2 3\n", "the file ends without CELL_TYPES"},
        {"a.vtk", FOUR "CELLS 2 4\n1 0 1 1\nCELL_TYPES 2\n1 1\n",
         "no tetrahedra and no triangles, only 2 vertices"},
        {"a.vtk", FOUR "CELLS 1 9\n8 0 1 2 3 0 1 2 3\nCELL_TYPES 1\n12\n",
         "1 hexahedra; expected: tetrahedra of four vertices and no other solid"},
        {"a.vtk", FOUR "POLYGONS 1 2\n", "line 7: 'POLYGONS'; expected: POINTS, CELLS or CELL_TYPES"},
        {"a.msh", GMSH "$Nodes\n1\n1 0 0 x\n", "line 6: $Nodes: 'x'; expected: a finite number"},
        {"a.msh", GMSH "$Nodes\n1\n1 0 0 0\n$Elements\n", "line 7: $Nodes: expected: $EndNodes"},
        {"a.msh", GMSH "$Nodes\n2\n4 0 0 0\n4 1 0 0\n$EndNodes\n", "two nodes have the tag 4"},
        {"a.msh", NODES "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
         "line 13: $Elements: no node has the tag 4; expected: one of the 4 in $Nodes"},
        {"a.msh", NODES "$Elements\n1\n1 5 0 1 2 3 7 1 2 3 7\n$EndElements\n",
         "1 hexahedra; expected: tetrahedra"},
        {"a.msh", NODES "$Elements\n1\n1 11 0 1 2 3 7 1 2 3 7 1 2\n$EndElements\n",
         "1 second-order tetrahedra"},
        {"a.msh", NODES "$Elements\n1\n1 200 0 1\n", "line 13: $Elements: unknown type 200 of elements"},
        {"a.msh", NODES "$Elements\n3000\n1 4 0 1 2 3 7\n", "3000 elements, but only"},
        {"a.msh", NODES, "the file ends without $Elements"},
        {"a.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n",
         "line 2: $MeshFormat: version 4; expected: 2.2 or 4.1"},
        {"a.msh", "$MeshFormat\n2.2 1 8\nABCD", "byte 20: $MeshFormat: expected: the number 1"},
        {"a.msh", "\1\2\3\4nonsense", "the header is missing"}, // MuJoCo's
        {"a.vtu", "<VTKFile type='PolyData'/>", "<VTKFile>: type 'PolyData'; expected: <VTKFile"},
        {"a.vtu", GRID "<Piece NumberOfPoints='-4' NumberOfCells='1'/></UnstructuredGrid></VTKFile>",
         "line 3: <Piece>: attribute 'NumberOfPoints' is '-4'; expected: an integer from 0"},
        {"a.vtu", PIECE POINTS CELLS("0 1 2 9", "4", "10"),
         "line 8: connectivity: cell 0 names point 9; expected: 0 to 3"},
        {"a.vtu", PIECE POINTS CELLS("0 1 2 3 0", "4", "10"),
         "a list of 5 points; expected: 4, as all cells have"},
        {"a.vtu", PIECE POINTS CELLS("0 1 2 3", "7", "10"),
         "offsets: cell 0 ends at 7; expected: from 0 to 4"},
        {"a.vtu", PIECE POINTS CELLS("0 1 2 3", "4 4", "10"), "<DataArray>: 2 numbers; expected: 1"},
        {"a.vtu", PIECE POINTS CELLS("0 1 2 3", "4", "14.5"), "types: '14.5'; expected: an integer"},
        {"a.vtu",
         PIECE "<DataArray type='Float64' format='binary'>YWJj</DataArray></Points></Piece>"
               "</UnstructuredGrid></VTKFile>",
         "no <Cells>"},
        {"a.vtu",
         PIECE "<DataArray type='Float64' format='binary'>YWJj</DataArray></Points><Cells/></Piece>"
               "</UnstructuredGrid></VTKFile>",
         "line 4: points: the data ends before its length says so"},
        {"a.vtu", PIECE, "not well-formed XML"},
    };
    scene_log log;
    talus_context* ctx = scene_context(&log);
    for (int32_t i = 0; i < TL_COUNT(cases); i++) {
        file f;
        const talus_status status =
            read_bytes(ctx, &log, cases[i].name, cases[i].text, strlen(cases[i].text), &f);
        if (status != TALUS_ERR_INPUT || !strstr(log.error, cases[i].want) ||
            !strstr(log.error, cases[i].name))
            fail_msg("case %d: status %d, message '%s', wanted '%s'", i, status, log.error, cases[i].want);
        tl_arena_fini(&f.memory);
    }
    // in a scene: who asked for it
    talus_model* m = NULL;
    scene_write("bad.vtk", FOUR "CELLS 1 5\n4 0 1 2 9\nCELL_TYPES 1\n10\n");
    assert_int_equal(scene_load(ctx, cube_scene("bad.vtk", ""), 0, &m), TALUS_ERR_INPUT);
    assert_non_null(strstr(log.error, "scene.xml:2: <mesh m>: "));
    assert_non_null(strstr(log.error, "bad.vtk: line 8: CELLS: cell 0 names point 9"));
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene__mesh_with_tetrahedra_is_its_own_field),
        cmocka_unit_test(scene__turned_mirrored_and_unused_are_counted),
        cmocka_unit_test(scene__corner_tetrahedra_are_split_and_flat_ones_dropped),
        cmocka_unit_test(file__slivers_add_up_to_the_section),
        cmocka_unit_test(file__bad_ones_name_the_place_and_what_was_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
