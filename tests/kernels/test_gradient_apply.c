// SPDX-License-Identifier: MIT
// gradient_apply: all instruction sets against the scalar form in every bit; the scalar form against the law
// it linearizes: f(w0) - G (w - w0) is f(w) up to second order, and exactly the matrix product in long
// double.
#include "kernel_inputs.h"

typedef struct linearization {
    inputs c;
    double *f, *G, *w, *g;
} linearization;

static linearization make_linearization(void)
{
    linearization l = {.c = make_inputs(1000)};
    const tl_contact_params p = input_params(&l.c, 0);
    l.f = doubles(3 * l.c.ld);
    l.G = doubles(6 * l.c.ld);
    l.w = doubles(3 * l.c.ld);
    l.g = doubles(3 * l.c.ld);
    tl_rng rng;
    tl_rng_seed(&rng, 5);
    // velocities of padding are zero where G is applied
    for (int r = 0; r < 3; r++)
        for (int32_t i = 0; i < l.c.n; i++) {
            double* v = &l.c.v[r * l.c.ld + i];
            *v = i < l.c.nlive ? *v : 0.0;
            l.w[r * l.c.ld + i] = i < l.c.nlive ? *v + 1e-6 * l.c.v_s[i] * tl_rng_normal(&rng) : 0.0;
        }
    tl_contact_force_ref(l.c.n, l.c.ld, &p, l.c.v, NULL, 0, l.f, l.G);
    return l;
}

static void free_linearization(linearization* l)
{
    free(l->f);
    free(l->G);
    free(l->w);
    free(l->g);
    free_inputs(&l->c);
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    linearization l = make_linearization();
    double* want = doubles(3 * l.c.ld);
    for (int linearized = 0; linearized < 2; linearized++) {
        const double *base = linearized ? l.f : NULL, *w0 = linearized ? l.c.v : NULL;
        tl_gradient_apply_ref(l.c.n, l.c.ld, l.G, l.w, base, w0, want);
        zero_padding("g", &l.c, want, 3);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            if (!set)
                continue;
            set->gradient_apply(l.c.n, l.c.ld, l.G, l.w, base, w0, l.g);
            same_bits("g", set->isa, l.g, want, 3, l.c.n, l.c.ld);
            assert_true(l.g[l.c.n] == -7.0);
            // in place
            memcpy(l.g, l.w, sizeof(double) * 3 * (size_t)l.c.ld);
            set->gradient_apply(l.c.n, l.c.ld, l.G, l.g, base, w0, l.g);
            same_bits("g in place", set->isa, l.g, want, 3, l.c.n, l.c.ld);
            l.g[l.c.n] = -7.0;
        }
    }
    free(want);
    free_linearization(&l);
}

static void apply__is_the_matrix_product(void** state)
{
    (void)state;
    static const int at[3][3] = {{TL_G_XX, TL_G_XY, TL_G_XN}, {TL_G_XY, TL_G_YY, TL_G_YN}, {-1, -1, TL_G_NN}};
    linearization l = make_linearization();
    tl_gradient_apply_ref(l.c.n, l.c.ld, l.G, l.w, NULL, NULL, l.g);
    for (int32_t i = 0; i < l.c.nlive; i++)
        for (int r = 0; r < 3; r++) {
            long double sum = 0, size = 0;
            for (int j = 0; j < 3; j++) {
                const long double term =
                    at[r][j] < 0 ? 0 : (long double)l.G[at[r][j] * l.c.ld + i] * l.w[j * l.c.ld + i];
                sum += term;
                size += fabsl(term);
            }
            const double want = (double)sum;
            test_near("g", &l.g[r * l.c.ld + i], &want, 1, 4e-16, (double)size);
        }
    free_linearization(&l);
}

static void linearization__follows_the_law(void** state)
{
    (void)state;
    linearization l = make_linearization();
    tl_gradient_apply_ref(l.c.n, l.c.ld, l.G, l.w, l.f, l.c.v, l.g);
    int tested = 0;
    for (int32_t i = l.c.nedge; i < l.c.nlive; i++) {
        const slow_law law = slow_contact(&l.c, i, 0);
        const long double w[3] = {l.w[i], l.w[l.c.ld + i], l.w[2 * l.c.ld + i]};
        long double f[3];
        slow_force(&law, w, -1, f);
        const double vn = l.c.v[2 * l.c.ld + i];
        if (fabs(1 - l.c.d[i] * vn) < 1e-4 || fabs(l.c.delta0[i] - INPUT_H * vn) < 1e-4 * l.c.delta0[i])
            continue; // a kink lies between
        // the step is 1e-6 v_s: what is left is of the order of its square, and rounding
        const double size = l.c.k[i] * (1 + l.c.d[i] * fabs(vn)) * (l.c.delta0[i] + INPUT_H * fabs(vn));
        for (int r = 0; r < 3; r++) {
            const double want = (double)f[r];
            test_near("f", &l.g[r * l.c.ld + i], &want, 1, 1e-9, size);
        }
        tested++;
    }
    assert_true(tested > 900);
    free_linearization(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(apply__is_the_matrix_product),
        cmocka_unit_test(linearization__follows_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
