// SPDX-License-Identifier: MIT
// C = sum of J^T G J over the contacts of one pair of trees, scalar: the oracle of the wide form.
#include "jacobian_gram.h"

/// the block with rows of columns x.. of J and columns z.. of J: C += J_x^T T_z
static void add_block(double* C, const double* J, const double* T, int stride, int x, int z)
{
    for (int c = 0; c < 6; c++)
        for (int r = 0; r < 6; r++)
            C[6 * c + r] += J[x + r] * T[z + c] + J[stride + x + r] * T[stride + z + c] +
                            J[2 * stride + x + r] * T[2 * stride + z + c];
}

void tl_jacobian_gram_ref(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                          const double* G, int64_t ld, int32_t full, double* C)
{
    const int two = J->b[list[0]] >= 0, stride = two ? 12 : 6;
    const int blocks = two ? (full ? 4 : 3) : 1;
    for (int j = 0; j < 36 * blocks; j++)
        C[j] = 0.0;
    for (int32_t place = 0; place < n; place++) {
        const int32_t i = list[place];
        const double* row = J->rows + J->at[i];
        const double xx = scale * G[TL_G_XX * ld + i], xy = scale * G[TL_G_XY * ld + i];
        const double yy = scale * G[TL_G_YY * ld + i], nn = scale * G[TL_G_NN * ld + i];
        const double xn = full ? scale * G[TL_G_XN * ld + i] : 0.0;
        const double yn = full ? scale * G[TL_G_YN * ld + i] : 0.0;
        double T[36];
        for (int c = 0; c < stride; c++) {
            const double j1 = row[c], j2 = row[stride + c], j3 = row[2 * stride + c];
            T[c] = xx * j1 + xy * j2 + xn * j3;
            T[stride + c] = xy * j1 + yy * j2 + yn * j3;
            T[2 * stride + c] = nn * j3;
        }
        add_block(C + TL_GRAM_AA, row, T, stride, 0, 0);
        if (two) {
            add_block(C + TL_GRAM_BA, row, T, stride, 6, 0);
            add_block(C + TL_GRAM_BB, row, T, stride, 6, 6);
            if (full)
                add_block(C + TL_GRAM_AB, row, T, stride, 0, 6);
        }
    }
}
