// SPDX-License-Identifier: MIT
// Equations of motion against closed forms, against Newton and Euler written out for every body, and against
// balances.
#include "mb_builder.h"

static const double DOWN[3] = {0.0, 0.0, -9.81}, Y[3] = {0.0, 1.0, 0.0};
enum { SEEDS = 6 };

// ---- closed forms ---------------------------------------------------------------------------------------

static void pendulum__closed_form(void** state)
{
    (void)state;
    const double m = 1.3, l = 0.7, armature = 0.05, inertia[3] = {0.2, 0.03, 0.1}, com[3] = {0, 0, -l};
    mb_builder* b = mb_new();
    mb_body(b, 0, MB_ZERO, MB_ONE, m, com, MB_ONE, inertia);
    mb_joint(b, TL_JOINT_HINGE, MB_ZERO, Y, armature, 0.0);
    mb_finish(b);
    for (int k = -5; k <= 5; k++) {
        double M, bias, a, tau = 0.4, kinetic, potential;
        b->q[0] = 0.6 * k;
        b->v[0] = 2.0 - k;
        mb_update(b);
        tl_mb_crba(&b->mb, &b->d, &M);
        tl_mb_rnea(&b->mb, &b->d, b->v, NULL, DOWN, &bias);
        tl_mb_aba(&b->mb, &b->d, b->v, &tau, DOWN, &a);
        tl_mb_energy(&b->mb, &b->d, b->v, DOWN, &kinetic, &potential);
        const double I = inertia[1] + m * l * l + armature, want = m * 9.81 * l * sin(b->q[0]);
        test_near1("M", M, I, 1e-15);
        test_near("bias", &bias, &want, 1, 1e-14, m * 9.81 * l);
        test_near1("a", a, (tau - want) / I, 1e-13);
        test_near1("kinetic", kinetic, 0.5 * I * b->v[0] * b->v[0], 1e-14);
        test_near1("potential", potential, -m * 9.81 * l * cos(b->q[0]), 1e-13);
    }
    mb_delete(b);
}

static void double_pendulum__closed_form(void** state)
{
    (void)state;
    const double m1 = 1.2, m2 = 0.8, L = 0.9, c1 = 0.4, c2 = 0.3, g = 9.81, I1 = 0.05, I2 = 0.02;
    const double in1[3] = {1, I1, 1}, in2[3] = {1, I2, 1}, com1[3] = {0, 0, -c1}, com2[3] = {0, 0, -c2};
    const double elbow[3] = {0, 0, -L};
    mb_builder* b = mb_new();
    mb_body(b, 0, MB_ZERO, MB_ONE, m1, com1, MB_ONE, in1);
    mb_joint(b, TL_JOINT_HINGE, MB_ZERO, Y, 0.0, 0.0);
    mb_body(b, 1, elbow, MB_ONE, m2, com2, MB_ONE, in2);
    mb_joint(b, TL_JOINT_HINGE, MB_ZERO, Y, 0.0, 0.0);
    mb_finish(b);
    tl_rng r;
    tl_rng_seed(&r, 1);
    for (int k = 0; k < 20; k++) {
        double M[4], bias[2];
        mb_random_vec(&r, 2, 3.0, b->q);
        mb_random_vec(&r, 2, 3.0, b->v);
        mb_update(b);
        tl_mb_crba(&b->mb, &b->d, M);
        tl_mb_rnea(&b->mb, &b->d, b->v, NULL, DOWN, bias);
        const double *q = b->q, *v = b->v, m22 = I2 + m2 * c2 * c2, x = m2 * L * c2 * cos(q[1]);
        const double wantM[4] = {I1 + m1 * c1 * c1 + m22 + m2 * L * L + 2 * x, m22 + x, m22 + x, m22};
        const double s = m2 * L * c2 * sin(q[1]), g2 = m2 * g * c2 * sin(q[0] + q[1]);
        const double want[2] = {-s * (2 * v[0] * v[1] + v[1] * v[1]) + g * (m1 * c1 + m2 * L) * sin(q[0]) +
                                    g2,
                                s * v[0] * v[0] + g2};
        test_near("M", M, wantM, 4, 1e-14, 0.0);
        test_near("bias", bias, want, 2, 1e-13, 10.0);
    }
    mb_delete(b);
}

// ---- Newton and Euler for every body --------------------------------------------------------------------

/// Velocities of every centre of mass and angular velocities at q0 (+) s v, v held.
static void velocities_at(mb_builder* b, const double* q0, double s, double* vc, double* w)
{
    tl_mb_integrate(&b->mb, q0, b->v, s, b->q);
    mb_update(b);
    for (int32_t i = 0; i < b->mb.nbody; i++) {
        tl_mb_point_velocity(&b->mb, &b->d, i, b->d.xipos + 3 * i, vc + 3 * i);
        memcpy(w + 3 * i, b->d.V + 6 * i, 3 * sizeof *w);
    }
}

/// R diag(d) R^T x
static void world_inertia(const double* R, const double* d, const double* x, double* y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                y[i] += R[3 * i + k] * d[k] * R[3 * j + k] * x[j];
    }
}

/// bias = sum over bodies of J_c^T m (dv_c/dt - g) + J_w^T (I dw/dt + w x I w), with dv_c/dt and dw/dt by
/// differences of fourth order along the motion with constant v: no spatial algebra, no recursion.
static void bias__is_newton_and_euler_of_every_body(void** state)
{
    (void)state;
    const double h = 2e-4, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        const int32_t nv = b->mb.nv, nb = b->mb.nbody;
        double *q0 = mb_array(b->mb.nq), *vc = mb_array(3 * nb), *w = mb_array(3 * nb),
               *ac = mb_array(3 * nb);
        double *aw = mb_array(3 * nb), *want = mb_array(nv), *got = mb_array(nv), *J = mb_array(3 * nv);
        for (int32_t i = 0; i < nv; i++)
            b->v[i] *= 0.5;
        memcpy(q0, b->q, (size_t)b->mb.nq * sizeof *q0);
        for (int k = 0; k < 4; k++) {
            velocities_at(b, q0, at[k] * h, vc, w);
            for (int32_t i = 0; i < 3 * nb; i++) {
                ac[i] += weight[k] / h * vc[i];
                aw[i] += weight[k] / h * w[i];
            }
        }
        velocities_at(b, q0, 0.0, vc, w);
        for (int32_t i = 0; i < nb; i++) {
            const int32_t t = b->body_tree[i];
            if (t < 0)
                continue;
            const int32_t d0 = b->tree_dof[t], n = b->tree_dof[t + 1] - d0;
            double L[3], T[3];
            const double *o = w + 3 * i, *R = b->d.ximat + 9 * i, *in = b->inertia + 3 * i;
            world_inertia(R, in, o, L);
            world_inertia(R, in, aw + 3 * i, T);
            T[0] += o[1] * L[2] - o[2] * L[1];
            T[1] += o[2] * L[0] - o[0] * L[2];
            T[2] += o[0] * L[1] - o[1] * L[0];
            tl_mb_point_jacobian(&b->mb, &b->d, i, b->d.xipos + 3 * i, J, n);
            for (int32_t k = 0; k < 3 * n; k++)
                want[d0 + k % n] += J[k] * b->mass[i] * (ac[3 * i + k / n] - DOWN[k / n]);
            const int32_t body = b->weld[i];
            for (int32_t k = b->body_dof[body] + b->body_ndof[body] - 1; k >= 0; k = b->dof_parent[k])
                for (int c = 0; c < 3; c++)
                    want[k] += b->d.S[6 * k + c] * T[c];
        }
        tl_mb_rnea(&b->mb, &b->d, b->v, NULL, DOWN, got);
        // round-off eps v / h = 1e-11 of accelerations near 10, truncation h^4 v^(5) below it
        test_near("bias", got, want, nv, 1e-9, 0.0);
        free(q0), free(vc), free(w), free(ac), free(aw), free(want), free(got), free(J);
        mb_delete(b);
    }
}

// ---- balances -------------------------------------------------------------------------------------------

typedef struct balance {
    double energy, linear[3], angular[3];
} balance;

/// The balance at time s on the motion that starts at (q0, v0) with acceleration a.
static balance balance_at(mb_builder* b, const double* q0, const double* v0, const double* a, double s,
                          const double* g)
{
    balance x;
    double potential, *mean = mb_array(b->mb.nv);
    for (int32_t i = 0; i < b->mb.nv; i++) {
        b->v[i] = v0[i] + s * a[i];
        mean[i] = v0[i] + 0.5 * s * a[i];
    }
    tl_mb_integrate(&b->mb, q0, mean, s, b->q);
    mb_update(b);
    tl_mb_energy(&b->mb, &b->d, b->v, g, &x.energy, &potential);
    x.energy += potential;
    tl_mb_momentum(&b->mb, &b->d, x.linear, x.angular);
    free(mean);
    return x;
}

/// Time derivative of the balance without applied forces, by fourth-order differences.
static balance balance_rate(mb_builder* b, const double* g)
{
    const double h = 2e-4, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
    double *q0 = mb_array(b->mb.nq), *v0 = mb_array(b->mb.nv), *a = mb_array(b->mb.nv),
           *tau = mb_array(b->mb.nv);
    memcpy(q0, b->q, (size_t)b->mb.nq * sizeof *q0);
    memcpy(v0, b->v, (size_t)b->mb.nv * sizeof *v0);
    tl_mb_aba(&b->mb, &b->d, b->v, tau, g, a);
    balance rate = {.energy = 0.0};
    for (int k = 0; k < 4; k++) {
        const balance x = balance_at(b, q0, v0, a, at[k] * h, g);
        const double s = weight[k] / h;
        rate.energy += s * x.energy;
        for (int c = 0; c < 3; c++) {
            rate.linear[c] += s * x.linear[c];
            rate.angular[c] += s * x.angular[c];
        }
    }
    memcpy(b->q, q0, (size_t)b->mb.nq * sizeof *q0);
    memcpy(b->v, v0, (size_t)b->mb.nv * sizeof *v0);
    mb_update(b);
    free(q0), free(v0), free(a), free(tau);
    return rate;
}

static void energy__is_conserved_by_accelerations(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        double kinetic, potential;
        for (int32_t i = 0; i < b->mb.nv; i++)
            b->v[i] *= 0.5;
        mb_update(b);
        tl_mb_energy(&b->mb, &b->d, b->v, DOWN, &kinetic, &potential);
        const balance rate = balance_rate(b, DOWN);
        const double zero = 0.0;
        test_near("dE/dt", &rate.energy, &zero, 1, 1e-7, kinetic);
        mb_delete(b);
    }
}

static void momentum__changes_by_weight_alone(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random_floating(seed);
        double force[3], torque[3] = {0.0}, P[3], L[3];
        const double g[3] = {1.0, -2.0, -9.81};
        const balance rate = balance_rate(b, g);
        memset(force, 0, sizeof force);
        for (int32_t i = 1; i < b->mb.nbody; i++) {
            const double *x = b->d.xipos + 3 * i, m = b->mass[i];
            for (int c = 0; c < 3; c++)
                force[c] += m * g[c];
            torque[0] += m * (x[1] * g[2] - x[2] * g[1]);
            torque[1] += m * (x[2] * g[0] - x[0] * g[2]);
            torque[2] += m * (x[0] * g[1] - x[1] * g[0]);
        }
        test_near("dP/dt", rate.linear, force, 3, 1e-8, 0.0);
        test_near("dL/dt", rate.angular, torque, 3, 1e-8, 100.0);
        // momentum itself: the free joint's generalized momentum is that of the whole tree about its root
        double *M = mb_array(b->mb.nv * b->mb.nv), p[3] = {0.0};
        tl_mb_crba(&b->mb, &b->d, M);
        for (int32_t k = 0; k < 3 * b->mb.nv; k++)
            p[k / b->mb.nv] += M[k] * b->v[k % b->mb.nv];
        tl_mb_momentum(&b->mb, &b->d, P, L);
        test_near("P", P, p, 3, 1e-13, 0.0);
        free(M);
        mb_delete(b);
    }
}

/// A kinetic energy is half v M v, armature included.
static void energy__is_half_v_M_v(void** state)
{
    (void)state;
    mb_builder* b = mb_random(8);
    double* M = mb_array(b->mb.tree_M[b->mb.ntree]);
    double want = 0.0, kinetic, potential;
    tl_mb_crba(&b->mb, &b->d, M);
    for (int32_t t = 0; t < b->mb.ntree; t++) {
        const int32_t d0 = b->tree_dof[t], n = b->tree_dof[t + 1] - d0;
        for (int32_t k = 0; k < n * n; k++)
            want += 0.5 * b->v[d0 + k / n] * M[b->tree_M[t] + k] * b->v[d0 + k % n];
    }
    tl_mb_energy(&b->mb, &b->d, b->v, DOWN, &kinetic, &potential);
    test_near1("T", kinetic, want, 1e-13);
    free(M);
    mb_delete(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum__closed_form),
        cmocka_unit_test(double_pendulum__closed_form),
        cmocka_unit_test(bias__is_newton_and_euler_of_every_body),
        cmocka_unit_test(energy__is_conserved_by_accelerations),
        cmocka_unit_test(momentum__changes_by_weight_alone),
        cmocka_unit_test(energy__is_half_v_M_v),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
