// SPDX-License-Identifier: MIT
// A contact problem in memory, owned by one arena, and the checks both file formats share.
//
// The view's arrays (talus_problem_view) are kept as they are: M block after block, J_a then J_b contact
// after contact. The formats only fill them; whatever depends on several of them (an index of a tree, the
// sign of a stiffness) is checked here, once, so that a bad value gets the same words from JSON and from
// HDF5.
#include "problem_file.h"

#include <math.h>
#include <strings.h>

bool tl_is_hdf5_name(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".h5") || !strcasecmp(dot, ".hdf5"));
}

static void* zeros(tl_problem_file* p, int64_t n, size_t elem)
{
    const size_t bytes = (size_t)TL_MAX(n, 1) * elem;
    void* x = tl_arena_alloc(&p->memory, bytes);
    if (x)
        memset(x, 0, bytes);
    return x;
}

talus_status tl_problem_file_alloc(tl_problem_file* p, const tl_problem_file_size* size,
                                   tl_problem_file_arrays* a)
{
    bool ok = true;
    memset(a, 0, sizeof *a);
#define ARRAY(name, n) ok = ok && (a->name = zeros(p, (n), sizeof *a->name))
    ARRAY(tree_nv, size->ntree);
    ARRAY(M, size->nM);
    ARRAY(v0, size->nv);
    ARRAY(v_star, size->nv);
    ARRAY(tree_a, size->nc);
    ARRAY(tree_b, size->nc);
    ARRAY(J, size->nJ);
    ARRAY(delta0, size->nc);
    ARRAY(k, size->nc);
    ARRAY(d, size->nc);
    ARRAY(mu, size->nc);
    if (size->pair)
        ARRAY(pair, size->nc);
    if (size->f0)
        ARRAY(f0, 3 * size->nc);
    ARRAY(limit_tree, size->nl);
    ARRAY(limit_dof, size->nl);
    ARRAY(limit_delta0, size->nl);
    ARRAY(limit_k, size->nl);
    ARRAY(limit_d, size->nl);
    ARRAY(limit_sign, size->nl);
    if (size->limit_f0)
        ARRAY(limit_f0, size->nl);
    ARRAY(loss_tree, size->nf);
    ARRAY(loss_dof, size->nf);
    ARRAY(loss_bound, size->nf);
    if (size->loss_f0)
        ARRAY(loss_f0, size->nf);
#undef ARRAY
    if (!ok)
        return tl_nomem(p->memory.ctx, (size_t)(size->nM + size->nJ) * sizeof(double));
    talus_problem_view* v = &p->view;
#define VIEW(name) v->name = a->name
    VIEW(tree_nv), VIEW(M), VIEW(v0), VIEW(v_star);
    VIEW(tree_a), VIEW(tree_b), VIEW(pair), VIEW(J), VIEW(delta0), VIEW(k), VIEW(d), VIEW(mu), VIEW(f0);
    VIEW(limit_tree), VIEW(limit_dof), VIEW(limit_delta0), VIEW(limit_k), VIEW(limit_d), VIEW(limit_sign);
    VIEW(limit_f0), VIEW(loss_tree), VIEW(loss_dof), VIEW(loss_bound), VIEW(loss_f0);
#undef VIEW
    v->ntree = (int32_t)size->ntree;
    v->nc = (int32_t)size->nc;
    v->nl = (int32_t)size->nl;
    v->nf = (int32_t)size->nf;
    p->nv = (int32_t)size->nv;
    return TALUS_OK;
}

// ---- checks -----------------------------------------------------------------------------------------------

typedef struct checker {
    talus_context* ctx;
    const char* path;
} checker;

/// low: smallest allowed value; open: it is itself not allowed
static talus_status check_values(const checker* c, const char* array, const char* field, const double* x,
                                 int32_t n, int32_t width, double low, bool open)
{
    for (int64_t i = 0; i < (int64_t)n * width; i++)
        if (!isfinite(x[i]) || x[i] < low || (open && x[i] == low))
            return tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0, "%s[%lld].%s: %g is not a number %s %g",
                              array, (long long)(i / width), field, x[i], open ? ">" : ">=", low);
    return TALUS_OK;
}

static talus_status check_finite(const checker* c, const char* array, const char* field, const double* x,
                                 int64_t n)
{
    const int64_t i = tl_first_nonfinite(x, n);
    return i < 0
               ? TALUS_OK
               : tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0,
                            "%s.%s: value %lld is %g, not a finite number", array, field, (long long)i, x[i]);
}

static talus_status check_index(const checker* c, const char* array, int32_t i, const char* field,
                                int32_t value, int32_t low, int32_t end)
{
    if (value >= low && value < end)
        return TALUS_OK;
    return tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0, "%s[%d].%s: %d is not an index from %d to %d",
                      array, i, field, value, low, end - 1);
}

static talus_status check_trees(const checker* c, const talus_problem_view* v)
{
    const double* M = v->M;
    for (int32_t t = 0; t < v->ntree; t++) {
        const int32_t n = v->tree_nv[t];
        for (int32_t i = 0; i < n; i++) {
            if (!(M[i * n + i] > 0) || !isfinite(M[i * n + i]))
                return tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0,
                                  "trees[%d].M: diagonal value %d is %g, a mass or inertia > 0 is wanted", t,
                                  i, M[i * n + i]);
            for (int32_t j = 0; j < i; j++)
                if (!(fabs(M[i * n + j] - M[j * n + i]) <= 1e-9 * sqrt(M[i * n + i] * M[j * n + j])))
                    return tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0,
                                      "trees[%d].M: not symmetric, [%d][%d] is %g and [%d][%d] is %g", t, i,
                                      j, M[i * n + j], j, i, M[j * n + i]);
        }
        M += n * n;
    }
    return TALUS_OK;
}

static talus_status check_contacts(const checker* c, const talus_problem_view* v)
{
    int64_t nJ = 0;
    for (int32_t i = 0; i < v->nc; i++) {
        const int32_t a = v->tree_a[i], b = v->tree_b[i];
        TL_TRY(check_index(c, "contacts", i, "trees", a, -1, v->ntree));
        TL_TRY(check_index(c, "contacts", i, "trees", b, -1, v->ntree));
        nJ += 3 * ((a >= 0 ? v->tree_nv[a] : 0) + (b >= 0 ? v->tree_nv[b] : 0));
    }
    TL_TRY(check_finite(c, "contacts", "J", v->J, nJ));
    TL_TRY(check_finite(c, "contacts", "delta0", v->delta0, v->nc));
    TL_TRY(check_values(c, "contacts", "k", v->k, v->nc, 1, 0.0, false));
    TL_TRY(check_values(c, "contacts", "d", v->d, v->nc, 1, 0.0, false));
    TL_TRY(check_values(c, "contacts", "mu", v->mu, v->nc, 1, 0.0, false));
    return v->f0 ? check_finite(c, "contacts", "f0", v->f0, 3 * (int64_t)v->nc) : TALUS_OK;
}

static talus_status check_dofs(const checker* c, const talus_problem_view* v, const char* array,
                               const int32_t* tree, const int32_t* dof, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        TL_TRY(check_index(c, array, i, "tree", tree[i], 0, v->ntree));
        TL_TRY(check_index(c, array, i, "dof", dof[i], 0, v->tree_nv[tree[i]]));
    }
    return TALUS_OK;
}

static talus_status check_limits(const checker* c, const talus_problem_view* v)
{
    TL_TRY(check_dofs(c, v, "limits", v->limit_tree, v->limit_dof, v->nl));
    TL_TRY(check_finite(c, "limits", "delta0", v->limit_delta0, v->nl));
    TL_TRY(check_values(c, "limits", "k", v->limit_k, v->nl, 1, 0.0, false));
    TL_TRY(check_values(c, "limits", "d", v->limit_d, v->nl, 1, 0.0, false));
    for (int32_t i = 0; i < v->nl; i++)
        if (v->limit_sign[i] != 1.0 && v->limit_sign[i] != -1.0)
            return tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0,
                              "limits[%d].sign: %g is neither 1 (lower limit) nor -1 (upper limit)", i,
                              v->limit_sign[i]);
    if (v->limit_f0)
        TL_TRY(check_finite(c, "limits", "f0", v->limit_f0, v->nl));
    TL_TRY(check_dofs(c, v, "losses", v->loss_tree, v->loss_dof, v->nf));
    TL_TRY(check_values(c, "losses", "bound", v->loss_bound, v->nf, 1, 0.0, false));
    return v->loss_f0 ? check_finite(c, "losses", "f0", v->loss_f0, v->nf) : TALUS_OK;
}

static talus_status check_positive(const checker* c, const char* field, double x)
{
    return isfinite(x) && x > 0
               ? TALUS_OK
               : tl_fail_at(c->ctx, TALUS_ERR_INPUT, c->path, 0, "%s: %g is not a number > 0", field, x);
}

talus_status tl_problem_file_check(talus_context* ctx, const char* path, const tl_problem_file* p)
{
    const checker c = {ctx, path};
    const talus_problem_view* v = &p->view;
    TL_TRY(check_positive(&c, "h", v->h));
    TL_TRY(check_positive(&c, "v_s", v->v_s));
    if (v->nf > 0)
        TL_TRY(check_positive(&c, "loss_v_s", v->loss_v_s));
    TL_TRY(check_trees(&c, v));
    TL_TRY(check_finite(&c, "trees", "v0", v->v0, p->nv));
    TL_TRY(check_finite(&c, "trees", "v_star", v->v_star, p->nv));
    TL_TRY(check_contacts(&c, v));
    return check_limits(&c, v);
}

// ---- both formats -----------------------------------------------------------------------------------------

talus_status tl_problem_file_load(talus_context* ctx, const char* path, tl_problem_file* out)
{
    *out = (tl_problem_file){.view = talus_problem_default()};
    tl_arena_init(&out->memory, ctx);
    talus_status status = tl_is_hdf5_name(path) ? tl_problem_file_load_hdf5(ctx, path, out)
                                                : tl_problem_file_load_json(ctx, path, out);
    if (status >= 0)
        status = tl_problem_file_check(ctx, path, out);
    if (status < 0)
        tl_problem_file_fini(out);
    return status;
}

void tl_problem_file_fini(tl_problem_file* p)
{
    tl_arena_fini(&p->memory);
    p->view = (talus_problem_view){0};
}

talus_status tl_problem_file_save(talus_context* ctx, const char* path, const talus_problem_view* view)
{
    return tl_is_hdf5_name(path) ? tl_problem_file_save_hdf5(ctx, path, view)
                                 : tl_problem_file_save_json(ctx, path, view);
}
