// SPDX-License-Identifier: MIT
// What a mesh weighs: volume, centre and inertia of the solid (or of the shell) its triangles enclose,
// MuJoCo's four ways. A triangle (D, E, F) and a reference point make a tetrahedron of volume V; the products
// of inertia about that point are
//     P_jk = V/20 (2 (D_j D_k + E_j E_k + F_j F_k) + D_j E_k + D_k E_j + D_j F_k + D_k F_j + E_j F_k + E_k
//     F_j)
// with 12 for 20 and the area for V in a shell.
//
//     exact    signed volumes: the true solid; the surface must be closed and oriented
//     legacy   |V| about the centroid of the faces, then about the centre of mass: exact for star-shaped
//     solids convex   the exact solid of the convex hull shell    the surface itself
//
// The geom's frame moves to the centre of mass and the principal axes. Coordinates are rounded to single
// precision first, as MuJoCo stores them, so that both weigh the same solid; but not those of tetrahedra, which
// MuJoCo does not read.
#include "mesh.h"
#include "mesh_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

talus_status tl_mesh_bad(const tl_spec* s, const tl_spec_mesh* m, const char* fmt, ...)
{
    char text[500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return tl_fail_at(s->ctx, TALUS_ERR_INPUT, m->at.file, m->at.line, "<mesh %.80s>: %s", m->name, text);
}

talus_status tl_mesh_resize(tl_spec* s, tl_spec_mesh* m, int64_t nvert, int64_t nface)
{
    m->vert = tl_arena_alloc(&s->memory, sizeof(double) * 3 * (size_t)TL_MAX(nvert, 1));
    m->face = tl_arena_alloc(&s->memory, sizeof(int32_t) * 3 * (size_t)TL_MAX(nface, 1));
    if (!m->vert || !m->face)
        return tl_nomem(s->ctx, sizeof(double) * 3 * (size_t)nvert);
    m->nvert = nvert;
    m->nface = nface;
    return TALUS_OK;
}

static void cross(const double* a, const double* b, double* out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/// Corners of a triangle relative to `about`, and its vector area n A.
static void corners(const tl_spec_mesh* m, const int32_t* f, const double* about, double p[3][3],
                    double* area)
{
    double e[3], g[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = m->vert[3 * (int64_t)f[i] + k] - about[k];
    for (int k = 0; k < 3; k++) {
        e[k] = p[1][k] - p[0][k];
        g[k] = p[2][k] - p[0][k];
    }
    cross(e, g, area);
    for (int k = 0; k < 3; k++)
        area[k] *= 0.5;
}

static double norm(const double* v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/// Weight of a triangle about a point: its area, or the volume of the tetrahedron.
static double weight(const tl_spec_mesh* m, double p[3][3], const double* area)
{
    if (m->inertia == TL_MESH_SHELL)
        return norm(area);
    double v = 0.0;
    for (int k = 0; k < 3; k++)
        v += area[k] * (p[0][k] + p[1][k] + p[2][k]) / 9.0;
    return m->inertia == TL_MESH_LEGACY ? fabs(v) : v;
}

static void face_centroid(const tl_spec_mesh* m, double* centroid, double* total)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    double p[3][3], area[3], sum[3] = {0.0, 0.0, 0.0};
    *total = 0.0;
    for (int64_t i = 0; i < m->nface; i++) {
        corners(m, m->face + 3 * i, zero, p, area);
        const double a = norm(area);
        *total += a;
        for (int k = 0; k < 3; k++)
            sum[k] += a * (p[0][k] + p[1][k] + p[2][k]) / 3.0;
    }
    for (int k = 0; k < 3; k++)
        centroid[k] = *total > 0.0 ? sum[k] / *total : 0.0;
}

/// Volume (area) and centre, as sums over tetrahedra with their tip at `about`.
static double center_of_mass(const tl_spec_mesh* m, const double* about, double* com)
{
    double p[3][3], area[3], total = 0.0, sum[3] = {0.0, 0.0, 0.0};
    const double lever = m->inertia == TL_MESH_SHELL ? 1.0 / 3.0 : 0.25;
    for (int64_t i = 0; i < m->nface; i++) {
        corners(m, m->face + 3 * i, about, p, area);
        const double w = weight(m, p, area);
        total += w;
        for (int k = 0; k < 3; k++)
            sum[k] += w * lever * (p[0][k] + p[1][k] + p[2][k]);
    }
    for (int k = 0; k < 3; k++)
        com[k] = about[k] + (total != 0.0 ? sum[k] / total : 0.0);
    return total;
}

static double inertia_about(const tl_spec_mesh* m, const double* com, double* full)
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const double divisor = m->inertia == TL_MESH_SHELL ? 12.0 : 20.0;
    double p[3][3], area[3], total = 0.0, P[6] = {0.0};
    for (int64_t i = 0; i < m->nface; i++) {
        corners(m, m->face + 3 * i, com, p, area);
        const double w = weight(m, p, area);
        total += w;
        for (int e = 0; e < 6; e++) {
            const int j = at[e][0], k = at[e][1];
            const double sum_j = p[0][j] + p[1][j] + p[2][j], sum_k = p[0][k] + p[1][k] + p[2][k];
            P[e] += w / divisor * (p[0][j] * p[0][k] + p[1][j] * p[1][k] + p[2][j] * p[2][k] + sum_j * sum_k);
        }
    }
    full[0] = P[1] + P[2];
    full[1] = P[0] + P[2];
    full[2] = P[0] + P[1];
    for (int e = 3; e < 6; e++)
        full[e] = -P[e];
    return total;
}

static void turn_faces(int32_t* face, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const int32_t f = face[3 * i + 1];
        face[3 * i + 1] = face[3 * i + 2];
        face[3 * i + 2] = f;
    }
}

/// refpos, refquat, scale; a mirrored mesh keeps its outside outside.
static void transform(tl_spec_mesh* m)
{
    const double inverse[4] = {m->refquat[0], -m->refquat[1], -m->refquat[2], -m->refquat[3]};
    for (int64_t i = 0; i < m->nvert; i++) {
        double *v = m->vert + 3 * i, p[3];
        for (int k = 0; k < 3; k++)
            v[k] = (m->ntet ? v[k] : (double)(float)v[k]) - m->refpos[k];
        tl_quat_rotate(inverse, v, p);
        for (int k = 0; k < 3; k++)
            v[k] = m->scale[k] * p[k];
    }
    if (m->scale[0] * m->scale[1] * m->scale[2] < 0.0) {
        turn_faces(m->face, m->nface);
        if (m->surface != m->face)
            turn_faces(m->surface, m->nsurface);
        for (int64_t i = 0; i < m->ntet; i++) {
            const int32_t t = m->tet[4 * i + 2];
            m->tet[4 * i + 2] = m->tet[4 * i + 3];
            m->tet[4 * i + 3] = t;
        }
    }
}

static talus_status measure(tl_spec* s, tl_spec_mesh* m)
{
    double centroid[3], area, full[6], moments[3];
    face_centroid(m, centroid, &area);
    if (!(area > 0.0))
        return tl_mesh_bad(s, m, "the surface has no area");
    const double volume = center_of_mass(m, centroid, m->pos);
    if (volume < 0.0)
        return tl_mesh_bad(s, m, "the volume is negative (%g m^3): the faces are turned inward", volume);
    if (!(volume > 0.0))
        return tl_mesh_bad(s, m, "the volume is zero; expected: inertia=\"shell\" for a surface");
    m->volume = inertia_about(m, m->pos, full);
    tl_principal(full, m->quat, moments);
    if (!(moments[2] > 0.0))
        return tl_mesh_bad(s, m, "a moment of inertia is not positive: (%g, %g, %g)", moments[0], moments[1],
                           moments[2]);
    // half sizes of the box with this inertia
    for (int k = 0; k < 3; k++) {
        const double a = moments[(k + 1) % 3] + moments[(k + 2) % 3] - moments[k];
        m->boxsize[k] = 0.5 * sqrt(fmax(0.0, 6.0 * a / m->volume));
    }
    const double inverse[4] = {m->quat[0], -m->quat[1], -m->quat[2], -m->quat[3]};
    for (int k = 0; k < 3; k++) {
        m->lo[k] = INFINITY;
        m->hi[k] = -INFINITY;
    }
    for (int64_t i = 0; i < m->nvert; i++) {
        double d[3], p[3];
        for (int k = 0; k < 3; k++)
            d[k] = m->vert[3 * i + k] - m->pos[k];
        tl_quat_rotate(inverse, d, p);
        for (int k = 0; k < 3; k++) {
            m->lo[k] = fmin(m->lo[k], p[k]);
            m->hi[k] = fmax(m->hi[k], p[k]);
        }
    }
    return TALUS_OK;
}

static talus_status check_surface(tl_spec* s, tl_spec_mesh* m)
{
    if (m->inertia == TL_MESH_SHELL || m->inertia == TL_MESH_CONVEX)
        return TALUS_OK;
    int64_t open = 0;
    TL_TRY(tl_mesh_open_edges(s, m, &open));
    if (open == 0)
        return TALUS_OK;
    if (m->inertia == TL_MESH_EXACT)
        return tl_mesh_bad(s, m, "open edges: %lld; an exact volume needs a closed surface", (long long)open);
    return tl_spec_notice(s, m->at,
                          "<mesh %s>: open edges: %lld; its mass is that of the tetrahedra under its faces",
                          m->name, (long long)open);
}

static talus_status read_file(tl_spec* s, tl_spec_mesh* m, bool* found)
{
    tl_mesh_file f = {.ctx = s->ctx, .path = m->file, .name = m->name, .at = m->at, .memory = &s->memory};
    TL_TRY(tl_mesh_file_read(&f, found));
    m->nvert = f.nvert;
    m->vert = f.vert;
    m->nface = f.nface;
    m->face = f.face;
    m->ntet = f.ntet;
    m->tet = f.tet;
    // the surface of tetrahedra is closed and outward
    if (m->ntet && m->inertia == TL_MESH_LEGACY)
        m->inertia = TL_MESH_EXACT;
    if (f.unused)
        TL_TRY(tl_spec_notice(s, m->at, "<mesh %s>: vertices that belong to no tetrahedron, left out: %lld",
                              m->name, (long long)f.unused));
    return TALUS_OK;
}

/// Vertices and faces from where they come.
static talus_status fetch(tl_spec* s, tl_spec_mesh* m, bool for_contact, bool for_mass, bool* have)
{
    *have = true;
    if (m->plugin) {
        *have = false;
        return for_mass ? tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, m->at.file, m->at.line,
                                     "<mesh %s>: the mass of a mesh made by a plugin", m->name)
                        : TALUS_OK;
    }
    if (m->builtin) {
        *have = for_contact || for_mass || tl_mesh_knows_builtin(m);
        return *have ? tl_mesh_make_builtin(s, m) : TALUS_OK;
    }
    if (!m->file)
        return TALUS_OK;
    TL_TRY(read_file(s, m, have));
    if (*have)
        return TALUS_OK;
    if ((for_contact || for_mass) && strstr(m->file, "://"))
        return tl_mesh_bad(
            s, m,
            "cannot resolve '%.300s'; expected: a path, or file://; searched: none, since MJCF has no "
            "packages",
            m->file);
    if (for_contact || for_mass)
        return tl_mesh_bad(s, m, "cannot read the mesh file; searched: %.300s", m->file);
    return tl_spec_notice(s, m->at, "<mesh %s>: cannot read '%s'; it is only drawn, loading goes on", m->name,
                          m->file);
}

talus_status tl_mesh_prepare(tl_spec* s, tl_spec_mesh* m, bool for_contact, bool for_mass)
{
    if (m->ready || (m->tried && !for_contact && !for_mass))
        return TALUS_OK;
    m->tried = true;
    bool have;
    TL_TRY(fetch(s, m, for_contact, for_mass, &have));
    if (!have)
        return TALUS_OK;
    if (m->nvert < 4)
        return tl_mesh_bad(s, m, "%lld vertices, expected at least 4", (long long)m->nvert);
    for (int64_t i = 0; i < 3 * m->nvert; i++)
        if (!isfinite((float)m->vert[i]))
            return tl_mesh_bad(s, m, "vertex %lld is not finite", (long long)(i / 3));
    for (int64_t i = 0; i < 3 * m->nface; i++)
        if (m->face[i] < 0 || m->face[i] >= m->nvert)
            return tl_mesh_bad(s, m, "face %lld names vertex %d of %lld", (long long)(i / 3), m->face[i],
                               (long long)m->nvert);
    m->surface = m->face;
    m->nsurface = m->nface;
    if (m->nface == 0 || m->inertia == TL_MESH_CONVEX)
        TL_TRY(tl_mesh_hull(s, m, &m->face, &m->nface));
    if (m->nsurface == 0) {
        m->surface = m->face;
        m->nsurface = m->nface;
    }
    TL_TRY(check_surface(s, m));
    transform(m);
    TL_TRY(measure(s, m));
    m->ready = true;
    return TALUS_OK;
}

talus_status tl_spec_mesh_hull(tl_spec* s, const tl_spec_mesh* m, int32_t** face, int64_t* nface)
{
    if (m->inertia != TL_MESH_CONVEX)
        return tl_mesh_hull(s, m, face, nface);
    *face = m->face;
    *nface = m->nface;
    return TALUS_OK;
}

// ---- primitives fitted to a mesh
// -------------------------------------------------------------------------------------

talus_status tl_mesh_fit(tl_spec* s, const tl_spec_mesh* m, tl_spec_geom* g, double* center)
{
    double h[3];
    for (int k = 0; k < 3; k++) {
        center[k] = g->fitaabb ? 0.5 * (m->lo[k] + m->hi[k]) : 0.0;
        h[k] = g->fitaabb ? m->hi[k] - center[k] : m->boxsize[k];
    }
    memset(g->size, 0, sizeof g->size);
    switch (g->type) {
    case TL_SHAPE_SPHERE:
        g->size[0] = g->fitaabb ? fmax(fmax(h[0], h[1]), h[2]) : (h[0] + h[1] + h[2]) / 3.0;
        break;
    case TL_SHAPE_CAPSULE:
    case TL_SHAPE_CYLINDER:
        g->size[0] = g->fitaabb ? fmax(h[0], h[1]) : 0.5 * (h[0] + h[1]);
        g->size[1] = h[2];
        if (g->type == TL_SHAPE_CAPSULE)
            g->size[1] = g->fitaabb ? h[2] - g->size[0] : fmax(0.0, h[2] - 0.5 * g->size[0]);
        break;
    case TL_SHAPE_ELLIPSOID:
    case TL_SHAPE_BOX:
        memcpy(g->size, h, sizeof h);
        break;
    default:
        return tl_fail_at(s->ctx, TALUS_ERR_INPUT, g->at.file, g->at.line,
                          "<geom %s>: a plane or height field cannot be fitted to a mesh", g->name);
    }
    const int used = g->type == TL_SHAPE_SPHERE                                 ? 1
                     : g->type == TL_SHAPE_ELLIPSOID || g->type == TL_SHAPE_BOX ? 3
                                                                                : 2;
    for (int k = 0; k < used; k++) {
        g->size[k] *= g->fitscale;
        if (!(g->size[k] > 0.0))
            return tl_fail_at(s->ctx, TALUS_ERR_INPUT, g->at.file, g->at.line,
                              "<geom %s>: the size fitted to mesh '%s' is not positive", g->name, m->name);
    }
    return TALUS_OK;
}
