// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "roof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TRIAD_MEM (8 << 20)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef double limit_fn(int64_t rounds);
typedef void triad_fn(int64_t n, double s, double* a, const double* b, const double* c);

typedef struct limit_set {
    const char* isa;
    int lanes;
    limit_fn *multiply_add, *divide, *root;
    triad_fn* triad;
} limit_set;

#define CHAINS 12 // enough for two pipes of latency 4 to 5

// one set of loops over vector type V; the chains are independent, so throughput counts and not latency
#define DEFINE_LIMITS(name, attributes, V, LANES, MADD, ROOT)                                                \
    attributes static double madd_##name(int64_t rounds)                                                     \
    {                                                                                                        \
        V x[CHAINS], m = {0}, a = {0};                                                                       \
        m = m + 0.9999;                                                                                      \
        a = a + 1e-4;                                                                                        \
        for (int j = 0; j < CHAINS; j++)                                                                     \
            x[j] = a * (double)j;                                                                            \
        for (int64_t r = 0; r < rounds; r++)                                                                 \
            _Pragma("GCC unroll 12") for (int j = 0; j < CHAINS; j++) x[j] = MADD(x[j], m, a);               \
        V sum = x[0];                                                                                        \
        for (int j = 1; j < CHAINS; j++)                                                                     \
            sum = sum + x[j];                                                                                \
        return *(double*)&sum;                                                                               \
    }                                                                                                        \
    attributes static double divide_##name(int64_t rounds)                                                   \
    {                                                                                                        \
        V x[CHAINS], a = {0};                                                                                \
        a = a + 1.7;                                                                                         \
        for (int j = 0; j < CHAINS; j++)                                                                     \
            x[j] = a + (double)j;                                                                            \
        for (int64_t r = 0; r < rounds; r++)                                                                 \
            _Pragma("GCC unroll 12") for (int j = 0; j < CHAINS; j++) x[j] = a / x[j];                       \
        V sum = x[0];                                                                                        \
        for (int j = 1; j < CHAINS; j++)                                                                     \
            sum = sum + x[j];                                                                                \
        return *(double*)&sum;                                                                               \
    }                                                                                                        \
    attributes static double root_##name(int64_t rounds)                                                     \
    {                                                                                                        \
        V x[CHAINS], a = {0};                                                                                \
        for (int j = 0; j < CHAINS; j++)                                                                     \
            x[j] = a + (double)(j + 2);                                                                      \
        for (int64_t r = 0; r < rounds; r++)                                                                 \
            _Pragma("GCC unroll 12") for (int j = 0; j < CHAINS; j++) x[j] = ROOT(x[j]);                     \
        V sum = x[0];                                                                                        \
        for (int j = 1; j < CHAINS; j++)                                                                     \
            sum = sum + x[j];                                                                                \
        return *(double*)&sum;                                                                               \
    }                                                                                                        \
    attributes static void triad_##name(int64_t n, double s, double* a, const double* b, const double* c)    \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i += LANES)                                                               \
            *(V*)(a + i) = *(const V*)(b + i) + s * *(const V*)(c + i);                                      \
    }

#define PLAIN_MADD(x, m, a) ((x) * (m) + (a))
DEFINE_LIMITS(ref, __attribute__((noinline)), double, 1, PLAIN_MADD, sqrt)

#if defined(__x86_64__)
#include <immintrin.h>
typedef double v2 __attribute__((vector_size(16), may_alias));
typedef double v4 __attribute__((vector_size(32), may_alias));
typedef double v8 __attribute__((vector_size(64), may_alias));
DEFINE_LIMITS(w2, __attribute__((noinline)), v2, 2, PLAIN_MADD, _mm_sqrt_pd)
DEFINE_LIMITS(avx2, __attribute__((noinline, target("avx2,fma"))), v4, 4, _mm256_fmadd_pd, _mm256_sqrt_pd)
DEFINE_LIMITS(avx512, __attribute__((noinline, target("avx512f"))), v8, 8, _mm512_fmadd_pd, _mm512_sqrt_pd)
#endif

#define LIMIT_SET(name, n)                                                                                   \
    {                                                                                                        \
        .isa = #name, .lanes = n, .multiply_add = madd_##name, .divide = divide_##name, .root = root_##name, \
        .triad = triad_##name                                                                                \
    }
static const limit_set limit_sets[] = {
    LIMIT_SET(ref, 1),
#if defined(__x86_64__)
    LIMIT_SET(w2, 2),
    LIMIT_SET(avx2, 4),
    LIMIT_SET(avx512, 8),
#endif
};
#define SETS ((int)(sizeof limit_sets / sizeof limit_sets[0]))

const char* const limit_isa[LIMIT_SETS] = {"ref", "w2", "avx2", "avx512"};

double* doubles(size_t n)
{
    double* x = aligned_alloc(64, (n * sizeof *x + 63) / 64 * 64);
    if (!x) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = 0.0;
    return x;
}

/// operations a second, the best of several tries: other programs can only make it worse
static double operations(limit_fn* fn, double each)
{
    double best = 0.0;
    for (int try = 0; try < 8; try++) {
        const int64_t rounds = 20000;
        const double start = now();
        bm_keep(fn(rounds));
        best = fmax(best, each * CHAINS * (double)rounds / (now() - start));
    }
    return best;
}

static double bandwidth(triad_fn* fn, int64_t n, int repeats)
{
    double *a = doubles((size_t)n), *b = doubles((size_t)n), *c = doubles((size_t)n), best = 0.0;
    for (int try = 0; try < 6; try++) {
        const double start = now();
        for (int r = 0; r < repeats; r++) {
            fn(n, 0.5, a, b, c);
            bm_clobber();
        }
        best = fmax(best, 24.0 * (double)n * repeats / (now() - start));
    }
    free(a);
    free(b);
    free(c);
    return best;
}

limits limits_measure(int set, int64_t triad_doubles)
{
    if (set >= SETS)
        return (limits){0};
    const limit_set* s = &limit_sets[set];
    return (limits){
        .peak = operations(s->multiply_add, 2.0 * s->lanes),
        .div = operations(s->divide, s->lanes),
        .root = operations(s->root, s->lanes),
        .triad = bandwidth(s->triad, triad_doubles, 50),
        .triad_mem = bandwidth(s->triad, TRIAD_MEM / 3, 1),
    };
}

void roof_report(bm_state* s, const limits* m, const counts* c)
{
    const double flops = c->flops / m->peak, bytes = c->bytes / m->triad;
    const double div = c->divs / m->div + c->roots / m->root;
    const double taken = bm_seconds(s);
    bm_counter(s, "flops", c->flops);
    bm_counter(s, "bytes", c->bytes);
    bm_counter(s, "gflops", 1e-9 * c->flops / taken);
    bm_counter(s, "bound_flops", flops / taken);
    bm_counter(s, "bound_bytes", bytes / taken);
    bm_counter(s, "bound_div", div / taken);
    bm_counter(s, "roof", fmax(flops, fmax(bytes, div)) / taken);
}

double uniform(uint64_t* s, double lo, double hi)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(*s >> 11) * 0x1p-53;
}
