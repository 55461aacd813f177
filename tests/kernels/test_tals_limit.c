// SPDX-License-Identifier: MIT
// tals_limit: all instruction sets against the scalar form in every bit; the scalar form against worked
// cases, against the general root formula in long double, and against what it is for: no step passes over the
// stiction disc or turns the slip by more than theta_max.
#include "kernel_inputs.h"

#define N 6000
#define NEDGE 18
#define THETA (M_PI / 3)

typedef struct steps {
    double v[2 * N], dv[2 * N], v_s[N], alpha[N];
} steps;

/// speeds over many scales, half of the ends in or near the disc or opposite the start
static steps* make_steps(void)
{
    steps* s = aligned_alloc(64, sizeof(steps));
    assert_non_null(s);
    tl_rng rng;
    tl_rng_seed(&rng, 7);
    for (int32_t i = 0; i < N; i++) {
        const double vs = s->v_s[i] = i % 3 ? 1e-4 : pow(10, tl_rng_uniform(&rng, -6, 0));
        double end[2];
        const double r0 = vs * pow(10, tl_rng_uniform(&rng, -4, 4)),
                     r1 = vs * pow(10, tl_rng_uniform(&rng, -4, 4));
        const double t0 = tl_rng_uniform(&rng, 0, 2 * M_PI);
        const double t1 = i % 2 ? t0 + M_PI + 1e-3 * tl_rng_normal(&rng) : tl_rng_uniform(&rng, 0, 2 * M_PI);
        s->v[i] = r0 * cos(t0);
        s->v[N + i] = r0 * sin(t0);
        end[0] = r1 * cos(t1);
        end[1] = r1 * sin(t1);
        for (int r = 0; r < 2; r++)
            s->dv[r * N + i] = end[r] - s->v[r * N + i];
    }
    // exact edges: at rest, no change, on the disc, through the origin, back to rest, straight reversal,
    // huge, a change of exactly eps, a closest point at exactly eps
    static const double edges[NEDGE][4] = {{0, 0, 0, 0},
                                           {5, 0, 0, 0},
                                           {1, 0, -2, 0},
                                           {5, 0, -10, 0},
                                           {5, 0, -5, 0},
                                           {0, 0, 10, 0},
                                           {0, 0, 0.005, 0},
                                           {5, 0, 0.005, 0},
                                           {5, 0.5, -10, 0},
                                           {5, 0, -7, 8},
                                           {1e16, 0, 0, 2e16},
                                           {0.01, 0, 3, 0},
                                           {3, 4, -6, -8},
                                           {3, 4, 0, 1e9},
                                           {1e-170, 0, 1, 1},
                                           {NAN, 0, 1, 1},
                                           {-0.005, 0.99999, 0.01, 0},
                                           {4, 0.01, -8, 0}};
    for (int e = 0; e < NEDGE; e++) {
        s->v_s[e] = 1;
        for (int r = 0; r < 2; r++) {
            s->v[r * N + e] = edges[e][r];
            s->dv[r * N + e] = edges[e][2 + r];
        }
    }
    // padding as callers make it
    for (int32_t i = N - 8; i < N; i++) {
        s->v[i] = s->v[N + i] = s->dv[i] = s->dv[N + i] = 0;
        s->v_s[i] = 1;
    }
    return s;
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    steps* s = make_steps();
    double* got = doubles(N + 8);
    static const double thetas[] = {THETA, 0.1, M_PI / 2};
    for (int t = 0; t < TL_COUNT(thetas); t++) {
        tl_tals_limit_ref(N, N, s->v, s->dv, s->v_s, thetas[t], s->alpha);
        for (int j = 0; j < TL_COUNT(all_isas); j++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
            if (!set)
                continue;
            set->tals_limit(N, N, s->v, s->dv, s->v_s, thetas[t], got);
            same_bits("alpha", set->isa, got, s->alpha, 1, N, N);
            assert_true(got[N] == -7.0);
        }
        for (int32_t i = N - 8; i < N; i++)
            assert_true(s->alpha[i] == 1.0);
    }
    free(got);
    free(s);
}

static double one_step(double vx, double vy, double dx, double dy)
{
    double v[16] = {vx}, dv[16] = {dx}, vs[8], alpha[8];
    v[8] = vy;
    dv[8] = dy;
    for (int i = 0; i < 8; i++)
        vs[i] = 1;
    tl_tals_limit_ref(8, 8, v, dv, vs, THETA, alpha);
    return alpha[0];
}

static void worked_cases__land_where_they_should(void** state)
{
    (void)state;
    test_near1("closest point", one_step(5, 0.5, -10, 0), 0.5, 1e-15);
    test_near1("through the origin: v_s/2 short", 5 - 10 * one_step(5, 0, -10, 0), 0.5, 1e-14);
    test_near1("from rest to v_s/2", one_step(0, 0, 10, 0), 0.05, 1e-15);
    test_near1("to rest: v_s/2 short", 5 - 5 * one_step(5, 0, -5, 0), 0.5, 1e-14);
    const double a = one_step(5, 0, -7, 8);
    test_near1("60 degrees", (5 - 7 * a) / hypot(5 - 7 * a, 8 * a), 0.5, 1e-14);
    assert_true(one_step(0.5, 0, 0.3, 0) == 1.0); // within the disc
    assert_true(one_step(5, 0, 0, 1) == 1.0);     // a small turn
    assert_true(one_step(0.5, 0, 10, 0) == 1.0);  // leaving the disc, not from rest
    assert_true(one_step(5, 0, -4.5, 0) == 1.0);  // into the disc, not to rest
    assert_true(one_step(5, 0, -0.001, 0) == 1.0);
}

/// the quadratic |v|^2 |v + a dv|^2 cos^2 = (v . (v + a dv))^2 by the general formula
static long double slow_angle_root(const long double v[2], const long double dv[2], long double theta)
{
    const long double A = v[0] * v[0] + v[1] * v[1], B = v[0] * dv[0] + v[1] * dv[1];
    const long double C = dv[0] * dv[0] + dv[1] * dv[1], c2 = cosl(theta) * cosl(theta);
    const long double p = A * C * c2 - B * B, q = 2 * A * B * (c2 - 1), r = A * A * (c2 - 1);
    const long double root = sqrtl(q * q - 4 * p * r), t = -0.5L * (q + (q < 0 ? -root : root));
    const long double r1 = t / p, r2 = r / t;
    return r1 > 0 && (r1 < r2 || !(r2 > 0)) ? r1 : r2;
}

static void turning__stops_at_the_smallest_positive_root(void** state)
{
    (void)state;
    steps* s = make_steps();
    tl_tals_limit_ref(N, N, s->v, s->dv, s->v_s, THETA, s->alpha);
    int tested = 0;
    for (int32_t i = NEDGE; i < N - 8; i++) {
        const long double v[2] = {s->v[i], s->v[N + i]}, dv[2] = {s->dv[i], s->dv[N + i]}, vs = s->v_s[i];
        const long double s0 = hypotl(v[0], v[1]), s1 = hypotl(v[0] + dv[0], v[1] + dv[1]);
        const long double C = dv[0] * dv[0] + dv[1] * dv[1], a = -(v[0] * dv[0] + v[1] * dv[1]) / C;
        const long double closest = fabsl(v[0] * dv[1] - v[1] * dv[0]) / sqrtl(C);
        const long double turn = acosl((v[0] * (v[0] + dv[0]) + v[1] * (v[1] + dv[1])) / (s0 * s1));
        const int passes = a > 0 && a < 1 && closest < vs * 1.000001L;
        if (s0 < vs || s1 < vs || passes || turn < THETA + 1e-9L)
            continue;
        const double want = (double)slow_angle_root(v, dv, THETA);
        // v + dv is rounded at the size of its larger term
        test_near("alpha", &s->alpha[i], &want, 1, 1e-13 * (double)(1 + sqrtl(C) / s0), want);
        tested++;
    }
    assert_true(tested > 300);
    free(s);
}

static void step__never_crosses_the_disc_nor_turns_too_far(void** state)
{
    (void)state;
    steps* s = make_steps();
    tl_tals_limit_ref(N, N, s->v, s->dv, s->v_s, THETA, s->alpha);
    int cut = 0;
    for (int32_t i = NEDGE; i < N; i++) {
        const double alpha = s->alpha[i], vs = s->v_s[i];
        assert_true(alpha > 0 && alpha <= 1);
        cut += alpha < 1;
        const double x = s->v[i], y = s->v[N + i], dx = alpha * s->dv[i], dy = alpha * s->dv[N + i];
        const double s0 = hypot(x, y), s1 = hypot(x + dx, y + dy);
        if (s0 <= vs || s1 <= vs * (1 + 1e-9))
            continue; // started or landed in the disc
        const double a = -(x * dx + y * dy) / (dx * dx + dy * dy);
        const double closest = fabs(x * dy - y * dx) / hypot(dx, dy);
        assert_false(a > 1e-9 && a < 1 - 1e-9 && closest < vs * (1 - 1e-9));
        assert_true(acos(fmax(-1, fmin(1, (x * (x + dx) + y * (y + dy)) / (s0 * s1)))) <= THETA + 1e-6);
    }
    assert_true(cut > 1000);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(worked_cases__land_where_they_should),
        cmocka_unit_test(turning__stops_at_the_smallest_positive_root),
        cmocka_unit_test(step__never_crosses_the_disc_nor_turns_too_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
