// SPDX-License-Identifier: MIT
// contact_force: all instruction sets against the scalar form in every bit; the scalar form against the law
// in long double and its central differences.
#include "kernel_inputs.h"

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    inputs c = make_inputs(1000);
    double *f0 = doubles(3 * c.ld), *G0 = doubles(6 * c.ld), *f1 = doubles(3 * c.ld), *G1 = doubles(6 * c.ld);
    for (int which = 0; which < 8; which++) {
        const tl_contact_params p = input_params(&c, which & 1);
        const double* bound = which & 2 ? c.bound : NULL;
        const int32_t secant = (which & 4) != 0;
        tl_contact_force_ref(c.n, c.ld, &p, c.v, bound, secant, f0, G0);
        zero_padding("f", &c, f0, 3);
        zero_padding("G", &c, G0, 6);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            if (!set)
                continue;
            for (int want = 0; want < 4; want++) { // f, G, both, none
                for (int64_t j = 0; j < 6 * c.ld; j++)
                    G1[j] = f1[j % (3 * c.ld)] = -7.0;
                set->contact_force(c.n, c.ld, &p, c.v, bound, secant, want & 1 ? f1 : NULL,
                                   want & 2 ? G1 : NULL);
                if (want & 1)
                    same_bits("f", set->isa, f1, f0, 3, c.n, c.ld);
                if (want & 2)
                    same_bits("G", set->isa, G1, G0, 6, c.n, c.ld);
                // nothing behind n is touched
                assert_true(f1[c.n] == -7.0 && G1[c.n] == -7.0);
            }
        }
    }
    free(f0);
    free(f1);
    free(G0);
    free(G1);
    free_inputs(&c);
}

static void force__is_the_law(void** state)
{
    (void)state;
    inputs c = make_inputs(1000);
    double* f = doubles(3 * c.ld);
    for (int which = 0; which < 4; which++) {
        const tl_contact_params p = input_params(&c, which & 1);
        const double* bound = which & 2 ? c.bound : NULL;
        tl_contact_force_ref(c.n, c.ld, &p, c.v, bound, 0, f, NULL);
        for (int32_t i = 0; i < c.nlive; i++) {
            const slow_law law = slow_contact(&c, i, which & 1);
            long double want[3];
            slow_force(&law, (long double[]){c.v[i], c.v[c.ld + i], c.v[2 * c.ld + i]}, bound ? bound[i] : -1,
                       want);
            // rounding of 1 - d v_n and delta0 - h v_n near their zeros is relative to the terms, not the
            // difference
            const double vn = fabs(c.v[2 * c.ld + i]);
            const double size =
                c.k[i] * (1 + c.d[i] * vn) * (c.delta0[i] + input_rate(&c, i) * vn) + (bound ? bound[i] : 0);
            for (int r = 0; r < 3; r++) {
                const double w = (double)want[r];
                test_near("f", &f[r * c.ld + i], &w, 1, 2e-15, size);
            }
        }
    }
    free(f);
    free_inputs(&c);
}

/// -df/dv of the slow law by central differences
static void slow_gradient(const slow_law* law, const long double v[3], long double bound, long double D[3][3])
{
    for (int j = 0; j < 3; j++) {
        const long double e = 1e-8L * (fabsl(v[j]) + law->v_s);
        long double lo[3] = {v[0], v[1], v[2]}, hi[3] = {v[0], v[1], v[2]}, flo[3], fhi[3];
        lo[j] -= e;
        hi[j] += e;
        slow_force(law, lo, bound, flo);
        slow_force(law, hi, bound, fhi);
        for (int r = 0; r < 3; r++)
            D[r][j] = -(fhi[r] - flo[r]) / (2 * e);
    }
}

static void gradient__is_the_difference_quotient(void** state)
{
    (void)state;
    static const int at[3][3] = {{TL_G_XX, TL_G_XY, TL_G_XN}, {TL_G_XY, TL_G_YY, TL_G_YN}, {-1, -1, TL_G_NN}};
    inputs c = make_inputs(1000);
    double* G = doubles(6 * c.ld);
    int tested = 0;
    for (int which = 0; which < 4; which++) {
        const tl_contact_params p = input_params(&c, which & 1);
        const double* bound = which & 2 ? c.bound : NULL;
        tl_contact_force_ref(c.n, c.ld, &p, c.v, bound, 0, NULL, G);
        for (int32_t i = c.nedge; i < c.nlive; i++) {
            const slow_law law = slow_contact(&c, i, which & 1);
            const long double v[3] = {c.v[i], c.v[c.ld + i], c.v[2 * c.ld + i]};
            // the law has kinks; the difference quotient means nothing across them
            const double x = (double)(hypotl(v[0], v[1]) / law.v_s),
                         gap = (double)(law.delta0 - law.h * v[2]);
            if (fabs(x - 1) < 1e-5 || fabs((double)(1 - law.d * v[2])) < 1e-5 ||
                fabs(gap) < 1e-5 * c.delta0[i])
                continue;
            long double D[3][3];
            slow_gradient(&law, v, bound ? bound[i] : -1, D);
            double got[9], want[9];
            for (int r = 0; r < 3; r++)
                for (int j = 0; j < 3; j++) {
                    got[3 * r + j] = at[r][j] < 0 ? 0.0 : G[at[r][j] * c.ld + i];
                    want[3 * r + j] = (double)D[r][j];
                }
            test_near("G", got, want, 9, 1e-7, 0.0);
            tested++;
        }
    }
    assert_true(tested > 3900);
    free(G);
    free_inputs(&c);
}

static void gradient__at_rest_is_the_limit(void** state)
{
    (void)state;
    // pi mu~'(0) I: twice as stiff for the quadratic law
    double k[8] = {1e5, 1e5}, d[8] = {2, 0}, mu[8] = {0.5, 0.25}, de[8] = {1e-3, 2e-3}, vs[8] = {1e-4, 1e-3};
    double v[24] = {0}, f[24], G[48];
    for (int i = 2; i < 8; i++)
        vs[i] = 1;
    for (int linear = 0; linear < 2; linear++) {
        const tl_contact_params p = {
            .k = k, .d = d, .mu = mu, .delta0 = de, .v_s = vs, .h = 1e-3, .linear = linear};
        tl_contact_force_ref(8, 8, &p, v, NULL, 0, f, G);
        for (int i = 0; i < 2; i++) {
            const double pi = k[i] * de[i], stiff = pi * mu[i] / vs[i] * (linear ? 1 : 2);
            test_near1("xx", G[TL_G_XX * 8 + i], stiff, 1e-15);
            test_near1("yy", G[TL_G_YY * 8 + i], stiff, 1e-15);
            test_near1("nn", G[TL_G_NN * 8 + i], k[i] * (d[i] * de[i] + 1e-3), 1e-15);
            assert_true(G[TL_G_XY * 8 + i] == 0 && G[TL_G_XN * 8 + i] == 0 && G[TL_G_YN * 8 + i] == 0);
            assert_true(f[i] == 0 && f[8 + i] == 0);
        }
    }
}

static void secant__majorizes_the_gradient(void** state)
{
    (void)state;
    inputs c = make_inputs(1000);
    double *G = doubles(6 * c.ld), *S = doubles(6 * c.ld), *f = doubles(3 * c.ld);
    for (int linear = 0; linear < 2; linear++) {
        const tl_contact_params p = input_params(&c, linear);
        tl_contact_force_ref(c.n, c.ld, &p, c.v, c.bound, 0, f, G);
        tl_contact_force_ref(c.n, c.ld, &p, c.v, c.bound, 1, NULL, S);
        for (int32_t i = 0; i < c.nlive; i++) {
            const double s = S[TL_G_XX * c.ld + i];
            // a multiple of 1, and its force is the law's
            assert_true(S[TL_G_XY * c.ld + i] == 0.0 && S[TL_G_YY * c.ld + i] == s);
            assert_true(-s * c.v[i] == f[i] && -s * c.v[c.ld + i] == f[c.ld + i]);
            // s I - Gtt has no negative eigenvalue
            const double a = s - G[TL_G_XX * c.ld + i], b = s - G[TL_G_YY * c.ld + i],
                         o = G[TL_G_XY * c.ld + i];
            assert_true(a >= -1e-14 * s && b >= -1e-14 * s && a * b - o * o >= -1e-14 * s * s);
        }
    }
    free(f);
    free(G);
    free(S);
    free_inputs(&c);
}

static void zero_force_and_slip__give_a_finite_gradient(void** state)
{
    (void)state;
    // exactly at the end of contact and at rest: zero stiffness, and no 0/0 anywhere
    double k[8] = {1e6, 1e6, 1e6}, d[8] = {0, 50, 20}, mu[8] = {0.5, 0.5, 0.5}, de[8] = {0, 0, 1e-3}, vs[8];
    double v[24] = {0}, f[24], G[48];
    for (int i = 0; i < 8; i++)
        vs[i] = 1e-4;
    v[18] = 1 / d[2]; // the third: 1 - d v_n = 0 with overlap left
    for (int s = 0; s < TL_COUNT(all_isas); s++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
        const tl_contact_params p = {.k = k, .d = d, .mu = mu, .delta0 = de, .v_s = vs, .h = 1e-2};
        if (!set)
            continue;
        set->contact_force(8, 8, &p, v, NULL, 0, f, G);
        for (int i = 0; i < 3; i++) {
            for (int r = 0; r < 3; r++)
                assert_true(f[8 * r + i] == 0.0);
            for (int r = 0; r < 6; r++)
                assert_true(G[8 * r + i] == 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(force__is_the_law),
        cmocka_unit_test(gradient__is_the_difference_quotient),
        cmocka_unit_test(gradient__at_rest_is_the_limit),
        cmocka_unit_test(secant__majorizes_the_gradient),
        cmocka_unit_test(zero_force_and_slip__give_a_finite_gradient),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    input_damped = true;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
