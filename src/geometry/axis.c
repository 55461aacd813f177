// SPDX-License-Identifier: MIT
// Direction of least overlap of two solids, touching, apart or deep.
//
// With support functions h, c = centre of A minus centre of B and n from B into A, the overlap along n is
//     f(n) = hA(n) + hB(n) - c.n,
// and min over unit n is the penetration depth when positive, minus the distance when negative: one problem
// for both. Every shape here is a sum of simple terms, each even in n:
//     h(n) = sum_k l_k |a_k.n|  +  r sqrt(1 - (z.n)^2)  +  |diag(s) R^T n|  +  rho
//            box edges, axes       cylinder mantle         ellipsoid             capsule radius
// so f is smooth but for kinks on the great circles a_k.n = 0 (and at n = z of a cylinder). Its minima
// therefore lie
//     (i)   where two kinks cross, or on a cylinder's axis: the separating-axis candidates, evaluated
//     directly; (ii)  inside an arc of one circle (rim against edge, mantle against edge or corner): Newton
//     in one angle; (iii) off all circles (rim against rim, ellipsoids): Newton on the sphere. By homogeneity
//     the Hessian on the
//           sphere is P f'' P - f I, the gradient P f'.
// Two polytopes that overlap need (i) alone. Why not GJK and EPA: those approximate curved solids by
// polytopes and give a normal that wanders with the round-off; here a flat face gives its exact normal, and a
// curved contact converges quadratically. Tolerances are relative to the smaller solid.
#include "narrow.h"

#include <float.h>

#define MAX_KINKS 6
#define MAX_STARTS 15

typedef struct overlap {
    double a[MAX_KINKS][3], l[MAX_KINKS]; // kinks
    int32_t owner[MAX_KINKS];             // 0: A, 1: B
    int32_t nkink;
    const tl_solid* mantle[2]; // cylinders
    int32_t nmantle;
    double Q[2][9]; // ellipsoids, h = sqrt(n.Q n)
    int32_t nellipsoid;
    double rho; // capsule radii
    double c[3];
    double least, tol; // best value so far and how much lower a less exact candidate must be
    double* n;         // its direction
    double thin;       // smallest half size of both
} overlap;

static void add_solid(overlap* o, const tl_solid* g, int32_t owner)
{
    const int first = g->type == TL_SHAPE_BOX ? 0 : 2;
    if (g->type == TL_SHAPE_ELLIPSOID) {
        double* Q = o->Q[o->nellipsoid++];
        for (int j = 0; j < 9; j++) {
            Q[j] = 0.0;
            for (int k = 0; k < 3; k++)
                Q[j] += g->s[k] * g->s[k] * g->ax[k][j / 3] * g->ax[k][j % 3];
        }
        return;
    }
    for (int k = first; k < 3; k++) {
        copy3(o->a[o->nkink], g->ax[k]);
        o->l[o->nkink] = g->type == TL_SHAPE_BOX ? g->s[k] : g->s[1];
        o->owner[o->nkink++] = owner;
    }
    if (g->type == TL_SHAPE_CYLINDER)
        o->mantle[o->nmantle++] = g;
    if (g->type == TL_SHAPE_CAPSULE)
        o->rho += g->s[0];
}

// f(n) for a unit n; grad (if wanted) is that of the homogeneous f without rho, H (row-major) its Hessian
static double evaluate(const overlap* o, const double* n, double* grad, double* H)
{
    double f = o->rho - dot3(o->c, n);
    if (grad)
        for (int k = 0; k < 3; k++)
            grad[k] = -o->c[k];
    if (H)
        memset(H, 0, 9 * sizeof *H);
    for (int32_t i = 0; i < o->nkink; i++) {
        const double t = dot3(o->a[i], n);
        f += o->l[i] * fabs(t);
        if (grad)
            axpy3(grad, grad, copysign(o->l[i], t), o->a[i]);
    }
    for (int32_t i = 0; i < o->nmantle; i++) {
        const double* z = o->mantle[i]->ax[2];
        double p[3];
        axpy3(p, n, -dot3(z, n), z);
        const double r = o->mantle[i]->s[0], q = normalize3(p);
        f += r * q;
        if (grad)
            axpy3(grad, grad, r, p);
        for (int j = 0; H && q > 0.0 && j < 9; j++)
            H[j] += r / q * ((j % 4 == 0) - z[j / 3] * z[j % 3] - p[j / 3] * p[j % 3]);
    }
    for (int32_t i = 0; i < o->nellipsoid; i++) {
        const double* Q = o->Q[i];
        const double w[3] = {dot3(&Q[0], n), dot3(&Q[3], n), dot3(&Q[6], n)}, h = sqrt(dot3(w, n));
        f += h;
        if (grad)
            axpy3(grad, grad, 1.0 / h, w);
        for (int j = 0; H && j < 9; j++)
            H[j] += Q[j] / h - w[j / 3] * w[j % 3] / (h * h * h);
    }
    return f;
}

static void offer(overlap* o, const double* n, double f, double tol)
{
    if (f < o->least - tol) {
        o->least = f;
        copy3(o->n, n);
    }
}

// (i): faces first, so that a tie goes to the face
static void try_axis(overlap* o, const double* axis, double tol)
{
    double n[3];
    copy3(n, axis);
    if (dot3(o->c, n) < 0.0)
        for (int k = 0; k < 3; k++)
            n[k] = -n[k];
    offer(o, n, evaluate(o, n, NULL, NULL), tol);
}

static void try_faces(overlap* o, const tl_solid* g)
{
    if (g->type == TL_SHAPE_BOX || g->type == TL_SHAPE_ELLIPSOID)
        for (int k = 0; k < 3; k++)
            try_axis(o, g->ax[k], o->tol);
    if (g->type == TL_SHAPE_CYLINDER)
        try_axis(o, g->ax[2], o->tol);
}

static void try_crossings(overlap* o)
{
    for (int32_t i = 0; i < o->nkink; i++)
        for (int32_t j = i + 1; j < o->nkink; j++) {
            double n[3];
            if (o->owner[i] == o->owner[j])
                continue;
            cross3(n, o->a[i], o->a[j]);
            if (normalize3(n) > 1e-8)
                try_axis(o, n, o->tol);
        }
}

// Newton in the plane spanned by the unit vectors e[0..dim-1] that are tangent at n; dim 1 follows a great
// circle
static double newton(const overlap* o, double* n, const double* kink)
{
    double g[3], H[9], f = evaluate(o, n, g, H);
    for (int it = 0; it < 25; it++) {
        double e[2][3], step[3] = {0.0, 0.0, 0.0};
        int dim = 2;
        if (kink) {
            dim = 1;
            cross3(e[0], kink, n);
            normalize3(e[0]);
        } else {
            basis3(n, e[0], e[1]);
        }
        const double fh = f - o->rho; // the homogeneous part
        double b[2] = {0.0, 0.0}, A[2][2];
        for (int i = 0; i < dim; i++) {
            b[i] = -dot3(g, e[i]);
            for (int j = 0; j < dim; j++) {
                A[i][j] = i == j ? -fh : 0.0;
                for (int k = 0; k < 9; k++)
                    A[i][j] += e[i][k / 3] * H[k] * e[j][k % 3];
            }
        }
        const double scale = fabs(fh) + o->tol + hypot(b[0], b[1]);
        double x[2] = {b[0] / scale, b[1] / scale};
        if (dim == 1 && A[0][0] > 0.0)
            x[0] = b[0] / A[0][0];
        const double det = dim == 2 ? A[0][0] * A[1][1] - A[0][1] * A[1][0] : 0.0;
        if (dim == 2 && A[0][0] > 0.0 && det > 1e-14 * A[0][0] * A[0][0]) {
            x[0] = (A[1][1] * b[0] - A[0][1] * b[1]) / det;
            x[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
        }
        const double size = hypot(x[0], x[1]);
        if (!(size > 1e-16))
            break;
        const double reach = kink ? 0.14 : 0.3, limit = size > reach ? reach / size : 1.0;
        for (int i = 0; i < dim; i++)
            axpy3(step, step, limit * x[i], e[i]);
        double t = 1.0, trial[3], ft = f;
        if (size < 1e-7) { // the error after this step is its square; f no longer tells a difference
            axpy3(n, n, 1.0, step);
            normalize3(n);
            return evaluate(o, n, NULL, NULL);
        }
        for (; t > 1e-3; t *= 0.25) {
            axpy3(trial, n, t, step);
            normalize3(trial);
            ft = evaluate(o, trial, NULL, NULL);
            if (ft < f)
                break;
        }
        if (!(ft < f))
            break;
        // far less than the model promised: a kink is in the way, and the circles look after kinks
        const bool is_stalled = !kink && f - ft < 0.02 * limit * (b[0] * x[0] + b[1] * x[1]);
        copy3(n, trial);
        if (is_stalled)
            return ft;
        f = evaluate(o, n, g, H);
    }
    return f;
}

// Least value f can take within the angle whose sine and cosine are given: f is convex and homogeneous, so
// f(n') >= f'(n).n' for every n'. g is f' at n, e (if wanted) the only tangent direction.
static double lower_bound(const overlap* o, const double* n, double f, const double* g, const double* e,
                          double cosine, double sine)
{
    double w[3];
    const double fh = f - o->rho;
    axpy3(w, g, -fh, n);
    const double slope = e ? fabs(dot3(w, e)) : norm3(w);
    return o->rho + fh * cosine - slope * sine;
}

// (ii) every 15 degrees, except where no minimum below the best so far can lie within 7.5 degrees
static void search_circle(overlap* o, const double* kink)
{
    static const double c[12] = {1.0,
                                 0.9659258262890683,
                                 0.8660254037844387,
                                 0.7071067811865476,
                                 0.5,
                                 0.2588190451025208,
                                 0.0,
                                 -0.2588190451025208,
                                 -0.5,
                                 -0.7071067811865476,
                                 -0.8660254037844387,
                                 -0.9659258262890683};
    double e[2][3];
    basis3(kink, e[0], e[1]);
    for (int i = 0; i < 12; i++) {
        double n[3] = {0.0, 0.0, 0.0}, g[3], across[3];
        axpy3(n, n, c[i], e[0]);
        axpy3(n, n, i < 6 ? -c[i + 6] : c[i - 6], e[1]);
        if (dot3(o->c, n) < 0.0)
            for (int k = 0; k < 3; k++)
                n[k] = -n[k];
        const double f = evaluate(o, n, g, NULL);
        cross3(across, kink, n);
        if (lower_bound(o, n, f, g, across, 0.9914, 0.1306) < o->least - o->tol) {
            const double least = newton(o, n, kink);
            offer(o, n, least, o->tol);
        }
    }
}

// (iii) from those of 13 directions (faces, edges and corners of a cube), of c and of the best so far that
// are lower than their neighbours within 50 degrees, and under which a better minimum can lie
static void search_sphere(overlap* o)
{
    double n[MAX_STARTS][3], f[MAX_STARTS];
    copy3(n[0], o->n);
    f[0] = o->least;
    for (int i = 1; i < MAX_STARTS; i++) {
        const int cell = 13 + i; // of 3 x 3 x 3; the first half of them are opposite to these
        const double cube[3] = {cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1};
        copy3(n[i], i == MAX_STARTS - 1 ? o->c : cube);
        normalize3(n[i]);
        if (dot3(o->c, n[i]) < 0.0)
            for (int k = 0; k < 3; k++)
                n[i][k] = -n[i][k];
        f[i] = evaluate(o, n[i], NULL, NULL);
    }
    for (int i = 0; i < MAX_STARTS; i++) {
        double g[3];
        bool is_lowest = norm3(n[i]) > 0.5;
        const int others = o->least < 0.1 * o->thin ? MAX_STARTS : 0;
        for (int j = 1; j < others && is_lowest && i > 0; j++)
            is_lowest = f[i] <= f[j] || dot3(n[i], n[j]) < 0.64;
        if (!is_lowest)
            continue;
        evaluate(o, n[i], g, NULL);
        // no direction is farther than 28 degrees from the cube's
        if (i == 0 || lower_bound(o, n[i], f[i], g, NULL, 0.8829, 0.4695) < o->least) {
            const double least = newton(o, n[i], NULL);
            offer(o, n[i], least, o->tol);
        }
    }
}

// A step off the kinks that n lies on but is not held by: kink k holds n while the slope of the other terms
// along a_k is at most l_k, the apex n = z of a cylinder while the slope across z is at most r.
static bool find_way_out(const overlap* o, const double* n, double* out)
{
    double g[3], way[3] = {0.0, 0.0, 0.0};
    evaluate(o, n, g, NULL);
    for (int32_t i = 0; i < o->nkink; i++) {
        const double t = dot3(o->a[i], n);
        if (fabs(t) > 1e-6)
            continue;
        const double slope = dot3(o->a[i], g) - copysign(o->l[i], t);
        if (fabs(slope) > o->l[i])
            axpy3(way, way, -copysign(1.0, slope), o->a[i]);
    }
    for (int32_t i = 0; i < o->nmantle; i++) {
        double p[3], w[3];
        axpy3(p, n, -dot3(n, o->mantle[i]->ax[2]), o->mantle[i]->ax[2]);
        if (normalize3(p) > 1e-6)
            continue;
        axpy3(w, g, -o->mantle[i]->s[0], p);
        axpy3(w, w, -dot3(w, n), n);
        if (normalize3(w) > o->mantle[i]->s[0])
            axpy3(way, way, -1.0, w);
    }
    axpy3(out, n, 1e-3, way);
    return normalize3(way) > 0.0 && normalize3(out) > 0.0;
}

// from the best direction so far: off the kinks that do not hold it, onto those it stalled beside
static void settle(overlap* o)
{
    for (int round = 0; round < 4; round++) {
        const double before = o->least;
        double n[3];
        if (find_way_out(o, o->n, n)) {
            const double f = newton(o, n, NULL);
            offer(o, n, f, o->tol);
        }
        for (int32_t k = 0; k < o->nkink; k++) {
            const double t = dot3(o->a[k], o->n);
            if (fabs(t) > 0.1 || fabs(t) < 1e-12)
                continue;
            axpy3(n, o->n, -t, o->a[k]);
            normalize3(n);
            const double f = newton(o, n, o->a[k]);
            offer(o, n, f, o->tol);
        }
        if (!(o->least < before))
            break;
    }
}

static double thinnest(const tl_solid* g)
{
    const double second = fmin(g->s[0], g->s[1]);
    return g->type == TL_SHAPE_CAPSULE    ? g->s[0]
           : g->type == TL_SHAPE_CYLINDER ? second
                                          : fmin(second, g->s[2]);
}

double tl_least_overlap(const tl_solid* a, const tl_solid* b, double margin, double* n)
{
    overlap o = {.least = DBL_MAX, .n = n};
    sub3(o.c, a->p, b->p);
    o.tol = 1e-10 * fmin(a->length, b->length) + 1e-15 * fmax(a->length, b->length);
    o.thin = fmin(thinnest(a), thinnest(b));
    add_solid(&o, a, 0);
    add_solid(&o, b, 1);
    try_faces(&o, a);
    try_faces(&o, b);
    try_crossings(&o);
    const bool polytopes = o.nmantle == 0 && o.nellipsoid == 0;
    // no kink crossing: nothing was tried (two capsules side by side do not come here)
    if (o.least < -margin || (polytopes && o.least - o.rho >= 0.0))
        return o.least;
    for (int32_t k = 0; k < o.nkink; k++) {
        search_circle(&o, o.a[k]);
        if (o.least < -margin)
            return o.least;
    }
    if (o.nellipsoid > 0 || o.nmantle == 2 || o.least < o.rho) {
        settle(&o);
        search_sphere(&o);
        settle(&o);
    }
    return o.least;
}
