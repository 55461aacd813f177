// SPDX-License-Identifier: MIT
// The linear dissipation law (contact.dissipation=linear), f_n = (k delta - d v_n)+ with d in N s/m. A mass m that
// meets it at v0 is a damped spring until the force ends: with w0 = sqrt(k/m), z = d / (2 sqrt(k m)), w = w0 sqrt(1-z^2)
//
//     delta(t) = v0/w exp(-z w0 t) sin(w t),    t_end = (pi - atan2(2 z sqrt(1-z^2), 1 - 2 z^2)) / w
//     e = -delta'(t_end) / v0
//
// Half a period and e = 1 without dissipation. Steps are first order: errors halve with h.
#include "../regress/scene.h"

#include <math.h>

typedef struct impact {
    double time, restitution; // of the contact
} impact;

static impact closed_form(double m, double k, double d)
{
    const double w0 = sqrt(k / m), z = d / (2 * sqrt(k * m)), r = sqrt(1 - z * z), w = w0 * r;
    const double t = (3.14159265358979323846 - atan2(2 * z * r, 1 - 2 * z * z)) / w;
    return (impact){t, -exp(-z * w0 * t) * (cos(w * t) - z / r * sin(w * t))};
}

/// The body falls on the floor at 1 m/s without gravity; how long the force lasts, and the speed it leaves with.
static impact fall(scene* s, double h)
{
    impact out = {0};
    s->v[2] = -1.0;
    for (int i = 0; i < 100000 && !(s->v[2] > 0.0 && talus_sim_contacts(s->sim).count == 0); i++) {
        assert_int_equal(talus_sim_step(s->sim, s->state, h, 0, NULL), TALUS_OK);
        const talus_contacts c = talus_sim_contacts(s->sim);
        double force = 0.0;
        for (int32_t j = 0; j < c.count; j++)
            force += c.force[3 * j + 2] * (c.body_a[j] ? 1.0 : -1.0);
        assert_true(force >= 0.0); // never pulls
        out.time += force > 0.0 ? h : 0.0;
    }
    out.restitution = s->v[2];
    return out;
}

static void start(scene* s, const char* geoms, const char* texts)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.dissipation = TALUS_DISSIPATION_LINEAR;
    scene_begin(s, 1);
    scene_add(s,
              "<mujoco><option gravity='0 0 0'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
              "<body pos='0 0 0.1'><freejoint/>%s</body></worldbody><custom>%s</custom></mujoco>",
              geoms, texts);
    scene_start(s, &opt);
}

static void check(const char* geoms, const char* texts, double m, double k, double d)
{
    const impact want = closed_form(m, k, d);
    double off[2];
    for (int i = 0; i < 2; i++) {
        const double h = i ? 2e-6 : 4e-6;
        scene s;
        start(&s, geoms, texts);
        const impact got = fall(&s, h);
        scene_end(&s);
        off[i] = fabs(got.restitution - want.restitution);
        const double step = h * sqrt(k / m);
        if (fabs(got.time - want.time) > 6 * h || off[i] > 2 * step)
            fail_msg("d = %g, h = %g: %.6g s and e = %.6g, want %.6g s and e = %.6g", d, h, got.time,
                     got.restitution, want.time, want.restitution);
    }
    if (off[1] > 0.6 * off[0] + 1e-6)
        fail_msg("d = %g: errors %g, %g do not halve", d, off[0], off[1]);
}

static void point__is_a_spring_and_damper(void** state)
{
    (void)state;
    // both geoms 2e4 N/m: k = 1e4 N/m; d is the mean
    static const double ds[] = {0.0, 10.0, 40.0, 120.0}; // z = 0, 0.05, 0.2, 0.6
    for (int i = 0; i < TL_COUNT(ds); i++) {
        char texts[200];
        snprintf(texts, sizeof texts, "<text name='talus.default' data='k=2e4 d=%g mu=0.5'/>", ds[i]);
        check("<geom type='sphere' size='0.1' mass='1'/>", texts, 1.0, 1e4, ds[i]);
    }
}

static void patch__has_its_dissipation_whole(void** state)
{
    (void)state;
    // a rigid box on a slab: F = E A/t delta, exactly; its polygons share d
    static const double ds[] = {0.0, 40.0};
    for (int i = 0; i < TL_COUNT(ds); i++) {
        char texts[300];
        snprintf(texts, sizeof texts,
                 "<text name='talus.geom.floor' data='contact=compliant E=2.5e4 thickness=0.1 d=%g mu=0.5'/>"
                 "<text name='talus.geom.box' data='contact=rigid mu=0.5'/>",
                 ds[i]);
        check("<geom name='box' type='box' size='0.1 0.1 0.1' mass='1'/>", texts, 1.0, 2.5e4 * 0.04 / 0.1,
              ds[i]);
    }
}

static void solvers__agree_on_a_sliding_impact(void** state)
{
    (void)state;
    double v[3][6];
    for (int g = 0; g < 3; g++) {
        talus_sim_options opt = talus_sim_options_default();
        opt.dissipation = TALUS_DISSIPATION_LINEAR;
        opt.solver.globalization = g;
        opt.solver.tol = 1e-12;
        opt.solver.max_iter = 200;
        scene s;
        scene_begin(&s, 1);
        scene_add(&s,
                  "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1005' euler='0 10 0'>"
                  "<freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body></worldbody>"
                  "<custom><text name='talus.default' data='k=2e4 d=30 mu=0.4'/></custom></mujoco>");
        scene_start(&s, &opt);
        s.v[0] = 1.0;
        s.v[2] = -0.5;
        for (int i = 0; i < 100; i++)
            assert_int_equal(talus_sim_step(s.sim, s.state, 5e-4, 0, NULL), TALUS_OK);
        memcpy(v[g], s.v, sizeof v[g]);
        scene_end(&s);
    }
    test_near("tals", v[1], v[0], 6, 1e-7, 1.0);
    test_near("newton", v[2], v[0], 6, 1e-7, 1.0);
}

static void rest__carries_the_weight_at_its_depth(void** state)
{
    (void)state;
    // m g = k delta, whatever d
    scene s;
    talus_sim_options opt = talus_sim_options_default();
    opt.dissipation = TALUS_DISSIPATION_LINEAR;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"
                  "<geom type='sphere' size='0.1' mass='1'/></body></worldbody>"
                  "<custom><text name='talus.default' data='k=2e4 d=150'/></custom></mujoco>");
    scene_start(&s, &opt);
    scene_run(&s, 1e-3, 2000);
    test_near("depth", (double[]){0.1 - s.q[2]}, (double[]){SCENE_G / 1e4}, 1, 5e-6,
              SCENE_G / 1e4); // the solver's tolerance is 1e-6
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point__is_a_spring_and_damper),
        cmocka_unit_test(patch__has_its_dissipation_whole),
        cmocka_unit_test(solvers__agree_on_a_sliding_impact),
        cmocka_unit_test(rest__carries_the_weight_at_its_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
