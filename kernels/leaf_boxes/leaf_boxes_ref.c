// SPDX-License-Identifier: MIT
// Boxes of the elements of a leaf, one by one.
#include "leaf_boxes.h"

#include <math.h>
#include <stdbool.h>

static void bound(const tl_clip_element* e, const double (*x)[3], const tl_leaf_placed* w, int lane,
                  double (*low)[TL_LEAF], double (*high)[TL_LEAF])
{
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY, down = 0.0, up = 0.0;
        double part[4];
        bool inside = false;
        for (int i = 0; i < 4; i++) {
            part[i] = w->pressure * e->rate[i];
            if (part[i] > 0.0 && part[i] < 1.0)
                continue;
            part[i] = 0.0;
            lo = fmin(lo, x[i][k]);
            hi = fmax(hi, x[i][k]);
            inside = true;
        }
        for (int i = 0; i < 4 && inside; i++) {
            down = fmin(down, (x[i][k] - lo) * part[i]);
            up = fmax(up, (x[i][k] - hi) * part[i]);
        }
        low[k][lane] = inside ? (lo + down) - w->slack : INFINITY;
        high[k][lane] = inside ? (hi + up) + w->slack : -INFINITY;
    }
}

void tl_leaf_bounds_ref(int32_t n, const tl_clip_element* e, const tl_leaf_placed* w, tl_leaf_box* out)
{
    for (int l = 0; l < TL_LEAF; l++) {
        if (l >= n) {
            for (int k = 0; k < 6; k++) {
                out->lo[k / 3][k % 3][l] = INFINITY;
                out->hi[k / 3][k % 3][l] = -INFINITY;
            }
            continue;
        }
        double y[4][3];
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                y[i][k] = w->R[3 * k] * e[l].x[i][0] + w->R[3 * k + 1] * e[l].x[i][1] +
                          w->R[3 * k + 2] * e[l].x[i][2] + w->t[k];
        bound(e + l, (const double(*)[3])e[l].x, w, l, out->lo[w->own], out->hi[w->own]);
        bound(e + l, (const double(*)[3])y, w, l, out->lo[1 - w->own], out->hi[1 - w->own]);
    }
}

uint64_t tl_leaf_pairs_ref(const tl_leaf_box* a, const tl_leaf_box* b)
{
    uint64_t found = 0;
    for (int i = 0; i < TL_LEAF; i++)
        for (int j = 0; j < TL_LEAF; j++) {
            bool meet = true;
            for (int k = 0; k < 6; k++)
                meet &= a->lo[k / 3][k % 3][i] <= b->hi[k / 3][k % 3][j] &&
                        b->lo[k / 3][k % 3][j] <= a->hi[k / 3][k % 3][i];
            found |= (uint64_t)meet << (TL_LEAF * i + j);
        }
    return found;
}
