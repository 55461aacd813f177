// SPDX-License-Identifier: MIT
// The picture of a ball is a disc of the size that the camera's geometry says (closed form).
#include "test.h"
#include <talus/talus.h>
#include "picture.h"

#include <unistd.h>

static void render_scene(const char* scene, int32_t width, int32_t height, uint8_t* rgb)
{
    char path[64];
    talus_model* model = NULL;
    talus_state* state = NULL;
    talus_sim* sim = NULL;
    double pressure_max = 0.0;
    talus_context* ctx = test_context(2);
    snprintf(path, sizeof path, "/tmp/talus_test_%ld.xml", (long)getpid());
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    fputs(scene, f);
    fclose(f);
    const talus_load_options load = talus_load_default();
    assert_int_equal(talus_model_load(ctx, path, &load, &model), TALUS_OK);
    unlink(path);
    assert_int_equal(talus_state_create(ctx, model, &state), TALUS_OK);
    assert_int_equal(talus_sim_create(ctx, model, NULL, &sim), TALUS_OK);
    assert_int_equal(tl_render(ctx, model, sim, state, width, height, rgb, &pressure_max), TALUS_OK);
    talus_sim_destroy(sim);
    talus_state_destroy(state);
    talus_model_destroy(model);
    talus_context_destroy(ctx);
}

#define W 400
#define H 300

/// Pixels that are red, as nothing else in these scenes is.
static int32_t count_red(const uint8_t* rgb)
{
    int32_t n = 0;
    for (int32_t i = 0; i < W * H; i++)
        n += rgb[3 * i] > 2 * rgb[3 * i + 1] + 20;
    return n;
}

static void ball__covers_the_disc_of_its_cone(void** state)
{
    static uint8_t rgb[W * H * 3];
    (void)state;
    render_scene("<mujoco><worldbody><body pos=\"3 -2 7\"><freejoint/>"
                 "<geom size=\"0.4\" rgba=\"1 0 0 1\"/></body></worldbody></mujoco>",
                 W, H, rgb);
    // the camera stands so that a ball of 1.02 times the radius would touch the edge of the lower field of
    // view, 0.36
    const double angle = asin(sin(atan(0.36)) / 1.08), radius = H / (2 * 0.36) * tan(angle);
    const double want = 3.14159265358979 * radius * radius;
    // the rim is a dark line of about a pixel
    const double got = count_red(rgb);
    test_near("disc", &got, &want, 1, 4 / radius, want);
}

static void walls__in_front_are_glass(void** state)
{
    static uint8_t open[W * H * 3], walled[W * H * 3];
    (void)state;
    const char* ball = "<body pos=\"0 0 1\"><freejoint/><geom size=\"0.4\" rgba=\"1 0 0 1\"/></body>";
    char scene[1024];
    snprintf(scene, sizeof scene, "<mujoco><worldbody>%s</worldbody></mujoco>", ball);
    render_scene(scene, W, H, open);
    snprintf(scene, sizeof scene,
             "<mujoco><worldbody>%s<geom type=\"box\" size=\"2 0.05 2\" pos=\"0 -1 1\"/>"
             "<geom type=\"box\" size=\"2 0.05 2\" pos=\"0 1 1\"/></worldbody></mujoco>",
             ball);
    render_scene(scene, W, H, walled);
    // the near wall stands between camera and ball, the far one behind it
    const double want = count_red(open), got = count_red(walled);
    assert_true(want > 10000);
    test_near("red", &got, &want, 1, 0.15, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball__covers_the_disc_of_its_cone),
                                       cmocka_unit_test(walls__in_front_are_glass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
