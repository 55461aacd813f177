// SPDX-License-Identifier: MIT
// C = sum of J^T G J over the contacts of one pair of trees: a contact's six rows of J stay in registers, the
// entries of T = G J are broadcast from the stack, and the columns of C are updated in the first-level cache.
#include "jacobian_gram.h"
#include "six.h"

/// C += J_x^T T_z with J_x's three rows x0, x1, x2; T's rows are 6 apart
static inline void add_block(double* C, six x0, six x1, six x2, const double* T)
{
    for (int c = 0; c < 6; c++, C += 6) {
        const six sum = add6(add6(scale6(x0, T[c]), scale6(x1, T[6 + c])), scale6(x2, T[12 + c]));
        store6(C, add6(load6(C), sum));
    }
}

/// T = G J of one tree's six columns, rows 6 apart
static inline void form_T(double* T, six x0, six x1, six x2, const double g[6])
{
    store6(T, add6(add6(scale6(x0, g[TL_G_XX]), scale6(x1, g[TL_G_XY])), scale6(x2, g[TL_G_XN])));
    store6(T + 6, add6(add6(scale6(x0, g[TL_G_XY]), scale6(x1, g[TL_G_YY])), scale6(x2, g[TL_G_YN])));
    store6(T + 12, scale6(x2, g[TL_G_NN]));
}

static inline void read_G(double g[6], const double* G, int64_t ld, int32_t i, double scale, int32_t full)
{
    for (int r = 0; r < TL_G_ROWS; r++)
        g[r] = scale * G[r * ld + i];
    if (!full)
        g[TL_G_XN] = g[TL_G_YN] = 0.0;
}

static void one_tree(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale, const double* G,
                     int64_t ld, int32_t full, double* C)
{
    for (int32_t place = 0; place < n; place++) {
        const double* row = J->rows + J->at[list[place]];
        const six a0 = load6(row), a1 = load6(row + 6), a2 = load6(row + 12);
        double g[6], T[18];
        read_G(g, G, ld, list[place], scale, full);
        form_T(T, a0, a1, a2, g);
        add_block(C + TL_GRAM_AA, a0, a1, a2, T);
    }
}

static void two_trees(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale, const double* G,
                      int64_t ld, int32_t full, double* C)
{
    for (int32_t place = 0; place < n; place++) {
        const double* row = J->rows + J->at[list[place]];
        const six a0 = load6(row), a1 = load6(row + 12), a2 = load6(row + 24);
        const six b0 = load6(row + 6), b1 = load6(row + 18), b2 = load6(row + 30);
        double g[6], Ta[18], Tb[18];
        read_G(g, G, ld, list[place], scale, full);
        form_T(Ta, a0, a1, a2, g);
        form_T(Tb, b0, b1, b2, g);
        add_block(C + TL_GRAM_AA, a0, a1, a2, Ta);
        add_block(C + TL_GRAM_BA, b0, b1, b2, Ta);
        add_block(C + TL_GRAM_BB, b0, b1, b2, Tb);
        if (full)
            add_block(C + TL_GRAM_AB, a0, a1, a2, Tb);
    }
}

void TL_KERNEL(jacobian_gram)(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                              const double* G, int64_t ld, int32_t full, double* C)
{
    const int two = J->b[list[0]] >= 0;
    for (int j = 0; j < (two ? (full ? 144 : 108) : 36); j++)
        C[j] = 0.0;
    if (two)
        two_trees(n, list, J, scale, G, ld, full, C);
    else
        one_tree(n, list, J, scale, G, ld, full, C);
}
