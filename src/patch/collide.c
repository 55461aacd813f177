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
#include "polygon.h"

#define BLOCK 128
#define FAN_BLOCK 16      // more rows each, taken while they are in the cache
#define ROOM TL_FAN_SIDES // places after the last face

static void place(const tl_pose* Xa, const tl_pose* Xb, tl_placed* B)
{
    double d[3];
    sub3(d, Xb->p, Xa->p);
    turn_back3(B->t, Xa->R, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double s = 0.0;
            for (int k = 0; k < 3; k++)
                s += Xa->R[3 * k + i] * Xb->R[3 * k + j];
            B->R[3 * i + j] = s;
        }
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
    p->side = p->eb + cap;
    p->nvertex = p->side + cap;
    return TALUS_OK;
}

/// A face in world axes. `per` is 1/ga + 1/gb, NAN where it makes no contact whatever the pressure; as
/// tl_patch_is_contact.
typedef struct measured {
    double area, centroid[3], normal[3], ga, gb, per, pressure;
} measured;

static inline double overlap_per_pressure(double ga, double gb)
{
    return ga > 0.0 && gb > 0.0 ? 1.0 / ga + 1.0 / gb : NAN;
}

static inline void write_face(tl_patch* p, const measured* m, int32_t ea, int32_t eb, int32_t side)
{
    const int32_t i = p->n++;
    p->area[i] = m->area;
    p->pressure[i] = m->pressure;
    copy3(p->centroid + 3 * (int64_t)i, m->centroid);
    copy3(p->normal + 3 * (int64_t)i, m->normal);
    p->ga[i] = m->ga;
    p->gb[i] = m->gb;
    p->ea[i] = ea;
    p->eb[i] = eb;
    p->side[i] = side;
    p->nvertex[i] = 0;
    if (!(m->pressure * m->per <= p->size)) {
        p->left_out++;
        p->left_out_area += p->area[i];
    }
}

/// Corners of the last face.
static void write_corners(tl_patch* p, const tl_pose* X, const double* pressure, const tl_polygon* q,
                          int64_t* nvertex)
{
    p->nvertex[p->n - 1] = q->n;
    const bool backwards = !tl_polygon_is_counter_clockwise(q);
    for (int32_t k = 0; k < q->n; k++, ++*nvertex) {
        const double* corner_k = q->x[backwards ? q->n - 1 - k : k];
        double* x = p->vertex + 3 * *nvertex;
        turn3(x, X->R, corner_k);
        axpy3(x, x, 1.0, X->p);
        p->vertex_p[*nvertex] = dot3(pressure, corner_k) + pressure[3];
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
    tl_half_space half; // mesh NULL: both are meshes
    tl_patch_options options;
    tl_patch* out;
    int64_t nvertex;
} query;

static bool make_face(const query* q, int32_t ea, int32_t eb, tl_face* f)
{
    return q->half.mesh ? tl_face_at_half_space(&q->half, q->half.second ? eb : ea, f)
                        : tl_face_of_pair(q->a, q->b, &q->B, ea, eb, f);
}

static void write_polygon(query* q, const tl_face* f, const tl_polygon* polygon, int32_t ea, int32_t eb,
                          int32_t side)
{
    double c[3];
    measured m = {.area = tl_polygon_measure(polygon, c), .ga = f->ga, .gb = f->gb};
    m.per = overlap_per_pressure(m.ga, m.gb);
    m.pressure = dot3(f->p, c) + f->p[3];
    turn3(m.centroid, q->X->R, c);
    axpy3(m.centroid, m.centroid, 1.0, q->X->p);
    turn3(m.normal, q->X->R, polygon->normal);
    write_face(q->out, &m, ea, eb, side);
    if (q->options.vertices)
        write_corners(q->out, q->X, f->p, polygon, &q->nvertex);
}

/// The triangle from edge i to the centroid.
static tl_polygon fan_triangle(const tl_polygon* q, int32_t i, const double* centroid)
{
    tl_polygon t = {.n = 3};
    copy3(t.normal, q->normal);
    copy3(t.x[0], q->x[i]);
    copy3(t.x[1], q->x[i + 1 < q->n ? i + 1 : 0]);
    copy3(t.x[2], centroid);
    return t;
}

/// Face of a candidate, corner by corner.
static void clip_with_care(query* q, int32_t ea, int32_t eb)
{
    q->out->careful++;
    tl_face f;
    if (!make_face(q, ea, eb, &f))
        return;
    if (!q->options.triangles) {
        write_polygon(q, &f, &f.q, ea, eb, 0);
        return;
    }
    double c[3];
    tl_polygon_measure(&f.q, c);
    for (int32_t side = 0; side < TL_FAN_SIDES; side++)
        for (int32_t i = 0; i < f.q.n; i++)
            if (f.q.side[i] == side) {
                const tl_polygon t = fan_triangle(&f.q, i, c);
                write_polygon(q, &f, &t, ea, eb, side);
            }
}

/// What the kernels found in a block of candidates.
typedef struct found {
    uint8_t state[BLOCK], side[BLOCK];
    double row[TL_CLIP_ROWS * BLOCK > TL_FAN_ALL* FAN_BLOCK ? TL_CLIP_ROWS* BLOCK : TL_FAN_ALL* FAN_BLOCK];
} found;

static measured read_face(const double* row, int64_t ld)
{
    measured m = {.area = row[TL_CLIP_AREA * ld],
                  .ga = row[TL_CLIP_GA * ld],
                  .gb = row[TL_CLIP_GB * ld],
                  .pressure = row[TL_CLIP_PRESSURE * ld]};
    for (int k = 0; k < 3; k++) {
        m.centroid[k] = row[(TL_CLIP_CENTROID + k) * ld];
        m.normal[k] = row[(TL_CLIP_NORMAL + k) * ld];
    }
    m.per = overlap_per_pressure(m.ga, m.gb);
    return m;
}

static void take_face(query* q, const double* row, int32_t ea, int32_t eb)
{
    const measured m = read_face(row, BLOCK);
    write_face(q->out, &m, ea, eb, 0);
    tl_face f;
    if (q->options.vertices && make_face(q, ea, eb, &f))
        write_corners(q->out, q->X, f.p, &f.q, &q->nvertex);
}

/// Corners of the triangles on the sides from face `first` on.
static void write_fan_corners(query* q, int32_t first)
{
    tl_patch* p = q->out;
    tl_face f;
    double c[3];
    if (!make_face(q, p->ea[first], p->eb[first], &f))
        return;
    tl_polygon_measure(&f.q, c);
    const int32_t end = p->n;
    for (p->n = first + 1; p->n <= end; p->n++)
        for (int32_t i = 0; i < f.q.n; i++)
            if (f.q.side[i] == p->side[p->n - 1]) {
                const tl_polygon t = fan_triangle(&f.q, i, c);
                write_corners(p, q->X, f.p, &t, &q->nvertex);
            }
    p->n = end;
}

/// Without a branch for each triangle: sides that are not there are written too, and overwritten (ROOM).
static void take_fan(query* q, const double* row, unsigned sides, int32_t ea, int32_t eb)
{
    tl_patch* p = q->out;
    const measured m = read_face(row, FAN_BLOCK);
    const int32_t first = p->n;
    double* restrict area = p->area + first, * restrict pressure = p->pressure + first, * restrict ga = p->ga + first, * restrict gb = p->gb + first, * restrict centroid = p->centroid + 3 * (int64_t)first, * restrict normal = p->normal + 3 * (int64_t)first;
    int32_t* restrict side = p->side + first, * restrict of_a = p->ea + first, * restrict of_b = p->eb + first, * restrict nvertex = p->nvertex + first;
    const void* soon[] = {area + 24,   pressure + 24, ga + 24,   gb + 24,   centroid + 48, centroid + 56,
                          normal + 48, normal + 56,   side + 32, of_a + 32, of_b + 32,     nvertex + 32};
    for (int32_t k = 0; k < TL_COUNT(soon); k++) // stores that miss the cache wait in line
        __builtin_prefetch(soon[k], 1);
    int32_t n = 0, out = 0;
    for (int32_t k = 0; k < TL_FAN_SIDES; k++) {
        const double* t = row + (TL_CLIP_ROWS + k * TL_FAN_ROWS) * FAN_BLOCK;
        area[n] = t[TL_FAN_AREA * FAN_BLOCK];
        pressure[n] = t[TL_FAN_PRESSURE * FAN_BLOCK];
        for (int r = 0; r < 3; r++)
            centroid[3 * n + r] = t[(TL_FAN_CENTROID + r) * FAN_BLOCK];
        side[n] = k;
        n += (int32_t)(sides >> k & 1);
    }
    for (int32_t k = 0; k < n; k++) {
        copy3(normal + 3 * k, m.normal);
        ga[k] = m.ga;
        gb[k] = m.gb;
        of_a[k] = ea;
        of_b[k] = eb;
        nvertex[k] = 0;
    }
    const double size = p->size;
    for (int32_t k = 0; k < n; k++)
        out += !(pressure[k] * m.per <= size);
    p->n += n;
    p->left_out += out;
    for (int32_t k = 0; k < n && out > 0; k++)
        p->left_out_area += pressure[k] * m.per <= size ? 0.0 : area[k];
    if (q->options.vertices)
        write_fan_corners(q, first);
}

/// The pairs of elements of a block, in order.
static void take_block(query* q, const found* b, int32_t n, const int32_t (*pair)[2])
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t ea = pair[i][0], eb = pair[i][1];
        if (b->state[i] == TL_CLIP_NONE)
            continue;
        if (b->state[i] == TL_CLIP_DOUBTFUL ||
            (b->state[i] == TL_CLIP_RIM && tl_rim_is_broken(q->a, q->b, &q->B, ea, eb)))
            clip_with_care(q, ea, eb);
        else if (q->options.triangles)
            take_fan(q, b->row + i, b->side[i], ea, eb);
        else
            take_face(q, b->row + i, ea, eb);
    }
}

static tl_clip_axes axes_of(const tl_pose* X)
{
    tl_clip_axes out;
    memcpy(out.R, X->R, sizeof out.R);
    copy3(out.p, X->p);
    return out;
}

// Candidates in blocks: those that do not meet are dropped, the others' faces are measured by the kernel; what it
// does not decide goes corner by corner.
static void clip_pairs(talus_context* ctx, query* q)
{
    const tl_kernels* kernels = tl_context_kernels(ctx);
    const tl_clip_axes world = axes_of(q->X);
    tl_clip_placed w = {.a = q->a->clip,
                        .b = q->b->clip,
                        .world = &world,
                        .triangles = q->a->kind == TL_FIELD_RIGID   ? 1
                                     : q->b->kind == TL_FIELD_RIGID ? 2
                                                                    : 0,
                        .tolerance = TL_DOUBT * q->out->size,
                        .near = TL_NEAR * q->out->size,
                        .turned = TL_COS_TURNED,
                        .across = TL_ACROSS};
    memcpy(w.R, q->B.R, sizeof w.R);
    memcpy(w.t, q->B.t, sizeof w.t);
    int32_t met[BLOCK][2];
    uint8_t may[BLOCK];
    found b;
    for (int64_t first = 0; first < q->out->candidates; first += BLOCK) {
        const int32_t n = (int32_t)TL_MIN(q->out->candidates - first, BLOCK),
                      *pair = q->out->cand + 2 * first;
        int32_t m = 0;
        kernels->clip_meet(n, pair, &w, may);
        for (int32_t i = 0; i < n; i++)
            if (may[i]) {
                met[m][0] = pair[2 * i];
                met[m++][1] = pair[2 * i + 1];
            }
        q->out->met += m;
        const int32_t block = q->options.triangles ? FAN_BLOCK : BLOCK;
        for (int32_t i = 0; i < m; i += block) {
            const int32_t some = TL_MIN(block, m - i);
            if (q->options.triangles)
                kernels->tet_fan(some, met[i], &w, b.state, b.side, FAN_BLOCK, b.row);
            else
                kernels->tet_clip(some, met[i], &w, b.state, BLOCK, b.row);
            take_block(q, &b, some, (const int32_t(*)[2])met + i);
        }
    }
}

// a half space: elements in blocks, sections of tetrahedra by the kernel
static void clip_elements(talus_context* ctx, query* q)
{
    const tl_kernels* kernels = tl_context_kernels(ctx);
    const tl_half_space* h = &q->half;
    const tl_clip_axes world = axes_of(q->X);
    tl_section_placed w = {.e = h->mesh->clip,
                           .world = &world,
                           .tolerance = TL_DOUBT * q->out->size,
                           .near = TL_NEAR * q->out->size,
                           .turned = TL_COS_TURNED,
                           .across = TL_ACROSS,
                           .second = h->second};
    memcpy(w.plane, h->plane, sizeof w.plane);
    int32_t pair[BLOCK][2] = {0};
    found b = {0}; // fans here have the sides of one body only
    memset(b.state, TL_CLIP_DOUBTFUL, sizeof b.state);
    const int32_t block = q->options.triangles ? FAN_BLOCK : BLOCK;
    for (int64_t first = 0; first < q->out->candidates; first += block) {
        const int32_t n = (int32_t)TL_MIN(q->out->candidates - first, block), *at = q->out->cand + first;
        for (int32_t i = 0; i < n; i++)
            pair[i][h->second] = at[i];
        if (h->mesh->kind == TL_FIELD_COMPLIANT && q->options.triangles)
            kernels->section_fan(n, at, &w, b.state, b.side, FAN_BLOCK, b.row);
        else if (h->mesh->kind == TL_FIELD_COMPLIANT)
            kernels->tet_section(n, at, &w, b.state, BLOCK, b.row);
        take_block(q, &b, n, (const int32_t(*)[2])pair);
    }
}

// the boundary of the half space, seen from the other body's axes
static tl_half_space place_half_space(const tl_field* a, const tl_field* b, const tl_placed* B)
{
    const double z[4] = {0.0, 0.0, 1.0, 0.0};
    tl_half_space h = {.second = is_half(a)};
    h.mesh = h.second ? b : a;
    h.slope = (h.second ? a : b)->slope;
    if (h.second) {
        turn_back3(h.plane, B->R, z);
        h.plane[3] = B->t[2];
    } else {
        tl_place_plane(B, z, h.plane);
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
    const tl_half_space h = place_half_space(a, b, &B);
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
    q.B.size = out->size;
    const bool half = is_half(a) || is_half(b);
    TL_TRY(half ? find_at_half_space(ctx, &q, Xb) : tl_find_pairs(ctx, a, b, &q.B, q.options.cold, out));
    const double t1 = tl_now();
    const int64_t most = out->candidates * (q.options.triangles ? TL_POLYGON_MAX : 1);
    if (most > INT32_MAX / 8)
        return tl_fail(ctx, TALUS_ERR_UNSUPPORTED, "%lld faces in one patch are too many", (long long)most);
    TL_TRY(reserve(ctx, out, most + ROOM,
                   q.options.vertices ? most * (q.options.triangles ? 3 : TL_POLYGON_MAX) : 0));
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
