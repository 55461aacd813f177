// SPDX-License-Identifier: MIT
// Faces of pressure fields, TL_LANES pairs at a time. Names: x corners, h their height over the face's plane, e
// their distances from the other element's sides.
//
// The section of a tetrahedron has a segment on each side that the plane meets. Going round a side, a corner above
// is followed by one below once (the segment starts) and one below by one above once (it ends); seen over all sides
// segments join end to start, counter-clockwise about the plane's normal. Edges that are not crossed give quotients of no
// meaning, which are never chosen.
#include "tet_clip.h"
#include "simd.h"

#include <math.h>

/// A column for each number of tl_clip_element, in its order.
typedef struct element {
    tl_vd x[4][3], grad[4], plane[4][4], base[4], rate[4];
    tl_vm always[4]; // sides of pressure 0, which need no test: see the contract
} element;

/// y = R x + t
typedef struct frame {
    tl_vd R[9], t[3];
} frame;

/// A point with its distances from the other element's sides.
typedef struct point {
    tl_vd x[3], e[4];
} point;

static inline tl_vd dot(const tl_vd* a, const tl_vd* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

enum { CORNERS = 0, PLANES = 16, BASE = 32, END = 40 };

/// Numbers first .. last - 1 of the element: multiples of 8.
static inline void load(const tl_clip_element* const* from, int first, int last, element* out)
{
    const double* row[TL_LANES];
    for (int k = first; k < last; k += 8) {
        for (int l = 0; l < TL_LANES; l++)
            row[l] = (const double*)from[l] + k;
        tl_columns(row, (tl_vd*)out + k);
    }
}

static inline void turn(const frame* B, const tl_vd* x, tl_vd* y)
{
    for (int i = 0; i < 3; i++)
        y[i] = B->R[3 * i] * x[0] + B->R[3 * i + 1] * x[1] + B->R[3 * i + 2] * x[2];
}

static inline void place_point(const frame* B, tl_vd* x)
{
    tl_vd y[3];
    turn(B, x, y);
    for (int k = 0; k < 3; k++)
        x[k] = y[k] + B->t[k];
}

static inline void place_plane(const frame* B, tl_vd* p)
{
    tl_vd y[3];
    turn(B, p, y);
    p[3] = p[3] - dot(y, B->t);
    for (int k = 0; k < 3; k++)
        p[k] = y[k];
}

static inline void place_corners(const frame* B, element* e)
{
    for (int i = 0; i < 4; i++)
        place_point(B, e->x[i]);
}

static inline void place_planes(const frame* B, element* e)
{
    for (int i = 0; i < 4; i++)
        place_plane(B, e->plane[i]);
    place_plane(B, e->grad);
}

static inline void load_frame(const double* R, const double* t, frame* B)
{
    for (int i = 0; i < 9; i++)
        B->R[i] = tl_set(R[i]);
    for (int i = 0; i < 3; i++)
        B->t[i] = tl_set(t[i]);
}

static inline void choose(const int32_t* pair, int32_t i, int32_t n, const tl_clip_placed* w,
                          const tl_clip_element** a, const tl_clip_element** b)
{
    for (int l = 0; l < TL_LANES; l++) { // lanes past the end repeat the last pair
        const int32_t j = i + l < n ? i + l : n - 1;
        a[l] = w->a + pair[2 * j];
        b[l] = w->b + pair[2 * j + 1];
    }
}

static inline tl_vd height(const tl_vd* plane, const tl_vd* x)
{
    return dot(plane, x) + plane[3];
}

/// The plane of equal pressures, normal towards A. @return its steepness: 0 where there is no plane
static inline tl_vd equal_plane(const tl_vd* pa, const tl_vd* pb, tl_vd* plane)
{
    for (int k = 0; k < 4; k++)
        plane[k] = pa[k] - pb[k];
    const tl_vd size = tl_sqrt(dot(plane, plane));
    for (int k = 0; k < 4; k++)
        plane[k] = plane[k] / size;
    return size;
}

// a rigid surface cuts sides of pressure 0 like any other
static inline void find_base(element* e, int32_t rigid)
{
    for (int k = 0; k < 4; k++)
        e->always[k] = rigid ? tl_none() : tl_lt((tl_vd){0}, e->base[k]);
}

// ---- sections ---------------------------------------------------------------------------------------------

static const int8_t edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
// the edges along the sides, outward
static const int8_t corner_of[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const int8_t edge_of[4][3] = {{3, 5, 4}, {2, 5, 1}, {0, 4, 2}, {1, 3, 0}};

static inline tl_vm is_crossed(const tl_vm* up, int i)
{
    return tl_xor(up[edges[i][0]], up[edges[i][1]]);
}

static inline void cross_edges(const point* corner, const tl_vd* h, int planes, point* at)
{
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        const point *a = corner + edges[i][0], *b = corner + edges[i][1];
        const tl_vd ha = h[edges[i][0]], s = ha / (ha - h[edges[i][1]]);
#pragma GCC unroll 6
        for (int k = 0; k < 3; k++)
            at[i].x[k] = a->x[k] + s * (b->x[k] - a->x[k]);
#pragma GCC unroll 6
        for (int k = 0; k < planes; k++)
            at[i].e[k] = a->e[k] + s * (b->e[k] - a->e[k]);
    }
}

static inline tl_vd pick(tl_vm first, tl_vm second, tl_vd a, tl_vd b, tl_vd c)
{
    return tl_select(first, a, tl_select(second, b, c));
}

// ---- sums over the boundary -------------------------------------------------------------------------------

typedef struct sums {
    tl_vd plane[4], origin[3];
    tl_vd twice, moment[3], size; // sum of n . (p x q), of that times p + q, of its absolute value
    tl_vm doubt, any;
    tl_vd tolerance;
} sums;

/// What bounds the face on one side of an element: a to b from the origin of the sums.
typedef struct side {
    tl_vd a[3], b[3];
    tl_vm is;
} side;

/// The part of p to q inside all `planes`. @param keep out, NULL: not wanted
static inline __attribute__((always_inline)) void add_segment(sums* s, tl_vm is, const point* p,
                                                              const point* q, int planes, side* keep)
{
    const tl_vd zero = {0};
    tl_vd from = zero, to = tl_set(1.0);
    tl_vm out = tl_none(), near = tl_none();
#pragma GCC unroll 6
    for (int k = 0; k < planes; k++) {
        const tl_vd ep = p->e[k], eq = q->e[k], at = ep / (ep - eq);
        const tl_vm p_out = tl_lt(ep, zero), q_out = tl_lt(eq, zero);
        from = tl_select(tl_and_not(p_out, q_out), tl_max(at, from), from);
        to = tl_select(tl_and_not(q_out, p_out), tl_select(tl_lt(at, to), at, to), to);
        out = tl_or(out, tl_and(p_out, q_out));
        near = tl_or(near, tl_or(tl_le(tl_abs(ep), s->tolerance), tl_le(tl_abs(eq), s->tolerance)));
    }
    s->doubt = tl_or(s->doubt, tl_and(is, near));
    const tl_vm in = tl_and(tl_and_not(is, out), tl_lt(from, to));
    tl_vd a[3], b[3];
#pragma GCC unroll 6
    for (int k = 0; k < 3; k++) {
        const tl_vd along = q->x[k] - p->x[k], start = p->x[k] + from * along;
        // moments about the first corner found: about a point far away areas would be differences of large numbers
        s->origin[k] = tl_select(s->any, s->origin[k], start);
        a[k] = start - s->origin[k];
        b[k] = (p->x[k] + to * along) - s->origin[k];
    }
    s->any = tl_or(s->any, in);
    const tl_vd c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const tl_vd w = tl_keep(in, dot(s->plane, c));
    s->twice = s->twice + w;
    s->size = s->size + tl_abs(w);
#pragma GCC unroll 6
    for (int k = 0; k < 3; k++)
        s->moment[k] = s->moment[k] + tl_keep(in, w * (a[k] + b[k]));
    if (!keep)
        return;
    keep->is = in;
#pragma GCC unroll 6
    for (int k = 0; k < 3; k++) {
        keep->a[k] = a[k];
        keep->b[k] = b[k];
    }
}

/// The sides of a tetrahedron's section, as far as they are inside the other element. @param keep (4) out, or NULL
static void add_section(sums* s, const element* t, const element* other, int n, int all, side* keep)
{
    point corner[4], at[6];
    tl_vd h[4];
    tl_vm up[4];
#pragma GCC unroll 6
    for (int i = 0; i < 4; i++) {
#pragma GCC unroll 6
        for (int k = 0; k < 3; k++)
            corner[i].x[k] = t->x[i][k];
#pragma GCC unroll 6
        for (int k = 0; k < n; k++)
            corner[i].e[k] = tl_select(other->always[k], tl_set(1.0), height(other->plane[k], t->x[i]));
        h[i] = height(s->plane, t->x[i]);
        up[i] = tl_lt((tl_vd){0}, h[i]);
        s->doubt = tl_or(s->doubt, tl_le(tl_abs(h[i]), s->tolerance));
    }
    cross_edges(corner, h, n, at);
    for (int f = 0; f < 4; f++) {
        const tl_vm a = up[corner_of[f][0]], b = up[corner_of[f][1]], c = up[corner_of[f][2]];
        tl_vm is = tl_or(tl_and_not(a, b), tl_or(tl_and_not(b, c), tl_and_not(c, a)));
        if (!all)
            is = tl_and_not(is, t->always[f]);
        const point *ab = at + edge_of[f][0], *bc = at + edge_of[f][1], *ca = at + edge_of[f][2];
        point p, q;
#pragma GCC unroll 6
        for (int k = 0; k < 3; k++) {
            p.x[k] = pick(tl_and_not(a, b), tl_and_not(b, c), ab->x[k], bc->x[k], ca->x[k]);
            q.x[k] = pick(tl_and_not(b, a), tl_and_not(c, b), ab->x[k], bc->x[k], ca->x[k]);
        }
#pragma GCC unroll 6
        for (int k = 0; k < n; k++) {
            p.e[k] = pick(tl_and_not(a, b), tl_and_not(b, c), ab->e[k], bc->e[k], ca->e[k]);
            q.e[k] = pick(tl_and_not(b, a), tl_and_not(c, b), ab->e[k], bc->e[k], ca->e[k]);
        }
        add_segment(s, is, &p, &q, n, keep ? keep + f : NULL);
    }
}

static inline void add_triangle(sums* s, const element* t, const tl_vd (*planes)[4], side* keep)
{
    point corner[3];
#pragma GCC unroll 6
    for (int i = 0; i < 3; i++)
#pragma GCC unroll 6
        for (int k = 0; k < 4; k++) {
            corner[i].e[k] = height(planes[k], t->x[i]);
            if (k < 3)
                corner[i].x[k] = t->x[i][k];
        }
#pragma GCC unroll 6
    for (int i = 0; i < 3; i++)
        add_segment(s, tl_all(), corner + i, corner + (i + 1) % 3, 4, keep ? keep + i : NULL);
}

static inline tl_vd slope_along(const tl_vd* grad, const tl_vd* n, double sign, double across)
{
    const tl_vd g = tl_set(sign) * dot(grad, n);
    return tl_keep(tl_lt(tl_set(across) * tl_sqrt(dot(grad, grad)), tl_abs(g)), g);
}

static inline tl_vm is_turned(tl_vd g, const tl_vd* grad, double turned)
{
    return tl_le(g, tl_set(turned) * tl_sqrt(dot(grad, grad)));
}

/// Lanes of results, in the axes that they are computed in.
typedef struct result {
    tl_vd row[TL_CLIP_ROWS];
    tl_vm face, doubt;
} result;

/// What is left to do when the boundary is summed.
static inline void finish(const sums* s, tl_vm refused, const tl_vd* normal, tl_vd ga, tl_vd gb,
                          const tl_vd* pressure, result* r)
{
    const tl_vm thin = tl_le(s->twice, tl_set(1e-7) * s->size);
    r->doubt = tl_and_not(tl_or(s->doubt, tl_and(s->any, thin)), refused);
    r->face = tl_and_not(tl_and_not(s->any, refused), r->doubt);
    r->row[TL_CLIP_AREA] = tl_set(0.5) * s->twice;
    const tl_vd third = tl_set(1.0) / (tl_set(3.0) * s->twice);
    for (int k = 0; k < 3; k++) {
        r->row[TL_CLIP_CENTROID + k] = s->origin[k] + s->moment[k] * third;
        r->row[TL_CLIP_NORMAL + k] = normal[k];
    }
    r->row[TL_CLIP_GA] = ga;
    r->row[TL_CLIP_GB] = gb;
    r->row[TL_CLIP_PRESSURE] = dot(pressure, r->row + TL_CLIP_CENTROID) + pressure[3];
}

static inline void start(sums* s, const tl_vd* plane, double tolerance)
{
    const tl_vd zero = {0};
    for (int k = 0; k < 4; k++)
        s->plane[k] = plane[k];
    for (int k = 0; k < 3; k++)
        s->origin[k] = s->moment[k] = zero;
    s->twice = s->size = zero;
    s->doubt = s->any = tl_none();
    s->tolerance = tl_set(tolerance);
}

// ---- the kernels ------------------------------------------------------------------------------------------

// `keep`: A's four sides, then B's; NULL: not wanted
static void clip_tets(const tl_clip_placed* w, const element* a, const element* b, sums* s, side* keep,
                      result* r)
{
    tl_vd plane[4];
    const tl_vd size = equal_plane(a->grad, b->grad, plane);
    const tl_vd ga = slope_along(a->grad, plane, 1.0, w->across),
                gb = slope_along(b->grad, plane, -1.0, w->across);
    const tl_vm flat = tl_and_not(tl_all(), tl_lt((tl_vd){0}, size));
    const tl_vm refused =
        tl_or(flat, tl_or(is_turned(ga, a->grad, w->turned), is_turned(gb, b->grad, w->turned)));
    start(s, plane, w->tolerance);
    add_section(s, a, b, 4, 1, keep);
    add_section(s, b, a, 4, 0, keep ? keep + 4 : NULL);
    finish(s, refused, plane, ga, gb, a->grad, r);
}

// triangles t of A (first = true) or B in tetrahedra of the other
static void clip_triangles(const tl_clip_placed* w, const element* t, const element* tet, int first, sums* s,
                           side* keep, result* r)
{
    tl_vd plane[4] = {t->grad[0], t->grad[1], t->grad[2], -dot(t->grad, t->x[0])}, normal[3];
    const tl_vd along = dot(plane, tet->grad), g = slope_along(tet->grad, plane, 1.0, w->across),
                infinite = tl_set(INFINITY);
    for (int k = 0; k < 3; k++)
        normal[k] = tl_set(first ? -1.0 : 1.0) * plane[k];
    start(s, plane, w->tolerance);
    add_triangle(s, t, tet->plane, keep ? keep + (first ? 0 : 4) : NULL);
    add_section(s, tet, t, 3, 0, keep ? keep + (first ? 4 : 0) : NULL);
    if (keep)
        keep[first ? 3 : 7].is = tl_none();
    finish(s, is_turned(along, tet->grad, w->turned), normal, first ? infinite : g, first ? g : infinite,
           tet->grad, r);
}

static inline void store_rows(int32_t i, int32_t n, int rows, const tl_vd* row, int64_t ld, double* out)
{
    for (int r = 0; r < rows; r++)
        if (i + TL_LANES <= n)
            tl_store(out + r * ld + i, row[r]);
        else
            for (int l = 0; i + l < n; l++)
                out[r * ld + i + l] = row[r][l];
}

/// The whole faces, turned to the world.
static inline void store_faces(int32_t i, int32_t n, const frame* world, const result* r, uint8_t* state,
                               int64_t ld, double* out)
{
    const unsigned is = tl_bits(r->face), open = tl_bits(r->doubt);
    for (int l = 0; l < TL_LANES && i + l < n; l++)
        state[i + l] = (uint8_t)((is >> l & 1) * TL_CLIP_FACE + (open >> l & 1) * TL_CLIP_DOUBTFUL);
    tl_vd row[TL_CLIP_ROWS];
    for (int k = 0; k < TL_CLIP_ROWS; k++)
        row[k] = r->row[k];
    place_point(world, row + TL_CLIP_CENTROID);
    turn(world, r->row + TL_CLIP_NORMAL, row + TL_CLIP_NORMAL);
    store_rows(i, n, TL_CLIP_ROWS, row, ld, out);
}

/// Row k of eight rows of eight bits becomes column k.
static inline uint64_t transpose_bits(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aau;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000ccccu;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0u;
    return x ^ t ^ t << 28;
}

/// Triangles from the sides to the centroid, turned to the world. @param pressure (4) as of the elements
static inline void store_fans(int32_t i, int32_t n, const frame* world, const sums* s, side* keep, int first,
                              int last, double near, const tl_vd* pressure, const result* r, uint8_t* sides,
                              int64_t ld, double* out)
{
    const tl_vd third = tl_set(1.0 / 3.0), half = tl_set(0.5), zero = {0};
    uint64_t is = 0;
    for (int f = first; f < last; f++) {
        tl_vd a[3], b[3], d[3], row[TL_FAN_ROWS];
        const tl_vd* c = r->row + TL_CLIP_CENTROID;
        for (int k = 0; k < 3; k++)
            d[k] = keep[f].b[k] - keep[f].a[k];
        // a corner of the other element that only touches this side leaves a segment of round-off
        keep[f].is = tl_and(keep[f].is, tl_lt(tl_set(near * near), dot(d, d)));
        is |= (uint64_t)tl_bits(keep[f].is) << 8 * f;
        for (int k = 0; k < 3; k++) {
            const tl_vd top = c[k] - s->origin[k];
            a[k] = keep[f].a[k] - top;
            b[k] = keep[f].b[k] - top;
            row[TL_FAN_CENTROID + k] = c[k] + (a[k] + b[k]) * third;
        }
        const tl_vd w[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        row[TL_FAN_AREA] = tl_max(half * dot(s->plane, w), zero);
        row[TL_FAN_PRESSURE] = dot(pressure, row + TL_FAN_CENTROID) + pressure[3];
        place_point(world, row + TL_FAN_CENTROID);
        store_rows(i, n, TL_FAN_ROWS, row, ld, out + (TL_CLIP_ROWS + f * TL_FAN_ROWS) * ld);
    }
    is = transpose_bits(is);
    for (int l = 0; l < TL_LANES && i + l < n; l++)
        sides[i + l] = (uint8_t)(is >> 8 * l);
}

// faces on a line where both elements have a side of pressure 0
static inline void mark_rims(int32_t i, int32_t n, const element* a, const element* b, const side* keep,
                             uint8_t* state)
{
    tl_vm of_a = tl_none(), of_b = of_a;
    for (int f = 0; f < 4; f++) {
        of_a = tl_or(of_a, tl_and(a->always[f], keep[f].is));
        of_b = tl_or(of_b, b->always[f]);
    }
    const unsigned rim = tl_bits(tl_and(of_a, of_b));
    for (int l = 0; l < TL_LANES && i + l < n; l++)
        if ((rim >> l & 1) && state[i + l] == TL_CLIP_FACE)
            state[i + l] = TL_CLIP_RIM;
}

static inline void clip_pairs(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* state,
                              uint8_t* sides, int64_t ld, double* out)
{
    frame B, world;
    load_frame(w->R, w->t, &B);
    load_frame(w->world->R, w->world->p, &world);
    for (int32_t i = 0; i < n; i += TL_LANES) {
        const tl_clip_element *from_a[TL_LANES], *from_b[TL_LANES];
        element a, b;
        side room[TL_FAN_SIDES], *keep = sides ? room : NULL;
        sums s;
        result r;
        choose(pair, i, n, w, from_a, from_b);
        load(from_a, CORNERS, END, &a);
        load(from_b, CORNERS, END, &b);
        place_corners(&B, &b);
        place_planes(&B, &b);
        find_base(&a, w->triangles);
        find_base(&b, w->triangles);
        if (w->triangles == 0)
            clip_tets(w, &a, &b, &s, keep, &r);
        else if (w->triangles == 1)
            clip_triangles(w, &a, &b, 1, &s, keep, &r);
        else
            clip_triangles(w, &b, &a, 0, &s, keep, &r);
        store_faces(i, n, &world, &r, state, ld, out);
        if (!keep)
            continue;
        store_fans(i, n, &world, &s, keep, 0, TL_FAN_SIDES, w->near, w->triangles == 1 ? b.grad : a.grad, &r,
                   sides, ld, out);
        mark_rims(i, n, &a, &b, keep, state);
    }
}

void TL_KERNEL(tet_clip)(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* state, int64_t ld,
                         double* out)
{
    clip_pairs(n, pair, w, state, NULL, ld, out);
}

void TL_KERNEL(tet_fan)(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* state,
                        uint8_t* sides, int64_t ld, double* out)
{
    clip_pairs(n, pair, w, state, sides, ld, out);
}

static inline void cut_elements(int32_t n, const int32_t* at, const tl_section_placed* w, uint8_t* state,
                                uint8_t* sides, int64_t ld, double* out)
{
    frame world;
    load_frame(w->world->R, w->world->p, &world);
    tl_vd plane[4], normal[3];
    const tl_vd infinite = tl_set(INFINITY);
    for (int k = 0; k < 4; k++)
        plane[k] = tl_set(w->plane[k]);
    for (int k = 0; k < 3; k++)
        normal[k] = tl_set(w->second ? -w->plane[k] : w->plane[k]);
    for (int32_t i = 0; i < n; i += TL_LANES) {
        const tl_clip_element* from[TL_LANES];
        element e;
        side room[TL_FAN_SIDES], *keep = sides ? room : NULL;
        sums s;
        result r;
        const int first = w->second ? 4 : 0;
        for (int l = 0; l < TL_LANES; l++)
            from[l] = w->e + at[i + l < n ? i + l : n - 1];
        load(from, CORNERS, PLANES, &e);
        const tl_vd along = dot(plane, e.grad), g = slope_along(e.grad, plane, 1.0, w->across);
        start(&s, plane, w->tolerance);
        add_section(&s, &e, &e, 0, 1, keep ? keep + first : NULL);
        finish(&s, is_turned(along, e.grad, w->turned), normal, w->second ? infinite : g,
               w->second ? g : infinite, e.grad, &r);
        store_faces(i, n, &world, &r, state, ld, out);
        if (keep)
            store_fans(i, n, &world, &s, keep, first, first + 4, w->near, e.grad, &r, sides, ld, out);
    }
}

void TL_KERNEL(tet_section)(int32_t n, const int32_t* at, const tl_section_placed* w, uint8_t* state,
                            int64_t ld, double* out)
{
    cut_elements(n, at, w, state, NULL, ld, out);
}

void TL_KERNEL(section_fan)(int32_t n, const int32_t* at, const tl_section_placed* w, uint8_t* state,
                            uint8_t* sides, int64_t ld, double* out)
{
    cut_elements(n, at, w, state, sides, ld, out);
}

/// Lanes whose section of A lies beyond one side of B.
static inline tl_vm section_apart(const tl_clip_placed* w, const element* a, const element* b)
{
    const tl_vd tolerance = tl_set(w->tolerance), zero = {0};
    tl_vd plane[4], h[4];
    const tl_vd size = equal_plane(a->grad, b->grad, plane);
    point corner[4], at[6];
    tl_vm up[4], above = tl_all(), below = above, apart = tl_and_not(tl_all(), tl_lt(zero, size));
#pragma GCC unroll 6
    for (int i = 0; i < 4; i++) {
        h[i] = height(plane, a->x[i]);
        up[i] = tl_lt(zero, h[i]);
        above = tl_and(above, tl_lt(tolerance, h[i]));
        below = tl_and(below, tl_lt(h[i], -tolerance));
#pragma GCC unroll 6
        for (int k = 0; k < 4; k++)
            corner[i].e[k] = height(b->plane[k], a->x[i]);
#pragma GCC unroll 6
        for (int k = 0; k < 3; k++)
            corner[i].x[k] = zero;
    }
    apart = tl_or(apart, tl_or(above, below));
    cross_edges(corner, h, 4, at);
#pragma GCC unroll 6
    for (int k = 0; k < 4; k++) {
        tl_vm beyond = tl_all();
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++)
            beyond =
                tl_and(beyond, tl_or(tl_and_not(tl_all(), is_crossed(up, i)), tl_lt(at[i].e[k], -tolerance)));
        // no edge is crossed where all corners are near the plane on one side: not decided here
        tl_vm crossed = tl_none();
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++)
            crossed = tl_or(crossed, is_crossed(up, i));
        apart = tl_or(apart, tl_and(beyond, crossed));
    }
    return apart;
}

/// Lanes whose triangle lies beyond one side of the tetrahedron, or the tetrahedron beside the triangle's plane.
static inline tl_vm triangle_apart(const tl_clip_placed* w, const element* t, const element* tet)
{
    const tl_vd tolerance = tl_set(w->tolerance);
    const tl_vd plane[4] = {t->grad[0], t->grad[1], t->grad[2], -dot(t->grad, t->x[0])};
    tl_vm apart = tl_none(), above = tl_all(), below = above;
#pragma GCC unroll 6
    for (int k = 0; k < 4; k++) {
        tl_vm beyond = tl_all();
#pragma GCC unroll 6
        for (int i = 0; i < 3; i++)
            beyond = tl_and(beyond, tl_lt(height(tet->plane[k], t->x[i]), -tolerance));
        apart = tl_or(apart, beyond);
    }
#pragma GCC unroll 6
    for (int i = 0; i < 4; i++) {
        const tl_vd h = height(plane, tet->x[i]);
        above = tl_and(above, tl_lt(tolerance, h));
        below = tl_and(below, tl_lt(h, -tolerance));
    }
#pragma GCC unroll 6
    for (int k = 0; k < 3; k++) {
        tl_vm beyond = tl_all();
#pragma GCC unroll 6
        for (int i = 0; i < 4; i++)
            beyond = tl_and(beyond, tl_lt(height(t->plane[k], tet->x[i]), -tolerance));
        apart = tl_or(apart, beyond);
    }
    return tl_or(apart, tl_or(above, below));
}

void TL_KERNEL(clip_meet)(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* may)
{
    frame B;
    load_frame(w->R, w->t, &B);
    for (int32_t i = 0; i < n; i += TL_LANES) {
        const tl_clip_element *from_a[TL_LANES], *from_b[TL_LANES];
        element a, b;
        choose(pair, i, n, w, from_a, from_b);
        load(from_a, CORNERS, PLANES, &a);
        load(from_b, CORNERS, BASE, &b);
        place_planes(&B, &b);
        tl_vm apart;
        if (w->triangles == 0) {
            apart = section_apart(w, &a, &b);
        } else {
            place_corners(&B, &b);
            load(from_a, PLANES, BASE, &a);
            apart = w->triangles == 1 ? triangle_apart(w, &a, &b) : triangle_apart(w, &b, &a);
        }
        const unsigned out = tl_bits(apart);
        for (int l = 0; l < TL_LANES && i + l < n; l++)
            may[i + l] = !(out >> l & 1);
    }
}
