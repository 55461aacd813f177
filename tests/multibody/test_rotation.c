// SPDX-License-Identifier: MIT
// Quaternions and rotation matrices against closed forms.
#include "mb_builder.h"

static void exp__is_cos_and_sin_of_the_half_angle(void** state)
{
    (void)state;
    const double axis[3] = {2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0};
    // both sides of the border between series and library at |w| = 0.5
    const double angle[] = {0.0, 1e-300,    1e-9, 1e-3, 0.1, 0.3, 0.4999999,
                            0.5, 0.5000001, 1.0,  3.14, 6.0, 40.0};
    for (int k = 0; k < TL_COUNT(angle); k++) {
        double w[3], q[4], want[4];
        for (int i = 0; i < 3; i++) {
            w[i] = angle[k] * axis[i];
            want[1 + i] = sin(0.5 * angle[k]) * axis[i];
        }
        want[0] = cos(0.5 * angle[k]);
        tl_quat_exp(w, q);
        // 40 rad: the argument itself carries 40 eps
        test_near("exp", q, want, 4, 4e-16 * fmax(1.0, angle[k]), 1.0);
    }
}

static void mul__is_matrix_product(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 1);
    for (int k = 0; k < 50; k++) {
        double a[4], b[4], c[4], A[9], B[9], C[9], want[9], v[3], got[3], Av[3] = {0.0};
        mb_random_quat(&r, a);
        mb_random_quat(&r, b);
        tl_quat_mul(a, b, c);
        tl_quat_to_mat(a, A);
        tl_quat_to_mat(b, B);
        tl_quat_to_mat(c, C);
        for (int i = 0; i < 9; i++) {
            want[i] = 0.0;
            for (int j = 0; j < 3; j++)
                want[i] += A[i / 3 * 3 + j] * B[3 * j + i % 3];
        }
        test_near("R(ab)", C, want, 9, 3e-15, 1.0);
        mb_random_vec(&r, 3, 1.0, v);
        for (int i = 0; i < 9; i++)
            Av[i / 3] += A[i] * v[i % 3];
        tl_quat_rotate(a, v, got);
        test_near("R v", got, Av, 3, 2e-15, 1.0);
    }
}

/// A quarter turn about z takes x to y: fixes the handedness.
static void to_mat__turns_right_handed(void** state)
{
    (void)state;
    const double w[3] = {0.0, 0.0, acos(-1.0) / 2.0}, want[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    double q[4], R[9];
    tl_quat_exp(w, q);
    tl_quat_to_mat(q, R);
    test_near("R", R, want, 9, 1e-15, 1.0);
}

static void mat_to_quat__inverts_to_mat(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 2);
    for (int k = 0; k < 200; k++) {
        double q[4], R[9], p[4];
        mb_random_quat(&r, q);
        if (k < 64) // half turns and coordinate turns too
            for (int i = 0; i < 4; i++)
                q[i] = (k >> i & 1) ? (k & 32 ? -1.0 : 1.0) : (k & 16 ? 1e-9 * q[i] : 0.0);
        if (!tl_quat_normalize(q))
            continue;
        tl_quat_to_mat(q, R);
        tl_mat_to_quat(R, p);
        const double sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 4; i++)
            p[i] *= sign;
        test_near("q", p, q, 4, 1e-15, 1.0);
    }
}

static void normalize__any_length(void** state)
{
    (void)state;
    const double scale[] = {1e-320, 1e-200, 1e-100, 1.0, 2.0, 1e150, 1e307};
    for (int k = 0; k < TL_COUNT(scale); k++) {
        double q[4] = {2.0 * scale[k], -4.0 * scale[k], 4.0 * scale[k], 0.0};
        const double want[4] = {1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0, 0.0};
        assert_true(tl_quat_normalize(q));
        // 1e-320 is denormal and has four digits
        test_near("q", q, want, 4, k == 0 ? 1e-3 : 3e-16, 1.0);
    }
}

static void normalize__refuses_zero_and_not_finite(void** state)
{
    (void)state;
    const double bad[][4] = {
        {0, 0, 0, 0}, {NAN, 0, 0, 1}, {1, INFINITY, 0, 0}, {1, 0, 0, -INFINITY}, {0, 0, NAN, 0}};
    for (int k = 0; k < TL_COUNT(bad); k++) {
        double q[4];
        memcpy(q, bad[k], sizeof q);
        assert_false(tl_quat_normalize(q));
        assert_memory_equal(q, MB_ONE, sizeof q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp__is_cos_and_sin_of_the_half_angle),
        cmocka_unit_test(mul__is_matrix_product),
        cmocka_unit_test(to_mat__turns_right_handed),
        cmocka_unit_test(mat_to_quat__inverts_to_mat),
        cmocka_unit_test(normalize__any_length),
        cmocka_unit_test(normalize__refuses_zero_and_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
