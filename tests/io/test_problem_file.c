// SPDX-License-Identifier: MIT
// Problem files: both formats give back every bit, every wrong file gives one clear line, no mutation
// crashes. Oracle of the round trips: the arrays that were written; of the messages: the field that was
// spoiled.
#include "test.h"
#include "problem_file.h"

#include <unistd.h>

// ---- a problem with everything in it ----------------------------------------------------------------------

typedef struct sample {
    talus_problem_view view;
    int32_t tree_nv[3], tree_a[4], tree_b[4], limit_tree[2], limit_dof[2], loss_tree[1], loss_dof[1];
    int64_t pair[4];
    double M[4 + 9 + 1], v0[6], v_star[6], J[64], c[4][4], f0[12], limit[4][2], limit_f0[2], bound[1],
        loss_f0[1];
} sample;

static void random_values(tl_rng* r, double* x, int32_t n, double lo, double hi)
{
    for (int32_t i = 0; i < n; i++)
        x[i] = tl_rng_uniform(r, lo, hi);
}

static void make_sample(sample* s)
{
    static const int32_t nv[3] = {2, 3, 1}, a[4] = {0, 1, 2, -1}, b[4] = {1, -1, 0, 2};
    tl_rng rng;
    memset(s, 0, sizeof *s);
    tl_rng_seed(&rng, 7);
    memcpy(s->tree_nv, nv, sizeof nv);
    memcpy(s->tree_a, a, sizeof a);
    memcpy(s->tree_b, b, sizeof b);
    double* M = s->M;
    for (int32_t t = 0; t < 3; M += nv[t] * nv[t], t++)
        for (int32_t i = 0; i < nv[t]; i++)
            for (int32_t j = 0; j <= i; j++)
                M[i * nv[t] + j] = M[j * nv[t] + i] =
                    i == j ? 2.0 + 1.0 / 3.0 : tl_rng_uniform(&rng, -0.1, 0.1);
    random_values(&rng, s->v0, 6, -1, 1);
    random_values(&rng, s->v_star, 6, -1, 1);
    random_values(&rng, s->J, 64, -1, 1);
    for (int32_t f = 0; f < 4; f++)
        random_values(&rng, s->c[f], 4, 0.001, 1);
    random_values(&rng, s->f0, 12, -1, 1);
    for (int32_t f = 0; f < 3; f++)
        random_values(&rng, s->limit[f], 2, 0.001, 1);
    s->limit[3][0] = 1;
    s->limit[3][1] = -1;
    s->limit_tree[1] = 1;
    s->limit_dof[1] = 2;
    s->pair[1] = 5;
    s->pair[2] = INT64_C(1) << 40;
    s->loss_tree[0] = 2;
    s->bound[0] = 0.3;
    s->loss_f0[0] = s->limit_f0[1] = 1e-3 / 3;
    s->view = talus_problem_default();
    talus_problem_view* v = &s->view;
    v->ntree = 3;
    v->nc = 4;
    v->nl = 2;
    v->nf = 1;
    v->h = 0.01 / 3;
    v->v_s = 1e-4;
    v->friction = TALUS_FRICTION_LINEAR;
    v->dissipation = TALUS_DISSIPATION_LINEAR;
    v->loss_v_s = 2e-3;
    v->ahead = 1;
    v->tree_nv = s->tree_nv, v->M = s->M, v->v0 = s->v0, v->v_star = s->v_star;
    v->tree_a = s->tree_a, v->tree_b = s->tree_b, v->pair = s->pair, v->J = s->J, v->f0 = s->f0;
    v->delta0 = s->c[0], v->k = s->c[1], v->d = s->c[2], v->mu = s->c[3];
    v->limit_tree = s->limit_tree, v->limit_dof = s->limit_dof, v->limit_f0 = s->limit_f0;
    v->limit_delta0 = s->limit[0], v->limit_k = s->limit[1], v->limit_d = s->limit[2],
    v->limit_sign = s->limit[3];
    v->loss_tree = s->loss_tree, v->loss_dof = s->loss_dof, v->loss_bound = s->bound, v->loss_f0 = s->loss_f0;
}

#define SAME(field, n) assert_memory_equal(got->field, want->field, (size_t)(n) * sizeof *want->field)

static void assert_same(const talus_problem_view* got, const talus_problem_view* want)
{
    assert_int_equal(got->ntree, want->ntree);
    assert_int_equal(got->nc, want->nc);
    assert_int_equal(got->nl, want->nl);
    assert_int_equal(got->nf, want->nf);
    assert_int_equal(got->friction, want->friction);
    assert_int_equal(got->dissipation, want->dissipation);
    assert_true(got->ahead == want->ahead);
    assert_true(got->h == want->h && got->v_s == want->v_s && got->loss_v_s == want->loss_v_s);
    SAME(tree_nv, 3);
    SAME(M, 14);
    SAME(v0, 6);
    SAME(v_star, 6);
    SAME(tree_a, 4);
    SAME(tree_b, 4);
    SAME(pair, 4);
    SAME(J, 3 * (2 + 3) + 3 * 3 + 3 * (1 + 2) + 3 * 1);
    SAME(delta0, 4);
    SAME(k, 4);
    SAME(d, 4);
    SAME(mu, 4);
    SAME(f0, 12);
    SAME(limit_tree, 2);
    SAME(limit_dof, 2);
    SAME(limit_delta0, 2);
    SAME(limit_k, 2);
    SAME(limit_d, 2);
    SAME(limit_sign, 2);
    SAME(limit_f0, 2);
    SAME(loss_tree, 1);
    SAME(loss_dof, 1);
    SAME(loss_bound, 1);
    SAME(loss_f0, 1);
}

static void temporary(char* path, size_t size, const char* end)
{
    snprintf(path, size, "/tmp/talus_test_%ld%s", (long)getpid(), end);
}

static void round_trip(const char* end)
{
    char path[64];
    sample s;
    tl_problem_file p;
    talus_context* ctx = test_context(1);
    temporary(path, sizeof path, end);
    make_sample(&s);
    assert_int_equal(tl_problem_file_save(ctx, path, &s.view), TALUS_OK);
    assert_int_equal(tl_problem_file_load(ctx, path, &p), TALUS_OK);
    assert_same(&p.view, &s.view);
    assert_int_equal(p.nv, 6);
    tl_problem_file_fini(&p);
    unlink(path);
    talus_context_destroy(ctx);
}

static void json__gives_back_every_bit(void** state)
{
    (void)state;
    round_trip(".json");
}

static void hdf5__gives_back_every_bit(void** state)
{
    (void)state;
#ifdef TALUS_HAVE_HDF5
    round_trip(".h5");
#else
    skip();
#endif
}

// ---- wrong files ------------------------------------------------------------------------------------------

static void keep_message(void* user, const talus_message* m)
{
    if (m->severity == TALUS_ERROR)
        snprintf(user, 512, "%s", m->text);
}

static void write_file(const char* path, const char* text, size_t n)
{
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static talus_status load_text(const char* text, size_t n, char* message)
{
    char path[64];
    tl_problem_file p;
    talus_context* ctx;
    talus_context_def def = talus_context_default();
    def.message = keep_message;
    def.message_user = message;
    def.nthreads = 1;
    message[0] = '\0';
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    temporary(path, sizeof path, "_in.json");
    write_file(path, text, n);
    const talus_status status = tl_problem_file_load(ctx, path, &p);
    if (status >= 0)
        tl_problem_file_fini(&p);
    unlink(path);
    talus_context_destroy(ctx);
    return status;
}

static const char good[] =
    "{\"h\": 0.01, \"v_s\": 1e-4, \"friction\": \"linear\",\n"
    " \"trees\": [{\"nv\": 2, \"M\": [2, 0, 0, 3], \"v0\": [0, 0.5], \"v_star\": [0.25, -1]},\n"
    "           {\"nv\": 1, \"M\": [7], \"v0\": [4], \"v_star\": [8]}],\n"
    " \"contacts\": [{\"trees\": [0, 1], \"J_a\": [1, 0, 0, 1, 0, 1], \"J_b\": [0, 0, -1], \"delta0\": "
    "0.001,\n"
    "               \"k\": 1e4, \"d\": 1.5, \"mu\": 0.75, \"f0\": [0, 0, 6]}],\n"
    " \"limits\": [{\"tree\": 1, \"dof\": 0, \"delta0\": 0.125, \"k\": 11, \"d\": 0, \"sign\": -1}]}\n";

/// What is spoiled: the first `from` becomes `to`; the message must hold `want`.
static const struct spoilt {
    const char *from, *to, *want;
} spoilt[] = {
    {"\"h\": 0.01, ", "", "h: missing"},
    {"\"h\": 0.01", "\"h\": 0", "h: 0 is not a number > 0"},
    {"\"h\": 0.01", "\"h\": \"0.01\"", "h: a number is wanted, not a string"},
    {"\"v_s\": 1e-4", "\"v_s\": -1e-4", "v_s: -0.0001 is not a number > 0"},
    {"linear", "cubic", "friction: 'cubic' is unknown"},
    {"\"linear\"", "3", "friction: \"linear\" or \"quadratic\" is wanted, not an integer"},
    {"\"nv\": 2", "\"nv\": 0", "trees[0].nv: 0 is not from 1"},
    {"\"nv\": 2", "\"nv\": 2.5", "trees[0].nv: an integer is wanted"},
    {"\"nv\": 2", "\"nv\": 99999", "trees[0].M: 9999800001 numbers (nv x nv) are wanted, not 4"},
    {"[2, 0, 0, 3]", "[2, 0, 0]", "trees[0].M: 4 numbers (nv x nv) are wanted, not 3"},
    {"[2, 0, 0, 3]", "[2, 0, null, 3]", "trees[0].M: value 2: a number is wanted, not null"},
    {"[2, 0, 0, 3]", "[2, 1, 0, 3]", "trees[0].M: not symmetric"},
    {"[7]", "[-7]", "trees[1].M: diagonal value 0 is -7"},
    {"[0, 0.5]", "[0]", "trees[0].v0: 2 numbers are wanted, not 1"},
    {"[0, 0.5]", "[0, NaN]", ":2: not JSON"},
    {"[0, 0.5]", "[0, 1e999]", ":2: not JSON"},
    {"\"trees\": [0, 1]", "\"trees\": [0, 2]", "contacts[0].trees: 2 is not from -1 to 1"},
    {"\"trees\": [0, 1]", "\"trees\": [0]", "contacts[0].trees: two indices"},
    {"[1, 0, 0, 1, 0, 1]", "[1, 0, 0, 1, 0]", "contacts[0].J_a: 6 numbers (3 x nv) are wanted, not 5"},
    {"[0, 0, -1]", "[]", "contacts[0].J_b: 3 numbers"},
    {"\"k\": 1e4", "\"k\": -1", "contacts[0].k: -1 is not a number >= 0"},
    {"\"d\": 1.5", "\"d\": -1", "contacts[0].d: -1 is not a number >= 0"},
    {"\"mu\": 0.75", "\"mu\": -0.1", "contacts[0].mu: -0.1 is not a number >= 0"},
    {"\"mu\": 0.75, ", "", "contacts[0].mu: missing"},
    {"[0, 0, 6]", "[0, 6]", "contacts[0].f0: 3 numbers"},
    {"\"tree\": 1", "\"tree\": 2", "limits[0].tree: 2 is not an index from 0 to 1"},
    {"\"dof\": 0", "\"dof\": 1", "limits[0].dof: 1 is not an index from 0 to 0"},
    {"\"sign\": -1", "\"sign\": 2", "limits[0].sign: 2 is neither 1"},
    {"{\"h\": 0.01,", "{\"h\": 0.01, \"h\": 0.02,", ":1: not JSON: duplicate"},
    {"}]}\n", "}]", "the file ends too early"},
    {good, "[]", "problem: an object is wanted, not an array"},
    {good, "", "the file ends too early"},
};

static void reader__names_the_field(void** state)
{
    char text[4096], message[512];
    (void)state;
    assert_int_equal(load_text(good, strlen(good), message), TALUS_OK);
    for (int32_t i = 0; i < TL_COUNT(spoilt); i++) {
        const char* at = strstr(good, spoilt[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, spoilt[i].to,
                 at + strlen(spoilt[i].from));
        const talus_status status = load_text(text, strlen(text), message);
        if (status != TALUS_ERR_INPUT || !strstr(message, spoilt[i].want))
            fail_msg("'%s' -> '%s': status %d, message '%s', wanted '%s'", spoilt[i].from, spoilt[i].to,
                     status, message, spoilt[i].want);
    }
}

static void reader__missing_file_is_io(void** state)
{
    tl_problem_file p;
    (void)state;
    talus_context* ctx = test_context(1);
    assert_int_equal(tl_problem_file_load(ctx, "/nonexistent/a.json", &p), TALUS_ERR_IO);
    talus_context_destroy(ctx);
}

static void writer__full_disk_is_io(void** state)
{
    sample s;
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    talus_context* ctx = test_context(1);
    make_sample(&s);
    assert_int_equal(tl_problem_file_save(ctx, "/dev/full", &s.view), TALUS_ERR_IO);
    talus_context_destroy(ctx);
}

static void reader__no_mutation_crashes(void** state)
{
    static const char* const pieces[] = {
        "-1", "1e308", "[]", "{}", "null", "\"", ",", "]", "99999999999999999999", "0"};
    char text[4096], message[512];
    tl_rng rng;
    int32_t accepted = 0;
    (void)state;
    tl_rng_seed(&rng, 20240607);
    for (int32_t round = 0; round < 1500; round++) {
        size_t n = strlen(good);
        memcpy(text, good, n);
        const int32_t changes = 1 + (int32_t)(tl_rng_next(&rng) % 3);
        for (int32_t c = 0; c < changes; c++) {
            const size_t at = tl_rng_next(&rng) % n;
            const char* piece = pieces[tl_rng_next(&rng) % TL_COUNT(pieces)];
            switch (tl_rng_next(&rng) % 4) {
            case 0: // another byte
                text[at] = (char)tl_rng_next(&rng);
                break;
            case 1: // cut off
                n = at + 1;
                break;
            case 2: // lose a byte
                memmove(text + at, text + at + 1, n - at - 1);
                n -= n > 1;
                break;
            default: // a piece put in
                memmove(text + at + strlen(piece), text + at, n - at);
                memcpy(text + at, piece, strlen(piece));
                n += strlen(piece);
            }
        }
        const talus_status status = load_text(text, n, message);
        accepted += status == TALUS_OK;
        if (status != TALUS_OK && (status != TALUS_ERR_INPUT || !message[0] || strchr(message, '\n')))
            fail_msg("round %d: status %d, message '%s'", round, status, message);
    }
    // a mutation that hurts nothing is possible, but most must be found out
    assert_in_range(accepted, 10, 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json__gives_back_every_bit), cmocka_unit_test(hdf5__gives_back_every_bit),
        cmocka_unit_test(reader__names_the_field),    cmocka_unit_test(reader__missing_file_is_io),
        cmocka_unit_test(writer__full_disk_is_io),    cmocka_unit_test(reader__no_mutation_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
