// SPDX-License-Identifier: MIT
// Patches of random fields: soups of tetrahedra that overlap, lie flat, repeat and share corners, with any pressures,
// and soups of triangles, at random and at special poses. Nothing is not finite, costs are bounded by the pairs of
// elements, the same query gives the same bits, and the trees and the bound of the pressure lose no face: the oracle is
// one field for each element.
#define _DEFAULT_SOURCE
#include "../patch/field_builder.h"

enum { NV = 16, NE = 14, SEEDS = 400 };

typedef struct soup {
    double x[3 * NV], p[NV];
    int32_t element[4 * NE];
} soup;

static int32_t below(tl_rng* rng, int32_t n)
{
    return TL_MIN((int32_t)tl_rng_uniform(rng, 0, n), n - 1);
}

static void make_soup(tl_rng* rng, int seed, int corners, soup* s)
{
    const double scale = seed % 4 == 3 ? 1e-6 : seed % 4 == 2 ? 1e3 : 1.0;
    for (int i = 0; i < NV; i++) {
        for (int k = 0; k < 3; k++) // on a grid for every other seed: flush sides, corners in planes
            s->x[3 * i + k] = scale * (seed % 2 ? below(rng, 4) / 2.0 - 0.75 : tl_rng_uniform(rng, -1, 1));
        s->p[i] = below(rng, 3) ? 1e5 * tl_rng_uniform(rng, 0, 1) : 0.0;
    }
    s->p[0] = 1e5;
    for (int e = 0; e < NE; e++)
        for (int k = 0; k < corners; k++)
            s->element[corners * e + k] = e == 0 && k == 0 ? 0 : below(rng, NV);
    if (seed % 3 == 0) // twice the same
        memcpy(s->element + corners, s->element, sizeof(int32_t) * (size_t)corners);
}

static talus_status make_field(talus_context* ctx, const soup* s, int corners, int32_t first, int32_t n,
                               tl_field** f)
{
    return corners == 4 ? tl_field_from_tets(ctx, NV, s->x, n, s->element + 4 * first, s->p, 1e5, "soup", f)
                        : tl_field_from_triangles(ctx, NV, s->x, n, s->element + 3 * first, "soup", f);
}

static tl_pose make_pose(tl_rng* rng, int seed)
{
    tl_pose X = at(0, 0, 0);
    if (seed % 5 == 0)
        return X; // in place
    const double scale = seed % 4 == 3 ? 1e-6 : seed % 4 == 2 ? 1e3 : 1.0;
    for (int k = 0; k < 3; k++) {
        X.p[k] = seed % 5 == 1 ? 0.5 * scale : scale * tl_rng_uniform(rng, -0.5, 0.5);
        if (seed % 5 != 1)
            turn_about(&X, k, seed % 5 == 2 ? M_PI / 2 : tl_rng_uniform(rng, -3, 3));
    }
    return X;
}

static void check_patch(const tl_patch* p, int64_t most)
{
    assert_true(p->n <= p->candidates && p->candidates <= most && p->boxes <= 8 * most);
    assert_int_equal(tl_first_nonfinite(p->centroid, 3 * (int64_t)p->n), -1);
    assert_int_equal(tl_first_nonfinite(p->normal, 3 * (int64_t)p->n), -1);
    assert_int_equal(tl_first_nonfinite(p->area, p->n), -1);
    assert_int_equal(tl_first_nonfinite(p->pressure, p->n), -1);
    for (int32_t i = 0; i < p->n; i++) {
        assert_true(p->area[i] >= 0.0 && p->nvertex[i] >= 3 && p->nvertex[i] <= TL_POLYGON_MAX);
        assert_true(fabs(norm3(p->normal + 3 * (int64_t)i) - 1.0) < 1e-9);
        assert_false(isnan(p->ga[i]) || isnan(p->gb[i]));
    }
}

static void soup__keeps_every_face(void** state)
{
    talus_context* ctx = *state;
    const tl_patch_options keep = {.vertices = true};
    int refused = 0, faces = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        tl_rng rng;
        tl_rng_seed(&rng, (uint64_t)seed + 1);
        soup s[2];
        tl_field* f[2] = {NULL, NULL};
        tl_pose X[2];
        const int corners[2] = {4, seed % 7 < 4 ? 4 : 3};
        talus_status made = TALUS_OK;
        for (int k = 0; k < 2; k++) {
            make_soup(&rng, seed, corners[k], &s[k]);
            X[k] = make_pose(&rng, seed + k);
            const talus_status status = make_field(ctx, &s[k], corners[k], 0, NE, &f[k]);
            made = TL_MIN(made, status);
        }
        tl_patch p = {0}, again = {0};
        if (made >= 0) {
            assert_int_equal(tl_patch_collide(ctx, f[0], &X[0], f[1], &X[1], &keep, &p), TALUS_OK);
            check_patch(&p, NE * NE);
            assert_int_equal(tl_patch_collide(ctx, f[0], &X[0], f[1], &X[1], NULL, &again), TALUS_OK);
            assert_int_equal(again.n, p.n); // corners are kept or not: the same numbers
            assert_memory_equal(again.area, p.area, sizeof(double) * (size_t)p.n);
            assert_memory_equal(again.centroid, p.centroid, 3 * sizeof(double) * (size_t)p.n);
            double want = 0.0, area = 0.0, largest = 0.0;
            for (int32_t i = 0; i < p.n; i++) {
                area += p.area[i];
                largest = fmax(largest, p.area[i]);
            }
            for (int32_t i = 0; i < NE; i++)
                for (int32_t j = 0; j < NE; j++) {
                    tl_field *a = NULL, *b = NULL;
                    // flat elements and those without pressure are refused alone and have no face together
                    if (make_field(ctx, &s[0], corners[0], i, 1, &a) >= 0 &&
                        make_field(ctx, &s[1], corners[1], j, 1, &b) >= 0)
                        want += sum_of(ctx, a, X[0], b, X[1]).area;
                    tl_field_destroy(ctx, a);
                    tl_field_destroy(ctx, b);
                }
            // faces of elements without pressure against others with some are in the soup only
            assert_true(area >= want - 1e-9 * (want + largest));
            faces += p.n;
        } else {
            assert_true(made == TALUS_ERR_INPUT && last_message[0]);
            refused++;
        }
        tl_patch_free(ctx, &p);
        tl_patch_free(ctx, &again);
        for (int k = 0; k < 2; k++)
            tl_field_destroy(ctx, f[k]);
    }
    assert_true(faces > 3000 && refused < SEEDS / 2);
}

static void bad_numbers__are_refused(void** state)
{
    tl_rng rng;
    tl_rng_seed(&rng, 5);
    soup s;
    tl_field* f = NULL;
    for (int k = 0; k < 6; k++) {
        make_soup(&rng, 0, 4, &s);
        if (k < 2)
            s.x[below(&rng, 3 * NV)] = k ? NAN : INFINITY;
        else if (k < 4)
            s.p[below(&rng, NV)] = k == 2 ? NAN : -1.0;
        else
            s.element[below(&rng, 4 * NE)] = k == 4 ? NV : -1;
        last_message[0] = 0;
        assert_int_equal(make_field(*state, &s, 4, 0, NE, &f), TALUS_ERR_INPUT);
        assert_true(last_message[0] && f == NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soup__keeps_every_face),
        cmocka_unit_test(bad_numbers__are_refused),
    };
    return cmocka_run_group_tests(tests, field_context_begin, field_context_end);
}
