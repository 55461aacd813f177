// SPDX-License-Identifier: MIT
// w = J v and v += J^T f with six-column blocks, scalar: the oracle of the wide form. The order of sums is
// the contract's (jacobian_apply.h): even and odd columns apart, as two lanes would.
#include "jacobian_apply.h"

#include <stddef.h>

void tl_jacobian_apply_ref(int32_t n, const int32_t* list, const tl_jacobian6* J, const double* v, int64_t ld,
                           double* w)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        for (int r = 0; r < 3; r++) {
            if (i < 0) {
                w[r * ld + place] = 0.0;
                continue;
            }
            const int two = J->b[i] >= 0;
            const double *row = J->rows + J->at[i] + r * (two ? 12 : 6), *va = v + J->dof[J->a[i]];
            double p[6];
            for (int c = 0; c < 6; c++)
                p[c] = row[c] * va[c];
            for (int c = 0; two && c < 6; c++)
                p[c] += row[6 + c] * v[J->dof[J->b[i]] + c];
            w[r * ld + place] = (p[0] + p[2] + p[4]) + (p[1] + p[3] + p[5]);
        }
    }
}

void tl_jacobian_add_ref(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale, const double* f,
                         int64_t ld, double* v)
{
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list ? list[place] : place;
        const double g1 = scale * f[place], g2 = scale * f[ld + place], g3 = scale * f[2 * ld + place];
        if (i < 0 || (g1 == 0.0 && g2 == 0.0 && g3 == 0.0))
            continue;
        const int trees = J->b[i] >= 0 ? 2 : 1, stride = 6 * trees;
        for (int t = 0; t < trees; t++) {
            const double* row = J->rows + J->at[i] + 6 * t;
            double* vt = v + J->dof[t ? J->b[i] : J->a[i]];
            for (int c = 0; c < 6; c++)
                vt[c] += row[c] * g1 + row[stride + c] * g2 + row[2 * stride + c] * g3;
        }
    }
}

void tl_jacobian_gather_ref(int32_t begin, int32_t end, const int32_t* start, const int32_t* list,
                            const tl_jacobian6* J, double scale, const double* f, int64_t ld, double* v)
{
    for (int32_t t = begin; t < end; t++)
        for (int32_t e = start[t]; e < start[t + 1]; e++) {
            const int32_t i = list[e] / 2, stride = J->b[i] >= 0 ? 12 : 6;
            const double g1 = scale * f[i], g2 = scale * f[ld + i], g3 = scale * f[2 * ld + i];
            const double* row = J->rows + J->at[i] + 6 * (list[e] % 2);
            if (g1 == 0.0 && g2 == 0.0 && g3 == 0.0)
                continue;
            for (int c = 0; c < 6; c++)
                v[J->dof[t] + c] += row[c] * g1 + row[stride + c] * g2 + row[2 * stride + c] * g3;
        }
}
