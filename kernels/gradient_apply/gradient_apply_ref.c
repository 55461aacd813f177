// SPDX-License-Identifier: MIT
// g = G w or base - G (w - w0), scalar: the oracle of the wide form. Every row is summed from left to right.
#include "gradient_apply.h"

#include <stddef.h>

void tl_gradient_apply_ref(int32_t n, int64_t ld, const double* G, const double* w, const double* base,
                           const double* w0, double* g)
{
    for (int32_t i = 0; i < n; i++) {
        double x[3], y[3];
        for (int r = 0; r < 3; r++)
            x[r] = base ? w[r * ld + i] - w0[r * ld + i] : w[r * ld + i];
        const double *xx = G + TL_G_XX * ld, *xy = G + TL_G_XY * ld, *yy = G + TL_G_YY * ld;
        const double *xn = G + TL_G_XN * ld, *yn = G + TL_G_YN * ld, *nn = G + TL_G_NN * ld;
        y[0] = xx[i] * x[0] + xy[i] * x[1] + xn[i] * x[2];
        y[1] = xy[i] * x[0] + yy[i] * x[1] + yn[i] * x[2];
        y[2] = nn[i] * x[2];
        for (int r = 0; r < 3; r++)
            g[r * ld + i] = base ? base[r * ld + i] - y[r] : y[r];
    }
}
