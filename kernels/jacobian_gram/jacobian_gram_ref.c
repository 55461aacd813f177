// SPDX-License-Identifier: MIT
// C = sum of J^T G J over the contacts of one pair of trees, scalar: the oracle of the wide form.
#include "jacobian_gram.h"

void tl_jacobian_gram_ref(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                          const double* G, int64_t ld, int32_t full, double* C)
{
    const int nd = J->b[list[0]] >= 0 ? 12 : 6;
    for (int c = 0; c < nd; c++)
        for (int r = c < 6 || full ? 0 : 6; r < nd; r++)
            C[nd * c + r] = 0.0;
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list[place];
        const double* row = J->rows + J->at[i];
        const double xx = scale * G[TL_G_XX * ld + i], xy = scale * G[TL_G_XY * ld + i];
        const double yy = scale * G[TL_G_YY * ld + i], nn = scale * G[TL_G_NN * ld + i];
        const double xn = full ? scale * G[TL_G_XN * ld + i] : 0.0;
        const double yn = full ? scale * G[TL_G_YN * ld + i] : 0.0;
        double T[36];
        for (int c = 0; c < nd; c++) {
            const double j1 = row[c], j2 = row[nd + c], j3 = row[2 * nd + c];
            T[c] = xx * j1 + xy * j2 + xn * j3;
            T[nd + c] = xy * j1 + yy * j2 + yn * j3;
            T[2 * nd + c] = nn * j3;
        }
        for (int c = 0; c < nd; c++)
            for (int r = c < 6 || full ? 0 : 6; r < nd; r++)
                C[nd * c + r] += row[r] * T[c] + row[nd + r] * T[nd + c] + row[2 * nd + r] * T[2 * nd + c];
    }
}
