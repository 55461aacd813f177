// SPDX-License-Identifier: MIT
// bm_kernels_OP/n:N/isa:ISA: every per-contact kernel in every instruction set this CPU has.
//
// Beside the times each row prints how near it is to what the machine can do. The limits are measured at the
// start of the same run, with the same vector width:
//   peak   multiply-adds on registers without dependences                      (bm_kernels_limits/isa:*,
//   gflops) triad  a = b + s c on arrays of the kernel's size, and on 64 MB            (triad, triad_mem:
//   GB/s) div    quotients and square roots a second: the one unit these kernels are short of
// A kernel's roof is the longest of flops/peak, bytes/triad and quotients/div + roots/sqrt; roof = that time
// over the time taken, so 1 is the best the machine allows. bound_* are the three shares alone. flops and
// bytes are counted by hand from the reference loops (a quotient or root counts 1; negations, comparisons and
// blends 0).
#define _DEFAULT_SOURCE
#include "shim.h"
#include "kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 4096
#define LD (N + 40) // rows a multiple of 4096 bytes apart would all fall into one set of the cache
#define TRIAD_MEM (8 << 20)

// ---- the machine's limits --------------------------------------------------------------------------

typedef struct limits {
    double peak, triad, triad_mem; // flops/s, bytes/s of arrays like the kernel's, bytes/s of memory
    double div, root;              // per second
} limits;

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

static double* doubles(size_t n)
{
    double* x = aligned_alloc(64, (n * sizeof *x + 63) / 64 * 64);
    if (!x) {
        fprintf(stderr, "bm_kernels: out of memory\n");
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

static limits measure(const limit_set* s)
{
    return (limits){
        .peak = operations(s->multiply_add, 2.0 * s->lanes),
        .div = operations(s->divide, s->lanes),
        .root = operations(s->root, s->lanes),
        .triad = bandwidth(s->triad, 6 * N, 50),
        .triad_mem = bandwidth(s->triad, TRIAD_MEM / 3, 1),
    };
}

// ---- data ------------------------------------------------------------------------------------------

typedef struct contacts {
    double *k, *d, *mu, *delta0, *v_s, *Wt, *Wn;
    double *v, *fl, *nu, *f, *G, *alpha; // rows LD apart
    tl_jacobian6 J;
    double* tree_v; // six each
} contacts;

static double uniform(uint64_t* s, double lo, double hi)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(*s >> 11) * 0x1p-53;
}

/// a pile's contacts: a third sticks, a third slides, a third separates; one block, as the solver's arena
/// lays them
static contacts make_contacts(void)
{
    contacts c = {0};
    struct {
        double** field;
        int rows;
    } const fields[] = {{&c.k, 1},  {&c.d, 1},  {&c.mu, 1},    {&c.delta0, 1}, {&c.v_s, 1},
                        {&c.Wt, 1}, {&c.Wn, 1}, {&c.alpha, 1}, {&c.v, 3},      {&c.fl, 3},
                        {&c.nu, 3}, {&c.f, 3},  {&c.G, 6}};
    double* at = doubles(32 * LD);
    for (size_t j = 0; j < sizeof fields / sizeof fields[0]; j++) {
        *fields[j].field = at;
        at += fields[j].rows * LD;
    }
    uint64_t s = 1;
    for (int i = 0; i < N; i++) {
        const double slip = i % 3 == 0 ? 1e-4 : 1e-1;
        c.k[i] = uniform(&s, 1e4, 1e6);
        c.d[i] = uniform(&s, 0, 50);
        c.mu[i] = uniform(&s, 0.1, 1);
        c.delta0[i] = uniform(&s, 1e-5, 1e-3);
        c.v_s[i] = 1e-4;
        c.Wt[i] = uniform(&s, 1e-3, 1e-2);
        c.Wn[i] = uniform(&s, 1e-3, 1e-2);
        for (int r = 0; r < 2; r++)
            c.v[r * LD + i] = uniform(&s, -slip, slip);
        c.v[2 * LD + i] = i % 3 == 2 ? uniform(&s, 0, 1) : uniform(&s, -0.1, 0);
        for (int r = 0; r < 3; r++)
            c.fl[r * LD + i] = uniform(&s, -1, 1);
    }
    return c;
}

/// a pile's graph: N/3 trees, each contact between near neighbours
static void make_jacobian(contacts* c)
{
    static int64_t at[N];
    static int32_t a[N], b[N], dof[N / 3];
    double* rows = doubles(36 * N);
    uint64_t s = 2;
    for (int t = 0; t < N / 3; t++)
        dof[t] = 6 * t;
    for (int i = 0; i < N; i++) {
        at[i] = 36 * i;
        a[i] = i / 3 % (N / 3);
        b[i] = (a[i] + 1 + (int32_t)uniform(&s, 0, 100)) % (N / 3);
    }
    for (int i = 0; i < 36 * N; i++)
        rows[i] = uniform(&s, -1, 1);
    c->J = (tl_jacobian6){.rows = rows, .at = at, .a = a, .b = b, .dof = dof};
    c->tree_v = doubles(6 * N / 3 + 8);
}

// ---- the kernels -----------------------------------------------------------------------------------

typedef struct work {
    const tl_kernels* set;
    const limits* roof;
    const contacts* c;
    double flops, divs, roots, bytes; // per contact
} work;

static tl_contact_params params(const contacts* c)
{
    return (tl_contact_params){
        .k = c->k, .d = c->d, .mu = c->mu, .delta0 = c->delta0, .v_s = c->v_s, .h = 5e-3};
}

static void report(bm_state* s, const work* w)
{
    const limits* m = w->roof;
    const double flops = w->flops * N / m->peak, bytes = w->bytes * N / m->triad;
    const double div = N * (w->divs / m->div + w->roots / m->root);
    const double taken = bm_seconds(s);
    bm_counter(s, "ns_contact", 1e9 * taken / N);
    bm_counter(s, "flops", w->flops);
    bm_counter(s, "bytes", w->bytes);
    bm_counter(s, "gflops", 1e-9 * w->flops * N / taken);
    bm_counter(s, "bound_flops", flops / taken);
    bm_counter(s, "bound_bytes", bytes / taken);
    bm_counter(s, "bound_div", div / taken);
    bm_counter(s, "roof", fmax(flops, fmax(bytes, div)) / taken);
}

static void force_gradient(bm_state* s, void* user)
{
    const work* w = user;
    const tl_contact_params p = params(w->c);
    while (bm_next(s)) {
        w->set->contact_force(N, LD, &p, w->c->v, NULL, 0, w->c->f, w->c->G);
        bm_clobber();
    }
    report(s, w);
}

static void force_alone(bm_state* s, void* user)
{
    const work* w = user;
    const tl_contact_params p = params(w->c);
    while (bm_next(s)) {
        w->set->contact_force(N, LD, &p, w->c->v, NULL, 0, w->c->f, NULL);
        bm_clobber();
    }
    report(s, w);
}

static void local(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    const tl_contact_params p = params(c);
    while (bm_next(s)) {
        w->set->contact_local(N, LD, &p, c->Wt, c->Wn, c->v, c->fl, NULL, c->nu, c->f);
        bm_clobber();
    }
    report(s, w);
}

static void tals(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->tals_limit(N, LD, c->v, c->fl, c->v_s, 1.0471975511965976, c->alpha);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_apply(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->jacobian_apply(N, NULL, &c->J, c->tree_v, LD, c->nu);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_add(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->jacobian_add(N, NULL, &c->J, 1e-9, c->fl, LD, c->tree_v);
        bm_clobber();
    }
    report(s, w);
}

static void gradient(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->gradient_apply(N, LD, c->G, c->v, NULL, NULL, c->nu);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_gram(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        // pairs of four contacts; which trees they join does not matter to the kernel
        for (int32_t i = 0; i < N; i += 4) {
            const int32_t list[4] = {i, i + 1, i + 2, i + 3};
            _Alignas(64) double C[TL_GRAM_SIZE];
            w->set->jacobian_gram(4, list, &c->J, 5e-3, c->G, LD, 0, C);
            bm_keep(C[0]);
        }
    }
    report(s, w);
}

static void machine(bm_state* s, void* user)
{
    const work* w = user;
    while (bm_next(s)) // the figures were taken before
        bm_clobber();
    bm_counter(s, "gflops", 1e-9 * w->roof->peak);
    bm_counter(s, "triad_GBs", 1e-9 * w->roof->triad);
    bm_counter(s, "triad_mem_GBs", 1e-9 * w->roof->triad_mem);
    bm_counter(s, "div_ns", 1e9 / w->roof->div);
    bm_counter(s, "sqrt_ns", 1e9 / w->roof->root);
}

// ---- boxes and elements of pressure fields ---------------------------------------------------------

#define NE 512

static struct elements {
    tl_box box[2][NE];
    tl_clip_element e[2][NE];
    int32_t pair[2 * N];
    uint8_t found[N];
    double row[TL_CLIP_ROWS * LD];
} fields;

/// tetrahedra of unit edges about the origin, their true planes, pressures along z of either sign
static void make_elements(void)
{
    static const int8_t side[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    uint64_t s = 3;
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < NE; i++) {
            tl_clip_element* e = &fields.e[f][i];
            const double at[3] = {uniform(&s, -0.3, 0.3), uniform(&s, -0.3, 0.3), uniform(&s, -0.3, 0.3)};
            for (int c = 0; c < 4; c++)
                for (int k = 0; k < 3; k++)
                    e->x[c][k] = at[k] + (c == k + 1) + uniform(&s, -0.1, 0.1);
            for (int k = 0; k < 4; k++) {
                const double *a = e->x[side[k][0]], *b = e->x[side[k][1]], *c = e->x[side[k][2]];
                double *p = e->plane[k], l = 0.0;
                for (int j = 0; j < 3; j++) {
                    const int u = (j + 1) % 3, v = (j + 2) % 3;
                    p[j] = (c[u] - a[u]) * (b[v] - a[v]) - (c[v] - a[v]) * (b[u] - a[u]);
                    l += p[j] * p[j];
                }
                for (int j = 0; j < 3; j++)
                    p[j] /= sqrt(l);
                p[3] = -(p[0] * a[0] + p[1] * a[1] + p[2] * a[2]);
                e->grad[k] = k < 2 ? uniform(&s, -0.3, 0.3) : k == 2 ? 1.0 - 2.0 * f : 0.4 * f;
            }
            for (int k = 0; k < 3; k++) {
                fields.box[f][i].c[k] = at[k];
                fields.box[f][i].h[k] = uniform(&s, 0.0, 0.3);
                fields.box[f][i].hp[k] = 0.1;
            }
        }
    for (int i = 0; i < 2 * N; i++)
        fields.pair[i] = (int32_t)uniform(&s, 0, NE);
}

static const double turned[9] = {0.8, -0.6, 0, 3.0 / 13, 4.0 / 13, -12.0 / 13, 7.2 / 13, 9.6 / 13, 5.0 / 13};

static void boxes_overlap(bm_state* s, void* user)
{
    const work* w = user;
    tl_boxes_placed p = {.a = fields.box[0], .b = fields.box[1], .pa = 0.3, .pb = 0.2};
    memcpy(p.R, turned, sizeof p.R);
    while (bm_next(s)) {
        w->set->boxes_overlap(N, fields.pair, &p, fields.found);
        bm_clobber();
    }
    report(s, w);
}

static tl_clip_placed clip_placed(int triangles)
{
    tl_clip_placed p = {.a = fields.e[0],
                        .b = fields.e[1],
                        .triangles = triangles,
                        .tolerance = 1e-9,
                        .turned = -0.38,
                        .across = 1e-10};
    memcpy(p.R, turned, sizeof p.R);
    return p;
}

static void clip_meet(bm_state* s, void* user)
{
    const work* w = user;
    const tl_clip_placed p = clip_placed(0);
    while (bm_next(s)) {
        w->set->clip_meet(N, fields.pair, &p, fields.found);
        bm_clobber();
    }
    report(s, w);
}

static void clip(bm_state* s, void* user, int triangles)
{
    const work* w = user;
    const tl_clip_placed p = clip_placed(triangles);
    while (bm_next(s)) {
        w->set->tet_clip(N, fields.pair, &p, fields.found, LD, fields.row);
        bm_clobber();
    }
    report(s, w);
}

static void clip_tets(bm_state* s, void* user)
{
    clip(s, user, 0);
}

static void clip_triangles(bm_state* s, void* user)
{
    clip(s, user, 2);
}

typedef struct operation {
    const char* format; // the set's name goes in
    bm_fn* fn;
    double flops, divs, roots; // per contact; flops contain the other two
    double loads, stores;
} operation;

static const operation operations_timed[] = {
    {"bm_kernels_limits/isa:%s", machine, 0, 0, 0, 0, 0},
    {"bm_kernels_contact_force/n:4096/isa:%s", force_gradient, 45, 1, 1, 8, 9},
    {"bm_kernels_contact_force/f_only/n:4096/isa:%s", force_alone, 22, 1, 1, 8, 3},
    {"bm_kernels_contact_local/n:4096/isa:%s", local, 71, 2, 3, 13, 6},
    {"bm_kernels_tals_limit/n:4096/isa:%s", tals, 40, 2, 2, 5, 1},
    {"bm_kernels_gradient_apply/n:4096/isa:%s", gradient, 11, 0, 0, 9, 3},
    // 36 entries, 2 words of indices, velocities in the first-level cache
    {"bm_kernels_jacobian_apply/n:4096/isa:%s", jacobian_apply, 69, 0, 0, 38, 3},
    {"bm_kernels_jacobian_add/n:4096/isa:%s", jacobian_add, 75, 0, 0, 41, 0},
    // T: 6 + 11 a column; three blocks of 36 entries, 6 each
    {"bm_kernels_jacobian_gram/n:4096/isa:%s", jacobian_gram, 786, 0, 0, 43, 0},
    // a pair of boxes or elements: 24 to set them, 21 the distance, 57 + 99 the axes, 12 the sizes
    {"bm_kernels_boxes_overlap/n:4096/isa:%s", boxes_overlap, 213, 0, 0, 33, 0},
    // 105 to place planes, 14 the plane, 24 + 96 heights, 84 the crossed edges
    {"bm_kernels_clip_meet/n:4096/isa:%s", clip_meet, 323, 10, 1, 49, 0},
    // 177 to place B, 42 plane and gradients; a section 258 and four segments of 54; 15 to finish
    {"bm_kernels_tet_clip/tets/n:4096/isa:%s", clip_tets, 1182, 49, 3, 81, 10},
    // three segments of the triangle with 72 of heights, a section with three planes
    {"bm_kernels_tet_clip/triangles/n:4096/isa:%s", clip_triangles, 900, 31, 1, 81, 10},
};
#define OPERATIONS ((int)(sizeof operations_timed / sizeof operations_timed[0]))

int main(int argc, char** argv)
{
    static limits roofs[SETS];
    static work works[OPERATIONS][SETS];
    static contacts c;
    c = make_contacts();
    make_jacobian(&c);
    make_elements();
    for (int i = 0; i < SETS; i++)
        if (tl_kernels_by_name(limit_sets[i].isa))
            roofs[i] = measure(&limit_sets[i]);
    for (int j = 0; j < OPERATIONS; j++)
        for (int i = 0; i < SETS; i++) {
            const operation* o = &operations_timed[j];
            const tl_kernels* set = tl_kernels_by_name(limit_sets[i].isa);
            char name[128];
            if (!set)
                continue;
            works[j][i] = (work){.set = set,
                                 .roof = &roofs[i],
                                 .c = &c,
                                 .flops = o->flops,
                                 .divs = o->divs,
                                 .roots = o->roots,
                                 .bytes = 8 * (o->loads + o->stores)};
            snprintf(name, sizeof name, o->format, set->isa);
            bm_register(name, o->fn, &works[j][i]);
        }
    return bm_main(argc, argv);
}
