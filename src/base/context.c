// SPDX-License-Identifier: MIT
// The context: allocator with a call count, message handler, task runner, kernel table.
#include "base.h"
#include "kernels.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#define CONTEXT_COOKIE 0x74616c31u

struct talus_context {
    talus_context_def def;
    int32_t nthreads;
    const struct tl_kernels* kernels;
    atomic_llong allocations;
    atomic_size_t refused;  // bytes of the last request that failed
    _Atomic(tl_pool*) pool; // made when the first tasks come
};

const char* talus_status_text(talus_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text)                                                                       \
    case TALUS_##name:                                                                                       \
        return text;
        TALUS_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

static void* default_alloc(void* user, size_t bytes, size_t align)
{
    (void)user;
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void default_free(void* user, void* p)
{
    (void)user;
    free(p);
}

talus_context_def talus_context_default(void)
{
    return (talus_context_def){.cookie = CONTEXT_COOKIE};
}

talus_status talus_context_create(const talus_context_def* def, talus_context** out)
{
    if (!out)
        return TALUS_ERR_ARG;
    talus_context_def d = def ? *def : talus_context_default();
    if (d.cookie != CONTEXT_COOKIE || d.nthreads < 0 || (!d.allocator.alloc) != (!d.allocator.free))
        return TALUS_ERR_ARG;
    if (!d.allocator.alloc)
        d.allocator = (talus_allocator){.alloc = default_alloc, .free = default_free};
    talus_context* c = d.allocator.alloc(d.allocator.user, sizeof *c, TL_ALIGN);
    if (!c)
        return TALUS_ERR_NOMEM;
    memset(c, 0, sizeof *c);
    c->def = d;
    c->nthreads = d.nthreads ? d.nthreads : tl_topology_allowed_cores();
    c->kernels = tl_kernels_select();
    *out = c;
    return TALUS_OK;
}

void talus_context_destroy(talus_context* ctx)
{
    if (ctx)
        tl_pool_destroy(atomic_load(&ctx->pool));
    if (ctx)
        ctx->def.allocator.free(ctx->def.allocator.user, ctx);
}

int32_t talus_context_threads(const talus_context* ctx)
{
    return ctx->nthreads;
}

const char* talus_context_isa(const talus_context* ctx)
{
    return ctx->kernels->isa;
}

int64_t talus_context_allocations(const talus_context* ctx)
{
    return (int64_t)atomic_load(&((talus_context*)ctx)->allocations);
}

int32_t talus_allowed_cores(void)
{
    return tl_topology_allowed_cores();
}

const struct tl_kernels* tl_context_kernels(const talus_context* ctx)
{
    return ctx->kernels;
}

// ---- messages
// ------------------------------------------------------------------------------------------------

static void send(talus_context* ctx, talus_severity severity, talus_status status, const char* file,
                 int32_t line, const char* fmt, va_list args)
{
    if (!ctx || !ctx->def.message)
        return;
    char text[1024];
    int n = 0;
    if (file && line > 0)
        n = snprintf(text, sizeof text, "%s:%d: ", file, line);
    else if (file)
        n = snprintf(text, sizeof text, "%s: ", file);
    if (n < 0 || n >= (int)sizeof text)
        n = 0;
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    // one line, whatever the input held
    for (char* p = text; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    const talus_message m = {
        .severity = severity, .status = status, .text = text, .file = file, .line = line};
    ctx->def.message(ctx->def.message_user, &m);
}

talus_status tl_fail(talus_context* ctx, talus_status status, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    send(ctx, TALUS_ERROR, status, NULL, 0, fmt, args);
    va_end(args);
    return status;
}

talus_status tl_fail_at(talus_context* ctx, talus_status status, const char* file, int32_t line,
                        const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    send(ctx, TALUS_ERROR, status, file, line, fmt, args);
    va_end(args);
    return status;
}

void tl_notice(talus_context* ctx, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    send(ctx, TALUS_NOTICE, TALUS_OK, NULL, 0, fmt, args);
    va_end(args);
}

void tl_warn(talus_context* ctx, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    send(ctx, TALUS_WARNING, TALUS_OK, NULL, 0, fmt, args);
    va_end(args);
}

talus_status tl_nomem(talus_context* ctx, size_t bytes)
{
    const size_t refused = atomic_exchange(&ctx->refused, 0);
    return tl_fail(ctx, TALUS_ERR_NOMEM, "out of memory: %zu bytes wanted", refused ? refused : bytes);
}

// ---- memory
// --------------------------------------------------------------------------------------------------

void* tl_alloc(talus_context* ctx, size_t bytes)
{
    atomic_fetch_add_explicit(&ctx->allocations, 1, memory_order_relaxed);
    void* p = bytes > SIZE_MAX / 2
                  ? NULL
                  : ctx->def.allocator.alloc(ctx->def.allocator.user, bytes ? bytes : 1, TL_ALIGN);
    if (!p)
        atomic_store(&ctx->refused, bytes);
    return p;
}

void* tl_calloc(talus_context* ctx, size_t bytes)
{
    void* p = tl_alloc(ctx, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void tl_free(talus_context* ctx, void* p)
{
    if (p)
        ctx->def.allocator.free(ctx->def.allocator.user, p);
}

talus_status tl_grow(talus_context* ctx, void** p, int64_t* cap, int64_t used, int64_t need, size_t elem)
{
    if (need <= *cap && *p)
        return TALUS_OK;
    int64_t n = TL_MAX(need, *cap + *cap / 2);
    n = TL_MAX(n, 8);
    void* q = tl_alloc(ctx, (size_t)n * elem);
    if (!q)
        return tl_nomem(ctx, (size_t)n * elem);
    if (used > 0)
        memcpy(q, *p, (size_t)used * elem);
    tl_free(ctx, *p);
    *p = q;
    *cap = n;
    return TALUS_OK;
}

char* tl_strdup(talus_context* ctx, const char* s)
{
    const size_t n = strlen(s) + 1;
    char* p = tl_alloc(ctx, n);
    if (p)
        memcpy(p, s, n);
    return p;
}

int64_t tl_first_nonfinite(const double* x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

// ---- tasks
// ---------------------------------------------------------------------------------------------------

typedef struct range_task {
    tl_range_fn* fn;
    void* arg;
    int32_t n, grain;
} range_task;

static void run_range(void* arg, int32_t block)
{
    const range_task* t = arg;
    const int32_t begin = block * t->grain;
    t->fn(t->arg, begin, TL_MIN(t->n, begin + t->grain), block);
}

// the context's pool; several host threads may ask for it at once
static tl_pool* get_pool(talus_context* ctx)
{
    tl_pool* p = atomic_load_explicit(&ctx->pool, memory_order_acquire);
    if (p)
        return p;
    tl_pool* mine = tl_pool_create(ctx, ctx->nthreads);
    if (mine && !atomic_compare_exchange_strong(&ctx->pool, &p, mine)) {
        tl_pool_destroy(mine);
        return p;
    }
    return mine;
}

static void run_blocks(talus_context* ctx, int32_t n, int32_t grain, tl_range_fn* fn, void* arg, bool light)
{
    if (n <= 0)
        return;
    range_task t = {.fn = fn, .arg = arg, .n = n, .grain = TL_MAX(grain, 1)};
    const int32_t blocks = (n + t.grain - 1) / t.grain;
    if (blocks > 1 && ctx->def.run && (!light || ctx->def.run_light)) {
        ctx->def.run(ctx->def.run_user, blocks, run_range, &t);
        return;
    }
    if (blocks > 1 && ctx->nthreads > 1 && !ctx->def.run) {
        tl_pool* pool = get_pool(ctx);
        if (pool && tl_pool_run(pool, blocks, light, run_range, &t))
            return;
    }
    for (int32_t b = 0; b < blocks; b++)
        run_range(&t, b);
}

bool tl_context_is_light(const talus_context* ctx)
{
    return !ctx->def.run || ctx->def.run_light;
}

void tl_parallel_for(talus_context* ctx, int32_t n, int32_t grain, tl_range_fn* fn, void* arg)
{
    run_blocks(ctx, n, grain, fn, arg, false);
}

void tl_parallel_light(talus_context* ctx, int32_t n, int32_t grain, tl_range_fn* fn, void* arg)
{
    run_blocks(ctx, n, grain, fn, arg, true);
}
