// SPDX-License-Identifier: MIT
// Overlap of oriented boxes, scalar: the 3 + 3 face normals, then the 9 products of edges.
#include "boxes_overlap.h"

#include <math.h>

static void box_at(const tl_box* box, double p, double* c, double* h)
{
    for (int k = 0; k < 3; k++) {
        c[k] = box->c[k] + p * box->cp[k];
        h[k] = box->h[k] + p * box->hp[k];
    }
}

static uint8_t overlap(const double* ca, const double* x, const double* cb, const double* y,
                       const tl_boxes_placed* w)
{
    const double* R = w->R;
    double t[3], Q[9];
    for (int i = 0; i < 9; i++)
        Q[i] = fabs(R[i]);
    for (int i = 0; i < 3; i++)
        t[i] = R[3 * i] * cb[0] + R[3 * i + 1] * cb[1] + R[3 * i + 2] * cb[2] + (w->t[i] - ca[i]);
    for (int i = 0; i < 3; i++)
        if (fabs(t[i]) > x[i] + Q[3 * i] * y[0] + Q[3 * i + 1] * y[1] + Q[3 * i + 2] * y[2] + w->slack)
            return TL_BOXES_APART;
    for (int j = 0; j < 3; j++)
        if (fabs(t[0] * R[j] + t[1] * R[3 + j] + t[2] * R[6 + j]) >
            y[j] + Q[j] * x[0] + Q[3 + j] * x[1] + Q[6 + j] * x[2] + w->slack)
            return TL_BOXES_APART;
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            if (fabs(t[i2] * R[3 * i1 + j] - t[i1] * R[3 * i2 + j]) >
                x[i1] * Q[3 * i2 + j] + x[i2] * Q[3 * i1 + j] + y[j1] * Q[3 * i + j2] +
                    y[j2] * Q[3 * i + j1] + w->slack)
                return TL_BOXES_APART;
        }
    }
    const double size_a = x[0] * x[0] + x[1] * x[1] + x[2] * x[2],
                 size_b = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    return size_a > TL_BOXES_RATIO * size_b   ? TL_BOXES_OPEN_A
           : size_b > TL_BOXES_RATIO * size_a ? TL_BOXES_OPEN_B
                                              : TL_BOXES_OPEN_BOTH;
}

void tl_boxes_overlap_ref(int32_t n, const int32_t* pair, const tl_boxes_placed* w, uint8_t* found)
{
    for (int32_t i = 0; i < n; i++) {
        double ca[3], x[3], cb[3], y[3];
        box_at(w->a + pair[2 * i], w->pa, ca, x);
        box_at(w->b + pair[2 * i + 1], w->pb, cb, y);
        found[i] = overlap(ca, x, cb, y, w);
    }
}
