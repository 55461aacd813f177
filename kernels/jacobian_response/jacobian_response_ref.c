// SPDX-License-Identifier: MIT
// B = h M^-1 J^T and diag(J B), scalar: the oracle of the wide form.
#include "jacobian_response.h"

// products of one tree's six columns into p, which W adds up
static void respond(const double* Minv, double h, const double* J, double* B, double p[6])
{
    for (int r = 0; r < 6; r++) {
        double sum = Minv[r] * (h * J[0]);
        for (int c = 1; c < 6; c++)
            sum += Minv[6 * c + r] * (h * J[c]);
        B[r] = sum;
        p[r] += J[r] * sum;
    }
}

void tl_jacobian_response_ref(int32_t n, const tl_jacobian6* J, const double* const* Minv, double h,
                              double* B, double* Wt, double* Wn)
{
    for (int32_t i = 0; i < n; i++) {
        const int two = J->b[i] >= 0, stride = two ? 12 : 6;
        double W[3];
        for (int r = 0; r < 3; r++) {
            const int64_t at = J->at[i] + r * stride;
            double p[6] = {0};
            respond(Minv[J->a[i]], h, J->rows + at, B + at, p);
            if (two)
                respond(Minv[J->b[i]], h, J->rows + at + 6, B + at + 6, p);
            W[r] = ((p[0] + p[2]) + p[4]) + ((p[1] + p[3]) + p[5]);
        }
        Wt[i] = 0.5 * (W[0] + W[1]);
        Wn[i] = W[2];
    }
}
