// SPDX-License-Identifier: MIT
// boxes_overlap: all instruction sets against the scalar form; the scalar form against points of one box in the
// other and against separated ones.
#include "kernel_inputs.h"

#define NBOX 97
#define N 3001 // not a multiple of the lanes

typedef struct boxes {
    tl_box a[NBOX], b[NBOX];
    int32_t pair[2 * N];
    tl_boxes_placed w;
} boxes;

static void random_boxes(tl_rng* rng, tl_box* x)
{
    memset(x, 0, NBOX * sizeof *x);
    for (int i = 0; i < NBOX; i++)
        for (int k = 0; k < 3; k++) {
            x[i].c[k] = tl_rng_uniform(rng, -1, 1);
            x[i].h[k] = (i % 7) * tl_rng_uniform(rng, 0, 0.2);
            x[i].cp[k] = tl_rng_uniform(rng, -0.1, 0.1);
            x[i].hp[k] = tl_rng_uniform(rng, 0, 0.2);
        }
}

static boxes* make_boxes(void)
{
    static boxes w;
    tl_rng rng;
    tl_rng_seed(&rng, 3);
    random_boxes(&rng, w.a);
    random_boxes(&rng, w.b);
    for (int i = 0; i < 2 * N; i++)
        w.pair[i] = (int32_t)tl_rng_uniform(&rng, 0, NBOX);
    w.w = (tl_boxes_placed){.a = w.a, .b = w.b, .pa = 0.4, .pb = 0.7, .slack = 1e-12, .t = {0.3, -0.2, 0.1}};
    const double c = 0.8, s = 0.6, C = 5.0 / 13, S = 12.0 / 13; // about z, then about x
    const double R[9] = {c, -s, 0, C * s, C * c, -S, S * s, S * c, C};
    memcpy(w.w.R, R, sizeof R);
    return &w;
}

static void wide__equals_ref(void** state)
{
    (void)state;
    boxes* w = make_boxes();
    static uint8_t want[N + 1], got[N + 1];
    int seen[4] = {0};
    tl_boxes_overlap_ref(N, w->pair, &w->w, want);
    for (int i = 0; i < N; i++)
        seen[want[i]]++;
    assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100 && seen[3] > 100);
    for (int j = 0; j < TL_COUNT(all_isas); j++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
        for (int32_t n = N; set && n > 0; n = n == N ? 17 : n - 1) {
            memset(got, 9, sizeof got);
            set->boxes_overlap(n, w->pair, &w->w, got);
            assert_memory_equal(got, want, (size_t)n);
            assert_int_equal(got[n], 9);
        }
    }
}

/// how far apart the boxes are: alternating projections of a point, an upper bound that tends to the distance
static double distance(const boxes* w, int i)
{
    const tl_box *a = w->a + w->pair[2 * i], *b = w->b + w->pair[2 * i + 1];
    const double* R = w->w.R;
    double x[3] = {0}, gap = 0.0;
    for (int it = 0; it < 3000; it++) {
        double y[3], back[3];
        for (int k = 0; k < 3; k++) { // into A
            const double c = a->c[k] + w->w.pa * a->cp[k], h = a->h[k] + w->w.pa * a->hp[k];
            x[k] = fmin(fmax(x[k], c - h), c + h);
        }
        for (int k = 0; k < 3; k++) { // into B
            const double c = b->c[k] + w->w.pb * b->cp[k], h = b->h[k] + w->w.pb * b->hp[k];
            y[k] = 0.0;
            for (int j = 0; j < 3; j++)
                y[k] += R[3 * j + k] * (x[j] - w->w.t[j]);
            y[k] = fmin(fmax(y[k], c - h), c + h);
        }
        gap = 0.0;
        for (int k = 0; k < 3; k++) {
            back[k] = R[3 * k] * y[0] + R[3 * k + 1] * y[1] + R[3 * k + 2] * y[2] + w->w.t[k];
            gap += (back[k] - x[k]) * (back[k] - x[k]);
        }
        memcpy(x, back, sizeof x);
    }
    return sqrt(gap);
}

static void answer__is_whether_the_distance_is_zero(void** state)
{
    (void)state;
    boxes* w = make_boxes();
    static uint8_t found[N];
    tl_boxes_overlap_ref(N, w->pair, &w->w, found);
    int seen[2] = {0};
    for (int i = 0; i < 600; i++) {
        const double gap = distance(w, i);
        seen[gap > 1e-3] += gap > 1e-3 || gap < 1e-9;
        if (gap > 1e-3)
            assert_int_equal(found[i], TL_BOXES_APART);
        else if (gap < 1e-9)
            assert_int_not_equal(found[i], TL_BOXES_APART);
    }
    assert_true(seen[0] > 50 && seen[1] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref),
        cmocka_unit_test(answer__is_whether_the_distance_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
