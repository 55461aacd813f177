// SPDX-License-Identifier: MIT
// Scene files with bytes changed, cut or doubled must load or fail with one message: no crash, no leak. The context
// counts allocations; a load that fails must free all of them.
#include "test.h"
#include "counted.h"
#include "model.h"

#include <stdio.h>
#include <unistd.h>

/// Says most of what a scene can say in few bytes.
static const char seed_scene[] =
    "<mujoco model=\"m\"><compiler angle=\"degree\" eulerseq=\"xyz\" boundmass=\"1e-3\"/>\n"
    "<option timestep=\"0.002\" gravity=\"0 0 -9.81\"><flag contact=\"enable\"/></option>\n"
    "<default><geom density=\"500\" friction=\"0.5 0.1 0.1\"/><default class=\"c\"><joint damping=\"1\" "
    "range=\"-30 40\"/>\n"
    "<geom type=\"capsule\" size=\"0.1 0.2\"/></default></default>\n"
    "<asset><mesh name=\"t\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 2 1 0 1 3 0 3 2 1 2 3\" scale=\"1 2 "
    "3\"/>\n"
    "<mesh name=\"s\" builtin=\"sphere\" params=\"1\"/><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 "
    "1\"/></asset>\n"
    "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><geom type=\"hfield\" hfield=\"h\"/>\n"
    "<replicate count=\"3\" offset=\"1 0 0\" euler=\"0 0 10\" sep=\"-\"><body name=\"r\"><freejoint "
    "name=\"f\"/>\n"
    "<geom name=\"g\" type=\"box\" size=\"0.1 0.2 0.3\"/></body></replicate>\n"
    "<frame pos=\"0 1 0\" euler=\"10 0 0\"><body name=\"b\" childclass=\"c\" quat=\"1 0.1 0 0\"><joint "
    "name=\"j\"/>\n"
    "<joint name=\"k\" type=\"slide\" springdamper=\"1 1\"/><geom name=\"q\" fromto=\"0 0 0 1 0 0\"/>\n"
    "<body pos=\"0 0 1\"><joint type=\"ball\" range=\"0 40\"/><inertial pos=\"0 0 0\" mass=\"1\" "
    "fullinertia=\"1 1 1 0.1 0 "
    "0\"/>\n"
    "<geom type=\"mesh\" mesh=\"t\" euler=\"1 2 3\"/><geom type=\"box\" mesh=\"s\"/></body></body></frame>\n"
    "<attach body=\"b\" prefix=\"x\"/></worldbody>\n"
    "<contact><exclude body1=\"r-0\" body2=\"b\"/><pair geom1=\"g\" geom2=\"q\"/></contact>\n"
    "<actuator><position joint=\"j\" kp=\"10\" dampratio=\"1\"/><motor joint=\"k\" ctrlrange=\"-1 "
    "1\"/></actuator>\n"
    "<keyframe><key name=\"a\" qvel=\"1 2 3\"/></keyframe>\n"
    "<custom><text name=\"talus.geom.q\" data=\"k=1e6 d=50 mu=0.5\"/></custom></mujoco>\n";

typedef struct counts {
    counted memory;
    int32_t errors;
} counts;

static void count_message(void* user, const talus_message* m)
{
    counts* c = user;
    c->errors += m->severity == TALUS_ERROR;
    assert_non_null(m->text);
    assert_null(strchr(m->text, '\n'));
}

static char* read_file(const char* path, size_t* size)
{
    FILE* f = fopen(path, "rb");
    if (!f)
        return NULL;
    char* text = malloc(1 << 16);
    *size = text ? fread(text, 1, (1 << 16) - 1, f) : 0;
    fclose(f);
    return text;
}

/// Swap two quoted values of the text: stays well-formed, so that the deeper checks are reached.
static void swap_values(tl_rng* r, char* text, size_t n)
{
    size_t at[2], len[2];
    for (int i = 0; i < 2; i++) {
        const char* open = memchr(text + tl_rng_next(r) % (n / 2), '"', n / 2);
        const char* close =
            open && open + 1 < text + n ? memchr(open + 1, '"', (size_t)(text + n - open - 1)) : NULL;
        if (!close)
            return;
        at[i] = (size_t)(open + 1 - text);
        len[i] = (size_t)(close - open - 1);
    }
    for (size_t k = 0; k < TL_MIN(len[0], len[1]); k++) {
        const char c = text[at[0] + k];
        text[at[0] + k] = text[at[1] + k];
        text[at[1] + k] = c;
    }
}

static size_t mutate(tl_rng* r, const char* in, size_t n, char* out)
{
    static const char bytes[] = "<>\"'/= 0123456789.-eEnaif&;#\0\x80\xff\n", digits[] = "0123456789-. ";
    memcpy(out, in, n);
    const int32_t edits = 1 + (int32_t)(tl_rng_next(r) % 4);
    for (int32_t k = 0; k < edits && n > 2; k++) {
        const size_t at = tl_rng_next(r) % n, piece = 1 + tl_rng_next(r) % 30, len = TL_MIN(piece, n - at);
        size_t d = at;
        switch (tl_rng_next(r) % 8) {
        case 0: // another byte
            out[at] = bytes[tl_rng_next(r) % (sizeof bytes - 1)];
            break;
        case 1: // cut
            memmove(out + at, out + at + len, n - at - len);
            n -= len;
            break;
        case 2: // double a piece
            memmove(out + at + len, out + at, n - at);
            n += len;
            break;
        case 3:
        case 4:
            swap_values(r, out, n);
            break;
        default: // another digit
            while (d + 1 < n && (out[d] < '0' || out[d] > '9'))
                d++;
            out[d] = digits[tl_rng_next(r) % (sizeof digits - 1)];
        }
    }
    return n;
}

static void load_bytes(talus_context* ctx, counts* c, const char* path, const char* text, size_t n)
{
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    const int64_t before = c->memory.live;
    c->errors = 0;
    talus_model* m = NULL;
    const talus_status status = talus_model_load(ctx, path, NULL, &m);
    if (status != TALUS_OK) {
        assert_null(m);
        if (c->errors != 1)
            fail_msg("%d messages for one failure, status %d, see %s", c->errors, status, path);
    }
    talus_model_destroy(m);
    if (c->memory.live != before)
        fail_msg("%lld allocations leak, see %s", (long long)(c->memory.live - before), path);
}

static void fuzz(const char* text, size_t n, int32_t rounds, uint64_t seed)
{
    counts c = {.memory.fail_at = -1};
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.message = count_message;
    def.message_user = &c;
    def.allocator = counted_allocator(&c.memory);
    talus_context* ctx = NULL;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    char path[64];
    snprintf(path, sizeof path, "/tmp/talus_mutation_%ld.xml", (long)getpid());
    char* out = malloc(2 * n + 256);
    assert_non_null(out);
    tl_rng r;
    tl_rng_seed(&r, seed);
    for (int32_t i = 0; i < rounds; i++) {
        const size_t bytes = mutate(&r, text, n, out);
        load_bytes(ctx, &c, path, out, bytes);
    }
    free(out);
    remove(path);
    talus_context_destroy(ctx);
    assert_int_equal(c.memory.live, 0);
}

static int32_t rounds_wanted(int32_t few)
{
    const char* s = getenv("TALUS_FUZZ_ROUNDS");
    return s ? atoi(s) : few;
}

static void mutations__of_a_scene_load_or_fail_cleanly(void** state)
{
    (void)state;
    fuzz(seed_scene, sizeof seed_scene - 1, rounds_wanted(4000), 1);
}

static void mutations__the_seed_itself_loads(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const char* path = "/tmp/talus_mutation_seed.xml";
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    fputs(seed_scene, f);
    fclose(f);
    talus_model* m = NULL;
    assert_int_equal(talus_model_load(ctx, path, NULL, &m), TALUS_OK);
    assert_int_equal(talus_model_get_info(m).nbody, 1 + 3 + 2 + 2);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
    remove(path);
}

static void mutations__of_a_humanoid_load_or_fail_cleanly(void** state)
{
    (void)state;
    size_t n = 0;
    char* text = read_file(TALUS_SHARED_DIR "/models/mujoco/model/humanoid/humanoid.xml", &n);
    if (!text)
        skip();
    fuzz(text, n, rounds_wanted(1000), 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutations__the_seed_itself_loads),
        cmocka_unit_test(mutations__of_a_scene_load_or_fail_cleanly),
        cmocka_unit_test(mutations__of_a_humanoid_load_or_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
