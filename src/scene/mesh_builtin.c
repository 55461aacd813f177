// SPDX-License-Identifier: MIT
// Meshes that MJCF makes itself (mesh attribute builtin, with params):
//
//     sphere n                  icosahedron, every triangle cut in four n times, vertices pushed to the unit
//     sphere hemisphere n              octahedral half with n + 1 rows, and a cap cone n r n-gons of radius 1
//     at z = -1 and r at z = 1 (a point for r = 0), as a hull supersphere n e1 e2       superquadric, n x n
//     supertorus n r s t        superquadric torus of minor radius r, n x n
#include "mesh.h"

#include <math.h>

#define PI 3.14159265358979323846

static talus_status want(const tl_spec* s, const tl_spec_mesh* m, int32_t n)
{
    return m->nparam == n ? TALUS_OK
                          : tl_mesh_bad(s, m, "builtin %s needs %d params, not %d", m->builtin, n, m->nparam);
}

static talus_status in_range(const tl_spec* s, const tl_spec_mesh* m, int i, double lo, double hi)
{
    if (m->params[i] >= lo && m->params[i] <= hi)
        return TALUS_OK;
    return tl_mesh_bad(s, m, "builtin %s: param %d is %g, expected %g to %g", m->builtin, i + 1, m->params[i],
                       lo, hi);
}

static void set_vertex(tl_spec_mesh* m, int64_t i, double x, double y, double z)
{
    m->vert[3 * i] = x;
    m->vert[3 * i + 1] = y;
    m->vert[3 * i + 2] = z;
}

static void set_face(tl_spec_mesh* m, int64_t* i, int32_t a, int32_t b, int32_t c)
{
    int32_t* f = m->face + 3 * (*i)++;
    f[0] = a;
    f[1] = b;
    f[2] = c;
}

// ---- sphere
// ----------------------------------------------------------------------------------------------------------

/// Index of the middle of edge (a, b), made when it is new; `seen` holds the middles of the lower vertex's
/// edges.
static int32_t middle(tl_spec_mesh* m, int32_t a, int32_t b, int32_t (*seen)[8][2])
{
    const int32_t lo = TL_MIN(a, b), hi = TL_MAX(a, b);
    int32_t k = 0;
    for (; k < 8 && seen[lo][k][1] != 0; k++)
        if (seen[lo][k][0] == hi)
            return seen[lo][k][1];
    // in single precision, as MuJoCo does, so that both have the same vertices
    float v[3], square = 0.0f;
    for (int i = 0; i < 3; i++)
        v[i] = ((float)m->vert[3 * a + i] + (float)m->vert[3 * b + i]) / 2.0f;
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const float length = sqrtf(square);
    const int32_t at = (int32_t)m->nvert++;
    set_vertex(m, at, v[0] / length, v[1] / length, v[2] / length);
    if (k < 8) {
        seen[lo][k][0] = hi;
        seen[lo][k][1] = at;
    }
    return at;
}

static talus_status make_sphere(tl_spec* s, tl_spec_mesh* m)
{
    static const int8_t start[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                        {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                        {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                        {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    TL_TRY(want(s, m, 1));
    TL_TRY(in_range(s, m, 0, 0, 4));
    const int32_t level = (int32_t)m->params[0];
    const int64_t nface = 20 * ((int64_t)1 << (2 * level)), nvert = nface / 2 + 2;
    TL_TRY(tl_mesh_resize(s, m, nvert, nface));
    int32_t(*seen)[8][2] = tl_arena_alloc(&s->memory, sizeof *seen * (size_t)nvert);
    int32_t* old = tl_arena_alloc(&s->memory, sizeof *old * 3 * (size_t)nface);
    if (!seen || !old)
        return tl_nomem(s->ctx, sizeof *seen * (size_t)nvert);
    const float phi = (float)((1.0 + sqrt(5.0)) / 2.0);
    const double norm = sqrt(1.0 + (double)(phi * phi));
    const float one = (float)(1.0f / norm), p = (float)(phi / norm);
    for (int i = 0; i < 4; i++) {
        const double a = i % 2 ? one : -one, b = i / 2 ? -p : p;
        set_vertex(m, i, a, b, 0.0);
        set_vertex(m, 4 + i, 0.0, a, b);
    }
    set_vertex(m, 8, p, 0.0, -one);
    set_vertex(m, 9, p, 0.0, one);
    set_vertex(m, 10, -p, 0.0, -one);
    set_vertex(m, 11, -p, 0.0, one);
    m->nvert = 12;
    m->nface = 20;
    for (int i = 0; i < 60; i++)
        m->face[i] = start[i / 3][i % 3];
    for (int32_t l = 0; l < level; l++) {
        memset(seen, 0, sizeof *seen * (size_t)nvert);
        memcpy(old, m->face, sizeof *old * 3 * (size_t)m->nface);
        const int64_t n = m->nface;
        m->nface = 0;
        for (int64_t i = 0; i < n; i++) {
            const int32_t *f = old + 3 * i, ab = middle(m, f[0], f[1], seen),
                          bc = middle(m, f[1], f[2], seen), ca = middle(m, f[2], f[0], seen);
            set_face(m, &m->nface, f[0], ab, ca);
            set_face(m, &m->nface, f[1], bc, ab);
            set_face(m, &m->nface, f[2], ca, bc);
            set_face(m, &m->nface, ab, bc, ca);
        }
    }
    return TALUS_OK;
}

// ---- hemisphere
// ------------------------------------------------------------------------------------------------------

static void hemisphere_vertices(tl_spec_mesh* m, int32_t res)
{
    static const double equator[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int64_t v = 0;
    set_vertex(m, v++, 0.0, 0.0, 1.0);
    for (int32_t row = 0; row <= res; row++)
        for (int side = 0; side < 4; side++) {
            const double t = (double)(row + 1) / (res + 1);
            const double *e0 = equator[side], *e1 = equator[(side + 1) % 4];
            for (int32_t i = 0; i < row + 1; i++) {
                const double u = (double)i / (row + 1);
                const double p[3] = {t * (e0[0] + u * (e1[0] - e0[0])), t * (e0[1] + u * (e1[1] - e0[1])),
                                     1.0 - t};
                const double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                set_vertex(m, v++, p[0] / n, p[1] / n, p[2] / n);
            }
        }
    set_vertex(m, v, 0.0, 0.0, 0.0);
}

static talus_status make_hemisphere(tl_spec* s, tl_spec_mesh* m)
{
    TL_TRY(want(s, m, 1));
    TL_TRY(in_range(s, m, 0, 0, 10));
    const int32_t res = (int32_t)m->params[0], rim = 4 * (res + 1);
    TL_TRY(tl_mesh_resize(s, m, 2 + 2 * (res + 1) * (res + 2), 4 * (res + 1) * (res + 1) + rim));
    hemisphere_vertices(m, res);
    int64_t f = 0;
    for (int32_t i = 0; i < 4; i++)
        set_face(m, &f, 0, 1 + i, 1 + (i + 1) % 4);
    for (int32_t row = 0; row < res; row++) {
        const int32_t here = 2 * row * (row + 1) + 1, nhere = 4 * (row + 1), next = here + nhere,
                      nnext = 4 * (row + 2);
        for (int32_t side = 0; side < 4; side++)
            for (int32_t i = 0; i < row + 2; i++) {
                const int32_t a = i + (row + 1) * side, b = i + (row + 2) * side;
                set_face(m, &f, here + a % nhere, next + b % nnext, next + (b + 1) % nnext);
                if (i < row + 1)
                    set_face(m, &f, here + a % nhere, next + (b + 1) % nnext, here + (a + 1) % nhere);
            }
    }
    const int32_t start = 2 * res * (res + 1) + 1;
    for (int32_t i = 0; i < rim; i++)
        set_face(m, &f, start + i, (int32_t)m->nvert - 1, start + (i + 1) % rim);
    return TALUS_OK;
}

// ---- cone, superquadrics
// ---------------------------------------------------------------------------------------------

static talus_status make_cone(tl_spec* s, tl_spec_mesh* m)
{
    TL_TRY(want(s, m, 2));
    TL_TRY(in_range(s, m, 0, 3, 10000));
    TL_TRY(in_range(s, m, 1, 0, 1));
    const int32_t n = (int32_t)m->params[0];
    const double r = m->params[1];
    TL_TRY(tl_mesh_resize(s, m, n + (r > 0.0 ? n : 1), 0));
    for (int32_t i = 0; i < n; i++) {
        set_vertex(m, i, cos(2 * i * PI / n), sin(2 * i * PI / n), -1.0);
        if (r > 0.0)
            set_vertex(m, n + i, r * cos(2 * (n + i) * PI / n), r * sin(2 * (n + i) * PI / n), 1.0);
    }
    if (!(r > 0.0))
        set_vertex(m, n, 0.0, 0.0, 1.0);
    return TALUS_OK;
}

static double spow(double x, double e)
{
    return copysign(pow(fabs(x), e), x);
}

static talus_status make_supersphere(tl_spec* s, tl_spec_mesh* m)
{
    TL_TRY(want(s, m, 3));
    TL_TRY(in_range(s, m, 0, 3, 2000));
    TL_TRY(in_range(s, m, 1, 0, 1e3));
    TL_TRY(in_range(s, m, 2, 0, 1e3));
    const int32_t n = (int32_t)m->params[0];
    const double e1 = m->params[1], e2 = m->params[2];
    TL_TRY(tl_mesh_resize(s, m, (n - 1) * n + 2, 2 * n * (n - 1)));
    int64_t v = 0, f = 0;
    set_vertex(m, v++, 0.0, 0.0, -1.0);
    for (int32_t i = 1; i < n; i++) {
        const double lat = -PI / 2 + i * PI / n;
        for (int32_t j = 0; j < n; j++) {
            const double lon = -PI + j * 2 * PI / n;
            set_vertex(m, v++, spow(cos(lat), e2) * spow(cos(lon), e1),
                       spow(cos(lat), e2) * spow(sin(lon), e1), spow(sin(lat), e2));
        }
    }
    set_vertex(m, v, 0.0, 0.0, 1.0);
    for (int32_t j = 0; j < n; j++) {
        const int32_t k = (j + 1) % n, last = 1 + (n - 2) * n;
        set_face(m, &f, 0, 1 + k, 1 + j);
        for (int32_t i = 0; i < n - 2; i++) {
            const int32_t row = 1 + i * n;
            set_face(m, &f, row + j, row + k, row + n + j);
            set_face(m, &f, row + k, row + n + k, row + n + j);
        }
        set_face(m, &f, last + j, last + k, (int32_t)v);
    }
    return TALUS_OK;
}

static talus_status make_supertorus(tl_spec* s, tl_spec_mesh* m)
{
    TL_TRY(want(s, m, 4));
    TL_TRY(in_range(s, m, 0, 3, 2000));
    TL_TRY(in_range(s, m, 1, 1e-12, 1));
    TL_TRY(in_range(s, m, 2, 1e-12, 1e3));
    TL_TRY(in_range(s, m, 3, 1e-12, 1e3));
    const int32_t n = (int32_t)m->params[0];
    const double r = m->params[1], e = m->params[2], t = m->params[3];
    TL_TRY(tl_mesh_resize(s, m, n * n, 2 * n * n));
    int64_t f = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            const double u = 2 * PI * i / n, v = 2 * PI * j / n, ring = 1 + r * spow(cos(v), e);
            const int32_t k = (i + 1) % n, l = (j + 1) % n;
            set_vertex(m, i * n + j, ring * spow(cos(u), t), ring * spow(sin(u), t), r * spow(sin(v), e));
            set_face(m, &f, i * n + j, k * n + j, i * n + l);
            set_face(m, &f, k * n + j, k * n + l, i * n + l);
        }
    return TALUS_OK;
}

bool tl_mesh_knows_builtin(const tl_spec_mesh* m)
{
    return strcmp(m->builtin, "wedge") != 0 && strcmp(m->builtin, "plate") != 0;
}

talus_status tl_mesh_make_builtin(tl_spec* s, tl_spec_mesh* m)
{
    if (strcmp(m->builtin, "sphere") == 0)
        return make_sphere(s, m);
    if (strcmp(m->builtin, "hemisphere") == 0)
        return make_hemisphere(s, m);
    if (strcmp(m->builtin, "cone") == 0)
        return make_cone(s, m);
    if (strcmp(m->builtin, "supersphere") == 0)
        return make_supersphere(s, m);
    if (strcmp(m->builtin, "supertorus") == 0)
        return make_supertorus(s, m);
    if (!tl_mesh_knows_builtin(m))
        return tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, m->at.file, m->at.line,
                          "<mesh %s>: builtin %s (for tactile sensors) is not made here", m->name,
                          m->builtin);
    return tl_mesh_bad(
        s, m,
        "unknown builtin '%.40s'; expected: sphere hemisphere cone supersphere supertorus wedge "
        "plate",
        m->builtin);
}
