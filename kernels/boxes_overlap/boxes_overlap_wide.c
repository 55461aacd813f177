// SPDX-License-Identifier: MIT
// Overlap of oriented boxes, TL_LANES pairs at a time. Boxes are read whole, set to their pressure and turned into
// columns through a block of the stack; the edges' axes are left out when the faces' part all pairs.
#include "boxes_overlap.h"
#include "simd.h"

#include <math.h>

/// Centres and half sizes of TL_LANES boxes, one a lane.
static inline void columns(const tl_box* box, const int32_t* at, double p, tl_vd* c, tl_vd* h)
{
    double row[TL_LANES][8] __attribute__((aligned(64)));
    const tl_vd pressure = tl_set(p);
    for (int l = 0; l < TL_LANES; l++) {
        const double *base = box[at[l]].c, *slope = box[at[l]].cp;
        for (int k = 0; k < 8; k += TL_LANES)
            tl_store(row[l] + k, tl_load(base + k) + pressure * tl_load(slope + k));
    }
    const double* rows[TL_LANES];
    tl_vd column[8];
    for (int l = 0; l < TL_LANES; l++)
        rows[l] = row[l];
    tl_columns(rows, column);
    for (int k = 0; k < 3; k++) {
        c[k] = column[k];
        h[k] = column[3 + k];
    }
}

typedef struct turned {
    tl_vd R[9], Q[9], t[3], slack;
} turned;

static inline tl_vm edges_apart(const turned* w, const tl_vd* t, const tl_vd* x, const tl_vd* y, tl_vm apart)
{
    const tl_vd *R = w->R, *Q = w->Q;
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            apart = tl_or(apart, tl_lt(x[i1] * Q[3 * i2 + j] + x[i2] * Q[3 * i1 + j] + y[j1] * Q[3 * i + j2] +
                                           y[j2] * Q[3 * i + j1] + w->slack,
                                       tl_abs(t[i2] * R[3 * i1 + j] - t[i1] * R[3 * i2 + j])));
        }
    }
    return apart;
}

static inline void test(const turned* w, const tl_vd* ca, const tl_vd* x, const tl_vd* cb, const tl_vd* y,
                        uint8_t* found)
{
    const tl_vd *R = w->R, *Q = w->Q;
    tl_vd t[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        t[i] = R[3 * i] * cb[0] + R[3 * i + 1] * cb[1] + R[3 * i + 2] * cb[2] + (w->t[i] - ca[i]);
    tl_vm apart = tl_none();
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        apart =
            tl_or(apart, tl_lt(x[i] + Q[3 * i] * y[0] + Q[3 * i + 1] * y[1] + Q[3 * i + 2] * y[2] + w->slack,
                               tl_abs(t[i])));
#pragma GCC unroll 3
    for (int j = 0; j < 3; j++)
        apart = tl_or(apart, tl_lt(y[j] + Q[j] * x[0] + Q[3 + j] * x[1] + Q[6 + j] * x[2] + w->slack,
                                   tl_abs(t[0] * R[j] + t[1] * R[3 + j] + t[2] * R[6 + j])));
    if (tl_bits(apart) != (1u << TL_LANES) - 1)
        apart = edges_apart(w, t, x, y, apart);
    const tl_vd size_a = x[0] * x[0] + x[1] * x[1] + x[2] * x[2],
                size_b = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], ratio = tl_set(TL_BOXES_RATIO);
    const unsigned out = tl_bits(apart), a = tl_bits(tl_lt(ratio * size_b, size_a)),
                   b = tl_bits(tl_lt(ratio * size_a, size_b));
    for (int l = 0; l < TL_LANES; l++)
        found[l] =
            (uint8_t)((~out >> l & 1) * (TL_BOXES_OPEN_BOTH + (a >> l & 1) + 2 * (b >> l & 1))); // no branch
}

void TL_KERNEL(boxes_overlap)(int32_t n, const int32_t* pair, const tl_boxes_placed* w, uint8_t* found)
{
    turned m;
    for (int i = 0; i < 9; i++) {
        m.R[i] = tl_set(w->R[i]);
        m.Q[i] = tl_set(fabs(w->R[i]));
    }
    for (int i = 0; i < 3; i++)
        m.t[i] = tl_set(w->t[i]);
    m.slack = tl_set(w->slack);
    for (int32_t i = 0; i < n; i += TL_LANES) {
        int32_t a[TL_LANES], b[TL_LANES];
        for (int l = 0; l < TL_LANES; l++) { // lanes past the end repeat the last pair
            const int32_t j = i + l < n ? i + l : n - 1;
            a[l] = pair[2 * j];
            b[l] = pair[2 * j + 1];
        }
        tl_vd ca[3], x[3], cb[3], y[3];
        columns(w->a, a, w->pa, ca, x);
        columns(w->b, b, w->pb, cb, y);
        uint8_t lane[TL_LANES];
        test(&m, ca, x, cb, y, lane);
        for (int l = 0; l < TL_LANES && i + l < n; l++)
            found[i + l] = lane[l];
    }
}
