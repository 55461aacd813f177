// SPDX-License-Identifier: MIT
// The recursions against each other and against dense algebra, on random trees with every kind of joint.
#include "mb_builder.h"

static const double GRAVITY[3] = {0.3, -0.2, -9.81};
enum { SEEDS = 12 };

static void crba__columns_are_unit_rnea(void** state)
{
    (void)state;
    const double none[3] = {0.0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        const int32_t nv = b->mb.nv;
        double *M = mb_array(b->mb.tree_M[b->mb.ntree]), *full = mb_array(nv * nv), *col = mb_array(nv);
        double *a = mb_array(nv), *zero = mb_array(nv), *want = mb_array(nv * nv);
        tl_mb_velocity(&b->mb, zero, &b->d);
        tl_mb_crba(&b->mb, &b->d, M);
        for (int32_t t = 0; t < b->mb.ntree; t++) {
            const int32_t d0 = b->tree_dof[t], n = b->tree_dof[t + 1] - d0;
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = 0; j < n; j++)
                    full[(d0 + i) * nv + d0 + j] = M[b->tree_M[t] + i * n + j];
        }
        for (int32_t i = 0; i < nv; i++) {
            a[i] = 1.0;
            tl_mb_rnea(&b->mb, &b->d, zero, a, none, col);
            a[i] = 0.0;
            for (int32_t j = 0; j < nv; j++)
                want[j * nv + i] = col[j] + (i == j ? b->armature[i] : 0.0);
        }
        test_near("M", full, want, nv * nv, 1e-12, 0.0);
        free(M), free(full), free(col), free(a), free(zero), free(want);
        mb_delete(b);
    }
}

static void check_aba(mb_builder* b, tl_rng* r)
{
    const int32_t nv = b->mb.nv;
    double *M = mb_array(b->mb.tree_M[b->mb.ntree]), *tau = mb_array(nv), *bias = mb_array(nv),
           *a = mb_array(nv);
    mb_random_vec(r, nv, 10.0, tau);
    tl_mb_crba(&b->mb, &b->d, M);
    tl_mb_rnea(&b->mb, &b->d, b->v, NULL, GRAVITY, bias);
    tl_mb_aba(&b->mb, &b->d, b->v, tau, GRAVITY, a);
    for (int32_t i = 0; i < nv; i++)
        bias[i] = tau[i] - bias[i];
    for (int32_t t = 0; t < b->mb.ntree; t++) {
        const int32_t d0 = b->tree_dof[t];
        mb_dense_solve(M + b->tree_M[t], b->tree_dof[t + 1] - d0, bias + d0);
    }
    // both solve with M: the tolerance is 1e-16 times the condition number of the random trees
    test_near("a", a, bias, nv, 1e-11, 0.0);
    free(M), free(tau), free(bias), free(a);
}

static void aba__equals_dense_solve(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 1);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        check_aba(b, &r);
        mb_delete(b);
    }
}

static void aba__takes_a_free_joint_with_armature(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 2);
    for (int32_t flag = 0; flag < 2; flag++) {
        mb_builder* b = mb_new();
        mb_random_body(b, &r, 0);
        mb_joint(b, TL_JOINT_FREE, MB_ZERO, MB_ZERO, 0.3, 0.0);
        mb_random_body(b, &r, 1);
        mb_finish(b);
        b->tree_free[0] = flag;
        tl_mb_compile_rigid(&b->mb, b->rigid);
        mb_random_vec(&r, 6, 1.0, b->v);
        tl_mb_integrate(&b->mb, b->q, b->v, 1.0, b->q);
        mb_update(b);
        check_aba(b, &r);
        mb_delete(b);
    }
}

static void chain__of_500_hinges(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 3);
    mb_builder* b = mb_new();
    const double step[3] = {0.1, 0.0, 0.0}, half[3] = {0.05, 0.0, 0.0}, inertia[3] = {1e-4, 1e-3, 1e-3};
    for (int32_t i = 0; i < 500; i++) {
        const double axis[3] = {0.0, i % 2, (i + 1) % 2};
        mb_body(b, i, i ? step : MB_ZERO, MB_ONE, 0.1, half, MB_ONE, inertia);
        mb_joint(b, TL_JOINT_HINGE, MB_ZERO, axis, 0.01, 0.0);
    }
    mb_finish(b);
    assert_int_equal(b->mb.ntree, 1);
    mb_random_vec(&r, 500, 0.3, b->q);
    mb_random_vec(&r, 500, 0.1, b->v);
    mb_update(b);
    // residual of M a = tau - bias, relative to the right-hand side: no condition number enters
    double *M = mb_array(250000), *tau = mb_array(500), *bias = mb_array(500), *a = mb_array(500),
           *Ma = mb_array(500);
    mb_random_vec(&r, 500, 1.0, tau);
    tl_mb_crba(&b->mb, &b->d, M);
    tl_mb_rnea(&b->mb, &b->d, b->v, NULL, GRAVITY, bias);
    tl_mb_aba(&b->mb, &b->d, b->v, tau, GRAVITY, a);
    for (int32_t i = 0; i < 500; i++) {
        tau[i] -= bias[i];
        for (int32_t j = 0; j < 500; j++)
            Ma[i] += M[i * 500 + j] * a[j];
    }
    test_near("M a", Ma, tau, 500, 1e-10, 0.0);
    free(M), free(tau), free(bias), free(a), free(Ma);
    mb_delete(b);
}

/// The closed forms of one free body give what the recursions give for the same tree.
static void free_tree__closed_forms_equal_recursions(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mb_builder* b = mb_random(seed);
        const int32_t nv = b->mb.nv;
        const int64_t nM = b->mb.tree_M[b->mb.ntree];
        double *M[2] = {mb_array(nM), mb_array(nM)}, *x[2] = {mb_array(nv), mb_array(nv)};
        double *y[2] = {mb_array(nv), mb_array(nv)}, *tau = mb_array(nv);
        int32_t nfree = 0;
        tl_rng r;
        tl_rng_seed(&r, seed);
        mb_random_vec(&r, nv, 1.0, tau);
        for (int k = 0; k < 2; k++) {
            for (int32_t t = 0; t < b->mb.ntree && k; t++) {
                nfree += b->tree_free[t];
                b->tree_free[t] = 0;
            }
            tl_mb_crba(&b->mb, &b->d, M[k]);
            tl_mb_rnea(&b->mb, &b->d, b->v, tau, GRAVITY, x[k]);
            tl_mb_aba(&b->mb, &b->d, b->v, tau, GRAVITY, y[k]);
        }
        assert_true(nfree >= 2);
        test_near("M", M[0], M[1], nM, 1e-13, 0.0);
        test_near("tau", x[0], x[1], nv, 1e-12, 0.0);
        test_near("a", y[0], y[1], nv, 1e-12, 0.0);
        for (int k = 0; k < 2; k++)
            free(M[k]), free(x[k]), free(y[k]);
        free(tau);
        mb_delete(b);
    }
}

static void rigid__is_found_without_the_compiled_array(void** state)
{
    (void)state;
    mb_builder* b = mb_random(5);
    const int64_t nM = b->mb.tree_M[b->mb.ntree];
    double *M0 = mb_array(nM), *M1 = mb_array(nM);
    tl_mb_crba(&b->mb, &b->d, M0);
    b->mb.tree_rigid = NULL;
    tl_mb_crba(&b->mb, &b->d, M1);
    assert_memory_equal(M0, M1, (size_t)nM * sizeof *M0);
    free(M0), free(M1);
    mb_delete(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crba__columns_are_unit_rnea),
        cmocka_unit_test(aba__equals_dense_solve),
        cmocka_unit_test(aba__takes_a_free_joint_with_armature),
        cmocka_unit_test(chain__of_500_hinges),
        cmocka_unit_test(free_tree__closed_forms_equal_recursions),
        cmocka_unit_test(rigid__is_found_without_the_compiled_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
