// SPDX-License-Identifier: MIT
// C19: a world in millimetres or kilometres gives the same answer. With lengths scaled by s at the same
// gravity: times sqrt(s), masses s^3, moments s^5, k s^2, d s^-1/2, v_s sqrt(s). Positions / s and velocities
// / sqrt(s) then agree to rounding, with the same iterations in every step: no absolute tolerance hides in a
// stop test or in the geometry.
#include "scene.h"

#define STEPS 400

typedef struct record {
    double q[7], v[6];
    int32_t contacts, iterations;
} record;

static void slab(scene* s, double x)
{
    const double angle = 27.0 * 3.14159265358979323846 / 180.0, k = 2e4, m = x * x * x, I = x * x * m;
    scene_head(s, k * x * x, 5.0 / sqrt(x), 0.5, SCENE_G * sin(angle), 0.0, -SCENE_G * cos(angle));
    scene_add(s,
              "<geom type=\"plane\" size=\"1 1 1\"/>\n"
              "<body pos=\"0 0 %.17g\"><freejoint/>\n"
              "  <inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
              x * (0.05 - SCENE_G * cos(angle) / (4.0 * k)), m, I * 0.17 / 12.0, I * 0.17 / 12.0,
              I * 0.32 / 12.0);
    scene_points(s, 0.2 * x, 0.2 * x, 0.05 * x, 0.01 * x);
    scene_add(s, "</body>\n");
    scene_tail(s);
}

static void cube(scene* s, double x)
{
    scene_head(s, 1e5 * x * x, 5.0 / sqrt(x), 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(s,
              "<geom type=\"plane\" size=\"1 1 1\"/>\n"
              "<body pos=\"0 0 %.17g\"><freejoint/><geom type=\"box\" size=\"%.17g %.17g %.17g\" "
              "mass=\"%.17g\"/></body>\n",
              0.05 * x * (1.0 - 1e-4), 0.05 * x, 0.05 * x, 0.05 * x, x * x * x);
    scene_tail(s);
}

static void sphere(scene* s, double x)
{
    scene_head(s, 1e4 * x * x, 0.1 / sqrt(x), 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(
        s,
        "<geom type=\"plane\" size=\"1 1 1\"/>\n"
        "<body pos=\"0 0 %.17g\"><freejoint/><geom type=\"sphere\" size=\"%.17g\" mass=\"%.17g\"/></body>\n",
        0.12 * x, 0.1 * x, x * x * x);
    scene_tail(s);
}

static void run(void (*write)(scene*, double), const double* v0, double h, double x, record* out)
{
    scene s;
    scene_begin(&s, 1);
    write(&s, x);
    talus_sim_options opt = talus_sim_options_default();
    opt.v_s = 1e-4 * sqrt(x);
    scene_start(&s, &opt);
    for (int32_t i = 0; i < 3; i++)
        s.v[i] = v0[i] * sqrt(x);
    for (int32_t i = 0; i < STEPS; i++) {
        scene_step(&s, h * sqrt(x));
        record* r = out + i;
        for (int32_t k = 0; k < 7; k++)
            r->q[k] = s.q[k] / (k < 3 ? x : 1.0);
        for (int32_t k = 0; k < 6; k++)
            r->v[k] = s.v[k] / (k < 3 ? sqrt(x) : 1.0 / sqrt(x));
        r->contacts = s.info.contacts;
        r->iterations = s.info.solve.iterations;
    }
    scene_end(&s);
}

static void same_in_all_units(void (*write)(scene*, double), const double* v0, double h)
{
    static record one[STEPS], other[STEPS]; // 80 kB
    run(write, v0, h, 1.0, one);
    double speed = hypot(hypot(v0[0], v0[1]), v0[2]), most = 0.0;
    int32_t iterations = 0;
    for (int32_t i = 0; i < STEPS; i++) {
        iterations += one[i].iterations;
        for (int32_t k = 0; k < 3; k++)
            speed = fmax(speed, fabs(one[i].v[k]));
    }
    const double scales[] = {1e-3, 1e3};
    for (int32_t j = 0; j < 2; j++) {
        run(write, v0, h, scales[j], other);
        for (int32_t i = 0; i < STEPS; i++) {
            const record *a = one + i, *b = other + i;
            if (a->contacts != b->contacts || a->iterations != b->iterations)
                fail_msg("scale %g, step %d: %d contacts, %d iterations, expected %d, %d", scales[j], i,
                         b->contacts, b->iterations, a->contacts, a->iterations);
            test_near("q", b->q, a->q, 7, 1e-9, 1.0);
            test_near("v", b->v, a->v, 6, 1e-9, speed);
            for (int32_t k = 0; k < 6; k++)
                most = fmax(most, fabs(b->v[k] - a->v[k]) / speed);
        }
    }
    print_message("%d iterations, velocities differ by %.2g of %.3g m/s\n", iterations, most, speed);
}

static void units__slab_on_slope(void** state)
{
    (void)state;
    same_in_all_units(slab, (double[3]){0.0, 0.0, 0.0}, 1e-3);
}

static void units__sliding_cube(void** state)
{
    (void)state;
    same_in_all_units(cube, (double[3]){6.0, 0.0, 0.0}, 5e-3); // at rest after 1.22 of 2 s
}

static void units__bouncing_sphere(void** state)
{
    (void)state;
    same_in_all_units(sphere, (double[3]){0.3, 0.0, -1.0}, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units__slab_on_slope),
        cmocka_unit_test(units__sliding_cube),
        cmocka_unit_test(units__bouncing_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
