// SPDX-License-Identifier: MIT
// tet_clip, tet_fan, their sections and clip_meet: all instruction sets in every bit; no pair with a face is dropped
// beforehand; areas, centroids and pressures in closed form; fans add up to the faces. Against clipping corner by corner:
// tests/patch/test_patch.c.
#define _DEFAULT_SOURCE
#include "kernel_inputs.h"

// results in the axes of A
static const tl_clip_axes same = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

#define NE 61
#define N 2003 // not a multiple of the lanes
#define LD (N + 5)

typedef struct elements {
    tl_clip_element a[NE], b[NE], tri[NE];
    int32_t pair[2 * N];
    uint8_t may[N + 1], state[N + 1], side[N + 1];
    double row[TL_FAN_ALL * LD];
} elements;

static void plane_of(const double* a, const double* b, const double* c, const double* inside, double* plane)
{
    double u[3], v[3], l = 0.0, h = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        plane[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        l += plane[k] * plane[k];
        h += plane[k] * (inside[k] - a[k]);
    }
    plane[3] = 0.0;
    for (int k = 0; k < 3; k++) {
        plane[k] /= h < 0.0 ? -sqrt(l) : sqrt(l);
        plane[3] -= plane[k] * a[k];
    }
}

// planes from corners; the orientation is made positive
static void finish_tet(tl_clip_element* t)
{
    static const int side[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double u[3][3], det = 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            u[i][k] = t->x[i + 1][k] - t->x[0][k];
    for (int k = 0; k < 3; k++)
        det += u[0][k] * (u[1][(k + 1) % 3] * u[2][(k + 2) % 3] - u[1][(k + 2) % 3] * u[2][(k + 1) % 3]);
    for (int k = 0; k < 3 && det < 0.0; k++) {
        const double x = t->x[1][k];
        t->x[1][k] = t->x[2][k];
        t->x[2][k] = x;
    }
    for (int k = 0; k < 4; k++)
        plane_of(t->x[side[k][0]], t->x[side[k][1]], t->x[side[k][2]], t->x[k], t->plane[k]);
}

static void finish_triangle(tl_clip_element* t)
{
    double above[3], edge_top[3];
    for (int k = 0; k < 3; k++)
        above[k] = t->x[0][k] + 1e3 * (k + 1);
    plane_of(t->x[0], t->x[1], t->x[2], above, t->grad);
    // right-handed about its corners, whichever side `above` is on
    double u[3], v[3], s = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = t->x[1][k] - t->x[0][k];
        v[k] = t->x[2][k] - t->x[0][k];
    }
    for (int k = 0; k < 3; k++)
        s += t->grad[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        t->grad[k] = s < 0.0 ? -t->grad[k] : t->grad[k];
    t->grad[3] = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            edge_top[k] = t->x[i][k] + t->grad[k];
        plane_of(t->x[i], t->x[(i + 1) % 3], edge_top, t->x[(i + 2) % 3], t->plane[i]);
    }
}

// a pressure that is 0 at one corner and nowhere negative, as those of fields are
static void lift_pressure(tl_clip_element* t)
{
    double least = INFINITY;
    for (int i = 0; i < 4; i++)
        least = fmin(least, t->grad[0] * t->x[i][0] + t->grad[1] * t->x[i][1] + t->grad[2] * t->x[i][2]);
    t->grad[3] = -least;
}

static elements* make_elements(void)
{
    static elements w;
    memset(&w, 0, sizeof w);
    tl_rng rng;
    tl_rng_seed(&rng, 11);
    for (int i = 0; i < NE; i++) {
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++) {
                w.a[i].x[c][k] = tl_rng_uniform(&rng, -1, 1);
                w.b[i].x[c][k] = tl_rng_uniform(&rng, -1, 1);
                w.tri[i].x[c][k] = c < 3 ? tl_rng_uniform(&rng, -1, 1) : 0.0;
            }
        for (int k = 0; k < 4; k++) {
            w.a[i].grad[k] = tl_rng_uniform(&rng, -1, 1);
            w.b[i].grad[k] = tl_rng_uniform(&rng, -1, 1);
        }
        finish_tet(&w.a[i]);
        finish_tet(&w.b[i]);
        finish_triangle(&w.tri[i]);
        lift_pressure(&w.a[i]);
        lift_pressure(&w.b[i]);
        if (i % 5 == 0) // pressure 0 on a side
            for (int k = 0; k < 4; k++) {
                w.a[i].grad[k] = 2.0 * w.a[i].plane[1][k];
                w.b[i].grad[k] = 3.0 * w.b[i].plane[2][k];
                w.a[i].base[k] = k == 1;
                w.b[i].base[k] = k == 2;
            }
    }
    for (int i = 0; i < 2 * N; i++)
        w.pair[i] = (int32_t)tl_rng_uniform(&rng, 0, NE);
    return &w;
}

static tl_clip_placed placed(const elements* e, int triangles)
{
    const double c = 0.8, s = 0.6, C = 5.0 / 13, S = 12.0 / 13;
    const double R[9] = {c, -s, 0, C * s, C * c, -S, S * s, S * c, C};
    tl_clip_placed w = {.a = triangles == 1 ? e->tri : e->a,
                        .b = triangles == 2 ? e->tri : e->b,
                        .world = &same,
                        .triangles = triangles,
                        .t = {0.1, -0.05, 0.2},
                        .tolerance = 1e-9,
                        .near = 1e-12,
                        .turned = -0.38,
                        .across = 1e-10};
    memcpy(w.R, R, sizeof R);
    return w;
}

static tl_section_placed section_placed(const elements* e, int second)
{
    return (tl_section_placed){.e = e->a,
                               .world = &same,
                               .plane = {0.48, -0.6, 0.64, 0.1},
                               .tolerance = 1e-9,
                               .near = 1e-12,
                               .turned = -0.38,
                               .across = 1e-10,
                               .second = second};
}

static void wide__equals_ref_in_every_bit(void** state)
{
    (void)state;
    elements* e = make_elements();
    static elements got;
    for (int triangles = 0; triangles < 3; triangles++) {
        const tl_clip_placed w = placed(e, triangles);
        int seen[3] = {0};
        tl_clip_meet_ref(N, e->pair, &w, e->may);
        tl_tet_clip_ref(N, e->pair, &w, e->state, LD, e->row);
        for (int i = 0; i < N; i++)
            seen[e->state[i]]++;
        assert_true(seen[TL_CLIP_NONE] > 100 && seen[TL_CLIP_FACE] > 100);
        for (int j = 0; j < TL_COUNT(all_isas); j++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
            for (int32_t n = N; set && n > 0; n = n == N ? 11 : n - 1) {
                got.may[n] = got.state[n] = 9;
                set->clip_meet(n, e->pair, &w, got.may);
                set->tet_clip(n, e->pair, &w, got.state, LD, got.row);
                assert_memory_equal(got.may, e->may, (size_t)n);
                assert_memory_equal(got.state, e->state, (size_t)n);
                assert_true(got.may[n] == 9 && got.state[n] == 9);
                for (int i = 0; i < n; i++)
                    for (int r = 0; r < TL_CLIP_ROWS && e->state[i] == TL_CLIP_FACE; r++)
                        assert_memory_equal(&got.row[r * LD + i], &e->row[r * LD + i], sizeof(double));
            }
        }
    }
}

static void assert_same_fans(const elements* got, const elements* want, int32_t n)
{
    assert_memory_equal(got->state, want->state, (size_t)n);
    for (int i = 0; i < n; i++) {
        if (want->state[i] != TL_CLIP_FACE && want->state[i] != TL_CLIP_RIM)
            continue;
        assert_int_equal(got->side[i], want->side[i]);
        for (int r = 0; r < TL_FAN_ALL; r++)
            if (r < TL_CLIP_ROWS || (want->side[i] >> (r - TL_CLIP_ROWS) / TL_FAN_ROWS & 1))
                assert_memory_equal(&got->row[r * LD + i], &want->row[r * LD + i], sizeof(double));
    }
}

static void fan__equals_ref_in_every_bit(void** state)
{
    (void)state;
    elements* e = make_elements();
    static elements got;
    for (int triangles = 0; triangles < 3; triangles++) {
        const tl_clip_placed w = placed(e, triangles);
        tl_tet_fan_ref(N, e->pair, &w, e->state, e->side, LD, e->row);
        for (int j = 0; j < TL_COUNT(all_isas); j++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
            for (int32_t n = N; set && n > 0; n = n == N ? 11 : n - 1) {
                got.state[n] = got.side[n] = 9;
                set->tet_fan(n, e->pair, &w, got.state, got.side, LD, got.row);
                assert_true(got.state[n] == 9 && got.side[n] == 9);
                assert_same_fans(&got, e, n);
            }
        }
    }
    for (int second = 0; second < 2; second++) {
        const tl_section_placed w = section_placed(e, second);
        tl_section_fan_ref(NE, e->pair, &w, e->state, e->side, LD, e->row);
        for (int j = 0; j < TL_COUNT(all_isas); j++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
            for (int32_t n = NE; set && n > 0; n = n == NE ? 11 : n - 1) {
                got.state[n] = got.side[n] = 9;
                set->section_fan(n, e->pair, &w, got.state, got.side, LD, got.row);
                assert_true(got.state[n] == 9 && got.side[n] == 9);
                assert_same_fans(&got, e, n);
            }
        }
    }
}

// area, first moment and pressure of a face are the sums over its triangles; none points the wrong way
static void check_sums(const elements* e, const elements* whole, int32_t n, int* seen)
{
    for (int i = 0; i < n; i++) {
        assert_int_equal(e->state[i] == TL_CLIP_RIM ? TL_CLIP_FACE : e->state[i], whole->state[i]);
        if (whole->state[i] != TL_CLIP_FACE)
            continue;
        double sum[5] = {0}, want[5];
        int count = 0;
        for (int f = 0; f < TL_FAN_SIDES; f++) {
            if (!(e->side[i] >> f & 1))
                continue;
            const double* t = e->row + (TL_CLIP_ROWS + f * TL_FAN_ROWS) * LD + i;
            count++;
            assert_true(t[0] >= 0.0);
            sum[0] += t[0];
            for (int k = 1; k < 5; k++)
                sum[k] += t[0] * t[k * LD];
        }
        assert_true(count >= 3 && count <= 8);
        seen[count]++;
        for (int r = 0; r < TL_CLIP_ROWS; r++)
            assert_memory_equal(&e->row[r * LD + i], &whole->row[r * LD + i], sizeof(double));
        const double* r = whole->row + i;
        want[0] = r[0];
        for (int k = 0; k < 3; k++)
            want[1 + k] = r[0] * r[(TL_CLIP_CENTROID + k) * LD];
        want[4] = r[0] * r[TL_CLIP_PRESSURE * LD];
        for (int k = 0; k < 5; k++)
            assert_true(fabs(sum[k] - want[k]) < 1e-13);
    }
}

static void fan__adds_up_to_the_face(void** state)
{
    (void)state;
    elements* e = make_elements();
    static elements whole;
    for (int triangles = 0; triangles < 3; triangles++) {
        const tl_clip_placed w = placed(e, triangles);
        int seen[9] = {0};
        tl_tet_clip_ref(N, e->pair, &w, whole.state, LD, whole.row);
        tl_tet_fan_ref(N, e->pair, &w, e->state, e->side, LD, e->row);
        check_sums(e, &whole, N, seen);
        assert_true(seen[3] > 20 && seen[4] > 20 && seen[5] > 20 && seen[6] > 5);
    }
    for (int second = 0; second < 2; second++) {
        const tl_section_placed w = section_placed(e, second);
        int seen[9] = {0};
        tl_tet_section_ref(NE, e->pair, &w, whole.state, LD, whole.row);
        tl_section_fan_ref(NE, e->pair, &w, e->state, e->side, LD, e->row);
        check_sums(e, &whole, NE, seen);
        assert_true(seen[3] > 5 && seen[4] > 5);
    }
}

static void section__equals_ref_in_every_bit(void** state)
{
    (void)state;
    elements* e = make_elements();
    static elements got;
    for (int second = 0; second < 2; second++) {
        const tl_section_placed w = section_placed(e, second);
        int seen[3] = {0};
        tl_tet_section_ref(NE, e->pair, &w, e->state, LD, e->row);
        for (int i = 0; i < NE; i++)
            seen[e->state[i]]++;
        assert_true(seen[TL_CLIP_NONE] > 5 && seen[TL_CLIP_FACE] > 20);
        for (int j = 0; j < TL_COUNT(all_isas); j++) {
            const tl_kernels* set = tl_kernels_by_name(all_isas[j]);
            for (int32_t n = NE; set && n > 0; n = n == NE ? 11 : n - 1) {
                got.state[n] = 9;
                set->tet_section(n, e->pair, &w, got.state, LD, got.row);
                assert_memory_equal(got.state, e->state, (size_t)n);
                assert_int_equal(got.state[n], 9);
                for (int i = 0; i < n; i++)
                    for (int r = 0; r < TL_CLIP_ROWS && e->state[i] == TL_CLIP_FACE; r++)
                        assert_memory_equal(&got.row[r * LD + i], &e->row[r * LD + i], sizeof(double));
            }
        }
    }
}

// the tetrahedron of below, at height z = 1/4
static void section__has_closed_form(void** state)
{
    (void)state;
    tl_clip_element tet = {.x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .grad = {0, 0, 1, 2}};
    finish_tet(&tet);
    for (int second = 0; second < 2; second++) {
        const tl_section_placed w = {.e = &tet,
                                     .world = &same,
                                     .plane = {0, 0, 1, -0.25},
                                     .tolerance = 1e-9,
                                     .near = 1e-12,
                                     .turned = -0.38,
                                     .across = 1e-10,
                                     .second = second};
        const int32_t at = 0;
        uint8_t found = 0;
        double row[TL_CLIP_ROWS];
        tl_tet_section_ref(1, &at, &w, &found, 1, row);
        assert_int_equal(found, TL_CLIP_FACE);
        const double want[TL_CLIP_ROWS] = {
            9.0 / 32, 0.25, 0.25, 0.25, 0, 0, second ? -1 : 1, second ? INFINITY : 1, second ? 1 : INFINITY,
            2.25};
        for (int r = 0; r < TL_CLIP_ROWS; r++)
            assert_true(isinf(want[r]) ? isinf(row[r]) : fabs(row[r] - want[r]) < 1e-14);
    }
}

static void meet__drops_no_face(void** state)
{
    (void)state;
    elements* e = make_elements();
    for (int triangles = 0; triangles < 3; triangles++) {
        const tl_clip_placed w = placed(e, triangles);
        int dropped = 0;
        tl_clip_meet_ref(N, e->pair, &w, e->may);
        tl_tet_clip_ref(N, e->pair, &w, e->state, LD, e->row);
        for (int i = 0; i < N; i++) {
            assert_true(e->may[i] || e->state[i] == TL_CLIP_NONE);
            dropped += !e->may[i];
        }
        assert_true(dropped > 100);
    }
}

// the tetrahedron x, y, z >= 0, x + y + z <= 1, pressure z + 2, at height z = 1/4 (a large triangle facing down or
// one with legs of 1/4); a corner tetrahedron against its mirror image in z = 1/4
static void faces__have_closed_forms(void** state)
{
    (void)state;
    tl_clip_element tet = {.x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .grad = {0, 0, 1, 2}},
                    mirror = {.x = {{0, 0, .5}, {0, 1, .5}, {1, 0, .5}, {0, 0, -.5}},
                              .grad = {0, 0, -1, 2.5}},
                    large = {.x = {{-9, -8, .25}, {9, -8, .25}, {1, 20, .25}}},
                    small = {.x = {{.1, .1, .25}, {.35, .1, .25}, {.1, .35, .25}}};
    finish_tet(&tet);
    finish_tet(&mirror);
    finish_triangle(&large);
    finish_triangle(&small);
    const struct {
        const tl_clip_element *a, *b;
        int triangles;
        double area, centre, nz, ga, gb;
    } cases[] = {{&large, &tet, 1, 9.0 / 32, 0.25, -1, INFINITY, 1},
                 {&tet, &large, 2, 9.0 / 32, 0.25, 1, 1, INFINITY},
                 {&tet, &small, 2, 1.0 / 32, 0.1 + 0.25 / 3, 1, 1, INFINITY},
                 {&tet, &mirror, 0, 9.0 / 32, 0.25, 1, 1, 1}};
    for (int j = 0; j < TL_COUNT(cases); j++) {
        const tl_clip_placed w = {.a = cases[j].a,
                                  .b = cases[j].b,
                                  .world = &same,
                                  .triangles = cases[j].triangles,
                                  .R = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  .tolerance = 1e-9,
                                  .near = 1e-12,
                                  .turned = -0.38,
                                  .across = 1e-10};
        const int32_t pair[2] = {0, 0};
        uint8_t may = 0, found = 0;
        double row[TL_CLIP_ROWS];
        tl_clip_meet_ref(1, pair, &w, &may);
        tl_tet_clip_ref(1, pair, &w, &found, 1, row);
        assert_true(may);
        if (j == 3) { // both sections are the same triangle: not decided here
            assert_int_equal(found, TL_CLIP_DOUBTFUL);
            continue;
        }
        assert_int_equal(found, TL_CLIP_FACE);
        const double want[TL_CLIP_ROWS] = {cases[j].area, cases[j].centre, cases[j].centre, 0.25, 0, 0,
                                           cases[j].nz,   cases[j].ga,     cases[j].gb,     2.25};
        for (int r = 0; r < TL_CLIP_ROWS; r++)
            assert_true(isinf(want[r]) ? isinf(row[r]) : fabs(row[r] - want[r]) < 1e-14);
    }
}

// the section of above as a fan of three: each has the height z = 1/4, the side's ends and (1/4, 1/4) as corners
static void fan__has_closed_form(void** state)
{
    (void)state;
    tl_clip_element tet = {.x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .grad = {0, 0, 1, 2}};
    finish_tet(&tet);
    // a turn of 90 degrees about z, then a step
    const tl_clip_axes world = {.R = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .p = {10, 20, 30}};
    const tl_section_placed w = {.e = &tet,
                                 .world = &world,
                                 .plane = {0, 0, 1, -0.25},
                                 .tolerance = 1e-9,
                                 .near = 1e-12,
                                 .turned = -0.38,
                                 .across = 1e-10};
    const int32_t at = 0;
    uint8_t found = 0, side = 0;
    double row[TL_FAN_ALL];
    tl_section_fan_ref(1, &at, &w, &found, &side, 1, row);
    assert_int_equal(found, TL_CLIP_FACE);
    assert_int_equal(side, 7); // corner 3 alone is above: not on the side opposite it
    // x + y + z = 1, then x = 0, y = 0
    const double centre[3][2] = {{1.0 / 3, 1.0 / 3}, {1.0 / 12, 1.0 / 3}, {1.0 / 3, 1.0 / 12}};
    for (int f = 0; f < 3; f++) {
        const double* t = row + TL_CLIP_ROWS + f * TL_FAN_ROWS;
        const double want[TL_FAN_ROWS] = {3.0 / 32, 10 - centre[f][1], 20 + centre[f][0], 30.25, 2.25};
        for (int k = 0; k < TL_FAN_ROWS; k++)
            assert_true(fabs(t[k] - want[k]) < 1e-14 * fmax(1.0, want[k]));
    }
}

// pressures z and 0.3 x - z, both 0 on the line x = z = 0, where their plane z = 0.15 x leaves both tetrahedra
static void fan__tells_where_both_pressures_are_zero(void** state)
{
    (void)state;
    tl_clip_element a = {.x = {{-3, -3, 0}, {3, -3, 0}, {0.4, 3, 0}, {0.2, 0.1, 1}},
                         .grad = {0, 0, 1, 0},
                         .base = {0, 0, 0, 1}},
                    b = {.x = {{-3, -2, -0.9}, {3, -2, 0.9}, {-0.3, 4, -0.09}, {0.5, 0, -2}},
                         .grad = {0.3, 0, -1, 0},
                         .base = {0, 0, 0, 1}};
    finish_tet(&a);
    finish_tet(&b);
    const tl_clip_placed w = {.a = &a,
                              .b = &b,
                              .world = &same,
                              .R = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                              .tolerance = 1e-9,
                              .near = 1e-12,
                              .turned = -0.38,
                              .across = 1e-10};
    const int32_t pair[2] = {0, 0};
    uint8_t found = 0, side = 0;
    double row[TL_FAN_ALL];
    tl_tet_clip_ref(1, pair, &w, &found, 1, row);
    assert_int_equal(found, TL_CLIP_FACE);
    tl_tet_fan_ref(1, pair, &w, &found, &side, 1, row);
    assert_int_equal(found, TL_CLIP_RIM);
    assert_int_equal(side & 0x88, 0x08); // the line is A's side, once
    b.base[3] = 0.0;
    tl_tet_fan_ref(1, pair, &w, &found, &side, 1, row);
    assert_int_not_equal(found, TL_CLIP_RIM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide__equals_ref_in_every_bit),
        cmocka_unit_test(section__equals_ref_in_every_bit),
        cmocka_unit_test(section__has_closed_form),
        cmocka_unit_test(meet__drops_no_face),
        cmocka_unit_test(faces__have_closed_forms),
        cmocka_unit_test(fan__equals_ref_in_every_bit),
        cmocka_unit_test(fan__adds_up_to_the_face),
        cmocka_unit_test(fan__has_closed_form),
        cmocka_unit_test(fan__tells_where_both_pressures_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
