// SPDX-License-Identifier: MIT
#include "random_shapes.h"

// TALUS_TEST_TRIALS and TALUS_TEST_SEED make the search longer
static int32_t from_env(const char* name, int32_t otherwise)
{
    const char* s = getenv(name);
    return s ? atoi(s) : otherwise;
}

static const int32_t solids[] = {TL_SHAPE_SPHERE, TL_SHAPE_CAPSULE, TL_SHAPE_ELLIPSOID, TL_SHAPE_CYLINDER,
                                 TL_SHAPE_BOX};

static const tl_contact_point* deepest_of(const tl_contact_point* pt, int32_t n)
{
    const tl_contact_point* best = pt;
    for (int32_t i = 1; i < n; i++)
        if (pt[i].depth > best->depth)
            best = &pt[i];
    return best;
}

// Every pair of types, from barely touching to deep. The normal's own overlap, by independent formulas, must
// be the depth (so moving A by it separates the two) and no direction of a dense search may need less.
static void solids__deepest_point_is_least_overlap(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, (uint64_t)from_env("TALUS_TEST_SEED", 1));
    const int32_t trials = from_env("TALUS_TEST_TRIALS", 15);
    for (int ta = 0; ta < 5; ta++)
        for (int tb = ta; tb < 5; tb++)
            for (int t = 0; t < trials; t++) {
                const tl_shape a = random_shape(&r, solids[ta]), b = random_shape(&r, solids[tb]);
                const tl_pose Xa = random_pose(&r, 0.7), Xb = random_pose(&r, 0.7);
                tl_contact_point pt[TL_MANIFOLD_MAX];
                const int32_t n = tl_collide(&a, &Xa, &b, &Xb, 0, pt);
                const double want = least_overlap(&a, &Xa, &b, &Xb, &r);
                if (want < 1e-6)
                    continue;
                assert_true(n > 0);
                const tl_contact_point* p = deepest_of(pt, n);
                const double along = overlap_along(&a, &Xa, &b, &Xb, p->normal);
                // nearly parallel faces (within 0.01 rad) take the face's normal, a cylinder's steepest point
                // leaves the rim by up to 3e-4 r when nearly flat
                if (fabs(p->depth - along) > 2e-3 || p->depth > want * (1 + 6e-5) + 2e-6)
                    fail_msg("types %d %d, trial %d: depth %.12g, along its normal %.12g, search %.12g",
                             solids[ta], solids[tb], t, p->depth, along, want);
            }
}

// apart, within the margin: minus the distance
static void margin__depth_is_minus_the_distance(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, (uint64_t)from_env("TALUS_TEST_SEED", 2));
    const int32_t trials = from_env("TALUS_TEST_TRIALS", 15);
    for (int ta = 0; ta < 5; ta++)
        for (int tb = ta; tb < 5; tb++)
            for (int t = 0; t < trials; t++) {
                const tl_shape a = random_shape(&r, solids[ta]), b = random_shape(&r, solids[tb]);
                const tl_pose Xa = random_pose(&r, 1.2), Xb = random_pose(&r, 1.2);
                tl_contact_point pt[TL_MANIFOLD_MAX];
                const int32_t n = tl_collide(&a, &Xa, &b, &Xb, 0.5, pt);
                const double want = least_overlap(&a, &Xa, &b, &Xb, &r);
                if (want > -1e-6 || want < -0.49)
                    continue;
                if (n == 0)
                    fail_msg("types %d %d, trial %d: nothing at distance %g", solids[ta], solids[tb], t,
                             -want);
                const tl_contact_point* p = deepest_of(pt, n);
                if (fabs(p->depth - want) > 6e-5 * fabs(want) + 2e-5)
                    fail_msg("types %d %d, trial %d: depth %.12g, search %.12g", solids[ta], solids[tb], t,
                             p->depth, want);
            }
}

static void swapping__reverses_bit_for_bit(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 5);
    for (int t = 0; t < 3000; t++) {
        const tl_shape a = random_shape(&r, (int32_t)(t % 6)), b = random_shape(&r, (int32_t)(t / 6 % 6));
        const tl_pose Xa = random_pose(&r, 0.5), Xb = random_pose(&r, 0.5);
        tl_contact_point p[TL_MANIFOLD_MAX], q[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&a, &Xa, &b, &Xb, 0.01, p);
        assert_int_equal(n, tl_collide(&b, &Xb, &a, &Xa, 0.01, q));
        for (int32_t i = 0; i < n; i++) {
            double gap[3], back[3];
            for (int k = 0; k < 3; k++) {
                gap[k] = p[i].pb[k] - p[i].pa[k];
                back[k] = -q[i].normal[k];
            }
            assert_memory_equal(p[i].pa, q[i].pb, sizeof p[i].pa);
            assert_memory_equal(p[i].pb, q[i].pa, sizeof p[i].pa);
            test_near("normal", back, p[i].normal, 3, 0.0, 1.0);
            test_near1("unit normal", dot(p[i].normal, p[i].normal), 1.0, 1e-14);
            assert_true(p[i].depth == q[i].depth && p[i].feature == q[i].feature && p[i].depth > -0.01);
            // the witness points lie across the normal from each other
            for (int k = 0; k < 3; k++)
                gap[k] -= p[i].depth * p[i].normal[k];
            if (sqrt(dot(gap, gap)) > 1e-3)
                fail_msg("types %d %d: witness points off the normal by %g", a.type, b.type,
                         sqrt(dot(gap, gap)));
        }
    }
}

static tl_pose moved(const tl_pose* X, const tl_pose* M, double scale)
{
    tl_pose Y = *X;
    for (int i = 0; i < 3; i++) {
        Y.p[i] = M->p[i] + scale * dot(&M->R[3 * i], X->p);
        for (int j = 0; j < 3; j++)
            Y.R[3 * i + j] =
                M->R[3 * i] * X->R[j] + M->R[3 * i + 1] * X->R[3 + j] + M->R[3 * i + 2] * X->R[6 + j];
    }
    return Y;
}

// mm and km worlds, any frame: the same points
static void rigid_motion_and_scale__move_the_points_along(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 6);
    const double scales[] = {1.0, 1e-3, 1e3};
    for (int t = 0; t < 3000; t++) {
        const tl_shape a = random_shape(&r, (int32_t)(t % 6)), b = random_shape(&r, (int32_t)(t / 6 % 6));
        const tl_pose Xa = random_pose(&r, 0.5), Xb = random_pose(&r, 0.5), M = random_pose(&r, 0.3);
        const double s = scales[t % 3];
        tl_shape as = a, bs = b;
        for (int k = 0; k < 3; k++) {
            as.size[k] *= s;
            bs.size[k] *= s;
        }
        tl_pose Ms = M;
        for (int k = 0; k < 3; k++)
            Ms.p[k] *= s;
        const tl_pose Ya = moved(&Xa, &Ms, s), Yb = moved(&Xb, &Ms, s);
        tl_contact_point p[TL_MANIFOLD_MAX], q[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&a, &Xa, &b, &Xb, 0, p), m = tl_collide(&as, &Ya, &bs, &Yb, 0, q);
        if (n != m)
            fail_msg("types %d %d, trial %d: %d points, moved %d", a.type, b.type, t, n, m);
        if (n == 0 || m == 0)
            continue;
        // the deepest point; the order of the others may depend on which solid comes first
        const tl_contact_point *d = deepest_of(p, n), *e = deepest_of(q, m);
        if (fabs(d->depth * s - e->depth) > 1e-8 * s)
            fail_msg("types %d %d, trial %d: depth %g, moved %g", a.type, b.type, t, d->depth, e->depth / s);
    }
}

// far away only the places are rounded
static void far_from_origin__same_points(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 7);
    const double far[3] = {1e5, -3e5, 2e5};
    for (int t = 0; t < 2000; t++) {
        const tl_shape a = random_shape(&r, (int32_t)(t % 6)), b = random_shape(&r, (int32_t)(t / 6 % 6));
        tl_pose Xa = random_pose(&r, 0.5), Xb = random_pose(&r, 0.5);
        tl_contact_point p[TL_MANIFOLD_MAX], q[TL_MANIFOLD_MAX];
        for (int k = 0; k < 3; k++) { // positions that survive the shift exactly
            Xa.p[k] = ldexp(round(ldexp(Xa.p[k], 20)), -20);
            Xb.p[k] = ldexp(round(ldexp(Xb.p[k], 20)), -20);
        }
        const int32_t n = tl_collide(&a, &Xa, &b, &Xb, 0, p);
        for (int k = 0; k < 3; k++) {
            Xa.p[k] += far[k];
            Xb.p[k] += far[k];
        }
        assert_int_equal(n, tl_collide(&a, &Xa, &b, &Xb, 0, q));
        for (int32_t i = 0; i < n; i++) {
            assert_true(p[i].depth == q[i].depth && p[i].feature == q[i].feature);
            assert_memory_equal(p[i].normal, q[i].normal, sizeof p[i].normal);
        }
    }
}

// along a path of small steps the largest depth moves no faster than the solids do
static void path__depth_is_continuous(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 8);
    for (int t = 0; t < 300; t++) {
        const tl_shape a = random_shape(&r, (int32_t)(t % 6)), b = random_shape(&r, (int32_t)(t / 6 % 6));
        tl_pose Xa = random_pose(&r, 0.6), Xb = random_pose(&r, 0.6);
        double axis[3], dir[3], last = -1;
        random_unit(&r, axis);
        random_unit(&r, dir);
        for (int i = 0; i < 300; i++) {
            tl_contact_point p[TL_MANIFOLD_MAX];
            const int32_t n = tl_collide(&a, &Xa, &b, &Xb, 0, p);
            const double depth = n > 0 ? deepest_of(p, n)->depth : 0.0;
            // 1e-3 of translation, 1e-3 rad at a radius of at most sqrt(3)
            if (last >= 0 && fabs(depth - last) > 1e-3 * (1.0 + sqrt(3.0)) + 3e-4)
                fail_msg("types %d %d, trial %d, step %d: depth %g, then %g", a.type, b.type, t, i, last,
                         depth);
            last = depth;
            turn(&Xb, axis[0], axis[1], axis[2], 1e-3);
            for (int k = 0; k < 3; k++)
                Xb.p[k] += 1e-3 * dir[k];
        }
    }
}

// centres and axes that coincide leave every direction open: any finite one that separates will do
static void coinciding_shapes__give_a_finite_direction(void** state)
{
    (void)state;
    tl_rng r;
    tl_rng_seed(&r, 9);
    for (int t = 0; t < 400; t++) {
        const tl_shape a = random_shape(&r, solids[t % 5]),
                       b = t % 2 ? a : random_shape(&r, solids[t / 5 % 5]);
        const tl_pose X = t % 3 ? random_pose(&r, 1.0) : pose_at(0, 0, 0);
        tl_contact_point p[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&a, &X, &b, &X, 0, p);
        assert_true(n > 0);
        for (int32_t i = 0; i < n; i++) {
            assert_int_equal(tl_first_nonfinite(p[i].pa, 3), -1);
            assert_int_equal(tl_first_nonfinite(p[i].pb, 3), -1);
            test_near1("unit normal", dot(p[i].normal, p[i].normal), 1.0, 1e-14);
        }
        const tl_contact_point* d = deepest_of(p, n);
        const double along = overlap_along(&a, &X, &b, &X, d->normal);
        if (fabs(d->depth - along) > 1e-9)
            fail_msg("types %d %d, trial %d: depth %g, along its normal %g", a.type, b.type, t, d->depth,
                     along);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids__deepest_point_is_least_overlap),
        cmocka_unit_test(margin__depth_is_minus_the_distance),
        cmocka_unit_test(swapping__reverses_bit_for_bit),
        cmocka_unit_test(rigid_motion_and_scale__move_the_points_along),
        cmocka_unit_test(far_from_origin__same_points),
        cmocka_unit_test(path__depth_is_continuous),
        cmocka_unit_test(coinciding_shapes__give_a_finite_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
