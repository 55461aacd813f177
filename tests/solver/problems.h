// SPDX-License-Identifier: MIT
// Contact problems for tests: recorded ones, and piles of spheres made here with an independent little
// simulator.
#pragma once

#include <talus/solver.h>
#include "test.h"

/// A problem view that owns its arrays.
typedef struct test_problem {
    talus_problem_view view;
    int32_t nv;
    double *M, *v0, *v_star, *J, *delta0, *k, *d, *mu, *f0;
    int32_t *tree_nv, *tree_a, *tree_b;
    int64_t* pair;
} test_problem;

static inline void* test_zeros(size_t n, size_t size)
{
    void* p = calloc(n ? n : 1, size);
    assert_non_null(p);
    return p;
}

static inline void test_problem_alloc(test_problem* t, int32_t ntree, const int32_t* tree_nv, int32_t nc)
{
    memset(t, 0, sizeof *t);
    int64_t nm = 0, widest = 0;
    t->tree_nv = test_zeros((size_t)ntree, sizeof(int32_t));
    for (int32_t i = 0; i < ntree; i++) {
        t->tree_nv[i] = tree_nv[i];
        t->nv += tree_nv[i];
        nm += (int64_t)tree_nv[i] * tree_nv[i];
        widest = TL_MAX(widest, tree_nv[i]);
    }
    t->M = test_zeros((size_t)nm, 8);
    t->v0 = test_zeros((size_t)t->nv, 8);
    t->v_star = test_zeros((size_t)t->nv, 8);
    t->J = test_zeros((size_t)(nc * 6 * widest), 8);
    t->delta0 = test_zeros((size_t)nc, 8);
    t->k = test_zeros((size_t)nc, 8);
    t->d = test_zeros((size_t)nc, 8);
    t->mu = test_zeros((size_t)nc, 8);
    t->f0 = test_zeros(3 * (size_t)nc, 8);
    t->tree_a = test_zeros((size_t)nc, sizeof(int32_t));
    t->tree_b = test_zeros((size_t)nc, sizeof(int32_t));
    t->pair = test_zeros((size_t)nc, sizeof(int64_t));
    t->view = talus_problem_default();
    t->view.ntree = ntree;
    t->view.nc = nc;
    t->view.tree_nv = t->tree_nv;
    t->view.M = t->M;
    t->view.v0 = t->v0;
    t->view.v_star = t->v_star;
    t->view.J = t->J;
    t->view.delta0 = t->delta0;
    t->view.k = t->k;
    t->view.d = t->d;
    t->view.mu = t->mu;
    t->view.tree_a = t->tree_a;
    t->view.tree_b = t->tree_b;
    t->view.pair = t->pair;
}

static inline void test_problem_free(test_problem* t)
{
    void* all[] = {t->M,  t->v0, t->v_star,  t->J,      t->delta0, t->k,   t->d,
                   t->mu, t->f0, t->tree_nv, t->tree_a, t->tree_b, t->pair};
    for (int32_t i = 0; i < TL_COUNT(all); i++)
        free(all[i]);
}

/// A recorded problem: int64 nv, nc; double h; column-major M (nv x nv), Jn (nc x nv), Jt (2 nc x nv), v0,
/// tau, fn0, k, d, mu. Trees are the diagonal blocks of M, or 6 dofs each where M is diagonal. false: the
/// file is not there.
static inline bool test_problem_recorded(const char* path, test_problem* t)
{
    FILE* f = fopen(path, "rb");
    if (!f)
        return false;
    int64_t n[2];
    double h;
    assert_int_equal(fread(n, 8, 2, f), 2);
    assert_int_equal(fread(&h, 8, 1, f), 1);
    const int64_t nv = n[0], nc = n[1], total = nv * nv + 3 * nc * nv + 2 * nv + 4 * nc;
    double* x = test_zeros((size_t)total, 8);
    assert_int_equal(fread(x, 8, (size_t)total, f), total);
    fclose(f);
    const double *M = x, *Jn = M + nv * nv, *Jt = Jn + nc * nv, *v0 = Jt + 2 * nc * nv, *tau = v0 + nv;
    const double *fn0 = tau + nv, *k = fn0 + nc, *d = k + nc, *mu = d + nc;
    // components of M's pattern; blocks are contiguous up to their first and last member
    int32_t* label = test_zeros((size_t)nv, 4);
    bool diagonal = true;
    for (int64_t i = 0; i < nv; i++)
        label[i] = (int32_t)i;
    for (int64_t i = 0; i < nv; i++)
        for (int64_t j = 0; j < i; j++)
            if (M[j * nv + i] != 0.0 && label[i] != label[j]) {
                diagonal = false;
                const int32_t lo = TL_MIN(label[i], label[j]), hi = TL_MAX(label[i], label[j]);
                for (int64_t q = 0; q < nv; q++)
                    label[q] = label[q] == hi ? lo : label[q];
            }
    // number the trees; dof q of tree t is member[start[t] + ...]
    int32_t *tree = test_zeros((size_t)nv, 4), *size = test_zeros((size_t)nv, 4),
            *within = test_zeros((size_t)nv, 4);
    int32_t nt = 0;
    for (int64_t i = 0; i < nv; i++) {
        const int64_t root = diagonal ? i / 6 * 6 : label[i];
        tree[i] = root == i ? nt++ : tree[root];
        within[i] = size[tree[i]]++;
    }
    test_problem_alloc(t, nt, size, (int32_t)nc);
    int64_t *mptr = test_zeros((size_t)nt + 1, 8), *dptr = test_zeros((size_t)nt + 1, 8);
    for (int32_t i = 0; i < nt; i++) {
        mptr[i + 1] = mptr[i] + (int64_t)size[i] * size[i];
        dptr[i + 1] = dptr[i] + size[i];
    }
    for (int64_t i = 0; i < nv; i++) {
        t->v0[dptr[tree[i]] + within[i]] = v0[i];
        for (int64_t j = 0; j < nv; j++)
            if (tree[i] == tree[j])
                t->M[mptr[tree[i]] + within[i] * size[tree[i]] + within[j]] = M[j * nv + i];
    }
    // v* = v0 + h M^-1 tau by Gauss elimination without pivoting on the (SPD) blocks
    for (int32_t b = 0; b < nt; b++) {
        const int32_t m = size[b];
        double A[32 * 33];
        assert_true(m <= 32);
        for (int32_t i = 0; i < m; i++) {
            for (int32_t j = 0; j < m; j++)
                A[i * 33 + j] = t->M[mptr[b] + i * m + j];
            for (int64_t q = 0; q < nv; q++)
                if (tree[q] == b && within[q] == i)
                    A[i * 33 + 32] = h * tau[q];
        }
        for (int32_t p = 0; p < m; p++)
            for (int32_t i = 0; i < m; i++) {
                if (i == p)
                    continue;
                const double l = A[i * 33 + p] / A[p * 33 + p];
                for (int32_t j = p; j < m; j++)
                    A[i * 33 + j] -= l * A[p * 33 + j];
                A[i * 33 + 32] -= l * A[p * 33 + 32];
            }
        for (int32_t i = 0; i < m; i++)
            t->v_star[dptr[b] + i] = t->v0[dptr[b] + i] + A[i * 33 + 32] / A[i * 33 + i];
    }
    double* J = t->J;
    for (int64_t c = 0; c < nc; c++) {
        int32_t a = -1, b = -1;
        for (int64_t q = 0; q < nv; q++)
            if (Jn[q * nc + c] != 0.0 || Jt[q * 2 * nc + 2 * c] != 0.0 || Jt[q * 2 * nc + 2 * c + 1] != 0.0) {
                if (a < 0 || a == tree[q])
                    a = tree[q];
                else
                    b = tree[q];
            }
        t->tree_a[c] = a;
        t->tree_b[c] = b;
        t->pair[c] = (int64_t)a * nt + b;
        for (int32_t side = 0; side < (b < 0 ? 1 : 2); side++) {
            const int32_t at = side ? b : a;
            for (int64_t q = 0; q < nv; q++)
                if (tree[q] == at) {
                    J[0 * size[at] + within[q]] = Jt[q * 2 * nc + 2 * c];
                    J[1 * size[at] + within[q]] = Jt[q * 2 * nc + 2 * c + 1];
                    J[2 * size[at] + within[q]] = Jn[q * nc + c];
                }
            J += 3 * size[at];
        }
        t->delta0[c] = fn0[c] / k[c];
        t->k[c] = k[c];
        t->d[c] = d[c];
        t->mu[c] = mu[c];
    }
    t->view.h = h;
    t->view.v_s = 1e-3;
    free(x);
    free(label);
    free(tree);
    free(size);
    free(within);
    free(mptr);
    free(dptr);
    return true;
}
