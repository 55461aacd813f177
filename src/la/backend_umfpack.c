// SPDX-License-Identifier: MIT
// UMFPACK's unsymmetric multifrontal LU on the scalar matrix: a second opinion on both kinds of values, with
// its own pivoting (Davis 2004). It is GPL-2.0+: a binary built with it is too; TALUS_WITH_UMFPACK=ON brings
// it in. It allocates by malloc, not through the context.
//
// The pattern is expanded to whole columns of scalars, rows ascending: of column c of node j first the blocks
// of earlier nodes (upper, or the mirror of lower), then the diagonal block, then the blocks below. Values
// are copied in that order by the same walk.
#include "factor.h"

#ifdef TALUS_HAVE_UMFPACK
#include <umfpack.h>

struct tl_factor {
    talus_context* ctx;
    tl_pattern_copy pattern;
    tl_order order;
    double control[UMFPACK_CONTROL];
    int64_t cap[7];         // of the arrays below, in their order
    int32_t *before, *row;  // (n + 1) first earlier neighbour, (blocks - n) those neighbours
    int32_t* block;         // (blocks - n) block of each of them
    int32_t *ptr, *idx;     // the scalar matrix by columns
    double *value, *work_x; // (nz), (5 nrow) workspace of solves
    int32_t* work_i;        // (nrow)
    int64_t work_cap;
    void *symbolic, *numeric;
    tl_factor_stats stats;
};

static talus_status create(talus_context* ctx, tl_factor** out)
{
    tl_factor* f = tl_calloc(ctx, sizeof *f);
    if (!f)
        return tl_nomem(ctx, sizeof *f);
    f->ctx = ctx;
    umfpack_di_defaults(f->control);
    f->control[UMFPACK_PRL] = 0;
    *out = f;
    return TALUS_OK;
}

static void destroy(tl_factor* f)
{
    if (!f)
        return;
    umfpack_di_free_numeric(&f->numeric);
    umfpack_di_free_symbolic(&f->symbolic);
    int32_t* const whole[] = {f->before, f->row, f->block, f->ptr, f->idx, f->work_i};
    for (int32_t i = 0; i < TL_COUNT(whole); i++)
        tl_free(f->ctx, whole[i]);
    tl_free(f->ctx, f->value);
    tl_free(f->ctx, f->work_x);
    tl_pattern_copy_fini(f->ctx, &f->pattern);
    tl_free(f->ctx, f);
}

// for every node the blocks that lie left of its diagonal block, by columns: the upper half by columns
static void find_earlier(tl_factor* f)
{
    const tl_pattern_copy* c = &f->pattern;
    memset(f->before, 0, sizeof(int32_t) * (size_t)(c->n + 1));
    for (int32_t j = 0; j < c->n; j++)
        for (int32_t b = c->ptr[j] + 1; b < c->ptr[j + 1]; b++)
            f->before[c->idx[b] + 1]++;
    for (int32_t j = 0; j < c->n; j++)
        f->before[j + 1] += f->before[j];
    for (int32_t j = 0; j < c->n; j++)
        for (int32_t b = c->ptr[j] + 1; b < c->ptr[j + 1]; b++) {
            const int32_t at = f->before[c->idx[b]]++;
            f->row[at] = j;
            f->block[at] = b;
        }
    for (int32_t j = c->n; j > 0; j--)
        f->before[j] = f->before[j - 1];
    f->before[0] = 0;
}

static int64_t count_entries(const tl_pattern_copy* c)
{
    int64_t n = 0;
    for (int32_t j = 0; j < c->n; j++)
        for (int32_t b = c->ptr[j]; b < c->ptr[j + 1]; b++)
            n += (int64_t)c->size[j] * c->size[c->idx[b]] * (c->idx[b] == j ? 1 : 2);
    return n;
}

// one column of a block: m rows from `row`, entry r at v[r step]; without v the rows are written instead
static int32_t put_column(tl_factor* f, int32_t at, int32_t row, int32_t m, const double* v, int32_t step)
{
    for (int32_t r = 0; r < m; r++, at++) {
        if (v)
            f->value[at] = v[r * step];
        else
            f->idx[at] = row + r;
    }
    return at;
}

// symmetric values have only the lower triangle of a diagonal block
static int32_t put_diagonal(tl_factor* f, int32_t at, int32_t j, int32_t s, const double* v, bool symmetric)
{
    const int32_t m = f->pattern.size[j], row = f->pattern.row[j];
    at = put_column(f, at, row, s, v ? symmetric ? v + s : v + s * m : NULL, symmetric ? m : 1);
    return put_column(f, at, row + s, m - s, v ? v + s * m + s : NULL, 1);
}

// v NULL: the pattern, else the values
static void expand(tl_factor* f, const tl_values* v)
{
    const tl_pattern_copy* c = &f->pattern;
    int32_t at = 0;
    for (int32_t j = 0; j < c->n; j++) {
        const int32_t m = c->size[j];
        for (int32_t s = 0; s < m; s++) {
            f->ptr[c->row[j] + s] = at;
            for (int32_t q = f->before[j]; q < f->before[j + 1]; q++) {
                const int32_t i = f->row[q];
                const int64_t off = c->off[f->block[q]];
                if (v && v->upper)
                    at = put_column(f, at, 0, c->size[i], v->upper + off + s * c->size[i], 1);
                else
                    at = put_column(f, at, c->row[i], c->size[i], v ? v->lower + off + s : NULL, m);
            }
            at = put_diagonal(f, at, j, s, v ? v->lower + c->off[c->ptr[j]] : NULL, v && !v->upper);
            for (int32_t b = c->ptr[j] + 1; b < c->ptr[j + 1]; b++) {
                const int32_t i = c->idx[b];
                at = put_column(f, at, c->row[i], c->size[i],
                                v ? v->lower + c->off[b] + s * c->size[i] : NULL, 1);
            }
        }
    }
    f->ptr[c->nrow] = at;
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
    TL_TRY(TL_GROW(f->ctx, f->before, f->cap[0], 0, c->n + 1));
    TL_TRY(TL_GROW(f->ctx, f->row, f->cap[1], 0, c->nblock));
    TL_TRY(TL_GROW(f->ctx, f->block, f->cap[2], 0, c->nblock));
    TL_TRY(TL_GROW(f->ctx, f->ptr, f->cap[3], 0, c->nrow + 1));
    TL_TRY(TL_GROW(f->ctx, f->idx, f->cap[4], 0, nz));
    TL_TRY(TL_GROW(f->ctx, f->value, f->cap[5], 0, nz));
    TL_TRY(TL_GROW(f->ctx, f->work_i, f->cap[6], 0, c->nrow));
    TL_TRY(TL_GROW(f->ctx, f->work_x, f->work_cap, 0, 6 * (int64_t)c->nrow));
    find_earlier(f);
    expand(f, NULL);
    return TALUS_OK;
}

static talus_status analyze(tl_factor* f, const tl_pattern* p, tl_order order)
{
    if (f->order == order && tl_pattern_copy_is(&f->pattern, p))
        return TALUS_OK;
    umfpack_di_free_numeric(&f->numeric);
    umfpack_di_free_symbolic(&f->symbolic);
    f->order = order;
    f->control[UMFPACK_ORDERING] = order == TL_ORDER_METIS     ? UMFPACK_ORDERING_METIS
                                   : order == TL_ORDER_NATURAL ? UMFPACK_ORDERING_NONE
                                                               : UMFPACK_ORDERING_AMD;
    const talus_status status = make_symbolic(f, p);
    if (status < 0)
        f->pattern.valid = false;
    return status;
}

static talus_status factor(tl_factor* f, const tl_values* v)
{
    const tl_pattern_copy* c = &f->pattern;
    double info[UMFPACK_INFO];
    umfpack_di_free_numeric(&f->numeric);
    if (c->nrow == 0)
        return TALUS_OK;
    expand(f, v);
    // its choice of a strategy looks at the values, so the first factorization makes the analysis
    int status = UMFPACK_OK;
    if (!f->symbolic)
        status =
            umfpack_di_symbolic(c->nrow, c->nrow, f->ptr, f->idx, f->value, &f->symbolic, f->control, info);
    if (status == UMFPACK_OK)
        status = umfpack_di_numeric(f->ptr, f->idx, f->value, f->symbolic, &f->numeric, f->control, info);
    if (status == UMFPACK_ERROR_out_of_memory)
        return tl_nomem(f->ctx, (size_t)f->ptr[c->nrow] * sizeof(double));
    // a pivot that is NaN may pass
    if (status != UMFPACK_OK || tl_first_nonfinite(f->value, f->ptr[c->nrow]) >= 0) {
        umfpack_di_free_numeric(&f->numeric);
        return TALUS_ERR_SINGULAR;
    }
    f->stats.flops = info[UMFPACK_FLOPS];
    f->stats.entry = sizeof(double);
    f->stats.nnz = (int64_t)(info[UMFPACK_LNZ] + info[UMFPACK_UNZ]);
    f->stats.largest = (int32_t)info[UMFPACK_MAX_FRONT_NROWS];
    return TALUS_OK;
}

static void solve(tl_factor* f, double* x, bool parallel)
{
    (void)parallel;
    const int64_t n = f->pattern.nrow;
    if (n == 0)
        return;
    TL_ASSERT(f->numeric);
    double* y = f->work_x + 5 * n;
    umfpack_di_wsolve(UMFPACK_A, f->ptr, f->idx, f->value, y, x, f->numeric, f->control, NULL, f->work_i,
                      f->work_x);
    memcpy(x, y, sizeof(double) * (size_t)n);
}

static tl_factor_stats stats(const tl_factor* f)
{
    tl_factor_stats s = f->stats;
    s.analyses = f->pattern.made;
    return s;
}

const tl_backend tl_backend_umfpack = {.name = "umfpack",
                                       .nonsymmetric = true,
                                       .create = create,
                                       .destroy = destroy,
                                       .analyze = analyze,
                                       .factor = factor,
                                       .solve = solve,
                                       .stats = stats};
#endif
