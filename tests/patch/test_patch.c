// SPDX-License-Identifier: MIT
// Contact patches of primitives: closed forms, order in the grid, symmetry, and faces against all pairs of
// elements one by one.
//
// The pressure of a sphere is E (1 - r/R), that of a box E min(1, depth/H):
//   sphere in a plane   F = 2 pi E [a^2/2 - (R^3 - z^3)/(3R)],  a^2 = R^2 - z^2, z = R - depth
//   box in a plane      F = (E/H) (A t - P t^2/2 + 4 t^3/3), A area and P perimeter of the face
#include "field_builder.h"
#include "polygon.h"

static double sphere_force(double R, double E, double depth)
{
    const double z = R - depth;
    return 2.0 * M_PI * E * ((R * R - z * z) / 2.0 - (R * R * R - z * z * z) / (3.0 * R));
}

static double sphere_on_plane(talus_context* ctx, double R, double E, double hint, double depth)
{
    tl_field* a = field_of(ctx, TL_SHAPE_SPHERE, (double[]){R, 0, 0}, TL_FIELD_COMPLIANT, E, hint);
    tl_field* b = field_of(ctx, TL_SHAPE_PLANE, NULL, TL_FIELD_RIGID, 0, 0);
    const tl_patch_sum s = sum_of(ctx, a, at(0, 0, R - depth), b, at(0, 0, 0));
    assert_true(fabs(s.force[0]) + fabs(s.force[1]) < 1e-10 * s.force[2]);
    tl_field_destroy(ctx, a);
    tl_field_destroy(ctx, b);
    return s.force[2];
}

static void sphere__force_is_second_order(void** state)
{
    // 293.2153 N; another program finds 256.33 and 283.72 N on the meshes of the first two hints
    const double exact = sphere_force(0.1, 1e6, 0.01), peer[2] = {256.33, 283.72};
    double before = 0.0;
    for (int k = 0; k < 4; k++) {
        const double f = sphere_on_plane(*state, 0.1, 1e6, 0.02 / (1 << k), 0.01), error = exact - f;
        if (k < 2)
            assert_true(fabs(f - peer[k]) < 0.005);
        if (k > 0)
            assert_true(before / error > 3.5 && before / error < 4.6);
        before = error;
    }
    assert_true(before < 2.5e-3 * exact);
    const double want = 293.2153;
    test_near("closed form", &exact, &want, 1, 1e-6, want);
}

static void equal_spheres__press_like_one_in_a_plane(void** state)
{
    tl_field* a = field_of(*state, TL_SHAPE_SPHERE, (double[]){0.1, 0, 0}, TL_FIELD_COMPLIANT, 1e6, 0.005);
    const tl_patch_sum s = sum_of(*state, a, at(0, 0, 0.18), a, at(0, 0, 0));
    const double want = sphere_on_plane(*state, 0.1, 1e6, 0.005, 0.01);
    test_near("force", &s.force[2], &want, 1, 1e-9, want);
    tl_field_destroy(*state, a);
}

static void box__force_is_exact(void** state)
{
    const struct {
        double half[3], E, depth, want;
    } cases[] = {{{0.1, 0.1, 0.05}, 1e7, 1e-3, 7920.2666666666667},
                 {{0.1, 0.15, 0.05}, 1e6, 5e-3, 5753.3333333333333},
                 {{0.05, 0.05, 0.15}, 1e6, 5e-3, 903.33333333333333},
                 {{0.15, 0.05, 0.05}, 1e6, 5e-3, 2 * 1e7 * (0.03 * 5e-3 - 0.8 * 25e-6 / 2 + 4 * 125e-9 / 3)},
                 {{0.1, 0.1, 0.1}, 1e6, 5e-3, 1e7 * (0.04 * 5e-3 - 0.8 * 25e-6 / 2 + 4 * 125e-9 / 3)}};
    for (int k = 0; k < TL_COUNT(cases); k++) {
        tl_field* a = field_of(*state, TL_SHAPE_BOX, cases[k].half, TL_FIELD_COMPLIANT, cases[k].E, 1);
        tl_field* b = field_of(*state, TL_SHAPE_PLANE, NULL, TL_FIELD_RIGID, 0, 0);
        tl_pose X = at(0.3, -0.2, cases[k].half[2] - cases[k].depth);
        turn_about(&X, 2, 0.4);
        const tl_patch_sum s = sum_of(*state, a, X, b, at(0, 0, 0));
        const double want[3] = {0, 0, cases[k].want};
        test_near("force", s.force, want, 3, 1e-12, want[2]);
        tl_field_destroy(*state, a);
        tl_field_destroy(*state, b);
    }
}

static void slab__force_is_exact(void** state)
{
    // a rigid box 5 mm deep in a slab of 0.1 m: E A d/t, sides push sideways and cancel
    tl_field* a = field_of(*state, TL_SHAPE_BOX, (double[]){0.1, 0.15, 0.05}, TL_FIELD_RIGID, 0, 1);
    tl_field* b = field_of(*state, TL_SHAPE_PLANE, NULL, TL_FIELD_COMPLIANT, 1e6, 0);
    const tl_patch_sum s = sum_of(*state, a, at(0.1, 0.2, 0.045), b, at(0, 0, 0));
    const double want[3] = {0, 0, 3000};
    test_near("force", s.force, want, 3, 1e-12, 3000);
    tl_field_destroy(*state, a);
    tl_field_destroy(*state, b);
}

static const int32_t kinds[] = {TL_SHAPE_SPHERE, TL_SHAPE_ELLIPSOID, TL_SHAPE_BOX, TL_SHAPE_CYLINDER,
                                TL_SHAPE_CAPSULE};
static const double sizes[][3] = {
    {0.1, 0, 0}, {0.12, 0.07, 0.09}, {0.1, 0.07, 0.05}, {0.08, 0.03, 0}, {0.06, 0.09, 0}};

// B against A instead of A against B, and both moved: the same patch
static void patch__is_symmetric_and_moves_along(void** state)
{
    for (int i = 0; i < TL_COUNT(kinds); i++)
        for (int rigid = 0; rigid < 2; rigid++) {
            tl_field* a = field_of(*state, kinds[i], sizes[i], TL_FIELD_COMPLIANT, 1e5, 0.03);
            tl_field* b = field_of(*state, kinds[(i + 2) % 5], sizes[(i + 2) % 5],
                                   rigid ? TL_FIELD_RIGID : TL_FIELD_COMPLIANT, 3e5, 0.03);
            tl_pose Xa = at(0.03, 0.02, 0.07), Xb = at(0, 0, 0), move = at(1, 2, 3);
            turn_about(&Xa, 0, 0.3);
            turn_about(&Xb, 1, 0.2);
            turn_about(&move, 2, 0.7);
            turn_about(&move, 0, 1.1);
            const tl_patch_sum s = sum_of(*state, a, Xa, b, Xb), r = sum_of(*state, b, Xb, a, Xa),
                               m = sum_of(*state, a, compose(&move, &Xa), b, compose(&move, &Xb));
            double minus[3], moved[3];
            for (int k = 0; k < 3; k++) {
                minus[k] = -s.force[k];
                moved[k] = move.R[3 * k] * s.force[0] + move.R[3 * k + 1] * s.force[1] +
                           move.R[3 * k + 2] * s.force[2];
            }
            assert_true(s.area > 0.0);
            test_near("area", &r.area, &s.area, 1, 1e-11, s.area);
            test_near("force", r.force, minus, 3, 1e-10, norm3(s.force));
            test_near("moved force", m.force, moved, 3, 1e-10, norm3(s.force));
            tl_field_destroy(*state, a);
            tl_field_destroy(*state, b);
        }
}

// one field for each tetrahedron of A against B: no pair of elements is missed by the trees
static void trees__find_every_pair(void** state)
{
    for (int i = 0; i < TL_COUNT(kinds); i++) {
        tl_field* a = field_of(*state, kinds[i], sizes[i], TL_FIELD_COMPLIANT, 1e5, 0.03);
        tl_field* b = field_of(*state, kinds[(i + 3) % 5], sizes[(i + 3) % 5], TL_FIELD_COMPLIANT, 2e5, 0.03);
        tl_pose Xa = at(0.03, 0.02, 0.06), Xb = at(0, 0, 0);
        turn_about(&Xa, 1, 0.5);
        const tl_patch_sum whole = sum_of(*state, a, Xa, b, Xb);
        const double *x, *p;
        const int32_t* e;
        tl_field_get_mesh(a, &x, &e, &p);
        double area = 0.0, force[3] = {0};
        for (int32_t k = 0; k < tl_field_get_info(a)->ne; k++) {
            double y[12], q[4];
            for (int c = 0; c < 4; c++) {
                memcpy(y + 3 * c, x + 3 * e[4 * k + c], 3 * sizeof(double));
                q[c] = p[e[4 * k + c]];
            }
            tl_field* one;
            assert_int_equal(tl_field_from_tets(*state, 4, y, 1, (int32_t[]){0, 1, 2, 3}, q, 0, "one", &one),
                             TALUS_OK);
            const tl_patch_sum s = sum_of(*state, one, Xa, b, Xb);
            area += s.area;
            axpy3(force, force, 1.0, s.force);
            tl_field_destroy(*state, one);
        }
        assert_true(area > 0.0);
        test_near("area", &whole.area, &area, 1, 1e-12, area);
        test_near("force", whole.force, force, 3, 1e-11, norm3(force));
        tl_field_destroy(*state, a);
        tl_field_destroy(*state, b);
    }
}

static void assert_same_bits(const tl_patch* p, const tl_patch* q)
{
    assert_int_equal(p->n, q->n);
    assert_true(p->candidates == q->candidates && p->met == q->met && p->careful == q->careful);
    const size_t n = (size_t)p->n;
    if (n == 0)
        return;
    const double* const x[][2] = {
        {p->area, q->area}, {p->pressure, q->pressure}, {p->ga, q->ga}, {p->gb, q->gb}};
    const int32_t* const i[][2] = {{p->ea, q->ea}, {p->eb, q->eb}, {p->side, q->side}};
    assert_memory_equal(p->centroid, q->centroid, 3 * n * sizeof(double));
    assert_memory_equal(p->normal, q->normal, 3 * n * sizeof(double));
    for (int k = 0; k < TL_COUNT(x); k++)
        assert_memory_equal(x[k][0], x[k][1], n * sizeof(double));
    for (int k = 0; k < TL_COUNT(i); k++)
        assert_memory_equal(i[k][0], i[k][1], n * sizeof(int32_t));
}

// Bodies that walk at random, fast and slow, and rest now and then: the faces of a query that may use the list of an
// earlier one are those of a query that knows of none, in every bit and in the same order. One patch serves two pairs
// of fields in turns as well.
static void kept_lists__change_no_bit(void** state)
{
    tl_rng rng;
    tl_rng_seed(&rng, 17);
    tl_patch shared = {0};
    int64_t boxes[2] = {0};
    int reused = 0, anew = 0;
    for (int i = 0; i < 2 * TL_COUNT(kinds); i++) {
        const int k = i / 2;
        tl_field* a = field_of(*state, kinds[k], sizes[k], TL_FIELD_COMPLIANT, 1e5, 0.02);
        tl_field* b = field_of(*state, kinds[(k + 1) % 5], sizes[(k + 1) % 5],
                               i % 2 ? TL_FIELD_RIGID : TL_FIELD_COMPLIANT, 2e5, 0.02);
        tl_pose Xa = at(0.03, 0.02, 0.07), Xb = at(0, 0, 0);
        tl_patch p = {0}, q = {0};
        for (int step = 0; step < 300; step++) {
            // from resting to ten times an element a step, in runs
            const double size = step / 30 % 5 == 0 ? 0.0 : pow(10.0, -9.0 + 2.0 * (step / 30 % 5));
            tl_pose* X = step / 10 % 2 ? &Xa : &Xb;
            for (int c = 0; c < 3; c++)
                X->p[c] +=
                    0.1 * size * tl_rng_uniform(&rng, -1, 1) - (step / 30 % 5 == 4 ? 0.1 * X->p[c] : 0.0);
            turn_about(X, step % 3, size * tl_rng_uniform(&rng, -1, 1));
            const tl_patch_options cold = {.cold = true};
            assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, NULL, &p), TALUS_OK);
            assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, &cold, &q), TALUS_OK);
            assert_false(q.reused);
            assert_same_bits(&p, &q);
            reused += p.reused && p.n > 0;
            anew += !p.reused && p.n > 0;
            boxes[0] += p.reused ? p.boxes : 0;
            boxes[1] += p.reused ? q.boxes : 0;
            if (step % 7 == 0) {
                assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, NULL, &shared), TALUS_OK);
                assert_same_bits(&shared, &q);
            }
        }
        tl_patch_free(*state, &p);
        tl_patch_free(*state, &q);
        tl_field_destroy(*state, a);
        tl_field_destroy(*state, b);
    }
    tl_patch_free(*state, &shared);
    print_message("%d lists reused, %d made; boxes compared %.3f of those of cold queries\n", reused, anew,
                  (double)boxes[0] / (double)boxes[1]);
    assert_true(reused > 500 && anew > 500);
    assert_true(2 * boxes[0] < boxes[1]);
}

static void fan__has_the_polygons_force(void** state)
{
    for (int i = 0; i < TL_COUNT(kinds); i++) {
        tl_field* a = field_of(*state, kinds[i], sizes[i], TL_FIELD_COMPLIANT, 1e5, 0.03);
        tl_field* b = field_of(*state, TL_SHAPE_BOX, (double[]){0.3, 0.3, 0.1},
                               i % 2 ? TL_FIELD_RIGID : TL_FIELD_COMPLIANT, 1e6, 1);
        tl_pose Xa = at(0.01, 0.02, 0.13);
        turn_about(&Xa, 0, 0.3);
        const tl_pose Xb = at(0, 0, 0);
        tl_patch p = {0}, t = {0};
        const tl_patch_options keep = {.vertices = true}, fan = {.triangles = true, .vertices = true};
        assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, &keep, &p), TALUS_OK);
        assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, &fan, &t), TALUS_OK);
        int32_t corners = 0;
        int64_t at_vertex = 0;
        for (int32_t k = 0; k < p.n; k++) {
            corners += p.nvertex[k];
            // corners go round the normal, and the area is theirs
            double sum[3] = {0};
            const double* x = p.vertex + 3 * at_vertex;
            for (int32_t c = 1; c + 1 < p.nvertex[k]; c++) {
                double u[3], v[3], w[3];
                sub3(u, x + 3 * c, x);
                sub3(v, x + 3 * c + 3, x);
                cross3(w, u, v);
                axpy3(sum, sum, 0.5, w);
            }
            const double along = dot3(sum, p.normal + 3 * k);
            test_near("area", &along, &p.area[k], 1, 1e-9, fmax(p.area[k], 1e-9));
            at_vertex += p.nvertex[k];
        }
        assert_true(p.n > 4);
        assert_int_equal(t.n, corners);
        tl_patch_sum s, r;
        const double origin[3] = {0};
        tl_patch_total(&p, origin, &s);
        tl_patch_total(&t, origin, &r);
        test_near("force", r.force, s.force, 3, 1e-12, norm3(s.force));
        test_near("area", &r.area, &s.area, 1, 1e-12, s.area);
        test_near("exact moment", r.moment_exact, s.moment_exact, 3, 1e-12, norm3(s.force));
        tl_patch_free(*state, &p);
        tl_patch_free(*state, &t);
        tl_field_destroy(*state, a);
        tl_field_destroy(*state, b);
    }
}

// areas and centroids of the triangles on each side, clipped corner by corner
static void fan__is_that_of_the_polygons_corners(void** state)
{
    for (int i = 0; i < TL_COUNT(kinds); i++)
        for (int rigid = 0; rigid < 3; rigid++) {
            tl_field* a = field_of(*state, kinds[i], sizes[i],
                                   rigid == 2 ? TL_FIELD_RIGID : TL_FIELD_COMPLIANT, 1e5, 0.03);
            tl_field* b = field_of(*state, kinds[(i + 2) % 5], sizes[(i + 2) % 5],
                                   rigid == 1 ? TL_FIELD_RIGID : TL_FIELD_COMPLIANT, 3e5, 0.03);
            tl_pose Xa = at(0.03, 0.02, 0.07);
            const tl_pose Xb = at(0, 0, 0);
            turn_about(&Xa, 0, 0.3);
            tl_placed B = {
                .R = {Xa.R[0], Xa.R[3], Xa.R[6], Xa.R[1], Xa.R[4], Xa.R[7], Xa.R[2], Xa.R[5], Xa.R[8]}};
            turn_back3(B.t, Xa.R, Xa.p);
            for (int k = 0; k < 3; k++)
                B.t[k] = -B.t[k];
            tl_patch t = {0};
            const tl_patch_options fan = {.triangles = true};
            assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, &fan, &t), TALUS_OK);
            assert_true(t.n > 20 && t.careful < t.n / 8);
            B.size = t.size;
            tl_face f = {0};
            double c[3] = {0};
            for (int32_t k = 0; k < t.n; k++) {
                if (k == 0 || t.ea[k] != t.ea[k - 1] || t.eb[k] != t.eb[k - 1]) {
                    assert_true(tl_face_of_pair(a, b, &B, t.ea[k], t.eb[k], &f));
                    tl_polygon_measure(&f.q, c);
                } else {
                    assert_true(t.side[k] > t.side[k - 1]); // in order, each side once
                }
                int32_t on = 0;
                while (on < f.q.n && f.q.side[on] != t.side[k])
                    on++;
                assert_true(on < f.q.n);
                const double *x = f.q.x[on], *y = f.q.x[(on + 1) % f.q.n];
                double u[3], v[3], w[3], middle[3], world[3];
                sub3(u, x, c);
                sub3(v, y, c);
                cross3(w, u, v);
                const double area = 0.5 * norm3(w);
                for (int r = 0; r < 3; r++)
                    middle[r] = (x[r] + y[r] + c[r]) / 3;
                turn3(world, Xa.R, middle);
                axpy3(world, world, 1.0, Xa.p);
                test_near("area", &t.area[k], &area, 1, 1e-11, 1e-3);
                test_near("centroid", t.centroid + 3 * k, world, 3, 1e-9, 0.1);
            }
            tl_patch_free(*state, &t);
            tl_field_destroy(*state, a);
            tl_field_destroy(*state, b);
        }
}

// a triangle stays the one on its side while the body moves, also where its polygon gains or loses corners
static void fan__keeps_its_names(void** state)
{
    tl_field* a = field_of(*state, TL_SHAPE_SPHERE, (double[]){0.1, 0, 0}, TL_FIELD_COMPLIANT, 1e5, 0.02);
    tl_field* b = field_of(*state, TL_SHAPE_SPHERE, (double[]){0.1, 0, 0}, TL_FIELD_COMPLIANT, 1e5, 0.03);
    tl_patch p[2] = {{0}};
    const tl_patch_options fan = {.triangles = true};
    const tl_pose Xb = at(0, 0, 0);
    int32_t corners_gained = 0;
    for (int step = 0; step < 40; step++) {
        tl_pose Xa = at(0.003, 0.002 + 1e-5 * step, 0.18);
        turn_about(&Xa, 0, 0.3);
        tl_patch *now = p + step % 2, *last = p + !(step % 2);
        assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, &fan, now), TALUS_OK);
        int32_t known = 0;
        double moved = 0.0;
        for (int32_t i = 0; i < now->n && step > 0; i++) {
            bool had = false, has = false;
            for (int32_t k = 0; k < last->n; k++) {
                if (last->ea[k] != now->ea[i] || last->eb[k] != now->eb[i])
                    continue;
                had = true;
                if (last->side[k] == now->side[i]) {
                    double d[3];
                    sub3(d, last->centroid + 3 * k, now->centroid + 3 * i);
                    moved += norm3(d);
                    known++;
                    has = true;
                }
            }
            corners_gained += had && !has;
        }
        // by 1e-5 and the slide of cuts at small angles; the neighbour is 5e-3 away
        assert_true(step == 0 || (known > 0.98 * now->n && moved < 1e-4 * known));
    }
    assert_true(corners_gained > 5);
    tl_patch_free(*state, p);
    tl_patch_free(*state, p + 1);
    tl_field_destroy(*state, a);
    tl_field_destroy(*state, b);
}

// the plane exactly through corners, edges and sides of tetrahedra: the section is counted once
static void section__through_corners_keeps_its_area(void** state)
{
    tl_field* floor = field_of(*state, TL_SHAPE_PLANE, NULL, TL_FIELD_RIGID, 0, 0);
    tl_field* cube = field_of(*state, TL_SHAPE_BOX, (double[]){0.1, 0.1, 0.1}, TL_FIELD_COMPLIANT, 1e5, 1);
    const double square = 0.04;
    tl_pose X = at(0, 0, 0);
    double area = all_area(*state, cube, &X, floor);
    test_near("square", &area, &square, 1, 1e-12, square);
    // standing on an edge, cut through the centres of the two lower faces: 0.2 wide, and as deep as it is high
    X = at(0, 0, 0.1 * M_SQRT1_2);
    turn_about(&X, 0, M_PI / 4);
    const double cut = 0.2 * 2 * 0.1 * M_SQRT1_2;
    area = all_area(*state, cube, &X, floor);
    test_near("through centres", &area, &cut, 1, 1e-12, cut);
    tl_field_destroy(*state, cube);
    // a sphere's mesh cut through its corners: the same as the mean of just above and just below
    tl_field* ball = field_of(*state, TL_SHAPE_SPHERE, (double[]){0.1, 0, 0}, TL_FIELD_COMPLIANT, 1e5, 0.05);
    const double z = 0.1 * M_SQRT1_2;
    const tl_pose on = at(0, 0, z), above = at(0, 0, z + 1e-9), below = at(0, 0, z - 1e-9);
    const double mean = 0.5 * (all_area(*state, ball, &above, floor) + all_area(*state, ball, &below, floor));
    area = all_area(*state, ball, &on, floor);
    test_near("ring", &area, &mean, 1, 1e-7, mean);
    tl_field_destroy(*state, ball);
    // a ball of a nanometre is a ball
    tl_field* tiny =
        field_of(*state, TL_SHAPE_SPHERE, (double[]){1e-9, 0, 0}, TL_FIELD_COMPLIANT, 1e5, 1e-10);
    const tl_patch_sum s = sum_of(*state, tiny, at(0, 0, 0.9e-9), floor, at(0, 0, 0));
    const double want = sphere_force(1e-9, 1e5, 1e-10);
    test_near("tiny", &s.force[2], &want, 1, 0.04, want); // as coarse as a large one
    tl_field_destroy(*state, tiny);
    tl_field_destroy(*state, floor);
}

// rims of a box meet a plane across them with no gradient: counted, and out of the stiffness
static void rim__is_counted_and_left_out(void** state)
{
    tl_field* a = field_of(*state, TL_SHAPE_BOX, (double[]){0.05, 0.05, 0.05}, TL_FIELD_COMPLIANT, 1e7, 1);
    tl_field* b = field_of(*state, TL_SHAPE_BOX, (double[]){0.05, 0.05, 0.05}, TL_FIELD_RIGID, 0, 1);
    const tl_pose Xa = at(0.098, 0, 0.099), Xb = at(0, 0, 0);
    tl_patch p = {0};
    assert_int_equal(tl_patch_collide(*state, a, &Xa, b, &Xb, NULL, &p), TALUS_OK);
    int32_t left_out = 0;
    double stiffness = 0.0, area = 0.0;
    for (int32_t i = 0; i < p.n; i++) {
        assert_true(isinf(p.gb[i]));
        if (p.ga[i] > 0.0) {
            stiffness += p.area[i] * p.ga[i];
            assert_true(p.pressure[i] / p.ga[i] <= 0.1); // no overlap larger than the body
        } else {
            left_out++;
            area += p.area[i];
        }
    }
    assert_true(p.n > left_out && left_out > 0);
    assert_int_equal(p.left_out, left_out);
    test_near("area", &p.left_out_area, &area, 1, 1e-14, area);
    tl_patch_sum s;
    tl_patch_total(&p, Xa.p, &s);
    test_near("stiffness", &s.stiffness, &stiffness, 1, 1e-14, stiffness);
    tl_patch_free(*state, &p);
    tl_field_destroy(*state, a);
    tl_field_destroy(*state, b);
}

static void unsupported_pairs__are_refused(void** state)
{
    tl_field* f[4];
    for (int k = 0; k < 4; k++)
        f[k] = field_of(*state, k < 2 ? TL_SHAPE_SPHERE : TL_SHAPE_PLANE, (double[]){0.1, 0, 0},
                        k % 2 ? TL_FIELD_RIGID : TL_FIELD_COMPLIANT, 1e5, 0.05);
    // compliant ball, rigid ball, compliant half space, rigid half space
    const bool want[4][4] = {{1, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}};
    const tl_pose X = at(0, 0, 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            tl_patch p = {0};
            assert_true(tl_patch_supported(f[i], f[j]) == want[i][j]);
            assert_int_equal(tl_patch_collide(*state, f[i], &X, f[j], &X, NULL, &p),
                             want[i][j] ? TALUS_OK : TALUS_ERR_UNSUPPORTED);
            tl_patch_free(*state, &p);
        }
    for (int k = 0; k < 4; k++)
        tl_field_destroy(*state, f[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere__force_is_second_order),
        cmocka_unit_test(equal_spheres__press_like_one_in_a_plane),
        cmocka_unit_test(box__force_is_exact),
        cmocka_unit_test(slab__force_is_exact),
        cmocka_unit_test(patch__is_symmetric_and_moves_along),
        cmocka_unit_test(trees__find_every_pair),
        cmocka_unit_test(kept_lists__change_no_bit),
        cmocka_unit_test(fan__has_the_polygons_force),
        cmocka_unit_test(fan__is_that_of_the_polygons_corners),
        cmocka_unit_test(fan__keeps_its_names),
        cmocka_unit_test(section__through_corners_keeps_its_area),
        cmocka_unit_test(rim__is_counted_and_left_out),
        cmocka_unit_test(unsupported_pairs__are_refused),
    };
    return cmocka_run_group_tests(tests, field_context_begin, field_context_end);
}
