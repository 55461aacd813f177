// SPDX-License-Identifier: MIT
// The tree of boxes over a field's elements: top down, each set halved at the median of its centroids along
// the longest side of their box. Boxes are aligned with the body's axes, hence oriented boxes when two bodies
// meet; one element a leaf.
#include "field.h"

typedef struct item {
    double lo[3], hi[3], c[3];
    int32_t element;
} item;

static int compare_axis(const item* a, const item* b, int k)
{
    if (a->c[k] != b->c[k])
        return a->c[k] < b->c[k] ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

// the n/2 lowest along axis k to the front (quickselect, median of three)
static void halve(item* a, int32_t n, int k)
{
    int32_t lo = 0, hi = n - 1;
    const int32_t want = n / 2;
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

static int32_t build(tl_field* f, item* a, int32_t n, int32_t at)
{
    tl_box_node* node = f->node + at;
    double lo[3], hi[3], clo[3], chi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = clo[k] = INFINITY;
        hi[k] = chi[k] = -INFINITY;
    }
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], a[i].lo[k]);
            hi[k] = fmax(hi[k], a[i].hi[k]);
            clo[k] = fmin(clo[k], a[i].c[k]);
            chi[k] = fmax(chi[k], a[i].c[k]);
        }
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        node->c[k] = 0.5 * (lo[k] + hi[k]);
        node->h[k] = 0.5 * (hi[k] - lo[k]);
        longest = chi[k] - clo[k] > chi[longest] - clo[longest] ? k : longest;
    }
    if (n == 1) {
        node->right = ~a->element;
        return at + 1;
    }
    halve(a, n, longest);
    node->right = build(f, a, n / 2, at + 1);
    return build(f, a + n / 2, n - n / 2, node->right);
}

talus_status tl_field_boxes(talus_context* ctx, tl_field* f)
{
    const int32_t n = f->info.ne, corners = f->kind == TL_FIELD_COMPLIANT ? 4 : 3;
    item* a = tl_alloc(ctx, sizeof(item) * (size_t)n);
    f->node = tl_alloc(ctx, sizeof *f->node * (2 * (size_t)n - 1));
    if (!a || !f->node) {
        tl_free(ctx, a);
        return tl_nomem(ctx, sizeof(item) * (size_t)n);
    }
    for (int32_t e = 0; e < n; e++) {
        a[e].element = e;
        for (int k = 0; k < 3; k++) {
            double lo = INFINITY, hi = -INFINITY;
            for (int32_t i = 0; i < corners; i++) {
                const double x = f->x[3 * (int64_t)f->element[corners * (int64_t)e + i] + k];
                lo = fmin(lo, x);
                hi = fmax(hi, x);
            }
            a[e].lo[k] = lo;
            a[e].hi[k] = hi;
            a[e].c[k] = 0.5 * (lo + hi);
        }
    }
    build(f, a, n, 0);
    tl_free(ctx, a);
    return TALUS_OK;
}
