// SPDX-License-Identifier: MIT
// The dense backend: gather the block matrix into one square array, factor that by Cholesky (symmetric
// values) or by LU with partial pivoting over all rows (values with `upper`). It ignores sparsity, so it is
// the reference the other backends are compared with; its cost is n^3/3 or 2 n^3/3.
#include "factor.h"
#include "kernels.h"

struct tl_factor {
    talus_context* ctx;
    tl_pattern_copy pattern;
    double* a; // (nrow x nrow)
    int64_t a_cap;
    int32_t* piv; // (nrow)
    int64_t piv_cap;
    bool lu, ready;
};

static void destroy(tl_factor* f)
{
    if (!f)
        return;
    tl_pattern_copy_fini(f->ctx, &f->pattern);
    tl_free(f->ctx, f->a);
    tl_free(f->ctx, f->piv);
    tl_free(f->ctx, f);
}

static talus_status create(talus_context* ctx, tl_factor** out)
{
    tl_factor* f = tl_calloc(ctx, sizeof *f);
    if (!f)
        return tl_nomem(ctx, sizeof *f);
    f->ctx = ctx;
    *out = f;
    return TALUS_OK;
}

static talus_status analyze(tl_factor* f, const tl_pattern* p, tl_order order)
{
    (void)order;
    if (tl_pattern_copy_is(&f->pattern, p))
        return TALUS_OK;
    f->ready = false;
    return tl_pattern_copy_set(f->ctx, &f->pattern, p);
}

static void gather(tl_factor* f, const tl_values* v)
{
    const tl_pattern_copy* c = &f->pattern;
    const int64_t n = c->nrow;
    memset(f->a, 0, (size_t)(n * n) * sizeof(double));
    for (int32_t j = 0; j < c->n; j++) {
        for (int32_t b = c->ptr[j]; b < c->ptr[j + 1]; b++) {
            const int32_t i = c->idx[b], m = c->size[i], k = c->size[j];
            for (int32_t s = 0; s < k; s++)
                memcpy(f->a + c->row[i] + (c->row[j] + s) * n, v->lower + c->off[b] + (int64_t)s * m,
                       (size_t)m * sizeof(double));
            for (int32_t r = 0; v->upper && i > j && r < m; r++)
                memcpy(f->a + c->row[j] + (c->row[i] + r) * n, v->upper + c->off[b] + (int64_t)r * k,
                       (size_t)k * sizeof(double));
        }
    }
}

static talus_status factor(tl_factor* f, const tl_values* v)
{
    const int32_t n = f->pattern.nrow;
    f->ready = false;
    TL_TRY(TL_GROW(f->ctx, f->a, f->a_cap, 0, (int64_t)n * n));
    TL_TRY(TL_GROW(f->ctx, f->piv, f->piv_cap, 0, n));
    gather(f, v);
    f->lu = v->upper != NULL;
    f->ready =
        f->lu ? tl_dense_lu(f->a, n, n, f->piv) : tl_context_kernels(f->ctx)->dense_factor(n, n, f->a) != 0;
    return f->ready ? TALUS_OK : TALUS_ERR_SINGULAR;
}

static void solve(tl_factor* f, double* x, bool parallel)
{
    (void)parallel;
    const int32_t n = f->pattern.nrow;
    TL_ASSERT(f->ready);
    if (f->lu)
        tl_dense_lu_solve(f->a, n, n, f->piv, x, 1, n);
    else
        tl_context_kernels(f->ctx)->dense_solve(n, n, f->a, x);
}

static tl_factor_stats stats(const tl_factor* f)
{
    const double n = f->pattern.nrow;
    return (tl_factor_stats){.flops = n * n * n * (f->lu ? 2.0 : 1.0) / 3.0,
                             .nnz = (int64_t)(f->lu ? n * n : n * (n + 1) / 2),
                             .entry = sizeof(double),
                             .nsuper = n > 0,
                             .largest = f->pattern.nrow,
                             .analyses = f->pattern.made};
}

const tl_backend tl_backend_dense = {.name = "dense",
                                     .nonsymmetric = true,
                                     .create = create,
                                     .destroy = destroy,
                                     .analyze = analyze,
                                     .factor = factor,
                                     .solve = solve,
                                     .stats = stats};
