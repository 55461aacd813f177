// SPDX-License-Identifier: MIT
// Poses, velocities and Jacobians: closed forms, finite differences along tl_mb_integrate, distance from the
// origin.
#include "mb_builder.h"

enum { SEEDS = 6 };

// ---- closed forms ---------------------------------------------------------------------------------------

static const double UNIT[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, INERTIA[3] = {0.1, 0.2, 0.25};

/// The plate hangs at (1, 0, 0) with its hinge about z at (0.5, 0, 0) in its own frame, so at (1.5, 0, 0) in
/// the world.
static void hinge__turns_about_its_anchor(void** state)
{
    (void)state;
    mb_builder* b = mb_new();
    const double anchor[3] = {0.5, 0, 0}, angle = 0.7, rest = 0.2;
    mb_body(b, 0, UNIT[0], MB_ONE, 1.0, UNIT[1], MB_ONE, INERTIA);
    mb_joint(b, TL_JOINT_HINGE, anchor, UNIT[2], 0.0, rest);
    mb_finish(b);
    b->q[0] = rest + angle;
    b->v[0] = 3.0;
    mb_update(b);
    const double pos[3] = {1.5 - 0.5 * cos(angle), -0.5 * sin(angle), 0.0};
    const double com[3] = {pos[0] - sin(angle), pos[1] + cos(angle), 0.0};
    test_near("xpos", b->d.xpos + 3, pos, 3, 1e-15, 1.0);
    test_near("xipos", b->d.xipos + 3, com, 3, 1e-15, 1.0);
    double vel[3];
    const double want[3] = {-3.0 * (com[1] - 0.0), 3.0 * (com[0] - 1.5), 0.0};
    tl_mb_point_velocity(&b->mb, &b->d, 1, com, vel);
    test_near("v", vel, want, 3, 1e-14, 1.0);
    mb_delete(b);
}

/// Slide along x then hinge about z keeps the track along x; the other way round the track turns with the
/// hinge.
static void joints__act_in_their_order(void** state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        mb_builder* b = mb_new();
        mb_body(b, 0, UNIT[1], MB_ONE, 1.0, MB_ZERO, MB_ONE, INERTIA);
        for (int k = 0; k < 2; k++) {
            if (k == first)
                mb_joint(b, TL_JOINT_SLIDE, MB_ZERO, UNIT[0], 0.0, 0.0);
            else
                mb_joint(b, TL_JOINT_HINGE, MB_ZERO, UNIT[2], 0.0, 0.0);
        }
        mb_finish(b);
        b->q[first] = 2.0;
        b->q[1 - first] = 0.6;
        mb_update(b);
        const double slide[3] = {2.0, 1.0, 0.0}, turned[3] = {2.0 * cos(0.6), 1.0 + 2.0 * sin(0.6), 0.0};
        test_near("xpos", b->d.xpos + 3, first ? turned : slide, 3, 1e-15, 1.0);
        const double R[9] = {cos(0.6), -sin(0.6), 0, sin(0.6), cos(0.6), 0, 0, 0, 1};
        test_near("xmat", b->d.xmat + 9, R, 9, 1e-15, 1.0);
        mb_delete(b);
    }
}

static void free_joint__ignores_the_body_pose_and_normalizes(void** state)
{
    (void)state;
    mb_builder* b = mb_new();
    const double away[3] = {5, 6, 7}, tilt[4] = {0.6, 0.8, 0, 0}, q[7] = {1, 2, 3, 0, 0, 0, 2};
    mb_body(b, 0, away, tilt, 1.0, UNIT[0], MB_ONE, INERTIA);
    mb_joint(b, TL_JOINT_FREE, MB_ZERO, MB_ZERO, 0.0, 0.0);
    mb_finish(b);
    memcpy(b->q, q, sizeof q);
    mb_update(b);
    const double com[3] = {0, 2, 3}, R[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    test_near("xpos", b->d.xpos + 3, q, 3, 1e-16, 1.0);
    test_near("xipos", b->d.xipos + 3, com, 3, 1e-15, 1.0);
    test_near("xmat", b->d.xmat + 9, R, 9, 1e-15, 1.0);
    assert_memory_equal(b->q, q, sizeof q);
    mb_delete(b);
}

static void static_body__stands_and_has_no_columns(void** state)
{
    (void)state;
    mb_builder* b = mb_new();
    const double quarter[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, want[3] = {1, 1, 0}, f[3] = {1, 2, 3};
    double J[3] = {7, 7, 7}, vel[3], tau[1] = {5};
    mb_body(b, 0, UNIT[0], quarter, 0.0, MB_ZERO, MB_ONE, MB_ZERO);
    mb_body(b, 1, UNIT[0], MB_ONE, 1.0, MB_ZERO, MB_ONE, INERTIA);
    mb_body(b, 0, MB_ZERO, MB_ONE, 1.0, MB_ZERO, MB_ONE, INERTIA);
    mb_joint(b, TL_JOINT_SLIDE, MB_ZERO, UNIT[0], 0.0, 0.0);
    mb_finish(b);
    b->v[0] = 1.0;
    mb_update(b);
    test_near("xpos", b->d.xpos + 6, want, 3, 1e-15, 1.0);
    tl_mb_point_jacobian(&b->mb, &b->d, 2, want, J, 1);
    tl_mb_point_velocity(&b->mb, &b->d, 2, want, vel);
    tl_mb_apply_wrench(&b->mb, &b->d, 2, want, f, f, tau);
    assert_true(J[0] == 7 && J[1] == 7 && J[2] == 7 && tau[0] == 5);
    assert_true(vel[0] == 0 && vel[1] == 0 && vel[2] == 0);
    mb_delete(b);
}

// ---- finite differences ---------------------------------------------------------------------------------

/// World position of the point `local` of body i, and the body's rotation, at q (+) s direction.
static void place(mb_builder* b, const double* q0, const double* dir, double s, int32_t i,
                  const double* local, double* p, double* R)
{
    tl_mb_integrate(&b->mb, q0, dir, s, b->q);
    tl_mb_kinematics(&b->mb, b->q, &b->d);
    memcpy(R, b->d.xmat + 9 * i, 9 * sizeof *R);
    for (int k = 0; k < 3; k++) {
        p[k] = b->d.xpos[3 * i + k];
        for (int j = 0; j < 3; j++)
            p[k] += R[3 * k + j] * local[j];
    }
}

static void jacobian__is_the_derivative_of_positions(void** state)
{
    (void)state;
    const double local[3] = {0.3, -0.1, 0.2}, h = 1e-5;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        const int32_t nv = b->mb.nv;
        double *q0 = mb_array(b->mb.nq), *dir = mb_array(nv), *J = mb_array(3 * nv);
        memcpy(q0, b->q, (size_t)b->mb.nq * sizeof *q0);
        for (int32_t i = 1; i < b->mb.nbody; i++) {
            const int32_t t = b->body_tree[i];
            if (t < 0)
                continue;
            const int32_t d0 = b->tree_dof[t], n = b->tree_dof[t + 1] - d0, ld = n + 2;
            double p[3], lo[3], hi[3], R[9], want[3], got[3];
            place(b, q0, dir, 0.0, i, local, p, R);
            for (int32_t k = 0; k < 3 * nv; k++)
                J[k] = NAN; // all entries are to be written
            tl_mb_point_jacobian(&b->mb, &b->d, i, p, J, ld);
            for (int32_t k = 0; k < n; k++) {
                dir[d0 + k] = 1.0;
                place(b, q0, dir, -h, i, local, lo, R);
                place(b, q0, dir, h, i, local, hi, R);
                dir[d0 + k] = 0.0;
                for (int c = 0; c < 3; c++) {
                    want[c] = (hi[c] - lo[c]) / (2.0 * h);
                    got[c] = J[c * ld + k];
                }
                // truncation h^2 |x'''| and round-off eps |x| / h, both near 1e-10
                test_near("J", got, want, 3, 1e-9, 3.0);
            }
        }
        free(q0), free(dir), free(J);
        mb_delete(b);
    }
}

static void velocity__is_the_derivative_of_the_pose(void** state)
{
    (void)state;
    const double local[3] = {-0.2, 0.4, 0.1}, h = 1e-5;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        double* q0 = mb_array(b->mb.nq);
        memcpy(q0, b->q, (size_t)b->mb.nq * sizeof *q0);
        for (int32_t i = 1; i < b->mb.nbody; i++) {
            double p[3], lo[3], hi[3], R[9], Rlo[9], Rhi[9], vel[3], want[3], spin[3];
            place(b, q0, b->v, -h, i, local, lo, Rlo);
            place(b, q0, b->v, h, i, local, hi, Rhi);
            place(b, q0, b->v, 0.0, i, local, p, R);
            tl_mb_velocity(&b->mb, b->v, &b->d);
            tl_mb_point_velocity(&b->mb, &b->d, i, p, vel);
            double W[9] = {0.0}; // dR/dt R^T = [omega x]
            for (int k = 0; k < 9; k++)
                for (int j = 0; j < 3; j++)
                    W[k] += (Rhi[k / 3 * 3 + j] - Rlo[k / 3 * 3 + j]) / (2.0 * h) * R[k % 3 * 3 + j];
            spin[0] = 0.5 * (W[7] - W[5]), spin[1] = 0.5 * (W[2] - W[6]), spin[2] = 0.5 * (W[3] - W[1]);
            for (int k = 0; k < 3; k++)
                want[k] = (hi[k] - lo[k]) / (2.0 * h);
            // up to 30 dofs at 2 rad/s: third derivatives of 1e5 and h^2 = 1e-10
            test_near("v", vel, want, 3, 1e-5, 10.0);
            test_near("omega", b->d.V + 6 * i, spin, 3, 1e-5, 10.0);
        }
        free(q0);
        mb_delete(b);
    }
}

static void point_velocity__is_jacobian_times_v(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 7);
    mb_builder* b = mb_random(3);
    double *J = mb_array(3 * b->mb.nv), *tau = mb_array(b->mb.nv);
    for (int32_t i = 1; i < b->mb.nbody; i++) {
        const int32_t t = b->body_tree[i];
        if (t < 0)
            continue;
        const int32_t d0 = b->tree_dof[t], n = b->tree_dof[t + 1] - d0;
        double p[3], f[3], m[3], vel[3], want[3] = {0.0}, power = 0.0, work = 0.0;
        mb_random_vec(&r, 3, 2.0, p);
        mb_random_vec(&r, 3, 2.0, f);
        mb_random_vec(&r, 3, 2.0, m);
        tl_mb_point_jacobian(&b->mb, &b->d, i, p, J, n);
        for (int32_t k = 0; k < 3 * n; k++)
            want[k / n] += J[k] * b->v[d0 + k % n];
        tl_mb_point_velocity(&b->mb, &b->d, i, p, vel);
        test_near("J v", vel, want, 3, 1e-13, 10.0);
        // the transpose: power of the wrench = tau . v
        memset(tau, 0, (size_t)b->mb.nv * sizeof *tau);
        tl_mb_apply_wrench(&b->mb, &b->d, i, p, f, m, tau);
        for (int32_t k = 0; k < b->mb.nv; k++)
            work += tau[k] * b->v[k];
        for (int k = 0; k < 3; k++)
            power += f[k] * vel[k] + m[k] * b->d.V[6 * i + k];
        test_near("power", &work, &power, 1, 1e-12, 100.0);
        // and entry by entry, without torque
        memset(tau, 0, (size_t)b->mb.nv * sizeof *tau);
        tl_mb_apply_wrench(&b->mb, &b->d, i, p, f, NULL, tau);
        for (int32_t k = 0; k < n; k++) {
            const double c = J[k] * f[0] + J[n + k] * f[1] + J[2 * n + k] * f[2];
            test_near("J^T f", tau + d0 + k, &c, 1, 1e-13, 10.0);
        }
    }
    free(J), free(tau);
    mb_delete(b);
}

// ---- far away -------------------------------------------------------------------------------------------

/// Move a random model by whole metres, which are exact at any of these distances: M, bias and velocities
/// keep every bit.
static void distance__costs_no_precision(void** state)
{
    (void)state;
    const double g[3] = {0, 0, -9.81}, distance[] = {1e5, 1e7};
    for (int k = 0; k < TL_COUNT(distance); k++) {
        mb_builder *a = mb_random(4), *b = mb_random(4);
        const int32_t nv = a->mb.nv;
        const int64_t nM = a->mb.tree_M[a->mb.ntree];
        double *M[2] = {mb_array(nM), mb_array(nM)}, *tau[2] = {mb_array(nv), mb_array(nv)};
        double* J[2] = {mb_array(3 * nv), mb_array(3 * nv)};
        for (int32_t i = 1; i < b->mb.nbody; i++)
            if (b->parent[i] == 0)
                b->pos[3 * i] += distance[k];
        for (int32_t j = 0; j < b->mb.njnt; j++)
            if (b->jnt_type[j] == TL_JOINT_FREE)
                b->q[b->jnt_q[j]] += distance[k];
        mb_builder* two[2] = {a, b};
        for (int i = 0; i < 2; i++) {
            mb_update(two[i]);
            tl_mb_crba(&two[i]->mb, &two[i]->d, M[i]);
            tl_mb_rnea(&two[i]->mb, &two[i]->d, two[i]->v, NULL, g, tau[i]);
        }
        assert_memory_equal(M[0], M[1], (size_t)nM * sizeof(double));
        assert_memory_equal(tau[0], tau[1], (size_t)nv * sizeof(double));
        assert_memory_equal(a->d.V, b->d.V, (size_t)(6 * a->mb.nbody) * sizeof(double));
        // a material point is given in world coordinates and carries their rounding, 1 ulp of the distance
        for (int32_t i = 1; i < a->mb.nbody; i++) {
            const int32_t t = a->body_tree[i];
            if (t < 0)
                continue;
            const int32_t n = a->tree_dof[t + 1] - a->tree_dof[t];
            tl_mb_point_jacobian(&a->mb, &a->d, i, a->d.xipos + 3 * i, J[0], n);
            tl_mb_point_jacobian(&b->mb, &b->d, i, b->d.xipos + 3 * i, J[1], n);
            test_near("J", J[1], J[0], 3 * n, 4e-16 * distance[k], 1.0);
        }
        for (int i = 0; i < 2; i++) {
            free(M[i]), free(tau[i]), free(J[i]);
            mb_delete(two[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinge__turns_about_its_anchor),
        cmocka_unit_test(joints__act_in_their_order),
        cmocka_unit_test(free_joint__ignores_the_body_pose_and_normalizes),
        cmocka_unit_test(static_body__stands_and_has_no_columns),
        cmocka_unit_test(jacobian__is_the_derivative_of_positions),
        cmocka_unit_test(velocity__is_the_derivative_of_the_pose),
        cmocka_unit_test(point_velocity__is_jacobian_times_v),
        cmocka_unit_test(distance__costs_no_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
