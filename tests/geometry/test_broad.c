// SPDX-License-Identifier: MIT
// The broad phase against all pairs, over many steps of motion, and what it costs when little moves.
#include "random_shapes.h"

enum { MAX = 7000 };

typedef struct world {
    int32_t n;
    double lo[3 * MAX], hi[3 * MAX];
    uint8_t moving[MAX];
    tl_pair want[60000];
} world;

static bool not_same_parity_of_seven(const void* user, int32_t a, int32_t b)
{
    (void)user;
    assert_true(a < b);
    return (a + b) % 7 != 0;
}

static int32_t brute_force(world* w, const uint8_t* moving)
{
    int32_t n = 0;
    for (int32_t a = 0; a < w->n; a++)
        for (int32_t b = a + 1; b < w->n; b++) {
            bool touch = !moving || moving[a] || moving[b];
            for (int k = 0; k < 3 && touch; k++)
                touch = w->lo[3 * a + k] <= w->hi[3 * b + k] && w->lo[3 * b + k] <= w->hi[3 * a + k];
            if (touch && not_same_parity_of_seven(NULL, a, b))
                w->want[n++] = (tl_pair){a, b};
        }
    return n;
}

static void set_box(world* w, int32_t i, double x, double y, double z, double h)
{
    const double c[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        w->lo[3 * i + k] = c[k] - h;
        w->hi[3 * i + k] = c[k] + h;
    }
}

static void expect_brute_force(world* w, tl_broad* b, const uint8_t* moving)
{
    const tl_pair* pairs;
    int32_t n;
    assert_int_equal(tl_broad_update(b, w->lo, w->hi, moving, not_same_parity_of_seven, NULL, &pairs, &n),
                     TALUS_OK);
    assert_int_equal(n, brute_force(w, moving));
    for (int32_t i = 0; i < n; i++)
        if (pairs[i].a != w->want[i].a || pairs[i].b != w->want[i].b)
            fail_msg("pair %d: got %d %d, want %d %d", i, pairs[i].a, pairs[i].b, w->want[i].a, w->want[i].b);
}

// sizes over four decades, planes, coinciding boxes, part of the shapes at rest, some that turn unbounded on
// the way
static void random_boxes__as_all_pairs(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    world* w = calloc(1, sizeof *w);
    tl_rng r;
    tl_rng_seed(&r, 11);
    for (int c = 0; c < 12; c++) {
        const int32_t sizes[] = {0, 1, 2, 5, 33, 300};
        w->n = sizes[c % 6];
        tl_broad* b;
        assert_int_equal(tl_broad_create(ctx, w->n, &b), TALUS_OK);
        for (int step = 0; step < 60; step++) {
            for (int32_t i = 0; i < w->n; i++) {
                w->moving[i] = c < 6 || step % 2 == 0 ? 1 : tl_rng_uniform(&r, 0, 1) < 0.3;
                if (step > 0 && !w->moving[i])
                    continue;
                set_box(w, i, tl_rng_uniform(&r, -1, 1), tl_rng_uniform(&r, -1, 1), tl_rng_uniform(&r, -1, 1),
                        pow(10, tl_rng_uniform(&r, -3.5, -0.5)));
                if (i % 50 == 7 && step % 3 == 0)
                    for (int k = 0; k < 3; k++)
                        w->lo[3 * i + k] = -INFINITY;
                if (i % 50 == 9)
                    w->hi[3 * i + 2] = INFINITY;
                if (i % 10 == 3 && i > 0) { // touches its neighbour exactly
                    memcpy(&w->lo[3 * i], &w->hi[3 * i - 3], 3 * sizeof(double));
                    for (int k = 0; k < 3; k++)
                        w->hi[3 * i + k] = w->lo[3 * i + k] + 0.1;
                }
            }
            expect_brute_force(w, b, c == 0 ? NULL : w->moving);
        }
        tl_broad_destroy(b);
    }
    free(w);
    talus_context_destroy(ctx);
}

static void drifting_cloud__no_allocation_once_warm(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    world* w = calloc(1, sizeof *w);
    tl_rng r;
    tl_rng_seed(&r, 12);
    w->n = 500;
    static double c[500][3], v[500][3];
    for (int32_t i = 0; i < w->n; i++)
        for (int k = 0; k < 3; k++) {
            c[i][k] = tl_rng_uniform(&r, 0, 8);
            v[i][k] = tl_rng_uniform(&r, -0.05, 0.05);
        }
    tl_broad* b;
    assert_int_equal(tl_broad_create(ctx, w->n, &b), TALUS_OK);
    int64_t warm = 0;
    for (int step = 0; step < 200; step++) {
        for (int32_t i = 0; i < w->n; i++) {
            for (int k = 0; k < 3; k++) {
                c[i][k] += v[i][k];
                v[i][k] = c[i][k] < 0 || c[i][k] > 8 ? -v[i][k] : v[i][k];
            }
            set_box(w, i, c[i][0], c[i][1], c[i][2], 0.5);
        }
        if (step % 20 == 0) {
            expect_brute_force(w, b, NULL);
        } else {
            const tl_pair* pairs;
            int32_t n;
            assert_int_equal(tl_broad_update(b, w->lo, w->hi, NULL, NULL, NULL, &pairs, &n), TALUS_OK);
        }
        if (step == 100)
            warm = talus_context_allocations(ctx);
    }
    assert_int_equal(talus_context_allocations(ctx), warm);
    tl_broad_destroy(b);
    free(w);
    talus_context_destroy(ctx);
}

// pairs kept from one update to the next: boxes that creep, swell and shrink a little, some that jump or stop for a
// while
static void creeping_cloud__as_all_pairs(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    world* w = calloc(1, sizeof *w);
    tl_rng r;
    tl_rng_seed(&r, 13);
    w->n = 200;
    static double c[200][3];
    for (int32_t i = 0; i < w->n; i++)
        for (int k = 0; k < 3; k++)
            c[i][k] = tl_rng_uniform(&r, 0, 5);
    tl_broad* b;
    assert_int_equal(tl_broad_create(ctx, w->n, &b), TALUS_OK);
    for (int step = 0; step < 600; step++) {
        for (int32_t i = 0; i < w->n; i++) {
            w->moving[i] = i % 4 != 0 || (step > 0 && step % 200 < 20);
            if (!w->moving[i] && step > 0)
                continue;
            const double jump = step > 300 && step % 10 == 0 && i == step / 10 ? 1.0 : 0.004;
            for (int k = 0; k < 3; k++)
                c[i][k] += tl_rng_uniform(&r, -jump, jump);
            set_box(w, i, c[i][0], c[i][1], c[i][2], 0.3 + tl_rng_uniform(&r, 0, 0.003));
            if (i == 11)
                w->lo[3 * i + 2] = -INFINITY;
        }
        expect_brute_force(w, b, w->moving);
    }
    tl_broad_destroy(b);
    free(w);
    talus_context_destroy(ctx);
}

// one ball and 6400 boxes that stay: the right pairs, at the cost of a ball alone to within a scan of the
// flags
static void static_boxes__cost_a_scan(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    world* w = calloc(1, sizeof *w);
    w->n = 6401;
    for (int32_t i = 1; i < w->n; i++)
        set_box(w, i, i % 80, i / 80 % 80, 0, 0.3);
    tl_broad* b;
    assert_int_equal(tl_broad_create(ctx, w->n, &b), TALUS_OK);
    w->moving[0] = 1;
    double spent = 1e9;
    for (int step = 0; step < 400; step++) {
        set_box(w, 0, 0.2 * step, 40.2, 0.05, 0.1);
        const tl_pair* pairs;
        int32_t n;
        const double t = tl_cpu_now();
        assert_int_equal(tl_broad_update(b, w->lo, w->hi, w->moving, NULL, NULL, &pairs, &n), TALUS_OK);
        spent = fmin(spent, tl_cpu_now() - t);
        if (step % 40 == 0)
            expect_brute_force(w, b, w->moving);
    }
    printf("one moving shape among 6400 at rest: %.2f us an update\n", 1e6 * spent);
    tl_broad_destroy(b);
    free(w);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes__as_all_pairs),
        cmocka_unit_test(drifting_cloud__no_allocation_once_warm),
        cmocka_unit_test(creeping_cloud__as_all_pairs),
        cmocka_unit_test(static_boxes__cost_a_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
