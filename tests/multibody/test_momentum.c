// SPDX-License-Identifier: MIT
// The momentum form of free bodies over many steps: balances, order of accuracy, length of quaternions.
#include "mb_builder.h"

static const double NO_GRAVITY[3] = {0.0};
static const double MIDDLE[3] = {0.6, 1.0, 1.4}; // principal moments; spin about the second is unstable

/// One step as a stepper without contact takes it: M (v* - v) = -h bias, then advance.
static void step(mb_builder* b, const double* gravity, double h)
{
    const int32_t nv = b->mb.nv;
    double M[36], dv[6];
    assert_int_equal(nv, 6);
    tl_mb_kinematics(&b->mb, b->q, &b->d);
    tl_mb_crba(&b->mb, &b->d, M);
    tl_mb_step_bias(&b->mb, &b->d, b->v, gravity, dv);
    mb_dense_solve(M, 6, dv);
    for (int i = 0; i < 6; i++)
        b->v[i] -= h * dv[i];
    tl_mb_advance(&b->mb, b->q, b->v, h, b->q, b->v);
}

enum body_kind { CENTRED, OFF_CENTRE, WELDED };

/// A body with moments (0.6, 1, 1.4) about its centre of mass: in its own axes; turned and off the frame's
/// origin; or made of three welded pieces.
static mb_builder* spinning_body(enum body_kind kind)
{
    mb_builder* b = mb_new();
    tl_rng r;
    tl_rng_seed(&r, 3);
    double turn[4] = {1, 0, 0, 0}, com[3] = {0.0};
    if (kind != CENTRED) {
        mb_random_quat(&r, turn);
        mb_random_vec(&r, 3, 0.3, com);
    }
    if (kind == WELDED) {
        // six points of mass m at +-x_i on the axes of `turn`: I_i = 2 m (x_j^2 + x_k^2)
        const double m = 0.5, size[3] = {sqrt(0.9), sqrt(0.5), sqrt(0.1)};
        for (int k = 0; k < 6; k++) {
            const double local[3] = {k / 2 == 0 ? (k % 2 ? 1 : -1) * size[0] : 0.0,
                                     k / 2 == 1 ? (k % 2 ? 1 : -1) * size[1] : 0.0,
                                     k / 2 == 2 ? (k % 2 ? 1 : -1) * size[2] : 0.0};
            double p[3];
            tl_quat_rotate(turn, local, p);
            for (int i = 0; i < 3; i++)
                p[i] += com[i];
            if (k == 0) {
                mb_body(b, 0, MB_ZERO, MB_ONE, m, p, MB_ONE, MB_ZERO);
                mb_joint(b, TL_JOINT_FREE, MB_ZERO, MB_ZERO, 0.0, 0.0);
            } else {
                mb_body(b, 1, p, turn, m, MB_ZERO, MB_ONE, MB_ZERO);
            }
        }
    } else {
        mb_body(b, 0, MB_ZERO, MB_ONE, 3.0, com, turn, MIDDLE);
        mb_joint(b, TL_JOINT_FREE, MB_ZERO, MB_ZERO, 0.0, 0.0);
    }
    mb_finish(b);
    mb_random_quat(&r, b->q + 3);
    // 5 rad/s about the middle axis, a thousandth about the others, and a drift of the origin
    const double w[3] = {5e-3, 5.0, 5e-3};
    tl_quat_rotate(turn, w, b->v + 3);
    b->v[0] = 0.3;
    b->v[1] = -0.2;
    mb_update(b);
    return b;
}

static void momentum__and_energy_of_a_tumbling_body(void** state)
{
    (void)state;
    for (int kind = CENTRED; kind <= WELDED; kind++) {
        mb_builder* b = spinning_body((enum body_kind)kind);
        const double h = 1e-3;
        double P0[3], L0[3], T0, P[3], L[3], T, U, c0[3] = {0.0}, c[3] = {0.0}, mass = 0.0, largest = 0.0;
        tl_mb_momentum(&b->mb, &b->d, P0, L0);
        tl_mb_energy(&b->mb, &b->d, b->v, NO_GRAVITY, &T0, &U);
        for (int32_t i = 1; i < b->mb.nbody; i++) {
            mass += b->mass[i];
            for (int k = 0; k < 3; k++)
                c0[k] += b->mass[i] * b->d.xipos[3 * i + k] / 3.0;
        }
        test_near1("mass", mass, 3.0, 1e-15);
        int flips = 0;
        double side = 1.0;
        for (int s = 1; s <= 60000; s++) {
            step(b, NO_GRAVITY, h);
            if (s % 100)
                continue;
            mb_update(b);
            tl_mb_energy(&b->mb, &b->d, b->v, NO_GRAVITY, &T, &U);
            largest = fmax(largest, fabs(T - T0) / T0);
            const double middle = b->v[3] * b->v[3] + b->v[4] * b->v[4] + b->v[5] * b->v[5];
            if (kind == CENTRED && b->v[4] * side < -0.5 * sqrt(middle)) {
                flips++;
                side = -side;
            }
        }
        // it must tumble for the balances to mean anything
        assert_true(kind != CENTRED || flips >= 5);
        const double zero = 0.0;
        print_message("energy drift %.2g\n", largest);
        test_near("energy", &largest, &zero, 1, 1e-4, 1.0);
        tl_mb_momentum(&b->mb, &b->d, P, L);
        test_near("P", P, P0, 3, 1e-10, 0.0);
        test_near("L", L, L0, 3, 1e-10, 0.0);
        for (int32_t i = 1; i < b->mb.nbody; i++)
            for (int k = 0; k < 3; k++)
                c[k] += b->mass[i] * b->d.xipos[3 * i + k] / 3.0;
        for (int k = 0; k < 3; k++)
            c0[k] += 60.0 * P0[k] / 3.0;
        test_near("straight line", c, c0, 3, 1e-10, 0.0);
        mb_delete(b);
    }
}

/// y = R x or, with transposed set, R^T x
static void turn(const double* R, int transposed, const double* x, double* y)
{
    double out[3] = {0.0};
    for (int k = 0; k < 9; k++)
        out[transposed ? k % 3 : k / 3] += R[k] * x[transposed ? k / 3 : k % 3];
    memcpy(y, out, sizeof out);
}

/// I(R)^-1 L in world axes for principal moments in the body's axes.
static void spin(const double* q, const double* L, double* w)
{
    double R[9];
    tl_quat_to_mat(q, R);
    turn(R, 1, L, w);
    for (int i = 0; i < 3; i++)
        w[i] /= MIDDLE[i];
    turn(R, 0, w, w);
}

/// R_mid = exp(h/2 I(R0)^-1 L) R0, R1 = exp(h I(R_mid)^-1 L) R0, w1 = I(R1)^-1 L, written out in world axes.
static void advance__is_the_midpoint_rule(void** state)
{
    (void)state;
    const double h = 0.1;
    mb_builder* b = spinning_body(CENTRED);
    const double v[3] = {2.0, 3.0, -1.0};
    memcpy(b->v + 3, v, sizeof v);
    double L[3], w[3], q0[4], mid[4], q1[4], e[4], R[9], R1[9], got[9];
    memcpy(q0, b->q + 3, sizeof q0);
    tl_quat_to_mat(q0, R);
    for (int i = 0; i < 3; i++)
        w[i] = MIDDLE[i] * v[i];
    turn(R, 0, w, L);
    for (int stage = 0; stage < 2; stage++) {
        spin(stage ? mid : q0, L, w);
        for (int i = 0; i < 3; i++)
            w[i] *= stage ? h : 0.5 * h;
        tl_quat_exp(w, e);
        tl_quat_mul(e, q0, stage ? q1 : mid);
    }
    tl_mb_advance(&b->mb, b->q, b->v, h, b->q, b->v);
    tl_quat_to_mat(q1, R1);
    tl_quat_to_mat(b->q + 3, got);
    test_near("R1", got, R1, 9, 1e-14, 1.0);
    spin(q1, L, w);
    turn(R1, 1, w, w);
    test_near("w1", b->v + 3, w, 3, 1e-14, 1.0);
    mb_delete(b);
}

/// Euler's equations and the quaternion's rate by the classic Runge-Kutta method: an independent reference.
static void euler_rate(const double* I, const double* y, double* dy)
{
    const double *q = y, *w = y + 4;
    dy[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    dy[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dy[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    dy[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dy[4 + i] = (I[j] - I[k]) * w[j] * w[k] / I[i];
    }
}

static void euler_reference(const double* I, double* y, double time, int n)
{
    const double h = time / n, c[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int s = 0; s < n; s++) {
        double k[7] = {0.0}, x[7], sum[7] = {0.0};
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 7; i++)
                x[i] = y[i] + h * c[stage] * k[i];
            euler_rate(I, x, k);
            for (int i = 0; i < 7; i++)
                sum[i] += weight[stage] * k[i];
        }
        for (int i = 0; i < 7; i++)
            y[i] += h * sum[i];
    }
}

static void advance__is_second_order(void** state)
{
    (void)state;
    double error[3];
    for (int level = 0; level < 3; level++) {
        mb_builder* b = mb_new();
        mb_body(b, 0, MB_ZERO, MB_ONE, 1.0, MB_ZERO, MB_ONE, MIDDLE);
        mb_joint(b, TL_JOINT_FREE, MB_ZERO, MB_ZERO, 0.0, 0.0);
        mb_finish(b);
        double y[7] = {1, 0, 0, 0, 2, 3, -1};
        memcpy(b->v + 3, y + 4, 3 * sizeof *y);
        const int n = 200 << level;
        for (int s = 0; s < n; s++)
            step(b, NO_GRAVITY, 2.0 / n);
        euler_reference(MIDDLE, y, 2.0, 20000);
        error[level] = 0.0;
        for (int i = 0; i < 7; i++)
            error[level] = fmax(error[level], fabs((i < 4 ? b->q[3 + i] : b->v[i - 1]) - y[i]));
        mb_delete(b);
    }
    print_message("errors %.3g %.3g %.3g\n", error[0], error[1], error[2]);
    assert_true(error[0] < 1e-2);
    for (int level = 0; level < 2; level++) {
        const double ratio = error[level] / error[level + 1];
        assert_true(ratio > 3.7 && ratio < 4.3);
    }
}

/// 1e6 steps at 10 rad/s about a principal axis: the length stays, and so does the phase.
static void quaternion__keeps_its_length(void** state)
{
    (void)state;
    const tl_joint_type type[2] = {TL_JOINT_FREE, TL_JOINT_BALL};
    for (int k = 0; k < 2; k++) {
        mb_builder* b = mb_new();
        mb_body(b, 0, MB_ZERO, MB_ONE, 1.0, MB_ZERO, MB_ONE, MIDDLE);
        mb_joint(b, type[k], MB_ZERO, MB_ZERO, 0.0, 0.0);
        mb_finish(b);
        const int32_t iq = k ? 0 : 3, iv = k ? 0 : 3;
        b->v[iv + 2] = 10.0;
        const double h = 1e-3;
        for (int s = 0; s < 1000000; s++)
            tl_mb_advance(&b->mb, b->q, b->v, h, b->q, b->v);
        const double *q = b->q + iq, one = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        test_near1("length", one, 1.0, 1e-12);
        // half angle 5 t at t = 1000 s; h = 1e-3 is off by 2e-20 a step, round-off walks
        const double want[4] = {cos(5000.0), 0, 0, sin(5000.0)};
        const double sign = want[0] * q[0] + want[3] * q[3] < 0 ? -1.0 : 1.0;
        const double got[4] = {sign * q[0], sign * q[1], sign * q[2], sign * q[3]};
        test_near("phase", got, want, 4, 1e-9, 1.0);
        mb_delete(b);
    }
}

static void free_fall__is_exact(void** state)
{
    (void)state;
    const double g[3] = {0, 0, -9.81}, h = 0.005;
    mb_builder* b = spinning_body(OFF_CENTRE);
    double v0[3], c0[3], P[3], L[3];
    tl_mb_momentum(&b->mb, &b->d, P, L);
    for (int i = 0; i < 3; i++) {
        v0[i] = P[i] / 3.0;
        c0[i] = b->d.xipos[3 + i];
    }
    for (int k = 1; k <= 1000; k++) {
        step(b, g, h);
        mb_update(b);
        // semi-implicit steps: v_k = v_0 + k h g, x_k = x_0 + k h v_0 + h^2 g k (k + 1) / 2
        double want[3];
        for (int i = 0; i < 3; i++)
            want[i] = c0[i] + k * h * v0[i] + g[i] * h * h * k * (k + 1) / 2.0;
        test_near("x", b->d.xipos + 3, want, 3, 1e-12, 100.0);
    }
    mb_delete(b);
}

static void advance__moves_the_centre_with_v_mean(void** state)
{
    (void)state;
    mb_builder* b = spinning_body(OFF_CENTRE);
    const double h = 0.01, mean[6] = {1, 2, 3, -0.5, 0.25, 0.75};
    double want[3], q1[7], v1[6], v2[6], u[3];
    // velocity of the centre of mass by v_mean at the old pose
    tl_mb_velocity(&b->mb, mean, &b->d);
    tl_mb_point_velocity(&b->mb, &b->d, 1, b->d.xipos + 3, u);
    for (int i = 0; i < 3; i++)
        want[i] = b->d.xipos[3 + i] + h * u[i];
    memcpy(v1, b->v, sizeof v1);
    memcpy(v2, b->v, sizeof v2);
    tl_mb_advance(&b->mb, b->q, mean, h, q1, v1);
    tl_mb_advance(&b->mb, b->q, mean, h, b->q, v2); // in place
    assert_memory_equal(q1, b->q, sizeof q1);
    assert_memory_equal(v1, v2, sizeof v1);
    mb_update(b);
    test_near("x", b->d.xipos + 3, want, 3, 1e-15, 1.0);
    mb_delete(b);
}

// about a principal axis the mean velocity turns the body by h omega exactly, whatever v is; v keeps its momentum
static void advance__turns_with_v_mean(void** state)
{
    (void)state;
    mb_builder* b = spinning_body(CENTRED);
    const double h = 0.02, mean[6] = {0, 0, 0, 0, 0, 0.75}, angle[3] = {0, 0, 0.75 * 0.02};
    double e[4], want[4], p0[3], p1[3], L0[3], L1[3];
    tl_quat_exp(angle, e);
    tl_quat_mul(b->q + 3, e, want);
    memset(b->q, 0, 3 * sizeof(double));
    mb_update(b);
    tl_mb_momentum(&b->mb, &b->d, p0, L0);
    tl_mb_advance(&b->mb, b->q, mean, h, b->q, b->v);
    test_near("quaternion", b->q + 3, want, 4, 1e-15, 1.0);
    memset(b->q, 0, 3 * sizeof(double)); // momentum about the same place
    mb_update(b);
    tl_mb_momentum(&b->mb, &b->d, p1, L1);
    test_near("linear momentum", p1, p0, 3, 1e-14, 10.0);
    test_near("angular momentum", L1, L0, 3, 1e-14, 10.0);
    mb_delete(b);
}

/// Trees with joints: positions by v_mean, velocities as they are, bias from the recursion; free trees:
/// gravity only.
static void other_trees__are_integrated(void** state)
{
    (void)state;
    const double g[3] = {0.1, 0.2, -9.81};
    mb_builder* b = mb_random(2);
    const int32_t nq = b->mb.nq, nv = b->mb.nv;
    double *q1 = mb_array(nq), *q2 = mb_array(nq), *v = mb_array(nv), *bias = mb_array(nv),
           *want = mb_array(nv);
    double *rest = mb_array(nv), *weight = mb_array(nv);
    memcpy(v, b->v, (size_t)nv * sizeof *v);
    tl_mb_integrate(&b->mb, b->q, b->v, 0.01, q1);
    tl_mb_advance(&b->mb, b->q, b->v, 0.01, q2, v);
    tl_mb_step_bias(&b->mb, &b->d, b->v, g, bias);
    tl_mb_rnea(&b->mb, &b->d, b->v, NULL, g, want);
    tl_mb_velocity(&b->mb, rest, &b->d);
    tl_mb_rnea(&b->mb, &b->d, rest, NULL, g, weight);
    for (int32_t i = 0; i < nv; i++) {
        const int32_t t = b->body_tree[b->dof_body[i]];
        if (b->tree_free[t]) {
            test_near("weight", bias + i, weight + i, 1, 1e-13, 10.0);
        } else {
            assert_true(bias[i] == want[i] && v[i] == b->v[i]);
        }
    }
    for (int32_t j = 0; j < b->mb.njnt; j++)
        if (!b->tree_free[b->body_tree[b->jnt_body[j]]])
            assert_true(q1[b->jnt_q[j]] == q2[b->jnt_q[j]]);
    free(q1), free(q2), free(v), free(bias), free(want), free(rest), free(weight);
    mb_delete(b);
}

static void distance__costs_no_precision(void** state)
{
    (void)state;
    mb_builder *a = spinning_body(OFF_CENTRE), *b = spinning_body(OFF_CENTRE);
    b->q[0] += 1e7;
    b->q[1] -= 1e7;
    for (int s = 0; s < 1000; s++) {
        step(a, NO_GRAVITY, 1e-3);
        step(b, NO_GRAVITY, 1e-3);
    }
    assert_memory_equal(a->v, b->v, 6 * sizeof *a->v);
    assert_memory_equal(a->q + 3, b->q + 3, 4 * sizeof *a->q);
    // positions round to 2e-9 m at 1e7 m in every step
    const double gone[3] = {b->q[0] - 1e7, b->q[1] + 1e7, b->q[2]};
    test_near("x", gone, a->q, 3, 1000 * 2e-9, 1.0);
    mb_delete(a);
    mb_delete(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum__and_energy_of_a_tumbling_body),
        cmocka_unit_test(advance__is_the_midpoint_rule),
        cmocka_unit_test(advance__is_second_order),
        cmocka_unit_test(quaternion__keeps_its_length),
        cmocka_unit_test(free_fall__is_exact),
        cmocka_unit_test(advance__moves_the_centre_with_v_mean),
        cmocka_unit_test(advance__turns_with_v_mean),
        cmocka_unit_test(other_trees__are_integrated),
        cmocka_unit_test(distance__costs_no_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
