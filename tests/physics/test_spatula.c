// SPDX-License-Identifier: MIT
// Slip control of a spatula between two soft fingers (Masterjohn et al. 2022, Sec. V-B): held at 16 N it stays, at
// 1 N it turns under its own weight about the line through the two patches.
//
// pitch is atan2(y_z, y_x) of the spatula's y axis; the references are two of Drake's solvers (TAMSI and lagged at
// 1 ms on the same meshes), and the tolerance is their spread over solvers, step lengths and tessellations.
#define _DEFAULT_SOURCE
#include "regress/scene.h"
#include "sim.h"

static const char scene_text[] =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<body name='left' pos='0.072499977 0 0.249942266' quat='0.707388269 0 -0.706825181 0'>"
    "<joint name='left' type='slide' axis='0 1 0' range='-0.055 0' limited='true'/>"
    "<inertial pos='0 0 0' mass='0.1' diaginertia='0.32 0.32 0.32'/>"
    "<geom name='left' type='ellipsoid' size='0.04165 0.04165 0.0625' pos='0 -0.041665 -0.1095'/></body>"
    "<body name='right' pos='0.072499977 0 0.249942266' quat='0.707388269 0 -0.706825181 0'>"
    "<joint name='right' type='slide' axis='0 1 0' range='0 0.055' limited='true'/>"
    "<inertial pos='0 0 0' mass='0.1' diaginertia='0.32 0.32 0.32'/>"
    "<geom name='right' type='ellipsoid' size='0.04165 0.04165 0.0625' pos='0 0.041665 -0.1095'/></body>"
    "<body name='spatula' pos='0.35 0 0.25' quat='0.6932876 -0.140536354 -0.140424486 "
    "0.692735736'><freejoint/>"
    "<inertial pos='0 0.115649 0.044471' mass='0.068' "
    "fullinertia='0.210954032749 0.037108032887 0.188582652377 -4.2645e-08 0 -0.069821697386'/>"
    "<geom name='handle' type='cylinder' size='0.015 0.055' pos='0 0.135 0.052' "
    "quat='0.540302306 0.841470985 0 0'/></body></worldbody><custom>"
    "<text name='talus.default' data='d=5 mu=1 contact=compliant E=1e5 hint=0.04'/>"
    "<text name='talus.geom.handle' data='E=1e8 hint=0.005'/></custom></mujoco>";

typedef struct outcome {
    double faces, boxes, geometry, solver; // means over the steps; s
    int32_t factorizations, steps;
} outcome;

static double pitch_of(const double* q)
{
    // second column of the rotation
    return atan2(2 * (q[2] * q[3] + q[0] * q[1]), 2 * (q[1] * q[2] - q[0] * q[3]));
}

static outcome hold(int32_t triangles, double end, const double* times, const double* want, int32_t n)
{
    talus_sim_options o = talus_sim_options_default();
    o.patch = triangles;
    outcome out = {0};
    scene s;
    scene_begin(&s, 1);
    scene_add(&s, "%s", scene_text);
    scene_start(&s, &o);
    s.q[0] = -0.01;
    s.q[1] = 0.01;
    const double h = 5e-3;
    int32_t next = 0;
    for (int32_t k = 0; k < (int32_t)(end / h + 0.5); k++) {
        const double t = k * h, u = 1.0 + (fmod(t + 1e-9, 6.0) < 4.5 ? 15.0 : 0.0);
        s.force[0] = u;
        s.force[1] = -u;
        scene_run(&s, h, 1);
        out.faces += s.info.faces;
        out.boxes += (double)s.info.boxes;
        out.factorizations += s.info.solve.factorizations_max;
        out.geometry += s.info.phase[TALUS_PHASE_GEOMETRY];
        out.solver += s.info.phase[TALUS_PHASE_SYMBOLIC] + s.info.phase[TALUS_PHASE_FACTOR] +
                      s.info.phase[TALUS_PHASE_SOLVE] + s.info.phase[TALUS_PHASE_LIMIT];
        out.steps++;
        if (next < n && fabs((k + 1) * h - times[next]) < 1e-6) {
            const double got = pitch_of(s.q + 5);
            print_message("t = %4.1f s: pitch %.5f, %.5f expected\n", times[next], got, want[next]);
            test_near("pitch", &got, &want[next], 1, times[next] <= 6.0 ? 0.01 : 0.02, 1.0);
            next++;
        }
    }
    assert_int_equal(next, n);
    out.faces /= out.steps;
    out.boxes /= out.steps;
    scene_end(&s);
    return out;
}

static void spatula__turns_when_the_grip_is_loose(void** state)
{
    (void)state;
    const double times[] = {1.2, 3.0, 4.2, 4.8, 5.4, 6.0, 7.2, 9.0, 10.2, 10.8, 11.4, 12.0};
    const double tamsi[] = {-2.74219, -2.74276, -2.74310, -2.74870, -2.78648, -2.86056,
                            -2.87860, -2.87920, -2.87958, -2.88559, -2.92620, -3.00477};
    hold(0, 12.0, times, tamsi, TL_COUNT(times));
}

static void fan__has_four_times_the_faces(void** state)
{
    (void)state;
    const double times[] = {3.0, 6.0}, tamsi[] = {-2.74276, -2.86056};
    const outcome polygon = hold(0, 6.0, times, tamsi, 2), fan = hold(1, 6.0, times, tamsi, 2);
    print_message("%.1f boxes compared a step; faces %.1f and %.1f: ratio %.2f (Drake 3.85); time of the "
                  "solver %.2f (the paper 4.09), of geometry "
                  "%.2f (1.10); factorizations a step %.2f and %.2f\n",
                  polygon.boxes, polygon.faces, fan.faces, fan.faces / polygon.faces,
                  fan.solver / polygon.solver, fan.geometry / polygon.geometry,
                  polygon.factorizations / (double)polygon.steps, fan.factorizations / (double)fan.steps);
    const double ratio = fan.faces / polygon.faces, want = 3.85;
    test_near("ratio of faces", &ratio, &want, 1, 0.2, 1.0);
    assert_true(polygon.factorizations <= 2 * polygon.steps);
    assert_true(fan.factorizations <= 2 * fan.steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spatula__turns_when_the_grip_is_loose),
        cmocka_unit_test(fan__has_four_times_the_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
