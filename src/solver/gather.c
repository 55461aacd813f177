// SPDX-License-Identifier: MIT
// From a problem view to islands: which contacts take part, which trees they join (union-find), and every
// array of tl_island in the order of contacts. What is written belongs to one tree or one contact, so trees and
// contacts of all islands are filled by tasks, and the result never depends on threads.
//
// Steps: list active contacts -> components -> count -> places -> trees (v, M^-1) -> contacts (J, B, W).
#include "solver_internal.h"

#include <math.h>

// one active contact before it is sorted into its island
typedef struct entry {
    int32_t source; // contact i, limit nc + i, dry friction nc + nl + i
    int32_t a, b;   // global trees, b = -1: one tree
    int64_t j;      // offset of its Jacobian in the view
} entry;

typedef struct gather {
    talus_solver* s;
    const talus_problem_view* p;
    tl_arena* arena;
    int64_t* gdof;
    int64_t* mptr;
    entry* e;
    int32_t ne;
    int32_t* label; // (ntree) island of each tree, -1: none
} gather;

static int32_t find_root(int32_t* parent, int32_t x)
{
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

static talus_status list_active(gather* g)
{
    const talus_problem_view* p = g->p;
    g->e = TL_ARENA(g->arena, entry, (int64_t)p->nc + p->nl + p->nf);
    g->gdof = TL_ARENA(g->arena, int64_t, p->ntree + 1);
    g->mptr = TL_ARENA(g->arena, int64_t, p->ntree + 1);
    if (!g->e || !g->gdof || !g->mptr)
        return TALUS_ERR_NOMEM;
    g->gdof[0] = g->mptr[0] = 0;
    for (int32_t t = 0; t < p->ntree; t++) {
        const int64_t n = p->tree_nv[t];
        g->gdof[t + 1] = g->gdof[t] + n;
        g->mptr[t + 1] = g->mptr[t] + n * n;
    }
    int64_t j = 0;
    for (int32_t i = 0; i < p->nc; i++) {
        int32_t a = p->tree_a[i], b = p->tree_b[i];
        const int64_t at = j;
        j += 3 * (int64_t)((a < 0 ? 0 : p->tree_nv[a]) + (b < 0 ? 0 : p->tree_nv[b]));
        if ((!(p->delta0[i] > 0.0) && !p->ahead) || (a < 0 && b < 0))
            continue;
        if (a < 0) {
            a = b;
            b = -1;
        } else if (a == b) {
            b = -1; // two bodies of one tree: write_jacobian adds their rows
        }
        g->e[g->ne++] = (entry){.source = i, .a = a, .b = b, .j = at};
    }
    for (int32_t i = 0; i < p->nl; i++)
        if (p->limit_delta0[i] > 0.0 || p->ahead)
            g->e[g->ne++] = (entry){.source = p->nc + i, .a = p->limit_tree[i], .b = -1};
    for (int32_t i = 0; i < p->nf; i++)
        if (p->loss_bound[i] > 0.0)
            g->e[g->ne++] = (entry){.source = p->nc + p->nl + i, .a = p->loss_tree[i], .b = -1};
    return TALUS_OK;
}

// label trees by component, components numbered by their smallest tree
static talus_status find_components(gather* g, tl_grouping grouping, int32_t* nislands)
{
    const int32_t nt = g->p->ntree;
    g->label = TL_ARENA(g->arena, int32_t, nt);
    int32_t* parent = TL_ARENA(g->arena, int32_t, nt);
    uint8_t* used = TL_ARENA(g->arena, uint8_t, nt);
    if (!g->label || !parent || !used)
        return TALUS_ERR_NOMEM;
    for (int32_t t = 0; t < nt; t++) {
        parent[t] = t;
        used[t] = grouping == TL_GROUP_ALL;
    }
    int32_t first = -1;
    for (int32_t i = 0; i < g->ne; i++) {
        const entry* e = g->e + i;
        used[e->a] = 1;
        if (e->b >= 0)
            used[e->b] = 1;
        const int32_t other = grouping == TL_GROUP_ISLANDS ? e->b : first;
        first = first < 0 ? e->a : first;
        if (other >= 0) {
            const int32_t x = find_root(parent, e->a), y = find_root(parent, other);
            parent[TL_MAX(x, y)] = TL_MIN(x, y);
        }
        if (grouping != TL_GROUP_ISLANDS && e->b >= 0) {
            const int32_t x = find_root(parent, e->a), y = find_root(parent, e->b);
            parent[TL_MAX(x, y)] = TL_MIN(x, y);
        }
    }
    int32_t n = 0;
    for (int32_t t = 0; t < nt; t++) {
        g->label[t] = -1;
        if (!used[t])
            continue;
        const int32_t root = grouping == TL_GROUP_ALL ? 0 : find_root(parent, t);
        g->label[t] = root == t ? n++ : g->label[root];
    }
    *nislands = n;
    return TALUS_OK;
}

// the three rows of an entry on its trees' dofs: both bodies of one tree share its columns
static void write_jacobian(const gather* g, const entry* e, double* J)
{
    const talus_problem_view* p = g->p;
    const int32_t na = p->tree_nv[e->a], nb = e->b < 0 ? 0 : p->tree_nv[e->b];
    if (e->source >= p->nc) {
        const int32_t i = e->source - p->nc;
        memset(J, 0, sizeof(double) * 3 * (size_t)na);
        if (i < p->nl)
            J[2 * na + p->limit_dof[i]] = p->limit_sign[i] < 0.0 ? -1.0 : 1.0;
        else
            J[p->loss_dof[i - p->nl]] = 1.0;
        return;
    }
    const int32_t ta = p->tree_a[e->source], tb = p->tree_b[e->source];
    const double *Ja = p->J + e->j, *Jb = Ja + 3 * (int64_t)(ta < 0 ? 0 : p->tree_nv[ta]);
    if (ta < 0)
        Ja = Jb;
    for (int32_t r = 0; r < 3; r++) {
        double* row = J + (int64_t)r * (na + nb);
        memcpy(row, Ja + (int64_t)r * na, sizeof(double) * (size_t)na);
        if (nb)
            memcpy(row + na, Jb + (int64_t)r * nb, sizeof(double) * (size_t)nb);
        else if (ta >= 0 && ta == tb)
            for (int32_t c = 0; c < na; c++)
                row[c] += Jb[(int64_t)r * na + c];
    }
}

static void write_contact(const gather* g, tl_island* s, const entry* e, int32_t i)
{
    const talus_problem_view* p = g->p;
    s->v_s[i] = p->v_s;
    if (e->source < p->nc) {
        const int32_t c = e->source;
        s->k[i] = p->k[c];
        s->mu[i] = p->mu[c];
        s->delta0[i] = p->delta0[c];
        if (!s->tau)
            s->d[i] = p->d[c];
        else if (p->delta0[c] > 0.0 && p->k[c] > 0.0) // nothing is dissipated before bodies touch
            s->tau[i] = p->d[c] / p->k[c];
        for (int32_t r = 0; r < 3 && p->f0; r++)
            s->f0[(int64_t)r * s->ld + i] = p->f0[3 * (int64_t)c + r];
    } else if (e->source < p->nc + p->nl) {
        const int32_t c = e->source - p->nc;
        s->k[i] = p->limit_k[c];
        s->d[i] = p->limit_d[c];
        s->delta0[i] = p->limit_delta0[c];
        if (p->limit_f0)
            s->f0[2 * (int64_t)s->ld + i] = p->limit_f0[c];
    } else {
        const int32_t c = e->source - p->nc - p->nl;
        s->k[i] = 1.0;
        s->mu[i] = 1.0;
        s->delta0[i] = p->loss_bound[c];
        s->v_s[i] = p->loss_v_s;
        if (p->loss_f0)
            s->f0[i] = p->loss_f0[c];
    }
}

static talus_status allocate_island(gather* g, tl_island* s)
{
    tl_arena* a = g->arena;
    s->ld = TL_PADDED(s->nc);
    s->tree = TL_ARENA(a, int32_t, s->ntree);
    s->gdof = TL_ARENA(a, int32_t, s->ntree);
    s->dof = TL_ARENA(a, int32_t, s->ntree + 1);
    s->M = TL_ARENA(a, const double*, s->ntree);
    s->Minv = TL_ARENA(a, double*, s->ntree);
    s->source = TL_ARENA(a, int32_t, s->nc);
    s->ta = TL_ARENA(a, int32_t, s->nc);
    s->tb = TL_ARENA(a, int32_t, s->nc);
    s->pair = TL_ARENA(a, int64_t, s->nc);
    s->joff = TL_ARENA(a, int64_t, s->nc);
    const int64_t ld = s->ld;
    const bool damped = g->p->dissipation == TALUS_DISSIPATION_LINEAR;
    const int64_t n = (damped ? 14 : 13) * ld;
    double* x = TL_ARENA(a, double, n);
    if (!s->tree || !s->gdof || !s->dof || !s->M || !s->Minv || !s->source || !s->ta || !s->tb || !s->pair ||
        !s->joff || !x)
        return TALUS_ERR_NOMEM;
    memset(x, 0, sizeof(double) * (size_t)n);
    s->k = x;
    s->d = x + ld;
    s->mu = x + 2 * ld;
    s->delta0 = x + 3 * ld;
    s->v_s = x + 4 * ld;
    s->Wt = x + 5 * ld;
    s->Wn = x + 6 * ld;
    s->f0 = x + 7 * ld;
    s->f = x + 10 * ld;
    s->tau = damped ? x + 13 * ld : NULL;
    for (int64_t i = s->nc; i < ld; i++)
        s->v_s[i] = 1.0;
    return TALUS_OK;
}

static talus_status place_trees(gather* g, tl_island* s)
{
    double* x = TL_ARENA(g->arena, double, 4 * (int64_t)s->nv);
    const int64_t chunks = (s->ntree + TL_TREE_CHUNK - 1) / TL_TREE_CHUNK;
    s->partial = TL_ARENA(g->arena, double, TL_PARTIALS* chunks);
    if (!x || !s->partial)
        return TALUS_ERR_NOMEM;
    s->v0 = x;
    s->v_star = x + s->nv;
    s->v = x + 2 * s->nv;
    s->v_mean = x + 3 * s->nv;
    for (int32_t t = 0; t < s->ntree; t++) {
        const int64_t n = s->dof[t + 1] - s->dof[t];
        s->Minv[t] = TL_ARENA(g->arena, double, n* n);
        if (!s->Minv[t])
            return TALUS_ERR_NOMEM;
    }
    return TALUS_OK;
}

// the contacts of each tree, in their order
static talus_status list_sides(gather* g, tl_island* s)
{
    int32_t* start = TL_ARENA(g->arena, int32_t, s->ntree + 1);
    int32_t* side = TL_ARENA(g->arena, int32_t, 2 * (int64_t)s->nc);
    if (!start || !side)
        return TALUS_ERR_NOMEM;
    memset(start, 0, sizeof(int32_t) * (size_t)(s->ntree + 1));
    for (int32_t i = 0; i < s->nc; i++) {
        start[s->ta[i] + 1]++;
        if (s->tb[i] >= 0)
            start[s->tb[i] + 1]++;
    }
    for (int32_t t = 0; t < s->ntree; t++)
        start[t + 1] += start[t];
    for (int32_t i = 0; i < s->nc; i++) {
        side[start[s->ta[i]]++] = 2 * i;
        if (s->tb[i] >= 0)
            side[start[s->tb[i]]++] = 2 * i + 1;
    }
    for (int32_t t = s->ntree; t > 0; t--) // each has moved on to the next one's start
        start[t] = start[t - 1];
    start[0] = 0;
    s->side_start = start;
    s->side = side;
    return TALUS_OK;
}

static talus_status place_contacts(gather* g, tl_island* s, const int32_t* local, const entry* e)
{
    int64_t size = 0;
    s->colour = TL_ARENA(g->arena, int32_t, s->nc);
    s->part = TL_ARENA(g->arena, int32_t, s->nc);
    s->place = TL_ARENA(g->arena, int32_t, s->ntree);
    if (!s->colour || !s->part || !s->place)
        return TALUS_ERR_NOMEM;
    for (int32_t i = 0; i < s->nc; i++) {
        s->source[i] = e[i].source;
        s->ta[i] = local[e[i].a];
        s->tb[i] = e[i].b < 0 ? -1 : local[e[i].b];
        // limits and dry friction are never part of a patch
        s->pair[i] = e[i].source >= g->p->nc ? -1 : g->p->pair ? g->p->pair[e[i].source] : 0;
        s->joff[i] = size;
        size += 3 * (int64_t)(g->p->tree_nv[e[i].a] + (e[i].b < 0 ? 0 : g->p->tree_nv[e[i].b]));
    }
    s->J = TL_ARENA(g->arena, double, size);
    s->B = TL_ARENA(g->arena, double, size);
    s->jsize = (double)size;
    if (!s->J || !s->B)
        return TALUS_ERR_NOMEM;
    return list_sides(g, s);
}

// ---- values, by tasks over all islands at once
// -----------------------------------------------------------------

#define TREE_GRAIN 32
#define CONTACT_GRAIN 64

typedef struct fill {
    const gather* g;
    tl_island* island;
    int32_t n;            // islands
    const int32_t* first; // (n + 1) first contact of each island
    const entry* sorted;  // contacts island by island
    const int32_t* local; // (ntree) place of a tree in its island
    int32_t* bad;         // (blocks) out: a tree whose mass matrix is not positive definite, -1: none
} fill;

// v0, v* and M^-1
static void fill_trees(void* arg, int32_t begin, int32_t end, int32_t block)
{
    const fill* f = arg;
    const talus_problem_view* p = f->g->p;
    f->bad[block] = -1;
    for (int32_t t = begin; t < end; t++) {
        if (f->g->label[t] < 0)
            continue;
        tl_island* s = f->island + f->g->label[t];
        const int32_t i = f->local[t], at = s->dof[i], n = p->tree_nv[t];
        memcpy(s->v0 + at, p->v0 + f->g->gdof[t], sizeof(double) * (size_t)n);
        memcpy(s->v_star + at, p->v_star + f->g->gdof[t], sizeof(double) * (size_t)n);
        if (!s->kernels->mass_inverse(n, s->M[i], s->Minv[i]))
            f->bad[block] = t;
    }
}

// contacts [begin, end) of an island: B = h M^-1 J^T, and the diagonal of h J M^-1 J^T
static void fill_responses(tl_island* s, int32_t begin, int32_t end)
{
    const double* const* Minv = (const double* const*)s->Minv;
    if (s->six) {
        const tl_jacobian6 J = tl_isl_rows(s, s->J, begin);
        s->kernels->jacobian_response(end - begin, &J, Minv, s->h, s->B, s->Wt + begin, s->Wn + begin);
    } else {
        const tl_tree_rows J = tl_isl_tree_rows(s, s->J, begin);
        s->kernels->rows_response(end - begin, &J, Minv, s->h, s->B, s->Wt + begin, s->Wn + begin);
    }
}

static void fill_contacts(void* arg, int32_t begin, int32_t end, int32_t block)
{
    (void)block;
    const fill* f = arg;
    int32_t lo = 0, hi = f->n - 1; // the island of contact `begin`
    while (lo < hi) {
        const int32_t mid = (lo + hi + 1) / 2;
        if (f->first[mid] <= begin)
            lo = mid;
        else
            hi = mid - 1;
    }
    for (int32_t k = lo; begin < end; k++) {
        tl_island* s = f->island + k;
        const int32_t i0 = begin - f->first[k], i1 = TL_MIN(end, f->first[k + 1]) - f->first[k];
        for (int32_t i = i0; i < i1; i++) {
            const entry* e = f->sorted + f->first[k] + i;
            write_jacobian(f->g, e, s->J + s->joff[i]);
            write_contact(f->g, s, e, i);
        }
        fill_responses(s, i0, i1);
        begin = f->first[k] + i1;
    }
}

static talus_status fill_islands(fill* f)
{
    const gather* g = f->g;
    talus_context* ctx = g->s->ctx;
    const int32_t nt = g->p->ntree, blocks = (nt + TREE_GRAIN - 1) / TREE_GRAIN;
    const tl_arena_mark mark = tl_arena_get_mark(g->arena);
    f->bad = TL_ARENA(g->arena, int32_t, blocks);
    if (!f->bad)
        return TALUS_ERR_NOMEM;
    tl_parallel_light(ctx, nt, TREE_GRAIN, fill_trees, f);
    for (int32_t b = 0; b < blocks; b++)
        if (f->bad[b] >= 0)
            return tl_fail(ctx, TALUS_ERR_INPUT,
                           "problem: the mass matrix of tree %d is not positive definite", f->bad[b]);
    tl_parallel_light(ctx, g->ne, CONTACT_GRAIN, fill_contacts, f);
    tl_arena_release(g->arena, mark);
    return TALUS_OK;
}

// one-way coupling: normal forces stay at their values at (q0, v0)
static talus_status freeze_normals(gather* g, tl_island* s)
{
    const int64_t ld = s->ld;
    s->bound = TL_ARENA(g->arena, double, ld);
    double* w = TL_ARENA(g->arena, double, 6 * ld);
    if (!s->bound || !w)
        return TALUS_ERR_NOMEM;
    double* bound = s->bound;
    s->bound = NULL;
    tl_isl_velocity(s, s->v0, w);
    // pi at (q0, v0): the overlap is the one at q0, so the law is evaluated with h = 0
    tl_contact_params p = tl_isl_params(s, 0);
    p.h = 0.0;
    s->kernels->contact_force(s->ld, s->ld, &p, w, NULL, 0, w + 3 * ld, NULL);
    memcpy(bound, w + 5 * ld, sizeof(double) * (size_t)ld);
    s->bound = bound;
    return TALUS_OK;
}

// workspace of an island's task: Newton vectors, GMRES basis, batches, assembled blocks
static size_t work_bytes(const tl_island* s)
{
    const double nv = s->nv, ld = s->ld;
    double blocks = 0.0;
    for (int32_t t = 0; t < s->ntree; t++)
        blocks += (double)(s->dof[t + 1] - s->dof[t]) * (s->dof[t + 1] - s->dof[t]);
    // blocks of pairs of trees: contacts of one pair follow one another
    for (int32_t i = 0; i < s->nc; i++)
        if (s->tb[i] >= 0 && (i == 0 || s->ta[i] != s->ta[i - 1] || s->tb[i] != s->tb[i - 1]))
            blocks +=
                (double)(s->dof[s->ta[i] + 1] - s->dof[s->ta[i]]) * (s->dof[s->tb[i] + 1] - s->dof[s->tb[i]]);
    // colours taken by the contacts of every tree, as bits
    const double words = s->ntree * (double)((2 * tl_isl_degree(s) + 63) / 64);
    return (size_t)(8.0 * (60.0 * nv + 123.0 * ld + 3.0 * blocks + 2.0 * s->jsize + words) + 64.0 * 200.0);
}

static talus_status carve_work(gather* g, tl_island* s)
{
    const size_t bytes = (work_bytes(s) + TL_ALIGN - 1) / TL_ALIGN * TL_ALIGN;
    tl_arena_init(&s->work, g->s->ctx);
    s->work.base = tl_arena_alloc(g->arena, bytes);
    if (!s->work.base)
        return TALUS_ERR_NOMEM;
    s->work.size = bytes;
    return TALUS_OK;
}

talus_status tl_islands_make(talus_solver* s, const talus_problem_view* p, tl_grouping grouping,
                             tl_islands* out)
{
    gather g = {.s = s, .p = p, .arena = &s->arena};
    TL_TRY(list_active(&g));
    int32_t n;
    TL_TRY(find_components(&g, grouping, &n));
    tl_island* isl = TL_ARENA(g.arena, tl_island, n);
    int32_t* local = TL_ARENA(g.arena, int32_t, p->ntree);
    entry* sorted = TL_ARENA(g.arena, entry, g.ne);
    int32_t* first = TL_ARENA(g.arena, int32_t, n + 1);
    if (!isl || !local || !sorted || !first)
        return TALUS_ERR_NOMEM;
    memset(isl, 0, sizeof(tl_island) * (size_t)n);
    for (int32_t i = 0; i < g.ne; i++)
        isl[g.label[g.e[i].a]].nc++;
    for (int32_t t = 0; t < p->ntree; t++)
        if (g.label[t] >= 0) {
            tl_island* x = isl + g.label[t];
            x->six = (x->ntree == 0 || x->six) && p->tree_nv[t] == 6;
            local[t] = x->ntree++;
            x->nv += p->tree_nv[t];
        }
    first[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        isl[i].opt = &s->opt;
        isl[i].ctx = s->ctx;
        isl[i].kernels = tl_context_kernels(s->ctx);
        isl[i].h = p->h;
        isl[i].linear = p->friction == TALUS_FRICTION_LINEAR;
        TL_TRY(allocate_island(&g, isl + i));
        first[i + 1] = first[i] + isl[i].nc;
        isl[i].ntree = isl[i].nc = 0;
    }
    for (int32_t i = 0; i < g.ne; i++) { // stable: contact order within an island
        const int32_t at = g.label[g.e[i].a];
        sorted[first[at] + isl[at].nc++] = g.e[i];
    }
    for (int32_t t = 0; t < p->ntree; t++) {
        if (g.label[t] < 0)
            continue;
        tl_island* x = isl + g.label[t];
        const int32_t i = x->ntree++;
        x->tree[i] = t;
        x->gdof[i] = (int32_t)g.gdof[t];
        x->dof[i + 1] = (i ? x->dof[i] : 0) + p->tree_nv[t];
        x->dof[0] = 0;
        x->M[i] = p->M + g.mptr[t];
    }
    for (int32_t i = 0; i < n; i++) {
        // an island with more than half of all contacts would keep one thread busy while the others wait
        isl[i].alone = 2 * (int64_t)isl[i].nc > g.ne;
        TL_TRY(place_trees(&g, isl + i));
        TL_TRY(place_contacts(&g, isl + i, local, sorted + first[i]));
    }
    fill f = {.g = &g, .island = isl, .n = n, .first = first, .sorted = sorted, .local = local};
    TL_TRY(fill_islands(&f));
    for (int32_t i = 0; i < n; i++) {
        isl[i].momentum = tl_isl_momentum(isl + i, isl[i].v);
        if (s->opt.coupling == TALUS_COUPLING_ONE_WAY)
            TL_TRY(freeze_normals(&g, isl + i));
        TL_TRY(carve_work(&g, isl + i));
    }
    *out = (tl_islands){.n = n, .island = isl, .gdof = g.gdof, .ncontacts = g.ne};
    return TALUS_OK;
}
