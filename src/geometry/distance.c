// SPDX-License-Identifier: MIT
// Signed distance to a solid, of a point and of a segment.
//
// The signed distance f of a convex solid is a convex function, so along a segment it has one minimum, found
// where the slope n(x(s)).u changes sign: no iteration on features, no special case when the segment runs
// along a face. Inside, f = -(distance to the nearest face or to the mantle). For the ellipsoid the nearest
// point y solves
//     y_i = a_i^2 x_i / (t + a_i^2),   sum (y_i / a_i)^2 = 1,   t > -min a_i^2     (Eberly, Distance to an
//     ellipsoid)
// with the normal taken from y, not from x - y, so that nothing is lost when the point lies on the surface.
#include "narrow.h"

static double box_distance(const double* s, const double* x, double* n)
{
    double e[3], out[3];
    int k = 0;
    for (int i = 0; i < 3; i++) {
        e[i] = fabs(x[i]) - s[i];
        out[i] = copysign(fmax(e[i], 0.0), x[i]);
        if (e[i] > e[k])
            k = i;
    }
    if (e[k] <= 0.0) {
        n[0] = n[1] = n[2] = 0.0;
        n[k] = copysign(1.0, x[k]);
        return e[k];
    }
    copy3(n, out);
    return normalize3(n);
}

static double cylinder_distance(const double* s, const double* x, double* n)
{
    const double rho = hypot(x[0], x[1]);
    const double er = rho - s[0], ez = fabs(x[2]) - s[1];
    const double radial[2] = {rho > 0.0 ? x[0] / rho : 1.0, rho > 0.0 ? x[1] / rho : 0.0};
    double wr = fmax(er, 0.0), wz = fmax(ez, 0.0), d = hypot(wr, wz);
    if (er <= 0.0 && ez <= 0.0) {
        wr = er > ez ? 1.0 : 0.0;
        wz = 1.0 - wr;
        d = fmax(er, ez);
    } else {
        wr /= d;
        wz /= d;
    }
    n[0] = wr * radial[0];
    n[1] = wr * radial[1];
    n[2] = copysign(wz, x[2]);
    return d;
}

static double capsule_distance(const double* s, const double* x, double* n)
{
    const double z = fmin(fmax(x[2], -s[1]), s[1]);
    n[0] = x[0];
    n[1] = x[1];
    n[2] = x[2] - z;
    const double d = normalize3(n);
    if (!(d > 0.0))
        n[0] = 1.0;
    return d - s[0];
}

// root of g(w) = sum (r_i z_i / (w + r_i^2 - 1))^2 - 1 with r_i = a_i / a_min, z_i = |x_i| / a_min, w = t /
// a_min^2 + 1; g falls and is convex for w > 0, so Newton from the left never overshoots
static double ellipsoid_root(const double* r, const double* z)
{
    double w = 0.0;
    for (int i = 0; i < 3; i++)
        w = fmax(w, r[i] * z[i] - (r[i] * r[i] - 1.0));
    for (int it = 0; it < 100; it++) {
        double g = -1.0, dg = 0.0;
        for (int i = 0; i < 3; i++) {
            const double q = w + (r[i] * r[i] - 1.0);
            const double y = z[i] > 0.0 ? r[i] * z[i] / q : 0.0;
            g += y * y;
            dg -= z[i] > 0.0 ? 2.0 * y * y / q : 0.0;
        }
        if (!(g > 0.0) || !(dg < 0.0))
            break;
        const double next = w - g / dg;
        if (!(next > w))
            break;
        w = next;
    }
    return w;
}

static double ellipsoid_distance(const double* a, const double* x, double* n)
{
    const double least = fmin(a[0], fmin(a[1], a[2]));
    double r[3], z[3], y[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
        r[i] = a[i] / least;
        z[i] = fabs(x[i]) / least;
    }
    const double w = ellipsoid_root(r, z);
    int k = -1;
    for (int i = 0; i < 3; i++) {
        const double q = w + (r[i] * r[i] - 1.0);
        y[i] = q > 0.0 && z[i] > 0.0 ? r[i] * z[i] / q : 0.0; // in units of a_i
        if (r[i] <= 1.0 && !(z[i] > 0.0 && q > 0.0))
            k = i; // on the mid-plane of a shortest axis the coordinate is free: the constraint gives it
        sum += y[i] * y[i];
    }
    if (k >= 0 && sum < 1.0)
        y[k] = sqrt(1.0 - sum);
    double d[3];
    for (int i = 0; i < 3; i++) {
        y[i] = copysign(y[i], x[i]);
        n[i] = y[i] / a[i];
        d[i] = x[i] - a[i] * y[i];
    }
    normalize3(n);
    return dot3(d, n);
}

double tl_point_distance(const tl_solid* g, const double* x, double* n)
{
    double d[3], local[3], nl[3], f = 0.0;
    sub3(d, x, g->p);
    for (int k = 0; k < 3; k++)
        local[k] = dot3(g->ax[k], d);
    switch (g->type) {
    case TL_SHAPE_SPHERE: {
        copy3(nl, local);
        f = normalize3(nl) - g->s[0];
        if (f == -g->s[0])
            nl[2] = 1.0;
        break;
    }
    case TL_SHAPE_CAPSULE:
        f = capsule_distance(g->s, local, nl);
        break;
    case TL_SHAPE_ELLIPSOID:
        f = ellipsoid_distance(g->s, local, nl);
        break;
    case TL_SHAPE_CYLINDER:
        f = cylinder_distance(g->s, local, nl);
        break;
    default:
        f = box_distance(g->s, local, nl);
        break;
    }
    for (int k = 0; k < 3; k++)
        n[k] = nl[0] * g->ax[0][k] + nl[1] * g->ax[1][k] + nl[2] * g->ax[2][k];
    return f;
}

double tl_segment_distance(const tl_solid* g, const double* c, const double* u, double l, double* s_out,
                           double* n)
{
    double x[3], lo = -l, hi = l, f;
    axpy3(x, c, lo, u);
    f = tl_point_distance(g, x, n);
    *s_out = lo;
    double slope_lo = dot3(n, u);
    if (slope_lo >= 0.0)
        return f;
    axpy3(x, c, hi, u);
    f = tl_point_distance(g, x, n);
    *s_out = hi;
    double slope_hi = dot3(n, u);
    if (slope_hi <= 0.0)
        return f;
    // regula falsi (Illinois) falls back on bisection when the slope jumps, as it does across an inner edge
    for (int it = 0; it < 160 && hi - lo > 4e-16 * l; it++) {
        double s = it % 3 == 2 ? 0.5 * (lo + hi) : lo - slope_lo * (hi - lo) / (slope_hi - slope_lo);
        if (!(s > lo && s < hi))
            s = 0.5 * (lo + hi);
        axpy3(x, c, s, u);
        f = tl_point_distance(g, x, n);
        *s_out = s;
        const double slope = dot3(n, u);
        if (fabs(slope) < 1e-15)
            break;
        if (slope < 0.0) {
            lo = s;
            slope_lo = slope;
        } else {
            hi = s;
            slope_hi = slope;
        }
    }
    return f;
}

void tl_support(const tl_solid* g, const double* d, double* x)
{
    double local[3], y[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++)
        local[k] = dot3(g->ax[k], d);
    const double rho = hypot(local[0], local[1]);
    switch (g->type) {
    case TL_SHAPE_CYLINDER:
        if (rho > 0.0) {
            y[0] = g->s[0] * local[0] / rho;
            y[1] = g->s[0] * local[1] / rho;
        }
        y[2] = copysign(g->s[1], local[2]);
        break;
    case TL_SHAPE_ELLIPSOID: {
        double h = 0.0;
        for (int k = 0; k < 3; k++)
            h += g->s[k] * g->s[k] * local[k] * local[k];
        h = sqrt(h);
        for (int k = 0; k < 3; k++)
            y[k] = g->s[k] * g->s[k] * local[k] / h;
        break;
    }
    case TL_SHAPE_BOX:
        for (int k = 0; k < 3; k++)
            y[k] = copysign(g->s[k], local[k]);
        break;
    default: // sphere, capsule
        for (int k = 0; k < 3; k++)
            y[k] = g->s[0] * local[k];
        if (g->type == TL_SHAPE_CAPSULE)
            y[2] += copysign(g->s[1], local[2]);
        break;
    }
    for (int k = 0; k < 3; k++)
        x[k] = g->p[k] + y[0] * g->ax[0][k] + y[1] * g->ax[1][k] + y[2] * g->ax[2][k];
}
