// SPDX-License-Identifier: MIT
// w = J v and v += J^T f with six-column blocks, one contact at a time: vectors run along the six columns, as
// four and two lanes, because velocities lie that way and lanes of contacts would gather and scatter every
// one of them.
//
// Products of trees a and b are added before the six columns are, so a row costs two steps across lanes
// whether it has one tree or two.
#include "jacobian_apply.h"
#include "six.h"

#include <stddef.h>

void TL_KERNEL(jacobian_apply)(int32_t n, const int32_t* list, const tl_jacobian6* J, const double* v,
                               int64_t ld, double* w)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        if (i < 0) {
            w[place] = w[ld + place] = w[2 * ld + place] = 0.0;
            continue;
        }
        const double* row = J->rows + J->at[i];
        const six va = load6(v + J->dof[J->a[i]]);
        if (J->b[i] >= 0) {
            const six vb = load6(v + J->dof[J->b[i]]);
            for (int r = 0; r < 3; r++, row += 12)
                w[r * ld + place] = sum6(add6(mul6(load6(row), va), mul6(load6(row + 6), vb)));
        } else {
            for (int r = 0; r < 3; r++, row += 6)
                w[r * ld + place] = sum6(mul6(load6(row), va));
        }
    }
}

/// v += J^T g of one tree; its rows t1, t2, n are `stride` apart
static inline void add_tree(double* v, const double* row, int stride, const double g[3])
{
    const six x = scale6(load6(row), g[0]), y = scale6(load6(row + stride), g[1]);
    const six z = scale6(load6(row + 2 * stride), g[2]);
    store6(v, add6(load6(v), add6(add6(x, y), z)));
}

void TL_KERNEL(jacobian_add)(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                             const double* f, int64_t ld, double* v)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        const double g[3] = {scale * f[place], scale * f[ld + place], scale * f[2 * ld + place]};
        if (i < 0 || (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0))
            continue;
        const double* row = J->rows + J->at[i];
        double* va = v + J->dof[J->a[i]];
        if (J->b[i] >= 0) {
            add_tree(va, row, 12, g);
            add_tree(v + J->dof[J->b[i]], row + 6, 12, g);
        } else {
            add_tree(va, row, 6, g);
        }
    }
}

void TL_KERNEL(jacobian_gather)(int32_t begin, int32_t end, const int32_t* start, const int32_t* list,
                                const tl_jacobian6* J, double scale, const double* f, int64_t ld, double* v)
{
    for (int32_t t = begin; t < end; t++) {
        double* vt = v + J->dof[t];
        six sum = load6(vt);
        for (int32_t e = start[t]; e < start[t + 1]; e++) {
            const int32_t i = list[e] >> 1, stride = J->b[i] >= 0 ? 12 : 6;
            const double g[3] = {scale * f[i], scale * f[ld + i], scale * f[2 * ld + i]};
            if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0)
                continue;
            const double* row = J->rows + J->at[i] + 6 * (list[e] & 1);
            const six x = scale6(load6(row), g[0]), y = scale6(load6(row + stride), g[1]);
            sum = add6(sum, add6(add6(x, y), scale6(load6(row + 2 * stride), g[2])));
        }
        store6(vt, sum);
    }
}
