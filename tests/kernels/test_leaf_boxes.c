// SPDX-License-Identifier: MIT
// leaf_bounds and leaf_pairs: all instruction sets in every bit; boxes hold every point of an element up to the
// pressure, in both frames, and no more where the base has pressure 0; pairs against the definition.
#include "kernel_inputs.h"

#define NE 67

static tl_clip_element elements[NE];
static const double R[9] = {0.8, -0.6, 0, 3.0 / 13, 4.0 / 13, -12.0 / 13, 7.2 / 13, 9.6 / 13, 5.0 / 13};

static double pressure_at(int e, int corner)
{
    return elements[e].rate[corner] > 0.0 ? 1.0 / elements[e].rate[corner] : 0.0;
}

// needles with a base at pressure 0, elements of any pressures, and triangles
static void make_elements(void)
{
    tl_rng rng;
    tl_rng_seed(&rng, 5);
    memset(elements, 0, sizeof elements);
    for (int e = 0; e < NE; e++)
        for (int i = 0; i < 4; i++) {
            const double p = e % 3 == 0 ? (i == 2) * 1e5 : e % 3 == 1 ? tl_rng_uniform(&rng, 1e3, 1e5) : 0.0;
            elements[e].rate[i] = p > 0.0 ? 1.0 / p : 0.0;
            for (int k = 0; k < 3; k++)
                elements[e].x[i][k] =
                    e % 3 == 2 && i == 3 ? elements[e].x[2][k] : tl_rng_uniform(&rng, -1, 1);
        }
}

static tl_leaf_placed placed(double pressure, int own)
{
    tl_leaf_placed w = {.t = {0.1, -0.2, 0.3}, .pressure = pressure, .slack = 1e-12, .own = own};
    memcpy(w.R, R, sizeof R);
    return w;
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    make_elements();
    static const double pressures[] = {0.0, 500.0, 2e4, 1e6};
    tl_leaf_box want[2], got[2];
    int met = 0;
    for (int j = 0; j < TL_COUNT(all_isas); j++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
        for (int32_t first = 0; set && first < NE - TL_LEAF; first += 3)
            for (int k = 0; k < 4; k++) {
                const int32_t n = 1 + first % TL_LEAF;
                for (int s = 0; s < 2; s++) {
                    const tl_leaf_placed w = placed(pressures[k], s);
                    tl_leaf_bounds_ref(n, elements + first + s, &w, want + s);
                    set->leaf_bounds(n, elements + first + s, &w, got + s);
                    assert_memory_equal(want + s, got + s, sizeof *got);
                }
                const uint64_t found = tl_leaf_pairs_ref(want, want + 1);
                met += found != 0;
                assert_true(set->leaf_pairs(want, want + 1) == found);
            }
    }
    assert_true(met > 20);
}

static void boxes__hold_what_has_at_most_the_pressure(void** state)
{
    (void)state;
    make_elements();
    tl_rng rng;
    tl_rng_seed(&rng, 8);
    int inside = 0, empty = 0;
    for (int e = 0; e < NE; e++)
        for (int s = 0; s < 2; s++) {
            const tl_leaf_placed w = placed(2e4, s);
            tl_leaf_box box;
            tl_leaf_bounds_ref(1, elements + e, &w, &box);
            double least = INFINITY;
            for (int i = 0; i < 4; i++)
                least = fmin(least, pressure_at(e, i));
            empty += least > w.pressure;
            assert_true((box.lo[0][0][0] > box.hi[0][0][0]) == (least > w.pressure));
            for (int trial = 0; trial < 2000; trial++) {
                double weight[4], sum = 0.0, p = 0.0, x[3] = {0}, y[3];
                for (int i = 0; i < 4; i++) // many near corners and edges
                    sum += weight[i] = pow(tl_rng_uniform(&rng, 0, 1), 6);
                for (int i = 0; i < 4; i++) {
                    p += weight[i] / sum * pressure_at(e, i);
                    for (int k = 0; k < 3; k++)
                        x[k] += weight[i] / sum * elements[e].x[i][k];
                }
                if (p > w.pressure)
                    continue;
                inside++;
                for (int k = 0; k < 3; k++) {
                    y[k] = R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2] + w.t[k];
                    assert_true(x[k] >= box.lo[s][k][0] && x[k] <= box.hi[s][k][0]);
                    assert_true(y[k] >= box.lo[1 - s][k][0] && y[k] <= box.hi[1 - s][k][0]);
                }
            }
        }
    assert_true(inside > 10000 && empty > 4);
}

// a base of three corners at pressure 0 and one at 1e5: cut at a fifth of it, the box of six points
static void box_of_a_needle__is_exact(void** state)
{
    (void)state;
    make_elements();
    for (int e = 0; e < NE; e += 3) {
        const tl_leaf_placed w = placed(2e4, 0);
        tl_leaf_box box;
        tl_leaf_bounds_ref(1, elements + e, &w, &box);
        for (int k = 0; k < 3; k++) {
            double lo = INFINITY, hi = -INFINITY;
            for (int i = 0; i < 4; i++)
                for (int cut = 0; cut < 2 && i != 2; cut++) {
                    const double x =
                        elements[e].x[i][k] + 0.2 * cut * (elements[e].x[2][k] - elements[e].x[i][k]);
                    lo = fmin(lo, x);
                    hi = fmax(hi, x);
                }
            assert_true(fabs(box.lo[0][k][0] - lo) < 1e-11 && fabs(box.hi[0][k][0] - hi) < 1e-11);
        }
    }
}

static void pairs__are_those_that_overlap_in_both_frames(void** state)
{
    (void)state;
    tl_rng rng;
    tl_rng_seed(&rng, 9);
    int seen[2] = {0};
    for (int trial = 0; trial < 200; trial++) {
        tl_leaf_box box[2];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 6; k++)
                for (int l = 0; l < TL_LEAF; l++) {
                    box[s].lo[k / 3][k % 3][l] = tl_rng_uniform(&rng, -1, 0.5);
                    box[s].hi[k / 3][k % 3][l] = box[s].lo[k / 3][k % 3][l] + tl_rng_uniform(&rng, 0, 2);
                }
        const uint64_t found = tl_leaf_pairs_ref(box, box + 1);
        for (int i = 0; i < TL_LEAF; i++)
            for (int j = 0; j < TL_LEAF; j++) {
                int apart = 0;
                for (int k = 0; k < 6; k++) {
                    const double *a = box[0].lo[k / 3][k % 3], *A = box[0].hi[k / 3][k % 3],
                                 *b = box[1].lo[k / 3][k % 3], *B = box[1].hi[k / 3][k % 3];
                    apart |= fmax(a[i], b[j]) > fmin(A[i], B[j]);
                }
                seen[apart]++;
                assert_int_equal(found >> (TL_LEAF * i + j) & 1, !apart);
            }
    }
    assert_true(seen[0] > 100 && seen[1] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(boxes__hold_what_has_at_most_the_pressure),
        cmocka_unit_test(box_of_a_needle__is_exact),
        cmocka_unit_test(pairs__are_those_that_overlap_in_both_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
