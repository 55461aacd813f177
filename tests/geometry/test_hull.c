// SPDX-License-Identifier: MIT
// Convex hulls in contact: a box as a mesh against the box itself, random polyhedra against a brute-force search
// over separating axes, spheres against the distance to the hull, swaps, moves, flat and needle-like bodies.
#define _DEFAULT_SOURCE // M_PI
#include "geometry.h"
#include "vec3.h"
#include "test.h"

static const int32_t cube_tri[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static tl_hull* box_hull(talus_context* ctx, const double* half)
{
    double x[24];
    tl_hull* h = NULL;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = (i >> k & 1 ? 1 : -1) * half[k];
    assert_int_equal(tl_hull_create(ctx, 8, x, 12, cube_tri, "box", &h), TALUS_OK);
    return h;
}

// the hull of n random points on a sphere: every triple with all points on one side
static tl_hull* random_hull(talus_context* ctx, tl_rng* rng, int32_t n, const double* scale)
{
    double x[3 * 40];
    int32_t tri[3 * 200], nt = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = tl_rng_normal(rng);
        normalize3(x + 3 * i);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] *= scale[k];
    }
    for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b < n; b++)
            for (int32_t c = 0; c < n; c++) {
                double u[3], v[3], w[3], d[3];
                if (a >= b || a >= c || b == c)
                    continue;
                sub3(u, x + 3 * b, x + 3 * a);
                sub3(v, x + 3 * c, x + 3 * a);
                cross3(w, u, v);
                bool outside = true;
                for (int32_t i = 0; i < n && outside; i++) {
                    sub3(d, x + 3 * i, x + 3 * a);
                    outside = i == a || i == b || i == c || dot3(w, d) < 0.0;
                }
                if (outside && nt < 200) {
                    tri[3 * nt] = a, tri[3 * nt + 1] = b, tri[3 * nt++ + 2] = c;
                }
            }
    tl_hull* h = NULL;
    assert_int_equal(tl_hull_create(ctx, n, x, nt, tri, "random", &h), TALUS_OK);
    assert_true(h->nv <= n); // corners inside a flat face are none
    return h;
}

static tl_shape mesh(const tl_hull* h)
{
    return (tl_shape){.type = TL_SHAPE_MESH, .size = {h->length, h->length, h->length}, .hull = h};
}

static tl_pose random_pose(tl_rng* rng, double reach)
{
    double q[4], n = 0.0;
    tl_pose X;
    for (int k = 0; k < 4; k++) {
        q[k] = tl_rng_normal(rng);
        n += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(n);
    const double R[9] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                         2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
                         1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
                         2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
                         1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    memcpy(X.R, R, sizeof R);
    for (int k = 0; k < 3; k++)
        X.p[k] = tl_rng_uniform(rng, -reach, reach);
    return X;
}

static void world(const tl_pose* X, const double* x, double* y)
{
    for (int i = 0; i < 3; i++)
        y[i] = X->p[i] + X->R[3 * i] * x[0] + X->R[3 * i + 1] * x[1] + X->R[3 * i + 2] * x[2];
}

static double deepest(const tl_contact_point* p, int32_t n)
{
    double d = -INFINITY;
    for (int32_t i = 0; i < n; i++)
        d = fmax(d, p[i].depth);
    return d;
}

static void cube__has_six_faces(void** state)
{
    tl_hull* h = box_hull(*state, (double[]){1, 2, 3});
    assert_int_equal(h->nf, 6);
    assert_int_equal(h->nv, 8);
    assert_int_equal(h->first[6], 24);
    for (int32_t i = 0; i < 8; i++)
        assert_int_equal(h->near[i + 1] - h->near[i], 3);
    for (int32_t f = 0; f < 6; f++) {
        double n = 0.0;
        for (int k = 0; k < 3; k++)
            n = fmax(n, fabs(h->plane[f][k]));
        const double one = 1.0;
        test_near("normal", &n, &one, 1, 1e-15, 1.0);
    }
    tl_free(*state, h);
}

// the same depths as the box it is, against every shape
static void box_as_a_mesh__is_the_box(void** state)
{
    const double half[3] = {0.1, 0.07, 0.05};
    tl_hull* h = box_hull(*state, half);
    const tl_shape m = mesh(h), box = {.type = TL_SHAPE_BOX, .size = {half[0], half[1], half[2]}};
    const tl_shape others[] = {{.type = TL_SHAPE_PLANE},
                               {.type = TL_SHAPE_SPHERE, .size = {0.06}},
                               {.type = TL_SHAPE_CAPSULE, .size = {0.04, 0.08}},
                               {.type = TL_SHAPE_ELLIPSOID, .size = {0.05, 0.06, 0.08}},
                               {.type = TL_SHAPE_CYLINDER, .size = {0.05, 0.06}},
                               {.type = TL_SHAPE_BOX, .size = {0.06, 0.05, 0.08}}};
    tl_rng rng;
    tl_rng_seed(&rng, 1);
    int32_t touching = 0;
    for (int k = 0; k < 600; k++) {
        const tl_shape* o = &others[k % TL_COUNT(others)];
        const tl_pose X = random_pose(&rng, 0.08), Y = random_pose(&rng, 0.08);
        tl_contact_point p[TL_MANIFOLD_MAX], q[TL_MANIFOLD_MAX];
        const int32_t np = tl_collide(&m, &X, o, &Y, 0, p), nq = tl_collide(&box, &X, o, &Y, 0, q);
        assert_int_equal(np > 0, nq > 0);
        if (np == 0)
            continue;
        touching++;
        const double got = deepest(p, np), want = deepest(q, nq);
        // a face within 0.05 rad is taken for the direction; ellipsoids end on a facet of their polytope
        const double tol = o->type == TL_SHAPE_BOX || o->type == TL_SHAPE_CYLINDER ? 0.1 : 1e-3;
        if (want < 0.04) // deeper, several directions are nearly as good
            test_near("depth", &got, &want, 1, tol, 0.05);
    }
    assert_true(touching > 300);
    tl_free(*state, h);
}

// overlap along n: max over A of -n.x + max over B of n.x, to be minimal over face normals and crossed edges
static double brute_force(const tl_hull* a, const tl_pose* Xa, const tl_hull* b, const tl_pose* Xb)
{
    double xa[40][3], xb[40][3], best = INFINITY;
    for (int32_t i = 0; i < a->nv; i++)
        world(Xa, a->x + 3 * i, xa[i]);
    for (int32_t i = 0; i < b->nv; i++)
        world(Xb, b->x + 3 * i, xb[i]);
    for (int32_t kind = 0; kind < 3; kind++) {
        const int32_t na = kind == 1   ? 1
                           : kind == 0 ? a->nf
                                       : a->near[a->nv],
                      nb = kind == 0   ? 1
                           : kind == 1 ? b->nf
                                       : b->near[b->nv];
        for (int32_t i = 0; i < na; i++)
            for (int32_t j = 0; j < nb; j++) {
                double n[3], lo = INFINITY, hi = -INFINITY;
                if (kind < 2) {
                    const double* l = kind == 0 ? a->plane[i] : b->plane[j];
                    const tl_pose* X = kind == 0 ? Xa : Xb;
                    for (int r = 0; r < 3; r++)
                        n[r] = X->R[3 * r] * l[0] + X->R[3 * r + 1] * l[1] + X->R[3 * r + 2] * l[2];
                } else {
                    int32_t u = 0, v = 0;
                    while (a->near[u + 1] <= i)
                        u++;
                    while (b->near[v + 1] <= j)
                        v++;
                    double e[3], f[3];
                    sub3(e, xa[a->adj[i]], xa[u]);
                    sub3(f, xb[b->adj[j]], xb[v]);
                    cross3(n, e, f);
                    if (normalize3(n) < 1e-9)
                        continue;
                }
                double lo_b = INFINITY, hi_a = -INFINITY;
                for (int32_t k = 0; k < a->nv; k++) {
                    lo = fmin(lo, dot3(n, xa[k]));
                    hi_a = fmax(hi_a, dot3(n, xa[k]));
                }
                for (int32_t k = 0; k < b->nv; k++) {
                    hi = fmax(hi, dot3(n, xb[k]));
                    lo_b = fmin(lo_b, dot3(n, xb[k]));
                }
                best = fmin(best, fmin(hi - lo, hi_a - lo_b));
            }
    }
    return best;
}

static void random_hulls__overlap_as_brute_force_says(void** state)
{
    tl_rng rng;
    tl_rng_seed(&rng, 2);
    int32_t touching = 0;
    for (int k = 0; k < 120; k++) {
        const double sa[3] = {0.1, 0.12, 0.08}, sb[3] = {0.07, 0.1, 0.1};
        tl_hull *a = random_hull(*state, &rng, 6 + k % 12, sa), *b = random_hull(*state, &rng, 5 + k % 9, sb);
        const tl_shape ma = mesh(a), mb = mesh(b);
        const tl_pose X = random_pose(&rng, 0.09), Y = random_pose(&rng, 0.09);
        tl_contact_point p[TL_MANIFOLD_MAX], q[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&ma, &X, &mb, &Y, 0, p), swapped = tl_collide(&mb, &Y, &ma, &X, 0, q);
        const double want = brute_force(a, &X, b, &Y);
        assert_int_equal(n, swapped);
        if (want < -1e-9)
            assert_int_equal(n, 0);
        if (want > 1e-9) {
            assert_true(n > 0);
            touching++;
            const double got = deepest(p, n);
            test_near("depth", &got, &want, 1, 0.06,
                      want + 0.02); // a face within 0.05 rad is taken for the direction
            for (int32_t i = 0; i < n; i++) {
                double minus[3] = {-q[i].normal[0], -q[i].normal[1], -q[i].normal[2]}, d[3];
                test_near("swapped normal", minus, p[i].normal, 3, 1e-12, 1.0);
                sub3(d, p[i].pb, p[i].pa);
                const double along = dot3(d, p[i].normal);
                test_near("witnesses", &along, &p[i].depth, 1, 1e-12, 1.0);
            }
        }
        tl_free(*state, a);
        tl_free(*state, b);
    }
    assert_true(touching > 40);
}

// outside: the nearest point of the hull by projection on every face, edge and corner
static void sphere__is_as_far_as_the_nearest_point(void** state)
{
    tl_rng rng;
    tl_rng_seed(&rng, 3);
    for (int k = 0; k < 300; k++) {
        tl_hull* h = random_hull(*state, &rng, 8 + k % 20, (double[]){0.1, 0.08, 0.12});
        const double r = 0.15, c[3] = {tl_rng_uniform(&rng, -0.2, 0.2), tl_rng_uniform(&rng, -0.2, 0.2),
                                       tl_rng_uniform(&rng, -0.2, 0.2)};
        double inside = -INFINITY, d2 = INFINITY;
        for (int32_t f = 0; f < h->nf; f++)
            inside = fmax(inside, dot3(h->plane[f], c) - h->plane[f][3]);
        for (int32_t f = 0; f < h->nf; f++) {
            const int32_t n = h->first[f + 1] - h->first[f], *v = h->loop + h->first[f];
            const double above = dot3(h->plane[f], c) - h->plane[f][3];
            bool over = above > 0.0;
            for (int32_t i = 0; i < n; i++) {
                double e[3], s[3], d[3];
                const double *a = h->x + 3 * v[i], *b = h->x + 3 * v[(i + 1) % n];
                sub3(e, b, a);
                sub3(d, c, a);
                cross3(s, e, h->plane[f]);
                over &= dot3(s, d) <= 0.0;
                const double t = fmin(fmax(dot3(e, d) / dot3(e, e), 0.0), 1.0);
                axpy3(d, d, -t, e);
                d2 = fmin(d2, dot3(d, d));
            }
            if (over)
                d2 = fmin(d2, above * above);
        }
        const double want = r - (inside > 0.0 ? sqrt(d2) : inside);
        const tl_shape m = mesh(h), ball = {.type = TL_SHAPE_SPHERE, .size = {r}};
        const tl_pose X = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                      Y = {.p = {c[0], c[1], c[2]}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        tl_contact_point p[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&m, &X, &ball, &Y, 0, p);
        assert_int_equal(n, want > 0.0);
        if (n)
            test_near("depth", &p[0].depth, &want, 1, 1e-8, 0.15);
        tl_free(*state, h);
    }
}

// flat on the ground, on another cube, and on edge: four points that stay when the cube turns by a hair
static void resting_cube__has_its_corners(void** state)
{
    const double half[3] = {0.05, 0.05, 0.05};
    tl_hull* h = box_hull(*state, half);
    const tl_shape m = mesh(h), ground = {.type = TL_SHAPE_PLANE};
    for (int k = 0; k < 21; k++) {
        const double tilt = 1e-6 * (k - 10);
        const tl_pose X = {.p = {0, 0, 0.05 - 2.5e-4}, .R = {1, 0, tilt, 0, 1, 0, -tilt, 0, 1}};
        const tl_pose Y = {.p = {0, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                      Z = {.p = {0, 0, -0.05}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        tl_contact_point p[TL_MANIFOLD_MAX];
        assert_int_equal(tl_collide(&m, &X, &ground, &Y, 0, p), 4);
        assert_int_equal(tl_collide(&m, &X, &m, &Z, 0, p), 4);
        for (int i = 0; i < 4; i++) {
            const double want = 2.5e-4;
            test_near("depth", &p[i].depth, &want, 1, 5e-3, want);
            assert_true(fabs(fabs(p[i].pa[0]) - 0.05) < 1e-3 && fabs(fabs(p[i].pa[1]) - 0.05) < 1e-3);
        }
    }
    tl_free(*state, h);
}

static void strange_bodies__give_numbers(void** state)
{
    tl_rng rng;
    tl_rng_seed(&rng, 4);
    const double scales[][3] = {
        {1, 1, 1e-6}, {1e-6, 1e-6, 1}, {1e-6, 1e-6, 1e-6}, {1e4, 1e4, 1e4}, {1e4, 1, 1e-3}};
    for (int k = 0; k < 200; k++) {
        const double *sa = scales[k % 5], *sb = scales[k / 5 % 5];
        tl_hull *a = random_hull(*state, &rng, 6 + k % 8, sa), *b = random_hull(*state, &rng, 6, sb);
        const tl_shape ma = mesh(a), mb = mesh(b);
        const tl_pose X = random_pose(&rng, 0.3 * fmax(a->length, b->length)), Y = random_pose(&rng, 0);
        tl_contact_point p[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&ma, &X, &mb, &Y, k % 2 ? 0.01 * a->length : 0.0, p);
        for (int32_t i = 0; i < n; i++) {
            assert_true(isfinite(p[i].depth) && isfinite(p[i].pa[0] + p[i].pb[1] + p[i].normal[2]));
            const double one = 1.0, size = norm3(p[i].normal);
            test_near("normal", &size, &one, 1, 1e-9, 1.0);
        }
        tl_free(*state, a);
        tl_free(*state, b);
    }
}

static int begin(void** state)
{
    *state = test_context(1);
    return 0;
}

static int end(void** state)
{
    talus_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube__has_six_faces),
        cmocka_unit_test(box_as_a_mesh__is_the_box),
        cmocka_unit_test(random_hulls__overlap_as_brute_force_says),
        cmocka_unit_test(sphere__is_as_far_as_the_nearest_point),
        cmocka_unit_test(resting_cube__has_its_corners),
        cmocka_unit_test(strange_bodies__give_numbers),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
