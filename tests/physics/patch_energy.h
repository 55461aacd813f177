// SPDX-License-Identifier: MIT
// The energy of contact patches, computed without a patch. Where a rigid body reaches into a field p that is 0 on its own
// surface, and where two fields meet at p_A = p_B, the pressure on the patch is the gradient of
//
//   U(q) = integral of p over the overlap,   p = min(p_A, p_B) for two fields
//
// since moving a boundary by dx changes the integral by p n . dx over it, and p = 0 or p_A = p_B on all others. So kinetic
// energy, gravity and U have a sum that contact cannot raise. Each tetrahedron is cut by the planes of the other body.
#pragma once

#include "regress/scene.h"
#include "sim.h"

#define PLANES 6
typedef double vec[3];

static inline double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double* a, const double* b, double* out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline double height(const double* plane, const double* x)
{
    return dot(plane, x) + plane[3];
}

static inline double volume(vec x[4])
{
    vec e[3], c;
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++)
            e[k][r] = x[k + 1][r] - x[0][r];
    cross(e[1], e[2], c);
    return fabs(dot(e[0], c)) / 6.0;
}

// integral of the linear function with values p at the corners over what of a tetrahedron lies below all planes
static inline double integrate(vec x[4], const double p[4], double (*plane)[4], int32_t n)
{
    if (n == 0)
        return volume(x) * 0.25 * (p[0] + p[1] + p[2] + p[3]);
    double h[4], pc[6] = {0};
    vec c[6] = {{0}};
    int in[4], out[4], ni = 0, no = 0, m = 0;
    for (int i = 0; i < 4; i++) {
        h[i] = height(plane[0], x[i]);
        if (h[i] <= 0.0)
            in[ni++] = i;
        else
            out[no++] = i;
    }
    if (ni == 0)
        return 0.0;
    if (no == 0)
        return integrate(x, p, plane + 1, n - 1);
    // each corner below, then the cuts of its edges
    for (int a = 0; a < ni; a++)
        for (int b = -1; b < no; b++, m++) {
            const int i = in[a], j = b < 0 ? i : out[b];
            const double s = b < 0 ? 0.0 : h[i] / (h[i] - h[j]);
            for (int r = 0; r < 3; r++)
                c[m][r] = x[i][r] + s * (x[j][r] - x[i][r]);
            pc[m] = p[i] + s * (p[j] - p[i]);
        }
    static const int one[1][4] = {{0, 1, 2, 3}},                  // a corner, three cuts
        two[3][4] = {{0, 1, 2, 5}, {0, 1, 4, 5}, {0, 3, 4, 5}},   // twice a corner and two cuts
        three[3][4] = {{0, 2, 4, 1}, {2, 4, 1, 3}, {4, 1, 3, 5}}; // three times a corner and a cut
    const int(*tet)[4] = ni == 1 ? one : ni == 2 ? two : three;
    double sum = 0.0;
    for (int t = 0; t < (ni == 1 ? 1 : 3); t++) {
        vec y[4];
        double q[4];
        for (int k = 0; k < 4; k++) {
            memcpy(y[k], c[tet[t][k]], sizeof y[k]);
            q[k] = pc[tet[t][k]];
        }
        sum += integrate(y, q, plane + 1, n - 1);
    }
    return sum;
}

// ---- bodies at poses ----------------------------------------------------------------------------------------

/// A geom with a field at a pose, or a rigid body below `n` planes.
typedef struct body {
    const tl_field* field;
    double p[3], R[9];
    double plane[PLANES][4];
    int32_t n;
} body;

static inline void turn(const double* R, const double* x, double* y)
{
    for (int r = 0; r < 3; r++)
        y[r] = dot(R + 3 * r, x);
}

/// At position and quaternion q.
static inline void place(body* b, const double* q)
{
    memcpy(b->p, q, sizeof b->p);
    tl_quat_to_mat(q + 3, b->R);
}

static inline void corners(const body* b, int32_t element, int32_t n, vec* x, double* p)
{
    const double *vertex, *pressure;
    const int32_t* list;
    tl_field_get_mesh(b->field, &vertex, &list, &pressure);
    for (int32_t k = 0; k < n; k++) {
        const int64_t v = list[(int64_t)n * element + k];
        turn(b->R, vertex + 3 * v, x[k]);
        for (int r = 0; r < 3; r++)
            x[k][r] += b->p[r];
        if (p)
            p[k] = pressure[v];
    }
}

/// Planes of a tetrahedron, outward.
static inline void sides(vec x[4], double (*plane)[4])
{
    for (int k = 0; k < 4; k++) {
        const double *a = x[(k + 1) % 4], *b = x[(k + 2) % 4], *c = x[(k + 3) % 4];
        vec u, v;
        for (int r = 0; r < 3; r++) {
            u[r] = b[r] - a[r];
            v[r] = c[r] - a[r];
        }
        cross(u, v, plane[k]);
        plane[k][3] = -dot(plane[k], a);
        const double sign = height(plane[k], x[k]) > 0.0 ? -1.0 : 1.0;
        for (int r = 0; r < 4; r++)
            plane[k][r] *= sign;
    }
}

/// The linear function (g, c) . (x, 1) with values p at four corners.
static inline void linear(vec x[4], const double p[4], double* out)
{
    double side[4][4];
    sides(x, side);
    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 4; r++)
            out[r] += p[k] * side[k][r] / height(side[k], x[k]);
}

static inline int32_t elements(const body* b)
{
    return tl_field_get_info(b->field)->ne;
}

static inline double potential_below(const body* soft, const body* rigid)
{
    double sum = 0.0;
    for (int32_t e = 0; e < elements(soft); e++) {
        vec x[4];
        double p[4], plane[PLANES][4];
        corners(soft, e, 4, x, p);
        memcpy(plane, rigid->plane, sizeof plane);
        sum += integrate(x, p, plane, rigid->n);
    }
    return sum;
}

// half of min(p_A, p_B): what of `a` has the lower pressure
static inline double potential_lower(const body* a, const body* b)
{
    double sum = 0.0;
    for (int32_t i = 0; i < elements(a); i++) {
        vec x[4];
        double p[4], pa[4];
        corners(a, i, 4, x, p);
        linear(x, p, pa);
        for (int32_t j = 0; j < elements(b); j++) {
            vec y[4];
            double q[4], pb[4], plane[5][4];
            corners(b, j, 4, y, q);
            sides(y, plane);
            linear(y, q, pb);
            for (int r = 0; r < 4; r++)
                plane[4][r] = pa[r] - pb[r];
            sum += integrate(x, p, plane, 5);
        }
    }
    return sum;
}

static inline double potential(const body* a, const body* b)
{
    return b->n ? potential_below(a, b) : potential_lower(a, b) + potential_lower(b, a);
}

static inline body geom(const scene* s, const char* name)
{
    const int32_t g = talus_model_find(s->model, TALUS_GEOM, name);
    assert_true(g >= 0);
    body b = {.field = s->model->geom_field[g], .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    assert_non_null(b.field);
    return b;
}

/// The ground z < 0.
static inline body ground(void)
{
    return (body){.plane = {{0, 0, 1, 0}}, .n = 1};
}
