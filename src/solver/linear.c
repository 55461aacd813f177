// SPDX-License-Identifier: MIT
// Linear systems of one island (theory: src/README.md#linear-algebra): assembly of A = M + h J^T G J on the
// graph of trees, the factor of its symmetric part without the coupling column (A_s, positive definite) or
// the LU of A.
#include "solver_internal.h"

#include <math.h>

// islands with at most this many dofs are factored densely: the blocks would be full anyway
#define DENSE_DOFS 60

typedef struct link {
    int32_t hi, lo, contact;
} link;

// by lower, then by higher tree, then by contact: counting sorts, the last key first. start: (ntree + 1)
static void sort_links(link* list, link* scratch, int32_t n, int32_t* start, int32_t ntree)
{
    for (int32_t pass = 0; pass < 2; pass++) {
        const link* from = pass ? scratch : list;
        link* to = pass ? list : scratch;
        memset(start, 0, sizeof(int32_t) * (size_t)(ntree + 1));
        for (int32_t i = 0; i < n; i++)
            start[1 + (pass ? from[i].lo : from[i].hi)]++;
        for (int32_t t = 0; t < ntree; t++)
            start[t + 1] += start[t];
        for (int32_t i = 0; i < n; i++)
            to[start[pass ? from[i].lo : from[i].hi]++] = from[i];
    }
}

typedef struct assembly {
    tl_pattern pattern;
    int64_t* off;   // (blocks + 1)
    int32_t* diag;  // (ntree) diagonal block of each tree
    link* order;    // contacts by pair of trees
    int32_t* block; // (nc) off-diagonal block of order[i], -1: one tree
    double *lower, *upper;
} assembly;

// contacts sorted by pair of trees, so that all of one pair go into one block while it is hot
static talus_status make_pattern(tl_island* s, assembly* a)
{
    tl_arena* w = &s->work;
    const int32_t n = s->ntree;
    a->order = TL_ARENA(w, link, 2 * (int64_t)s->nc); // and scratch of the sort
    a->block = TL_ARENA(w, int32_t, s->nc);
    a->diag = TL_ARENA(w, int32_t, n);
    int32_t* size = TL_ARENA(w, int32_t, n);
    int32_t* ptr = TL_ARENA(w, int32_t, n + 1);
    int32_t* idx = TL_ARENA(w, int32_t, (int64_t)n + s->nc);
    if (!a->order || !a->block || !a->diag || !size || !ptr || !idx)
        return TALUS_ERR_NOMEM;
    for (int32_t i = 0; i < s->nc; i++) {
        const int32_t x = s->ta[i], y = s->tb[i] < 0 ? x : s->tb[i];
        a->order[i] = (link){.hi = TL_MAX(x, y), .lo = TL_MIN(x, y), .contact = i};
    }
    sort_links(a->order, a->order + s->nc, s->nc, ptr, n);
    int32_t nb = 0, i = 0;
    for (int32_t t = 0; t < n; t++) {
        size[t] = s->dof[t + 1] - s->dof[t];
        ptr[t] = nb;
        a->diag[t] = nb;
        idx[nb++] = t;
        for (; i < s->nc && a->order[i].lo == t; i++) {
            if (a->order[i].hi != t && idx[nb - 1] != a->order[i].hi)
                idx[nb++] = a->order[i].hi;
            a->block[i] = a->order[i].hi == t ? -1 : nb - 1;
        }
    }
    ptr[n] = nb;
    a->pattern = (tl_pattern){.n = n, .size = size, .ptr = ptr, .idx = idx};
    a->off = TL_ARENA(w, int64_t, nb + 1);
    if (!a->off)
        return TALUS_ERR_NOMEM;
    tl_pattern_offsets(&a->pattern, a->off);
    return TALUS_OK;
}

// T = h G J of contact i, (3 x nd) row-major
static void form_GJ(const tl_island* s, const double* G, int32_t i, bool full, int32_t nd, double* T)
{
    const int32_t ld = s->ld;
    const double* J = s->J + s->joff[i];
    const double xx = s->h * G[TL_G_XX * ld + i], xy = s->h * G[TL_G_XY * ld + i],
                 yy = s->h * G[TL_G_YY * ld + i], nn = s->h * G[TL_G_NN * ld + i];
    const double xn = full ? s->h * G[TL_G_XN * ld + i] : 0.0, yn = full ? s->h * G[TL_G_YN * ld + i] : 0.0;
    for (int32_t c = 0; c < nd; c++) {
        const double j0 = J[c], j1 = J[nd + c], j2 = J[2 * nd + c];
        T[c] = xx * j0 + xy * j1 + xn * j2;
        T[nd + c] = xy * j0 + yy * j1 + yn * j2;
        T[2 * nd + c] = nn * j2;
    }
}

static void add_contact(const tl_island* s, const assembly* a, int32_t at, const double* T, int32_t nd)
{
    const int32_t i = a->order[at].contact, x = s->ta[i], y = s->tb[i];
    const int32_t nx = s->dof[x + 1] - s->dof[x], ny = nd - nx;
    const double *Jx = s->J + s->joff[i], *Jy = Jx + nx, *Tx = T, *Ty = T + nx;
    const bool half = !a->upper; // symmetric values: the lower triangles of diagonal blocks do
    s->kernels->block_add(nx, nx, Jx, Tx, nd, half, a->lower + a->off[a->diag[x]]);
    if (y < 0)
        return;
    s->kernels->block_add(ny, ny, Jy, Ty, nd, half, a->lower + a->off[a->diag[y]]);
    // block (hi, lo) = J_hi^T T_lo, and its mirror (lo, hi) = J_lo^T T_hi
    const int64_t off = a->off[a->block[at]];
    const bool x_hi = x > y;
    const double *Jhi = x_hi ? Jx : Jy, *Jlo = x_hi ? Jy : Jx, *Thi = x_hi ? Tx : Ty, *Tlo = x_hi ? Ty : Tx;
    const int32_t nhi = x_hi ? nx : ny, nlo = x_hi ? ny : nx;
    s->kernels->block_add(nhi, nlo, Jhi, Tlo, nd, 0, a->lower + off);
    if (a->upper)
        s->kernels->block_add(nlo, nhi, Jlo, Thi, nd, 0, a->upper + off);
}

// C (nd x nd, column-major, a's dofs before b's) of a pair of six-dof trees into its three blocks
static void scatter_gram(const assembly* a, int32_t at, int32_t x, int32_t y, const double* C)
{
    const int32_t nd = y < 0 ? 6 : 12;
    double *Dx = a->lower + a->off[a->diag[x]], *Dy = y < 0 ? NULL : a->lower + a->off[a->diag[y]];
    for (int32_t j = 0; j < 6; j++)
        for (int32_t i = 0; i < 6; i++) {
            Dx[6 * j + i] += C[nd * j + i];
            if (Dy)
                Dy[6 * j + i] += C[nd * (6 + j) + 6 + i];
        }
    if (!Dy)
        return;
    // the lower left quarter is rows of y, columns of x: the block (y, x), or its mirror where x is the higher
    double* low = a->lower + a->off[a->block[at]];
    double* up = a->upper ? a->upper + a->off[a->block[at]] : NULL;
    for (int32_t j = 0; j < 6; j++)
        for (int32_t i = 0; i < 6; i++) {
            const double yx = C[nd * j + 6 + i],
                         xy = up ? C[nd * (6 + i) + j] : yx; // entries (y_i, x_j), (x_j, y_i)
            if (y > x) {
                low[6 * j + i] += yx;
                if (up)
                    up[6 * i + j] += xy;
            } else {
                low[6 * i + j] += xy;
                if (up)
                    up[6 * j + i] += yx;
            }
        }
}

// all contacts of one ordered pair of trees in one product
static void add_six(const tl_island* s, const assembly* a, const double* G, bool full, int32_t* list)
{
    const tl_jacobian6 J = tl_isl_rows(s, s->J, 0);
    double C[TL_GRAM_SIZE];
    for (int32_t at = 0, next; at < s->nc; at = next) {
        const int32_t i = a->order[at].contact, x = s->ta[i], y = s->tb[i];
        int32_t n = 0;
        for (next = at;
             next < s->nc && s->ta[a->order[next].contact] == x && s->tb[a->order[next].contact] == y; next++)
            list[n++] = a->order[next].contact;
        s->kernels->jacobian_gram(n, list, &J, s->h, G, s->ld, full, C);
        scatter_gram(a, at, x, y, C);
    }
}

static talus_status assemble(tl_island* s, const double* G, bool full, assembly* a)
{
    TL_TRY(make_pattern(s, a));
    const int64_t size = a->off[a->pattern.ptr[s->ntree]];
    a->lower = TL_ARENA(&s->work, double, size);
    a->upper = full ? TL_ARENA(&s->work, double, size) : NULL;
    int32_t widest = 0;
    for (int32_t t = 0; t < s->ntree; t++)
        widest = TL_MAX(widest, s->dof[t + 1] - s->dof[t]);
    double* T = TL_ARENA(&s->work, double, 6 * (int64_t)widest);
    int32_t* list = TL_ARENA(&s->work, int32_t, s->nc);
    if (!a->lower || (full && !a->upper) || !T || !list)
        return TALUS_ERR_NOMEM;
    memset(a->lower, 0, sizeof(double) * (size_t)size);
    if (full)
        memset(a->upper, 0, sizeof(double) * (size_t)size);
    for (int32_t t = 0; t < s->ntree; t++) {
        const int64_t n = s->dof[t + 1] - s->dof[t];
        memcpy(a->lower + a->off[a->diag[t]], s->M[t], sizeof(double) * (size_t)(n * n));
    }
    if (s->six) {
        add_six(s, a, G, full, list);
        return TALUS_OK;
    }
    for (int32_t at = 0; at < s->nc; at++) {
        const int32_t i = a->order[at].contact, x = s->ta[i], y = s->tb[i];
        const int32_t nd = s->dof[x + 1] - s->dof[x] + (y < 0 ? 0 : s->dof[y + 1] - s->dof[y]);
        form_GJ(s, G, i, full, nd, T);
        add_contact(s, a, at, T, nd);
    }
    return TALUS_OK;
}

// ---- the slot's factors
// ------------------------------------------------------------------------------------------

static int32_t choose_backend(const tl_island* s, bool full)
{
    switch (s->opt->backend) {
    case TALUS_BACKEND_DENSE:
        return TL_BACKEND_DENSE;
    case TALUS_BACKEND_OWN:
        return TL_BACKEND_OWN;
    case TALUS_BACKEND_CHOLMOD:
        return full ? TL_BACKEND_OWN : TL_BACKEND_CHOLMOD;
    case TALUS_BACKEND_UMFPACK:
        return TL_BACKEND_UMFPACK;
    default:
        return s->nv <= DENSE_DOFS ? TL_BACKEND_DENSE : TL_BACKEND_OWN;
    }
}

// the slot's factor object for a kind of backend: small islands and large ones keep their own
static talus_status use_factor(tl_island* s, int32_t kind)
{
    tl_slot* slot = s->slot;
    const int32_t at = kind == TL_BACKEND_DENSE ? 0 : 1;
    const tl_backend* b = tl_backend_get((tl_backend_kind)kind);
    if (!b)
        return tl_fail(s->ctx, TALUS_ERR_UNSUPPORTED, "this build has no such linear-algebra backend");
    if (slot->factor[at] && slot->backend[at] != b) {
        slot->backend[at]->destroy(slot->factor[at]);
        slot->factor[at] = NULL;
    }
    if (!slot->factor[at])
        TL_TRY(b->create(s->ctx, &slot->factor[at]));
    slot->backend[at] = b;
    slot->current = at;
    return TALUS_OK;
}

talus_status tl_isl_factor(tl_island* s, const double* G, bool full)
{
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    assembly a = {0};
    tl_isl_lap(s, &s->info.t_limit);
    talus_status status = assemble(s, G, full, &a);
    tl_isl_lap(s, &s->info.t_assemble);
    if (status >= 0)
        status = use_factor(s, choose_backend(s, full));
    tl_slot* slot = s->slot;
    if (status >= 0) {
        const tl_backend* b = slot->backend[slot->current];
        tl_factor* f = slot->factor[slot->current];
        const int32_t analyses = b->stats(f).analyses;
        status = b->analyze(f, &a.pattern, TL_ORDER_AUTO);
        tl_isl_lap(s, &s->info.t_symbolic);
        const tl_values values = {
            .lower = a.lower, .upper = a.upper, .parallel = s->alone, .precondition = !full};
        if (status >= 0)
            status = b->factor(f, &values);
        const tl_factor_stats stats = b->stats(f);
        s->info.symbolic += stats.analyses - analyses;
        s->info.flops += stats.flops;
        s->info.nnz_L = TL_MAX(s->info.nnz_L, stats.nnz);
        s->info.dense_islands = slot->current == 0;
        slot->full = full;
    }
    if (status < 0) {
        slot->current = -1;
    } else if (TL_GROW(s->ctx, slot->tree, slot->tree_cap, 0, s->ntree) < 0) {
        slot->current = -1;
        status = TALUS_ERR_NOMEM;
    } else {
        memcpy(slot->tree, s->tree, sizeof(int32_t) * (size_t)s->ntree);
        slot->ntree = s->ntree;
    }
    tl_arena_release(&s->work, mark);
    s->info.factorizations++;
    tl_isl_lap(s, &s->info.t_factor);
    return status;
}

bool tl_isl_has_factor(const tl_island* s)
{
    const tl_slot* slot = s->slot;
    return slot->current >= 0 && !slot->full && slot->ntree == s->ntree &&
           memcmp(slot->tree, s->tree, sizeof(int32_t) * (size_t)s->ntree) == 0;
}

// measured constants, ns; they decide by counts alone, so results do not depend on the machine
#define NS_FLOP (1.0 / 45.0)  // of the factorization
#define NS_FACTOR_ENTRY 0.8   // of the factor, written
#define NS_CONTACT_BUILD 300. // assembly and analysis
#define NS_SOLVE_BYTE 0.065   // of the factor, read twice to precondition
#define NS_CONTACT_APPLY 22.  // J x, G w, J^T g
#define NS_DOF 5.0            // basis vectors
#define FRESH_STEPS 1.5       // that a new factor needs itself

double tl_isl_factor_worth(const tl_island* s)
{
    const tl_slot* slot = s->slot;
    const tl_factor_stats f = slot->backend[slot->current]->stats(slot->factor[slot->current]);
    const double nnz = (double)f.nnz;
    const double make = NS_FLOP * f.flops + NS_FACTOR_ENTRY * nnz + NS_CONTACT_BUILD * s->nc;
    const double step = NS_SOLVE_BYTE * f.entry * nnz + NS_CONTACT_APPLY * s->nc + NS_DOF * s->nv;
    return make / step + FRESH_STEPS;
}

void tl_isl_solve(tl_island* s, double* x)
{
    const tl_slot* slot = s->slot;
    slot->backend[slot->current]->solve(slot->factor[slot->current], x, s->alone);
}

void tl_isl_precondition(tl_island* s, double* x)
{
    const tl_slot* slot = s->slot;
    const tl_backend* b = slot->backend[slot->current];
    (b->precondition ? b->precondition : b->solve)(slot->factor[slot->current], x, s->alone);
}
