// SPDX-License-Identifier: MIT
// Height fields in contact: flat ones against the plane they are, balls and boxes over rough ground against brute
// force over all triangles, folds without a jump or a doubled force, borders, many cells under one shape.
#include "random_shapes.h"
#include "vec3.h"

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

#define MOST 128
static double grid[MOST * MOST];

static tl_shape make_field(talus_context* ctx, int32_t nrow, int32_t ncol, double hx, double hy, double base,
                           double (*height)(void* user, double x, double y), void* user)
{
    for (int32_t r = 0; r < nrow; r++)
        for (int32_t c = 0; c < ncol; c++)
            grid[r * ncol + c] = height(user, 2 * hx * c / (ncol - 1) - hx, 2 * hy * r / (nrow - 1) - hy);
    tl_hfield* h = NULL;
    assert_int_equal(tl_hfield_create(ctx, nrow, ncol, (double[]){hx, hy}, base, grid, &h), TALUS_OK);
    return (tl_shape){.type = TL_SHAPE_HFIELD, .hfield = h};
}

static void free_field(talus_context* ctx, tl_shape* s)
{
    tl_free(ctx, (void*)s->hfield);
}

static double flat(void* user, double x, double y)
{
    (void)x, (void)y;
    return *(double*)user;
}

static double rough(void* user, double x, double y)
{
    (void)x, (void)y;
    return tl_rng_uniform(user, 0.0, 0.3);
}

// ---- flat ground ----------------------------------------------------------------------------------------------

static void flat_field__is_a_plane(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 11);
    double level = 0.25;
    tl_shape field = make_field(ctx, 41, 31, 6, 8, 9, flat, &level), plane = {.type = TL_SHAPE_PLANE};
    int64_t points = 0;
    for (int32_t i = 0; i < 6000; i++) {
        const int32_t type = TL_SHAPE_SPHERE + i % 6;
        tl_shape a = random_shape(&rng, type);
        if (type == TL_SHAPE_MESH)
            a.hull = box_hull(ctx, a.size);
        tl_pose F = random_pose(&rng, 3), A = random_pose(&rng, 0), X = A;
        A.p[0] = tl_rng_uniform(&rng, -2, 2);
        A.p[1] = tl_rng_uniform(&rng, -2, 2);
        if (i % 3 == 0) // over edges and vertices, flat on a side
            A = X = pose_at(0.4 * (i % 4), 0.4 * (i % 7 - 3), 0);
        if (i % 5 == 0)
            F = pose_at(0, 0, 0);
        memcpy(X.p, A.p, sizeof X.p);
        const double up[3] = {0, 0, -1}, reach = support(&a, &A, up), margin = i % 2 ? 0.05 : 0.0;
        A.p[2] = X.p[2] = level + reach * tl_rng_uniform(&rng, 0.3, 1.04);
        // A from the field's frame to the world
        for (int k = 0; k < 3; k++)
            A.p[k] = F.p[k] + dot3(F.R + 3 * k, X.p);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                A.R[3 * k + l] =
                    F.R[3 * k] * X.R[l] + F.R[3 * k + 1] * X.R[3 + l] + F.R[3 * k + 2] * X.R[6 + l];
        tl_pose P = F;
        for (int k = 0; k < 3; k++)
            P.p[k] += level * F.R[3 * k + 2];
        tl_contact_point got[TL_MANIFOLD_MAX], want[TL_MANIFOLD_MAX];
        const int32_t n = tl_collide(&a, &A, &field, &F, margin, got),
                      m = tl_collide(&a, &A, &plane, &P, margin, want);
        if (n != m)
            fail_msg("pose %d, type %d: %d points on the field, %d on the plane", i, type, n, m);
        for (int32_t k = 0; k < m; k++) {
            double nearest = INFINITY;
            int32_t at = 0;
            for (int32_t l = 0; l < n; l++) {
                double d[3];
                sub3(d, got[l].pb, want[k].pb);
                if (norm3(d) + fabs(got[l].depth - want[k].depth) < nearest) {
                    nearest = norm3(d) + fabs(got[l].depth - want[k].depth);
                    at = l;
                }
            }
            // a cylinder's steepest point is as uncertain as its tilt times 500
            const double tol = type == TL_SHAPE_CYLINDER ? 2e-12 : 1e-14;
            test_near("depth", &got[at].depth, &want[k].depth, 1, tol, 2.0);
            test_near("point on A", got[at].pa, want[k].pa, 3, tol, 10.0);
            test_near("point on B", got[at].pb, want[k].pb, 3, tol, 10.0);
            test_near("normal", got[at].normal, want[k].normal, 3, 4e-15, 1.0);
            points++;
        }
        if (type == TL_SHAPE_MESH)
            tl_free(ctx, (void*)a.hull);
    }
    assert_true(points > 10000);
    free_field(ctx, &field);
    talus_context_destroy(ctx);
}

// ---- brute force over the triangles of a field ----------------------------------------------------------------

static int32_t triangles(const tl_shape* field, double (*tri)[3][3])
{
    const tl_hfield* h = field->hfield;
    int32_t n = 0;
    for (int32_t r = 0; r + 1 < h->nrow; r++)
        for (int32_t c = 0; c + 1 < h->ncol; c++)
            for (int k = 0; k < 2; k++, n++) {
                const int32_t at[3][2] = {{r, c}, {k ? r + 1 : r, c + 1}, {r + 1, k ? c : c + 1}};
                for (int i = 0; i < 3; i++) {
                    tri[n][i][0] = 2 * h->half[0] * at[i][1] / (h->ncol - 1) - h->half[0];
                    tri[n][i][1] = 2 * h->half[1] * at[i][0] / (h->nrow - 1) - h->half[1];
                    tri[n][i][2] = h->z[at[i][0] * h->ncol + at[i][1]];
                }
            }
    return n;
}

static double point_segment(const double* p, const double* a, const double* b)
{
    double d[3], e[3], x[3];
    sub3(e, b, a);
    sub3(d, p, a);
    axpy3(x, d, -fmin(fmax(dot3(d, e) / dot3(e, e), 0), 1), e);
    return norm3(x);
}

static double point_triangle(const double* p, double v[3][3])
{
    double e[3], f[3], n[3], d[3], least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, point_segment(p, v[i], v[(i + 1) % 3]));
    sub3(e, v[1], v[0]);
    sub3(f, v[2], v[0]);
    cross3(n, e, f);
    normalize3(n);
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        double side[3];
        sub3(e, v[(i + 1) % 3], v[i]);
        cross3(side, n, e);
        sub3(d, p, v[i]);
        inside &= dot3(side, d) >= 0;
    }
    return inside ? fabs(dot3(n, d)) : least;
}

// ends against the other segment, and the common perpendicular where it meets both
static double segment_segment(const double* a, const double* b, const double* c, const double* d)
{
    double u[3], v[3], w[3], n[3], x[3], least;
    least = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                 fmin(point_segment(c, a, b), point_segment(d, a, b)));
    sub3(u, b, a);
    sub3(v, d, c);
    sub3(w, c, a);
    cross3(n, u, v);
    const double det = dot3(n, n);
    if (det < 1e-20)
        return least;
    cross3(x, w, v);
    const double s = dot3(x, n) / det;
    cross3(x, w, u);
    const double t = dot3(x, n) / det;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1 ? fmin(least, fabs(dot3(w, n)) / sqrt(det)) : least;
}

static double point_box(const double* p, const double* half, const tl_pose* X)
{
    double out = 0;
    for (int k = 0; k < 3; k++) {
        double l = 0;
        for (int i = 0; i < 3; i++)
            l += X->R[3 * i + k] * (p[i] - X->p[i]);
        out += pow(fmax(fabs(l) - half[k], 0), 2);
    }
    return sqrt(out);
}

static void to_world(const tl_pose* X, double x, double y, double z, double* out)
{
    for (int i = 0; i < 3; i++)
        out[i] = X->p[i] + X->R[3 * i] * x + X->R[3 * i + 1] * y + X->R[3 * i + 2] * z;
}

/// Distance of a box or capsule that does not meet the triangle.
static double solid_triangle(const tl_shape* a, const tl_pose* X, double v[3][3])
{
    double least = INFINITY, p[8][3];
    if (a->type == TL_SHAPE_CAPSULE) {
        to_world(X, 0, 0, a->size[1], p[0]);
        to_world(X, 0, 0, -a->size[1], p[1]);
        for (int i = 0; i < 3; i++)
            least = fmin(least, segment_segment(p[0], p[1], v[i], v[(i + 1) % 3]));
        return fmin(least, fmin(point_triangle(p[0], v), point_triangle(p[1], v))) - a->size[0];
    }
    for (int i = 0; i < 8; i++) {
        to_world(X, i & 1 ? a->size[0] : -a->size[0], i & 2 ? a->size[1] : -a->size[1],
                 i & 4 ? a->size[2] : -a->size[2], p[i]);
        least = fmin(least, point_triangle(p[i], v));
    }
    for (int i = 0; i < 3; i++) {
        least = fmin(least, point_box(v[i], a->size, X));
        for (int j = 0; j < 8; j++)
            for (int bit = 1; bit < 8; bit *= 2)
                if (!(j & bit))
                    least = fmin(least, segment_segment(p[j], p[j | bit], v[i], v[(i + 1) % 3]));
    }
    return least;
}

static double point_field(const double* p, double (*tri)[3][3], int32_t n)
{
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++)
        least = fmin(least, point_triangle(p, tri[i]));
    return least;
}

static int32_t deepest_of(const tl_contact_point* c, int32_t n)
{
    int32_t at = 0;
    for (int32_t i = 1; i < n; i++)
        at = c[i].depth > c[at].depth ? i : at;
    return at;
}

// above and below the surface, balls smaller and larger than a cell
static void ball__has_the_distance_of_its_centre(void** state)
{
    (void)state;
    static double tri[2 * 11 * 14][3][3];
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 5);
    int32_t in = 0, out = 0;
    for (int32_t round = 0; round < 20; round++) {
        tl_shape field = make_field(ctx, 12, 15, 1.4, 1.1, 5, rough, &rng);
        const int32_t n = triangles(&field, tri);
        const tl_pose F = pose_at(0, 0, 0);
        for (int32_t i = 0; i < 300; i++) {
            const tl_shape ball = {.type = TL_SHAPE_SPHERE, .size = {i % 2 ? 0.4 : 0.05}};
            const double x = tl_rng_uniform(&rng, -0.5, 0.5), y = tl_rng_uniform(&rng, -0.5, 0.5),
                         r = ball.size[0];
            const double ground = tl_hfield_height(field.hfield, x, y);
            const tl_pose X = pose_at(x, y, ground + tl_rng_uniform(&rng, i % 3 ? 0 : -0.3, 1.1 * r));
            tl_contact_point c[TL_MANIFOLD_MAX];
            const int32_t got = tl_collide(&ball, &X, &field, &F, 0, c);
            const double d = point_field(X.p, tri, n), signed_d = X.p[2] > ground ? d : -d;
            if (signed_d >= r) {
                assert_int_equal(got, 0);
                continue;
            }
            assert_true(got > 0);
            const tl_contact_point* p = &c[deepest_of(c, got)];
            test_near("depth", &p->depth, &(double){r - signed_d}, 1, 1e-13, 1.0);
            for (int32_t k = 0; k < got; k++) {
                double e[3];
                sub3(e, X.p, c[k].pb);
                test_near("on the surface", &(double){point_field(c[k].pb, tri, n)}, &(double){0}, 1, 1e-13,
                          1.0);
                test_near("along the normal", &(double){fabs(dot3(e, c[k].normal))}, &(double){norm3(e)}, 1,
                          1e-13, 1.0);
                sub3(e, c[k].pb, c[k].pa);
                test_near("depth of the points", &(double){dot3(e, c[k].normal)}, &c[k].depth, 1, 1e-13, 1.0);
            }
            in += signed_d < 0;
            out += signed_d >= 0;
        }
        free_field(ctx, &field);
    }
    assert_true(in > 500 && out > 3000);
    talus_context_destroy(ctx);
}

// moved towards the ground by its distance, again and again: it never meets it
static void solids__near_contact_is_the_least_distance(void** state)
{
    (void)state;
    static double tri[2 * 11 * 14][3][3];
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 6);
    for (int32_t i = 0; i < 240; i++) {
        tl_shape field = make_field(ctx, 12, 15, 1.4, 1.1, 5, rough, &rng);
        const int32_t n = triangles(&field, tri);
        const tl_pose F = pose_at(0, 0, 0);
        tl_shape a = random_shape(&rng, i % 3 ? TL_SHAPE_BOX : TL_SHAPE_CAPSULE),
                 hull = {.type = TL_SHAPE_MESH};
        for (int k = 0; k < 3; k++)
            a.size[k] *= 0.4;
        memcpy(hull.size, a.size, sizeof a.size);
        hull.hull = box_hull(ctx, a.size);
        tl_pose X = random_pose(&rng, 0.4);
        X.p[2] = 1.5;
        for (int32_t step = 0; step < 6; step++) {
            double d = INFINITY;
            for (int32_t k = 0; k < n; k++)
                d = fmin(d, solid_triangle(&a, &X, tri[k]));
            assert_true(d > 0);
            for (int as_hull = 0; as_hull < (a.type == TL_SHAPE_BOX ? 2 : 1); as_hull++) {
                tl_contact_point c[TL_MANIFOLD_MAX];
                const int32_t got = tl_collide(as_hull ? &hull : &a, &X, &field, &F, 1.5 * d, c);
                if (got == 0)
                    fail_msg("pose %d, step %d, type %d: no point at distance %g", i, step, a.type, d);
                const tl_contact_point* p = &c[deepest_of(c, got)];
                test_near("distance", &(double){-p->depth}, &d, 1, 1e-9, 1.0);
                double e[3];
                sub3(e, p->pa, p->pb);
                test_near("along the normal", &(double){dot3(e, p->normal)}, &d, 1, 1e-9, 1.0);
            }
            X.p[2] -= 0.99 * d;
        }
        tl_free(ctx, (void*)hull.hull);
        free_field(ctx, &field);
    }
    talus_context_destroy(ctx);
}

// overlap of points p (n) and q (m) along unit d: how far q reaches beyond the start of p
static double overlap_of(const double (*p)[3], int n, const double (*q)[3], int m, const double* d)
{
    double start = INFINITY, end = -INFINITY;
    for (int i = 0; i < n; i++)
        start = fmin(start, dot3(p[i], d));
    for (int i = 0; i < m; i++)
        end = fmax(end, dot3(q[i], d));
    return end - start;
}

/// Least overlap of a box and the prism under a triangle over all separating axes; <= 0: apart.
static double box_prism(const tl_shape* a, const tl_pose* X, double v[3][3], double base)
{
    double box[8][3], prism[6][3], e[4][3], axis[3], least = INFINITY;
    for (int i = 0; i < 8; i++)
        to_world(X, i & 1 ? a->size[0] : -a->size[0], i & 2 ? a->size[1] : -a->size[1],
                 i & 4 ? a->size[2] : -a->size[2], box[i]);
    for (int i = 0; i < 3; i++) {
        copy3(prism[i], v[i]);
        copy3(prism[i + 3], v[i]);
        prism[i + 3][2] = -base;
        sub3(e[i], v[(i + 1) % 3], v[i]);
    }
    e[3][0] = e[3][1] = 0;
    e[3][2] = 1;
    double dirs[3 + 5 + 12][3];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            axis[i] = X->R[3 * i + k];
        copy3(dirs[n++], axis);
        for (int i = 0; i < 4; i++)
            cross3(dirs[n++], axis, e[i]);
    }
    cross3(dirs[n++], e[0], e[1]);
    copy3(dirs[n++], e[3]);
    for (int i = 0; i < 3; i++)
        cross3(dirs[n++], e[i], e[3]);
    for (int k = 0; k < n; k++)
        for (int side = 0; side < 2; side++) {
            if (normalize3(dirs[k]) < 1e-9)
                continue;
            for (int i = 0; i < 3; i++)
                dirs[k][i] = -dirs[k][i];
            least =
                fmin(least, overlap_of((const double(*)[3])box, 8, (const double(*)[3])prism, 6, dirs[k]));
        }
    return least;
}

// lowered to a few millimetres of overlap: the deepest point has the largest least overlap of all prisms. Two prisms
// may together be deeper than each, never shallower.
static void box__overlap_is_that_of_the_prisms(void** state)
{
    (void)state;
    static double tri[2 * 11 * 14][3][3];
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 9);
    int32_t equal = 0, count = 0;
    for (int32_t i = 0; i < 300; i++) {
        tl_shape field = make_field(ctx, 12, 15, 1.4, 1.1, 5, rough, &rng), hull = {.type = TL_SHAPE_MESH};
        const int32_t n = triangles(&field, tri);
        const tl_pose F = pose_at(0, 0, 0);
        tl_shape a = random_shape(&rng, TL_SHAPE_BOX);
        for (int k = 0; k < 3; k++)
            a.size[k] *= 0.4;
        memcpy(hull.size, a.size, sizeof a.size);
        hull.hull = box_hull(ctx, a.size);
        tl_pose X = random_pose(&rng, 0.3);
        X.p[2] = 1.5;
        for (int32_t step = 0; step < 12; step++) {
            double d = INFINITY;
            for (int32_t k = 0; k < n; k++)
                d = fmin(d, solid_triangle(&a, &X, tri[k]));
            X.p[2] -= d;
        }
        X.p[2] -= 0.003;
        double most = 0;
        for (int32_t k = 0; k < n; k++)
            most = fmax(most, box_prism(&a, &X, tri[k], 5));
        for (int as_hull = 0; as_hull < 2; as_hull++) {
            tl_contact_point c[TL_MANIFOLD_MAX];
            const int32_t got = tl_collide(as_hull ? &hull : &a, &X, &field, &F, 0, c);
            assert_true(got > 0);
            const double depth = c[deepest_of(c, got)].depth;
            assert_true(depth > most - 1e-9);
            equal += fabs(depth - most) < 1e-9;
            count++;
        }
        tl_free(ctx, (void*)hull.hull);
        free_field(ctx, &field);
    }
    if (equal < count - count / 50)
        fail_msg("%d of %d depths are those of one prism", equal, count);
    talus_context_destroy(ctx);
}

// ---- continuity -------------------------------------------------------------------------------------------------

static void ball__sinks_without_a_jump(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 7);
    double level = 0;
    const tl_pose F = pose_at(0, 0, 0);
    tl_contact_point c[TL_MANIFOLD_MAX];
    tl_shape ground = make_field(ctx, 11, 11, 1, 1, 1, flat, &level);
    const tl_shape small = {.type = TL_SHAPE_SPHERE, .size = {0.005}};
    for (int32_t i = 0; i <= 2400; i++) { // case C26
        const tl_pose X = pose_at(0.1, 0.04, 0.004 - 1e-5 * i);
        assert_int_equal(tl_collide(&small, &X, &ground, &F, 0, c), 1);
        test_near("signed distance", &(double){-c[0].depth}, &(double){X.p[2] - 0.005}, 1, 1e-15, 1.0);
        test_near1("normal", c[0].normal[2], 1.0, 1e-15);
    }
    free_field(ctx, &ground);
    const tl_shape ball = {.type = TL_SHAPE_SPHERE, .size = {0.1}};
    for (int32_t round = 0; round < 40; round++) {
        tl_shape field = make_field(ctx, 11, 11, 1, 1, 1, rough, &rng);
        const double x = tl_rng_uniform(&rng, -0.4, 0.4), y = tl_rng_uniform(&rng, -0.4, 0.4), dz = 1e-4;
        double before = NAN;
        for (int32_t i = 0; i < 3000; i++) {
            const tl_pose X = pose_at(x, y, 0.35 - dz * i);
            const int32_t n = tl_collide(&ball, &X, &field, &F, 0, c);
            if (n == 0) {
                assert_true(isnan(before));
                continue;
            }
            const double depth = c[deepest_of(c, n)].depth;
            if (!isnan(before) && !(depth - before <= dz * (1 + 1e-9) && depth >= before - 1e-12))
                fail_msg("depth from %.17g to %.17g in a step of %g", before, depth, dz);
            before = depth;
        }
        free_field(ctx, &field);
    }
    talus_context_destroy(ctx);
}

typedef struct fold {
    double slope, along; // z = slope |u|, u across a line turned by `along`
} fold;

static double folded(void* user, double x, double y)
{
    const fold* f = user;
    return f->slope * fabs(cos(f->along) * x + sin(f->along) * y);
}

// the sum of depths of a ball that crosses a fold at its resting height
static void ball__crosses_a_fold_with_one_force(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const double r = 0.1, delta = 1e-4, slopes[] = {-0.5, -0.02, -1e-3, -1e-5, 0, 1e-9, 1e-7, 1e-5, 1e-3};
    const double turns[] = {0, 1.5707963267948966, 2.356194490192345}; // along y, x and the diagonal
    const tl_pose F = pose_at(0, 0, 0);
    const tl_shape ball = {.type = TL_SHAPE_SPHERE, .size = {r}};
    for (int32_t k = 0; k < TL_COUNT(slopes); k++)
        for (int32_t t = 0; t < 3; t++) {
            fold f = {slopes[k], turns[t]};
            tl_shape field = make_field(ctx, 41, 41, 1, 1, 1, folded, &f);
            for (int32_t i = -400; i <= 400; i++) {
                // the centre at distance r - delta from the nearer side
                const double u = 1e-4 * i, cosine = 1 / sqrt(1 + f.slope * f.slope);
                double z = f.slope * fabs(u) + (r - delta) / cosine;
                if (f.slope < 0 && fabs(u) < -f.slope * cosine * (r - delta)) // over the crest
                    z = sqrt((r - delta) * (r - delta) - u * u);
                const tl_pose X = pose_at(cos(f.along) * u + 0.013 * sin(f.along),
                                          sin(f.along) * u - 0.013 * cos(f.along), z);
                tl_contact_point c[TL_MANIFOLD_MAX];
                const int32_t n = tl_collide(&ball, &X, &field, &F, 1e-3, c);
                double sum = 0;
                for (int32_t j = 0; j < n; j++)
                    sum += fmax(c[j].depth, 0);
                // a ridge is one contact; in a valley the other side counts by what stands out
                const double slack = f.slope > 0 ? 2 * r * f.slope * f.slope : 0;
                if (!(sum >= delta * (1 - 1e-9) && sum <= delta * (1 + 1e-9) + slack) ||
                    (f.slope <= 1e-6 && n != 1))
                    fail_msg("slope %g, turn %d, at %g: %d points, sum of depths %.17g, want %g", f.slope, t,
                             u, n, sum, delta);
            }
            free_field(ctx, &field);
        }
    // a steep valley holds on both sides
    fold f = {1, 0};
    tl_shape field = make_field(ctx, 41, 41, 1, 1, 1, folded, &f);
    const tl_pose X = pose_at(0, 0.013, (r - delta) * sqrt(2));
    tl_contact_point c[TL_MANIFOLD_MAX];
    assert_int_equal(tl_collide(&ball, &X, &field, &F, 0, c), 2);
    for (int j = 0; j < 2; j++) {
        test_near("depth", &c[j].depth, &delta, 1, 1e-14, 1.0);
        test_near("normal", &(double){fabs(c[j].normal[0])}, &(double){sqrt(0.5)}, 1, 1e-15, 1.0);
    }
    free_field(ctx, &field);
    talus_context_destroy(ctx);
}

// ---- borders and many cells -----------------------------------------------------------------------------------------

static void border__is_an_edge_and_a_side(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    double level = 0;
    tl_shape field = make_field(ctx, 11, 21, 1, 1, 0.5, flat, &level);
    const tl_pose F = pose_at(0, 0, 0);
    const tl_shape ball = {.type = TL_SHAPE_SPHERE, .size = {0.1}},
                   box = {.type = TL_SHAPE_BOX, .size = {0.3, 0.2, 0.1}};
    tl_contact_point c[TL_MANIFOLD_MAX];
    tl_pose X = pose_at(1.05, 0.02, 0.05); // over the border
    assert_int_equal(tl_collide(&ball, &X, &field, &F, 0, c), 1);
    test_near("edge depth", &c[0].depth, &(double){0.1 - 0.05 * sqrt(2)}, 1, 1e-15, 1.0);
    test_near("edge normal", c[0].normal, (double[]){sqrt(0.5), 0, sqrt(0.5)}, 3, 1e-14, 1.0);
    X = pose_at(1.04, 1.03, 0.05); // over the corner
    assert_int_equal(tl_collide(&ball, &X, &field, &F, 0, c), 1);
    test_near("corner depth", &c[0].depth, &(double){0.1 - 0.05 * sqrt(2)}, 1, 1e-15, 1.0);
    X = pose_at(0.3, -1.08, -0.2); // beside
    assert_int_equal(tl_collide(&ball, &X, &field, &F, 0, c), 1);
    test_near("side depth", &c[0].depth, &(double){0.02}, 1, 1e-15, 1.0);
    test_near("side normal", c[0].normal, (double[]){0, -1, 0}, 3, 1e-15, 1.0);
    X = pose_at(0.99, 0.3, -0.2); // in, nearest to a side
    assert_int_equal(tl_collide(&ball, &X, &field, &F, 0, c), 1);
    test_near("depth to the side", &c[0].depth, &(double){0.11}, 1, 1e-15, 1.0);
    test_near("normal of the side", c[0].normal, (double[]){1, 0, 0}, 3, 1e-15, 1.0);
    X = pose_at(0.3, 0.2, -0.7); // below
    assert_int_equal(tl_collide(&ball, &X, &field, &F, 0, c), 0);
    X = pose_at(0.9, 0.033, 0.1 - 1e-4); // a box over the border stands on two corners and the border
    assert_int_equal(tl_collide(&box, &X, &field, &F, 0, c), 4);
    double x = 0;
    for (int k = 0; k < 4; k++) {
        test_near("box depth", &c[k].depth, &(double){1e-4}, 1, 1e-15, 1.0);
        test_near("box normal", c[k].normal, (double[]){0, 0, 1}, 3, 1e-15, 1.0);
        x += c[k].pb[0];
    }
    test_near1("corners and border", x, 2 * 0.6 + 2 * 1.0, 1e-14);
    free_field(ctx, &field);
    talus_context_destroy(ctx);
}

static void box__has_few_points_on_many_cells(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    tl_rng rng;
    tl_rng_seed(&rng, 8);
    const tl_pose F = pose_at(0, 0, 0);
    double level = 0.5;
    tl_contact_point c[TL_MANIFOLD_MAX];
    tl_shape field = make_field(ctx, 100, 100, 1, 1, 1, flat, &level);
    const tl_shape inside = {.type = TL_SHAPE_BOX, .size = {0.8, 0.7, 0.1}},
                   beyond = {.type = TL_SHAPE_BOX, .size = {1.4, 1.3, 0.1}};
    tl_pose X = pose_at(0, 0, 0.6 - 1e-5);
    assert_int_equal(tl_collide(&inside, &X, &field, &F, 1e-4, c), 4);
    // over the whole field: its corners are there
    const int32_t n = tl_collide(&beyond, &X, &field, &F, 1e-4, c);
    assert_in_range(n, 4, TL_MANIFOLD_MAX);
    for (int corner = 0; corner < 4; corner++) {
        double nearest = INFINITY;
        for (int32_t i = 0; i < n; i++)
            nearest =
                fmin(nearest, hypot(c[i].pb[0] - (corner & 1 ? 1 : -1), c[i].pb[1] - (corner & 2 ? 1 : -1)));
        assert_true(nearest < 1e-12);
    }
    free_field(ctx, &field);
    // lowered onto rough ground by its distance, a little more: touching, and no more than the limit
    field = make_field(ctx, 100, 100, 1, 1, 1, rough, &rng);
    X.p[2] = 0.1 + field.hfield->high - 1e-3;
    assert_in_range(tl_collide(&inside, &X, &field, &F, 1e-4, c), 1, TL_MANIFOLD_MAX);
    free_field(ctx, &field);
    talus_context_destroy(ctx);
}

static void bad_grids__are_refused(void** state)
{
    (void)state;
    talus_context* ctx = test_context(1);
    const double half[2] = {1, 1}, none[2] = {0, 1}, z[4] = {0, 1, 2, 3}, nan[4] = {0, NAN, 0, 0};
    tl_hfield* h = NULL;
    assert_int_equal(tl_hfield_create(ctx, 1, 4, half, 1, z, &h), TALUS_ERR_ARG);
    assert_int_equal(tl_hfield_create(ctx, 2, 2, none, 1, z, &h), TALUS_ERR_ARG);
    assert_int_equal(tl_hfield_create(ctx, 2, 2, half, 0, z, &h), TALUS_ERR_ARG);
    assert_int_equal(tl_hfield_create(ctx, 2, 2, half, 1, nan, &h), TALUS_ERR_ARG);
    assert_null(h);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_field__is_a_plane),
        cmocka_unit_test(ball__has_the_distance_of_its_centre),
        cmocka_unit_test(solids__near_contact_is_the_least_distance),
        cmocka_unit_test(box__overlap_is_that_of_the_prisms),
        cmocka_unit_test(ball__sinks_without_a_jump),
        cmocka_unit_test(ball__crosses_a_fold_with_one_force),
        cmocka_unit_test(border__is_an_edge_and_a_side),
        cmocka_unit_test(box__has_few_points_on_many_cells),
        cmocka_unit_test(bad_grids__are_refused),
    };
    return cmocka_run_group_tests_name("hfield", tests, NULL, NULL);
}
