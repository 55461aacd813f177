// SPDX-License-Identifier: MIT
// Faces between two fields (theory: src/README.md#patches). Everything is computed in A's axes, with B placed
// there by (R, t), and turned to the world at the end; against a half space, in the axes of the other body.
//
//   compliant, compliant   for each pair of tetrahedra the plane p_A(x) = p_B(x), normal along grad p_A - grad
//                          p_B, cut by the four planes of both: a section of A's (3 or 4 corners) clipped by B's
//   compliant, rigid       the triangle clipped by the four planes of the tetrahedron
//   half space             the section of a tetrahedron by z = 0; a triangle clipped to z < 0
//
// Faces whose normal turns away from a gradient by 5 pi / 8 or more belong to another side of the body and are
// dropped; those with a gradient that is not positive along the normal are kept and counted: no contact is made
// from them (README.md#rims).
//
// Stages: boxes of the two trees against each other -> candidate pairs of elements -> clip each -> faces. The
// order of candidates follows the trees alone, so it is the same for equal poses.
#include "field.h"

#define NEAR 1e-12 // of the smaller body
#define ACROSS 1e-10
#define DOUBT 1e-9 // of the smaller body: corners nearer to a side are looked at with care
#define BLOCK 128
#define COS_TURNED (-0.38268343236508977) // cos(5 pi / 8)

static void turn(const double* R, const double* x, double* y)
{
    for (int i = 0; i < 3; i++)
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static void turn_back(const double* R, const double* x, double* y)
{
    for (int i = 0; i < 3; i++)
        y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

static void place(const tl_pose* Xa, const tl_pose* Xb, tl_placed* B)
{
    double d[3];
    sub3(d, Xb->p, Xa->p);
    turn_back(Xa->R, d, B->t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double s = 0.0;
            for (int k = 0; k < 3; k++)
                s += Xa->R[3 * k + i] * Xb->R[3 * k + j];
            B->R[3 * i + j] = s;
        }
}

/// A function (n, d) . (x, 1) of B's coordinates as one of A's.
static void place_plane(const tl_placed* B, const double* plane, double* out)
{
    turn(B->R, plane, out);
    out[3] = plane[3] - dot3(out, B->t);
}

// ---- polygons -------------------------------------------------------------------------------------------

typedef struct polygon {
    int32_t n;
    double x[TL_POLYGON_MAX][3]; // A's axes
    double normal[3];            // from B into A
} polygon;

/// Keep what lies on the side plane . (x, 1) >= 0 (Sutherland and Hodgman); corners on the plane are kept.
static void clip(polygon* q, const double* plane)
{
    double h[TL_POLYGON_MAX], out[TL_POLYGON_MAX + 1][3];
    bool inside = true;
    for (int32_t i = 0; i < q->n; i++) {
        h[i] = dot3(plane, q->x[i]) + plane[3];
        inside &= h[i] >= 0.0;
    }
    if (inside)
        return;
    int32_t n = 0;
    for (int32_t i = 0; i < q->n; i++) {
        const int32_t j = i + 1 < q->n ? i + 1 : 0;
        if (h[i] >= 0.0)
            copy3(out[n++], q->x[i]);
        if ((h[i] > 0.0 && h[j] < 0.0) || (h[i] < 0.0 && h[j] > 0.0)) {
            const double wi = h[j] / (h[j] - h[i]), wj = 1.0 - wi;
            for (int k = 0; k < 3; k++)
                out[n][k] = wi * q->x[i][k] + wj * q->x[j][k];
            n++;
        }
    }
    q->n = TL_MIN(n, TL_POLYGON_MAX);
    memcpy(q->x, out, sizeof(double) * 3 * (size_t)q->n);
}

/// Corners that coincide but for round-off, which planes through corners and edges leave, become one.
static void merge_corners(polygon* q, double near)
{
    int32_t n = 0;
    for (int32_t i = 0; i < q->n; i++) {
        double d[3];
        sub3(d, q->x[i], q->x[n > 0 ? n - 1 : q->n - 1]);
        if (dot3(d, d) > near * near)
            copy3(q->x[n++], q->x[i]);
    }
    q->n = n;
}

/// The section of a tetrahedron by the plane.
static void section(const double (*v)[3], const double* plane, polygon* q)
{
    // corners in the order of a positive tetrahedron, by which of them lie above
    static const int8_t edges[16][4][2] = {
        {{-1, -1}},
        {{0, 1}, {0, 2}, {0, 3}, {-1, -1}},
        {{1, 0}, {1, 3}, {1, 2}, {-1, -1}},
        {{0, 2}, {0, 3}, {1, 3}, {1, 2}},
        {{2, 0}, {2, 1}, {2, 3}, {-1, -1}},
        {{0, 1}, {2, 1}, {2, 3}, {0, 3}},
        {{1, 0}, {1, 3}, {2, 3}, {2, 0}},
        {{3, 0}, {3, 1}, {3, 2}, {-1, -1}},
        {{3, 0}, {3, 2}, {3, 1}, {-1, -1}},
        {{0, 1}, {0, 2}, {3, 2}, {3, 1}},
        {{1, 0}, {3, 0}, {3, 2}, {1, 2}},
        {{2, 0}, {2, 3}, {2, 1}, {-1, -1}},
        {{2, 0}, {2, 1}, {3, 1}, {3, 0}},
        {{1, 0}, {1, 2}, {1, 3}, {-1, -1}},
        {{0, 1}, {0, 3}, {0, 2}, {-1, -1}},
        {{-1, -1}},
    };
    double h[4];
    int above = 0;
    for (int i = 0; i < 4; i++) {
        h[i] = dot3(plane, v[i]) + plane[3];
        above |= (h[i] > 0.0) << i;
    }
    q->n = 0;
    copy3(q->normal, plane);
    for (int k = 0; k < 4 && edges[above][k][0] >= 0; k++) {
        const int i = edges[above][k][0], j = edges[above][k][1];
        const double s = h[i] / (h[i] - h[j]);
        for (int c = 0; c < 3; c++)
            q->x[q->n][c] = v[i][c] + s * (v[j][c] - v[i][c]);
        q->n++;
    }
}

static void corners(const tl_field* f, int32_t e, int32_t n, double (*v)[3])
{
    for (int32_t i = 0; i < n; i++)
        copy3(v[i], f->clip[e].x[i]);
}

static void corners_placed(const tl_placed* B, const tl_field* f, int32_t e, int32_t n, double (*v)[3])
{
    for (int32_t i = 0; i < n; i++) {
        turn(B->R, f->clip[e].x[i], v[i]);
        for (int k = 0; k < 3; k++)
            v[i][k] += B->t[k];
    }
}

/// The plane of the side opposite corner k of a positive tetrahedron, inward: through the placed corners
/// themselves, so that neighbours cut at the same places.
static void plane_through(const double (*v)[3], int k, double* plane)
{
    static const int8_t side[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double a[3], b[3];
    sub3(a, v[side[k][1]], v[side[k][0]]);
    sub3(b, v[side[k][2]], v[side[k][0]]);
    cross3(plane, b, a);
    normalize3(plane);
    plane[3] = -dot3(plane, v[side[k][0]]);
}

/// Pressure gradient along +n or -n; 0 where it is across n but for round-off, or p/g would be anything.
static double slope_along(const double* grad, const double* n, double sign)
{
    const double g = sign * dot3(grad, n);
    return fabs(g) > ACROSS * norm3(grad) ? g : 0.0;
}

static bool turned_away(const double* n, const double* grad)
{
    return dot3(n, grad) <= COS_TURNED * norm3(grad);
}

/// What one candidate gives: the polygon and the pressure on it, (grad, p0) . (x, 1), in A's axes.
typedef struct face {
    polygon q;
    double p[4];
    double ga, gb;
} face;

static bool equal_pressures(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb,
                            face* f)
{
    double pb[4], plane[4], v[4][3];
    const double* pa = a->clip[ea].grad;
    place_plane(B, b->clip[eb].grad, pb);
    for (int k = 0; k < 4; k++)
        plane[k] = pa[k] - pb[k];
    const double size = norm3(plane);
    if (!(size > 0.0))
        return false; // parallel fields: nowhere or everywhere equal
    for (int k = 0; k < 4; k++)
        plane[k] /= size;
    f->ga = slope_along(pa, plane, 1.0);
    f->gb = slope_along(pb, plane, -1.0);
    if (f->ga <= COS_TURNED * norm3(pa) || f->gb <= COS_TURNED * norm3(pb))
        return false;
    corners(a, ea, 4, v);
    section(v, plane, &f->q);
    merge_corners(&f->q, B->near);
    corners_placed(B, b, eb, 4, v);
    for (int k = 0; k < 4 && f->q.n >= 3; k++) {
        double side[4];
        plane_through(v, k, side);
        clip(&f->q, side);
        merge_corners(&f->q, B->near);
    }
    memcpy(f->p, pa, sizeof f->p);
    return f->q.n >= 3;
}

// a triangle of the rigid side inside a tetrahedron of the other; normals of the triangle point out of its body
static bool triangle_in_tet(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb,
                            face* f)
{
    const bool rigid_b = b->kind == TL_FIELD_RIGID;
    double n[4], v[3][3];
    if (rigid_b) {
        place_plane(B, b->clip[eb].grad, n);
        memcpy(f->p, a->clip[ea].grad, sizeof f->p);
        corners_placed(B, b, eb, 3, v);
    } else {
        copy3(n, a->clip[ea].grad);
        place_plane(B, b->clip[eb].grad, f->p);
        corners(a, ea, 3, v);
    }
    if (turned_away(n, f->p))
        return false;
    f->q.n = 3;
    memcpy(f->q.x, v, sizeof v);
    for (int k = 0; k < 4 && f->q.n >= 3; k++) {
        double side[4];
        if (rigid_b)
            memcpy(side, a->clip[ea].plane[k], sizeof side);
        else
            place_plane(B, b->clip[eb].plane[k], side);
        clip(&f->q, side);
    }
    const double g = slope_along(f->p, n, 1.0), sign = rigid_b ? 1.0 : -1.0;
    for (int k = 0; k < 3; k++)
        f->q.normal[k] = sign * n[k];
    f->ga = rigid_b ? g : INFINITY;
    f->gb = rigid_b ? INFINITY : g;
    return f->q.n >= 3;
}

/// A half space and the other body, which is B if `second`; `plane` is the boundary in that body's axes, normal outward.
typedef struct half_space {
    const tl_field* mesh;
    double plane[4], slope;
    bool second;
} half_space;

static bool tet_at_half_space(const half_space* h, int32_t e, face* f)
{
    double v[4][3];
    memcpy(f->p, h->mesh->clip[e].grad, sizeof f->p);
    corners(h->mesh, e, 4, v);
    if (turned_away(h->plane, f->p))
        return false;
    section(v, h->plane, &f->q);
    const double g = slope_along(f->p, h->plane, 1.0);
    for (int k = 0; k < 3 && h->second; k++)
        f->q.normal[k] = -h->plane[k];
    f->ga = h->second ? INFINITY : g;
    f->gb = h->second ? g : INFINITY;
    return f->q.n >= 3;
}

static bool triangle_in_half_space(const half_space* h, int32_t e, face* f)
{
    const double *n = h->mesh->clip[e].grad, sign = h->second ? 1.0 : -1.0;
    double below[4];
    for (int k = 0; k < 4; k++) {
        below[k] = -h->plane[k];
        f->p[k] = -h->slope * h->plane[k];
    }
    if (turned_away(n, f->p))
        return false;
    f->q.n = 3;
    corners(h->mesh, e, 3, f->q.x);
    clip(&f->q, below);
    const double g = slope_along(f->p, n, 1.0);
    for (int k = 0; k < 3; k++)
        f->q.normal[k] = sign * n[k];
    f->ga = h->second ? g : INFINITY;
    f->gb = h->second ? INFINITY : g;
    return f->q.n >= 3;
}

// ---- faces ----------------------------------------------------------------------------------------------

static talus_status reserve(talus_context* ctx, tl_patch* p, int64_t n, int64_t nvertex)
{
    if (n <= p->cap && nvertex <= p->vertex_cap)
        return TALUS_OK;
    const int64_t cap = TL_PADDED(TL_MAX(n + n / 2, p->cap)),
                  vcap = TL_PADDED(TL_MAX(nvertex + nvertex / 2, p->vertex_cap));
    const size_t bytes =
        (size_t)cap * (10 * sizeof(double) + 4 * sizeof(int32_t)) + (size_t)vcap * 4 * sizeof(double);
    char* memory = tl_alloc(ctx, bytes);
    if (!memory)
        return tl_nomem(ctx, bytes);
    tl_free(ctx, p->memory);
    p->memory = memory;
    p->cap = cap;
    p->vertex_cap = vcap;
    double* x = (double*)memory;
    p->centroid = x;
    p->normal = x + 3 * cap;
    p->area = x + 6 * cap;
    p->pressure = x + 7 * cap;
    p->ga = x + 8 * cap;
    p->gb = x + 9 * cap;
    p->vertex = x + 10 * cap;
    p->vertex_p = p->vertex + 3 * vcap;
    p->ea = (int32_t*)(p->vertex_p + vcap);
    p->eb = p->ea + cap;
    p->corner = p->eb + cap;
    p->nvertex = p->corner + cap;
    return TALUS_OK;
}

/// Area and centroid of a convex polygon, by triangles from its first corner.
static double measure(const polygon* q, double* centroid)
{
    double sum[3] = {0}, area = 0.0;
    for (int32_t i = 1; i + 1 < q->n; i++) {
        double u[3], v[3], w[3];
        sub3(u, q->x[i], q->x[0]);
        sub3(v, q->x[i + 1], q->x[0]);
        cross3(w, u, v);
        const double twice = norm3(w);
        area += 0.5 * twice;
        for (int k = 0; k < 3; k++)
            sum[k] += twice * (u[k] + v[k]);
    }
    for (int k = 0; k < 3; k++)
        centroid[k] = q->x[0][k] + (area > 0.0 ? sum[k] / (6.0 * area) : 0.0);
    return area;
}

static bool is_counter_clockwise(const polygon* q)
{
    double sum[3] = {0};
    for (int32_t i = 1; i + 1 < q->n; i++) {
        double u[3], v[3], w[3];
        sub3(u, q->x[i], q->x[0]);
        sub3(v, q->x[i + 1], q->x[0]);
        cross3(w, u, v);
        axpy3(sum, sum, 1.0, w);
    }
    return dot3(sum, q->normal) >= 0.0;
}

/// A face of A's axes to the world.
typedef struct measured {
    double area, centroid[3], normal[3], ga, gb, pressure;
} measured;

static void write_face(tl_patch* p, const tl_pose* Xa, const measured* m, int32_t ea, int32_t eb,
                       int32_t corner)
{
    const int32_t i = p->n++;
    p->area[i] = m->area;
    p->pressure[i] = m->pressure;
    turn(Xa->R, m->centroid, p->centroid + 3 * (int64_t)i);
    turn(Xa->R, m->normal, p->normal + 3 * (int64_t)i);
    axpy3(p->centroid + 3 * (int64_t)i, p->centroid + 3 * (int64_t)i, 1.0, Xa->p);
    p->ga[i] = m->ga;
    p->gb[i] = m->gb;
    p->ea[i] = ea;
    p->eb[i] = eb;
    p->corner[i] = corner;
    p->nvertex[i] = 0;
    if (!tl_patch_is_contact(p, i)) {
        p->left_out++;
        p->left_out_area += p->area[i];
    }
}

/// Corners of the last face.
static void write_corners(tl_patch* p, const tl_pose* Xa, const face* f, const polygon* q, int64_t* nvertex)
{
    p->nvertex[p->n - 1] = q->n;
    const bool backwards = !is_counter_clockwise(q);
    for (int32_t k = 0; k < q->n; k++, ++*nvertex) {
        const double* corner_k = q->x[backwards ? q->n - 1 - k : k];
        double* x = p->vertex + 3 * *nvertex;
        turn(Xa->R, corner_k, x);
        axpy3(x, x, 1.0, Xa->p);
        p->vertex_p[*nvertex] = dot3(f->p, corner_k) + f->p[3];
    }
}

static void write_polygon(tl_patch* p, const tl_pose* Xa, const face* f, const polygon* q, int32_t ea,
                          int32_t eb, int32_t corner, bool keep, int64_t* nvertex)
{
    measured m = {.ga = f->ga, .gb = f->gb};
    copy3(m.normal, q->normal);
    m.area = measure(q, m.centroid);
    m.pressure = dot3(f->p, m.centroid) + f->p[3];
    write_face(p, Xa, &m, ea, eb, corner);
    if (keep)
        write_corners(p, Xa, f, q, nvertex);
}

static void write_fan(tl_patch* p, const tl_pose* Xa, const face* f, int32_t ea, int32_t eb, bool keep,
                      int64_t* nvertex)
{
    double c[3];
    measure(&f->q, c);
    for (int32_t i = 0; i < f->q.n; i++) {
        polygon t = {.n = 3};
        copy3(t.normal, f->q.normal);
        copy3(t.x[0], f->q.x[i]);
        copy3(t.x[1], f->q.x[(i + 1) % f->q.n]);
        copy3(t.x[2], c);
        write_polygon(p, Xa, f, &t, ea, eb, i, keep, nvertex);
    }
}

static double longest_side(const tl_field* f)
{
    return f->box ? fmax(f->hi[0] - f->lo[0], fmax(f->hi[1] - f->lo[1], f->hi[2] - f->lo[2])) : INFINITY;
}

static bool is_half(const tl_field* f)
{
    return f->kind == TL_FIELD_HALF_COMPLIANT || f->kind == TL_FIELD_HALF_RIGID;
}

bool tl_patch_supported(const tl_field* a, const tl_field* b)
{
    const bool rigid_a = a->kind == TL_FIELD_RIGID || a->kind == TL_FIELD_HALF_RIGID;
    const bool rigid_b = b->kind == TL_FIELD_RIGID || b->kind == TL_FIELD_HALF_RIGID;
    if (is_half(a) || is_half(b))
        return !(is_half(a) && is_half(b)) && rigid_a != rigid_b;
    return !(rigid_a && rigid_b);
}

/// One query.
typedef struct query {
    const tl_field *a, *b;
    const tl_pose* X; // of the axes that faces are computed in
    tl_placed B;
    half_space half; // mesh NULL: both are meshes
    tl_patch_options options;
    tl_patch* out;
    int64_t nvertex;
} query;

static bool make_face(const query* q, int32_t ea, int32_t eb, face* f)
{
    const half_space* h = &q->half;
    if (h->mesh)
        return h->mesh->kind == TL_FIELD_COMPLIANT ? tet_at_half_space(h, h->second ? eb : ea, f)
                                                   : triangle_in_half_space(h, h->second ? eb : ea, f);
    if (q->a->kind == TL_FIELD_COMPLIANT && q->b->kind == TL_FIELD_COMPLIANT)
        return equal_pressures(q->a, q->b, &q->B, ea, eb, f);
    return triangle_in_tet(q->a, q->b, &q->B, ea, eb, f);
}

/// Face of a candidate, corner by corner.
static void clip_with_care(query* q, int32_t ea, int32_t eb)
{
    q->out->careful++;
    face f;
    if (!make_face(q, ea, eb, &f))
        return;
    if (q->options.triangles)
        write_fan(q->out, q->X, &f, ea, eb, q->options.vertices, &q->nvertex);
    else
        write_polygon(q->out, q->X, &f, &f.q, ea, eb, 0, q->options.vertices, &q->nvertex);
}

static void take_face(query* q, const double* row, int64_t ld, int32_t ea, int32_t eb)
{
    measured m = {.area = row[TL_CLIP_AREA * ld],
                  .ga = row[TL_CLIP_GA * ld],
                  .gb = row[TL_CLIP_GB * ld],
                  .pressure = row[TL_CLIP_PRESSURE * ld]};
    for (int k = 0; k < 3; k++) {
        m.centroid[k] = row[(TL_CLIP_CENTROID + k) * ld];
        m.normal[k] = row[(TL_CLIP_NORMAL + k) * ld];
    }
    write_face(q->out, q->X, &m, ea, eb, 0);
    face f;
    if (q->options.vertices && make_face(q, ea, eb, &f))
        write_corners(q->out, q->X, &f, &f.q, &q->nvertex);
}

// Candidates in blocks: those that do not meet are dropped, the others' faces are measured by the kernel; what it
// does not decide, and fans, go corner by corner.
static void clip_pairs(talus_context* ctx, query* q)
{
    const tl_kernels* kernels = tl_context_kernels(ctx);
    tl_clip_placed w = {.a = q->a->clip,
                        .b = q->b->clip,
                        .triangles = q->a->kind == TL_FIELD_RIGID   ? 1
                                     : q->b->kind == TL_FIELD_RIGID ? 2
                                                                    : 0,
                        .tolerance = DOUBT * q->out->size,
                        .turned = COS_TURNED,
                        .across = ACROSS};
    memcpy(w.R, q->B.R, sizeof w.R);
    memcpy(w.t, q->B.t, sizeof w.t);
    int32_t met[BLOCK][2];
    uint8_t state[BLOCK];
    double row[TL_CLIP_ROWS * BLOCK];
    for (int64_t first = 0; first < q->out->candidates; first += BLOCK) {
        const int32_t n = (int32_t)TL_MIN(q->out->candidates - first, BLOCK),
                      *pair = q->out->cand + 2 * first;
        int32_t m = 0;
        kernels->clip_meet(n, pair, &w, state);
        for (int32_t i = 0; i < n; i++)
            if (state[i]) {
                met[m][0] = pair[2 * i];
                met[m++][1] = pair[2 * i + 1];
            }
        q->out->met += m;
        if (q->options.triangles)
            memset(state, TL_CLIP_DOUBTFUL, sizeof state);
        else if (m > 0)
            kernels->tet_clip(m, met[0], &w, state, BLOCK, row);
        for (int32_t i = 0; i < m; i++)
            if (state[i] == TL_CLIP_FACE)
                take_face(q, row + i, BLOCK, met[i][0], met[i][1]);
            else if (state[i] == TL_CLIP_DOUBTFUL)
                clip_with_care(q, met[i][0], met[i][1]);
    }
}

// a half space: elements in blocks, sections of tetrahedra by the kernel
static void clip_elements(talus_context* ctx, query* q)
{
    const half_space* h = &q->half;
    tl_section_placed w = {.e = h->mesh->clip,
                           .tolerance = DOUBT * q->out->size,
                           .turned = COS_TURNED,
                           .across = ACROSS,
                           .second = h->second};
    memcpy(w.plane, h->plane, sizeof w.plane);
    uint8_t state[BLOCK];
    double row[TL_CLIP_ROWS * BLOCK];
    const bool by_kernel = h->mesh->kind == TL_FIELD_COMPLIANT && !q->options.triangles;
    memset(state, TL_CLIP_DOUBTFUL, sizeof state);
    for (int64_t first = 0; first < q->out->candidates; first += BLOCK) {
        const int32_t n = (int32_t)TL_MIN(q->out->candidates - first, BLOCK), *at = q->out->cand + first;
        if (by_kernel)
            tl_context_kernels(ctx)->tet_section(n, at, &w, state, BLOCK, row);
        for (int32_t i = 0; i < n; i++) {
            const int32_t ea = h->second ? 0 : at[i], eb = h->second ? at[i] : 0;
            if (state[i] == TL_CLIP_FACE)
                take_face(q, row + i, BLOCK, ea, eb);
            else if (state[i] == TL_CLIP_DOUBTFUL)
                clip_with_care(q, ea, eb);
        }
    }
}

// the boundary of the half space, seen from the other body's axes
static half_space place_half_space(const tl_field* a, const tl_field* b, const tl_placed* B)
{
    const double z[4] = {0.0, 0.0, 1.0, 0.0};
    half_space h = {.second = is_half(a)};
    h.mesh = h.second ? b : a;
    h.slope = (h.second ? a : b)->slope;
    if (h.second) {
        turn_back(B->R, z, h.plane);
        h.plane[3] = B->t[2];
    } else {
        place_plane(B, z, h.plane);
    }
    return h;
}

static talus_status find_at_half_space(talus_context* ctx, query* q, const tl_pose* Xb)
{
    q->half = place_half_space(q->a, q->b, &q->B);
    if (q->half.second)
        q->X = Xb;
    return tl_find_below(ctx, q->half.mesh, q->half.plane, q->out);
}

double tl_patch_overlap(const tl_field* a, const tl_pose* Xa, const tl_field* b, const tl_pose* Xb)
{
    tl_placed B;
    place(Xa, Xb, &B);
    if (!is_half(a) && !is_half(b))
        return tl_fields_overlap(a, b, &B);
    const half_space h = place_half_space(a, b, &B);
    return tl_field_below(h.mesh, h.plane);
}

static double steepest(const tl_field* f, int32_t e)
{
    return is_half(f) ? f->slope : f->kind == TL_FIELD_RIGID ? INFINITY : norm3(f->clip[e].grad);
}

// the force at rest is area times pressure with any gradients (README.md#rims)
static void steepen_rims(const query* q)
{
    tl_patch* p = q->out;
    p->left_out = 0;
    p->left_out_area = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        if (tl_patch_is_contact(p, i))
            continue;
        p->ga[i] = steepest(q->a, p->ea[i]);
        p->gb[i] = steepest(q->b, p->eb[i]);
        if (!tl_patch_is_contact(p, i)) {
            p->left_out++;
            p->left_out_area += p->area[i];
        }
    }
}

talus_status tl_patch_collide(talus_context* ctx, const tl_field* a, const tl_pose* Xa, const tl_field* b,
                              const tl_pose* Xb, const tl_patch_options* options, tl_patch* out)
{
    query q = {.a = a, .b = b, .X = Xa, .out = out};
    if (options)
        q.options = *options;
    out->n = out->left_out = 0;
    out->reused = false;
    out->boxes = out->candidates = out->met = out->careful = 0;
    out->left_out_area = out->t_trees = out->t_clip = 0.0;
    if (!tl_patch_supported(a, b))
        return tl_fail(ctx, TALUS_ERR_UNSUPPORTED, "no contact patch between these two kinds of fields");
    const double t0 = tl_now();
    place(Xa, Xb, &q.B);
    out->size = fmin(longest_side(a), longest_side(b));
    q.B.near = NEAR * out->size;
    const bool half = is_half(a) || is_half(b);
    TL_TRY(half ? find_at_half_space(ctx, &q, Xb) : tl_find_pairs(ctx, a, b, &q.B, q.options.cold, out));
    const double t1 = tl_now();
    const int64_t most = out->candidates * (q.options.triangles ? TL_POLYGON_MAX : 1);
    if (most > INT32_MAX / 8)
        return tl_fail(ctx, TALUS_ERR_UNSUPPORTED, "%lld faces in one patch are too many", (long long)most);
    TL_TRY(
        reserve(ctx, out, most, q.options.vertices ? most * (q.options.triangles ? 3 : TL_POLYGON_MAX) : 0));
    if (half)
        clip_elements(ctx, &q);
    else
        clip_pairs(ctx, &q);
    if (q.options.rims)
        steepen_rims(&q);
    out->t_trees = t1 - t0;
    out->t_clip = tl_now() - t1;
    return TALUS_OK;
}

// pairs of leaves in rising order, and of elements within each (pairs.c)
int tl_patch_compare(const tl_patch* p, int32_t i, const tl_patch* q, int32_t j)
{
    const int32_t x[4] = {p->ea[i] / TL_LEAF, p->eb[i] / TL_LEAF, p->ea[i], p->eb[i]},
                  y[4] = {q->ea[j] / TL_LEAF, q->eb[j] / TL_LEAF, q->ea[j], q->eb[j]};
    for (int k = 0; k < 4; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

void tl_patch_free(talus_context* ctx, tl_patch* p)
{
    tl_free(ctx, p->memory);
    tl_free(ctx, p->cand);
    tl_leaf_list_free(ctx, &p->leaves);
    *p = (tl_patch){0};
}

// pressure times normal over one face about a point: on a triangle a product of two linear functions integrates
// to area/12 (sum of products + product of sums)
static void add_exact_moment(const tl_patch* p, int32_t i, int64_t first, const double* about, double* moment)
{
    const double *x0 = p->vertex + 3 * first, *n = p->normal + 3 * (int64_t)i;
    double first_moment[3] = {0};
    for (int32_t k = 1; k + 1 < p->nvertex[i]; k++) {
        const int64_t v[3] = {first, first + k, first + k + 1};
        double u[3], w[3], c[3];
        sub3(u, p->vertex + 3 * v[1], x0);
        sub3(w, p->vertex + 3 * v[2], x0);
        cross3(c, u, w);
        const double area = 0.5 * norm3(c), sum = p->vertex_p[v[0]] + p->vertex_p[v[1]] + p->vertex_p[v[2]];
        for (int r = 0; r < 3; r++) {
            double products = 0.0, places = 0.0;
            for (int j = 0; j < 3; j++) {
                const double x = p->vertex[3 * v[j] + r] - about[r];
                products += x * p->vertex_p[v[j]];
                places += x;
            }
            first_moment[r] += area / 12.0 * (products + places * sum);
        }
    }
    double m[3];
    cross3(m, first_moment, n);
    axpy3(moment, moment, 1.0, m);
}

void tl_patch_total(const tl_patch* p, const double* about, tl_patch_sum* out)
{
    *out = (tl_patch_sum){.faces = p->n,
                          .left_out = p->left_out,
                          .left_out_area = p->left_out_area,
                          .candidates = p->candidates};
    int64_t first = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const double *c = p->centroid + 3 * (int64_t)i, *n = p->normal + 3 * (int64_t)i;
        const double f = p->area[i] * p->pressure[i];
        double arm[3], m[3];
        sub3(arm, c, about);
        cross3(m, arm, n);
        axpy3(out->force, out->force, f, n);
        axpy3(out->moment, out->moment, f, m);
        axpy3(out->centroid, out->centroid, p->area[i], c);
        out->area += p->area[i];
        if (tl_patch_is_contact(p, i))
            out->stiffness += p->area[i] / (1.0 / p->ga[i] + 1.0 / p->gb[i]);
        out->pressure_max = fmax(out->pressure_max, p->pressure[i]);
        if (p->nvertex[i])
            add_exact_moment(p, i, first, about, out->moment_exact);
        first += p->nvertex[i];
    }
    for (int k = 0; k < 3 && out->area > 0.0; k++)
        out->centroid[k] /= out->area;
}
