// SPDX-License-Identifier: MIT
// w = J v and v += J^T f with six-column blocks, one contact at a time: vectors run along the six columns, as
// four and two lanes, because velocities lie that way and lanes of contacts would gather and scatter every
// one of them.
//
// The compiler halves the four lanes where there are two. Products of trees a and b are added before the six
// columns are, so a row costs two horizontal steps whether it has one tree or two.
#include "jacobian_apply.h"
#include "simd.h"

#include <stddef.h>

typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));
typedef double pair_mem __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad_mem __attribute__((vector_size(32), aligned(8), may_alias));

// macros, as vectors wider than the instruction set do not pass through functions quietly
#define PAIR(p) ((pair) * (const pair_mem*)(p))
#define QUAD(p) ((quad) * (const quad_mem*)(p))

/// [ (p0 + p2) + p4 ] + [ (p1 + p3) + p5 ] of the products q = p0..p3 and h = p4, p5
#define SUM6(q, h) ((((q)[0] + (q)[2]) + (h)[0]) + (((q)[1] + (q)[3]) + (h)[1]))

void TL_KERNEL(jacobian_apply)(int32_t n, const int32_t* list, const tl_jacobian6* J, const double* v,
                               int64_t ld, double* w)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        if (i < 0) {
            w[place] = w[ld + place] = w[2 * ld + place] = 0.0;
            continue;
        }
        const double *row = J->rows + J->at[i], *va = v + J->dof[J->a[i]];
        const quad va4 = QUAD(va);
        const pair va2 = PAIR(va + 4);
        quad p[3];
        pair h[3];
        if (J->b[i] >= 0) {
            const double* vb = v + J->dof[J->b[i]];
            const quad vb4 = QUAD(vb);
            const pair vb2 = PAIR(vb + 4);
            for (int r = 0; r < 3; r++) {
                p[r] = QUAD(row + 12 * r) * va4 + QUAD(row + 12 * r + 6) * vb4;
                h[r] = PAIR(row + 12 * r + 4) * va2 + PAIR(row + 12 * r + 10) * vb2;
            }
        } else {
            for (int r = 0; r < 3; r++) {
                p[r] = QUAD(row + 6 * r) * va4;
                h[r] = PAIR(row + 6 * r + 4) * va2;
            }
        }
        for (int r = 0; r < 3; r++)
            w[r * ld + place] = SUM6(p[r], h[r]);
    }
}

/// v += J^T g of one tree; rows t1, t2, n are `stride` apart
#define ADD6(v, row, stride)                                                                                 \
    do {                                                                                                     \
        *(quad_mem*)(v) =                                                                                    \
            QUAD(v) + (QUAD(row) * g1 + QUAD((row) + (stride)) * g2 + QUAD((row) + 2 * (stride)) * g3);      \
        *(pair_mem*)((v) + 4) = PAIR((v) + 4) + (PAIR((row) + 4) * g1 + PAIR((row) + (stride) + 4) * g2 +    \
                                                 PAIR((row) + 2 * (stride) + 4) * g3);                       \
    } while (0)

void TL_KERNEL(jacobian_add)(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                             const double* f, int64_t ld, double* v)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        const double g1 = scale * f[place], g2 = scale * f[ld + place], g3 = scale * f[2 * ld + place];
        if (i < 0 || (g1 == 0.0 && g2 == 0.0 && g3 == 0.0))
            continue;
        const double* row = J->rows + J->at[i];
        double* va = v + J->dof[J->a[i]];
        if (J->b[i] >= 0) {
            double* vb = v + J->dof[J->b[i]];
            ADD6(va, row, 12);
            ADD6(vb, row + 6, 12);
        } else {
            ADD6(va, row, 6);
        }
    }
}
