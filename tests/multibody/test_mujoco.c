// SPDX-License-Identifier: MIT
// Coordinates, M and bias are MuJoCo's: its numbers for one model with every kind of joint
// (make_mujoco_case.py).
#include "mb_builder.h"
#include "mujoco_case.h"

static mb_builder* load(void)
{
    mb_builder* b = mb_new();
    int32_t j = 0;
    for (int32_t i = 1; i < MJ_NBODY; i++) {
        mb_body(b, mj_parent[i], mj_pos + 3 * i, mj_quat + 4 * i, mj_mass[i], mj_ipos + 3 * i,
                mj_iquat + 4 * i, mj_inertia + 3 * i);
        for (; j < MJ_NJNT && mj_jnt_body[j] == i; j++)
            mb_joint(b, (tl_joint_type)mj_jnt_type[j], mj_jnt_pos + 3 * j, mj_jnt_axis + 3 * j,
                     mj_jnt_armature[j], mj_jnt_qpos0[j]);
    }
    mb_finish(b);
    assert_int_equal(b->mb.nq, MJ_NQ);
    assert_int_equal(b->mb.nv, MJ_NV);
    return b;
}

static void model__agrees_with_mujoco(void** state)
{
    (void)state;
    mb_builder* b = load();
    double *M = mb_array(b->mb.tree_M[b->mb.ntree]), *full = mb_array(MJ_NV * MJ_NV), *bias = mb_array(MJ_NV);
    for (int s = 0; s < MJ_STATES; s++) {
        double kinetic, potential, q1[MJ_NQ];
        memcpy(b->q, mj_q + s * MJ_NQ, MJ_NQ * sizeof *b->q);
        memcpy(b->v, mj_v + s * MJ_NV, MJ_NV * sizeof *b->v);
        mb_update(b);
        test_near("xpos", b->d.xpos, mj_xpos + s * 3 * MJ_NBODY, 3 * MJ_NBODY, 1e-13, 1.0);
        test_near("xmat", b->d.xmat, mj_xmat + s * 9 * MJ_NBODY, 9 * MJ_NBODY, 1e-13, 1.0);
        test_near("xipos", b->d.xipos, mj_xipos + s * 3 * MJ_NBODY, 3 * MJ_NBODY, 1e-13, 1.0);
        tl_mb_crba(&b->mb, &b->d, M);
        for (int32_t t = 0; t < b->mb.ntree; t++) {
            const int32_t d0 = b->tree_dof[t], n = b->tree_dof[t + 1] - d0;
            for (int32_t k = 0; k < n * n; k++)
                full[(d0 + k / n) * MJ_NV + d0 + k % n] = M[b->tree_M[t] + k];
        }
        test_near("M", full, mj_M + s * MJ_NV * MJ_NV, MJ_NV * MJ_NV, 1e-12, 0.0);
        tl_mb_rnea(&b->mb, &b->d, b->v, NULL, mj_gravity, bias);
        test_near("bias", bias, mj_bias + s * MJ_NV, MJ_NV, 1e-12, 0.0);
        tl_mb_energy(&b->mb, &b->d, b->v, mj_gravity, &kinetic, &potential);
        test_near1("kinetic", kinetic, mj_energy[s], 1e-12);
        tl_mb_integrate(&b->mb, b->q, b->v, 0.3, q1);
        test_near("q1", q1, mj_q1 + s * MJ_NQ, MJ_NQ, 1e-13, 1.0);
    }
    free(M), free(full), free(bias);
    mb_delete(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model__agrees_with_mujoco)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
