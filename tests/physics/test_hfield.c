// SPDX-License-Identifier: MIT
// Motion on height fields against closed forms: a ball that slides without friction in a parabolic bowl swings like
// a pendulum and keeps its energy; a box slides down a plane slope given as a field with g (sin a - mu cos a).
#include "../regress/scene.h"

#include "geometry.h"

static double parabola(double x, double y, double curvature)
{
    return 0.5 * curvature * (x * x + y * y);
}

static void field(scene* s, int32_t n, double half, double top, double (*z)(double, double, double),
                  double parameter)
{
    scene_add(s,
              "</worldbody><asset><hfield name=\"h\" nrow=\"%d\" ncol=\"%d\" size=\"%.17g %.17g %.17g 1\" "
              "elevation=\"",
              n, n, half, half, top);
    for (int32_t r = n - 1; r >= 0; r--) // the first row is at +y
        for (int32_t c = 0; c < n; c++)
            scene_add(s, "%.17g ",
                      z(2 * half * c / (n - 1) - half, 2 * half * r / (n - 1) - half, parameter));
    scene_add(s, "\"/></asset><worldbody>\n<geom type=\"hfield\" hfield=\"h\"/>\n");
}

// The centre of a ball in z = x^2 / (2 R) moves on a curve of curvature 1 / (R - r) at the bottom: T = 2 pi
// sqrt((R - r) / g) for small swings, with relative corrections of the order (x0 / R)^2. A grid of step a makes kinks of
// angle a / R, at each of which a perfectly inelastic ball would lose (a / R)^2 / 4 of its motion across it.
static void ball__swings_in_a_bowl(void** state)
{
    (void)state;
    const double R = 1.0, r = 0.1, x0 = 0.05, half = 0.4, top = 0.5 * 2 * half * half / R;
    const int32_t sizes[] = {81, 161};
    double lost[2];
    for (int32_t k = 0; k < 2; k++) {
        scene s;
        scene_begin(&s, 1);
        scene_head(&s, 1e5, 1.0, 0.0, 0.0, 0.0, -SCENE_G);
        field(&s, sizes[k], half, top, parabola, 1.0 / R);
        scene_add(
            &s,
            "<body name=\"ball\" pos=\"%.17g 0.0013 %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" "
            "diaginertia=\"0.004 0.004 0.004\"/><geom size=\"%g\"/></body>\n",
            x0, r + 0.5 * x0 * x0 / (R - r) - SCENE_G / 1e5, r);
        scene_tail(&s);
        scene_start(&s, NULL);
        const double h = 5e-4, T = 2 * 3.14159265358979323846 * sqrt((R - r) / SCENE_G),
                     E0 = scene_energy(&s);
        double crossings[8], before = s.q[0], lowest = INFINITY;
        int32_t n = 0;
        for (int32_t i = 0; n < 8 && i < 40000; i++) {
            scene_step(&s, h);
            if (before * s.q[0] < 0.0)
                crossings[n++] = h * (i + before / (before - s.q[0]));
            before = s.q[0];
            lowest = fmin(lowest, s.q[2]);
        }
        assert_int_equal(n, 8);
        const double swing = SCENE_G * 0.5 * x0 * x0 / (R - r); // energy of the swing per kg
        lost[k] = (E0 - scene_energy(&s)) / swing;
        test_near1("period", 2 * (crossings[7] - crossings[0]) / 7, T, k ? 5e-4 : 4e-3);
        print_message("%d x %d: period %.6f s, pendulum %.6f s; %.2f %% of the energy lost in 4 periods\n",
                      sizes[k], sizes[k], 2 * (crossings[7] - crossings[0]) / 7, T, 100 * lost[k]);
        scene_end(&s);
    }
    assert_true(lost[0] > 0 && lost[0] < 0.02 && lost[1] > 0 && lost[1] < 0.5 * lost[0]);
}

static double slope(double x, double y, double tangent)
{
    (void)y;
    return tangent * x;
}

static void box__slides_down_a_slope(void** state)
{
    (void)state;
    const double degrees[] = {20, 35}, mu = 0.2, pi = 3.14159265358979323846;
    for (int32_t k = 0; k < 2; k++) {
        const double a = degrees[k] * pi / 180, half = 4.0, hz = 0.1;
        scene s;
        scene_begin(&s, 1);
        scene_head(&s, 1e5, 1.0, mu, 0.0, 0.0, -SCENE_G);
        field(&s, 61, half, 2 * half * tan(a), slope, tan(a));
        // heights begin at 0 at x = -half; the box lies on the slope above x = 1, pressed in by its weight over 4 points
        const double out = hz - SCENE_G * cos(a) / 4e5, x = 1.0;
        scene_add(
            &s,
            "<body name=\"box\" pos=\"%.17g 0.013 %.17g\" euler=\"0 %.17g 0\"><freejoint/><geom type=\"box\" "
            "size=\"0.3 0.2 0.1\" mass=\"1\"/></body>\n",
            x - out * sin(a), (x + half) * tan(a) + out * cos(a), -a);
        scene_tail(&s);
        scene_start(&s, NULL);
        const double h = 1e-3, want = SCENE_G * (sin(a) - mu * cos(a));
        scene_run(&s, h, 500);
        const double v0 = -(s.v[0] * cos(a) + s.v[2] * sin(a));
        for (int32_t i = 0; i < 300; i++) {
            scene_step(&s, h);
            assert_int_equal(s.info.contacts, 4);
            const double across = -s.v[0] * sin(a) + s.v[2] * cos(a);
            test_near("velocity across the slope", &across, &(double){0.0}, 1, 1e-5, 1.0);
        }
        const double got = (-(s.v[0] * cos(a) + s.v[2] * sin(a)) - v0) / 0.3;
        print_message("%g degrees: %.6f m/s2, closed form %.6f\n", degrees[k], got, want);
        test_near1("acceleration", got, want, 1e-5);
        test_near("spin", s.v + 3, (double[]){0, 0, 0}, 3, 1e-5, 1.0);
        scene_end(&s);
    }
}

// a compliant box on a flat field as rigid surface: m g = (E/H) t (L - 2t)^2, as on a rigid plane
static void compliant_box__rests_on_a_rigid_field(void** state)
{
    (void)state;
    const double E = 1e6, H = 0.05, L = 0.2, weight = 4 * SCENE_G;
    double want = weight * H / (E * L * L);
    for (int k = 0; k < 50; k++)
        want = weight * H / (E * (L - 2 * want) * (L - 2 * want));
    scene s;
    scene_begin(&s, 1);
    scene_add(&s, "<mujoco><asset><hfield name='h' nrow='12' ncol='9' size='1 1 1 1'/></asset><worldbody>"
                  "<geom name='floor' type='hfield' hfield='h'/><body pos='0.03 0.01 0.0499'><freejoint/>"
                  "<geom name='box' type='box' size='0.1 0.1 0.05' mass='4'/></body></worldbody>"
                  "<custom><text name='talus.geom.floor' data='contact=rigid'/>"
                  "<text name='talus.geom.box' data='contact=compliant E=1e6 d=5'/></custom></mujoco>");
    scene_start(&s, NULL);
    scene_run(&s, 2e-3, 1000);
    double carried[3];
    scene_contact_force(&s, 0, -1, carried);
    test_near1("depth", 0.05 - s.q[2], want, 1e-6);
    test_near("force", carried, (double[]){0, 0, -weight}, 3, 1e-6, weight);
    assert_int_equal(s.info.patches, 1);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball__swings_in_a_bowl),
        cmocka_unit_test(box__slides_down_a_slope),
        cmocka_unit_test(compliant_box__rests_on_a_rigid_field),
    };
    return cmocka_run_group_tests_name("hfield", tests, NULL, NULL);
}
