// SPDX-License-Identifier: MIT
// Mesh files cut at every byte, with bytes changed, dropped and doubled, must be read or refused with one message; what
// is read is finite and in range, and nothing leaks. The seeds are what other programs wrote (tests/data/meshes), and
// all of them hold the same cube.
#include "test.h"
#include "mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char* const seeds[] = {
    "vtk42-ascii.vtk", "vtk42-binary.vtk", "vtk51-ascii.vtk",   "vtk51-binary.vtk",   "ascii.vtu",
    "base64.vtu",      "zlib.vtu",         "raw.vtu",           "raw-big-endian.vtu", "appended-base64.vtu",
    "raw-zlib.vtu",    "gmsh22-ascii.msh", "gmsh22-binary.msh", "gmsh41-ascii.msh",   "gmsh41-binary.msh"};

typedef struct counts {
    int64_t live;
    int32_t errors;
    char text[1200];
} counts;

static void* count_alloc(void* user, size_t bytes, size_t align)
{
    ((counts*)user)->live++;
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void count_free(void* user, void* p)
{
    ((counts*)user)->live--;
    free(p);
}

static void count_message(void* user, const talus_message* m)
{
    counts* c = user;
    c->errors += m->severity == TALUS_ERROR;
    assert_null(strchr(m->text, '\n'));
    snprintf(c->text, sizeof c->text, "%s", m->text);
}

static char* read_seed(const char* name, size_t* n)
{
    char path[400];
    snprintf(path, sizeof path, "%s/tests/data/meshes/%s", TALUS_SOURCE_DIR, name);
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    char* text = malloc(1 << 16);
    assert_non_null(text);
    *n = fread(text, 1, 1 << 16, f);
    assert_true(*n > 0 && *n < 1 << 16);
    fclose(f);
    return text;
}

static bool needs_zlib(const char* name)
{
    return strstr(name, "zlib") && !tl_can_inflate();
}

static void check_arrays(const tl_mesh_file* m)
{
    for (int64_t i = 0; i < 3 * m->nvert; i++)
        assert_true(isfinite(m->vert[i]));
    for (int64_t i = 0; i < 4 * m->ntet; i++)
        assert_true(m->tet[i] >= 0 && m->tet[i] < m->nvert);
    for (int64_t i = 0; i < 3 * m->nface; i++)
        assert_true(m->face[i] >= 0 && m->face[i] < m->nvert);
}

typedef struct reader {
    counts c;
    talus_context* ctx;
    char path[100];
    int32_t read, refused;
} reader;

static void begin(reader* r, const char* name)
{
    memset(r, 0, sizeof *r);
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.message = count_message;
    def.message_user = &r->c;
    def.allocator = (talus_allocator){.alloc = count_alloc, .free = count_free, .user = &r->c};
    assert_int_equal(talus_context_create(&def, &r->ctx), TALUS_OK);
    snprintf(r->path, sizeof r->path, "/tmp/talus_mesh_%ld%s", (long)getpid(), strrchr(name, '.'));
}

/// Keep the file that shows a failure.
static void fail_bytes(reader* r, const char* data, size_t n, const char* want)
{
    FILE* f = fopen(r->path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
    fail_msg("expected %s, see %s", want, r->path);
}

static void end(reader* r)
{
    talus_context_destroy(r->ctx);
    assert_int_equal(r->c.live, 0);
}

static void read_one(reader* r, const char* data, size_t n, bool must)
{
    // no byte more than the file has, so that a sanitizer sees a read behind it
    char* exact = malloc(n + 1);
    assert_non_null(exact);
    memcpy(exact, data, n);
    exact[n] = '\0';
    const int64_t before = r->c.live;
    tl_arena memory;
    tl_arena_init(&memory, r->ctx);
    tl_mesh_file m = {.ctx = r->ctx, .path = r->path, .memory = &memory};
    r->c.errors = 0;
    const talus_status status = tl_mesh_file_parse(&m, exact, (int64_t)n);
    free(exact);
    if (r->c.errors != (status < 0))
        fail_bytes(r, data, n, "as many messages as failures");
    if (must && status < 0)
        fail_msg("%s", r->c.text);
    if (status >= 0)
        check_arrays(&m);
    r->read += status >= 0;
    r->refused += status < 0;
    if (must) {
        static const double corner[9][3] = {{0, 0, 0},    {.1, 0, 0},  {.1, .1, 0},
                                            {0, .1, 0},   {0, 0, .1},  {.1, 0, .1},
                                            {.1, .1, .1}, {0, .1, .1}, {.05, .05, .05}};
        static const int32_t side[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                            {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};
        assert_true(m.nvert == 9 && m.ntet == 12 && m.nface == 12 && m.unused == 0);
        assert_memory_equal(m.vert, corner, sizeof corner);
        for (int i = 0; i < 12; i++) {
            const int32_t want[4] = {side[i][0], side[i][2], side[i][1], 8};
            assert_memory_equal(m.tet + 4 * i, want, sizeof want);
        }
    }
    tl_arena_fini(&memory);
    if (r->c.live != before)
        fail_bytes(r, data, n, "no leak");
}

static void seeds__hold_the_same_cube(void** state)
{
    (void)state;
    for (int32_t k = 0; k < TL_COUNT(seeds); k++) {
        if (needs_zlib(seeds[k]))
            continue;
        size_t n;
        char* text = read_seed(seeds[k], &n);
        reader r;
        begin(&r, seeds[k]);
        read_one(&r, text, n, true);
        end(&r);
        free(text);
    }
}

static void files__cut_anywhere_are_refused_or_whole(void** state)
{
    (void)state;
    for (int32_t k = 0; k < TL_COUNT(seeds); k++) {
        size_t n;
        char* text = read_seed(seeds[k], &n);
        reader r;
        begin(&r, seeds[k]);
        for (size_t i = 0; i < n; i++)
            read_one(&r, text, i, false);
        // what may be missing: final white space and closing tags
        if (r.read > 200)
            fail_msg("%s: %d of %zu pieces were taken for whole", seeds[k], r.read, n);
        end(&r);
        free(text);
    }
}

static size_t mutate(tl_rng* rng, const char* in, size_t n, char* out)
{
    static const char bytes[] = "0123456789-. eE\n<>/=\"$_\x00\xff\x7f\x80\x01n";
    memcpy(out, in, n);
    const int32_t edits = 1 + (int32_t)(tl_rng_next(rng) % 3);
    for (int32_t k = 0; k < edits && n > 2; k++) {
        const size_t at = tl_rng_next(rng) % n, piece = 1 + tl_rng_next(rng) % 12,
                     len = TL_MIN(piece, n - at);
        switch (tl_rng_next(rng) % 5) {
        case 0: // cut
            memmove(out + at, out + at + len, n - at - len);
            n -= len;
            break;
        case 1: // double
            memmove(out + at + len, out + at, n - at);
            n += len;
            break;
        case 2: // a bit
            out[at] = (char)(out[at] ^ 1 << tl_rng_next(rng) % 8);
            break;
        case 3: // high numbers
            memset(out + at, tl_rng_next(rng) % 2 ? 0xff : 0x7f, len);
            break;
        default:
            out[at] = bytes[tl_rng_next(rng) % (sizeof bytes - 1)];
        }
    }
    return n;
}

static void mutations__are_read_or_refused_cleanly(void** state)
{
    (void)state;
    const char* wanted = getenv("TALUS_FUZZ_ROUNDS");
    const int32_t rounds = wanted ? atoi(wanted) : 2000;
    for (int32_t k = 0; k < TL_COUNT(seeds); k++) {
        size_t n;
        char* text = read_seed(seeds[k], &n);
        char* out = malloc(n + 64);
        assert_non_null(out);
        reader r;
        begin(&r, seeds[k]);
        tl_rng rng;
        tl_rng_seed(&rng, (uint64_t)k + 1);
        for (int32_t i = 0; i < rounds; i++) {
            const size_t bytes = mutate(&rng, text, n, out);
            read_one(&r, out, bytes, false);
        }
        assert_true(r.refused > 0);
        end(&r);
        free(out);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds__hold_the_same_cube),
        cmocka_unit_test(files__cut_anywhere_are_refused_or_whole),
        cmocka_unit_test(mutations__are_read_or_refused_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
