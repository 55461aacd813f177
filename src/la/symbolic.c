// SPDX-License-Identifier: MIT
// Symbolic analysis, first half: from an elimination order of the nodes to a tree of supernodes.
//
//   1. elimination tree of the permuted graph (Liu 1986), postordered                       parent
//   2. rows of every column by row subtrees: row i fills the paths from its neighbours
//      up to i; the cost is one step for every block of L                                   count
//   3. supernodes: chains of columns with the same rows below (no fill)
//   4. merging: a child joins its parent where the model of the time drops:
//      cost(k, m) = 100 ns + 0.3 ns n^2 + 0.2 ns k n + flops / 80 GF/s, n = k + m, fitted to piles of 100 to
//      1000 nodes with AVX-512: a step for the front, additions to it, its panel zeroed and filled
//   5. children in Liu's order, largest (peak - contribution) first: least contribution stack
//   6. final postorder: new positions of nodes and rows
//
// All work is on nodes (trees of bodies), not on scalar rows: a few times cheaper, and blocks stay together.
//
// New labels: "column" c = 0 .. n-1 is the postordered position of a node in steps 1 to 4.
#include "own.h"

typedef struct tree {
    int32_t n;          // columns
    int32_t* node;      // column -> node
    int32_t* column;    // node -> column
    int32_t* parent;    // column -> column, -1: root
    int32_t* count;     // rows of the column of L, its own included
    int32_t* below;     // nodes below the diagonal of the column; of a supernode's last one from step 3 on
    int32_t* super_of;  // column -> supernode of steps 3 and 4
    int32_t ns;         // supernodes of step 3
    int32_t *k, *m;     // rows of each
    int32_t* up;        // parent supernode, -1: root
    int32_t* head;      // first child
    int32_t* next;      // next child of the same parent
    int32_t* merged;    // supernode it was merged into, -1: it lives
    int64_t *peak, *cb; // Liu's order
} tree;

static double seconds_of(int32_t k, int32_t m)
{
    const double kd = k, md = m, n = kd + md;
    const double flops = kd * kd * kd / 3.0 + kd * kd * md + kd * md * md;
    return 100e-9 + 0.3e-9 * n * n + 0.2e-9 * kd * n + flops / 80e9;
}

static talus_status allocate(tl_factor* f, const tl_graph* g, tree* t)
{
    const int64_t n = g->n;
    int32_t* w = TL_ARENA(&f->scratch, int32_t, 12 * n);
    int64_t* w64 = TL_ARENA(&f->scratch, int64_t, 2 * n);
    if (!w || !w64)
        return tl_nomem(f->ctx, sizeof(int32_t) * 12 * (size_t)n);
    int32_t** const fields[] = {&t->node, &t->column, &t->parent, &t->count, &t->below, &t->super_of,
                                &t->k,    &t->m,      &t->up,     &t->head,  &t->next,  &t->merged};
    for (int32_t i = 0; i < TL_COUNT(fields); i++)
        *fields[i] = w + i * n;
    t->peak = w64;
    t->cb = w64 + n;
    t->n = g->n;
    return TALUS_OK;
}

// ---- 1. elimination tree
// ---------------------------------------------------------------------------------------

static void number_columns(tree* t, const int32_t* node)
{
    memmove(t->node, node, sizeof(int32_t) * (size_t)t->n);
    for (int32_t c = 0; c < t->n; c++)
        t->column[t->node[c]] = c;
}

// ancestor: (n) scratch, paths compressed
static void elimination_tree(const tl_graph* g, tree* t, int32_t* ancestor)
{
    for (int32_t c = 0; c < t->n; c++) {
        const int32_t node = t->node[c];
        t->parent[c] = ancestor[c] = -1;
        for (int32_t a = g->ptr[node]; a < g->ptr[node + 1]; a++) {
            int32_t i = t->column[g->adj[a]];
            while (i >= 0 && i < c) {
                const int32_t up = ancestor[i];
                ancestor[i] = c;
                if (up < 0)
                    t->parent[i] = c;
                i = up;
            }
        }
    }
}

// postorder of a forest given by parents; head, next: (n) scratch, order[position] = column
static void postorder(int32_t n, const int32_t* parent, int32_t* head, int32_t* next, int32_t* stack,
                      int32_t* order)
{
    for (int32_t i = 0; i < n; i++)
        head[i] = -1;
    for (int32_t i = n - 1; i >= 0; i--) {
        if (parent[i] >= 0) {
            next[i] = head[parent[i]];
            head[parent[i]] = i;
        }
    }
    int32_t at = 0;
    for (int32_t root = 0; root < n; root++) {
        if (parent[root] >= 0)
            continue;
        int32_t top = 0;
        stack[top++] = root;
        while (top > 0) {
            const int32_t i = stack[top - 1], child = head[i];
            if (child >= 0) {
                head[i] = next[child];
                stack[top++] = child;
            } else {
                order[at++] = i;
                top--;
            }
        }
    }
}

static void relabel_by_postorder(tree* t)
{
    // k, m, head, next, super_of serve as scratch before their own step
    int32_t *order = t->k, *inverse = t->m, *node = t->up;
    postorder(t->n, t->parent, t->head, t->next, t->super_of, order);
    for (int32_t c = 0; c < t->n; c++) {
        inverse[order[c]] = c;
        node[c] = t->node[order[c]];
    }
    number_columns(t, node);
    for (int32_t c = 0; c < t->n; c++) {
        const int32_t up = t->parent[order[c]];
        t->count[c] = up >= 0 ? inverse[up] : -1;
    }
    memcpy(t->parent, t->count, sizeof(int32_t) * (size_t)t->n);
}

// ---- 2. rows of every column
// -----------------------------------------------------------------------------------

static void count_rows(const tl_graph* g, tree* t, int32_t* mark)
{
    for (int32_t c = 0; c < t->n; c++) {
        const int32_t node = t->node[c];
        t->count[c] = g->size[node];
        t->below[c] = 0;
        mark[c] = c;
        for (int32_t a = g->ptr[node]; a < g->ptr[node + 1]; a++) {
            const int32_t i = t->column[g->adj[a]];
            for (int32_t j = i; j < c && mark[j] != c; j = t->parent[j]) {
                mark[j] = c;
                t->count[j] += g->size[node];
                t->below[j]++;
            }
        }
    }
}

// ---- 3, 4. supernodes
// ------------------------------------------------------------------------------------------

static void find_supernodes(const tl_graph* g, tree* t)
{
    t->ns = 0;
    for (int32_t c = 0; c < t->n; c++) {
        const int32_t size = g->size[t->node[c]];
        const bool joins =
            c > 0 && t->parent[c - 1] == c && t->count[c - 1] - g->size[t->node[c - 1]] == t->count[c];
        if (!joins) {
            t->k[t->ns] = 0;
            t->m[t->ns] = t->count[c];
            t->ns++;
        }
        const int32_t s = t->super_of[c] = t->ns - 1;
        t->k[s] += size;
        t->m[s] -= size;
        t->below[s] = t->below[c]; // s <= c: what it overwrites is not needed any more
        t->up[s] = c;              // last column so far
    }
    for (int32_t s = 0; s < t->ns; s++) {
        const int32_t up = t->parent[t->up[s]];
        t->up[s] = up >= 0 ? t->super_of[up] : -1;
        t->head[s] = t->merged[s] = -1;
    }
    // children come before their parents, so lists are complete when a parent is reached
    for (int32_t s = t->ns - 1; s >= 0; s--) {
        if (t->up[s] >= 0) {
            t->next[s] = t->head[t->up[s]];
            t->head[t->up[s]] = s;
        }
    }
}

static void merge_supernodes(tree* t)
{
    for (int32_t s = 0; s < t->ns; s++) {
        int32_t* link = &t->head[s];
        while (*link >= 0) {
            const int32_t c = *link;
            const double apart = seconds_of(t->k[c], t->m[c]) + seconds_of(t->k[s], t->m[s]);
            if (seconds_of(t->k[s] + t->k[c], t->m[s]) >= apart) {
                link = &t->next[c];
                continue;
            }
            // the children of c take its place in the list
            t->merged[c] = s;
            t->k[s] += t->k[c];
            int32_t* end = &t->head[c];
            while (*end >= 0) {
                t->up[*end] = s;
                end = &t->next[*end];
            }
            *end = t->next[c];
            *link = t->head[c];
        }
    }
}

// ---- 5. Liu's child order
// --------------------------------------------------------------------------------------

static bool goes_before(const tree* t, int32_t a, int32_t b)
{
    const int64_t ka = t->peak[a] - t->cb[a], kb = t->peak[b] - t->cb[b];
    return ka != kb ? ka > kb : a < b;
}

// shell sort: no memory, and ties are broken by index, so the result is unique
static void sort_children(const tree* t, int32_t* list, int32_t n)
{
    for (int32_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (int32_t i = gap; i < n; i++) {
            const int32_t x = list[i];
            int32_t j = i;
            for (; j >= gap && goes_before(t, x, list[j - gap]); j -= gap)
                list[j] = list[j - gap];
            list[j] = x;
        }
    }
}

static void order_children(tree* t, int32_t* list)
{
    for (int32_t s = 0; s < t->ns; s++) {
        if (t->merged[s] >= 0)
            continue;
        int32_t n = 0;
        for (int32_t c = t->head[s]; c >= 0; c = t->next[c])
            list[n++] = c;
        sort_children(t, list, n);
        const int64_t mp = TL_PADDED(t->m[s]);
        int64_t below = 0, peak = 0;
        for (int32_t i = 0; i < n; i++) {
            peak = TL_MAX(peak, below + t->peak[list[i]]);
            below += t->cb[list[i]];
            t->next[list[i]] = i + 1 < n ? list[i + 1] : -1;
        }
        t->head[s] = n > 0 ? list[0] : -1;
        t->cb[s] = mp * mp;
        t->peak[s] = TL_MAX(peak, below + t->cb[s]);
    }
}

// ---- 6. final numbering
// ----------------------------------------------------------------------------------------

// positions of the living supernodes in a postorder that keeps the child order: order[position] = s
static int32_t final_postorder(const tree* t, int32_t* stack, int32_t* head, int32_t* order)
{
    int32_t at = 0;
    memcpy(head, t->head, sizeof(int32_t) * (size_t)t->ns);
    for (int32_t root = 0; root < t->ns; root++) {
        if (t->merged[root] >= 0 || t->up[root] >= 0)
            continue;
        int32_t top = 0;
        stack[top++] = root;
        while (top > 0) {
            const int32_t s = stack[top - 1], child = head[s];
            if (child >= 0) {
                head[s] = t->next[child];
                stack[top++] = child;
            } else {
                order[at++] = s;
                top--;
            }
        }
    }
    return at;
}

static talus_status make_supernodes(tl_factor* f, const tl_graph* g, tree* t, int32_t* head)
{
    tl_symbolic* y = &f->sym;
    // three columns of the tree are free by now
    int32_t *order = t->parent, *position = t->count, *stack = t->column;
    y->nsuper = final_postorder(t, stack, head, order);
    y->super = TL_ARENA(&f->keep, tl_super, y->nsuper);
    y->perm = TL_ARENA(&f->keep, int32_t, t->n);
    y->row_of = TL_ARENA(&f->keep, int32_t, y->nrow);
    if (!y->super || !y->perm || !y->row_of)
        return tl_nomem(f->ctx, sizeof(tl_super) * (size_t)y->nsuper);
    for (int32_t p = 0; p < y->nsuper; p++)
        position[order[p]] = p;
    int32_t first = 0;
    for (int32_t p = 0; p < y->nsuper; p++) {
        const int32_t s = order[p];
        y->super[p] = (tl_super){.first = first,
                                 .k = t->k[s],
                                 .m = t->m[s],
                                 .kp = TL_PADDED(t->k[s]),
                                 .mp = TL_PADDED(t->m[s]),
                                 .below = t->below[s],
                                 .parent = t->up[s] >= 0 ? position[t->up[s]] : -1,
                                 .child = t->head[s] >= 0 ? position[t->head[s]] : -1,
                                 .sibling = t->up[s] >= 0 && t->next[s] >= 0 ? position[t->next[s]] : -1};
        first += t->k[s];
    }
    // columns of one supernode keep their order: a merged child's come before its parent's
    int32_t* fill = stack;
    for (int32_t p = 0; p < y->nsuper; p++)
        fill[p] = 0;
    for (int32_t c = 0; c < t->n; c++) {
        int32_t s = t->super_of[c];
        while (t->merged[s] >= 0)
            s = t->merged[s];
        t->super_of[c] = position[s];
        fill[position[s]]++;
    }
    for (int32_t p = 0, sum = 0; p < y->nsuper; p++) {
        const int32_t n = fill[p];
        fill[p] = sum;
        sum += n;
    }
    for (int32_t c = 0; c < t->n; c++)
        y->perm[fill[t->super_of[c]]++] = t->node[c];
    for (int32_t i = 0, row = 0; i < t->n; i++)
        for (int32_t r = 0; r < g->size[y->perm[i]]; r++)
            y->row_of[row++] = f->pattern.row[y->perm[i]] + r;
    return TALUS_OK;
}

talus_status tl_symbolic_supernodes(tl_factor* f, const tl_graph* g)
{
    tree t = {.n = 0};
    TL_TRY(allocate(f, g, &t));
    int32_t* order = TL_ARENA(&f->scratch, int32_t, g->n);
    if (!order)
        return tl_nomem(f->ctx, sizeof(int32_t) * (size_t)g->n);
    TL_TRY(tl_order_graph(f->ctx, &f->scratch, g, f->order, order));
    number_columns(&t, order);
    elimination_tree(g, &t, t.k);
    relabel_by_postorder(&t);
    count_rows(g, &t, t.super_of);
    find_supernodes(g, &t);
    merge_supernodes(&t);
    order_children(&t, order);
    return make_supernodes(f, g, &t, order);
}
