// SPDX-License-Identifier: MIT
// Patches of very many contacts between two bodies: a rigid plate, its underside cut into a grid, on a soft ground.
// It slides, tips over its rim, spins and hits; the solver must not pay for the number of contacts of one pair with
// factorizations. Oracles: the number of faces of the grid, weight at rest, Coulomb's deceleration, energy.
#include "regress/scene.h"

#define SIDE 0.2   // m
#define HIGH 0.04  // m
#define MASS 4.0   // kg
#define E 1e6      // Pa
#define THICK 0.02 // m, of the ground
#define MU 0.4

static int32_t corner_of(int32_t m, int32_t top, int32_t i, int32_t j)
{
    return (top * (m + 1) + j) * (m + 1) + i;
}

// both triangles of a square, seen from outside in the order a b c d
static void add_square(scene* s, int32_t a, int32_t b, int32_t c, int32_t d)
{
    scene_add(s, "%d %d %d %d %d %d ", a, b, c, a, c, d);
}

static void add_plate(scene* s, int32_t m, const char* inertia)
{
    scene_add(s, "<mujoco><asset><mesh name='plate' inertia='%s' vertex='", inertia);
    for (int32_t top = 0; top < 2; top++)
        for (int32_t j = 0; j <= m; j++)
            for (int32_t i = 0; i <= m; i++)
                scene_add(s, "%.17g %.17g %.17g ", SIDE * ((double)i / m - 0.5), SIDE * ((double)j / m - 0.5),
                          HIGH * (top - 0.5));
    scene_add(s, "' face='");
    for (int32_t j = 0; j < m; j++)
        for (int32_t i = 0; i < m; i++) {
            add_square(s, corner_of(m, 0, i, j), corner_of(m, 0, i, j + 1), corner_of(m, 0, i + 1, j + 1),
                       corner_of(m, 0, i + 1, j));
            add_square(s, corner_of(m, 1, i, j), corner_of(m, 1, i + 1, j), corner_of(m, 1, i + 1, j + 1),
                       corner_of(m, 1, i, j + 1));
        }
    for (int32_t i = 0; i < m; i++) {
        add_square(s, corner_of(m, 0, i, 0), corner_of(m, 0, i + 1, 0), corner_of(m, 1, i + 1, 0),
                   corner_of(m, 1, i, 0));
        add_square(s, corner_of(m, 0, i + 1, m), corner_of(m, 0, i, m), corner_of(m, 1, i, m),
                   corner_of(m, 1, i + 1, m));
        add_square(s, corner_of(m, 0, 0, i + 1), corner_of(m, 0, 0, i), corner_of(m, 1, 0, i),
                   corner_of(m, 1, 0, i + 1));
        add_square(s, corner_of(m, 0, m, i), corner_of(m, 0, m, i + 1), corner_of(m, 1, m, i + 1),
                   corner_of(m, 1, m, i));
    }
    scene_add(s, "'/></asset>");
}

static double rest_depth(void)
{
    return MASS * SCENE_G * THICK / (E * SIDE * SIDE);
}

static void start(scene* s, int32_t m, const char* inertia, double height)
{
    scene_begin(s, 1);
    add_plate(s, m, inertia);
    scene_add(s,
              "<worldbody><geom name='ground' type='plane' size='1 1 1'/><body pos='0 0 %.17g'><freejoint/>"
              "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
              "<geom name='plate' type='mesh' mesh='plate'/></body></worldbody><custom>"
              "<text name='talus.default' data='mu=%g d=5'/>"
              "<text name='talus.geom.ground' data='contact=compliant E=%g thickness=%g'/>"
              "<text name='talus.geom.plate' data='contact=rigid'/></custom></mujoco>",
              HIGH / 2 + height, MASS, MASS * (SIDE * SIDE + HIGH * HIGH) / 12,
              MASS * (SIDE * SIDE + HIGH * HIGH) / 12, MASS * SIDE * SIDE / 6, MU, E, THICK);
    scene_start(s, NULL);
}

typedef struct load {
    double factorizations, contacts; // mean over steps with contact
    int32_t most, most_contacts;
} load;

static load watch(scene* s, double h, int32_t steps)
{
    load l = {0};
    int32_t n = 0;
    for (int32_t k = 0; k < steps; k++) {
        scene_run(s, h, 1);
        if (s->info.contacts == 0)
            continue;
        l.factorizations += s->info.solve.factorizations_max;
        l.contacts += s->info.contacts;
        l.most = s->info.solve.factorizations_max > l.most ? s->info.solve.factorizations_max : l.most;
        l.most_contacts = s->info.contacts > l.most_contacts ? s->info.contacts : l.most_contacts;
        n++;
    }
    assert_true(n > 0);
    l.factorizations /= n;
    l.contacts /= n;
    return l;
}

static const int32_t grid[] = {7, 14, 28}; // 98, 392, 1568 faces: 10x10, 20x20, 40x40

static void check(const char* what, const load* l, int32_t m)
{
    print_message("%-8s %5.0f contacts: %.2f factorizations a step, %d at most\n", what, l->contacts,
                  l->factorizations, l->most);
    assert_true(l->factorizations <= 2.0);
    assert_true(l->most_contacts <= 2 * m * m + 16 * m); // underside and, where it digs in, sides
}

static void sliding__decelerates_by_mu_g(void** state)
{
    (void)state;
    for (int32_t g = 0; g < TL_COUNT(grid); g++) {
        scene s;
        start(&s, grid[g], "legacy", -rest_depth());
        s.v[0] = 1.0;
        const load l = watch(&s, 2e-3, 100);
        check("sliding", &l, grid[g]);
        assert_true(l.most_contacts >= 2 * grid[g] * grid[g]);
        const double want = 1.0 - MU * SCENE_G * 0.2;
        test_near("speed", &s.v[0], &want, 1, 5e-3, 1.0);
        scene_run(&s, 2e-3, 150); // at rest it weighs what it weighs
        double f[3];
        const double weight[3] = {0, 0, MASS * SCENE_G};
        scene_contact_force(&s, 1, 0, f);
        test_near("weight", f, weight, 3, 1e-3, MASS * SCENE_G);
        scene_end(&s);
    }
}

static void spinning__stops(void** state)
{
    (void)state;
    // a uniform pressure on a square of side a turns against mu m g a (sqrt 2 + asinh 1) / 6
    const double torque = MU * MASS * SCENE_G * SIDE * (sqrt(2.0) + asinh(1.0)) / 6,
                 inertia = MASS * SIDE * SIDE / 6;
    for (int32_t g = 0; g < TL_COUNT(grid); g++) {
        scene s;
        start(&s, grid[g], "legacy", -rest_depth());
        s.v[5] = 20.0;
        const load l = watch(&s, 2e-3, 100);
        check("spinning", &l, grid[g]);
        const double want = 20.0 - 0.2 * torque / inertia;
        test_near("spin", &s.v[5], &want, 1, 1.0 / grid[g], 1.0);
        scene_end(&s);
    }
}

static void tipping__falls_back_flat(void** state)
{
    (void)state;
    for (int32_t g = 0; g < TL_COUNT(grid); g++) {
        scene s;
        start(&s, grid[g], "legacy", -rest_depth());
        s.v[4] = 3.0;
        s.v[2] = 0.3;
        const load l = watch(&s, 2e-3, 250);
        check("tipping", &l, grid[g]);
        assert_true(fabs(s.q[3]) > 1.0 - 1e-5); // upright or turned about z only by a little
        for (int32_t i = 0; i < 6; i++)
            assert_true(fabs(s.v[i]) < 1e-2);
        scene_end(&s);
    }
}

static void impact__loses_energy_and_comes_to_rest(void** state)
{
    (void)state;
    for (int32_t g = 0; g < TL_COUNT(grid); g++) {
        scene s;
        start(&s, grid[g], "legacy", 1e-3);
        s.v[2] = -1.0;
        s.v[0] = 0.5;
        s.v[4] = 1.0;
        const double before = scene_energy(&s);
        const load l = watch(&s, 1e-3, 300);
        check("impact", &l, grid[g]);
        assert_true(scene_energy(&s) < before);
        scene_end(&s);
    }
}

// how a mesh's mass is found has no say in where it touches
static void hull_inertia__keeps_the_faces_of_the_surface(void** state)
{
    (void)state;
    const int32_t m = grid[0];
    scene s;
    start(&s, m, "convex", -rest_depth());
    scene_run(&s, 2e-3, 1);
    assert_true(s.info.contacts >= 2 * m * m);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding__decelerates_by_mu_g),
        cmocka_unit_test(spinning__stops),
        cmocka_unit_test(tipping__falls_back_flat),
        cmocka_unit_test(impact__loses_energy_and_comes_to_rest),
        cmocka_unit_test(hull_inertia__keeps_the_faces_of_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
