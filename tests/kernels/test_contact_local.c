// SPDX-License-Identifier: MIT
// contact_local: all instruction sets against the scalar form in every bit; the scalar form against its
// defining equation nu = w + hW (f(nu) - fl), which has one solution because the force falls with the
// velocity.
#include "kernel_inputs.h"

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    inputs c = make_inputs(1000);
    double *nu0 = doubles(3 * c.ld), *f0 = doubles(3 * c.ld), *nu1 = doubles(3 * c.ld),
           *f1 = doubles(3 * c.ld);
    for (int which = 0; which < 4; which++) {
        const tl_contact_params p = input_params(&c, which & 1);
        const double* bound = which & 2 ? c.bound : NULL;
        tl_contact_local_ref(c.n, c.ld, &p, c.Wt, c.Wn, c.w, c.fl, bound, nu0, f0);
        zero_padding("nu", &c, nu0, 3);
        zero_padding("f", &c, f0, 3);
        for (int s = 0; s < TL_COUNT(all_isas); s++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
            for (int want_f = 0; set && want_f < 2; want_f++) {
                for (int64_t j = 0; j < 3 * c.ld; j++)
                    nu1[j] = f1[j] = -7.0;
                set->contact_local(c.n, c.ld, &p, c.Wt, c.Wn, c.w, c.fl, bound, nu1, want_f ? f1 : NULL);
                same_bits("nu", set->isa, nu1, nu0, 3, c.n, c.ld);
                if (want_f)
                    same_bits("f", set->isa, f1, f0, 3, c.n, c.ld);
                assert_true(nu1[c.n] == -7.0 && f1[c.n] == -7.0);
            }
        }
    }
    free(nu0);
    free(nu1);
    free(f0);
    free(f1);
    free_inputs(&c);
}

/// largest error of nu - w - hW (f(nu) - fl) over contacts [begin, end), relative to the terms it is made of
static void check_root(const inputs* c, int which, int32_t begin, int32_t end, double tol)
{
    const tl_contact_params p = input_params(c, which & 1);
    const double* bound = which & 2 ? c->bound : NULL;
    double *nu = doubles(3 * c->ld), *f = doubles(3 * c->ld);
    tl_contact_local_ref(c->n, c->ld, &p, c->Wt, c->Wn, c->w, c->fl, bound, nu, f);
    for (int32_t i = begin; i < end; i++) {
        const slow_law law = slow_contact(c, i, which & 1);
        const long double at[3] = {nu[i], nu[c->ld + i], nu[2 * c->ld + i]};
        long double want[3];
        slow_force(&law, at, bound ? bound[i] : -1, want);
        if (bound)
            want[2] = bound[i];
        for (int r = 0; r < 3; r++) {
            const double W = r < 2 ? c->Wt[i] : c->Wn[i], w = c->w[r * c->ld + i], fl = c->fl[r * c->ld + i];
            // the equation amplifies a rounding of nu by its own slope 1 + W |df/dnu|, and one of the factors
            // of pi by the size of their terms
            const double y = fabs((double)at[2]), damp = 1 + c->d[i] * y,
                         gap = c->delta0[i] + input_rate(c, i) * y;
            const double stiff = r < 2 ? c->mu[i] * (double)want[2] / c->v_s[i] * 2
                                       : c->k[i] * (c->d[i] * gap + input_rate(c, i) * damp);
            const double size = fabs(w) + W * fabs(fl) + fabs((double)at[r]) * (1 + W * stiff) +
                                W * (r < 2 ? c->mu[i] : 1.0) * c->k[i] * damp * gap;
            const double got = nu[r * c->ld + i], root = w + W * ((double)want[r] - fl);
            test_near(r < 2 ? "nu_t" : "nu_n", &got, &root, 1, tol, size);
            // the force handed out is the one the equation holds for
            const double closed = w + W * (f[r * c->ld + i] - fl);
            test_near("f", &got, &closed, 1, tol, size);
        }
    }
    free(nu);
    free(f);
}

static void nu__is_the_root(void** state)
{
    (void)state;
    inputs c = make_inputs(2000);
    for (int which = 0; which < 4; which++)
        check_root(&c, which, c.nedge, c.nlive, 1e-14);
    free_inputs(&c);
}

static void nu__is_the_root_at_edges(void** state)
{
    (void)state;
    inputs c = make_inputs(8);
    for (int which = 0; which < 4; which++)
        check_root(&c, which, 0, c.nedge, 1e-14);
    free_inputs(&c);
}

static void force__agrees_with_contact_force(void** state)
{
    (void)state;
    inputs c = make_inputs(2000);
    double *nu = doubles(3 * c.ld), *f = doubles(3 * c.ld), *g = doubles(3 * c.ld);
    for (int linear = 0; linear < 2; linear++) {
        const tl_contact_params p = input_params(&c, linear);
        tl_contact_local_ref(c.n, c.ld, &p, c.Wt, c.Wn, c.w, c.fl, NULL, nu, f);
        tl_contact_force_ref(c.n, c.ld, &p, nu, NULL, 0, g, NULL);
        for (int32_t i = c.nedge; i < c.nlive; i++) {
            assert_true(f[2 * c.ld + i] == g[2 * c.ld + i]);
            for (int r = 0; r < 2; r++)
                test_near("f_t", &f[r * c.ld + i], &g[r * c.ld + i], 1, 1e-14, g[2 * c.ld + i]);
        }
    }
    free(nu);
    free(f);
    free(g);
    free_inputs(&c);
}

static void particle__lands_on_the_closed_form(void** state)
{
    (void)state;
    // d = 0: the normal root is linear, y = (a + W k delta0)/(1 + W k h); sliding takes mu times that force
    double k[8] = {1e4}, d[8] = {0}, mu[8] = {0.3}, de[8] = {1e-3}, vs[8] = {1e-4}, Wt[8] = {2e-3},
           Wn[8] = {2e-3};
    double w[24] = {0}, fl[24] = {0}, nu[24], f[24];
    for (int i = 1; i < 8; i++)
        vs[i] = 1;
    w[0] = 0.3;
    w[8] = -0.4;
    w[16] = -0.1;
    const tl_contact_params p = {.k = k, .d = d, .mu = mu, .delta0 = de, .v_s = vs, .h = 5e-3};
    tl_contact_local_ref(8, 8, &p, Wt, Wn, w, fl, NULL, nu, f);
    const double y = (-0.1 + 2e-3 * 1e4 * 1e-3) / (1 + 2e-3 * 1e4 * 5e-3), force = 1e4 * (1e-3 - 5e-3 * y);
    test_near1("nu_n", nu[16], y, 1e-14);
    test_near1("f_n", f[16], force, 1e-14);
    test_near1("nu_x", nu[0], 0.6 * (0.5 - 2e-3 * 0.3 * force), 1e-14);
    test_near1("nu_y", nu[8], -0.8 * (0.5 - 2e-3 * 0.3 * force), 1e-14);
    test_near1("f_x", f[0], -0.6 * 0.3 * force, 1e-14);
}

static void stiff_impact__is_finite(void** state)
{
    (void)state;
    // 1 kg at 100 m/s into k = 1e12 with h = 1e-2: stops within its own overlap and keeps its slip direction
    double k[8] = {1e12}, d[8] = {50}, mu[8] = {1}, de[8] = {1e-6}, vs[8] = {1e-4}, Wt[8] = {1e-2},
           Wn[8] = {1e-2};
    double w[24] = {0}, fl[24] = {0}, nu[24], f[24];
    w[0] = 3;
    w[8] = 4;
    w[16] = -100;
    const tl_contact_params p = {.k = k, .d = d, .mu = mu, .delta0 = de, .v_s = vs, .h = 1e-2};
    for (int i = 1; i < 8; i++)
        vs[i] = 1;
    for (int s = 0; s < TL_COUNT(all_isas); s++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[s]);
        if (!set)
            continue;
        set->contact_local(8, 8, &p, Wt, Wn, w, fl, NULL, nu, f);
        for (int r = 0; r < 3; r++)
            assert_true(isfinite(nu[8 * r]) && isfinite(f[8 * r]));
        const double after = -100 + 1e-2 * f[16];
        test_near("momentum", &nu[16], &after, 1, 1e-13, 100.0);
        assert_true(f[16] > 0 && nu[16] > -1e-2 && nu[16] < 1e-4 + 1e-12);
        test_near1("direction", nu[8] / nu[0], 4.0 / 3.0, 1e-14);
        assert_true(hypot(nu[0], nu[8]) < vs[0]); // mu = 1 stops 5 m/s
    }
}

static void stiff_sticking__keeps_its_digits(void** state)
{
    (void)state;
    // c/v_s = 1e10 at the edge of sliding, where the textbook discriminant cancels: x = 1 - t solves
    // X - z - 1 = -t - z t^2 (quadratic law), so nu = v_s (1 - t) is known for any t
    const double z = 1e10, v_s = 1e-4;
    double k[8], d[8] = {0}, mu[8], de[8], vs[8], Wt[8], Wn[8] = {0}, w[24] = {0}, fl[24] = {0}, nu[24];
    double t[8];
    for (int i = 0; i < 8; i++) {
        t[i] = pow(10, -1 - 0.5 * i);
        k[i] = 1, de[i] = 1, mu[i] = 1, vs[i] = v_s, Wt[i] = z * v_s; // c = Wt mu pi = z v_s
        w[i] = v_s * (z + 1 - t[i] - z * t[i] * t[i]);
    }
    const tl_contact_params p = {.k = k, .d = d, .mu = mu, .delta0 = de, .v_s = vs, .h = 1e-3};
    tl_contact_local_ref(8, 8, &p, Wt, Wn, w, fl, NULL, nu, NULL);
    for (int i = 0; i < 8; i++) {
        // w itself is rounded to 1e-16 z v_s, which moves t by 1e-16 z/(1 + 2 z t)
        const double got = nu[i] / v_s, want = 1 - t[i];
        test_near("nu/v_s", &got, &want, 1, 4e-16 * (1 + z / (1 + 2 * z * t[i])), 1.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(nu__is_the_root),
        cmocka_unit_test(nu__is_the_root_at_edges),
        cmocka_unit_test(force__agrees_with_contact_force),
        cmocka_unit_test(particle__lands_on_the_closed_form),
        cmocka_unit_test(stiff_impact__is_finite),
        cmocka_unit_test(stiff_sticking__keeps_its_digits),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    input_damped = true;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
