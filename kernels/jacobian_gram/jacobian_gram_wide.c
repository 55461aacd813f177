// SPDX-License-Identifier: MIT
// C = sum of J^T G J over the contacts of one pair of trees. Columns of C are updated in the first-level
// cache: a contact's three rows of J stay in registers, the entries of T = G J are broadcast from the stack.
// Columns of tree a have twelve rows and go in the widest vectors there are; those of tree b have six, or
// twelve with `full`.
#include "jacobian_gram.h"
#include "six.h"

// twelve doubles: 8 + 4, 3 x 4 or 6 x 2 lanes
#if TL_LANES == 8
typedef struct twelve {
    tl_vd lo;
    quad hi;
} twelve;

static inline twelve load12(const double* p)
{
    return (twelve){tl_load(p), QUAD(p + 8)};
}

/// c += (x t0 + y t1) + z t2
static inline void update12(double* c, twelve x, twelve y, twelve z, double t0, double t1, double t2)
{
    tl_store(c, tl_load(c) + (x.lo * t0 + y.lo * t1 + z.lo * t2));
    *(quad_mem*)(c + 8) = QUAD(c + 8) + (x.hi * t0 + y.hi * t1 + z.hi * t2);
}
#else
#define PARTS (12 / TL_LANES)
typedef struct twelve {
    tl_vd part[PARTS];
} twelve;

static inline twelve load12(const double* p)
{
    twelve x;
    for (int j = 0; j < PARTS; j++)
        x.part[j] = tl_load(p + TL_LANES * j);
    return x;
}

/// c += (x t0 + y t1) + z t2
static inline void update12(double* c, twelve x, twelve y, twelve z, double t0, double t1, double t2)
{
    for (int j = 0; j < PARTS; j++, c += TL_LANES)
        tl_store(c, tl_load(c) + (x.part[j] * t0 + y.part[j] * t1 + z.part[j] * t2));
}
#endif

static inline void update6(double* c, six x, six y, six z, double t0, double t1, double t2)
{
    store6(c, add6(load6(c), add6(add6(scale6(x, t0), scale6(y, t1)), scale6(z, t2))));
}

/// T = G J of one tree's six columns, rows 6 apart
static inline void form_T(double* T, six x, six y, six z, const double g[TL_G_ROWS])
{
    store6(T, add6(add6(scale6(x, g[TL_G_XX]), scale6(y, g[TL_G_XY])), scale6(z, g[TL_G_XN])));
    store6(T + 6, add6(add6(scale6(x, g[TL_G_XY]), scale6(y, g[TL_G_YY])), scale6(z, g[TL_G_YN])));
    store6(T + 12, scale6(z, g[TL_G_NN]));
}

/// Leave T in memory: broadcasts are free with loads, and from registers would take the port that multiplies.
static inline void keep_in_memory(const double* T)
{
    __asm__ volatile("" : : "r"(T) : "memory");
}

static inline void read_G(double g[TL_G_ROWS], const double* G, int64_t ld, int32_t i, double scale,
                          int32_t full)
{
    for (int r = 0; r < TL_G_ROWS; r++)
        g[r] = scale * G[r * ld + i];
    if (!full)
        g[TL_G_XN] = g[TL_G_YN] = 0.0;
}

static void one_tree(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale, const double* G,
                     int64_t ld, int32_t full, double* restrict C)
{
    for (int j = 0; j < 36; j++)
        C[j] = 0.0;
    for (int32_t place = 0; place < n; place++) {
        const double* row = J->rows + J->at[list[place]];
        const six x = load6(row), y = load6(row + 6), z = load6(row + 12);
        double g[TL_G_ROWS], T[18];
        read_G(g, G, ld, list[place], scale, full);
        form_T(T, x, y, z, g);
        keep_in_memory(T);
        for (int c = 0; c < 6; c++)
            update6(C + 6 * c, x, y, z, T[c], T[6 + c], T[12 + c]);
    }
}

static void two_trees(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale, const double* G,
                      int64_t ld, int32_t full, double* restrict C)
{
    for (int c = 0; c < 12; c++)
        for (int r = c < 6 || full ? 0 : 6; r < 12; r++)
            C[12 * c + r] = 0.0;
    for (int32_t place = 0; place < n; place++) {
        const double* row = J->rows + J->at[list[place]];
        const twelve x = load12(row), y = load12(row + 12), z = load12(row + 24);
        const six bx = load6(row + 6), by = load6(row + 18), bz = load6(row + 30);
        double g[TL_G_ROWS], Ta[18], Tb[18];
        read_G(g, G, ld, list[place], scale, full);
        form_T(Ta, load6(row), load6(row + 12), load6(row + 24), g);
        form_T(Tb, bx, by, bz, g);
        keep_in_memory(Ta);
        keep_in_memory(Tb);
        for (int c = 0; c < 6; c++)
            update12(C + 12 * c, x, y, z, Ta[c], Ta[6 + c], Ta[12 + c]);
        for (int c = 0; full && c < 6; c++)
            update12(C + 72 + 12 * c, x, y, z, Tb[c], Tb[6 + c], Tb[12 + c]);
        for (int c = 0; !full && c < 6; c++)
            update6(C + 78 + 12 * c, bx, by, bz, Tb[c], Tb[6 + c], Tb[12 + c]);
    }
}

void TL_KERNEL(jacobian_gram)(int32_t n, const int32_t* list, const tl_jacobian6* J, double scale,
                              const double* G, int64_t ld, int32_t full, double* C)
{
    if (J->b[list[0]] >= 0)
        two_trees(n, list, J, scale, G, ld, full, C);
    else
        one_tree(n, list, J, scale, G, ld, full, C);
}
