// SPDX-License-Identifier: MIT
// Volume meshes of primitives with their pressure fields, by the rules of README.md#fields. Interior vertices
// lie on the medial axis, so that the linear interpolation of the pressure p = E min(1, depth/H) is exact in
// every tetrahedron of a polyhedron.
//
// The choice of diagonals is part of the rules: two programs that make it alike find the same polygons.
#define _DEFAULT_SOURCE // M_PI
#include "field.h"

static int32_t add_vertex(tl_tet_mesh* m, double x, double y, double z, double p)
{
    // the two arrays grow alike
    if (TL_GROW(m->ctx, m->x, m->vcap, 3 * (int64_t)m->nv, 3 * (int64_t)m->nv + 3) < 0 ||
        TL_GROW(m->ctx, m->p, m->pcap, m->nv, (int64_t)m->nv + 1) < 0)
        return -1;
    double* v = m->x + 3 * (int64_t)m->nv;
    v[0] = x, v[1] = y, v[2] = z;
    m->p[m->nv] = p;
    return m->nv++;
}

static bool add_tet(tl_tet_mesh* m, int32_t a, int32_t b, int32_t c, int32_t d)
{
    if (a < 0 || b < 0 || c < 0 || d < 0 ||
        TL_GROW(m->ctx, m->tet, m->ecap, 4 * (int64_t)m->ne, 4 * (int64_t)m->ne + 4) < 0)
        return false;
    int32_t* t = m->tet + 4 * (int64_t)m->ne++;
    t[0] = a, t[1] = b, t[2] = c, t[3] = d;
    return true;
}

void tl_mesh_free(tl_tet_mesh* m)
{
    tl_free(m->ctx, m->x);
    tl_free(m->ctx, m->p);
    tl_free(m->ctx, m->tet);
}

// ---- sphere, ellipsoid ----------------------------------------------------------------------------------

typedef struct surface {
    int32_t nt;
    int32_t* tri;  // (nt x 3)
    int32_t* edge; // midpoints: hash table of (low, high, midpoint)
    int32_t size;
} surface;

static int32_t midpoint(tl_tet_mesh* m, surface* s, int32_t a, int32_t b)
{
    const int32_t key[2] = {TL_MIN(a, b), TL_MAX(a, b)};
    uint64_t h = tl_hash(key, sizeof key, 1);
    for (;; h++) {
        int32_t* e = s->edge + 3 * (h & (uint64_t)(s->size - 1));
        if (e[0] == key[0] && e[1] == key[1])
            return e[2];
        if (e[0] >= 0)
            continue;
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = 0.5 * (m->x[3 * (int64_t)a + k] + m->x[3 * (int64_t)b + k]);
        normalize3(c);
        e[0] = key[0], e[1] = key[1];
        e[2] = add_vertex(m, c[0], c[1], c[2], 0.0);
        return e[2];
    }
}

// every triangle in four, midpoints on the unit sphere
static bool refine(tl_tet_mesh* m, surface* s)
{
    s->size = 16;
    while (s->size < 4 * s->nt)
        s->size *= 2;
    int32_t* fine = tl_alloc(m->ctx, sizeof(int32_t) * 12 * (size_t)s->nt);
    s->edge = tl_alloc(m->ctx, sizeof(int32_t) * 3 * (size_t)s->size);
    bool ok = fine && s->edge;
    if (ok)
        memset(s->edge, 0xff, sizeof(int32_t) * 3 * (size_t)s->size);
    for (int32_t t = 0; ok && t < s->nt; t++) {
        const int32_t *v = s->tri + 3 * t, a = midpoint(m, s, v[0], v[1]), b = midpoint(m, s, v[1], v[2]),
                      c = midpoint(m, s, v[2], v[0]);
        const int32_t out[12] = {v[0], a, c, a, v[1], b, c, b, v[2], a, b, c};
        memcpy(fine + 12 * t, out, sizeof out);
        ok = a >= 0 && b >= 0 && c >= 0;
    }
    tl_free(m->ctx, s->edge);
    s->edge = NULL;
    if (!ok) {
        tl_free(m->ctx, fine);
        return false;
    }
    tl_free(m->ctx, s->tri);
    s->tri = fine;
    s->nt *= 4;
    return true;
}

static bool mesh_ellipsoid(tl_tet_mesh* m, const double* semi, double E, double hint)
{
    static const int32_t octahedron[8][3] = {{1, 2, 5}, {2, 3, 5}, {3, 4, 5}, {4, 1, 5},
                                             {2, 1, 6}, {3, 2, 6}, {4, 3, 6}, {1, 4, 6}};
    const double longest = fmax(semi[0], fmax(semi[1], semi[2])), h = fmin(hint / longest, 2.0);
    const double levels = ceil(log2(M_PI / asin(0.5 * h))) - 2.0;
    surface s = {.nt = 8, .tri = tl_alloc(m->ctx, sizeof octahedron)};
    if (!s.tri)
        return false;
    memcpy(s.tri, octahedron, sizeof octahedron);
    add_vertex(m, 0, 0, 0, E);
    for (int k = 0; k < 4; k++)
        add_vertex(m, k == 0 ? 1 : k == 2 ? -1 : 0, k == 1 ? 1 : k == 3 ? -1 : 0, 0, 0);
    add_vertex(m, 0, 0, 1, 0);
    bool ok = add_vertex(m, 0, 0, -1, 0) == 6;
    for (int k = 0; ok && k < fmin(levels, 8.0); k++)
        ok = refine(m, &s);
    for (int32_t t = 0; ok && t < s.nt; t++)
        ok = add_tet(m, s.tri[3 * t], s.tri[3 * t + 1], s.tri[3 * t + 2], 0);
    for (int32_t i = 0; ok && i < m->nv; i++)
        for (int k = 0; k < 3; k++)
            m->x[3 * (int64_t)i + k] *= semi[k];
    tl_free(m->ctx, s.tri);
    return ok;
}

// ---- box ------------------------------------------------------------------------------------------------

// what lies between a face's centre f and a quad of corners a, b and their medial points pb, pa: the diagonal
// runs from a to pb; with a third medial point between pa and pb the quad is a fan about that one
static bool add_side(tl_tet_mesh* m, int32_t f, int32_t a, int32_t b, int32_t pa, int32_t pb, int32_t mid)
{
    if (pa == pb)
        return add_tet(m, a, b, pa, f);
    if (mid >= 0)
        return add_tet(m, a, b, mid, f) && add_tet(m, pa, a, mid, f) && add_tet(m, b, pb, mid, f);
    return add_tet(m, a, b, pb, f) && add_tet(m, pa, a, pb, f);
}

// Corners have bits x = 1, y = 2, z = 4. The medial axis of a box is a point, a segment or a rectangle; axes
// are turned cyclically so that the segment runs along z and the rectangle lies across z.
static bool mesh_box(tl_tet_mesh* m, const double* half, double E)
{
    const double H = fmin(half[0], fmin(half[1], half[2]));
    const double tiny = 1e-14 * fmax(half[0], fmax(half[1], half[2]));
    int longer = 0, turn = 0;
    for (int k = 0; k < 3; k++)
        longer += half[k] - H > tiny;
    for (int k = 0; k < 3; k++) // z: the only longer axis, or the only shortest one
        if ((longer == 1 && half[k] - H > tiny) || (longer == 2 && half[k] - H <= tiny))
            turn = (k + 1) % 3;
    const int ax[3] = {turn, (turn + 1) % 3, (turn + 2) % 3};
    double s[3], e[3];
    for (int k = 0; k < 3; k++) {
        s[k] = half[ax[k]];
        e[k] = s[k] - H > tiny ? s[k] - H : 0.0;
    }
    int32_t corner[8], medial[8], centre = -1, face[6];
    double x[3];
#define PUT(a, b, c, pressure)                                                                               \
    (x[ax[0]] = (a), x[ax[1]] = (b), x[ax[2]] = (c), add_vertex(m, x[0], x[1], x[2], (pressure)))
    for (int i = 0; i < 8; i++)
        corner[i] = PUT(i & 1 ? s[0] : -s[0], i & 2 ? s[1] : -s[1], i & 4 ? s[2] : -s[2], 0.0);
    for (int i = 0; i < 8; i++) {
        int same = i; // the corner of lowest number with the same medial point
        for (int k = 0; k < 3; k++)
            if (e[k] == 0.0)
                same &= ~(1 << k);
        medial[i] = same < i ? medial[same]
                             : PUT(i & 1 ? e[0] : -e[0], i & 2 ? e[1] : -e[1], i & 4 ? e[2] : -e[2], E);
    }
    if (longer == 1)
        centre = PUT(0, 0, 0, E);
    for (int k = 0; k < 6; k++) {
        const double side = k % 2 ? 1.0 : -1.0;
        face[k] = PUT(k / 2 == 0 ? side * s[0] : 0.0, k / 2 == 1 ? side * s[1] : 0.0,
                      k / 2 == 2 ? side * s[2] : 0.0, 0.0);
    }
#undef PUT
    bool ok = m->nv > 0 && face[5] >= 0;
    for (int k = 0; ok && k < 6; k++) {
        const int n = k / 2, u = (n + 1) % 3, v = (n + 2) % 3, at = k % 2 ? 1 << n : 0;
        for (int side = 0; ok && side < 4; side++) {
            const int along = side < 2 ? u : v, across = side < 2 ? v : u;
            const int from = at | (side % 2 ? 1 << across : 0), to = from | 1 << along;
            // diagonals start at the low end of y, at the high end of x
            const int a = along == 0 ? to : from, b = along == 0 ? from : to;
            ok = add_side(m, face[k], corner[a], corner[b], medial[a], medial[b], along == 2 ? centre : -1);
        }
        if (ok && longer == 2 && n == 2) // the rectangle itself, cut from (-, -) to (+, +)
            ok = add_tet(m, medial[0], medial[2], medial[3], face[k]) &&
                 add_tet(m, medial[0], medial[3], medial[1], face[k]);
    }
    return ok;
}

// ---- cylinder, capsule ----------------------------------------------------------------------------------

#define MOST_SECTORS 706

static bool mesh_cylinder(tl_tet_mesh* m, double r, double half, double E, double hint)
{
    const int32_t n = (int32_t)fmax(3.0, fmin(ceil(2.0 * M_PI * r / hint), 1e6));
    const double tiny = 1e-14 * fmax(r, half);
    const bool is_long = half - r > tiny, is_short = r - half > tiny;
    add_vertex(m, 0, 0, -half, 0);
    add_vertex(m, 0, 0, half, 0);
    for (int32_t i = 0; i < n; i++) {
        const double c = r * cos(2.0 * M_PI * i / n), s = r * sin(2.0 * M_PI * i / n);
        add_vertex(m, c, s, -half, 0);
        add_vertex(m, c, s, half, 0);
    }
    int32_t low = -1, high = -1, ring = -1;
    if (is_long) {
        low = add_vertex(m, 0, 0, r - half, E);
        high = add_vertex(m, 0, 0, half - r, E);
    } else {
        low = high = add_vertex(m, 0, 0, 0, E);
    }
    for (int32_t i = 0; is_short && i < n; i++) {
        const int32_t v =
            add_vertex(m, (r - half) * cos(2.0 * M_PI * i / n), (r - half) * sin(2.0 * M_PI * i / n), 0, E);
        ring = i == 0 ? v : ring;
    }
    bool ok = low >= 0 && high >= 0 && (!is_short || ring >= 0);
    for (int32_t i = 0; ok && i < n; i++) {
        const int32_t before = (i + n - 1) % n, a = 2 + 2 * before, b = 2 + 2 * i, A = a + 1, B = b + 1;
        if (is_long) {
            ok = add_tet(m, 0, a, b, low) && add_tet(m, 1, B, A, high) && add_tet(m, high, A, low, B) &&
                 add_tet(m, A, a, low, B) && add_tet(m, a, b, low, B);
        } else if (!is_short) {
            ok = add_tet(m, 0, a, b, low) && add_tet(m, 1, B, A, low) && add_tet(m, a, low, A, b) &&
                 add_tet(m, low, B, A, b);
        } else {
            const int32_t p = ring + before, q = ring + i, c = low;
            ok = add_tet(m, c, p, 0, q) && add_tet(m, p, a, 0, q) && add_tet(m, a, b, 0, q) &&
                 add_tet(m, 1, A, c, B) && add_tet(m, A, p, c, B) && add_tet(m, p, q, c, B) &&
                 add_tet(m, b, q, a, B) && add_tet(m, q, p, a, B) && add_tet(m, p, A, a, B);
        }
    }
    return ok;
}

static bool mesh_capsule(tl_tet_mesh* m, double r, double half, double E, double hint)
{
    const int32_t n = (int32_t)fmin(fmax(2.0 * M_PI * r / hint, 3.0), MOST_SECTORS), rings = n / 2;
    add_vertex(m, 0, 0, half, E);
    add_vertex(m, 0, 0, -half, E);
    add_vertex(m, 0, 0, half + r, 0);
    bool ok = add_vertex(m, 0, 0, -half - r, 0) == 3;
    for (int32_t j = 0; ok && j < rings; j++) {
        const double turn = 0.5 * M_PI * j / rings, out = r * cos(turn), up = half + r * sin(turn);
        for (int32_t i = 0; ok && i < n; i++) {
            const double c = out * cos(2.0 * M_PI * i / n), s = out * sin(2.0 * M_PI * i / n);
            ok = add_vertex(m, c, s, up, 0) >= 0 && add_vertex(m, c, s, -up, 0) >= 0;
        }
    }
    for (int32_t i = 0; ok && i < n; i++) {
        // a: this sector's vertex of a ring, b: the next one's; odd numbers are the lower end's
        int32_t a = 4 + 2 * i, b = 4 + 2 * ((i + 1) % n);
        ok = add_tet(m, 0, a, 1, b) && add_tet(m, a, a + 1, 1, b) && add_tet(m, a + 1, b + 1, 1, b);
        for (int32_t j = 0; ok && j + 1 < rings; j++, a += 2 * n, b += 2 * n) {
            const int32_t c = a + 2 * n, d = b + 2 * n;
            ok = add_tet(m, a, 0, c, b) && add_tet(m, 0, d, c, b) && add_tet(m, c + 1, 1, a + 1, d + 1) &&
                 add_tet(m, 1, b + 1, a + 1, d + 1);
        }
        ok = ok && add_tet(m, 2, b, a, 0) && add_tet(m, 3, a + 1, b + 1, 1);
    }
    return ok;
}

talus_status tl_mesh_shape(tl_tet_mesh* m, const tl_shape* shape, double modulus, double hint)
{
    const double* s = shape->size;
    bool ok = false;
    switch (shape->type) {
    case TL_SHAPE_SPHERE:
        ok = mesh_ellipsoid(m, (double[]){s[0], s[0], s[0]}, modulus, hint);
        break;
    case TL_SHAPE_ELLIPSOID:
        ok = mesh_ellipsoid(m, s, modulus, hint);
        break;
    case TL_SHAPE_BOX:
        ok = mesh_box(m, s, modulus);
        break;
    case TL_SHAPE_CYLINDER:
        ok = mesh_cylinder(m, s[0], s[1], modulus, hint);
        break;
    case TL_SHAPE_CAPSULE:
        ok = mesh_capsule(m, s[0], s[1], modulus, hint);
        break;
    default:
        return TALUS_ERR_UNSUPPORTED;
    }
    return ok ? TALUS_OK : TALUS_ERR_NOMEM;
}
