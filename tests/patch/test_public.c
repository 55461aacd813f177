// SPDX-License-Identifier: MIT
// include/talus/patch.h: what a query gives is what the module finds, for every number of threads, without allocating;
// and what is wrong is named.
#include "field_builder.h"

#include <stdio.h>

static talus_context* make_context(int32_t threads)
{
    talus_context_def def = talus_context_default();
    talus_context* ctx = NULL;
    def.nthreads = threads;
    def.message = keep_message;
    last_message[0] = '\0';
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    return ctx;
}

static talus_field* make_ball(talus_context* ctx, double radius, double hint)
{
    talus_field_def d = talus_field_default();
    talus_field* f = NULL;
    d.shape = TALUS_FIELD_SPHERE;
    d.size[0] = radius;
    d.modulus = 1e6;
    d.hint = hint;
    assert_int_equal(talus_field_create(ctx, &d, &f), TALUS_OK);
    return f;
}

static talus_pose pose_at(double x, double y, double z)
{
    return (talus_pose){.p = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

enum { PAIRS = 24 };

/// Balls along a row, each in the next; every fifth pair apart.
static void make_pairs(const talus_field* a, const talus_field* b, double shift, talus_patch_pair* pairs)
{
    for (int i = 0; i < PAIRS; i++)
        pairs[i] = (talus_patch_pair){.a = a,
                                      .b = b,
                                      .X_WA = pose_at(i, 0, 0),
                                      .X_WB = pose_at(i + (i % 5 ? 0.15 : 0.5), shift, 0.01 * i)};
}

static uint64_t hash_faces(const talus_patch_query* q, int32_t n)
{
    uint64_t h = 1;
    for (int32_t i = 0; i < n; i++) {
        const talus_faces f = talus_patch_query_faces(q, i);
        const double* const rows[] = {f.area, f.pressure, f.k, f.delta0};
        h = tl_hash(&f.count, sizeof f.count, h);
        for (int k = 0; k < TL_COUNT(rows) && f.count; k++)
            h = tl_hash(rows[k], sizeof(double) * (size_t)f.count, h);
        h = f.count ? tl_hash(f.centroid, 3 * sizeof(double) * (size_t)f.count, h) : h;
    }
    return h;
}

static void query__has_the_same_bits_for_every_number_of_threads(void** state)
{
    (void)state;
    uint64_t hash[3];
    for (int t = 0; t < 3; t++) {
        talus_context* ctx = make_context(1 + 3 * t);
        talus_field* ball = make_ball(ctx, 0.1, 0.02);
        talus_patch_pair pairs[PAIRS];
        talus_patch_query* q = NULL;
        make_pairs(ball, ball, 0.0, pairs);
        assert_int_equal(talus_patch_query_create(ctx, NULL, &q), TALUS_OK);
        assert_int_equal(talus_patch_query_run(q, PAIRS, pairs), TALUS_OK);
        assert_int_equal(talus_patch_query_faces(q, 0).count, 0); // apart
        assert_true(talus_patch_query_faces(q, 1).count > 20);
        hash[t] = hash_faces(q, PAIRS);
        talus_patch_query_destroy(q);
        talus_field_destroy(ball);
        talus_context_destroy(ctx);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void query__allocates_nothing_in_a_steady_use(void** state)
{
    (void)state;
    talus_context* ctx = make_context(2);
    talus_field* ball = make_ball(ctx, 0.1, 0.02);
    talus_patch_pair pairs[PAIRS];
    talus_patch_query* q = NULL;
    assert_int_equal(talus_patch_query_create(ctx, NULL, &q), TALUS_OK);
    int64_t before = 0;
    for (int i = 0; i < 100; i++) {
        if (i == 50) // every pose has been seen
            before = talus_context_allocations(ctx);
        make_pairs(ball, ball, 0.003 * (i % 50), pairs);
        assert_int_equal(talus_patch_query_run(q, i % 50 % 3 ? PAIRS : PAIRS / 2, pairs), TALUS_OK);
    }
    assert_int_equal(talus_context_allocations(ctx), before);
    talus_patch_query_destroy(q);
    talus_field_destroy(ball);
    talus_context_destroy(ctx);
}

// theory: f = k delta0 = a p0 at rest, and the sums are those of the faces; a box on its edge has faces left out
static void faces__are_contacts_that_carry_the_pressure(void** state)
{
    (void)state;
    talus_context* ctx = make_context(1);
    talus_field_def d = talus_field_default();
    talus_field *box = NULL, *rigid_box = NULL;
    d.shape = TALUS_FIELD_BOX;
    d.size[0] = d.size[1] = d.size[2] = 0.1;
    d.modulus = 1e6;
    assert_int_equal(talus_field_create(ctx, &d, &box), TALUS_OK);
    d.kind = TALUS_FIELD_RIGID;
    assert_int_equal(talus_field_create(ctx, &d, &rigid_box), TALUS_OK);
    talus_patch_options o = talus_patch_default();
    o.vertices = 1;
    talus_patch_query* q = NULL;
    assert_int_equal(talus_patch_query_create(ctx, &o, &q), TALUS_OK);
    const talus_patch_pair pair = {box, rigid_box, pose_at(0.19, 0.03, 0.15), pose_at(0, 0, 0)};
    assert_int_equal(talus_patch_query_run(q, 1, &pair), TALUS_OK);
    const talus_faces f = talus_patch_query_faces(q, 0);
    const double about[3] = {0.3, -0.2, 0.1};
    const talus_patch_sum s = talus_patch_query_sum(q, 0, about);
    double force[3] = {0}, moment[3] = {0}, area = 0.0, left_out = 0.0, stiffness = 0.0;
    int32_t without = 0;
    assert_true(f.count > 0);
    for (int32_t i = 0; i < f.count; i++) {
        const double a = f.area[i] * f.pressure[i], *n = f.normal + 3 * (int64_t)i,
                     *c = f.centroid + 3 * (int64_t)i;
        assert_true(f.nvertex[i] >= 3);
        if (f.k[i] > 0.0) {
            test_near("k delta0", (double[]){f.k[i] * f.delta0[i]}, &a, 1, 1e-14, a);
        } else {
            assert_true(f.k[i] == 0.0 && f.delta0[i] == 0.0);
            left_out += f.area[i];
            without++;
        }
        double arm[3], m[3];
        sub3(arm, c, about);
        cross3(m, arm, n);
        axpy3(force, force, a, n);
        axpy3(moment, moment, a, m);
        area += f.area[i];
        stiffness += f.k[i];
    }
    assert_true(without > 0);
    assert_int_equal(s.faces, f.count);
    assert_int_equal(s.left_out, without);
    const double scale = sqrt(dot3(force, force));
    test_near("force", s.force, force, 3, 1e-13, scale);
    test_near("moment", s.moment, moment, 3, 1e-13, scale);
    test_near("area", &s.area, &area, 1, 1e-13, area);
    test_near("left out", &s.left_out_area, &left_out, 1, 1e-13, area);
    test_near("stiffness", &s.stiffness, &stiffness, 1, 1e-13, stiffness);
    talus_patch_query_destroy(q);
    talus_field_destroy(box);
    talus_field_destroy(rigid_box);
    talus_context_destroy(ctx);
}

// the closed form of a box on a plane (case C30), from a mesh given as arrays and from the shape
static void fields__of_arrays_and_shapes_are_the_same(void** state)
{
    (void)state;
    static const double x[9 * 3] = {-.1, -.1, -.1, .1, -.1, -.1, .1, .1,  -.1, -.1, .1, -.1, -.1, -.1,
                                    .1,  .1,  -.1, .1, .1,  .1,  .1, -.1, .1,  .1,  0,  0,   0};
    static const int32_t side[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                        {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};
    int32_t tet[48];
    for (int i = 0; i < 12; i++) {
        memcpy(tet + 4 * i, side[i], sizeof side[i]);
        tet[4 * i + 3] = 8;
    }
    talus_context* ctx = make_context(1);
    talus_field_def d = talus_field_default();
    talus_field *arrays = NULL, *shape = NULL, *ground = NULL;
    d.modulus = 1e6;
    d.nvert = 9;
    d.x = x;
    d.nelement = 12;
    d.element = tet;
    assert_int_equal(talus_field_create(ctx, &d, &arrays), TALUS_OK);
    assert_int_equal(talus_field_get_info(arrays).turned, 12);
    d.shape = TALUS_FIELD_BOX;
    d.size[0] = d.size[1] = d.size[2] = 0.1;
    assert_int_equal(talus_field_create(ctx, &d, &shape), TALUS_OK);
    d.shape = TALUS_FIELD_HALF_SPACE;
    d.kind = TALUS_FIELD_RIGID;
    assert_int_equal(talus_field_create(ctx, &d, &ground), TALUS_OK);
    assert_int_equal(talus_field_get_info(ground).ne, 0);
    const double t = 0.01, L = 0.2, want = 1e6 / 0.1 * (L * L * t - 2 * L * t * t + 4 * t * t * t / 3);
    const talus_patch_pair pairs[] = {{arrays, ground, pose_at(0, 0, 0.1 - t), pose_at(0, 0, 0)},
                                      {shape, ground, pose_at(0, 0, 0.1 - t), pose_at(0, 0, 0)}};
    talus_patch_query* q = NULL;
    assert_int_equal(talus_patch_query_create(ctx, NULL, &q), TALUS_OK);
    assert_int_equal(talus_patch_query_run(q, 2, pairs), TALUS_OK);
    for (int i = 0; i < 2; i++) {
        const talus_patch_sum s = talus_patch_query_sum(q, i, NULL);
        test_near("force", s.force, (double[]){0, 0, want}, 3, 1e-12, want);
    }
    talus_patch_query_destroy(q);
    talus_field_destroy(arrays);
    talus_field_destroy(shape);
    talus_field_destroy(ground);
    talus_context_destroy(ctx);
}

static void expect(talus_status got, talus_status want, const char* words)
{
    if (got != want || !strstr(last_message, words))
        fail_msg("status %d, message '%s'; wanted %d, '%s'", got, last_message, want, words);
}

static void errors__are_named(void** state)
{
    (void)state;
    talus_context* ctx = make_context(1);
    talus_field* f = NULL;
    talus_field_def d = {.modulus = 1.0};
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_ARG, "must start from talus_field_default()");
    d = talus_field_default();
    d.name = "finger";
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_ARG, "finger: a mesh without vertices");
    d.shape = TALUS_FIELD_SPHERE;
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_INPUT, "finger: size 1 is 0 m, expected positive");
    d.size[0] = 0.1;
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_INPUT, "finger: E = 0 Pa");
    d.modulus = 1e6;
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_INPUT, "finger: hint = 0 m");
    d.shape = 99;
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_ARG, "finger: unknown shape 99");
    d.kind = 7;
    expect(talus_field_create(ctx, &d, &f), TALUS_ERR_ARG, "kind 7");
    d.kind = TALUS_FIELD_COMPLIANT;
    expect(talus_field_load(ctx, "/nowhere/x.vtk", &d, &f), TALUS_ERR_IO,
           "finger: /nowhere/x.vtk: cannot be opened");
    assert_null(f);

    talus_field* ball = make_ball(ctx, 0.1, 0.05);
    d = talus_field_default();
    d.kind = TALUS_FIELD_RIGID;
    d.shape = TALUS_FIELD_HALF_SPACE;
    talus_field* ground = NULL;
    assert_int_equal(talus_field_create(ctx, &d, &ground), TALUS_OK);
    talus_patch_query* q = NULL;
    assert_int_equal(talus_patch_query_create(ctx, NULL, &q), TALUS_OK);
    talus_patch_pair p[2] = {{ball, ground, pose_at(0, 0, 0.09), pose_at(0, 0, 0)},
                             {ball, ground, pose_at(0, 0, 0.09), pose_at(0, 0, 0)}};
    assert_int_equal(talus_patch_query_run(q, 2, p), TALUS_OK);
    p[1].X_WB.p[1] = NAN;
    expect(talus_patch_query_run(q, 2, p), TALUS_ERR_INPUT, "pair 1: the pose of B");
    assert_int_equal(talus_patch_query_faces(q, 0).count, 0); // no stale results
    p[1].X_WB.p[1] = 0.0;
    p[1].X_WA.R[0] = 1.01;
    expect(talus_patch_query_run(q, 2, p), TALUS_ERR_INPUT, "pair 1: the pose of A");
    p[1].X_WA.R[0] = -1.0; // a mirror is no rotation
    expect(talus_patch_query_run(q, 2, p), TALUS_ERR_INPUT, "pair 1: the pose of A");
    p[1] = p[0];
    p[1].a = ground;
    expect(talus_patch_query_run(q, 2, p), TALUS_ERR_UNSUPPORTED, "pair 1: rigid with rigid");
    assert_int_equal(talus_patch_supported(ground, ground), 0);
    p[1].a = NULL;
    expect(talus_patch_query_run(q, 2, p), TALUS_ERR_ARG, "pair 1: no field A");
    assert_int_equal(talus_patch_query_run(q, 0, NULL), TALUS_OK);
    talus_patch_query_destroy(q);
    talus_field_destroy(ball);
    talus_field_destroy(ground);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query__has_the_same_bits_for_every_number_of_threads),
        cmocka_unit_test(query__allocates_nothing_in_a_steady_use),
        cmocka_unit_test(faces__are_contacts_that_carry_the_pressure),
        cmocka_unit_test(fields__of_arrays_and_shapes_are_the_same),
        cmocka_unit_test(errors__are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
