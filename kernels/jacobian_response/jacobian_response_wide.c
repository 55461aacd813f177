// SPDX-License-Identifier: MIT
// B = h M^-1 J^T and diag(J B) with six columns as one value: a row is six multiples of the columns of M^-1.
#include "jacobian_response.h"
#include "six.h"

static inline six respond(const six m[6], double h, const double* J, double* B)
{
    six sum = scale6(m[0], h * J[0]);
    for (int c = 1; c < 6; c++)
        sum = add6(sum, scale6(m[c], h * J[c]));
    store6(B, sum);
    return mul6(load6(J), sum);
}

static inline void load_block(const double* Minv, six m[6])
{
    for (int c = 0; c < 6; c++)
        m[c] = load6(Minv + 6 * c);
}

void TL_KERNEL(jacobian_response)(int32_t n, const tl_jacobian6* J, const double* const* Minv, double h,
                                  double* B, double* Wt, double* Wn)
{
    for (int32_t i = 0; i < n; i++) {
        const double* row = J->rows + J->at[i];
        double* out = B + J->at[i];
        six m[6], p[3];
        double W[3];
        load_block(Minv[J->a[i]], m);
        if (J->b[i] >= 0) {
            for (int r = 0; r < 3; r++)
                p[r] = respond(m, h, row + 12 * r, out + 12 * r);
            load_block(Minv[J->b[i]], m);
            for (int r = 0; r < 3; r++)
                p[r] = add6(p[r], respond(m, h, row + 12 * r + 6, out + 12 * r + 6));
        } else {
            for (int r = 0; r < 3; r++)
                p[r] = respond(m, h, row + 6 * r, out + 6 * r);
        }
        for (int r = 0; r < 3; r++)
            W[r] = sum6(p[r]);
        Wt[i] = 0.5 * (W[0] + W[1]);
        Wn[i] = W[2];
    }
}
