// SPDX-License-Identifier: MIT
// Height fields from text, MuJoCo's binary format and PNG: order of rows, range, sharing, and what is refused. The
// expected elevations are MuJoCo's for the same files.
#include "scene_text.h"

#define GEOM "<geom name='g' type='hfield' hfield='h'/>"

// 3 x 2 grey 0 10 20 / 30 40 250; 2 x 2 colours with red 0 100 / 0 50; 2 x 2 of 16 bits 0 0x1ff / 0x280 0xffff
static const uint8_t png_grey[] = {137, 80, 78,  71,  13,  10,  26, 10, 0,  0,   0,  13,  73,  72, 68,
                                   82,  0,  0,   0,   3,   0,   0,  0,  2,  8,   0,  0,   0,   0,  184,
                                   31,  57, 198, 0,   0,   0,   16, 73, 68, 65,  84, 120, 156, 99, 96,
                                   224, 18, 97,  144, 211, 248, 5,  0,  2,  76,  1,  95,  227, 44, 182,
                                   227, 0,  0,   0,   0,   73,  69, 78, 68, 174, 66, 96,  130};
static const uint8_t png_colour[] = {137, 80, 78,  71, 13, 10, 26, 10, 0,  0,   0,   13, 73,  72,  68,  82,
                                     0,   0,  0,   2,  0,  0,  0,  2,  8,  2,   0,   0,  0,   253, 212, 154,
                                     115, 0,  0,   0,  20, 73, 68, 65, 84, 120, 156, 99, 96,  224, 18,  73,
                                     97,  0,  130, 19, 12, 70, 70, 70, 0,  10,  94,  1,  225, 128, 65,  147,
                                     202, 0,  0,   0,  0,  73, 69, 78, 68, 174, 66,  96, 130};
static const uint8_t png_deep[] = {137, 80,  78,  71,  13,  10,  26,  10,  0,  0,  0,  13,  73,  72,  68,
                                   82,  0,   0,   0,   2,   0,   0,   0,   2,  16, 0,  0,   0,   0,   7,
                                   77,  142, 187, 0,   0,   0,   18,  73,  68, 65, 84, 120, 156, 99,  96,
                                   96,  96,  252, 207, 192, 212, 240, 255, 63, 0,  10, 144, 3,   129, 2,
                                   3,   199, 8,   0,   0,   0,   0,   73,  69, 78, 68, 174, 66,  96,  130};

static const char* field_scene(const char* attributes, const char* geoms)
{
    static char text[4000];
    snprintf(text, sizeof text,
             "<mujoco>\n<asset>\n<hfield name='h' %s/></asset>\n<worldbody>%s</worldbody></mujoco>",
             attributes, geoms);
    return text;
}

static void check(const char* attributes, int32_t nrow, int32_t ncol, const double* elevation)
{
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, field_scene(attributes, GEOM));
    const tl_hfield* h = m->geom_shape[0].hfield;
    assert_non_null(h);
    assert_int_equal(h->nrow, nrow);
    assert_int_equal(h->ncol, ncol);
    test_near("heights", h->z, elevation, (int64_t)nrow * ncol, 1e-7, 1.0);
    assert_int_equal(log.notices, 0);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void elevation__first_row_is_at_plus_y(void** state)
{
    (void)state;
    check("nrow='2' ncol='3' size='1 2 1 .5' elevation='0 1 2 3 4 5'", 2, 3,
          (double[]){0.6, 0.8, 1, 0, 0.2, 0.4});
    check("nrow='2' ncol='2' size='1 2 1 .5' elevation='7 7 7 7'", 2, 2, (double[]){0, 0, 0, 0});
    check("nrow='2' ncol='2' size='1 2 1 .5'", 2, 2, (double[]){0, 0, 0, 0});
    check("nrow='2' ncol='2' size='1 2 .3 .5' elevation='1 -1 0 3'", 2, 2, (double[]){0.075, 0.3, 0.15, 0});
}

static const char* binary(int32_t nrow, int32_t ncol, const float* z, int64_t n)
{
    char data[400];
    const int32_t head[2] = {nrow, ncol};
    memcpy(data, head, sizeof head);
    memcpy(data + sizeof head, z, sizeof *z * (size_t)n);
    scene_write_bytes("field.bin", data, sizeof head + sizeof *z * (size_t)n);
    return "file='field.bin' size='1 1 1 1'";
}

static const float six[] = {0, 1, 2, 3, 4, 5};

static void files__are_read_as_mujoco_does(void** state)
{
    (void)state;
    check(binary(2, 3, six, 6), 2, 3, (double[]){0, 0.2, 0.4, 0.6, 0.8, 1});
    check("file='field.bin' content_type='image/vnd.mujoco.hfield' size='1 1 1 1'", 2, 3,
          (double[]){0, 0.2, 0.4, 0.6, 0.8, 1});
#ifdef TALUS_HAVE_PNG
    scene_write_bytes("field.PNG", png_grey, sizeof png_grey);
    check("file='field.PNG' size='1 1 1 1'", 2, 3, (double[]){0.12, 0.16, 1, 0, 0.04, 0.08});
    scene_write_bytes("field.dat", png_colour, sizeof png_colour);
    check("file='field.dat' content_type='image/png' size='1 1 1 1'", 2, 2, (double[]){0, 0.5, 0, 1});
    scene_write_bytes("deep.png", png_deep, sizeof png_deep);
    check("file='deep.png' size='1 1 1 1'", 2, 2, (double[]){2.0 / 255, 1, 0, 1.0 / 255});
#else
    (void)png_grey, (void)png_colour, (void)png_deep;
#endif
}

static void geoms__of_one_asset_share_its_grid(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(
        ctx, &log,
        field_scene("nrow='2' ncol='2' size='1 1 1 1'",
                    "<replicate count='3' offset='3 0 0'><geom type='hfield' hfield='h'/></replicate>"));
    assert_int_equal(m->info.ngeom, 3);
    assert_int_equal(m->nhfield, 1);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(m->geom_shape[i].hfield, m->hfield[0]);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void bad_fields__are_named_with_their_line(void** state)
{
    (void)state;
    const float nan[] = {0, 1, 2, NAN};
    const struct {
        const char *attributes, *expected;
    } cases[] = {
        {"nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 2'", "has 3 numbers, expected nrow x ncol = 4"},
        {"nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 2 nan'", "elevation"},
        {"nrow='1' ncol='4' size='1 1 1 1'", "at least 2 of each"},
        {"nrow='2.5' ncol='4' size='1 1 1 1'", "nrow"},
        {"nrow='100000' ncol='100000' size='1 1 1 1'", "at most"},
        {"size='1 1 1 1'", "or a file"},
        {"nrow='2' ncol='2' size='1 1 1 0'", "number 4 must be positive"},
        {"nrow='2' ncol='2' size='1 -1 1 1'", "number 2 must be positive"},
        {"nrow='2' ncol='2'", "'size' is missing"},
        {"file='no.bin' size='1 1 1 1'", "cannot read the hfield file"},
        {"file='short.bin' size='1 1 1 1'", "ends before its 2 x 3 numbers"},
        {"file='long.bin' size='1 1 1 1'", "goes on after its 2 x 2 numbers"},
        {"file='head.bin' size='1 1 1 1'", "header is missing"},
        {"file='wide.bin' size='1 1 1 1'", "has 1 rows and 6 columns"},
        {"file='nan.bin' size='1 1 1 1'", "row 1, column 1 is not finite"},
        {"file='short.bin' nrow='2' ncol='3' size='1 1 1 1'", "file excludes"},
        {"file='short.bin' content_type='text/plain' size='1 1 1 1'", "content_type"},
        {"file='cut.png' size='1 1 1 1'", "cut.png"},
        {"file='text.png' size='1 1 1 1'", "text.png"},
    };
    const struct {
        const char* name;
        int32_t head[2];
        const float* z;
        int64_t n;
    } files[] = {{"short.bin", {2, 3}, six, 5},
                 {"long.bin", {2, 2}, six, 5},
                 {"wide.bin", {1, 6}, six, 6},
                 {"nan.bin", {2, 2}, nan, 4}};
    for (int i = 0; i < TL_COUNT(files); i++) {
        char data[100];
        memcpy(data, files[i].head, 8);
        memcpy(data + 8, files[i].z, sizeof(float) * (size_t)files[i].n);
        scene_write_bytes(files[i].name, data, 8 + sizeof(float) * (size_t)files[i].n);
    }
    scene_write_bytes("head.bin", six, 6);
    scene_write_bytes("cut.png", png_grey, sizeof png_grey - 20);
    scene_write("text.png", "not a picture");
    for (int i = 0; i < TL_COUNT(cases); i++) {
        scene_log log;
        talus_context* ctx = scene_context(&log);
        talus_model* m = NULL;
        const talus_status status = scene_load(ctx, field_scene(cases[i].attributes, GEOM), 0, &m);
        if (status != TALUS_ERR_INPUT || !strstr(log.error, cases[i].expected) ||
            !strstr(log.error, "scene.xml:3:") || !strstr(log.error, "<hfield h>"))
            fail_msg("%s: status %d, message '%s', expected '%s'", cases[i].attributes, status, log.error,
                     cases[i].expected);
        assert_int_equal(log.errors, 1);
        talus_context_destroy(ctx);
    }
    // nobody uses it: the file is not looked for
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model_destroy(scene_model(ctx, &log, field_scene("file='no.bin' size='1 1 1 1'", "")));
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elevation__first_row_is_at_plus_y),
        cmocka_unit_test(files__are_read_as_mujoco_does),
        cmocka_unit_test(geoms__of_one_asset_share_its_grid),
        cmocka_unit_test(bad_fields__are_named_with_their_line),
    };
    return cmocka_run_group_tests_name("hfield", tests, NULL, NULL);
}
