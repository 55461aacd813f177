// SPDX-License-Identifier: MIT
// Body pairs with many contacts (theory: src/README.md#lifting, step 3): all contacts of a pair see one
// relative twist of rank r <= 6, so linearize them at nu, solve the r x r problem
//
//     (1 + h sum S^T G S) V = V_u + h sum S^T (f + G nu),   V_u = J_pair v - h sum S^T fl
//
// and update nu = local(S V, f + G (nu - S V)); a few rounds. The basis of the twist makes J_pair M^-1
// J_pair^T = 1; it comes from pivoted Gram-Schmidt on the contact rows in the M^-1 inner product, which also
// reveals the rank.
#include "island.h"

#include <math.h>

#define RANK_TOL 1e-10 // relative size of a row below which the twist has no further direction

// rows R (m x nd) and RM = R M^-1 are consumed; V (6 x nd) and VM = V M^-1 come out. @return rank
static int32_t orthonormal_rows(double* R, double* RM, int32_t m, int32_t nd, double* V, double* VM)
{
    double first = 0.0;
    int32_t rank = 0;
    for (; rank < 6; rank++) {
        double best = 0.0;
        int32_t at = -1;
        for (int32_t i = 0; i < m; i++) {
            const double x = tl_dot(R + (int64_t)i * nd, RM + (int64_t)i * nd, nd);
            if (x > best) {
                best = x;
                at = i;
            }
        }
        if (rank == 0)
            first = best;
        if (at < 0 || best <= RANK_TOL * RANK_TOL * first)
            break;
        double *v = V + rank * nd, *vm = VM + rank * nd;
        const double scale = 1.0 / sqrt(best);
        for (int32_t c = 0; c < nd; c++) {
            v[c] = scale * R[(int64_t)at * nd + c];
            vm[c] = scale * RM[(int64_t)at * nd + c];
        }
        for (int32_t i = 0; i < m; i++) {
            double *r = R + (int64_t)i * nd, *rm = RM + (int64_t)i * nd;
            const double x = tl_dot(r, vm, nd);
            for (int32_t c = 0; c < nd; c++) {
                r[c] -= x * v[c];
                rm[c] -= x * vm[c];
            }
        }
    }
    return rank;
}

static talus_status make_patch(tl_island* s, const int32_t* members, int32_t m, tl_patch* out)
{
    const int32_t a = s->ta[members[0]], b = s->tb[members[0]];
    const int32_t nd = s->dof[a + 1] - s->dof[a] + (b < 0 ? 0 : s->dof[b + 1] - s->dof[b]);
    const int32_t padded = TL_PADDED(m);
    int32_t* idx = TL_ARENA(&s->work, int32_t, padded);
    double* S = TL_ARENA(&s->work, double, 18 * (int64_t)m);
    double* V = TL_ARENA(&s->work, double, 12 * (int64_t)nd);
    if (!idx || !S || !V)
        return TALUS_ERR_NOMEM;
    memcpy(idx, members, sizeof(int32_t) * (size_t)m);
    for (int32_t i = m; i < padded; i++)
        idx[i] = -1;
    if (tl_batch_make(s, idx, padded, &out->batch) < 0)
        return TALUS_ERR_NOMEM;
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    double* R = TL_ARENA(&s->work, double, 6 * (int64_t)m * nd);
    if (!R)
        return TALUS_ERR_NOMEM;
    double *RM = R + 3 * (int64_t)m * nd, *VM = V + 6 * (int64_t)nd;
    for (int32_t i = 0; i < m; i++) {
        memcpy(R + 3 * (int64_t)i * nd, s->J + s->joff[members[i]], sizeof(double) * 3 * (size_t)nd);
        for (int32_t c = 0; c < 3 * nd; c++)
            RM[3 * (int64_t)i * nd + c] = s->B[s->joff[members[i]] + c] / s->h;
    }
    const int32_t rank = orthonormal_rows(R, RM, 3 * m, nd, V, VM);
    tl_arena_release(&s->work, mark);
    for (int32_t i = 0; i < m; i++)
        for (int32_t r = 0; r < 3; r++)
            for (int32_t q = 0; q < rank; q++)
                S[(3 * (int64_t)i + r) * rank + q] =
                    tl_dot(s->J + s->joff[members[i]] + r * nd, VM + q * nd, nd);
    out->rank = rank;
    out->nd = nd;
    out->S = S;
    out->Jp = V;
    return TALUS_OK;
}

typedef struct pair_entry {
    int64_t pair;
    int32_t a, b, contact;
} pair_entry;

static int compare_entries(const void* x, const void* y)
{
    const pair_entry *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    if (p->pair != q->pair)
        return p->pair < q->pair ? -1 : 1;
    return p->contact < q->contact ? -1 : 1;
}

// whether some pair of trees has enough contacts; most islands have none, and a count is cheaper than a sort
static talus_status find_large_pair(tl_island* s, bool* found)
{
    const tl_arena_mark mark = tl_arena_get_mark(&s->work);
    int32_t* count = TL_ARENA(&s->work, int32_t, s->ntree + 1);
    if (!count)
        return TALUS_ERR_NOMEM;
    memset(count, 0, sizeof(int32_t) * (size_t)(s->ntree + 1));
    *found = false;
    for (int32_t t = 0; t < s->ntree && !*found; t++) {
        const int32_t begin = s->side_start[t], end = s->side_start[t + 1];
        if (end - begin < s->opt->patch_min)
            continue;
        for (int32_t e = begin; e < end; e++) // side 0 alone: every contact is one tree's
            if (!(s->side[e] & 1))
                *found |= ++count[1 + s->tb[s->side[e] >> 1]] >= s->opt->patch_min;
        for (int32_t e = begin; e < end; e++)
            if (!(s->side[e] & 1))
                count[1 + s->tb[s->side[e] >> 1]] = 0;
    }
    tl_arena_release(&s->work, mark);
    return TALUS_OK;
}

talus_status tl_isl_patches(tl_island* s, tl_patch** out, int32_t* n)
{
    bool large;
    *out = NULL;
    *n = 0;
    if (s->nc < s->opt->patch_min || s->opt->patch_rounds == 0)
        return TALUS_OK;
    TL_TRY(find_large_pair(s, &large));
    if (!large)
        return TALUS_OK;
    pair_entry* e = TL_ARENA(&s->work, pair_entry, 2 * (int64_t)s->nc); // and scratch of the sort
    int32_t* members = TL_ARENA(&s->work, int32_t, s->nc);
    if (!e || !members)
        return TALUS_ERR_NOMEM;
    for (int32_t i = 0; i < s->nc; i++)
        e[i] = (pair_entry){.pair = s->pair[i], .a = s->ta[i], .b = s->tb[i], .contact = i};
    tl_sort(e, s->nc, sizeof *e, compare_entries, e + s->nc);
    int32_t count = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        int32_t k = 0;
        for (int32_t i = 0, j; i < s->nc; i = j) {
            for (j = i; j < s->nc && e[j].pair == e[i].pair && e[j].a == e[i].a && e[j].b == e[i].b; j++)
                members[j] = e[j].contact;
            if (e[i].pair < 0 || j - i < s->opt->patch_min)
                continue;
            if (pass && make_patch(s, members + i, j - i, *out + k) < 0)
                return TALUS_ERR_NOMEM;
            k++;
        }
        count = k;
        if (pass == 0 && count) {
            *out = TL_ARENA(&s->work, tl_patch, count);
            if (!*out)
                return TALUS_ERR_NOMEM;
        }
        if (!count)
            break;
    }
    *n = count;
    return TALUS_OK;
}

// V out: solution of the r x r problem
static bool solve_twist(const tl_island* s, const tl_patch* p, const double* nu, const double* f,
                        const double* G, const double* Vu, double* V)
{
    const int32_t r = p->rank, n = p->batch.n;
    double A[36], rhs[6];
    for (int32_t i = 0; i < r; i++) {
        rhs[i] = Vu[i];
        for (int32_t j = 0; j < r; j++)
            A[j * r + i] = i == j;
    }
    for (int32_t c = 0; c < n && p->batch.idx[c] >= 0; c++) {
        const double* S = p->S + 3 * (int64_t)c * r;
        const double xx = G[TL_G_XX * n + c], xy = G[TL_G_XY * n + c], yy = G[TL_G_YY * n + c],
                     xn = G[TL_G_XN * n + c], yn = G[TL_G_YN * n + c], nn = G[TL_G_NN * n + c];
        const double u0 = nu[c], u1 = nu[n + c], u2 = nu[2 * n + c];
        const double g0 = f[c] + xx * u0 + xy * u1 + xn * u2, g1 = f[n + c] + xy * u0 + yy * u1 + yn * u2,
                     g2 = f[2 * n + c] + nn * u2;
        for (int32_t j = 0; j < r; j++) {
            const double s0 = S[j], s1 = S[r + j], s2 = S[2 * r + j];
            const double t0 = s->h * (xx * s0 + xy * s1 + xn * s2), t1 = s->h * (xy * s0 + yy * s1 + yn * s2),
                         t2 = s->h * nn * s2;
            for (int32_t i = 0; i < r; i++)
                A[j * r + i] += S[i] * t0 + S[r + i] * t1 + S[2 * r + i] * t2;
            rhs[j] += s->h * (s0 * g0 + s1 * g1 + s2 * g2);
        }
    }
    int32_t piv[6];
    if (!tl_dense_lu(A, r, r, piv))
        return false;
    tl_dense_lu_solve(A, r, r, piv, rhs, 1, r);
    memcpy(V, rhs, sizeof(double) * (size_t)r);
    return true;
}

// w = S V and flin = f + G (nu - w), the linearized force at w
static void linearized_at(const tl_patch* p, const double* V, const double* nu, const double* f,
                          const double* G, double* w, double* flin)
{
    const int32_t r = p->rank, n = p->batch.n;
    memset(w, 0, sizeof(double) * 3 * (size_t)n);
    for (int32_t c = 0; c < n && p->batch.idx[c] >= 0; c++)
        for (int32_t i = 0; i < 3; i++)
            w[i * n + c] = tl_dot(p->S + (3 * (int64_t)c + i) * r, V, r);
    for (int32_t c = 0; c < n; c++) {
        const double u0 = nu[c] - w[c], u1 = nu[n + c] - w[n + c], u2 = nu[2 * n + c] - w[2 * n + c];
        flin[c] = f[c] + G[TL_G_XX * n + c] * u0 + G[TL_G_XY * n + c] * u1 + G[TL_G_XN * n + c] * u2;
        flin[n + c] = f[n + c] + G[TL_G_XY * n + c] * u0 + G[TL_G_YY * n + c] * u1 + G[TL_G_YN * n + c] * u2;
        flin[2 * n + c] = f[2 * n + c] + G[TL_G_NN * n + c] * u2;
    }
}

static void patch_rounds(tl_island* s, const tl_patch* p, const double* v, const double* fl, double* nu,
                         double* x)
{
    const int32_t n = p->batch.n, r = p->rank;
    double *u = x, *f = x + 3 * n, *G = x + 6 * n, *w = x + 12 * n, *flin = x + 15 * n, *next = x + 18 * n;
    double Vu[6], V[6];
    const int32_t a = s->ta[p->batch.idx[0]], b = s->tb[p->batch.idx[0]];
    const int32_t na = s->dof[a + 1] - s->dof[a];
    for (int32_t q = 0; q < r; q++) {
        const double* row = p->Jp + q * p->nd;
        Vu[q] = tl_dot(row, v + s->dof[a], na) + (b < 0 ? 0.0 : tl_dot(row + na, v + s->dof[b], p->nd - na));
    }
    for (int32_t c = 0; c < n && p->batch.idx[c] >= 0; c++)
        for (int32_t i = 0; i < 3; i++)
            for (int32_t q = 0; q < r; q++)
                Vu[q] -= s->h * p->S[(3 * (int64_t)c + i) * r + q] * fl[(int64_t)i * s->ld + p->batch.idx[c]];
    tl_batch_gather(&p->batch, nu, s->ld, u);
    for (int32_t round = 0; round < s->opt->patch_rounds; round++) {
        tl_batch_force(s, &p->batch, u, f, G);
        if (!solve_twist(s, p, u, f, G, Vu, V))
            break;
        linearized_at(p, V, u, f, G, w, flin);
        tl_batch_local(s, &p->batch, w, flin, next, NULL);
        memcpy(u, next, sizeof(double) * 3 * (size_t)n);
    }
    tl_batch_scatter(&p->batch, u, nu, s->ld);
}

void tl_isl_pair_rounds(tl_island* s, const tl_patch* patches, int32_t n, const double* v, const double* fl,
                        double* nu)
{
    for (int32_t i = 0; i < n; i++) {
        if (patches[i].rank == 0)
            continue;
        const tl_arena_mark mark = tl_arena_get_mark(&s->work);
        double* x = TL_ARENA(&s->work, double, 21 * (int64_t)patches[i].batch.n);
        if (x)
            patch_rounds(s, patches + i, v, fl, nu, x);
        else
            s->failed_memory = true;
        tl_arena_release(&s->work, mark);
    }
}
