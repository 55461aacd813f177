// SPDX-License-Identifier: MIT
// Boxes of the elements of a leaf, TL_LANES at a time.
#include "leaf_boxes.h"
#include "simd.h"

#include <math.h>
#include <stddef.h>

#define RATE_AT (offsetof(tl_clip_element, base) / sizeof(double)) // base and rate: eight numbers

typedef struct corners {
    tl_vd x[16]; // corner i's coordinate k at 3 i + k
    tl_vd part[4];
    tl_vm low[4], inside; // corners up to the pressure; lanes with one
} corners;

static inline void load(int32_t n, const tl_clip_element* e, int32_t first, double pressure, corners* c)
{
    const double *row[TL_LANES], *rate_row[TL_LANES];
    tl_vd rate[8];
    for (int l = 0; l < TL_LANES; l++) { // lanes past the end repeat the last element
        row[l] = (const double*)(e + (first + l < n ? first + l : n - 1));
        rate_row[l] = row[l] + RATE_AT;
    }
    tl_columns(row, c->x);
    for (int l = 0; l < TL_LANES; l++)
        row[l] += 8;
    tl_columns(row, c->x + 8);
    tl_columns(rate_row, rate);
    c->inside = tl_none();
    for (int i = 0; i < 4; i++) {
        const tl_vd part = tl_set(pressure) * rate[4 + i], zero = {0};
        const tl_vm above = tl_and(tl_lt(zero, part), tl_lt(part, tl_set(1.0)));
        c->part[i] = tl_keep(above, part);
        c->low[i] = tl_and_not(tl_all(), above);
        c->inside = tl_or(c->inside, c->low[i]);
    }
}

static inline void bound(const corners* c, const tl_vd* x, double slack, int32_t first,
                         double (*low)[TL_LEAF], double (*high)[TL_LEAF])
{
    const tl_vd far = tl_set(INFINITY);
    for (int k = 0; k < 3; k++) {
        tl_vd lo = far, hi = -far, down = {0}, up = {0};
        for (int i = 0; i < 4; i++) {
            lo = tl_min(lo, tl_select(c->low[i], x[3 * i + k], far));
            hi = tl_max(hi, tl_select(c->low[i], x[3 * i + k], -far));
        }
        for (int i = 0; i < 4; i++) {
            down = tl_min(down, (x[3 * i + k] - lo) * c->part[i]);
            up = tl_max(up, (x[3 * i + k] - hi) * c->part[i]);
        }
        tl_store(low[k] + first, tl_select(c->inside, (lo + down) - tl_set(slack), far));
        tl_store(high[k] + first, tl_select(c->inside, (hi + up) + tl_set(slack), -far));
    }
}

void TL_KERNEL(leaf_bounds)(int32_t n, const tl_clip_element* e, const tl_leaf_placed* w, tl_leaf_box* out)
{
    for (int32_t first = 0; first < TL_LEAF; first += TL_LANES) {
        corners c;
        tl_vd y[12];
        load(n, e, first, w->pressure, &c);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                y[3 * i + k] = tl_set(w->R[3 * k]) * c.x[3 * i] + tl_set(w->R[3 * k + 1]) * c.x[3 * i + 1] +
                               tl_set(w->R[3 * k + 2]) * c.x[3 * i + 2] + tl_set(w->t[k]);
        bound(&c, c.x, w->slack, first, out->lo[w->own], out->hi[w->own]);
        bound(&c, y, w->slack, first, out->lo[1 - w->own], out->hi[1 - w->own]);
    }
    for (int k = 0; k < 6; k++)
        for (int32_t l = n; l < TL_LEAF; l++) {
            out->lo[k / 3][k % 3][l] = INFINITY;
            out->hi[k / 3][k % 3][l] = -INFINITY;
        }
}

uint64_t TL_KERNEL(leaf_pairs)(const tl_leaf_box* a, const tl_leaf_box* b)
{
    const double *a_lo = a->lo[0][0], *a_hi = a->hi[0][0], *b_lo = b->lo[0][0], *b_hi = b->hi[0][0];
    const tl_vd zero = {0};
    uint64_t found = 0;
    for (int32_t first = 0; first < TL_LEAF; first += TL_LANES) {
        tl_vd lo[6], hi[6];
        for (int k = 0; k < 6; k++) {
            lo[k] = tl_load(b_lo + TL_LEAF * k + first);
            hi[k] = tl_load(b_hi + TL_LEAF * k + first);
        }
        for (int i = 0; i < TL_LEAF; i++) {
            tl_vd gap = tl_max(lo[0] - tl_set(a_hi[i]), tl_set(a_lo[i]) - hi[0]);
            for (int k = 1; k < 6; k++) {
                gap = tl_max(gap, lo[k] - tl_set(a_hi[TL_LEAF * k + i]));
                gap = tl_max(gap, tl_set(a_lo[TL_LEAF * k + i]) - hi[k]);
            }
            found |= (uint64_t)tl_bits(tl_le(gap, zero)) << (TL_LEAF * i + first);
        }
    }
    return found;
}
