// SPDX-License-Identifier: MIT
// g = G w or base - G (w - w0), TL_LANES contacts at a time. Bound by loads and stores: 9 and 3 a contact, 15
// and 3 with a base, for 11 or 17 operations.
#include "gradient_apply.h"
#include "simd.h"

static inline __attribute__((always_inline)) void apply_loop(int32_t n, int64_t ld, const double* G,
                                                             const double* w, const double* base,
                                                             const double* w0, double* g, int linearized)
{
    for (int32_t i = 0; i < n; i += TL_LANES) {
        tl_vd x = tl_load(w + i), y = tl_load(w + ld + i), z = tl_load(w + 2 * ld + i);
        if (linearized) {
            x = x - tl_load(w0 + i);
            y = y - tl_load(w0 + ld + i);
            z = z - tl_load(w0 + 2 * ld + i);
        }
        const tl_vd xy = tl_load(G + TL_G_XY * ld + i);
        tl_vd gx = tl_load(G + TL_G_XX * ld + i) * x + xy * y + tl_load(G + TL_G_XN * ld + i) * z;
        tl_vd gy = xy * x + tl_load(G + TL_G_YY * ld + i) * y + tl_load(G + TL_G_YN * ld + i) * z;
        tl_vd gn = tl_load(G + TL_G_NN * ld + i) * z;
        if (linearized) {
            gx = tl_load(base + i) - gx;
            gy = tl_load(base + ld + i) - gy;
            gn = tl_load(base + 2 * ld + i) - gn;
        }
        tl_store(g + i, gx);
        tl_store(g + ld + i, gy);
        tl_store(g + 2 * ld + i, gn);
    }
}

void TL_KERNEL(gradient_apply)(int32_t n, int64_t ld, const double* G, const double* w, const double* base,
                               const double* w0, double* g)
{
    if (base)
        apply_loop(n, ld, G, w, base, w0, g, 1);
    else
        apply_loop(n, ld, G, w, base, w0, g, 0);
}
