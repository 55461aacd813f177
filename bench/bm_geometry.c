// SPDX-License-Identifier: MIT
// Geometry: nanoseconds a pair, for every pair of types, shallow and just apart; each type on flat and on rough height
// fields with many cells under it; broad phase of a dense pile and of one shape among many at rest.
#include "geometry.h"
#include "shim.h"

#include <math.h>
#include <stdio.h>

enum { POOL = 256 };

typedef struct pair_data {
    tl_shape a[POOL], b[POOL];
    tl_pose Xa[POOL], Xb[POOL];
} pair_data;

static void random_rotation(tl_rng* r, double* R)
{
    double q[4], s = 0.0;
    for (int k = 0; k < 4; k++) {
        q[k] = tl_rng_normal(r);
        s += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(s);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

// random shapes brought along a line to a depth (or gap) of 1 % of their size
static void make_pairs(pair_data* d, int32_t ta, int32_t tb, double depth)
{
    tl_rng r;
    tl_rng_seed(&r, (uint64_t)(100 * ta + tb));
    for (int i = 0; i < POOL; i++) {
        d->a[i].type = ta;
        d->b[i].type = tb;
        double dir[3], s = 0.0;
        for (int k = 0; k < 3; k++) {
            d->a[i].size[k] = tl_rng_uniform(&r, 0.5, 1.0);
            d->b[i].size[k] = tl_rng_uniform(&r, 0.5, 1.0);
            dir[k] = tl_rng_normal(&r);
            s += dir[k] * dir[k];
        }
        random_rotation(&r, d->Xa[i].R);
        random_rotation(&r, d->Xb[i].R);
        double lo = 0.0, hi = 5.0;
        tl_contact_point pt[TL_MANIFOLD_MAX];
        for (int it = 0; it < 40; it++) {
            const double mid = 0.5 * (lo + hi);
            for (int k = 0; k < 3; k++) {
                d->Xa[i].p[k] = 0.0;
                d->Xb[i].p[k] = (ta == TL_SHAPE_PLANE ? d->Xa[i].R[3 * k + 2] : dir[k] / sqrt(s)) * mid;
            }
            const int32_t n = tl_collide(&d->a[i], &d->Xa[i], &d->b[i], &d->Xb[i], 0.0, pt);
            double deepest = n > 0 ? 0.0 : -1.0;
            for (int32_t j = 0; j < n; j++)
                deepest = fmax(deepest, pt[j].depth);
            if (deepest > fmax(depth, 0.0))
                lo = mid;
            else
                hi = mid;
        }
        for (int k = 0; k < 3 && depth < 0.0; k++)
            d->Xb[i].p[k] *= 1.01;
    }
}

static void run_pairs(bm_state* s, void* user)
{
    const pair_data* d = user;
    int64_t i = 0, points = 0, calls = 0;
    tl_contact_point pt[TL_MANIFOLD_MAX];
    while (bm_next(s)) {
        const int64_t k = i++ % POOL;
        points += tl_collide(&d->a[k], &d->Xa[k], &d->b[k], &d->Xb[k], 0.0, pt);
        calls++;
        bm_clobber();
    }
    bm_counter(s, "points", (double)points / (double)calls);
}

typedef struct ground_data {
    int32_t type, n; // n x n cells under the shape
    bool rough;
} ground_data;

// a shape of half a metre upright on a field of 2 x 2 m
static void run_ground(bm_state* s, void* user)
{
    const ground_data* d = user;
    const int32_t side = 2 * d->n + 1;
    const double half[2] = {1.0, 1.0};
    talus_context* ctx;
    tl_hfield* h;
    double* z = calloc((size_t)side * (size_t)side, sizeof *z);
    tl_rng r;
    tl_rng_seed(&r, 2);
    for (int32_t i = 0; i < side * side && d->rough; i++)
        z[i] = tl_rng_uniform(&r, 0.0, 0.5 / d->n);
    if (talus_context_create(NULL, &ctx) < 0 || tl_hfield_create(ctx, side, side, half, 1.0, z, &h) < 0) {
        bm_fail(s, "out of memory");
        return;
    }
    const tl_shape a = {.type = d->type, .size = {0.5, 0.5, 0.5}}, b = {.type = TL_SHAPE_HFIELD, .hfield = h};
    const double reach = d->type == TL_SHAPE_CAPSULE ? 1.0 : 0.5;
    const tl_pose Xa = {.p = {0.01, 0.02, reach + h->high - 0.005}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                  Xb = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tl_contact_point pt[TL_MANIFOLD_MAX];
    int32_t points = 0;
    while (bm_next(s)) {
        points = tl_collide(&a, &Xa, &b, &Xb, 0.0, pt);
        bm_clobber();
    }
    bm_counter(s, "points", points);
    free(z);
    tl_free(ctx, h);
    talus_context_destroy(ctx);
}

typedef struct broad_data {
    int32_t n, moving; // the first `moving` shapes move
} broad_data;

static void run_broad(bm_state* s, void* user)
{
    const broad_data* d = user;
    talus_context* ctx;
    tl_broad* b;
    const tl_pair* pairs;
    int32_t npairs = 0, side = (int32_t)ceil(cbrt(d->n)), step = 0;
    if (talus_context_create(NULL, &ctx) < 0 || tl_broad_create(ctx, d->n, &b) < 0) {
        bm_fail(s, "out of memory");
        return;
    }
    double *lo = malloc(6 * sizeof *lo * (size_t)d->n), *hi = lo + 3 * d->n;
    uint8_t* flag = calloc((size_t)d->n, 1);
    tl_rng r;
    tl_rng_seed(&r, 1);
    for (int32_t i = 0; i < d->n; i++) {
        const int32_t at[3] = {i % side, i / side % side, i / side / side};
        flag[i] = i < d->moving;
        for (int k = 0; k < 3; k++) { // spheres of diameter 1, a little closer than touching
            lo[3 * i + k] = at[k] - 0.52 + tl_rng_uniform(&r, -0.05, 0.05);
            hi[3 * i + k] = lo[3 * i + k] + 1.04;
        }
    }
    while (bm_next(s)) {
        const double dx = step++ % 2 ? 1e-3 : -1e-3;
        for (int32_t i = 0; i < d->moving; i++) {
            lo[3 * i] += dx;
            hi[3 * i] += dx;
        }
        if (tl_broad_update(b, lo, hi, flag, NULL, NULL, &pairs, &npairs) < 0)
            bm_fail(s, "update");
        bm_clobber();
    }
    bm_counter(s, "pairs", npairs);
    bm_counter(s, "ns_per_shape", 1e9 * bm_seconds(s) / d->moving);
    free(lo);
    free(flag);
    tl_broad_destroy(b);
    talus_context_destroy(ctx);
}

int main(int argc, char** argv)
{
    static const char* names[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box"};
    static pair_data data[6][6][2];
    static broad_data broad[] = {{216, 216}, {1000, 1000}, {5000, 5000}, {6401, 1}, {1, 1}};
    char name[128];
    for (int32_t ta = 0; ta < 6; ta++)
        for (int32_t tb = ta; tb < 6; tb++)
            for (int k = 0; k < 2; k++) {
                if (!tl_collide_supported(ta, tb))
                    continue;
                make_pairs(&data[ta][tb][k], ta, tb, k ? -0.01 : 0.01);
                snprintf(name, sizeof name, "bm_geometry_pair/%s_%s/%s/t:1", names[ta], names[tb],
                         k ? "apart" : "shallow");
                bm_register(name, run_pairs, &data[ta][tb][k]);
            }
    static ground_data ground[5][3][2];
    for (int32_t type = TL_SHAPE_SPHERE; type <= TL_SHAPE_BOX; type++)
        for (int k = 0; k < 6; k++) {
            ground_data* g = &ground[type - 1][k / 2][k % 2];
            *g = (ground_data){type, k / 2 == 0 ? 1 : k / 2 == 1 ? 10 : 100, k % 2};
            snprintf(name, sizeof name, "bm_geometry_hfield/%s/%s/n:%d/t:1", names[type],
                     k % 2 ? "rough" : "flat", g->n * g->n);
            bm_register(name, run_ground, g);
        }
    for (size_t i = 0; i < sizeof broad / sizeof *broad; i++) {
        snprintf(name, sizeof name, "bm_geometry_broad/%s/n:%d/t:1",
                 broad[i].moving > 1 ? "pile" : "one_moves", broad[i].n);
        bm_unit(bm_register(name, run_broad, &broad[i]), "us");
    }
    return bm_main(argc, argv);
}
