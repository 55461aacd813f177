// SPDX-License-Identifier: MIT
// Contact problems as HDF5, for large ones: the fields of the JSON form, each one dataset over all records.
//
//   h, v_s (scalars), friction (text)
//   trees/{nv (ntree), M (sum nv^2), v0 (sum nv), v_star}
//   contacts/{trees (nc x 2), J_a (sum 3 nv_a), J_b (sum 3 nv_b), delta0 (nc), k, d, mu, pair (optional), f0
//   (nc x 3,
//             optional)}
//   limits/{tree (nl), dof, delta0, k, d, sign, f0 (optional)}   losses/{tree (nf), dof, bound, f0
//   (optional)}, loss_v_s
//
// Variable lengths lie one after another, so the sizes of the trees tell where each record starts.
#include "h5.h"
#include "problem_file.h"

typedef struct columns { // what must be known before the arrays can be made
    int32_t *nv, *trees;
    double *M, *J_a, *J_b;
    int64_t ntree, nM, ntrees2, nJa, nJb;
} columns;

static talus_status wrong_length(const tl_h5* h, const char* name, int64_t want, int64_t got)
{
    return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s: %lld values are wanted, not %lld", name,
                      (long long)want, (long long)got);
}

/// Read `want` values into out.
static talus_status read_into(tl_h5* h, const char* name, tl_h5_type type, int64_t want, void* out)
{
    tl_arena scratch;
    void* data = NULL;
    int64_t n = 0;
    tl_arena_init(&scratch, h->ctx);
    talus_status status = tl_h5_read(h, name, type, &scratch, &data, &n);
    if (status >= 0 && n != want)
        status = wrong_length(h, name, want, n);
    if (status >= 0)
        memcpy(out, data, (size_t)n * (type == TL_H5_I32 ? 4 : 8));
    tl_arena_fini(&scratch);
    return status;
}

static talus_status read_head(tl_h5* h, talus_problem_view* view)
{
    char friction[32] = "quadratic", dissipation[32] = "hunt-crossley";
    TL_TRY(read_into(h, "h", TL_H5_F64, 1, &view->h));
    if (tl_h5_has(h, "v_s"))
        TL_TRY(read_into(h, "v_s", TL_H5_F64, 1, &view->v_s));
    if (tl_h5_has(h, "loss_v_s"))
        TL_TRY(read_into(h, "loss_v_s", TL_H5_F64, 1, &view->loss_v_s));
    if (tl_h5_has(h, "ahead"))
        TL_TRY(read_into(h, "ahead", TL_H5_I32, 1, &view->ahead));
    if (tl_h5_has(h, "friction"))
        TL_TRY(tl_h5_read_text(h, "friction", friction, sizeof friction));
    if (strcmp(friction, "linear") != 0 && strcmp(friction, "quadratic") != 0)
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0,
                          "friction: '%s' is unknown, \"linear\" or \"quadratic\" is wanted", friction);
    if (tl_h5_has(h, "dissipation"))
        TL_TRY(tl_h5_read_text(h, "dissipation", dissipation, sizeof dissipation));
    if (strcmp(dissipation, "linear") != 0 && strcmp(dissipation, "hunt-crossley") != 0)
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0,
                          "dissipation: '%s' is unknown, \"linear\" or \"hunt-crossley\" is wanted",
                          dissipation);
    view->dissipation =
        strcmp(dissipation, "linear") == 0 ? TALUS_DISSIPATION_LINEAR : TALUS_DISSIPATION_HUNT_CROSSLEY;
    view->friction = strcmp(friction, "linear") == 0 ? TALUS_FRICTION_LINEAR : TALUS_FRICTION_QUADRATIC;
    return TALUS_OK;
}

static talus_status count_rows(tl_h5* h, const char* name, int64_t* n)
{
    tl_arena scratch;
    void* data = NULL;
    *n = 0;
    if (!tl_h5_has(h, name))
        return TALUS_OK;
    tl_arena_init(&scratch, h->ctx);
    const talus_status status = tl_h5_read(h, name, TL_H5_F64, &scratch, &data, n);
    tl_arena_fini(&scratch);
    if (status >= 0 && *n > INT32_MAX / 8)
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s: too many values", name);
    return status;
}

static talus_status measure(tl_h5* h, const columns* c, tl_problem_file_size* s)
{
    s->ntree = c->ntree;
    s->nc = c->ntrees2 / 2;
    if (c->ntree > INT32_MAX / 8 || c->ntrees2 > INT32_MAX / 8 || c->ntrees2 % 2)
        return wrong_length(h, "contacts/trees", 2 * s->nc, c->ntrees2);
    for (int64_t t = 0; t < s->ntree; t++) {
        if (c->nv[t] < 1 || c->nv[t] > 100000)
            return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "trees/nv: value %lld is %d", (long long)t,
                              c->nv[t]);
        s->nv += c->nv[t];
        s->nM += (int64_t)c->nv[t] * c->nv[t];
    }
    if (s->nv > INT32_MAX / 8)
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "trees/nv: too many dofs");
    if (c->nM != s->nM)
        return wrong_length(h, "trees/M", s->nM, c->nM);
    int64_t n[2] = {0, 0};
    for (int64_t i = 0; i < c->ntrees2; i++) {
        const int32_t t = c->trees[i];
        if (t < -1 || t >= s->ntree)
            return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0,
                              "contacts/trees: row %lld names tree %d of %lld", (long long)(i / 2), t,
                              (long long)s->ntree);
        n[i % 2] += t >= 0 ? 3 * (int64_t)c->nv[t] : 0;
    }
    if (n[0] != c->nJa)
        return wrong_length(h, "contacts/J_a", n[0], c->nJa);
    if (n[1] != c->nJb)
        return wrong_length(h, "contacts/J_b", n[1], c->nJb);
    s->nJ = n[0] + n[1];
    TL_TRY(count_rows(h, "limits/tree", &s->nl));
    TL_TRY(count_rows(h, "losses/tree", &s->nf));
    s->pair = tl_h5_has(h, "contacts/pair");
    s->f0 = tl_h5_has(h, "contacts/f0");
    s->limit_f0 = tl_h5_has(h, "limits/f0");
    s->loss_f0 = tl_h5_has(h, "losses/f0");
    return TALUS_OK;
}

static void place_columns(const columns* c, const tl_problem_file_arrays* a)
{
    const double *ja = c->J_a, *jb = c->J_b;
    double* J = a->J;
    memcpy(a->tree_nv, c->nv, (size_t)c->ntree * sizeof *c->nv);
    memcpy(a->M, c->M, (size_t)c->nM * sizeof *c->M);
    for (int64_t i = 0; i < c->ntrees2 / 2; i++) {
        a->tree_a[i] = c->trees[2 * i];
        a->tree_b[i] = c->trees[2 * i + 1];
        const int64_t na = a->tree_a[i] >= 0 ? 3 * (int64_t)c->nv[a->tree_a[i]] : 0;
        const int64_t nb = a->tree_b[i] >= 0 ? 3 * (int64_t)c->nv[a->tree_b[i]] : 0;
        memcpy(J, ja, (size_t)na * sizeof *J);
        memcpy(J + na, jb, (size_t)nb * sizeof *J);
        J += na + nb;
        ja += na;
        jb += nb;
    }
}

static talus_status read_rest(tl_h5* h, const tl_problem_file_size* s, const tl_problem_file_arrays* a)
{
    TL_TRY(read_into(h, "trees/v0", TL_H5_F64, s->nv, a->v0));
    TL_TRY(read_into(h, "trees/v_star", TL_H5_F64, s->nv, a->v_star));
    if (s->nc > 0) {
        TL_TRY(read_into(h, "contacts/delta0", TL_H5_F64, s->nc, a->delta0));
        TL_TRY(read_into(h, "contacts/k", TL_H5_F64, s->nc, a->k));
        TL_TRY(read_into(h, "contacts/d", TL_H5_F64, s->nc, a->d));
        TL_TRY(read_into(h, "contacts/mu", TL_H5_F64, s->nc, a->mu));
        if (s->pair)
            TL_TRY(read_into(h, "contacts/pair", TL_H5_I64, s->nc, a->pair));
        if (s->f0)
            TL_TRY(read_into(h, "contacts/f0", TL_H5_F64, 3 * s->nc, a->f0));
    }
    if (s->nl > 0) {
        TL_TRY(read_into(h, "limits/tree", TL_H5_I32, s->nl, a->limit_tree));
        TL_TRY(read_into(h, "limits/dof", TL_H5_I32, s->nl, a->limit_dof));
        TL_TRY(read_into(h, "limits/delta0", TL_H5_F64, s->nl, a->limit_delta0));
        TL_TRY(read_into(h, "limits/k", TL_H5_F64, s->nl, a->limit_k));
        TL_TRY(read_into(h, "limits/d", TL_H5_F64, s->nl, a->limit_d));
        TL_TRY(read_into(h, "limits/sign", TL_H5_F64, s->nl, a->limit_sign));
        if (s->limit_f0)
            TL_TRY(read_into(h, "limits/f0", TL_H5_F64, s->nl, a->limit_f0));
    }
    if (s->nf > 0) {
        TL_TRY(read_into(h, "losses/tree", TL_H5_I32, s->nf, a->loss_tree));
        TL_TRY(read_into(h, "losses/dof", TL_H5_I32, s->nf, a->loss_dof));
        TL_TRY(read_into(h, "losses/bound", TL_H5_F64, s->nf, a->loss_bound));
        if (s->loss_f0)
            TL_TRY(read_into(h, "losses/f0", TL_H5_F64, s->nf, a->loss_f0));
    }
    return TALUS_OK;
}

static talus_status read_columns(tl_h5* h, tl_arena* scratch, columns* c)
{
    TL_TRY(tl_h5_read(h, "trees/nv", TL_H5_I32, scratch, (void**)&c->nv, &c->ntree));
    TL_TRY(tl_h5_read(h, "trees/M", TL_H5_F64, scratch, (void**)&c->M, &c->nM));
    if (!tl_h5_has(h, "contacts/trees"))
        return TALUS_OK;
    TL_TRY(tl_h5_read(h, "contacts/trees", TL_H5_I32, scratch, (void**)&c->trees, &c->ntrees2));
    TL_TRY(tl_h5_read(h, "contacts/J_a", TL_H5_F64, scratch, (void**)&c->J_a, &c->nJa));
    return tl_h5_read(h, "contacts/J_b", TL_H5_F64, scratch, (void**)&c->J_b, &c->nJb);
}

static talus_status read_file(tl_h5* h, tl_arena* scratch, tl_problem_file* p)
{
    columns c = {0};
    tl_problem_file_size size = {0};
    tl_problem_file_arrays arrays;
    TL_TRY(read_head(h, &p->view));
    TL_TRY(read_columns(h, scratch, &c));
    TL_TRY(measure(h, &c, &size));
    TL_TRY(tl_problem_file_alloc(p, &size, &arrays));
    place_columns(&c, &arrays);
    return read_rest(h, &size, &arrays);
}

talus_status tl_problem_file_load_hdf5(talus_context* ctx, const char* path, tl_problem_file* out)
{
    tl_h5 h;
    TL_TRY(tl_h5_open(ctx, path, false, &h));
    tl_arena scratch;
    tl_arena_init(&scratch, ctx);
    const talus_status status = read_file(&h, &scratch, out);
    tl_arena_fini(&scratch);
    tl_h5_close(&h);
    return status;
}

// ---- writing ----------------------------------------------------------------------------------------------

static talus_status write_column(tl_h5* h, const char* name, tl_h5_type type, int64_t n, int64_t width,
                                 const void* data)
{
    const int64_t dims[] = {n, width};
    return data || n == 0 ? tl_h5_write(h, name, type, width > 1 ? 2 : 1, dims, data ? data : dims)
                          : TALUS_OK;
}

static talus_status write_contacts(tl_h5* h, const talus_problem_view* v, tl_arena* scratch)
{
    int64_t n[2] = {0, 0};
    for (int32_t i = 0; i < v->nc; i++) {
        n[0] += v->tree_a[i] >= 0 ? 3 * (int64_t)v->tree_nv[v->tree_a[i]] : 0;
        n[1] += v->tree_b[i] >= 0 ? 3 * (int64_t)v->tree_nv[v->tree_b[i]] : 0;
    }
    double* side[2] = {TL_ARENA(scratch, double, n[0]), TL_ARENA(scratch, double, n[1])};
    int32_t* trees = TL_ARENA(scratch, int32_t, 2 * (int64_t)v->nc);
    if (!side[0] || !side[1] || !trees)
        return tl_nomem(h->ctx, (size_t)(n[0] + n[1]) * sizeof(double));
    const double* J = v->J;
    int64_t at[2] = {0, 0};
    for (int32_t i = 0; i < v->nc; i++)
        for (int32_t s = 0; s < 2; s++) {
            const int32_t t = s ? v->tree_b[i] : v->tree_a[i];
            const int64_t len = t >= 0 ? 3 * (int64_t)v->tree_nv[t] : 0;
            trees[2 * i + s] = t;
            memcpy(side[s] + at[s], J, (size_t)len * sizeof *J);
            at[s] += len;
            J += len;
        }
    TL_TRY(write_column(h, "contacts/trees", TL_H5_I32, v->nc, 2, trees));
    TL_TRY(write_column(h, "contacts/J_a", TL_H5_F64, n[0], 1, side[0]));
    TL_TRY(write_column(h, "contacts/J_b", TL_H5_F64, n[1], 1, side[1]));
    TL_TRY(write_column(h, "contacts/delta0", TL_H5_F64, v->nc, 1, v->delta0));
    TL_TRY(write_column(h, "contacts/k", TL_H5_F64, v->nc, 1, v->k));
    TL_TRY(write_column(h, "contacts/d", TL_H5_F64, v->nc, 1, v->d));
    TL_TRY(write_column(h, "contacts/mu", TL_H5_F64, v->nc, 1, v->mu));
    if (v->pair)
        TL_TRY(write_column(h, "contacts/pair", TL_H5_I64, v->nc, 1, v->pair));
    return v->f0 ? write_column(h, "contacts/f0", TL_H5_F64, v->nc, 3, v->f0) : TALUS_OK;
}

static talus_status write_dofs(tl_h5* h, const talus_problem_view* v)
{
    TL_TRY(tl_h5_group(h, "limits"));
    TL_TRY(write_column(h, "limits/tree", TL_H5_I32, v->nl, 1, v->limit_tree));
    TL_TRY(write_column(h, "limits/dof", TL_H5_I32, v->nl, 1, v->limit_dof));
    TL_TRY(write_column(h, "limits/delta0", TL_H5_F64, v->nl, 1, v->limit_delta0));
    TL_TRY(write_column(h, "limits/k", TL_H5_F64, v->nl, 1, v->limit_k));
    TL_TRY(write_column(h, "limits/d", TL_H5_F64, v->nl, 1, v->limit_d));
    TL_TRY(write_column(h, "limits/sign", TL_H5_F64, v->nl, 1, v->limit_sign));
    if (v->limit_f0)
        TL_TRY(write_column(h, "limits/f0", TL_H5_F64, v->nl, 1, v->limit_f0));
    if (v->ahead)
        TL_TRY(tl_h5_write(h, "ahead", TL_H5_I32, 0, NULL, &v->ahead));
    if (v->nf == 0)
        return TALUS_OK;
    TL_TRY(tl_h5_group(h, "losses"));
    TL_TRY(tl_h5_write(h, "loss_v_s", TL_H5_F64, 0, NULL, &v->loss_v_s));
    TL_TRY(write_column(h, "losses/tree", TL_H5_I32, v->nf, 1, v->loss_tree));
    TL_TRY(write_column(h, "losses/dof", TL_H5_I32, v->nf, 1, v->loss_dof));
    TL_TRY(write_column(h, "losses/bound", TL_H5_F64, v->nf, 1, v->loss_bound));
    return v->loss_f0 ? write_column(h, "losses/f0", TL_H5_F64, v->nf, 1, v->loss_f0) : TALUS_OK;
}

static talus_status write_file(tl_h5* h, const talus_problem_view* v, tl_arena* scratch)
{
    int64_t nv = 0, nM = 0;
    for (int32_t t = 0; t < v->ntree; t++) {
        nv += v->tree_nv[t];
        nM += (int64_t)v->tree_nv[t] * v->tree_nv[t];
    }
    TL_TRY(tl_h5_write(h, "h", TL_H5_F64, 0, NULL, &v->h));
    TL_TRY(tl_h5_write(h, "v_s", TL_H5_F64, 0, NULL, &v->v_s));
    TL_TRY(tl_h5_write_text(h, "friction", v->friction == TALUS_FRICTION_LINEAR ? "linear" : "quadratic"));
    if (v->dissipation == TALUS_DISSIPATION_LINEAR)
        TL_TRY(tl_h5_write_text(h, "dissipation", "linear"));
    TL_TRY(tl_h5_group(h, "trees"));
    TL_TRY(write_column(h, "trees/nv", TL_H5_I32, v->ntree, 1, v->tree_nv));
    TL_TRY(write_column(h, "trees/M", TL_H5_F64, nM, 1, v->M));
    TL_TRY(write_column(h, "trees/v0", TL_H5_F64, nv, 1, v->v0));
    TL_TRY(write_column(h, "trees/v_star", TL_H5_F64, nv, 1, v->v_star));
    TL_TRY(tl_h5_group(h, "contacts"));
    TL_TRY(write_contacts(h, v, scratch));
    return write_dofs(h, v);
}

talus_status tl_problem_file_save_hdf5(talus_context* ctx, const char* path, const talus_problem_view* view)
{
    tl_h5 h;
    TL_TRY(tl_h5_create(ctx, path, &h));
    tl_arena scratch;
    tl_arena_init(&scratch, ctx);
    const talus_status status = write_file(&h, view, &scratch);
    tl_arena_fini(&scratch);
    const talus_status closed = tl_h5_close(&h);
    return status < 0 ? status : closed;
}
