// SPDX-License-Identifier: MIT
// A ray against a height field, in its frame: cut to the field's box, then from cell to cell along the ray, two
// triangles in each; where the ray enters below the border it hits a side.
#include "render.h"

#include <math.h>
#include <string.h>

/// Where the ray is in the field's box: *t0 .. *t1, and the axis of the side it enters by, -1: it starts inside.
static bool clip(const tl_hfield* h, const double* o, const double* d, double* t0, double* t1, int32_t* axis)
{
    const double lo[3] = {-h->half[0], -h->half[1], -h->base}, hi[3] = {h->half[0], h->half[1], h->high};
    *t0 = 0.0;
    *t1 = INFINITY;
    *axis = -1;
    for (int32_t i = 0; i < 3; i++) {
        if (fabs(d[i]) < 1e-14) {
            if (o[i] < lo[i] || o[i] > hi[i])
                return false;
            continue;
        }
        const double a = (lo[i] - o[i]) / d[i], b = (hi[i] - o[i]) / d[i];
        if (fmin(a, b) > *t0) {
            *t0 = fmin(a, b);
            *axis = i;
        }
        *t1 = fmin(*t1, fmax(a, b));
    }
    return *t0 <= *t1;
}

/// The plane of triangle k of cell (r, c) within t0 .. t1, where it is over that triangle.
static double hit_triangle(const tl_hfield* h, int32_t r, int32_t c, int k, const double* o, const double* d,
                           double t0, double t1, double* n)
{
    const double* z = h->z + (int64_t)r * h->ncol + c;
    const double z00 = z[0], z11 = z[h->ncol + 1], corner = k ? z[h->ncol] : z[1];
    const double zx = (k ? z11 - corner : corner - z00) / h->dx,
                 zy = (k ? corner - z00 : z11 - corner) / h->dy;
    const double x = o[0] + h->half[0] - c * h->dx, y = o[1] + h->half[1] - r * h->dy;
    const double t = (z00 + zx * x + zy * y - o[2]) / (d[2] - zx * d[0] - zy * d[1]);
    const double slack = 1e-9 * (t1 - t0), side = (y + t * d[1]) / h->dy - (x + t * d[0]) / h->dx;
    if (!(t >= t0 - slack && t <= t1 + slack) || (k ? side < -1e-9 : side > 1e-9))
        return -1.0;
    const double length = sqrt(zx * zx + zy * zy + 1.0);
    n[0] = -zx / length;
    n[1] = -zy / length;
    n[2] = 1.0 / length;
    return t;
}

double tl_hit_hfield(const tl_hfield* h, const double* o, const double* d, double* n)
{
    double t, end;
    int32_t axis;
    if (!clip(h, o, d, &t, &end, &axis))
        return -1.0;
    const double x = o[0] + t * d[0], y = o[1] + t * d[1];
    if (axis >= 0 && (d[2] > 0.0 || axis < 2) && o[2] + t * d[2] <= tl_hfield_height(h, x, y)) {
        n[0] = n[1] = n[2] = 0.0;
        n[axis] = d[axis] > 0.0 ? -1.0 : 1.0;
        return t;
    }
    // the cell of the entry; lines of the grid ahead along each axis
    const double size[2] = {h->dx, h->dy}, at[2] = {x, y};
    const int32_t most[2] = {h->ncol - 2, h->nrow - 2};
    int32_t cell[2], step[2];
    double next[2], advance[2];
    for (int32_t i = 0; i < 2; i++) {
        cell[i] = (int32_t)fmin(fmax(floor((at[i] + h->half[i]) / size[i]), 0.0), most[i]);
        step[i] = d[i] >= 0.0 ? 1 : -1;
        advance[i] = d[i] != 0.0 ? size[i] / fabs(d[i]) : INFINITY;
        next[i] = d[i] != 0.0 ? ((cell[i] + (step[i] > 0)) * size[i] - h->half[i] - o[i]) / d[i] : INFINITY;
    }
    while (t <= end) {
        const int32_t i = next[0] <= next[1] ? 0 : 1;
        const double leave = fmin(next[i], end);
        double best = -1.0, m[3];
        for (int k = 0; k < 2; k++) {
            const double s = hit_triangle(h, cell[1], cell[0], k, o, d, t, leave, m);
            if (s > 0.0 && (best < 0.0 || s < best)) {
                best = s;
                memcpy(n, m, sizeof m);
            }
        }
        if (best > 0.0)
            return best;
        t = next[i];
        next[i] += advance[i];
        cell[i] += step[i];
        if (cell[i] < 0 || cell[i] > most[i])
            break;
    }
    return -1.0;
}
