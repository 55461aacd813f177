// SPDX-License-Identifier: MIT
// Totals of contact patches (talus_sim_patches) against weights, momenta and closed forms.
#include "regress/scene.h"

// the one patch of the last step
static talus_patch only_patch(const scene* s)
{
    const talus_patch* p = NULL;
    assert_int_equal(talus_sim_patches(s->sim, &p), 1);
    return *p;
}

static void cross(const double* a, const double* b, double* out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// moment about `about` of the force on A
static void moment_about(const talus_patch* p, const double* about, double* out)
{
    double arm[3];
    for (int i = 0; i < 3; i++)
        arm[i] = p->centroid[i] - about[i];
    cross(arm, p->force, out);
    for (int i = 0; i < 3; i++)
        out[i] += p->moment[i];
}

// a box of 4 kg whose field is 0.05 m deep: p = E t / 0.05 m on faces of 0.2 x 0.2 m in all, one of them outside the
// rim; with gravity aslant it sticks. Its centre of mass is off the middle, so the moment about the centroid is not 0
static void box__at_rest(void** state)
{
    (void)state;
    const double g[2] = {0.0, 1.0}, com[2] = {0.0, 0.005};
    for (int k = 0; k < 2; k++) {
        scene s;
        scene_begin(&s, 1);
        scene_add(
            &s,
            "<mujoco><option gravity='%g 0 -9.81'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
            "<body name='b' pos='0.3 0.1 0.0499'><freejoint/>"
            "<inertial pos='%g 0 0' mass='4' diaginertia='0.03 0.03 0.03'/>"
            "<geom name='box' type='box' size='0.1 0.1 0.05'/></body></worldbody><custom>"
            "<text name='talus.default' data='mu=0.8'/>"
            "<text name='talus.geom.floor' data='contact=rigid'/>"
            "<text name='talus.geom.box' data='contact=compliant E=1e6 d=5'/></custom></mujoco>",
            g[k], com[k]);
        scene_start(&s, NULL);
        const talus_patch* none = (const talus_patch*)&s;
        assert_int_equal(talus_sim_patches(s.sim, &none), 0);
        assert_null(none);
        scene_run(&s, 2e-3, 1500);
        const talus_patch p = only_patch(&s);
        const double weight[3] = {4 * g[k], 0, -4 * SCENE_G}; // on the floor, the first body
        test_near("force", p.force, weight, 3, 1e-5, 4 * SCENE_G);
        const double *u = s.q + 3,
                     column[3] = {1 - 2 * (u[2] * u[2] + u[3] * u[3]), 2 * (u[1] * u[2] + u[0] * u[3]),
                                  2 * (u[1] * u[3] - u[0] * u[2])};
        double moment[3], at[3];
        for (int r = 0; r < 3; r++)
            at[r] = s.q[r] + com[k] * column[r];
        const double zero[3] = {0};
        moment_about(&p, at, moment);
        test_near("moment about the centre of mass", moment, zero, 3, 1e-5, 4 * SCENE_G * 0.1);
        assert_int_equal(p.body_a, 0);
        assert_int_equal(p.body_b, 1);
        assert_int_equal(p.geom_b, talus_model_find(s.model, TALUS_GEOM, "box"));
        assert_int_equal(p.faces, s.info.faces);
        assert_int_equal(p.left_out, s.info.left_out);
        test_near1("area", p.area, 0.04, 1e-4);
        if (k ==
            0) { // flat: depth t everywhere, and the left out rim is that part of a face nearer than t to a side
            const double t = 0.05 - s.q[2], middle[3] = {s.q[0], s.q[1], 0};
            test_near("centroid", p.centroid, middle, 3, 1e-9, 0.1);
            test_near1("pressure", p.pressure_max, 1e6 * t / 0.05, 1e-6);
            test_near1("rim", p.left_out_area, 0.04 - (0.2 - 2 * t) * (0.2 - 2 * t), 1e-6);
        } else {
            assert_true(fabs(p.moment[1]) > 0.01 * 4 * SCENE_G * 0.1);
        }
        // sums over its contacts
        const talus_contacts c = talus_sim_contacts(s.sim);
        assert_int_equal(p.first, 0);
        assert_int_equal(c.count, p.faces);
        double sum[3] = {0};
        for (int32_t i = 0; i < c.count; i++)
            for (int r = 0; r < 3; r++)
                sum[r] += c.force[3 * i + r];
        test_near("sum", p.force, sum, 3, 1e-14, 4 * SCENE_G);
        // what looks at other poses leaves it alone
        const talus_patch* now;
        s.q[2] += 0.01;
        talus_energy e;
        talus_problem_view view;
        assert_int_equal(talus_sim_energy(s.sim, s.state, &e), TALUS_OK);
        assert_int_equal(talus_sim_problem(s.sim, s.state, 1e-3, &view), TALUS_OK);
        assert_int_equal(talus_sim_patches(s.sim, &now), 1);
        assert_memory_equal(now, &p, sizeof p);
        s.q[2] += 1.0; // away: no patch any more
        scene_run(&s, 1e-3, 1);
        assert_int_equal(talus_sim_patches(s.sim, &now), 0);
        scene_end(&s);
    }
}

// A ball hits a body of two balls in the void: the forces and moments of the patches are what changes momenta
static void hit__changes_momenta(void** state)
{
    (void)state;
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-13;
    scene s;
    scene_begin(&s, 1);
    scene_add(
        &s,
        "<mujoco><option gravity='0 0 0'/><worldbody>"
        "<body name='pair'><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='0.03 0.03 0.03'/>"
        "<geom name='p' size='0.1' pos='0.09 0 0'/><geom name='q' size='0.1' pos='-0.09 0.01 0'/></body>"
        "<body name='ball' pos='0.01 0.183 0.02'><freejoint/><geom name='ball' size='0.1' mass='1'/></body>"
        "</worldbody><custom><text name='talus.default' data='contact=compliant E=1e5 hint=0.03 d=1 mu=0.4'/>"
        "</custom></mujoco>");
    scene_start(&s, &opt);
    s.v[7] = -1.0;
    s.v[11] = 15.0;
    const double mass[2] = {2.0, 1.0}, inertia[2] = {0.03, 0.4 * 0.01}, h = 1e-3;
    int32_t two = 0;
    for (int i = 0; i < 30; i++) {
        double x[6], lin[6], ang[6], lin1[6], ang1[6], change[12], got[12] = {0}, scale = 1.0;
        double pos[9], v0[9], w0[9], v1[9], w1[9];
        assert_int_equal(talus_sim_bodies(s.sim, s.state, pos, NULL, v0, w0), TALUS_OK);
        scene_run(&s, h, 1);
        assert_int_equal(talus_sim_bodies(s.sim, s.state, NULL, NULL, v1, w1), TALUS_OK);
        memcpy(x, pos + 3, sizeof x);
        memcpy(lin, v0 + 3, sizeof lin);
        memcpy(ang, w0 + 3, sizeof ang);
        memcpy(lin1, v1 + 3, sizeof lin1);
        memcpy(ang1, w1 + 3, sizeof ang1);
        for (int b = 0; b < 2; b++)
            for (int r = 0; r < 3; r++) {
                change[6 * b + r] = mass[b] * (lin1[3 * b + r] - lin[3 * b + r]) / h;
                change[6 * b + 3 + r] = inertia[b] * (ang1[3 * b + r] - ang[3 * b + r]) / h;
            }
        const talus_patch* p;
        const int32_t n = talus_sim_patches(s.sim, &p);
        two += n == 2;
        for (int k = 0; k < n; k++) {
            assert_int_equal(p[k].body_a, 1);
            assert_int_equal(p[k].body_b, 2);
            for (int b = 0; b < 2; b++) {
                double m[3];
                moment_about(p + k, x + 3 * b, m);
                for (int r = 0; r < 3; r++) {
                    got[6 * b + r] += (b ? -1 : 1) * p[k].force[r];
                    got[6 * b + 3 + r] += (b ? -1 : 1) * m[r];
                    scale = fmax(scale, fabs(p[k].force[r]));
                }
            }
        }
        test_near("change of momenta", got, change, 12, 1e-8, scale);
    }
    assert_true(two > 5);
    scene_end(&s);
}

// a disc that spins on uniform pressure is braked by 2/3 mu m g R about its axis
static void disc__is_braked(void** state)
{
    (void)state;
    scene s;
    scene_begin(&s, 1);
    scene_add(
        &s,
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0.2 0 0.01'><freejoint/>"
        "<geom name='disc' type='cylinder' size='0.05 0.01' mass='1'/></body></worldbody><custom>"
        "<text name='talus.default' data='mu=0.3 d=10'/>"
        "<text name='talus.geom.floor' data='contact=rigid'/>"
        "<text name='talus.geom.disc' data='contact=compliant E=1e7 hint=0.005'/></custom></mujoco>");
    scene_start(&s, NULL);
    s.v[5] = 20.0;
    scene_run(&s, 1e-3, 50);
    const talus_patch p = only_patch(&s);
    assert_true(s.v[5] > 5.0);
    const double weight[3] = {0, 0, -SCENE_G}, brake[3] = {0, 0, 2.0 / 3.0 * 0.3 * SCENE_G * 0.05};
    test_near("force", p.force, weight, 3, 1e-3, SCENE_G);
    test_near("moment on the floor", p.moment, brake, 3, 0.02, brake[2]);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box__at_rest),
        cmocka_unit_test(hit__changes_momenta),
        cmocka_unit_test(disc__is_braked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
