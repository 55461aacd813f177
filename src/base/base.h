// SPDX-License-Identifier: MIT
// internal services of module base: messages, memory, tasks, time, hash, random numbers
#pragma once

#include <talus/base.h>
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TL_ASSERT(x) assert(x)
#define TL_COUNT(a) ((int32_t)(sizeof(a) / sizeof((a)[0])))
#define TL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define TL_PAD 8 // lanes: SoA arrays are padded to a multiple of it
#define TL_ALIGN 64
#define TL_PADDED(n) (((n) + TL_PAD - 1) / TL_PAD * TL_PAD)

#if defined(__GNUC__)
#define TL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TL_PRINTF(fmt, args)
#endif

/// Pass a failure up; the message was sent where it was found.
#define TL_TRY(expr)                                                                                         \
    do {                                                                                                     \
        const talus_status tl_try_status_ = (expr);                                                          \
        if (tl_try_status_ < 0)                                                                              \
            return tl_try_status_;                                                                           \
    } while (0)

// ---- messages
// ------------------------------------------------------------------------------------------------
/// Send an error to the context's handler and return its status. ctx may be NULL (no message).
talus_status tl_fail(talus_context* ctx, talus_status status, const char* fmt, ...) TL_PRINTF(3, 4);
/// The same with the place in an input file; the text becomes "file:line: text". line 0: "file: text".
talus_status tl_fail_at(talus_context* ctx, talus_status status, const char* file, int32_t line,
                        const char* fmt, ...) TL_PRINTF(5, 6);
void tl_notice(talus_context* ctx, const char* fmt, ...) TL_PRINTF(2, 3);
void tl_warn(talus_context* ctx, const char* fmt, ...) TL_PRINTF(2, 3);
/// "out of memory" with the size; returns TALUS_ERR_NOMEM.
talus_status tl_nomem(talus_context* ctx, size_t bytes);

// ---- memory
// --------------------------------------------------------------------------------------------------
/// 64-byte aligned, NULL on failure (no message); bytes 0 gives a valid pointer.
void* tl_alloc(talus_context* ctx, size_t bytes);
void* tl_calloc(talus_context* ctx, size_t bytes);
void tl_free(talus_context* ctx, void* p);
/// Grow *p (elements of size `elem`) so that at least `need` fit, keeping the first `used`; growth is
/// geometric. `cap` is updated. @return OK or ERR_NOMEM with a message
talus_status tl_grow(talus_context* ctx, void** p, int64_t* cap, int64_t used, int64_t need, size_t elem);
#define TL_GROW(ctx, p, cap, used, need) tl_grow((ctx), (void**)&(p), &(cap), (used), (need), sizeof(*(p)))
char* tl_strdup(talus_context* ctx, const char* s);

/// Scratch memory of one owner: bump allocation with mark and release. When the block is short it falls back
/// to the allocator; tl_arena_reset frees those pieces and enlarges the block to the high-water mark, so a
/// steady use allocates nothing.
typedef struct tl_arena {
    talus_context* ctx;
    char* base;
    size_t size, top;
    size_t used, high; // bytes asked for since reset (block and fallback) and their maximum
    struct tl_arena_piece* fallback;
} tl_arena;

void tl_arena_init(tl_arena* a, talus_context* ctx);
void tl_arena_fini(tl_arena* a);
/// Drop everything; grow to the high-water mark. @return OK or ERR_NOMEM
talus_status tl_arena_reset(tl_arena* a);
/// 64-byte aligned; NULL on failure.
void* tl_arena_alloc(tl_arena* a, size_t bytes);
#define TL_ARENA(a, type, n) ((type*)tl_arena_alloc((a), sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))
typedef struct tl_arena_mark {
    size_t top, used;
    struct tl_arena_piece* fallback;
} tl_arena_mark;
tl_arena_mark tl_arena_get_mark(const tl_arena* a);
void tl_arena_release(tl_arena* a, tl_arena_mark m);

// ---- tasks
// ---------------------------------------------------------------------------------------------------
/// fn(arg, begin, end, block) over blocks of `grain` indices: block b is [b grain, min(n, (b+1) grain)).
/// Block bounds do not depend on the number of threads. Runs inline for one block, for one thread, and inside
/// a task. A block should be worth 100 us where a host runs the tasks (talus_context_def.run), which is asked
/// for all of them.
typedef void tl_range_fn(void* arg, int32_t begin, int32_t end, int32_t block);
void tl_parallel_for(talus_context* ctx, int32_t n, int32_t grain, tl_range_fn* fn, void* arg);
/// The same for blocks of about a microsecond: for the built-in pool, and for a host that says it can
/// (talus_context_def.run_light).
void tl_parallel_light(talus_context* ctx, int32_t n, int32_t grain, tl_range_fn* fn, void* arg);
/// Whether blocks of less than 100 us are welcome, for choosing between the two.
bool tl_context_is_light(const talus_context* ctx);

// ---- sorting ---------------------------------------------------------------------------------------------------
/// Stable merge sort of n elements of `size` bytes; unlike qsort it never allocates.
/// @param scratch  n elements
void tl_sort(void* a, int32_t n, size_t size, int (*compare)(const void*, const void*), void* scratch);

// ---- time, hash, random numbers
// --------------------------------------------------------------------------------
double tl_now(void);     // monotonic wall time, s
double tl_cpu_now(void); // CPU time of the calling thread, s
uint64_t tl_hash(const void* data, size_t bytes, uint64_t seed);

typedef struct tl_rng {
    uint64_t s[4];
} tl_rng;
void tl_rng_seed(tl_rng* r, uint64_t seed);
uint64_t tl_rng_next(tl_rng* r);
double tl_rng_uniform(tl_rng* r, double lo, double hi); // [lo, hi)
double tl_rng_normal(tl_rng* r);

// ---- context
// -------------------------------------------------------------------------------------------------
struct tl_kernels; // kernels/kernels.h
const struct tl_kernels* tl_context_kernels(const talus_context* ctx);

/// Index of the first value that is NaN or infinite, or -1.
int64_t tl_first_nonfinite(const double* x, int64_t n);

/// topology.c: cores in this process's affinity mask, >= 1 (hwloc where built in, else the affinity mask)
int32_t tl_topology_allowed_cores(void);
/// topology.c: hardware threads in the affinity mask, >= 1
int32_t tl_topology_hardware_threads(void);

/// pool.c: a pool of `threads` threads, the caller's among them. NULL: out of memory
typedef struct tl_pool tl_pool;
tl_pool* tl_pool_create(talus_context* ctx, int32_t threads);
void tl_pool_destroy(tl_pool* p);
/// Run n tasks, which a thread claims one by one, or several at once where they are `even`.
/// @return false: not done, because it has no workers or runs other tasks just now
bool tl_pool_run(tl_pool* p, int32_t n, bool even, talus_task_fn* task, void* arg);
