// SPDX-License-Identifier: MIT
// The tree of boxes over a field's elements: top down, each set halved near the median of its centroids along
// the longest side of their box, at a whole number of leaves. Boxes are aligned with the body's axes, hence oriented
// boxes when two bodies meet.
#include "field.h"

/// Corners lo and hi at pressure 0 and at the field's largest; between them the true box is no larger than theirs.
typedef struct item {
    double lo[2][3], hi[2][3], c[3];
    int32_t element, corners[4];
} item;

static int compare_axis(const item* a, const item* b, int k)
{
    if (a->c[k] != b->c[k])
        return a->c[k] < b->c[k] ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

// the `want` lowest along axis k to the front (quickselect, median of three)
static void halve(item* a, int32_t n, int32_t want, int k)
{
    int32_t lo = 0, hi = n - 1;
    while (lo < hi) {
        const int32_t mid = lo + (hi - lo) / 2;
        const item *p = a + lo, *q = a + mid, *r = a + hi;
        const bool pq = compare_axis(p, q, k) < 0, qr = compare_axis(q, r, k) < 0,
                   pr = compare_axis(p, r, k) < 0;
        const item pivot = pq == qr ? *q : pq != pr ? *p : *r;
        int32_t i = lo, j = hi;
        while (i <= j) {
            while (compare_axis(a + i, &pivot, k) < 0)
                i++;
            while (compare_axis(a + j, &pivot, k) > 0)
                j--;
            if (i <= j) {
                const item t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        if (want <= j)
            hi = j;
        else if (want >= i)
            lo = i;
        else
            return;
    }
}

static void unite(item* out, const item* a)
{
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 3; k++) {
            out->lo[t][k] = fmin(out->lo[t][k], a->lo[t][k]);
            out->hi[t][k] = fmax(out->hi[t][k], a->hi[t][k]);
        }
}

static void write_node(tl_box* node, const item* box, double p_most)
{
    for (int k = 0; k < 3; k++) {
        double c[2], h[2];
        for (int t = 0; t < 2; t++) {
            c[t] = 0.5 * (box->lo[t][k] + box->hi[t][k]);
            h[t] = 0.5 * (box->hi[t][k] - box->lo[t][k]);
        }
        node->c[k] = c[0];
        node->h[k] = h[0];
        node->cp[k] = p_most > 0.0 ? (c[1] - c[0]) / p_most : 0.0;
        node->hp[k] = p_most > 0.0 ? (h[1] - h[0]) / p_most : 0.0;
    }
}

static int32_t build(tl_field* f, item* a, int32_t n, int32_t at, int32_t* leaf)
{
    item box = a[0];
    double clo[3], chi[3];
    copy3(clo, a[0].c);
    copy3(chi, a[0].c);
    for (int32_t i = 1; i < n; i++) {
        unite(&box, a + i);
        for (int k = 0; k < 3; k++) {
            clo[k] = fmin(clo[k], a[i].c[k]);
            chi[k] = fmax(chi[k], a[i].c[k]);
        }
    }
    write_node(f->box + at, &box, f->p_most);
    if (n <= TL_LEAF) {
        f->leaf[*leaf] = at;
        f->right[at] = ~(*leaf)++;
        return at + 1;
    }
    int longest = 0;
    for (int k = 1; k < 3; k++)
        longest = chi[k] - clo[k] > chi[longest] - clo[longest] ? k : longest;
    const int32_t left = TL_LEAF * ((n + TL_LEAF) / (2 * TL_LEAF)); // all leaves but the last are full
    halve(a, n, left, longest);
    f->right[at] = build(f, a, left, at + 1, leaf);
    return build(f, a + left, n - left, f->right[at], leaf);
}

// A point of pressure p is a mean of corners whose mean pressure is p. So x >= lo + p s for it when that holds for
// the corners, and for all points up to pressure p when s <= 0. Elements that reach no more than half of the
// field's pressure have the same box for all: extended to the largest pressure it would be many times too large.
static void bound_element(const tl_field* f, int32_t e, item* a)
{
    const int32_t n = f->kind == TL_FIELD_COMPLIANT ? 4 : 3, *v = f->element + n * (int64_t)e;
    double p[4] = {0}, least = INFINITY, largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        p[i] = f->p ? f->p[v[i]] : 0.0;
        least = fmin(least, p[i]);
        largest = fmax(largest, p[i]);
    }
    if (largest < 0.5 * f->p_most)
        least = largest;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY, down = 0.0, up = 0.0;
        for (int32_t i = 0; i < n; i++)
            if (p[i] <= least) {
                const double x = f->x[3 * (int64_t)v[i] + k];
                lo = fmin(lo, x);
                hi = fmax(hi, x);
            }
        for (int32_t i = 0; i < n; i++)
            if (p[i] > least) {
                const double x = f->x[3 * (int64_t)v[i] + k];
                down = fmin(down, (x - lo) / p[i]);
                up = fmax(up, (x - hi) / p[i]);
            }
        a->lo[0][k] = lo;
        a->hi[0][k] = hi;
        a->lo[1][k] = lo + down * f->p_most;
        a->hi[1][k] = hi + up * f->p_most;
        a->c[k] = 0.5 * (lo + hi);
    }
    a->element = e;
}

// Elements in the order of the leaves: leaf k has those from TL_LEAF k on.
static void order_elements(tl_field* f, item* a)
{
    const int32_t n = f->info.ne;
    const int64_t corners = f->kind == TL_FIELD_COMPLIANT ? 4 : 3;
    for (int32_t e = 0; e < n; e++)
        memcpy(a[e].corners, f->element + corners * a[e].element, sizeof(int32_t) * (size_t)corners);
    for (int32_t e = 0; e < n; e++)
        memcpy(f->element + corners * (int64_t)e, a[e].corners, sizeof(int32_t) * (size_t)corners);
}

// boxes at pressures between 0 and the largest lie between those two, and all of them in the uppermost
static void measure_boxes(tl_field* f, int32_t leaves)
{
    for (int32_t i = 0; i < leaves; i++)
        f->leaf_size += norm3(f->box[f->leaf[i]].h) / leaves;
    for (int t = 0; t < 2; t++) {
        double far[3];
        for (int k = 0; k < 3; k++)
            far[k] = fabs(f->box->c[k] + t * f->p_most * f->box->cp[k] - tl_field_middle(f, k)) +
                     f->box->h[k] + t * f->p_most * f->box->hp[k];
        f->reach = fmax(f->reach, norm3(far));
    }
}

talus_status tl_field_boxes(talus_context* ctx, tl_field* f)
{
    const int32_t n = f->info.ne;
    const int64_t corners = f->kind == TL_FIELD_COMPLIANT ? 4 : 3,
                  nodes = 2 * (int64_t)((n + TL_LEAF - 1) / TL_LEAF) - 1;
    int32_t leaf = 0;
    item* a = tl_alloc(ctx, sizeof(item) * (size_t)n);
    f->box = tl_calloc(ctx, sizeof *f->box * (size_t)nodes);
    f->right = tl_alloc(ctx, sizeof *f->right * (size_t)nodes);
    f->leaf = tl_alloc(ctx, sizeof *f->leaf * (size_t)(nodes + 1) / 2);
    if (!a || !f->box || !f->right || !f->leaf) {
        tl_free(ctx, a);
        return tl_nomem(ctx, sizeof(item) * (size_t)n);
    }
    for (int k = 0; k < 3; k++) {
        f->lo[k] = INFINITY;
        f->hi[k] = -INFINITY;
        for (int64_t i = 0; i < corners * n; i++) {
            f->lo[k] = fmin(f->lo[k], f->x[3 * (int64_t)f->element[i] + k]);
            f->hi[k] = fmax(f->hi[k], f->x[3 * (int64_t)f->element[i] + k]);
        }
    }
    for (int32_t e = 0; e < n; e++)
        bound_element(f, e, a + e);
    build(f, a, n, 0, &leaf);
    order_elements(f, a);
    tl_free(ctx, a);
    measure_boxes(f, leaf);
    return TALUS_OK;
}
