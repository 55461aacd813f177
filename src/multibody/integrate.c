// SPDX-License-Identifier: MIT
// q1 = q (+) h N(q) v: slides and hinges add, free joints add in the world, quaternions turn by exp(h omega)
// in the body's own axes. A quaternion is made of unit length after every turn: its length would otherwise
// walk by 1e-16 a step.
#include "mb_spatial.h"

static void turn(const double* q, const double* w, double h, double* q1)
{
    double e[4];
    const double hw[3] = {h * w[0], h * w[1], h * w[2]};
    tl_quat_exp(hw, e);
    tl_quat_mul(q, e, q1);
    tl_quat_normalize(q1);
}

void tl_mb_integrate_joint(const tl_mb* mb, int32_t j, const double* q, const double* v, double h, double* q1)
{
    const int32_t iq = mb->jnt_q[j], iv = mb->jnt_dof[j];
    switch ((tl_joint_type)mb->jnt_type[j]) {
    case TL_JOINT_FREE:
        for (int i = 0; i < 3; i++)
            q1[iq + i] = q[iq + i] + h * v[iv + i];
        turn(q + iq + 3, v + iv + 3, h, q1 + iq + 3);
        break;
    case TL_JOINT_BALL:
        turn(q + iq, v + iv, h, q1 + iq);
        break;
    case TL_JOINT_SLIDE:
    case TL_JOINT_HINGE:
        q1[iq] = q[iq] + h * v[iv];
        break;
    }
}

void tl_mb_integrate(const tl_mb* mb, const double* q, const double* v, double h, double* q1)
{
    for (int32_t j = 0; j < mb->njnt; j++)
        tl_mb_integrate_joint(mb, j, q, v, h, q1);
}
