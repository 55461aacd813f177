// SPDX-License-Identifier: MIT
// bm_la_OP/pile/n:N/t:1/BACKEND[/order]: analysis, factorization and solve of pile-like contact graphs, 6
// rows a node.
//
// A pile is a jittered lattice; nodes are linked within the reach that gives 5.5 neighbours a node on average
// (each link counted at both ends), as settled spheres have. Values are random and dominated by the diagonal:
// the work does not depend on them. `flops` is the backend's own count, so rates compare code and times
// compare the whole; `of_dgemm` is the rate over that of dgemm at n = 1000 in the same run (BLAS is looked up
// at run time, with one thread; 0 where there is none). CHOLMOD opens its own OpenMP teams: run with
// OMP_THREAD_LIMIT=1. An OpenBLAS older than the CPU takes slow kernels: OPENBLAS_CORETYPE (SKYLAKEX, HASWELL)
// names better ones; the first line printed says which are in use.
//
// `bm_la --targets` measures the targets of the project instead, everything in turns in one run, least CPU
// time of the rounds (two threads: least wall time), and prints a table with ratios.
#define _GNU_SOURCE
#include "counted.h"
#include "shim.h"
#include "la.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

enum { SIZE = 6 };

typedef struct pile {
    tl_pattern p;
    int32_t *size, *ptr, *idx;
    double *lower, *upper, *b, *x;
    int32_t nrow;
} pile;

typedef struct bench_case {
    talus_context* ctx;
    int32_t threads;
    const pile* pile;
    const tl_backend* backend;
    tl_order order;
    bool lu;
} bench_case;

static double dgemm_rate; // of this run; 0: no BLAS

static double distance(const double* x, int32_t i, int32_t j)
{
    return sqrt((x[3 * i] - x[3 * j]) * (x[3 * i] - x[3 * j]) +
                (x[3 * i + 1] - x[3 * j + 1]) * (x[3 * i + 1] - x[3 * j + 1]) +
                (x[3 * i + 2] - x[3 * j + 2]) * (x[3 * i + 2] - x[3 * j + 2]));
}

static int64_t count_links(const double* x, int32_t n, double reach)
{
    int64_t links = 0;
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j + 1; i < n; i++)
            links += distance(x, i, j) < reach;
    return links;
}

static void fill(pile* q, tl_rng* r)
{
    const int32_t nblock = q->ptr[q->p.n];
    const int64_t total = (int64_t)nblock * SIZE * SIZE;
    q->lower = calloc((size_t)total, sizeof(double));
    q->upper = calloc((size_t)total, sizeof(double));
    for (int64_t i = 0; i < total; i++) {
        q->lower[i] = tl_rng_uniform(r, -1.0, 1.0);
        q->upper[i] = tl_rng_uniform(r, -1.0, 1.0);
    }
    for (int32_t j = 0; j < q->p.n; j++)
        for (int32_t c = 0; c < SIZE; c++)
            q->lower[(int64_t)q->ptr[j] * SIZE * SIZE + c * (SIZE + 1)] = 200.0;
    q->nrow = SIZE * q->p.n;
    q->b = calloc((size_t)q->p.n * SIZE, sizeof(double));
    q->x = calloc((size_t)q->p.n * SIZE, sizeof(double));
    for (int32_t i = 0; i < q->nrow; i++)
        q->b[i] = tl_rng_uniform(r, -1.0, 1.0);
}

static void make_pile(pile* q, int32_t n)
{
    tl_rng r;
    tl_rng_seed(&r, (uint64_t)n);
    double* x = calloc((size_t)n * 3, sizeof(double));
    const int32_t side = (int32_t)ceil(cbrt(n));
    for (int32_t i = 0; i < n; i++)
        for (int32_t c = 0, rest = i; c < 3; c++, rest /= side)
            x[3 * i + c] = rest % side + tl_rng_uniform(&r, -0.3, 0.3);
    double lo = 0.0, hi = 3.0;
    for (int32_t step = 0; step < 30; step++) {
        const double mid = 0.5 * (lo + hi);
        if (2.0 * (double)count_links(x, n, mid) < 5.5 * n)
            lo = mid;
        else
            hi = mid;
    }
    q->size = calloc((size_t)n, sizeof(int32_t));
    q->ptr = calloc((size_t)n + 1, sizeof(int32_t));
    q->idx = calloc((size_t)n + (size_t)count_links(x, n, hi), sizeof(int32_t));
    for (int32_t j = 0; j < n; j++) {
        q->size[j] = SIZE;
        q->ptr[j + 1] = q->ptr[j];
        for (int32_t i = j; i < n; i++)
            if (i == j || distance(x, i, j) < hi)
                q->idx[q->ptr[j + 1]++] = i;
    }
    q->p = (tl_pattern){.n = n, .size = q->size, .ptr = q->ptr, .idx = q->idx};
    free(x);
    fill(q, &r);
}

static counted memory = {.fail_at = -1}; // of all contexts
static int64_t held;                     // bytes before a benchmark's factor was made

static tl_factor* prepare(bm_state* s, const bench_case* c, const tl_values* v)
{
    tl_factor* f = NULL;
    held = memory.bytes;
    if (c->backend->create(c->ctx, &f) < 0 || c->backend->analyze(f, &c->pile->p, c->order) < 0 ||
        c->backend->factor(f, v) < 0)
        bm_fail(s, "factorization failed");
    return f;
}

static void report(bm_state* s, const bench_case* c, const tl_factor* f, double flops)
{
    const tl_factor_stats stats = c->backend->stats(f);
    if (flops > 0.0) {
        bm_rate(s, "flops", flops);
        bm_counter(s, "of_dgemm", dgemm_rate > 0.0 ? flops / bm_seconds(s) / dgemm_rate : 0.0);
    }
    bm_counter(s, "nnz", (double)stats.nnz);
    bm_counter(s, "bytes_per_nnz", (double)(memory.bytes - held) / (double)stats.nnz); // own allocations only
    bm_counter(s, "nsuper", stats.nsuper);
    bm_counter(s, "largest", stats.largest);
}

static void run_analyze(bm_state* s, void* user)
{
    const bench_case* c = user;
    const tl_values v = {.lower = c->pile->lower, .upper = c->lu ? c->pile->upper : NULL, .parallel = true};
    tl_factor* f = prepare(s, c, &v);
    // a pattern in between, or the repeat is recognized and skipped
    const int32_t size[1] = {1}, ptr[2] = {0, 1}, idx[1] = {0};
    const tl_pattern other = {.n = 1, .size = size, .ptr = ptr, .idx = idx};
    while (bm_next(s)) {
        c->backend->analyze(f, &other, c->order);
        c->backend->analyze(f, &c->pile->p, c->order);
    }
    report(s, c, f, 0.0);
    c->backend->destroy(f);
}

static void run_factor(bm_state* s, void* user)
{
    const bench_case* c = user;
    const tl_values v = {.lower = c->pile->lower, .upper = c->lu ? c->pile->upper : NULL, .parallel = true};
    tl_factor* f = prepare(s, c, &v);
    while (bm_next(s)) {
        c->backend->factor(f, &v);
        bm_clobber();
    }
    report(s, c, f, c->backend->stats(f).flops);
    c->backend->destroy(f);
}

static void solve_with(bm_state* s, const bench_case* c, bool precondition)
{
    const pile* q = c->pile;
    const tl_values v = {.lower = q->lower, .upper = c->lu ? q->upper : NULL, .precondition = precondition};
    void (*solve)(tl_factor*, double*, bool) =
        precondition && c->backend->precondition ? c->backend->precondition : c->backend->solve;
    tl_factor* f = prepare(s, c, &v);
    while (bm_next(s)) {
        memcpy(q->x, q->b, sizeof(double) * (size_t)q->nrow);
        solve(f, q->x, false);
        bm_clobber();
    }
    // two flops for an entry and for its transpose, or for one of L and one of U
    report(s, c, f, (c->lu ? 2.0 : 4.0) * (double)c->backend->stats(f).nnz);
    c->backend->destroy(f);
}

static void run_solve(bm_state* s, void* user)
{
    solve_with(s, user, false);
}

static void run_precondition(bm_state* s, void* user)
{
    solve_with(s, user, true);
}

typedef void dgemm_fn(const char* ta, const char* tb, const int* m, const int* n, const int* k,
                      const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
                      const double* beta, double* c, const int* ldc);

static double measure_dgemm(const char** core)
{
    enum { N = 1000 };
    void* lib = dlopen("libopenblas.so.0", RTLD_NOW);
    lib = lib ? lib : dlopen("libblas.so.3", RTLD_NOW);
    dgemm_fn* dgemm = NULL;
    void (*set_threads)(int) = NULL;
    char* (*core_name)(void) = NULL;
    *(void**)&core_name = lib ? dlsym(lib, "openblas_get_corename") : NULL;
    *core = core_name ? core_name() : "unknown";
    *(void**)&dgemm = lib ? dlsym(lib, "dgemm_") : NULL;
    *(void**)&set_threads = lib ? dlsym(lib, "openblas_set_num_threads") : NULL;
    if (!dgemm)
        return 0.0;
    if (set_threads)
        set_threads(1);
    double* a = calloc((size_t)3 * N * N, sizeof(double));
    for (int32_t i = 0; i < 2 * N * N; i++)
        a[i] = 1.0 / (1 + i % 97);
    const int n = N;
    const double one = 1.0, zero = 0.0;
    double best = 1e300;
    for (int32_t round = 0; round < 6; round++) {
        const double start = tl_cpu_now();
        dgemm("N", "N", &n, &n, &n, &one, a, &n, a + N * N, &n, &zero, a + 2 * N * N, &n);
        best = fmin(best, tl_cpu_now() - start);
    }
    free(a);
    return 2.0 * N * N * N / best;
}

// ---- targets
// --------------------------------------------------------------------------------------------------

typedef void dgetrf_fn(const int* m, const int* n, double* a, const int* lda, int* piv, int* info);

// the whole matrix as LAPACK sees it; NaN where there is none. @return s, one factorization
static double measure_dgetrf(const pile* q)
{
    void* lib = dlopen("libopenblas.so.0", RTLD_NOW);
    lib = lib ? lib : dlopen("liblapack.so.3", RTLD_NOW);
    dgetrf_fn* dgetrf = NULL;
    *(void**)&dgetrf = lib ? dlsym(lib, "dgetrf_") : NULL;
    if (!dgetrf)
        return NAN;
    const int n = q->nrow;
    int info;
    int* piv = calloc((size_t)n, sizeof(int));
    double* a = calloc((size_t)n * (size_t)n, sizeof(double));
    int64_t off = 0;
    for (int32_t j = 0; j < q->p.n; j++)
        for (int32_t b = q->ptr[j]; b < q->ptr[j + 1]; b++)
            for (int32_t c = 0; c < SIZE; c++)
                for (int32_t r = 0; r < SIZE; r++, off++) {
                    const int64_t row = SIZE * q->idx[b] + r, col = SIZE * j + c;
                    a[row + n * col] = q->lower[off];
                    if (q->idx[b] != j)
                        a[col + n * row] = q->upper[off];
                }
    const double start = tl_cpu_now();
    dgetrf(&n, &n, a, &n, piv, &info);
    const double time = tl_cpu_now() - start;
    free(a);
    free(piv);
    return time;
}

enum { OWN, OWN_LU, OWN_TWO, OWN_LU_TWO, CHOLMOD, UMFPACK, CONTENDERS };

typedef struct timing {
    double factor[CONTENDERS]; // s; two threads: wall
    double analyze, solve;     // of OWN
    tl_factor_stats stats;
} timing;

static double time_solve(const tl_backend* be, tl_factor* f, const pile* q)
{
    memcpy(q->x, q->b, sizeof(double) * (size_t)q->nrow);
    const double start = tl_cpu_now();
    be->solve(f, q->x, false);
    return tl_cpu_now() - start;
}

static double time_analyze(const tl_backend* be, tl_factor* f, const pile* q)
{
    const int32_t size[1] = {1}, ptr[2] = {0, 1}, idx[1] = {0};
    const tl_pattern other = {.n = 1, .size = size, .ptr = ptr, .idx = idx};
    be->analyze(f, &other, TL_ORDER_AUTO);
    const double start = tl_cpu_now();
    be->analyze(f, &q->p, TL_ORDER_AUTO);
    return tl_cpu_now() - start;
}

static timing measure(talus_context* const ctx[2], const pile* q)
{
    static const tl_backend_kind kinds[CONTENDERS] = {TL_BACKEND_OWN, TL_BACKEND_OWN,     TL_BACKEND_OWN,
                                                      TL_BACKEND_OWN, TL_BACKEND_CHOLMOD, TL_BACKEND_UMFPACK};
    static const bool lu[CONTENDERS] = {false, true, false, true, false, true};
    timing t = {.analyze = INFINITY, .solve = INFINITY};
    tl_factor* f[CONTENDERS] = {NULL};
    for (int32_t round = 0; round < 20; round++)
        for (int32_t i = 0; i < CONTENDERS; i++) {
            const tl_backend* be = tl_backend_get(kinds[i]);
            const bool two = i == OWN_TWO || i == OWN_LU_TWO;
            const tl_values v = {.lower = q->lower, .upper = lu[i] ? q->upper : NULL, .parallel = true};
            if (!be)
                continue;
            if (!f[i] && be->create(ctx[two], &f[i]) < 0)
                exit(1);
            if (i == OWN && round > 0)
                t.analyze = fmin(t.analyze, time_analyze(be, f[i], q));
            be->analyze(f[i], &q->p, TL_ORDER_AUTO);
            be->factor(f[i], &v); // warm caches are the rule in a step too
            const double start = two ? tl_now() : tl_cpu_now();
            be->factor(f[i], &v);
            const double time = (two ? tl_now() : tl_cpu_now()) - start;
            t.factor[i] = round && t.factor[i] < time ? t.factor[i] : time;
            if (i == OWN) {
                t.solve = fmin(t.solve, time_solve(be, f[i], q));
                t.stats = be->stats(f[i]);
            }
        }
    for (int32_t i = 0; i < CONTENDERS; i++)
        if (f[i])
            tl_backend_get(kinds[i])->destroy(f[i]);
    return t;
}

static int print_targets(talus_context* const ctx[2], pile* piles, const int32_t* sizes, int32_t n)
{
    printf("milliseconds; ratios say how many times as fast; two threads by wall time\n");
    printf("nodes  L L^T  dgemm  CHOLMOD  ratio |    LU  UMFPACK  ratio  CHOLMOD/LU  dgetrf/LU | two threads "
           " LU "
           "| analysis  solve us  ns/nnz  GB/s\n");
    for (int32_t i = 0; i < n; i++) {
        make_pile(&piles[i], sizes[i]);
        const timing t = measure(ctx, &piles[i]);
        const double *f = t.factor, nnz = (double)t.stats.nnz;
        const double getrf = sizes[i] == 100 || sizes[i] == 500 ? measure_dgetrf(&piles[i]) : NAN;
        printf("%5d %6.3f %5.0f%% %8.3f %6.1f | %5.3f %8.3f %6.1f %11.1f %10.0f | %11.2f %3.2f | %8.3f %9.1f "
               "%7.2f %5.0f\n",
               sizes[i], 1e3 * f[OWN], 100.0 * t.stats.flops / f[OWN] / dgemm_rate, 1e3 * f[CHOLMOD],
               f[CHOLMOD] / f[OWN], 1e3 * f[OWN_LU], 1e3 * f[UMFPACK], f[UMFPACK] / f[OWN_LU],
               f[CHOLMOD] / f[OWN_LU], getrf / f[OWN_LU], f[OWN] / f[OWN_TWO], f[OWN_LU] / f[OWN_LU_TWO],
               1e3 * t.analyze, 1e6 * t.solve, 1e9 * t.solve / nnz, 16.0 * nnz / t.solve * 1e-9);
    }
    return 0;
}

static void register_case(const bench_case* c, const char* label)
{
    static const struct {
        const char* name;
        bm_fn* fn;
    } ops[] = {{"analyze", run_analyze},
               {"factor", run_factor},
               {"solve", run_solve},
               {"precondition", run_precondition}};
    for (int32_t i = 0; i < TL_COUNT(ops); i++) {
        char name[96];
        snprintf(name, sizeof name, "bm_la_%s/pile/n:%d/t:%d/%s", ops[i].name, c->pile->p.n, c->threads,
                 label);
        bm_unit(bm_register(name, ops[i].fn, (void*)c), "us");
    }
}

int main(int argc, char** argv)
{
    static const int32_t sizes[] = {100, 300, 500, 1000};
    static pile piles[TL_COUNT(sizes)];
    static bench_case cases[16 * TL_COUNT(sizes)];
    talus_context* ctx[2];
    for (int32_t i = 0; i < 2; i++) {
        talus_context_def def = talus_context_default();
        def.nthreads = i + 1;
        def.allocator = counted_allocator(&memory);
        if (talus_context_create(&def, &ctx[i]) < 0)
            return 1;
    }
    const char* core;
    dgemm_rate = measure_dgemm(&core);
    fprintf(stderr, "dgemm(1000): %.1f Gflop/s (%s), own kernels: %s\n", dgemm_rate * 1e-9, core,
            talus_context_isa(ctx[0]));
    if (argc > 1 && strcmp(argv[1], "--targets") == 0)
        return print_targets(ctx, piles, sizes, TL_COUNT(sizes));
    static const struct {
        tl_backend_kind kind;
        tl_order order;
        bool lu;
        const char* label;
        int32_t threads;
    } variants[] = {
        {TL_BACKEND_OWN, TL_ORDER_FILL, false, "own/fill", 1},
        {TL_BACKEND_OWN, TL_ORDER_FILL, false, "own/fill", 2},
        {TL_BACKEND_OWN, TL_ORDER_AMD, false, "own/amd", 1},
        {TL_BACKEND_OWN, TL_ORDER_METIS, false, "own/metis", 1},
        {TL_BACKEND_OWN, TL_ORDER_METIS, false, "own/metis", 2},
        {TL_BACKEND_OWN, TL_ORDER_FILL, true, "own_lu/fill", 1},
        {TL_BACKEND_OWN, TL_ORDER_FILL, true, "own_lu/fill", 2},
        {TL_BACKEND_OWN, TL_ORDER_METIS, true, "own_lu/metis", 1},
        {TL_BACKEND_CHOLMOD, TL_ORDER_AUTO, false, "cholmod", 1},
        {TL_BACKEND_UMFPACK, TL_ORDER_AUTO, true, "umfpack", 1},
    };
    for (int32_t i = 0, n = 0; i < TL_COUNT(sizes); i++) {
        make_pile(&piles[i], sizes[i]);
        for (int32_t k = 0; k < TL_COUNT(variants); k++) {
            const tl_backend* backend = tl_backend_get(variants[k].kind);
            if (!backend)
                continue;
            cases[n] = (bench_case){.ctx = ctx[variants[k].threads - 1],
                                    .threads = variants[k].threads,
                                    .pile = &piles[i],
                                    .backend = backend,
                                    .order = variants[k].order,
                                    .lu = variants[k].lu};
            register_case(&cases[n++], variants[k].label);
        }
    }
    const int status = bm_main(argc, argv);
    for (int32_t i = 0; i < 2; i++)
        talus_context_destroy(ctx[i]);
    return status;
}
