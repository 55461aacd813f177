// SPDX-License-Identifier: MIT
// Kernels of the factorization, every instruction set this CPU has, against the reference forms; the
// reference forms against products taken element by element.
#include "kernels.h"
#include "snode_update/snode_update.h"
#include "test.h"

enum { STRIPS = 9, COLUMNS = 128, STRIDE = COLUMNS * 8, SIZE = STRIPS * STRIDE, ZT = 24 * 24 };

typedef struct buffers {
    double a[SIZE], b[SIZE], c[SIZE], zt[ZT];
} buffers;

static int64_t at(int64_t i, int64_t p)
{
    return i / 8 * STRIDE + p * 8 + i % 8;
}

static buffers* make(uint64_t seed)
{
    tl_rng r;
    tl_rng_seed(&r, seed);
    buffers* b = aligned_alloc(64, sizeof *b);
    for (double* x = b->a; x < b->zt + ZT; x++)
        *x = tl_rng_uniform(&r, -1.0, 1.0);
    return b;
}

typedef void check_fn(const tl_snode_kernels* k, const tl_snode_kernels* ref);

static void for_each_isa(check_fn* check)
{
    static const char* const names[] = {"ref", "w2", "avx2", "avx512"};
    for (int32_t i = 0; i < TL_COUNT(names); i++) {
        const tl_snode_kernels* k = tl_snode_by_name(names[i]);
        if (tl_kernels_by_name(names[i]) && strcmp(k->isa, names[i]) == 0)
            check(k, tl_snode_by_name("ref"));
    }
}

// rows and columns beyond n are zero, as in a panel; the diagonal dominates by `shift`
static void make_block(buffers* b, int32_t n, double shift)
{
    const int32_t np = TL_PADDED(n);
    for (int32_t c = 0; c < np; c++) {
        for (int32_t i = 0; i < np; i++) {
            if (i >= n || c >= n)
                b->a[at(i, c)] = b->b[at(i, c)] = 0.0;
            else if (i == c)
                b->a[at(i, c)] += shift;
        }
    }
}

static void check_pivot(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    (void)ref;
    for (int32_t n = 1; n <= 24; n++) {
        buffers *b = make((uint64_t)n), *old = make((uint64_t)n);
        make_block(b, n, n);
        make_block(old, n, n);
        assert_int_equal(k->pivot(n, b->a, STRIDE, b->zt), 0);
        // Z^T D Z = I, Z upper triangular
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                double s = 0.0;
                for (int32_t p = 0; p < n; p++)
                    for (int32_t q = 0; q < n; q++)
                        s += b->a[at(p, i)] * old->a[p >= q ? at(p, q) : at(q, p)] * b->a[at(q, j)];
                test_near(k->isa, &s, &(double){i == j}, 1, 1e-13, 1.0);
                assert_true(i <= j || b->a[at(i, j)] == 0.0);
                assert_true(b->zt[j / 8 * 192 + i * 8 + j % 8] == b->a[at(i, j)]);
            }
            for (int32_t j = n; j < TL_PADDED(n); j++)
                assert_true(b->zt[j / 8 * 192 + i * 8 + j % 8] == 0.0);
        }
        make_block(b, n, n);
        b->a[at(n - 1, n - 1)] = -0.1;
        assert_int_equal(k->pivot(n, b->a, STRIDE, b->zt), 1);
        free(b);
        free(old);
    }
}

static void check_lu(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    (void)ref;
    for (int32_t n = 1; n <= 24; n++) {
        for (int32_t pivoting = 0; pivoting < 2; pivoting++) {
            buffers *b = make((uint64_t)n), *old = make((uint64_t)n);
            double yt[ZT] __attribute__((aligned(64)));
            make_block(b, n, pivoting ? 0.0 : n);
            if (pivoting && n > 1)
                b->a[at(0, 0)] = 1e-30;
            memcpy(old, b, sizeof *b);
            assert_int_equal(k->lu(n, b->a, b->b, STRIDE, b->zt, yt), 0);
            // Y^T D Z = I, and Z is upper triangular
            double z = 1.0, y = 1.0;
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = 0; j < n; j++) {
                    z = fmax(z, fabs(b->a[at(i, j)]));
                    y = fmax(y, fabs(b->b[at(i, j)]));
                }
            for (int32_t i = 0; i < n; i++) {
                for (int32_t j = 0; j < n; j++) {
                    double s = 0.0;
                    for (int32_t p = 0; p < n; p++)
                        for (int32_t q = 0; q < n; q++)
                            s += b->b[at(p, i)] * (p >= q ? old->a[at(p, q)] : old->b[at(q, p)]) *
                                 b->a[at(q, j)];
                    // the entries of the inverse factors scale the error
                    test_near(k->isa, &s, &(double){i == j}, 1, 1e-14 * z * y, 1.0);
                    assert_true(i <= j || b->a[at(i, j)] == 0.0);
                    assert_true(b->zt[j / 8 * 192 + i * 8 + j % 8] == b->a[at(i, j)]);
                    assert_true(yt[j / 8 * 192 + i * 8 + j % 8] == b->b[at(i, j)]);
                }
                for (int32_t j = n; j < TL_PADDED(n); j++)
                    assert_true(b->zt[j / 8 * 192 + i * 8 + j % 8] == 0.0 &&
                                yt[j / 8 * 192 + i * 8 + j % 8] == 0.0);
            }
            for (int32_t i = 0; i < n; i++)
                b->a[at(i, 0)] = 0.0;
            assert_int_equal(k->lu(n, b->a, b->b, STRIDE, b->zt, yt), 1);
            free(b);
            free(old);
        }
    }
}

static void check_scale(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    (void)ref;
    for (int32_t n = 1; n <= 24; n++) {
        for (int32_t full = 0; full < 2; full++) {
            for (int32_t strips = 0; strips <= 5; strips++) {
                buffers *b = make((uint64_t)n), *old = make((uint64_t)n);
                for (int32_t c = 0; c < 24; c++)
                    for (int32_t p = 0; p < n; p++)
                        if (c >= n || (!full && p > c))
                            b->zt[c / 8 * 192 + p * 8 + c % 8] = 0.0;
                k->scale(strips, n, b->a, STRIDE, b->zt, full);
                for (int32_t i = 0; i < STRIPS * 8; i++) {
                    for (int32_t c = 0; c < COLUMNS; c++) {
                        double want = 0.0;
                        for (int32_t p = 0; p < n && c < 24; p++)
                            want += old->a[at(i, p)] * b->zt[c / 8 * 192 + p * 8 + c % 8];
                        if (i >= strips * 8 || c >= TL_PADDED(n))
                            want = old->a[at(i, c)];
                        test_near(k->isa, &b->a[at(i, c)], &want, 1, 1e-14, 24.0);
                    }
                }
                free(b);
                free(old);
            }
        }
    }
}

static void check_update(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    static const int32_t shapes[][3] = {{1, 1, 1}, {2, 1, 5},  {3, 3, 24}, {4, 4, 96},
                                        {5, 2, 7}, {8, 8, 17}, {9, 9, 96}};
    for (int32_t s = 0; s < TL_COUNT(shapes); s++) {
        for (int32_t set = 0; set < 2; set++) {
            for (int32_t columns = 0; columns < 2; columns++) {
                // into a panel in strips, and into a column-major block
                const int64_t c_strip = columns ? 8 : STRIDE, c_col = columns ? STRIPS * 8 : 8;
                const int32_t row0 = s % 3 < shapes[s][0] ? s % 3 : 0;
                buffers *got = make(3), *want = make(3);
                k->update(row0, shapes[s][0], shapes[s][1], shapes[s][2], got->a, got->b, STRIDE, got->c,
                          c_strip, c_col, set);
                ref->update(row0, shapes[s][0], shapes[s][1], shapes[s][2], want->a, want->b, STRIDE, want->c,
                            c_strip, c_col, set);
                test_near(k->isa, got->c, want->c, SIZE, 1e-14, 10.0);
                free(got);
                free(want);
            }
        }
    }
}

// the reference by hand for one entry of each region
static void snode_update__reference_is_the_definition(void** state)
{
    (void)state;
    buffers *b = make(3), *old = make(3);
    tl_snode_by_name("ref")->update(0, 3, 2, 11, b->a, b->b, STRIDE, b->c, STRIDE, 8, 0);
    const int32_t places[][2] = {{0, 0}, {3, 5}, {9, 2}, {23, 15}, {15, 15}};
    for (int32_t q = 0; q < TL_COUNT(places); q++) {
        const int32_t i = places[q][0], j = places[q][1];
        double s = old->c[at(i, j)];
        for (int32_t p = 0; p < 11; p++)
            s -= old->a[at(i, p)] * old->b[at(j, p)];
        test_near("c", &b->c[at(i, j)], &s, 1, 1e-15, 10.0);
    }
    assert_true(b->c[at(2, 9)] == old->c[at(2, 9)]);     // above the diagonal strip
    assert_true(b->c[at(20, 16)] == old->c[at(20, 16)]); // beyond ncol
    free(b);
    free(old);
}

static void check_extend(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    // rows 0..17 of the child at 3..7, 9..11, 14..20, 25..27 of the parent, cut at strips
    enum { ROWS = 18, LD = 24 };
    static const tl_snode_piece pieces[] = {
        {.strip = 0, .src = -3, .lo = 3, .hi = 8, .mask = 0xf8},
        {.strip = 1, .src = 4, .lo = 1, .hi = 4, .mask = 0x0e},
        {.strip = 1, .src = 2, .lo = 6, .hi = 8, .mask = 0xc0},
        {.strip = 2, .src = 10, .lo = 0, .hi = 5, .mask = 0x1f},
        {.strip = 3, .src = 14, .lo = 1, .hi = 4, .mask = 0x0e},
    };
    static const int32_t col[ROWS] = {3, 4, 5, 6, 7, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 25, 26, 27};
    buffers *got = make(3), *want = make(3);
    const int32_t n = TL_COUNT(pieces);
    for (int32_t c0 = 0; c0 < ROWS; c0 += 6) {
        k->extend(c0, c0 + 6, got->a + 8, LD, col, 1, pieces, n, 0, got->c, STRIDE, 8);
        ref->extend(c0, c0 + 6, want->a + 8, LD, col, 1, pieces, n, 0, want->c, STRIDE, 8);
    }
    // the lower triangle: the rest is free
    for (int32_t j = 0; j < ROWS; j++)
        for (int32_t i = 0; i < 32; i++)
            if (i >= col[j])
                assert_true(got->c[at(i, col[j] - 1)] == want->c[at(i, col[j] - 1)]);
    buffers* old = make(3);
    assert_true(want->c[at(26, 14 - 1)] == old->c[at(26, 14 - 1)] + want->a[8 + 16 + 8 * LD]);
    free(old);
    free(got);
    free(want);
}

// on rounded entries: the double forms on the entries as rounded
static void check_rounded_solves(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    float* single = aligned_alloc(64, sizeof(float) * SIZE);
    for (int32_t n = 1; n <= 30; n++)
        for (int32_t strips = 0; strips < 4; strips++) {
            buffers *got = make(3), *want = make(3);
            for (int32_t i = 0; i < STRIPS * 8; i++)
                for (int32_t c = n; c < TL_PADDED(n); c++)
                    got->a[at(i, c)] = 0.0;
            assert_int_equal(k->round(SIZE, got->a, single), 0);
            for (int32_t i = 0; i < SIZE; i++) {
                assert_true(single[i] == (float)got->a[i]);
                want->a[i] = (double)single[i];
            }
            for (int32_t set = 0; set < 2; set++) {
                k->forward_single(strips, n, single, STRIDE, got->b + 1, got->c, set);
                ref->forward(strips, n, want->a, STRIDE, want->b + 1, want->c, set);
                test_near(k->isa, got->c, want->c, SIZE, 1e-14, 10.0);
            }
            k->backward_single(strips, n, single, STRIDE, want->c, got->b + 1);
            ref->backward(strips, n, want->a, STRIDE, want->c, want->b + 1);
            test_near(k->isa, got->b, want->b, SIZE, 1e-14, 100.0);
            free(got);
            free(want);
        }
    // one entry beyond single precision, in any lane
    buffers* b = make(3);
    for (int32_t i = 0; i < 16; i++) {
        static const double beyond[] = {1e39, -1e39, INFINITY, NAN};
        const double keep = b->a[i];
        for (int32_t j = 0; j < TL_COUNT(beyond); j++) {
            b->a[i] = beyond[j];
            assert_int_equal(k->round(64, b->a, single), 1);
        }
        b->a[i] = keep;
    }
    b->a[3] = 3e38;
    b->a[4] = -1e-60;
    assert_int_equal(k->round(64, b->a, single), 0);
    free(b);
    free(single);
}

static void check_solves(const tl_snode_kernels* k, const tl_snode_kernels* ref)
{
    for (int32_t n = 1; n <= 30; n++) {
        for (int32_t strips = 0; strips < 4; strips++) {
            for (int32_t set = 0; set < 2; set++) {
                buffers *got = make(3), *want = make(3);
                k->forward(strips, n, got->a, STRIDE, got->b + 1, got->c, set);
                ref->forward(strips, n, want->a, STRIDE, want->b + 1, want->c, set);
                test_near(k->isa, got->c, want->c, SIZE, 1e-14, 10.0);
                for (int32_t i = 0; i < STRIPS * 8; i++)
                    for (int32_t c = n; c < TL_PADDED(n); c++)
                        got->a[at(i, c)] = 0.0;
                k->backward(strips, n, got->a, STRIDE, got->c, got->b + 1);
                ref->backward(strips, n, got->a, STRIDE, got->c, want->b + 1);
                test_near(k->isa, got->b, want->b, SIZE, 1e-14, 100.0);
                free(got);
                free(want);
            }
        }
    }
    // runs of every length up to 20, apart and side by side
    tl_snode_run run[20];
    int32_t total = 0;
    for (int32_t i = 0, at_row = 3; i < TL_COUNT(run); at_row += i + 1 + i % 2, i++) {
        run[i] = (tl_snode_run){.at = at_row, .n = i + 1};
        total += i + 1;
    }
    buffers *got = make(3), *want = make(3);
    k->gather(TL_COUNT(run), run, got->a, got->b + 1);
    ref->gather(TL_COUNT(run), run, want->a, want->b + 1);
    for (int32_t i = 0, e = 0; i < TL_COUNT(run); i++)
        for (int32_t j = 0; j < run[i].n; j++, e++)
            assert_true(want->b[1 + e] == want->a[run[i].at + j]);
    k->scatter(TL_COUNT(run), run, got->b + 1, got->c);
    ref->scatter(TL_COUNT(run), run, want->b + 1, want->c);
    assert_memory_equal(got, want, sizeof *got);
    assert_true(total == 210);
    free(got);
    free(want);
}

static void snode_pivot__gives_the_inverse_factor(void** state)
{
    (void)state;
    for_each_isa(check_pivot);
}

static void snode_lu__gives_the_inverse_factors(void** state)
{
    (void)state;
    for_each_isa(check_lu);
}

static void snode_scale__multiplies_in_place(void** state)
{
    (void)state;
    for_each_isa(check_scale);
}

static void snode_update__equals_reference(void** state)
{
    (void)state;
    for_each_isa(check_update);
}

static void snode_extend__equals_reference(void** state)
{
    (void)state;
    for_each_isa(check_extend);
}

static void snode_solves__equal_reference(void** state)
{
    (void)state;
    for_each_isa(check_solves);
}

static void snode_rounded_solves__equal_reference(void** state)
{
    (void)state;
    for_each_isa(check_rounded_solves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snode_update__reference_is_the_definition),
        cmocka_unit_test(snode_pivot__gives_the_inverse_factor),
        cmocka_unit_test(snode_lu__gives_the_inverse_factors),
        cmocka_unit_test(snode_scale__multiplies_in_place),
        cmocka_unit_test(snode_update__equals_reference),
        cmocka_unit_test(snode_extend__equals_reference),
        cmocka_unit_test(snode_solves__equal_reference),
        cmocka_unit_test(snode_rounded_solves__equal_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
