// SPDX-License-Identifier: MIT
// A height field as a grid: its memory, the walk over cells under a box, triangles, and which edges and vertices
// stand out (hfield.h has the drawing).
//
// An edge is convex when the directions t0, t1 along its two faces, both perpendicular to it, together point down;
// then it is the nearest feature for the directions between the two normals. A vertex is it for the directions in
// which all its six neighbours are lower. Both tests hold for any mix of folds around the vertex. Where the grid
// ends its side goes straight down, which is one more neighbour.
#include "hfield.h"

talus_status tl_hfield_create(talus_context* ctx, int32_t nrow, int32_t ncol, const double* half, double base,
                              const double* z, tl_hfield** out)
{
    if (nrow < 2 || ncol < 2 || !(half[0] > 0.0) || !(half[1] > 0.0) || !(base > 0.0))
        return tl_fail(
            ctx, TALUS_ERR_ARG,
            "tl_hfield_create: at least 2 x 2 heights, positive sizes and a positive base are needed");
    const int32_t block_rows = (nrow - 2) / TL_HFIELD_BLOCK + 1,
                  block_cols = (ncol - 2) / TL_HFIELD_BLOCK + 1;
    const size_t n = (size_t)nrow * (size_t)ncol, blocks = (size_t)block_rows * (size_t)block_cols;
    const size_t head = (sizeof(tl_hfield) + 63) / 64 * 64, bytes = head + sizeof(double) * (n + blocks);
    tl_hfield* h = tl_alloc(ctx, bytes);
    if (!h)
        return tl_nomem(ctx, bytes);
    double *heights = (double*)((char*)h + head), *top = heights + n;
    *h = (tl_hfield){.nrow = nrow, .ncol = ncol, .half = {half[0], half[1]}, .base = base};
    h->dx = 2.0 * half[0] / (ncol - 1);
    h->dy = 2.0 * half[1] / (nrow - 1);
    h->z = heights;
    h->top = top;
    h->block_cols = block_cols;
    h->low = h->high = z[0];
    for (size_t i = 0; i < blocks; i++)
        top[i] = -INFINITY;
    for (int32_t r = 0; r < nrow; r++)
        for (int32_t c = 0; c < ncol; c++) {
            const size_t i = (size_t)r * (size_t)ncol + (size_t)c;
            if (!isfinite(z[i])) {
                tl_free(ctx, h);
                return tl_fail(ctx, TALUS_ERR_ARG, "tl_hfield_create: height %lld is not finite",
                               (long long)i);
            }
            heights[i] = z[i];
            h->low = fmin(h->low, z[i]);
            h->high = fmax(h->high, z[i]);
            // a vertex between blocks belongs to all of them
            for (int32_t k = TL_MAX(r - 1, 0) / TL_HFIELD_BLOCK; k <= TL_MIN(r, nrow - 2) / TL_HFIELD_BLOCK;
                 k++)
                for (int32_t l = TL_MAX(c - 1, 0) / TL_HFIELD_BLOCK;
                     l <= TL_MIN(c, ncol - 2) / TL_HFIELD_BLOCK; l++)
                    top[k * block_cols + l] = fmax(top[k * block_cols + l], z[i]);
        }
    *out = h;
    return TALUS_OK;
}

static double height(const tl_hfield* h, int32_t r, int32_t c)
{
    return h->z[(int64_t)r * h->ncol + c];
}

/// The cell along one axis that holds coordinate x in cells, and the rest in it.
static int32_t cell_of(double x, int32_t n)
{
    return x >= n - 1 ? n - 2 : x > 0.0 ? (int32_t)x : 0;
}

double tl_hfield_height(const tl_hfield* h, double x, double y)
{
    const double u = fmin(fmax((x + h->half[0]) / h->dx, 0.0), h->ncol - 1.0);
    const double v = fmin(fmax((y + h->half[1]) / h->dy, 0.0), h->nrow - 1.0);
    const int32_t c = cell_of(u, h->ncol), r = cell_of(v, h->nrow);
    const double a = u - c, b = v - r, z00 = height(h, r, c), z11 = height(h, r + 1, c + 1);
    if (a >= b) {
        const double z10 = height(h, r, c + 1);
        return z00 + a * (z10 - z00) + b * (z11 - z10);
    }
    const double z01 = height(h, r + 1, c);
    return z00 + b * (z01 - z00) + a * (z11 - z01);
}

// ---- cells under a box --------------------------------------------------------------------------------------

tl_cells tl_hfield_cells(const tl_hfield* h, const double* lo, const double* hi)
{
    tl_cells w = {.h = h, .bottom = lo[2], .r1 = -1};
    if (hi[0] < -h->half[0] || lo[0] > h->half[0] || hi[1] < -h->half[1] || lo[1] > h->half[1] ||
        lo[2] > h->high)
        return w;
    w.c0 = cell_of((lo[0] + h->half[0]) / h->dx, h->ncol);
    w.c1 = cell_of((hi[0] + h->half[0]) / h->dx, h->ncol);
    w.r0 = cell_of((lo[1] + h->half[1]) / h->dy, h->nrow);
    w.r1 = cell_of((hi[1] + h->half[1]) / h->dy, h->nrow);
    w.r = w.r0;
    w.c = w.c0 - 1;
    return w;
}

bool tl_hfield_next(tl_cells* w)
{
    const tl_hfield* h = w->h;
    for (w->c++; w->r <= w->r1; w->r++, w->c = w->c0)
        while (w->c <= w->c1) {
            const double* top = h->top + (int64_t)(w->r / TL_HFIELD_BLOCK) * h->block_cols;
            if (top[w->c / TL_HFIELD_BLOCK] < w->bottom) {
                w->c = (w->c / TL_HFIELD_BLOCK + 1) * TL_HFIELD_BLOCK;
                continue;
            }
            if (height(h, w->r, w->c) >= w->bottom || height(h, w->r, w->c + 1) >= w->bottom ||
                height(h, w->r + 1, w->c) >= w->bottom || height(h, w->r + 1, w->c + 1) >= w->bottom)
                return true;
            w->c++;
        }
    return false;
}

// ---- triangles ----------------------------------------------------------------------------------------------

void tl_hfield_vertex(const tl_hfield* h, int32_t r, int32_t c, double* x)
{
    x[0] = c * h->dx - h->half[0];
    x[1] = r * h->dy - h->half[1];
    x[2] = height(h, r, c);
}

void tl_hfield_triangle(const tl_hfield* h, int32_t r, int32_t c, int k, double v[3][3], double* n)
{
    tl_hfield_vertex(h, r, c, v[0]);
    tl_hfield_vertex(h, k ? r + 1 : r, c + 1, v[1]);
    tl_hfield_vertex(h, r + 1, k ? c : c + 1, v[2]);
    const double z00 = v[0][2], z11 = v[k ? 1 : 2][2], corner = v[k ? 2 : 1][2];
    n[0] = -(k ? z11 - corner : corner - z00) / h->dx;
    n[1] = -(k ? corner - z00 : z11 - corner) / h->dy;
    n[2] = 1.0;
    normalize3(n);
}

bool tl_hfield_covers(const tl_hfield* h, int32_t r, int32_t c, int k, const double* xy, double slack)
{
    const double a = (xy[0] + h->half[0]) / h->dx - c, b = (xy[1] + h->half[1]) / h->dy - r;
    const double sa = slack / h->dx, sb = slack / h->dy, side = k ? b - a : a - b;
    return a >= -sa && a <= 1.0 + sa && b >= -sb && b <= 1.0 + sb && side >= -(sa + sb);
}

// ---- edges and vertices that stand out -------------------------------------------------------------------------

static bool has_vertex(const tl_hfield* h, int32_t r, int32_t c)
{
    return r >= 0 && r < h->nrow && c >= 0 && c < h->ncol;
}

bool tl_hfield_ridge(const tl_hfield* h, int32_t r, int32_t c, int kind, tl_ridge* e)
{
    // per kind: the other end, and the third corners of the faces on both sides, as steps of row and column
    static const int8_t step[3][3][2] = {
        {{0, 1}, {1, 1}, {-1, 0}}, {{1, 0}, {0, -1}, {1, 1}}, {{1, 1}, {0, 1}, {1, 0}}};
    if (!has_vertex(h, r + step[kind][0][0], c + step[kind][0][1]))
        return false;
    const int32_t o[2][2] = {{r + step[kind][1][0], c + step[kind][1][1]},
                             {r + step[kind][2][0], c + step[kind][2][1]}};
    // the third corners and the ends are a parallelogram seen from above: flat and concave edges are told at once
    if (has_vertex(h, o[0][0], o[0][1]) && has_vertex(h, o[1][0], o[1][1]) &&
        height(h, o[0][0], o[0][1]) + height(h, o[1][0], o[1][1]) >=
            height(h, r, c) + height(h, r + step[kind][0][0], c + step[kind][0][1]))
        return false;
    tl_hfield_vertex(h, r, c, e->v[0]);
    tl_hfield_vertex(h, r + step[kind][0][0], c + step[kind][0][1], e->v[1]);
    sub3(e->d, e->v[1], e->v[0]);
    normalize3(e->d);
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        double w[3] = {0.0, 0.0, -1.0};
        if (has_vertex(h, o[i][0], o[i][1])) {
            tl_hfield_vertex(h, o[i][0], o[i][1], w);
            sub3(w, w, e->v[0]);
        }
        axpy3(e->t[i], w, -dot3(w, e->d), e->d);
        normalize3(e->t[i]);
        axpy3(sum, sum, 1.0, e->t[i]);
    }
    return sum[2] < 0.0 && norm3(sum) > TL_FLAT_FOLD;
}

bool tl_hfield_is_sharp(const tl_hfield* h, int32_t r, int32_t c)
{
    static const int8_t back[3][2] = {{0, 1}, {1, 0}, {1, 1}}; // to the vertex that has the edge before
    tl_ridge e;
    for (int kind = 0; kind < 3; kind++)
        if (tl_hfield_ridge(h, r, c, kind, &e) ||
            (has_vertex(h, r - back[kind][0], c - back[kind][1]) &&
             tl_hfield_ridge(h, r - back[kind][0], c - back[kind][1], kind, &e)))
            return true;
    return false;
}

bool tl_hfield_is_top(const tl_hfield* h, int32_t r, int32_t c, const double* u, double tight, double loose,
                      const double* axis)
{
    static const int8_t step[6][2] = {{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}};
    double v[3];
    tl_hfield_vertex(h, r, c, v);
    for (int k = 0; k < 6; k++) {
        double d[3] = {0.0, 0.0, -1.0};
        if (has_vertex(h, r + step[k][0], c + step[k][1])) {
            tl_hfield_vertex(h, r + step[k][0], c + step[k][1], d);
            sub3(d, d, v);
            normalize3(d);
        }
        if (dot3(u, d) > tight + (axis ? loose * fabs(dot3(axis, d)) : loose))
            return false;
    }
    return true;
}
