// SPDX-License-Identifier: MIT
// The pressure on the faces of a patch is the gradient of its energy (patch_energy.h): forces and moments against
// differences of volume integrals.
#include "physics/patch_energy.h"

// q moved by t along a unit twist about the world's origin of axes 0..2 (moving) or 3..5 (turning about b->p)
static body moved(const body* b, const double* q, int axis, double t)
{
    body out = *b;
    double x[7], w[3] = {0}, turned[4];
    memcpy(x, q, sizeof x);
    if (axis < 3)
        x[axis] += t;
    else
        w[axis - 3] = t;
    tl_quat_exp(w, turned);
    tl_quat_mul(turned, q + 3, x + 3);
    place(&out, x);
    return out;
}

static void pressure__is_the_gradient_of_the_energy(void** state)
{
    (void)state;
    static const char* shapes[] = {"type='sphere' size='0.05'", "type='box' size='0.05 0.04 0.03'",
                                   "type='cylinder' size='0.05 0.02'", "type='capsule' size='0.03 0.05'"};
    for (int k = 0; k < 2 * TL_COUNT(shapes); k++) {
        const bool two = k % 2;
        scene s;
        scene_begin(&s, 1);
        scene_add(
            &s,
            "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 1'>"
            "<freejoint/><geom name='a' %s/></body><body><freejoint/><geom name='b' type='sphere' "
            "size='0.06'/></body></worldbody><custom><text name='talus.geom.floor' data='contact=rigid'/>"
            "<text name='talus.geom.a' data='contact=compliant E=1e5 hint=0.04'/>"
            "<text name='talus.geom.b' data='contact=compliant E=3e5 hint=0.06'/></custom></mujoco>",
            shapes[k / 2]);
        scene_start(&s, NULL);
        double q[7] = {0.003, -0.002, k < 6 ? 0.03 : 0.05, 0.9, 0.2, -0.3, 0.1};
        tl_quat_normalize(q + 3);
        const double where[7] = {0.01, 0.005, -0.05, 1, 0, 0, 0};
        body a = geom(&s, "a"), b = two ? geom(&s, "b") : ground();
        place(&a, q);
        if (two)
            place(&b, where);
        tl_pose Xa, Xb = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        memcpy(Xa.p, a.p, sizeof Xa.p);
        memcpy(Xa.R, a.R, sizeof Xa.R);
        if (two)
            memcpy(Xb.p, where, sizeof Xb.p);
        const tl_patch_options options = {.vertices = true};
        tl_patch patch = {0};
        const body floor = geom(&s, two ? "b" : "floor");
        assert_int_equal(tl_patch_collide(s.ctx, a.field, &Xa, floor.field, &Xb, &options, &patch), TALUS_OK);
        tl_patch_sum sum;
        tl_patch_total(&patch, a.p, &sum);
        double got[6], want[6];
        for (int i = 0; i < 6; i++) {
            const double t = i < 3 ? 1e-6 : 1e-5;
            const body up = moved(&a, q, i, t), down = moved(&a, q, i, -t);
            want[i] = -(potential(&up, &b) - potential(&down, &b)) / (2 * t);
            got[i] = i < 3 ? sum.force[i] : sum.moment_exact[i - 3];
        }
        print_message("%d faces, force %g N\n", sum.faces, want[2]);
        assert_true(sum.faces > 0 && want[2] > 1.0);
        test_near("force", got, want, 3, 1e-6, want[2]);
        test_near("moment", got + 3, want + 3, 3, 1e-6, 0.05 * want[2]);
        tl_patch_free(s.ctx, &patch);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pressure__is_the_gradient_of_the_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
