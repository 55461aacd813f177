// SPDX-License-Identifier: MIT
// w = J v and v += J^T f with six-column blocks, one contact at a time: vectors run along the six columns, as
// four and two lanes, because velocities lie that way and lanes of contacts would gather and scatter every
// one of them.
//
// Products of trees a and b are added before the six columns are, so a row costs two steps across lanes
// whether it has one tree or two.
#include "jacobian_apply.h"
#include "simd.h"

#include <stddef.h>

typedef double pair __attribute__((vector_size(16)));
typedef double pair_mem __attribute__((vector_size(16), aligned(8), may_alias));
#define PAIR(p) ((pair) * (const pair_mem*)(p))

#if TL_LANES >= 4

typedef double quad __attribute__((vector_size(32)));
typedef double quad_mem __attribute__((vector_size(32), aligned(8), may_alias));
#define QUAD(p) ((quad) * (const quad_mem*)(p))

typedef struct six {
    quad q; // columns 0 to 3
    pair h; // columns 4, 5
} six;

static inline six load6(const double* p)
{
    return (six){QUAD(p), PAIR(p + 4)};
}

static inline void store6(double* p, six x)
{
    *(quad_mem*)p = x.q;
    *(pair_mem*)(p + 4) = x.h;
}

static inline six mul6(six a, six b)
{
    return (six){a.q * b.q, a.h * b.h};
}

static inline six scale6(six a, double g)
{
    return (six){a.q * g, a.h * g};
}

static inline six add6(six a, six b)
{
    return (six){a.q + b.q, a.h + b.h};
}

/// [ (x0 + x2) + x4 ] + [ (x1 + x3) + x5 ]
static inline double sum6(six x)
{
    const pair s = ((pair){x.q[0], x.q[1]} + (pair){x.q[2], x.q[3]}) + x.h;
    return s[0] + s[1];
}

#else

typedef struct six {
    pair x, y, z; // columns 0 1, 2 3, 4 5
} six;

static inline six load6(const double* p)
{
    return (six){PAIR(p), PAIR(p + 2), PAIR(p + 4)};
}

static inline void store6(double* p, six a)
{
    *(pair_mem*)p = a.x;
    *(pair_mem*)(p + 2) = a.y;
    *(pair_mem*)(p + 4) = a.z;
}

static inline six mul6(six a, six b)
{
    return (six){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline six scale6(six a, double g)
{
    return (six){a.x * g, a.y * g, a.z * g};
}

static inline six add6(six a, six b)
{
    return (six){a.x + b.x, a.y + b.y, a.z + b.z};
}

/// [ (x0 + x2) + x4 ] + [ (x1 + x3) + x5 ]
static inline double sum6(six a)
{
    const pair s = (a.x + a.y) + a.z;
    return s[0] + s[1];
}

#endif

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
