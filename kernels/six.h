// SPDX-License-Identifier: MIT
// Six columns of a tree with six dofs as one value, for the *_wide.c files: four and two lanes, or three
// times two. No alignment is asked for, and nothing behind the sixth is touched.
#pragma once

#include "simd.h"

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
