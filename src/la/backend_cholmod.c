// SPDX-License-Identifier: MIT
// CHOLMOD's supernodal Cholesky on the scalar matrix: a second opinion on symmetric values (Chen, Davis,
// Hager and Rajamanickam 2008). Its Supernodal module is GPL-2.0+: a binary built with it is too;
// TALUS_WITH_CHOLMOD=OFF leaves it out. It allocates by malloc, not through the context, and its BLAS and
// OpenMP use threads of their own.
//
// The pattern is expanded to columns of scalars, lower triangle: of column c of node j the rows c .. of the
// diagonal block, then the blocks below in pattern order. Values are copied in the same order.
#include "factor.h"

#ifdef TALUS_HAVE_CHOLMOD
#include <cholmod.h>

struct tl_factor {
    talus_context* ctx;
    tl_pattern_copy pattern;
    tl_order order;
    cholmod_common common;
    cholmod_sparse* a;
    cholmod_factor* l;
    cholmod_dense *b, *x, *work_y, *work_e; // of solves: made at the first factorization
    tl_factor_stats stats;
    bool ready;
};

static talus_status create(talus_context* ctx, tl_factor** out)
{
    tl_factor* f = tl_calloc(ctx, sizeof *f);
    if (!f)
        return tl_nomem(ctx, sizeof *f);
    f->ctx = ctx;
    if (!cholmod_start(&f->common)) {
        tl_free(ctx, f);
        return tl_nomem(ctx, sizeof *f);
    }
    f->common.print = 0;
    f->common.try_catch = 1; // no error handler, no output: the status is read instead
    f->common.supernodal = CHOLMOD_SUPERNODAL;
    f->common.final_ll = 1;
    f->common.nmethods = 1;
    *out = f;
    return TALUS_OK;
}

static void release(tl_factor* f)
{
    cholmod_free_sparse(&f->a, &f->common);
    cholmod_free_factor(&f->l, &f->common);
    cholmod_free_dense(&f->b, &f->common);
    cholmod_free_dense(&f->x, &f->common);
    cholmod_free_dense(&f->work_y, &f->common);
    cholmod_free_dense(&f->work_e, &f->common);
    f->ready = false;
}

static void destroy(tl_factor* f)
{
    if (!f)
        return;
    release(f);
    cholmod_finish(&f->common);
    tl_pattern_copy_fini(f->ctx, &f->pattern);
    tl_free(f->ctx, f);
}

static int64_t count_entries(const tl_pattern_copy* c)
{
    int64_t n = 0;
    for (int32_t j = 0; j < c->n; j++) {
        n += (int64_t)c->size[j] * (c->size[j] + 1) / 2;
        for (int32_t b = c->ptr[j] + 1; b < c->ptr[j + 1]; b++)
            n += (int64_t)c->size[j] * c->size[c->idx[b]];
    }
    return n;
}

static void expand_pattern(const tl_pattern_copy* c, int32_t* ptr, int32_t* idx)
{
    int32_t at = 0;
    for (int32_t j = 0; j < c->n; j++) {
        for (int32_t s = 0; s < c->size[j]; s++) {
            ptr[c->row[j] + s] = at;
            for (int32_t b = c->ptr[j]; b < c->ptr[j + 1]; b++) {
                const int32_t i = c->idx[b];
                for (int32_t r = i == j ? s : 0; r < c->size[i]; r++)
                    idx[at++] = c->row[i] + r;
            }
        }
    }
    ptr[c->nrow] = at;
}

static void expand_values(const tl_pattern_copy* c, const double* v, double* x)
{
    for (int32_t j = 0; j < c->n; j++) {
        for (int32_t s = 0; s < c->size[j]; s++) {
            for (int32_t b = c->ptr[j]; b < c->ptr[j + 1]; b++) {
                const int32_t i = c->idx[b], m = c->size[i];
                const double* column = v + c->off[b] + (int64_t)s * m;
                for (int32_t r = i == j ? s : 0; r < m; r++)
                    *x++ = column[r];
            }
        }
    }
}

static int ordering(tl_order order)
{
    switch (order) {
    case TL_ORDER_NATURAL:
        return CHOLMOD_NATURAL;
    case TL_ORDER_METIS:
        return CHOLMOD_METIS;
    case TL_ORDER_AUTO:
    case TL_ORDER_FILL:
    case TL_ORDER_AMD:
        break;
    }
    return CHOLMOD_AMD;
}

static talus_status make_symbolic(tl_factor* f, const tl_pattern* p)
{
    TL_TRY(tl_pattern_copy_set(f->ctx, &f->pattern, p));
    const tl_pattern_copy* c = &f->pattern;
    f->stats = (tl_factor_stats){.nsuper = 0};
    if (c->nrow == 0)
        return TALUS_OK;
    const int64_t nz = count_entries(c);
    if (nz > INT32_MAX)
        return tl_nomem(f->ctx, (size_t)nz * sizeof(double));
    const size_t n = (size_t)c->nrow;
    f->a = cholmod_allocate_sparse(n, n, (size_t)nz, 1, 1, -1, CHOLMOD_REAL, &f->common);
    f->b = cholmod_zeros(n, 1, CHOLMOD_REAL, &f->common);
    if (!f->a || !f->b)
        return tl_nomem(f->ctx, (size_t)nz * sizeof(double));
    expand_pattern(c, f->a->p, f->a->i);
    f->common.method[0].ordering = ordering(f->order);
    f->l = cholmod_analyze(f->a, &f->common);
    if (!f->l)
        return tl_nomem(f->ctx, (size_t)nz * sizeof(double));
    f->stats.flops = f->common.fl;
    f->stats.entry = sizeof(double);
    f->stats.nnz = (int64_t)f->common.lnz;
    return TALUS_OK;
}

static talus_status analyze(tl_factor* f, const tl_pattern* p, tl_order order)
{
    if (f->order == order && tl_pattern_copy_is(&f->pattern, p))
        return TALUS_OK;
    release(f);
    f->order = order;
    const talus_status status = make_symbolic(f, p);
    if (status < 0)
        f->pattern.valid = false;
    return status;
}

static void count_supernodes(tl_factor* f)
{
    const int32_t* px = f->l->pi;
    f->stats.nsuper = (int32_t)f->l->nsuper;
    f->stats.largest = 0;
    for (int32_t s = 0; s < f->stats.nsuper; s++)
        f->stats.largest = TL_MAX(f->stats.largest, px[s + 1] - px[s]);
}

static talus_status factor(tl_factor* f, const tl_values* v)
{
    f->ready = false;
    if (v->upper)
        return tl_fail(f->ctx, TALUS_ERR_UNSUPPORTED, "the cholmod backend takes symmetric values only");
    if (f->pattern.nrow == 0) {
        f->ready = true;
        return TALUS_OK;
    }
    expand_values(&f->pattern, v->lower, f->a->x);
    cholmod_factorize(f->a, f->l, &f->common);
    if (f->common.status == CHOLMOD_OUT_OF_MEMORY || f->common.status == CHOLMOD_TOO_LARGE)
        return tl_nomem(f->ctx, f->l->xsize * sizeof(double));
    // LAPACK's Cholesky may let a NaN pass
    if (f->common.status != CHOLMOD_OK || f->l->minor < f->l->n ||
        tl_first_nonfinite(f->l->x, (int64_t)f->l->xsize) >= 0)
        return TALUS_ERR_SINGULAR;
    count_supernodes(f);
    // the first solve allocates its workspace: do that where a failure can be told
    if (!f->x &&
        !cholmod_solve2(CHOLMOD_A, f->l, f->b, NULL, &f->x, NULL, &f->work_y, &f->work_e, &f->common))
        return tl_nomem(f->ctx, (size_t)f->pattern.nrow * sizeof(double));
    f->ready = true;
    return TALUS_OK;
}

static void solve(tl_factor* f, double* x, bool parallel)
{
    (void)parallel;
    TL_ASSERT(f->ready);
    const size_t bytes = sizeof(double) * (size_t)f->pattern.nrow;
    if (bytes == 0)
        return;
    memcpy(f->b->x, x, bytes);
    cholmod_solve2(CHOLMOD_A, f->l, f->b, NULL, &f->x, NULL, &f->work_y, &f->work_e, &f->common);
    memcpy(x, f->x->x, bytes);
}

static tl_factor_stats stats(const tl_factor* f)
{
    tl_factor_stats s = f->stats;
    s.analyses = f->pattern.made;
    return s;
}

const tl_backend tl_backend_cholmod = {.name = "cholmod",
                                       .nonsymmetric = false,
                                       .create = create,
                                       .destroy = destroy,
                                       .analyze = analyze,
                                       .factor = factor,
                                       .solve = solve,
                                       .stats = stats};
#endif
