// SPDX-License-Identifier: MIT
// Faces corner by corner (contract: polygon.h), in the order of operations that finds Drake's faces also where
// elements are in special position: planes through corners, edges and sides of others.
#include "polygon.h"

// ---- polygons -------------------------------------------------------------------------------------------

/// Where the way from x, at height hx, to y meets the plane.
static void cross_plane(const double* x, double hx, const double* y, double hy, double* out)
{
    const double wx = hy / (hy - hx), wy = 1.0 - wx;
    for (int k = 0; k < 3; k++)
        out[k] = wx * x[k] + wy * y[k];
}

/// Keep what lies on the side plane . (x, 1) >= 0 (Sutherland and Hodgman); corners on the plane are kept.
/// @param side  of the edge that the plane leaves
static void clip(tl_polygon* q, const double* plane, int side)
{
    double h[TL_POLYGON_MAX], out[TL_POLYGON_MAX + 1][3];
    int8_t of[TL_POLYGON_MAX + 1];
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
        if (h[i] >= 0.0) {
            of[n] = h[i] == 0.0 && h[j] < 0.0 ? (int8_t)side : q->side[i];
            copy3(out[n++], q->x[i]);
        }
        if ((h[i] > 0.0 && h[j] < 0.0) || (h[i] < 0.0 && h[j] > 0.0)) {
            cross_plane(q->x[i], h[i], q->x[j], h[j], out[n]);
            of[n++] = h[i] > 0.0 ? (int8_t)side : q->side[i];
        }
    }
    q->n = TL_MIN(n, TL_POLYGON_MAX);
    memcpy(q->x, out, sizeof(double) * 3 * (size_t)q->n);
    memcpy(q->side, of, (size_t)q->n);
}

/// Corners that coincide but for round-off, which planes through corners and edges leave, become one; the edge between
/// them goes.
static void merge_corners(tl_polygon* q, double near)
{
    int32_t n = 0,
            after_last = -1; // side of the edge from the last corner on, where the first ones are the same
    for (int32_t i = 0; i < q->n; i++) {
        double d[3];
        sub3(d, q->x[i], q->x[n > 0 ? n - 1 : q->n - 1]);
        if (dot3(d, d) > near * near) {
            q->side[n] = q->side[i];
            copy3(q->x[n++], q->x[i]);
        } else if (n > 0) {
            q->side[n - 1] = q->side[i];
        } else {
            after_last = q->side[i];
        }
    }
    if (n > 0 && after_last >= 0)
        q->side[n - 1] = (int8_t)after_last;
    q->n = n;
}

// Edges that a plane cuts, one corner of the section each, in the order of a positive tetrahedron, by which of its corners
// lie above
static const int8_t edges_cut[16][4][2] = {
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

/// @return bit i: corner i lies above
static int heights(const double (*v)[3], const double* plane, double* h)
{
    int above = 0;
    for (int i = 0; i < 4; i++) {
        h[i] = dot3(plane, v[i]) + plane[3];
        above |= (h[i] > 0.0) << i;
    }
    return above;
}

static void cut_edge(const double (*v)[3], const double* h, const int8_t* edge, double* x)
{
    const int i = edge[0], j = edge[1];
    const double s = h[i] / (h[i] - h[j]);
    for (int c = 0; c < 3; c++)
        x[c] = v[i][c] + s * (v[j][c] - v[i][c]);
}

/// The side from edge to edge: opposite the corner that neither has.
static int side_between(const int8_t* e, const int8_t* next)
{
    const int on = 1 << e[0] | 1 << e[1] | 1 << next[0] | 1 << next[1];
    return on == 14 ? 0 : on == 13 ? 1 : on == 11 ? 2 : 3;
}

/// The section of a tetrahedron by the plane. @param first  0: of A, 4: of B
static void section(const double (*v)[3], const double* plane, int first, tl_polygon* q)
{
    double h[4];
    const int8_t(*edge)[2] = edges_cut[heights(v, plane, h)];
    copy3(q->normal, plane);
    for (q->n = 0; q->n < 4 && edge[q->n][0] >= 0; q->n++)
        cut_edge(v, h, edge[q->n], q->x[q->n]);
    for (int32_t k = 0; k < q->n; k++)
        q->side[k] = (int8_t)(first + side_between(edge[k], edge[k + 1 < q->n ? k + 1 : 0]));
}

/// The edge of that section on one side, where it has one.
static void section_edge(const double (*v)[3], const double* plane, int side, double (*x)[3])
{
    double h[4];
    const int8_t(*edge)[2] = edges_cut[heights(v, plane, h)];
    const int n = edge[3][0] < 0 ? 3 : 4;
    int first = 0;
    for (int k = 1; k < n; k++)
        first = side_between(edge[k], edge[k + 1 < n ? k + 1 : 0]) == side ? k : first;
    cut_edge(v, h, edge[first], x[0]);
    cut_edge(v, h, edge[first + 1 < n ? first + 1 : 0], x[1]);
}

static void corners(const tl_field* f, int32_t e, int32_t n, double (*v)[3])
{
    for (int32_t i = 0; i < n; i++)
        copy3(v[i], f->clip[e].x[i]);
}

static void corners_placed(const tl_placed* B, const tl_field* f, int32_t e, int32_t n, double (*v)[3])
{
    for (int32_t i = 0; i < n; i++) {
        turn3(v[i], B->R, f->clip[e].x[i]);
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
    return fabs(g) > TL_ACROSS * norm3(grad) ? g : 0.0;
}

static bool turned_away(const double* n, const double* grad)
{
    return dot3(n, grad) <= TL_COS_TURNED * norm3(grad);
}

/// The plane where both pressures are equal, normal towards A. @param pb (4) out: B's pressure in A's axes
/// @return its steepness, 0: there is no plane
static double equal_plane(const double* pa, const double* of_b, const tl_placed* B, double* pb, double* plane)
{
    tl_place_plane(B, of_b, pb);
    for (int k = 0; k < 4; k++)
        plane[k] = pa[k] - pb[k];
    const double size = norm3(plane);
    for (int k = 0; k < 4 && size > 0.0; k++)
        plane[k] /= size;
    return size;
}

/// The side of pressure 0, -1: none.
static int find_base(const tl_clip_element* e)
{
    return e->base[0] > 0.0 ? 0 : e->base[1] > 0.0 ? 1 : e->base[2] > 0.0 ? 2 : e->base[3] > 0.0 ? 3 : -1;
}

/// Where both have a side of pressure 0 these are one line, and round-off decides which of them is cut by which.
static void name_rim(const tl_clip_element* a, const tl_clip_element* b, tl_polygon* q)
{
    const int of_a = find_base(a);
    int at = -1;
    for (int32_t i = 0; i < q->n; i++) {
        if (q->side[i] == of_a)
            return;
        if (q->side[i] >= 4 && b->base[q->side[i] - 4] > 0.0)
            at = i;
    }
    if (of_a >= 0 && at >= 0)
        q->side[at] = (int8_t)of_a;
}

static bool equal_pressures(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb,
                            tl_face* f)
{
    double pb[4], plane[4], v[4][3];
    const double* pa = a->clip[ea].grad;
    if (!(equal_plane(pa, b->clip[eb].grad, B, pb, plane) > 0.0))
        return false; // parallel fields: nowhere or everywhere equal
    f->ga = slope_along(pa, plane, 1.0);
    f->gb = slope_along(pb, plane, -1.0);
    if (f->ga <= TL_COS_TURNED * norm3(pa) || f->gb <= TL_COS_TURNED * norm3(pb))
        return false;
    corners(a, ea, 4, v);
    section(v, plane, 0, &f->q);
    merge_corners(&f->q, TL_NEAR * B->size);
    corners_placed(B, b, eb, 4, v);
    for (int k = 0; k < 4 && f->q.n >= 3; k++) {
        double side[4];
        plane_through(v, k, side);
        clip(&f->q, side, 4 + k);
        merge_corners(&f->q, TL_NEAR * B->size);
    }
    name_rim(a->clip + ea, b->clip + eb, &f->q);
    memcpy(f->p, pa, sizeof f->p);
    return f->q.n >= 3;
}

// What equal_pressures does, for the one edge on A's side of pressure 0.
bool tl_rim_is_broken(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb)
{
    const tl_clip_element *A = a->clip + ea, *of_b = b->clip + eb;
    double pb[4], plane[4], v[4][3], x[2][3], y[2][3], side[4], h[2];
    equal_plane(A->grad, of_b->grad, B, pb, plane);
    section_edge(A->x, plane, find_base(A), x);
    for (int e = 0; e < 2; e++) { // in B's axes
        double d[3];
        sub3(d, x[e], B->t);
        turn_back3(y[e], B->R, d);
    }
    corners_placed(B, b, eb, 4, v);
    const int base = find_base(of_b);
    for (int k = 0; k < base; k++) {
        const double *rough = of_b->plane[k], inside = TL_DOUBT * B->size;
        if (fmin(dot3(rough, y[0]), dot3(rough, y[1])) + rough[3] > inside)
            continue;
        plane_through(v, k, side);
        for (int e = 0; e < 2; e++)
            h[e] = dot3(side, x[e]) + side[3];
        if (h[0] < 0.0 && h[1] < 0.0)
            return true;
        if (h[0] < 0.0 || h[1] < 0.0) {
            double cut[3];
            cross_plane(x[0], h[0], x[1], h[1], cut);
            copy3(x[h[0] < 0.0 ? 0 : 1], cut);
        }
    }
    plane_through(v, base, side);
    for (int e = 0; e < 2; e++)
        h[e] = dot3(side, x[e]) + side[3];
    return (h[0] > 0.0 && h[1] < 0.0) || (h[0] < 0.0 && h[1] > 0.0);
}

/// @param first  0: of A, 4: of B
static void start_triangle(tl_polygon* q, const double (*v)[3], int first)
{
    q->n = 3;
    for (int k = 0; k < 3; k++) {
        copy3(q->x[k], v[k]);
        q->side[k] = (int8_t)(first + k);
    }
}

// a triangle of the rigid side inside a tetrahedron of the other; normals of the triangle point out of its body
static bool triangle_in_tet(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb,
                            tl_face* f)
{
    const bool rigid_b = b->kind == TL_FIELD_RIGID;
    double n[4], v[3][3];
    if (rigid_b) {
        tl_place_plane(B, b->clip[eb].grad, n);
        memcpy(f->p, a->clip[ea].grad, sizeof f->p);
        corners_placed(B, b, eb, 3, v);
    } else {
        copy3(n, a->clip[ea].grad);
        tl_place_plane(B, b->clip[eb].grad, f->p);
        corners(a, ea, 3, v);
    }
    if (turned_away(n, f->p))
        return false;
    start_triangle(&f->q, v, rigid_b ? 4 : 0);
    for (int k = 0; k < 4 && f->q.n >= 3; k++) {
        double side[4];
        if (rigid_b)
            memcpy(side, a->clip[ea].plane[k], sizeof side);
        else
            tl_place_plane(B, b->clip[eb].plane[k], side);
        clip(&f->q, side, rigid_b ? k : 4 + k);
    }
    const double g = slope_along(f->p, n, 1.0), sign = rigid_b ? 1.0 : -1.0;
    for (int k = 0; k < 3; k++)
        f->q.normal[k] = sign * n[k];
    f->ga = rigid_b ? g : INFINITY;
    f->gb = rigid_b ? INFINITY : g;
    return f->q.n >= 3;
}

bool tl_face_of_pair(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb,
                     tl_face* f)
{
    if (a->kind == TL_FIELD_COMPLIANT && b->kind == TL_FIELD_COMPLIANT)
        return equal_pressures(a, b, B, ea, eb, f);
    return triangle_in_tet(a, b, B, ea, eb, f);
}

static bool tet_at_half_space(const tl_half_space* h, int32_t e, tl_face* f)
{
    double v[4][3];
    memcpy(f->p, h->mesh->clip[e].grad, sizeof f->p);
    corners(h->mesh, e, 4, v);
    if (turned_away(h->plane, f->p))
        return false;
    section(v, h->plane, h->second ? 4 : 0, &f->q);
    const double g = slope_along(f->p, h->plane, 1.0);
    for (int k = 0; k < 3 && h->second; k++)
        f->q.normal[k] = -h->plane[k];
    f->ga = h->second ? INFINITY : g;
    f->gb = h->second ? g : INFINITY;
    return f->q.n >= 3;
}

static bool triangle_in_half_space(const tl_half_space* h, int32_t e, tl_face* f)
{
    const double *n = h->mesh->clip[e].grad, sign = h->second ? 1.0 : -1.0;
    double below[4];
    for (int k = 0; k < 4; k++) {
        below[k] = -h->plane[k];
        f->p[k] = -h->slope * h->plane[k];
    }
    if (turned_away(n, f->p))
        return false;
    double v[3][3];
    corners(h->mesh, e, 3, v);
    start_triangle(&f->q, v, h->second ? 4 : 0);
    clip(&f->q, below, h->second ? 0 : 4);
    const double g = slope_along(f->p, n, 1.0);
    for (int k = 0; k < 3; k++)
        f->q.normal[k] = sign * n[k];
    f->ga = h->second ? g : INFINITY;
    f->gb = h->second ? INFINITY : g;
    return f->q.n >= 3;
}

bool tl_face_at_half_space(const tl_half_space* h, int32_t e, tl_face* f)
{
    return h->mesh->kind == TL_FIELD_COMPLIANT ? tet_at_half_space(h, e, f) : triangle_in_half_space(h, e, f);
}

double tl_polygon_measure(const tl_polygon* q, double* centroid)
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

bool tl_polygon_is_counter_clockwise(const tl_polygon* q)
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
