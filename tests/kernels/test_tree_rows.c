// SPDX-License-Identifier: MIT
// Products for trees of any size: all instruction sets against the scalar form in every bit; the scalar form
// against dense sums in long double.
#include "kernel_inputs.h"

#define NT 23  // trees of 1 .. 23 dofs
#define NC 160 // contacts
#define LD 168
#define NV (NT * (NT + 1) / 2)

typedef struct forest {
    tl_tree_rows J;
    double *rows, v[NV], f[3 * LD], *block[NT];
    int64_t at[NC + 1];
    int32_t a[NC], b[NC], dof[NT + 1], list[LD];
} forest;

static forest* make_forest(void)
{
    forest* c = calloc(1, sizeof *c);
    assert_non_null(c);
    tl_rng rng;
    tl_rng_seed(&rng, 8);
    for (int32_t t = 0; t < NT; t++) {
        const int32_t n = t + 1;
        c->dof[t + 1] = c->dof[t] + n;
        c->block[t] = doubles((int64_t)n * n);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++)
                c->block[t][n * i + j] = c->block[t][n * j + i] = tl_rng_normal(&rng);
    }
    for (int32_t i = 0; i < NC; i++) {
        c->a[i] = i % NT;
        c->b[i] = i % 3 ? (i + 1 + i / NT) % NT : -1;
        if (c->b[i] == c->a[i])
            c->b[i] = -1;
        c->at[i + 1] = c->at[i] + 3 * (c->a[i] + 1 + (c->b[i] < 0 ? 0 : c->b[i] + 1));
    }
    c->rows = doubles(c->at[NC]);
    for (int64_t j = 0; j < c->at[NC]; j++)
        c->rows[j] = tl_rng_normal(&rng);
    for (int32_t i = 0; i < NC; i += 5) // rows that end before their tree does, and begin after it
        for (int r = 0; r < 3; r++) {
            const int32_t n = (int32_t)(c->at[i + 1] - c->at[i]) / 3;
            for (int32_t k = c->a[i] / 2; k <= c->a[i]; k++)
                c->rows[c->at[i] + r * n + (i % 2 ? k : c->a[i] - k)] = 0.0;
        }
    for (int32_t j = 0; j < NV; j++)
        c->v[j] = tl_rng_normal(&rng) * pow(10, tl_rng_uniform(&rng, -3, 3));
    for (int32_t j = 0; j < 3 * LD; j++)
        c->f[j] = j % 7 ? tl_rng_normal(&rng) : 0.0;
    for (int r = 0; r < 3; r++)
        c->f[r * LD + 11] = 0.0;
    for (int32_t i = 0; i < LD; i++)
        c->list[i] = i % 9 == 4 ? -1 : (i * 71) % NC;
    c->J = (tl_tree_rows){.rows = c->rows, .at = c->at, .a = c->a, .b = c->b, .dof = c->dof};
    return c;
}

static void free_forest(forest* c)
{
    for (int32_t t = 0; t < NT; t++)
        free(c->block[t]);
    free(c->rows);
    free(c);
}

// tree by tree, in two ranges of trees
static void gather__equals_add_in_every_bit(void** state)
{
    (void)state;
    forest* c = make_forest();
    int32_t start[NT + 1], list[2 * NC];
    double want[NV], got[NV];
    list_sides(NT, NC, c->a, c->b, start, list);
    memcpy(want, c->v, sizeof want);
    tl_rows_add_ref(NC, NULL, &c->J, 0.3, c->f, LD, want);
    for (int s = 0; s < TL_COUNT(all_isas); s++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
        if (!set)
            continue;
        memcpy(got, c->v, sizeof got);
        set->rows_gather(7, NT, start, list, &c->J, 0.3, c->f, LD, got);
        set->rows_gather(0, 7, start, list, &c->J, 0.3, c->f, LD, got);
        same_bits("v", set->isa, got, want, 1, NV, 0);
    }
    free_forest(c);
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    forest* c = make_forest();
    const double* const* blocks = (const double* const*)c->block;
    double *B = doubles(c->at[NC]), *Bw = doubles(c->at[NC]), W[4][LD], y[NV], yw[NV];
    tl_rows_response_ref(NC, &c->J, blocks, 5e-3, B, W[0], W[1]);
    tl_block_multiply_ref(NT, c->dof, blocks, c->v, y);
    for (int listed = 0; listed < 2; listed++) {
        const int32_t n = listed ? LD : NC, *list = listed ? c->list : NULL;
        double want[3 * LD], got[3 * LD], vwant[NV], vgot[NV];
        tl_rows_apply_ref(n, list, &c->J, c->v, LD, want);
        memcpy(vwant, c->v, sizeof vwant);
        tl_rows_add_ref(n, list, &c->J, 0.3, c->f, LD, vwant);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            if (!set)
                continue;
            set->rows_apply(n, list, &c->J, c->v, LD, got);
            same_bits("w", set->isa, got, want, 3, n, LD);
            memcpy(vgot, c->v, sizeof vgot);
            set->rows_add(n, list, &c->J, 0.3, c->f, LD, vgot);
            same_bits("v", set->isa, vgot, vwant, 1, NV, 0);
            set->rows_response(NC, &c->J, blocks, 5e-3, Bw, W[2], W[3]);
            same_bits("B", set->isa, Bw, B, 1, (int32_t)c->at[NC], 0);
            same_bits("Wt", set->isa, W[2], W[0], 1, NC, 0);
            same_bits("Wn", set->isa, W[3], W[1], 1, NC, 0);
            set->block_multiply(NT, c->dof, blocks, c->v, yw);
            same_bits("y", set->isa, yw, y, 1, NV, 0);
            for (int32_t m = 1; m <= NT; m++) // rows 2 .. of the first NT values, with a column of zeros
                for (int lower = 0; lower < 2; lower++) {
                    const int32_t k = lower ? m : NT + 1 - m;
                    double T[3 * NT], C[NT * NT], Cw[NT * NT];
                    for (int32_t j = 0; j < 3 * NT; j++)
                        T[j] = j % NT == 3 ? 0.0 : c->f[j];
                    memcpy(C, c->rows, sizeof C);
                    memcpy(Cw, c->rows, sizeof Cw);
                    tl_block_add_ref(m, k, c->rows, T, NT, lower, C);
                    set->block_add(m, k, c->rows, T, NT, lower, Cw);
                    same_bits("C", set->isa, Cw, C, 1, NT * NT, 0);
                }
        }
    }
    free(B);
    free(Bw);
    free_forest(c);
}

/// contact i's row r as a dense row over all dofs
static void dense_row(const forest* c, const double* rows, int32_t i, int r, long double* row)
{
    const int32_t trees[] = {c->a[i], c->b[i]}, na = c->a[i] + 1, nb = c->b[i] < 0 ? 0 : c->b[i] + 1;
    const double* x = rows + c->at[i] + r * (na + nb);
    for (int32_t j = 0; j < NV; j++)
        row[j] = 0;
    for (int t = 0; t < (nb ? 2 : 1); t++)
        for (int32_t k = 0; k < (t ? nb : na); k++)
            row[c->dof[trees[t]] + k] = x[(t ? na : 0) + k];
}

static void ref__is_the_dense_product(void** state)
{
    (void)state;
    forest* c = make_forest();
    const double h = 5e-3;
    double *B = doubles(c->at[NC]), W[2][LD], w[3 * LD], v[NV], y[NV];
    long double row[NV], brow[NV], sum[NV] = {0}, size[NV] = {0};
    tl_rows_apply_ref(NC, NULL, &c->J, c->v, LD, w);
    memset(v, 0, sizeof v);
    tl_rows_add_ref(NC, NULL, &c->J, 0.3, c->f, LD, v);
    tl_rows_response_ref(NC, &c->J, (const double* const*)c->block, h, B, W[0], W[1]);
    tl_block_multiply_ref(NT, c->dof, (const double* const*)c->block, c->v, y);
    for (int32_t i = 0; i < NC; i++) {
        long double diagonal[3];
        for (int r = 0; r < 3; r++) {
            long double dot = 0, scale = 0;
            dense_row(c, c->rows, i, r, row);
            dense_row(c, B, i, r, brow);
            diagonal[r] = 0;
            for (int32_t j = 0; j < NV; j++) {
                dot += row[j] * c->v[j];
                scale += fabsl(row[j] * c->v[j]);
                sum[j] += row[j] * 0.3L * c->f[r * LD + i];
                size[j] += fabsl(row[j] * 0.3L * c->f[r * LD + i]);
                diagonal[r] += row[j] * brow[j];
            }
            const double want = (double)dot;
            test_near("w", &w[r * LD + i], &want, 1, 8 * 0x1p-53, (double)scale);
            for (int32_t t = 0; t < NT; t++) // B = h M^-1 J^T block by block
                for (int32_t k = 0; k <= t && (t == c->a[i] || t == c->b[i]); k++) {
                    long double b = 0, m = 0;
                    for (int32_t j = 0; j <= t; j++) {
                        b += h * c->block[t][(t + 1) * j + k] * row[c->dof[t] + j];
                        m += fabsl(h * c->block[t][(t + 1) * j + k] * row[c->dof[t] + j]);
                    }
                    const double got = (double)brow[c->dof[t] + k], exact = (double)b;
                    test_near("B", &got, &exact, 1, (NT + 2) * 0x1p-53, (double)m);
                }
        }
        const double want[2] = {(double)(0.5L * (diagonal[0] + diagonal[1])), (double)diagonal[2]};
        test_near("Wt", &W[0][i], &want[0], 1, 1e-13, 1.0);
        test_near("Wn", &W[1][i], &want[1], 1, 1e-13, 1.0);
    }
    for (int32_t j = 0; j < NV; j++) {
        const double want = (double)sum[j];
        test_near("v", &v[j], &want, 1, 100 * 0x1p-53, (double)size[j]);
    }
    for (int32_t t = 0; t < NT; t++)
        for (int32_t k = 0; k <= t; k++) {
            long double s = 0, m = 0;
            for (int32_t j = 0; j <= t; j++) {
                s += (long double)c->block[t][(t + 1) * j + k] * c->v[c->dof[t] + j];
                m += fabsl((long double)c->block[t][(t + 1) * j + k] * c->v[c->dof[t] + j]);
            }
            const double want = (double)s;
            test_near("y", &y[c->dof[t] + k], &want, 1, (NT + 2) * 0x1p-53, (double)m);
        }
    double C[5 * 4] = {0};
    tl_block_add_ref(5, 4, c->rows, c->f, NT, 1, C);
    for (int32_t k = 0; k < 4; k++)
        for (int32_t i = 0; i < 5; i++) {
            long double s = 0, m = 0;
            for (int r = 0; r < 3 && i >= k; r++) {
                s += (long double)c->rows[NT * r + i] * c->f[NT * r + k];
                m += fabsl((long double)c->rows[NT * r + i] * c->f[NT * r + k]);
            }
            const double want = (double)s;
            test_near("C", &C[5 * k + i], &want, 1, 4 * 0x1p-53, (double)m);
        }
    free(B);
    free_forest(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(gather__equals_add_in_every_bit),
        cmocka_unit_test(ref__is_the_dense_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
