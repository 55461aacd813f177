// SPDX-License-Identifier: MIT
// Clocks, a sort that does not allocate, a 64-bit hash, and the xoshiro256++ generator (reproducible across machines).
#define _GNU_SOURCE
#include "base.h"

#include <math.h>
#include <time.h>

static double seconds(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double tl_now(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double tl_cpu_now(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

// runs of 1, 2, 4, ... elements merged from one array into the other
void tl_sort(void* a, int32_t n, size_t size, int (*compare)(const void*, const void*), void* scratch)
{
    char *from = a, *to = scratch;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * run) {
            const int64_t mid = TL_MIN(begin + run, n), end = TL_MIN(begin + 2 * run, n);
            int64_t i = begin, j = mid;
            for (int64_t k = begin; k < end; k++) {
                const char *x = from + (size_t)i * size, *y = from + (size_t)j * size;
                const bool left = i < mid && (j >= end || compare(x, y) <= 0);
                memcpy(to + (size_t)k * size, left ? x : y, size);
                i += left;
                j += !left;
            }
        }
        char* t = from;
        from = to;
        to = t;
    }
    if (from != (char*)a && n > 0)
        memcpy(a, from, (size_t)n * size);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t tl_hash(const void* data, size_t bytes, uint64_t seed)
{
    const unsigned char* p = data;
    uint64_t h = mix(seed ^ (0x9e3779b97f4a7c15u + bytes));
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = mix(h ^ w) + 0x9e3779b97f4a7c15u;
    }
    uint64_t w = 0;
    if (bytes)
        memcpy(&w, p, bytes);
    return mix(h ^ w);
}

void tl_rng_seed(tl_rng* r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        r->s[i] = mix(seed);
    }
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t tl_rng_next(tl_rng* r)
{
    uint64_t* s = r->s;
    const uint64_t out = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return out;
}

double tl_rng_uniform(tl_rng* r, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(tl_rng_next(r) >> 11) * 0x1p-53);
}

double tl_rng_normal(tl_rng* r)
{
    const double u = 1.0 - tl_rng_uniform(r, 0.0, 1.0), v = tl_rng_uniform(r, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}
