// SPDX-License-Identifier: MIT
// Fields: from primitives, tetrahedra, convex surfaces and triangle meshes to the arrays that queries read.
//
//   pressure in a tetrahedron   p(x) = grad . x + p0,  grad = sum_k p_k grad(lambda_k),
//                               grad(lambda_k) = (unit normal of the face opposite k, inward) / (height of k)
//
// Tetrahedra whose four vertices lie on the surface have zero pressure inside and would push with nothing:
// where the pressure is ours to choose they are split at their centroid; where it was given they are counted,
// and a mesh of nothing else is refused.
#include "field.h"

#define FLAT 1e-14 // volume over (longest edge)^3, area over (longest edge)^2: no element

static int32_t corners(const tl_field* f)
{
    return f->kind == TL_FIELD_COMPLIANT ? 4 : 3;
}

void tl_field_destroy(talus_context* ctx, tl_field* f)
{
    if (!f)
        return;
    void* const arrays[] = {f->x, f->element, f->p, f->clip, f->box, f->right, f->leaf};
    for (int32_t i = 0; i < TL_COUNT(arrays); i++)
        tl_free(ctx, arrays[i]);
    tl_free(ctx, f);
}

tl_field_kind tl_field_get_kind(const tl_field* f)
{
    return f->kind;
}

const tl_field_info* tl_field_get_info(const tl_field* f)
{
    return &f->info;
}

void tl_field_get_mesh(const tl_field* f, const double** x, const int32_t** element, const double** p)
{
    *x = f->x;
    *element = f->element;
    *p = f->p;
}

// ---- elements -------------------------------------------------------------------------------------------

static double longest_edge(const double* x, const int32_t* v, int32_t n)
{
    double most = 0.0, d[3];
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++) {
            sub3(d, x + 3 * (int64_t)v[i], x + 3 * (int64_t)v[j]);
            most = fmax(most, dot3(d, d));
        }
    return sqrt(most);
}

static double tet_volume(const double* x, const int32_t* v)
{
    double a[3], b[3], c[3], n[3];
    sub3(a, x + 3 * (int64_t)v[1], x + 3 * (int64_t)v[0]);
    sub3(b, x + 3 * (int64_t)v[2], x + 3 * (int64_t)v[0]);
    sub3(c, x + 3 * (int64_t)v[3], x + 3 * (int64_t)v[0]);
    cross3(n, a, b);
    return dot3(n, c) / 6.0;
}

static bool is_flat(const double* x, const int32_t* tet)
{
    const double l = longest_edge(x, tet, 4);
    return !(fabs(tet_volume(x, tet)) > FLAT * l * l * l);
}

// twice the area, and the unit normal
static double triangle_normal(const double* a, const double* b, const double* c, double* n)
{
    double u[3], v[3];
    sub3(u, b, a);
    sub3(v, c, a);
    cross3(n, u, v);
    return normalize3(n);
}

static void tet_planes(tl_field* f, int32_t e)
{
    static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const int32_t* v = f->element + 4 * (int64_t)e;
    double* grad = f->clip[e].grad;
    for (int k = 0; k < 4; k++) {
        const double* a = f->x + 3 * (int64_t)v[opposite[k][0]];
        double d[3], *plane = f->clip[e].plane[k];
        triangle_normal(a, f->x + 3 * (int64_t)v[opposite[k][1]], f->x + 3 * (int64_t)v[opposite[k][2]],
                        plane);
        sub3(d, f->x + 3 * (int64_t)v[k], a);
        double height = dot3(plane, d);
        for (int i = 0; i < 3 && height < 0.0; i++)
            plane[i] = -plane[i];
        height = fabs(height);
        plane[3] = -dot3(plane, a);
        for (int i = 0; i < 4; i++)
            grad[i] += f->p[v[k]] / height * plane[i];
        f->clip[e].rate[k] = f->p[v[k]] > 0.0 ? 1.0 / f->p[v[k]] : 0.0;
        f->clip[e].base[k] = f->p[v[opposite[k][0]]] == 0.0 && f->p[v[opposite[k][1]]] == 0.0 &&
                             f->p[v[opposite[k][2]]] == 0.0;
    }
}

// the normal, and planes on the sides that face the inside
static void triangle_planes(tl_clip_element* t)
{
    triangle_normal(t->x[0], t->x[1], t->x[2], t->grad);
    for (int k = 0; k < 3; k++) {
        double along[3];
        sub3(along, t->x[(k + 1) % 3], t->x[k]);
        cross3(t->plane[k], t->grad, along);
        normalize3(t->plane[k]);
        t->plane[k][3] = -dot3(t->plane[k], t->x[k]);
    }
}

// copy the elements that are any; tetrahedra turned so that their volume is positive
static void take_elements(tl_field* f, int32_t ne, const int32_t* element)
{
    const int32_t n = corners(f);
    for (int32_t e = 0; e < ne; e++) {
        int32_t* v = f->element + n * (int64_t)f->info.ne;
        memcpy(v, element + n * (int64_t)e, sizeof(int32_t) * (size_t)n);
        if (n == 4) {
            const double volume = tet_volume(f->x, v);
            if (is_flat(f->x, v)) {
                f->info.degenerate++;
                continue;
            }
            if (volume < 0.0) {
                const int32_t t = v[2];
                v[2] = v[3];
                v[3] = t;
                f->info.turned++;
            }
            f->info.volume += fabs(volume);
            f->info.without_pressure +=
                f->p[v[0]] == 0.0 && f->p[v[1]] == 0.0 && f->p[v[2]] == 0.0 && f->p[v[3]] == 0.0;
        } else {
            double normal[3];
            const double l = longest_edge(f->x, v, n);
            const double twice = triangle_normal(f->x + 3 * (int64_t)v[0], f->x + 3 * (int64_t)v[1],
                                                 f->x + 3 * (int64_t)v[2], normal);
            if (!(twice > FLAT * l * l)) {
                f->info.degenerate++;
                continue;
            }
            f->info.area += 0.5 * twice;
        }
        f->info.ne++;
    }
}

static talus_status check_input(talus_context* ctx, int32_t nv, const double* x, int32_t ne, int32_t n,
                                const int32_t* element, const double* p, const char* name)
{
    const char* what = n == 4 ? "tetrahedron" : "triangle";
    if (nv <= 0 || ne <= 0)
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: a mesh of %d vertices and %d elements has no surface", name,
                       nv, ne);
    int64_t bad = tl_first_nonfinite(x, 3 * (int64_t)nv);
    if (bad >= 0)
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: vertex %lld is not finite", name, (long long)(bad / 3));
    bad = p ? tl_first_nonfinite(p, nv) : -1;
    if (bad >= 0)
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: the pressure of vertex %lld is not finite", name,
                       (long long)bad);
    for (int32_t i = 0; p && i < nv; i++)
        if (p[i] < 0.0)
            return tl_fail(ctx, TALUS_ERR_INPUT,
                           "%s: the pressure of vertex %d is %g Pa, expected at least 0", name, i, p[i]);
    for (int64_t i = 0; i < n * (int64_t)ne; i++)
        if (element[i] < 0 || element[i] >= nv)
            return tl_fail(ctx, TALUS_ERR_INPUT, "%s: %s %lld names vertex %d, but there are %d", name, what,
                           (long long)(i / n), element[i], nv);
    return TALUS_OK;
}

static talus_status allocate(talus_context* ctx, tl_field* f, int32_t nv, int32_t ne, bool compliant)
{
    const size_t n = compliant ? 4 : 3;
    f->x = tl_alloc(ctx, sizeof(double) * 3 * (size_t)nv);
    f->element = tl_alloc(ctx, sizeof(int32_t) * n * (size_t)ne);
    f->clip = tl_calloc(ctx, sizeof *f->clip * (size_t)ne);
    f->p = compliant ? tl_alloc(ctx, sizeof(double) * (size_t)nv) : NULL;
    if (!f->x || !f->element || !f->clip || (compliant && !f->p))
        return tl_nomem(ctx, (size_t)ne * sizeof *f->clip);
    return TALUS_OK;
}

// ---- surfaces -------------------------------------------------------------------------------------------

typedef struct side {
    int32_t v[3];   // sorted
    int32_t tri[3]; // outward
} side;

static int compare_sides(const void* x, const void* y)
{
    const side *a = x, *b = y;
    for (int k = 0; k < 3; k++)
        if (a->v[k] != b->v[k])
            return a->v[k] < b->v[k] ? -1 : 1;
    return 0;
}

// all sides of those that are not flat, equal ones together. Flat ones would have their neighbours' sides for a
// surface.
static talus_status sorted_sides(talus_context* ctx, int32_t ne, const int32_t* tet, const double* x,
                                 side** out, int32_t* count)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    side* s = tl_alloc(ctx, sizeof(side) * 8 * (size_t)ne);
    if (!s)
        return tl_nomem(ctx, sizeof(side) * 8 * (size_t)ne);
    int32_t n = 0;
    for (int32_t i = 0; i < 4 * ne; i++) {
        const int32_t* v = tet + 4 * (int64_t)(i / 4);
        if (is_flat(x, v))
            continue;
        const bool reversed = tet_volume(x, v) < 0.0;
        side* t = s + n++;
        for (int k = 0; k < 3; k++)
            t->v[k] = t->tri[k] = v[faces[i % 4][reversed ? 2 - k : k]];
        for (int k = 0; k < 2; k++) // sort three numbers
            for (int j = 0; j < 2 - k; j++)
                if (t->v[j] > t->v[j + 1]) {
                    const int32_t swap = t->v[j];
                    t->v[j] = t->v[j + 1];
                    t->v[j + 1] = swap;
                }
    }
    tl_sort(s, n, sizeof(side), compare_sides, s + 4 * (int64_t)ne);
    *out = s;
    *count = n;
    return TALUS_OK;
}

static int32_t equal_sides(const side* s, int32_t i, int32_t count)
{
    int32_t n = 1;
    while (i + n < count && compare_sides(s + i, s + i + n) == 0)
        n++;
    return n;
}

talus_status tl_surface_of(talus_context* ctx, int32_t ne, const int32_t* tet, const double* x, int32_t** tri,
                           int32_t* nt)
{
    side* s = NULL;
    int32_t count = 0;
    *tri = tl_alloc(ctx, sizeof(int32_t) * 12 * (size_t)ne);
    const talus_status status =
        *tri ? sorted_sides(ctx, ne, tet, x, &s, &count) : tl_nomem(ctx, sizeof(int32_t) * 12 * (size_t)ne);
    if (status < 0) {
        tl_free(ctx, *tri);
        *tri = NULL;
        return status;
    }
    *nt = 0;
    for (int32_t i = 0, n; i < count; i += n) {
        n = equal_sides(s, i, count);
        if (n == 1)
            memcpy(*tri + 3 * (int64_t)(*nt)++, s[i].tri, sizeof s[i].tri);
    }
    tl_free(ctx, s);
    return TALUS_OK;
}

// the side of v[0] first tells which way round: two tetrahedra across a side name it in opposite ways
static bool are_opposite(const side* a, const side* b)
{
    int i = 0, j = 0;
    while (a->tri[i] != a->v[0])
        i++;
    while (b->tri[j] != b->v[0])
        j++;
    return a->tri[(i + 1) % 3] == b->tri[(j + 2) % 3];
}

// What bounds the pressure at a depth (trees.c): the steepest gradient, and the largest pressure where a path out
// of an element does not enter its neighbour. A little more, for the round-off of gradients of flat elements.
static talus_status bound_pressure(talus_context* ctx, tl_field* f)
{
    side* s = NULL;
    int32_t count = 0;
    TL_TRY(sorted_sides(ctx, f->info.ne, f->element, f->x, &s, &count));
    for (int32_t i = 0, n; i < count; i += n) {
        n = equal_sides(s, i, count);
        for (int k = 0; k < 3 && !(n == 2 && are_opposite(s + i, s + i + 1)); k++)
            f->p_surface = fmax(f->p_surface, f->p[s[i].v[k]]);
    }
    for (int32_t e = 0; e < f->info.ne; e++)
        f->slope = fmax(f->slope, 1.05 * norm3(f->clip[e].grad));
    tl_free(ctx, s);
    return TALUS_OK;
}

// ---- making -----------------------------------------------------------------------------------------------

static talus_status fill(talus_context* ctx, tl_field* f, int32_t nv, const double* x, int32_t ne,
                         const int32_t* element, const double* p, const char* name)
{
    TL_TRY(allocate(ctx, f, nv, ne, p != NULL));
    f->info.nv = nv;
    memcpy(f->x, x, sizeof(double) * 3 * (size_t)nv);
    if (p)
        memcpy(f->p, p, sizeof(double) * (size_t)nv);
    take_elements(f, ne, element);
    if (f->info.ne == 0)
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: all %d elements are flat", name, ne);
    if (p && f->info.without_pressure == f->info.ne)
        return tl_fail(ctx, TALUS_ERR_INPUT,
                       "%s: all %d tetrahedra have zero pressure: no vertex lies inside", name, f->info.ne);
    for (int64_t i = 0; p && i < 4 * (int64_t)f->info.ne; i++)
        f->p_most = fmax(f->p_most, p[f->element[i]]);
    TL_TRY(tl_field_boxes(ctx, f)); // puts elements in order
    for (int32_t e = 0; e < f->info.ne; e++) {
        const int32_t n = corners(f);
        for (int32_t k = 0; k < n; k++)
            copy3(f->clip[e].x[k], f->x + 3 * (int64_t)f->element[n * (int64_t)e + k]);
        if (p) {
            tet_planes(f, e);
        } else {
            triangle_planes(f->clip + e);
            copy3(f->clip[e].x[3], f->clip[e].x[2]);
        }
    }
    f->key = tl_hash(f->clip, sizeof *f->clip * (size_t)f->info.ne, (uint64_t)f->kind);
    return p ? bound_pressure(ctx, f) : TALUS_OK;
}

talus_status tl_field_make(talus_context* ctx, int32_t nv, const double* x, int32_t ne,
                           const int32_t* element, const double* p, const char* name, tl_field** out)
{
    TL_TRY(check_input(ctx, nv, x, ne, p ? 4 : 3, element, p, name));
    tl_field* f = tl_calloc(ctx, sizeof *f);
    if (!f)
        return tl_nomem(ctx, sizeof *f);
    f->ctx = ctx;
    f->kind = p ? TL_FIELD_COMPLIANT : TL_FIELD_RIGID;
    f->info.kind = p ? TALUS_FIELD_COMPLIANT : TALUS_FIELD_RIGID;
    const talus_status status = fill(ctx, f, nv, x, ne, element, p, name);
    if (status < 0) {
        tl_field_destroy(ctx, f);
        return status;
    }
    *out = f;
    return TALUS_OK;
}

// a rigid field from the surface of a volume mesh, with the vertices that it uses
static talus_status rigid_surface(talus_context* ctx, const tl_tet_mesh* m, const char* name, tl_field** out)
{
    int32_t *tri = NULL, nt = 0, nv = 0;
    TL_TRY(tl_surface_of(ctx, m->ne, m->tet, m->x, &tri, &nt));
    int32_t* number = tl_alloc(ctx, sizeof(int32_t) * (size_t)m->nv);
    double* x = tl_alloc(ctx, sizeof(double) * 3 * (size_t)m->nv);
    talus_status status = number && x ? TALUS_OK : tl_nomem(ctx, sizeof(double) * 3 * (size_t)m->nv);
    if (status >= 0) {
        memset(number, 0xff, sizeof(int32_t) * (size_t)m->nv);
        for (int32_t i = 0; i < 3 * nt; i++) {
            int32_t* k = number + tri[i];
            if (*k < 0) {
                copy3(x + 3 * (int64_t)nv, m->x + 3 * (int64_t)tri[i]);
                *k = nv++;
            }
            tri[i] = *k;
        }
        status = tl_field_make(ctx, nv, x, nt, tri, NULL, name, out);
    }
    tl_free(ctx, tri);
    tl_free(ctx, number);
    tl_free(ctx, x);
    return status;
}

// ---- from shapes and files ------------------------------------------------------------------------------

static talus_status half_space(talus_context* ctx, const tl_field_spec* spec, tl_field** out)
{
    tl_field* f = tl_calloc(ctx, sizeof *f);
    if (!f)
        return tl_nomem(ctx, sizeof *f);
    f->ctx = ctx;
    f->kind = spec->kind == TL_FIELD_COMPLIANT ? TL_FIELD_HALF_COMPLIANT : TL_FIELD_HALF_RIGID;
    f->info.kind = spec->kind == TL_FIELD_COMPLIANT ? TALUS_FIELD_COMPLIANT : TALUS_FIELD_RIGID;
    f->slope = spec->kind == TL_FIELD_COMPLIANT ? spec->modulus / spec->thickness : INFINITY;
    f->p_most = spec->kind == TL_FIELD_COMPLIANT ? spec->modulus : 0.0;
    *out = f;
    return TALUS_OK;
}

static bool is_positive(double x)
{
    return x > 0.0 && x <= 1e300;
}

talus_status tl_field_from_shape(talus_context* ctx, const tl_shape* shape, const tl_field_spec* spec,
                                 const char* name, tl_field** out)
{
    const bool compliant = spec->kind == TL_FIELD_COMPLIANT;
    if (!compliant && spec->kind != TL_FIELD_RIGID)
        return tl_fail(ctx, TALUS_ERR_ARG, "%s: a field is compliant or rigid", name);
    if (compliant && !is_positive(spec->modulus))
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: E = %g Pa, expected a positive hydroelastic modulus", name,
                       spec->modulus);
    if (shape->type == TL_SHAPE_PLANE) {
        if (compliant && !is_positive(spec->thickness))
            return tl_fail(ctx, TALUS_ERR_INPUT,
                           "%s: thickness = %g m, a compliant half space needs a positive one", name,
                           spec->thickness);
        return half_space(ctx, spec, out);
    }
    if (shape->type != TL_SHAPE_BOX && !is_positive(spec->hint))
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: hint = %g m, expected a positive edge length", name,
                       spec->hint);
    tl_tet_mesh m = {.ctx = ctx};
    talus_status status = tl_mesh_shape(&m, shape, compliant ? spec->modulus : 1.0, spec->hint);
    if (status == TALUS_ERR_UNSUPPORTED)
        status = tl_fail(ctx, status, "%s: no field is made from a shape of type %d", name, shape->type);
    else if (status >= 0 && compliant)
        status = tl_field_make(ctx, m.nv, m.x, m.ne, m.tet, m.p, name, out);
    else if (status >= 0)
        status = rigid_surface(ctx, &m, name, out);
    tl_mesh_free(&m);
    return status;
}

talus_status tl_field_from_triangles(talus_context* ctx, int32_t nv, const double* x, int32_t nt,
                                     const int32_t* tri, const char* name, tl_field** out)
{
    return tl_field_make(ctx, nv, x, nt, tri, NULL, name, out);
}

talus_status tl_field_from_convex(talus_context* ctx, int32_t nv, const double* x, int32_t nt,
                                  const int32_t* tri, double modulus, const char* name, tl_field** out)
{
    TL_TRY(check_input(ctx, nv, x, nt, 3, tri, NULL, name));
    double* y = tl_alloc(ctx, sizeof(double) * 4 * ((size_t)nv + 1));
    int32_t* tet = tl_alloc(ctx, sizeof(int32_t) * 4 * (size_t)nt);
    talus_status status = y && tet ? TALUS_OK : tl_nomem(ctx, sizeof(double) * 4 * (size_t)nv);
    if (status >= 0) {
        double *p = y + 3 * ((int64_t)nv + 1), *c = y + 3 * (int64_t)nv, volume = 0.0;
        memcpy(y, x, sizeof(double) * 3 * (size_t)nv);
        memset(p, 0, sizeof(double) * ((size_t)nv + 1));
        p[nv] = modulus;
        // centroid of the volume, by tetrahedra to the first vertex
        double sum[3] = {0};
        for (int32_t t = 0; t < nt; t++) {
            const int32_t v[4] = {tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], 0};
            const double w = -tet_volume(x, v);
            volume += w;
            for (int k = 0; k < 3; k++)
                sum[k] +=
                    0.25 * w *
                    (x[3 * (int64_t)v[0] + k] + x[3 * (int64_t)v[1] + k] + x[3 * (int64_t)v[2] + k] + x[k]);
            memcpy(tet + 4 * (int64_t)t, v, 3 * sizeof *v);
            tet[4 * (int64_t)t + 3] = nv;
        }
        for (int k = 0; k < 3; k++)
            c[k] = sum[k] / volume;
        if (!(fabs(volume) > 0.0) || tl_first_nonfinite(c, 3) >= 0)
            status = tl_fail(ctx, TALUS_ERR_INPUT, "%s: the surface encloses no volume", name);
        else
            status = tl_field_make(ctx, nv + 1, y, nt, tet, p, name, out);
    }
    tl_free(ctx, y);
    tl_free(ctx, tet);
    return status;
}

// squared distance of x to the triangle (a, b, c) (Ericson, Real-Time Collision Detection 5.1.5)
static double triangle_distance2(const double* x, const double* a, const double* b, const double* c)
{
    double ab[3], ac[3], ap[3], bp[3], cp[3], q[3];
    sub3(ab, b, a);
    sub3(ac, c, a);
    sub3(ap, x, a);
    sub3(bp, x, b);
    sub3(cp, x, c);
    const double d1 = dot3(ab, ap), d2 = dot3(ac, ap), d3 = dot3(ab, bp), d4 = dot3(ac, bp),
                 d5 = dot3(ab, cp), d6 = dot3(ac, cp);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double s, t;
    if (d1 <= 0.0 && d2 <= 0.0)
        s = t = 0.0;
    else if (d3 >= 0.0 && d4 <= d3)
        s = 1.0, t = 0.0;
    else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
        s = d1 / (d1 - d3), t = 0.0;
    else if (d6 >= 0.0 && d5 <= d6)
        s = 0.0, t = 1.0;
    else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
        s = 0.0, t = d2 / (d2 - d6);
    else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6)), s = 1.0 - t;
    else
        s = vb / (va + vb + vc), t = vc / (va + vb + vc);
    for (int k = 0; k < 3; k++)
        q[k] = ap[k] - s * ab[k] - t * ac[k];
    return dot3(q, q);
}

// pressures E d / max d from distances d to the surface, and tetrahedra of surface vertices split
static talus_status choose_pressure(tl_tet_mesh* m, double modulus, const char* name, int32_t* split)
{
    int32_t *tri = NULL, nt = 0;
    TL_TRY(tl_surface_of(m->ctx, m->ne, m->tet, m->x, &tri, &nt));
    for (int32_t i = 0; i < m->nv; i++)
        m->p[i] = 1.0;
    for (int32_t i = 0; i < 3 * nt; i++)
        m->p[tri[i]] = 0.0;
    talus_status status = TALUS_OK;
    const int32_t ne = m->ne;
    for (int32_t e = 0; e < ne && status >= 0; e++) {
        int32_t v[4];
        memcpy(v, m->tet + 4 * (int64_t)e, sizeof v);
        if (m->p[v[0]] + m->p[v[1]] + m->p[v[2]] + m->p[v[3]] > 0.0)
            continue;
        const int32_t c = m->nv;
        if (TL_GROW(m->ctx, m->x, m->vcap, 3 * (int64_t)c, 3 * (int64_t)c + 3) < 0 ||
            TL_GROW(m->ctx, m->p, m->pcap, c, (int64_t)c + 1) < 0 ||
            TL_GROW(m->ctx, m->tet, m->ecap, 4 * (int64_t)m->ne, 4 * (int64_t)m->ne + 12) < 0) {
            status = TALUS_ERR_NOMEM;
            break;
        }
        for (int k = 0; k < 3; k++)
            m->x[3 * (int64_t)c + k] = 0.25 * (m->x[3 * (int64_t)v[0] + k] + m->x[3 * (int64_t)v[1] + k] +
                                               m->x[3 * (int64_t)v[2] + k] + m->x[3 * (int64_t)v[3] + k]);
        m->p[c] = 1.0;
        m->nv++;
        for (int k = 0; k < 4; k++) {
            int32_t w[4] = {v[0], v[1], v[2], v[3]};
            w[k] = c;
            memcpy(m->tet + 4 * (int64_t)(k ? m->ne++ : e), w, sizeof w);
        }
        ++*split;
    }
    double most = 0.0;
    for (int32_t i = 0; i < m->nv && status >= 0; i++) {
        if (m->p[i] == 0.0)
            continue;
        double d2 = INFINITY;
        for (int32_t t = 0; t < nt; t++)
            d2 = fmin(d2, triangle_distance2(m->x + 3 * (int64_t)i, m->x + 3 * (int64_t)tri[3 * t],
                                             m->x + 3 * (int64_t)tri[3 * t + 1],
                                             m->x + 3 * (int64_t)tri[3 * t + 2]));
        m->p[i] = sqrt(d2);
        most = fmax(most, m->p[i]);
    }
    tl_free(m->ctx, tri);
    if (status >= 0 && !(most > 0.0))
        return tl_fail(m->ctx, TALUS_ERR_INPUT, "%s: no vertex lies inside the surface", name);
    for (int32_t i = 0; i < m->nv; i++)
        m->p[i] *= modulus / most;
    return status;
}

talus_status tl_field_from_tets(talus_context* ctx, int32_t nv, const double* x, int32_t ne,
                                const int32_t* tet, const double* p, double modulus, const char* name,
                                tl_field** out)
{
    TL_TRY(check_input(ctx, nv, x, ne, 4, tet, p, name));
    if (p)
        return tl_field_make(ctx, nv, x, ne, tet, p, name, out);
    if (!is_positive(modulus))
        return tl_fail(ctx, TALUS_ERR_INPUT, "%s: E = %g Pa, expected a positive hydroelastic modulus", name,
                       modulus);
    tl_tet_mesh m = {.ctx = ctx};
    int32_t split = 0;
    talus_status status = TL_GROW(ctx, m.x, m.vcap, 0, 3 * (int64_t)nv);
    if (status >= 0)
        status = TL_GROW(ctx, m.p, m.pcap, 0, nv);
    if (status >= 0)
        status = TL_GROW(ctx, m.tet, m.ecap, 0, 4 * (int64_t)ne);
    if (status >= 0) {
        memcpy(m.x, x, sizeof(double) * 3 * (size_t)nv);
        m.nv = nv;
        int32_t flat = 0;
        for (int32_t e = 0; e < ne; e++) {
            const int32_t* v = tet + 4 * (int64_t)e;
            if (!is_flat(x, v))
                memcpy(m.tet + 4 * (int64_t)m.ne++, v, 4 * sizeof *v);
            else
                flat++;
        }
        status = m.ne ? choose_pressure(&m, modulus, name, &split)
                      : tl_fail(ctx, TALUS_ERR_INPUT, "%s: all %d tetrahedra are flat", name, ne);
        if (status >= 0)
            status = tl_field_make(ctx, m.nv, m.x, m.ne, m.tet, m.p, name, out);
        if (status >= 0) {
            (*out)->info.degenerate += flat;
            (*out)->info.without_pressure = split;
        }
    }
    tl_mesh_free(&m);
    return status;
}

double tl_field_depth(const tl_field* f)
{
    return f->p_most > 0.0 ? f->p_most / f->slope : INFINITY;
}
