// SPDX-License-Identifier: MIT
// jacobian_apply, jacobian_add and jacobian_response: all instruction sets against the scalar form in every
// bit; the scalar form against a dense matrix in long double; the two products are each other's transpose.
#include "kernel_inputs.h"

#define NT 40  // trees
#define NC 203 // contacts
#define LD 208
#define GAP 3 // dofs of other trees between the six of each

typedef struct chain {
    tl_jacobian6 J;
    double rows[36 * NC], v[NT * (6 + GAP)], f[3 * LD];
    int64_t at[NC];
    int32_t a[NC], b[NC], dof[NT], list[LD];
} chain;

static chain* make_chain(void)
{
    chain* c = calloc(1, sizeof *c);
    assert_non_null(c);
    tl_rng rng;
    tl_rng_seed(&rng, 3);
    int64_t at = 0;
    for (int32_t t = 0; t < NT; t++)
        c->dof[t] = t * (6 + GAP);
    for (int32_t i = 0; i < NC; i++) {
        c->at[i] = at;
        c->a[i] = (int32_t)tl_rng_uniform(&rng, 0, NT);
        c->b[i] = i % 4 ? (c->a[i] + 1 + (int32_t)tl_rng_uniform(&rng, 0, NT - 1)) % NT : -1;
        at += c->b[i] < 0 ? 18 : 36;
    }
    for (int64_t j = 0; j < at; j++)
        c->rows[j] = tl_rng_normal(&rng);
    for (int32_t j = 0; j < TL_COUNT(c->v); j++)
        c->v[j] = tl_rng_normal(&rng) * pow(10, tl_rng_uniform(&rng, -6, 6));
    for (int32_t j = 0; j < TL_COUNT(c->f); j++)
        c->f[j] = j % 5 ? tl_rng_normal(&rng) : 0.0;
    for (int r = 0; r < 3; r++) // a contact without force; -0 counts as none
        c->f[r * LD + 17] = -0.0;
    for (int32_t i = 0; i < LD; i++) // a selection with holes, in no order, some twice
        c->list[i] = i % 9 == 4 ? -1 : (i * 71) % NC;
    c->J = (tl_jacobian6){.rows = c->rows, .at = c->at, .a = c->a, .b = c->b, .dof = c->dof};
    return c;
}

// tree by tree, in two ranges of trees
static void gather__equals_add_in_every_bit(void** state)
{
    (void)state;
    chain* c = make_chain();
    int32_t start[NT + 1], list[2 * NC];
    double want[TL_COUNT(c->v)], got[TL_COUNT(c->v)];
    list_sides(NT, NC, c->a, c->b, start, list);
    memcpy(want, c->v, sizeof want);
    tl_jacobian_add_ref(NC, NULL, &c->J, 0.3, c->f, LD, want);
    for (int s = 0; s < TL_COUNT(all_isas); s++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
        if (!set)
            continue;
        memcpy(got, c->v, sizeof got);
        set->jacobian_gather(7, NT, start, list, &c->J, 0.3, c->f, LD, got);
        set->jacobian_gather(0, 7, start, list, &c->J, 0.3, c->f, LD, got);
        same_bits("v", set->isa, got, want, 1, TL_COUNT(c->v), 0);
    }
    free(c);
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    chain* c = make_chain();
    for (int listed = 0; listed < 2; listed++) {
        const int32_t n = listed ? LD : NC, *list = listed ? c->list : NULL;
        double want[3 * LD], got[3 * LD], vwant[TL_COUNT(c->v)], vgot[TL_COUNT(c->v)];
        tl_jacobian_apply_ref(n, list, &c->J, c->v, LD, want);
        memcpy(vwant, c->v, sizeof vwant);
        tl_jacobian_add_ref(n, list, &c->J, 0.3, c->f, LD, vwant);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            if (!set)
                continue;
            for (int32_t j = 0; j < 3 * LD; j++)
                got[j] = -7.0;
            set->jacobian_apply(n, list, &c->J, c->v, LD, got);
            same_bits("w", set->isa, got, want, 3, n, LD);
            for (int32_t i = n; i < LD; i++)
                assert_true(got[i] == -7.0 && got[2 * LD + i] == -7.0);
            memcpy(vgot, c->v, sizeof vgot);
            set->jacobian_add(n, list, &c->J, 0.3, c->f, LD, vgot);
            same_bits("v", set->isa, vgot, vwant, 1, TL_COUNT(c->v), 0);
        }
    }
    free(c);
}

/// contact i's row r as a dense row over all dofs
static void dense_row(const chain* c, int32_t i, int r, long double* row)
{
    const int32_t trees[] = {c->a[i], c->b[i]};
    const int n = c->b[i] < 0 ? 1 : 2;
    for (int32_t j = 0; j < TL_COUNT(c->v); j++)
        row[j] = 0;
    for (int t = 0; t < n; t++)
        for (int k = 0; k < 6; k++)
            row[c->dof[trees[t]] + k] = c->rows[c->at[i] + r * 6 * n + 6 * t + k];
}

static void apply__is_the_dense_product(void** state)
{
    (void)state;
    chain* c = make_chain();
    double w[3 * LD];
    tl_jacobian_apply_ref(LD, c->list, &c->J, c->v, LD, w);
    for (int32_t p = 0; p < LD; p++)
        for (int r = 0; r < 3; r++) {
            long double row[TL_COUNT(c->v)], sum = 0, size = 0;
            if (c->list[p] < 0) {
                assert_true(w[r * LD + p] == 0.0);
                continue;
            }
            dense_row(c, c->list[p], r, row);
            for (int32_t j = 0; j < TL_COUNT(c->v); j++) {
                sum += row[j] * c->v[j];
                size += fabsl(row[j] * c->v[j]);
            }
            const double want = (double)sum;
            test_near("w", &w[r * LD + p], &want, 1, 7 * 0x1p-53, (double)size);
        }
    free(c);
}

static void add__is_the_dense_transpose(void** state)
{
    (void)state;
    chain* c = make_chain();
    double v[TL_COUNT(c->v)];
    long double want[TL_COUNT(c->v)], size[TL_COUNT(c->v)];
    memcpy(v, c->v, sizeof v);
    for (int32_t j = 0; j < TL_COUNT(v); j++)
        size[j] = fabsl(want[j] = c->v[j]);
    tl_jacobian_add_ref(LD, c->list, &c->J, 0.3, c->f, LD, v);
    for (int32_t p = 0; p < LD; p++)
        for (int r = 0; r < 3 && c->list[p] >= 0; r++) {
            long double row[TL_COUNT(c->v)];
            dense_row(c, c->list[p], r, row);
            for (int32_t j = 0; j < TL_COUNT(v); j++) {
                want[j] += 0.3L * row[j] * c->f[r * LD + p];
                size[j] += fabsl(row[j] * c->f[r * LD + p]);
            }
        }
    for (int32_t j = 0; j < TL_COUNT(v); j++) {
        const double x = (double)want[j];
        test_near("v", &v[j], &x, 1, 1e-14, (double)size[j]);
        if (j % (6 + GAP) >= 6)
            assert_true(v[j] == c->v[j]); // dofs of other trees are not touched
    }
    free(c);
}

// h M^-1 J^T with a full symmetric block for each tree
static void response__is_the_dense_product(void** state)
{
    (void)state;
    const double h = 5e-3;
    chain* c = make_chain();
    double block[NT][36], want[36 * NC] = {0}, got[36 * NC], W[4][LD];
    const double* Minv[NT];
    tl_rng rng;
    tl_rng_seed(&rng, 11);
    for (int32_t t = 0; t < NT; t++) {
        Minv[t] = block[t];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++)
                block[t][6 * i + j] = block[t][6 * j + i] = tl_rng_normal(&rng);
    }
    tl_jacobian_response_ref(NC, &c->J, Minv, h, want, W[0], W[1]);
    for (int32_t i = 0; i < NC; i++) {
        const int32_t trees[] = {c->a[i], c->b[i]}, n = c->b[i] < 0 ? 1 : 2;
        long double w[3] = {0};
        for (int r = 0; r < 3; r++)
            for (int t = 0; t < n; t++)
                for (int k = 0; k < 6; k++) {
                    const int64_t at = c->at[i] + r * 6 * n + 6 * t;
                    long double sum = 0, size = 0;
                    for (int j = 0; j < 6; j++) {
                        sum += (long double)block[trees[t]][6 * j + k] * h * c->rows[at + j];
                        size += fabsl((long double)block[trees[t]][6 * j + k] * h * c->rows[at + j]);
                    }
                    const double exact = (double)sum;
                    test_near("B", &want[at + k], &exact, 1, 7 * 0x1p-53, (double)size);
                    w[r] += c->rows[at + k] * sum;
                }
        const double exact[] = {(double)(0.5L * (w[0] + w[1])), (double)w[2]};
        test_near("Wt", &W[0][i], &exact[0], 1, 1e-13, 1.0);
        test_near("Wn", &W[1][i], &exact[1], 1, 1e-13, 1.0);
    }
    for (int s = 0; s < TL_COUNT(all_isas); s++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
        if (!set)
            continue;
        memset(got, 0, sizeof got);
        set->jacobian_response(NC, &c->J, Minv, h, got, W[2], W[3]);
        same_bits("B", set->isa, got, want, 1, TL_COUNT(got), 0);
        same_bits("Wt", set->isa, W[2], W[0], 1, NC, 0);
        same_bits("Wn", set->isa, W[3], W[1], 1, NC, 0);
    }
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),  cmocka_unit_test(gather__equals_add_in_every_bit),
        cmocka_unit_test(response__is_the_dense_product), cmocka_unit_test(apply__is_the_dense_product),
        cmocka_unit_test(add__is_the_dense_transpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
