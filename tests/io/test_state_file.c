// SPDX-License-Identifier: MIT
// State files: what is written comes back bit for bit, a wrong file changes nothing, no mutation crashes.
#include "test.h"
#include <talus/talus.h>
#include "state_file.h"

#include <unistd.h>

static const char scene[] =
    "<mujoco><worldbody>\n"
    "  <body name=\"box\" pos=\"0 0 1\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>\n"
    "  <body name=\"arm\"><joint name=\"ball\" type=\"ball\"/><geom size=\"0.1\" pos=\"1 0 0\" mass=\"1\"/>\n"
    "    <body><joint name=\"slide\" type=\"slide\"/><geom size=\"0.1\" mass=\"1\"/></body></body>\n"
    "</worldbody></mujoco>\n";

typedef struct world {
    talus_context* ctx;
    talus_model* model;
    talus_sim* sim;
    talus_state* state;
    char path[64];
} world;

static void write_file(const char* path, const char* text, size_t n)
{
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void drop_message(void* user, const talus_message* m)
{
    if (m->severity == TALUS_ERROR)
        snprintf(user, 512, "%s", m->text);
}

static void setup(world* w, char* message)
{
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.message = drop_message;
    def.message_user = message;
    assert_int_equal(talus_context_create(&def, &w->ctx), TALUS_OK);
    snprintf(w->path, sizeof w->path, "/tmp/talus_test_%ld.xml", (long)getpid());
    write_file(w->path, scene, strlen(scene));
    const talus_load_options load = talus_load_default();
    assert_int_equal(talus_model_load(w->ctx, w->path, &load, &w->model), TALUS_OK);
    unlink(w->path);
    snprintf(w->path, sizeof w->path, "/tmp/talus_test_%ld.json", (long)getpid());
    assert_int_equal(talus_state_create(w->ctx, w->model, &w->state), TALUS_OK);
    assert_int_equal(talus_sim_create(w->ctx, w->model, NULL, &w->sim), TALUS_OK);
}

static void teardown(world* w)
{
    unlink(w->path);
    talus_sim_destroy(w->sim);
    talus_state_destroy(w->state);
    talus_model_destroy(w->model);
    talus_context_destroy(w->ctx);
}

/// Values that need all 17 digits; unit quaternions at q[3] and q[7].
static void randomize(talus_state* state)
{
    double *q = talus_state_q(state), *v = talus_state_v(state);
    tl_rng rng;
    tl_rng_seed(&rng, 3);
    for (int32_t i = 0; i < 12; i++)
        q[i] = tl_rng_normal(&rng);
    for (int32_t i = 0; i < 10; i++)
        v[i] = tl_rng_normal(&rng) * 1e-7;
    for (int32_t at = 3; at <= 7; at += 4) {
        double n = 0;
        for (int32_t i = 0; i < 4; i++)
            n += q[at + i] * q[at + i];
        for (int32_t i = 0; i < 4; i++)
            q[at + i] /= sqrt(n);
    }
    talus_state_set_time(state, 1.0 / 3.0);
}

static void state__comes_back_bit_for_bit(void** unused)
{
    char message[512] = "";
    world w;
    (void)unused;
    setup(&w, message);
    randomize(w.state);
    const uint64_t hash = talus_state_hash(w.state);
    assert_int_equal(tl_state_save(w.ctx, w.model, w.sim, w.state, w.path), TALUS_OK);
    assert_int_equal(talus_state_reset(w.state, -1), TALUS_OK);
    assert_true(talus_state_hash(w.state) != hash);
    assert_int_equal(tl_state_load(w.ctx, w.model, w.path, w.state), TALUS_OK);
    assert_true(talus_state_hash(w.state) == hash);
    teardown(&w);
}

static const char good[] =
    "{\"time\": 0.5, \"bodies\": {\"box\": {\"pos\": [1, 2, 3], \"quat\": [0.6, 0.8, 0, 0],\n"
    " \"linvel\": [0.1, 0.2, 0.3], \"angvel\": [4, 5, 6]}, \"arm\": {\"pos\": [0, 0, 0]}},\n"
    " \"joints\": {\"ball\": [[0, 1, 0, 0], [7, 8, 9]], \"slide\": [0.25, -0.5]},\n"
    " \"free\": {\"box\": [1, 2, 3, 0.6, 0.8, 0, 0, 0.1, 0.2, 0.3, 4, 5, 6]}, \"hinge\": {\"slide\": [0.25, "
    "-0.5]}}\n";

static void state__wrong_file_changes_nothing(void** unused)
{
    char message[512] = "", text[1024];
    world w;
    (void)unused;
    setup(&w, message);
    write_file(w.path, good, strlen(good));
    assert_int_equal(tl_state_load(w.ctx, w.model, w.path, w.state), TALUS_OK);
    assert_true(talus_state_q(w.state)[11] == 0.25 && talus_state_v(w.state)[9] == -0.5);
    const uint64_t hash = talus_state_hash(w.state);
    // the last entry is wrong: what stands before it must not be applied
    const char* at = strstr(good, "\"hinge\": {\"slide\": [0.25");
    snprintf(text, sizeof text, "%.*s\"hinge\": {\"slide\": [7]}}", (int)(at - good), good);
    char* moved = strstr(text, "[1, 2, 3]");
    assert_non_null(moved);
    moved[1] = '9';
    write_file(w.path, text, strlen(text));
    assert_int_equal(tl_state_load(w.ctx, w.model, w.path, w.state), TALUS_ERR_INPUT);
    assert_non_null(strstr(message, "hinge.slide: [q, v] is wanted"));
    assert_true(talus_state_hash(w.state) == hash);
    teardown(&w);
}

static void state__no_mutation_crashes(void** unused)
{
    static const char* const pieces[] = {"-1", "1e308", "[]", "{}", "null", "\"", ",", "]", "#1", "0"};
    char message[512] = "", text[2048];
    tl_rng rng;
    world w;
    int32_t accepted = 0;
    (void)unused;
    setup(&w, message);
    tl_rng_seed(&rng, 11);
    for (int32_t round = 0; round < 1000; round++) {
        size_t n = strlen(good);
        memcpy(text, good, n);
        const size_t at = tl_rng_next(&rng) % n;
        const char* piece = pieces[tl_rng_next(&rng) % TL_COUNT(pieces)];
        const size_t gap = tl_rng_next(&rng) % TL_MIN(4, n - at);
        memmove(text + at + strlen(piece), good + at + gap, n - at - gap);
        memcpy(text + at, piece, strlen(piece));
        n += strlen(piece) - gap;
        write_file(w.path, text, n);
        const uint64_t before = talus_state_hash(w.state);
        message[0] = '\0';
        const talus_status status = tl_state_load(w.ctx, w.model, w.path, w.state);
        accepted += status == TALUS_OK;
        if (status != TALUS_OK &&
            (status != TALUS_ERR_INPUT || !message[0] || talus_state_hash(w.state) != before))
            fail_msg("round %d: status %d, message '%s'", round, status, message);
    }
    assert_in_range(accepted, 10, 700);
    teardown(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state__comes_back_bit_for_bit),
        cmocka_unit_test(state__wrong_file_changes_nothing),
        cmocka_unit_test(state__no_mutation_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
