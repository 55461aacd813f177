// SPDX-License-Identifier: MIT
// jacobian_gram: all instruction sets against the scalar form in every bit; the scalar form against the dense
// triple product in long double.
#include "kernel_inputs.h"

#define NC 24 // contacts; the first half joins trees 0 and 1, the rest tree 0 and the world
#define LD 32

typedef struct pairs {
    tl_jacobian6 J;
    double rows[36 * NC], G[6 * LD];
    int64_t at[NC];
    int32_t a[NC], b[NC], dof[2], list[2][5];
} pairs;

static pairs* make_pairs(void)
{
    pairs* p = calloc(1, sizeof *p);
    assert_non_null(p);
    tl_rng rng;
    tl_rng_seed(&rng, 11);
    p->dof[1] = 6;
    for (int32_t i = 0; i < NC; i++) {
        p->at[i] = 36 * i;
        p->b[i] = i < NC / 2 ? 1 : -1;
    }
    for (int32_t j = 0; j < 36 * NC; j++)
        p->rows[j] = tl_rng_normal(&rng);
    for (int32_t j = 0; j < 6 * LD; j++)
        p->G[j] = tl_rng_normal(&rng) * pow(10, tl_rng_uniform(&rng, -3, 3));
    for (int k = 0; k < 5; k++) {
        p->list[0][k] = (7 * k + 3) % (NC / 2);
        p->list[1][k] = NC / 2 + (5 * k + 1) % (NC / 2);
    }
    p->J = (tl_jacobian6){.rows = p->rows, .at = p->at, .a = p->a, .b = p->b, .dof = p->dof};
    return p;
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    pairs* p = make_pairs();
    for (int which = 0; which < 4; which++)
        for (int32_t n = 1; n <= 5; n += 4) {
            const int32_t* list = p->list[which & 1];
            double want[TL_GRAM_SIZE], got[TL_GRAM_SIZE];
            for (int j = 0; j < TL_GRAM_SIZE; j++)
                want[j] = -7.0;
            tl_jacobian_gram_ref(n, list, &p->J, 0.3, p->G, LD, which >> 1, want);
            for (int s = 0; s < TL_COUNT(all_isas); s++) {
                const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
                if (!set)
                    continue;
                for (int j = 0; j < TL_GRAM_SIZE; j++)
                    got[j] = -7.0;
                set->jacobian_gram(n, list, &p->J, 0.3, p->G, LD, which >> 1, got);
                // what is not asked for stays as it was in both
                same_bits("C", set->isa, got, want, 1, TL_GRAM_SIZE, 0);
            }
        }
    free(p);
}

static void gram__is_the_dense_product(void** state)
{
    (void)state;
    static const int at[3][3] = {{TL_G_XX, TL_G_XY, TL_G_XN}, {TL_G_XY, TL_G_YY, TL_G_YN}, {-1, -1, TL_G_NN}};
    pairs* p = make_pairs();
    for (int which = 0; which < 4; which++) {
        const int full = which >> 1, world = which & 1, nd = world ? 6 : 12;
        double C[TL_GRAM_SIZE];
        tl_jacobian_gram_ref(5, p->list[world], &p->J, 0.3, p->G, LD, full, C);
        long double want[12][12] = {0}, size[12][12] = {0};
        for (int k = 0; k < 5; k++)
            for (int e = 0; e < 9; e++) {
                const int32_t i = p->list[world][k];
                const int u = e / 3, w = e % 3, g = at[u][w];
                if (g < 0 || (!full && (g == TL_G_XN || g == TL_G_YN)))
                    continue;
                for (int r = 0; r < nd; r++)
                    for (int c = 0; c < nd; c++) {
                        const double* J = p->rows + p->at[i];
                        const long double x = 0.3L * J[nd * u + r] * p->G[g * LD + i] * J[nd * w + c];
                        want[r][c] += x;
                        size[r][c] += fabsl(x);
                    }
            }
        for (int c = 0; c < nd; c++)
            for (int r = c < 6 || full ? 0 : 6; r < nd; r++) {
                const double x = (double)want[r][c];
                test_near("C", &C[nd * c + r], &x, 1, 12 * 0x1p-53, (double)size[r][c]);
            }
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(gram__is_the_dense_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
