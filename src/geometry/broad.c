// SPDX-License-Identifier: MIT
// Broad phase: one bounding-volume tree over all bounded shapes, in one array, children after their parent.
//
//   node i: box, and either children (left = i + 1, right) or a run of order[] (a leaf of at most LEAF
//   shapes)
//
// An update refits the boxes on the paths from moved shapes to the root and asks the tree once per moved
// shape, so shapes that stay cost nothing and the cost is near-linear in those that move. Sweep-and-prune was
// not taken because a pile is dense along every axis; a grid was not because sizes may differ a lot. The tree
// is rebuilt (binned surface-area heuristic) once the extra nodes visited since it was built outweigh a
// rebuild: a count of work, not a time, so runs repeat exactly. Shapes with an unbounded box are kept in a
// list and compared with every moved shape. The result is sorted and so does not depend on the tree.
//
// The tree holds boxes with a margin, and the pairs it finds are kept: while every shape that moves stays inside its
// wide box, an update only compares the boxes of these pairs. Where shapes leave at once there is no margin.
#include "geometry.h"

#include <math.h>

#define LEAF 8
#define DEPTH 64        // of the tree at most: binned splits, then halves of at most 2^31 shapes
#define BINNED_DEPTH 32 // deeper nodes are cut in halves
#define BINS 16
#define MARGIN 0.0625 // of a box's longest edge
#define LASTING 3     // updates that kept pairs must serve to be worth a margin
#define NARROW 16     // updates without a margin after that
#define DUAL 16       // moved shapes from which the tree meets itself instead of being asked for each

typedef struct node {
    double lo[3], hi[3];
    int32_t parent;
    int32_t right;  // inner node: second child; the first is the next node
    int32_t begin;  // leaf: run of order[]
    uint16_t count; // leaf: > 0
    uint16_t moves; // a shape below it moves
} node;

typedef struct filter {
    bool (*may_collide)(const void* user, int32_t a, int32_t b);
    const void* user;
} filter;

struct tl_broad {
    talus_context* ctx;
    int32_t n;
    double *lo, *hi;           // (n x 3) boxes
    double *wide_lo, *wide_hi; // (n x 3) with margins
    int32_t* order;            // bounded shapes, leaf by leaf
    int32_t* leaf;             // (n) the shape's leaf, -1: unbounded
    int32_t *moved, *last;     // shapes that move in this update and in the one before
    int32_t* unbounded;
    uint8_t* flag; // (n) moves
    node* nodes;
    uint64_t* stale; // a bit a node: a shape below it has moved, while refitting
    double* key;     // centres along the split axis while building
    int32_t nbounded, nunbounded, nnode, nmoved;
    double* box; // (6 n) boxes of order[], in its order
    bool is_built, is_dual, was_dual, is_kept;
    int64_t baseline, excess;        // nodes visited per moved shape after the build (x 16), surplus since
    tl_pair *near, *scratch, *pairs; // of wide boxes; while sorting; of boxes, the result
    int64_t nnear, near_cap, scratch_cap, npairs, pairs_cap;
    filter kept;            // that the near pairs passed
    int32_t served, narrow; // updates since the near pairs were found; left without a margin
};

// fmin and fmax are calls, for the sake of NaN
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

talus_status tl_broad_create(talus_context* ctx, int32_t n, tl_broad** out)
{
    tl_broad* b = tl_calloc(ctx, sizeof *b);
    if (!b)
        return tl_nomem(ctx, sizeof *b);
    const size_t count = (size_t)(n > 0 ? n : 1);
    b->ctx = ctx;
    b->n = n;
    b->lo = tl_alloc(ctx, 3 * count * sizeof *b->lo);
    b->hi = tl_alloc(ctx, 3 * count * sizeof *b->hi);
    b->wide_lo = tl_alloc(ctx, 3 * count * sizeof *b->wide_lo);
    b->wide_hi = tl_alloc(ctx, 3 * count * sizeof *b->wide_hi);
    b->order = tl_alloc(ctx, count * sizeof *b->order);
    b->leaf = tl_alloc(ctx, count * sizeof *b->leaf);
    b->moved = tl_alloc(ctx, count * sizeof *b->moved);
    b->last = tl_alloc(ctx, count * sizeof *b->last);
    b->unbounded = tl_alloc(ctx, count * sizeof *b->unbounded);
    b->flag = tl_calloc(ctx, count);
    b->nodes = tl_alloc(ctx, 2 * count * sizeof *b->nodes);
    b->stale = tl_calloc(ctx, (2 * count / 64 + 1) * sizeof *b->stale);
    b->key = tl_alloc(ctx, count * sizeof *b->key);
    b->box = tl_alloc(ctx, 6 * count * sizeof *b->box);
    if (!b->lo || !b->hi || !b->wide_lo || !b->wide_hi || !b->order || !b->leaf || !b->moved || !b->last ||
        !b->unbounded || !b->flag || !b->nodes || !b->stale || !b->key || !b->box) {
        tl_broad_destroy(b);
        return tl_nomem(ctx, 2 * count * sizeof(node));
    }
    *out = b;
    return TALUS_OK;
}

void tl_broad_destroy(tl_broad* b)
{
    if (!b)
        return;
    void* owned[] = {b->near,  b->wide_lo, b->wide_hi, b->lo,        b->hi,   b->order,
                     b->leaf,  b->moved,   b->last,    b->unbounded, b->flag, b->nodes,
                     b->stale, b->key,     b->pairs,   b->scratch,   b->box};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        tl_free(b->ctx, owned[i]);
    tl_free(b->ctx, b);
}

// no branches: whether boxes of a pile overlap cannot be predicted
static inline bool is_overlapping(const double* lo_a, const double* hi_a, const double* lo_b,
                                  const double* hi_b)
{
    return (lo_a[0] <= hi_b[0]) & (lo_b[0] <= hi_a[0]) & (lo_a[1] <= hi_b[1]) & (lo_b[1] <= hi_a[1]) &
           (lo_a[2] <= hi_b[2]) & (lo_b[2] <= hi_a[2]);
}

static bool is_bounded(const tl_broad* b, int32_t i)
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(b->wide_lo[3 * i + k]) || !isfinite(b->wide_hi[3 * i + k]))
            return false;
    return true;
}

// ---- tree
// ----------------------------------------------------------------------------------------------------

static void refit(tl_broad* b, int32_t i)
{
    node* nd = &b->nodes[i];
    if (nd->count == 0) {
        const node *l = &b->nodes[i + 1], *r = &b->nodes[nd->right];
        for (int k = 0; k < 3; k++) {
            nd->lo[k] = smaller(l->lo[k], r->lo[k]);
            nd->hi[k] = larger(l->hi[k], r->hi[k]);
        }
        nd->moves = l->moves | r->moves;
        return;
    }
    nd->moves = 0;
    for (int k = 0; k < 3; k++) {
        nd->lo[k] = INFINITY;
        nd->hi[k] = -INFINITY;
    }
    for (int32_t j = nd->begin; j < nd->begin + nd->count; j++) {
        const int32_t s = b->order[j];
        double* box = &b->box[6 * (int64_t)j];
        memcpy(box, &b->wide_lo[3 * (int64_t)s], 3 * sizeof *box);
        memcpy(box + 3, &b->wide_hi[3 * (int64_t)s], 3 * sizeof *box);
        nd->moves |= b->flag[s];
        for (int k = 0; k < 3; k++) {
            nd->lo[k] = smaller(nd->lo[k], box[k]);
            nd->hi[k] = larger(nd->hi[k], box[3 + k]);
        }
    }
}

static double half_area(const double* lo, const double* hi)
{
    const double e[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

static void grow(double* lo, double* hi, const double* by_lo, const double* by_hi)
{
    for (int k = 0; k < 3; k++) {
        lo[k] = smaller(lo[k], by_lo[k]);
        hi[k] = larger(hi[k], by_hi[k]);
    }
}

// order by key, then by number
static bool is_before(const tl_broad* b, int32_t i, int32_t j)
{
    return b->key[i] < b->key[j] || (b->key[i] == b->key[j] && i < j);
}

// quickselect: the `half` smallest of order[begin, end) first
static void select_half(tl_broad* b, int32_t begin, int32_t end, int32_t half)
{
    int32_t* o = b->order;
    while (end - begin > 1) {
        const int32_t pivot = o[begin + (end - begin) / 2];
        int32_t i = begin, j = end - 1;
        while (i <= j) {
            while (is_before(b, o[i], pivot))
                i++;
            while (is_before(b, pivot, o[j]))
                j--;
            if (i <= j) {
                const int32_t swap = o[i];
                o[i++] = o[j];
                o[j--] = swap;
            }
        }
        if (half <= j)
            end = j + 1;
        else if (half >= i)
            begin = i;
        else
            return;
    }
}

typedef struct bin {
    int32_t count;
    double lo[3], hi[3];
} bin;

static inline int32_t bin_of(double key, double lo, double per_length)
{
    return TL_MIN((int32_t)((key - lo) * per_length), BINS - 1);
}

// where the surface-area heuristic is least: boxes a query meets are about those whose surface it meets, so shapes
// far from all that moves end up in a subtree of their own. Returns how many bins go left, 0: no choice.
static int32_t best_bin(const bin* bins, int32_t count)
{
    double cost[BINS], lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = BINS - 1, n = 0; i > 0; i--) {
        n += bins[i].count;
        grow(lo, hi, bins[i].lo, bins[i].hi);
        cost[i] = n > 0 && n < count ? half_area(lo, hi) * n : INFINITY;
    }
    double least = INFINITY;
    int32_t best = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (int32_t i = 1, n = 0; i < BINS; i++) {
        n += bins[i - 1].count;
        grow(lo, hi, bins[i - 1].lo, bins[i - 1].hi);
        const double total = isfinite(cost[i]) ? cost[i] + half_area(lo, hi) * n : INFINITY;
        if (total < least) {
            least = total;
            best = i;
        }
    }
    return best;
}

// order[begin, begin + count) in two halves, the size of the first
static int32_t split(tl_broad* b, int32_t begin, int32_t count, int32_t depth)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t j = begin; j < begin + count; j++)
        for (int k = 0; k < 3; k++) {
            const double c = 0.5 * b->wide_lo[3 * b->order[j] + k] + 0.5 * b->wide_hi[3 * b->order[j] + k];
            lo[k] = smaller(lo[k], c);
            hi[k] = larger(hi[k], c);
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (hi[k] - lo[k] > hi[axis] - lo[axis])
            axis = k;
    for (int32_t j = begin; j < begin + count; j++) {
        const int32_t s = b->order[j];
        b->key[s] = 0.5 * b->wide_lo[3 * s + axis] + 0.5 * b->wide_hi[3 * s + axis];
    }
    const double per_length = BINS / (hi[axis] - lo[axis]);
    int32_t left = 0;
    if (depth < BINNED_DEPTH && per_length > 0.0 && isfinite(per_length)) {
        bin bins[BINS];
        for (int32_t i = 0; i < BINS; i++)
            bins[i] = (bin){.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};
        for (int32_t j = begin; j < begin + count; j++) {
            const int32_t s = b->order[j];
            bin* in = &bins[bin_of(b->key[s], lo[axis], per_length)];
            in->count++;
            grow(in->lo, in->hi, &b->wide_lo[3 * s], &b->wide_hi[3 * s]);
        }
        const int32_t best = best_bin(bins, count);
        for (int32_t j = begin; best > 0 && j < begin + count; j++) {
            const int32_t s = b->order[j];
            if (bin_of(b->key[s], lo[axis], per_length) < best) {
                b->order[j] = b->order[begin + left];
                b->order[begin + left++] = s;
            }
        }
    }
    if (left == 0) {
        left = count / 2;
        select_half(b, begin, begin + count, begin + left);
    }
    return left;
}

static void build(tl_broad* b)
{
    struct {
        int32_t begin, count, parent, depth;
    } stack[DEPTH];
    int32_t top = 0;
    b->nbounded = b->nunbounded = b->nnode = 0;
    for (int32_t i = 0; i < b->n; i++) {
        b->leaf[i] = -1;
        if (is_bounded(b, i))
            b->order[b->nbounded++] = i;
        else
            b->unbounded[b->nunbounded++] = i;
    }
    stack[top].begin = 0;
    stack[top].count = b->nbounded;
    stack[top].depth = 0;
    stack[top++].parent = -1;
    while (top > 0) {
        const int32_t begin = stack[--top].begin, count = stack[top].count, parent = stack[top].parent;
        const int32_t depth = stack[top].depth;
        const int32_t i = b->nnode++;
        node* nd = &b->nodes[i];
        *nd = (node){.parent = parent, .begin = begin};
        if (parent >= 0 && parent + 1 != i)
            b->nodes[parent].right = i;
        if (count <= LEAF) {
            nd->count = (uint16_t)count;
            for (int32_t j = begin; j < begin + count; j++)
                b->leaf[b->order[j]] = i;
            continue;
        }
        const int32_t half = split(b, begin, count, depth);
        stack[top].begin = begin + half;
        stack[top].count = count - half;
        stack[top].depth = depth + 1;
        stack[top++].parent = i;
        stack[top].begin = begin;
        stack[top].count = half;
        stack[top].depth = depth + 1;
        stack[top++].parent = i;
    }
    for (int32_t i = b->nnode - 1; i >= 0; i--)
        refit(b, i);
    memset(b->stale, 0, (2 * (size_t)TL_MAX(b->n, 1) / 64 + 1) * sizeof *b->stale);
    b->is_built = true;
    b->baseline = -1;
    b->excess = 0;
}

// the tree's boxes above the shape are to be refitted
static void mark_stale(tl_broad* b, int32_t shape)
{
    if (!b->is_built)
        return;
    for (int32_t i = b->leaf[shape]; i >= 0 && !(b->stale[i / 64] >> i % 64 & 1); i = b->nodes[i].parent)
        b->stale[i / 64] |= (uint64_t)1 << i % 64;
}

// list the shapes that move and take over their boxes; shapes at rest cost an eighth of a load each.
// @return they are those of the last update
static bool take_boxes(tl_broad* b, const double* lo, const double* hi, const uint8_t* moving)
{
    int32_t* last = b->moved;
    const int32_t nlast = b->nmoved;
    if (!b->is_built && b->n > 0) {
        memcpy(b->lo, lo, 3 * (size_t)b->n * sizeof *lo);
        memcpy(b->hi, hi, 3 * (size_t)b->n * sizeof *hi);
        memcpy(b->wide_lo, lo, 3 * (size_t)b->n * sizeof *lo);
        memcpy(b->wide_hi, hi, 3 * (size_t)b->n * sizeof *hi);
    }
    b->moved = b->last;
    b->last = last;
    b->nmoved = 0;
    for (int32_t i = 0; i < b->n;) {
        uint64_t word[4] = {1, 0, 0, 0};
        const int32_t run = TL_MIN(b->n - i, (int32_t)sizeof word);
        if (moving && run == (int32_t)sizeof word)
            memcpy(word, &moving[i], sizeof word);
        if (word[0] | word[1] | word[2] | word[3])
            for (int32_t j = i; j < i + run; j++)
                if (!moving || moving[j]) {
                    b->moved[b->nmoved++] = j;
                    memcpy(&b->lo[3 * (int64_t)j], &lo[3 * (int64_t)j], 3 * sizeof *lo);
                    memcpy(&b->hi[3 * (int64_t)j], &hi[3 * (int64_t)j], 3 * sizeof *hi);
                }
        i += run;
    }
    if (b->nmoved == nlast && memcmp(b->moved, last, sizeof *last * (size_t)nlast) == 0)
        return true;
    for (int32_t m = 0; m < nlast; m++) {
        b->flag[last[m]] = 0;
        mark_stale(b, last[m]);
    }
    for (int32_t m = 0; m < b->nmoved; m++)
        b->flag[b->moved[m]] = 1;
    return false;
}

static bool is_inside(const tl_broad* b)
{
    for (int32_t m = 0; m < b->nmoved; m++) {
        const int64_t at = 3 * (int64_t)b->moved[m];
        const double *lo = b->lo + at, *hi = b->hi + at, *wide_lo = b->wide_lo + at,
                     *wide_hi = b->wide_hi + at;
        if (!((lo[0] >= wide_lo[0]) & (lo[1] >= wide_lo[1]) & (lo[2] >= wide_lo[2]) & (hi[0] <= wide_hi[0]) &
              (hi[1] <= wide_hi[1]) & (hi[2] <= wide_hi[2])))
            return false;
    }
    return true;
}

// new wide boxes of the shapes that move
static void widen(tl_broad* b)
{
    if (b->narrow > 0)
        b->narrow--;
    else if (b->is_built && b->served < LASTING)
        b->narrow = NARROW;
    b->served = 0;
    for (int32_t m = 0; m < b->nmoved; m++) {
        const int64_t at = 3 * (int64_t)b->moved[m];
        double edge = 0.0;
        for (int k = 0; k < 3; k++)
            edge = larger(b->hi[at + k] - b->lo[at + k], edge);
        const double margin = b->narrow == 0 && edge < INFINITY ? MARGIN * edge : 0.0;
        for (int k = 0; k < 3; k++) {
            b->wide_lo[at + k] = b->lo[at + k] - margin;
            b->wide_hi[at + k] = b->hi[at + k] + margin;
        }
    }
}

// a shape that has become bounded or unbounded changes its place in the structure
static bool is_placed(const tl_broad* b)
{
    for (int32_t m = 0; m < b->nmoved; m++)
        if (is_bounded(b, b->moved[m]) != (b->leaf[b->moved[m]] >= 0))
            return false;
    return true;
}

// nodes above a moved shape are refitted once each, children first
static void refit_moved(tl_broad* b)
{
    for (int32_t m = 0; m < b->nmoved; m++)
        mark_stale(b, b->moved[m]);
    for (int32_t word = b->nnode / 64; word >= 0; word--) {
        for (uint64_t left = b->stale[word]; left; left &= ~((uint64_t)1 << (63 - __builtin_clzll(left))))
            refit(b, 64 * word + 63 - __builtin_clzll(left));
        b->stale[word] = 0;
    }
}

// ---- pairs
// ---------------------------------------------------------------------------------------------------

static talus_status add_pair(tl_broad* b, const filter* f, int32_t i, int32_t j)
{
    const tl_pair p = {TL_MIN(i, j), TL_MAX(i, j)};
    if (f->may_collide && !f->may_collide(f->user, p.a, p.b))
        return TALUS_OK;
    if (b->nnear == b->near_cap)
        TL_TRY(TL_GROW(b->ctx, b->near, b->near_cap, b->nnear, b->nnear + 1));
    b->near[b->nnear++] = p;
    return TALUS_OK;
}

// i moves; two that move are reported by the one with the smaller number
static talus_status test_pair(tl_broad* b, const filter* f, int32_t i, int32_t j)
{
    if (i == j || (b->flag[j] && j < i) ||
        !is_overlapping(&b->wide_lo[3 * (int64_t)i], &b->wide_hi[3 * (int64_t)i], &b->wide_lo[3 * (int64_t)j],
                        &b->wide_hi[3 * (int64_t)j]))
        return TALUS_OK;
    return add_pair(b, f, i, j);
}

// shapes of leaf x with those of leaf y, or of one leaf among themselves
static talus_status meet_leaves(tl_broad* b, const filter* f, const node* x, const node* y)
{
    for (int32_t i = x->begin; i < x->begin + x->count; i++) {
        const double* p = &b->box[6 * (int64_t)i];
        if (!is_overlapping(p, p + 3, y->lo, y->hi))
            continue;
        for (int32_t j = x == y ? i + 1 : y->begin; j < y->begin + y->count; j++) {
            const double* q = &b->box[6 * (int64_t)j];
            if (is_overlapping(p, p + 3, q, q + 3) && (b->flag[b->order[i]] | b->flag[b->order[j]]))
                TL_TRY(add_pair(b, f, b->order[i], b->order[j]));
        }
    }
    return TALUS_OK;
}

// every pair of subtrees that overlap, one of which moves
static talus_status meet_itself(tl_broad* b, const filter* f, int64_t* visited)
{
    struct {
        int32_t x, y;
    } stack[4 * DEPTH];
    int32_t top = 0;
    if (b->nbounded > 0) {
        stack[top].x = 0;
        stack[top++].y = 0;
    }
    while (top > 0) {
        const int32_t i = stack[--top].x, j = stack[top].y;
        const node *x = &b->nodes[i], *y = &b->nodes[j];
        (*visited)++;
        if (!(x->moves | y->moves) || !is_overlapping(x->lo, x->hi, y->lo, y->hi))
            continue;
        if (x->count > 0 && y->count > 0) {
            TL_TRY(meet_leaves(b, f, x, y));
            continue;
        }
        // open both sides of a self-meeting, else the inner one nearer to the root
        const bool open_x = i == j || y->count > 0 || (x->count == 0 && i < j);
        const int32_t open = open_x ? i : j, other = open_x ? j : i;
        const int32_t child[2] = {open + 1, b->nodes[open].right};
        for (int k = 0; k < 2; k++) {
            stack[top].x = child[k];
            stack[top++].y = i == j ? child[k] : other;
        }
        if (i == j) {
            stack[top].x = child[0];
            stack[top++].y = child[1];
        }
    }
    return TALUS_OK;
}

static talus_status ask_tree(tl_broad* b, const filter* f, int32_t i, int64_t* visited)
{
    int32_t stack[DEPTH], top = 0;
    const double *lo = &b->wide_lo[3 * i], *hi = &b->wide_hi[3 * i];
    if (b->nbounded > 0)
        stack[top++] = 0;
    while (top > 0) {
        const int32_t k = stack[--top];
        const node* nd = &b->nodes[k];
        (*visited)++;
        if (!is_overlapping(lo, hi, nd->lo, nd->hi))
            continue;
        if (nd->count == 0) {
            stack[top++] = nd->right;
            stack[top++] = k + 1;
            continue;
        }
        for (int32_t j = nd->begin; j < nd->begin + nd->count; j++)
            TL_TRY(test_pair(b, f, i, b->order[j]));
    }
    return TALUS_OK;
}

static uint64_t pair_key(tl_pair p)
{
    return (uint64_t)(uint32_t)p.a << 32 | (uint32_t)p.b;
}

// least significant byte first, over the bytes in use; short lists by insertion
static talus_status sort_pairs(tl_broad* b)
{
    if (b->nnear <= 48) {
        for (int64_t i = 1; i < b->nnear; i++) {
            const tl_pair p = b->near[i];
            int64_t j = i;
            for (; j > 0 && pair_key(b->near[j - 1]) > pair_key(p); j--)
                b->near[j] = b->near[j - 1];
            b->near[j] = p;
        }
        return TALUS_OK;
    }
    TL_TRY(TL_GROW(b->ctx, b->scratch, b->scratch_cap, 0, b->near_cap));
    for (int shift = 0; shift < 64; shift += 8) {
        if ((uint64_t)(uint32_t)(b->n - 1) >> shift % 32 == 0)
            continue;
        int64_t count[257] = {0};
        for (int64_t i = 0; i < b->nnear; i++)
            count[(pair_key(b->near[i]) >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++)
            count[k + 1] += count[k];
        for (int64_t i = 0; i < b->nnear; i++)
            b->scratch[count[pair_key(b->near[i]) >> shift & 255]++] = b->near[i];
        tl_pair* swap = b->near;
        b->near = b->scratch;
        b->scratch = swap;
        const int64_t cap = b->near_cap;
        b->near_cap = b->scratch_cap;
        b->scratch_cap = cap;
    }
    return TALUS_OK;
}

static talus_status find_pairs(tl_broad* b, const filter* f)
{
    int64_t visited = 0;
    b->nnear = 0;
    if (b->is_dual)
        TL_TRY(meet_itself(b, f, &visited));
    for (int32_t m = 0; m < b->nmoved; m++) {
        const int32_t i = b->moved[m];
        if (b->leaf[i] < 0) // an unbounded shape that moves meets every bounded one
            for (int32_t j = 0; j < b->nbounded; j++)
                TL_TRY(test_pair(b, f, i, b->order[j]));
        else if (!b->is_dual)
            TL_TRY(ask_tree(b, f, i, &visited));
    }
    for (int32_t u = 0; u < b->nunbounded; u++)
        for (int32_t m = 0; m < b->nmoved; m++)
            TL_TRY(test_pair(b, f, b->moved[m], b->unbounded[u]));
    // a rebuild costs about as much as visiting 8 n nodes
    if (b->baseline < 0 || b->is_dual != b->was_dual)
        b->baseline = 16 * visited / TL_MAX(b->nmoved, 1);
    b->was_dual = b->is_dual;
    b->excess += TL_MAX(visited - b->baseline * b->nmoved / 16, 0);
    return TALUS_OK;
}

// the near pairs whose boxes overlap
static talus_status select_pairs(tl_broad* b)
{
    TL_TRY(TL_GROW(b->ctx, b->pairs, b->pairs_cap, 0, b->near_cap));
    int64_t n = 0;
    for (int64_t p = 0; p < b->nnear; p++) {
        const int64_t i = 3 * (int64_t)b->near[p].a, j = 3 * (int64_t)b->near[p].b;
        b->pairs[n] = b->near[p];
        n += is_overlapping(b->lo + i, b->hi + i, b->lo + j, b->hi + j);
    }
    b->npairs = n;
    return TALUS_OK;
}

static talus_status find_near(tl_broad* b, const filter* f)
{
    widen(b);
    b->is_dual = b->nmoved > DUAL;
    if (!b->is_built || !is_placed(b) || b->excess > 8 * (int64_t)b->n)
        build(b);
    else
        refit_moved(b);
    TL_TRY(find_pairs(b, f));
    // room for the pairs of wide boxes when these are narrow, and for half as many more: memory settles at once
    const int64_t room = b->narrow ? 2 * b->nnear : b->nnear + b->nnear / 4;
    if (room > b->near_cap)
        TL_TRY(TL_GROW(b->ctx, b->near, b->near_cap, b->nnear, room + room / 2));
    return sort_pairs(b);
}

talus_status tl_broad_update(tl_broad* b, const double* lo, const double* hi, const uint8_t* moving,
                             bool (*may_collide)(const void* user, int32_t a, int32_t b), const void* user,
                             const tl_pair** pairs, int32_t* npairs)
{
    const filter f = {may_collide, user};
    const bool same = take_boxes(b, lo, hi, moving);
    if (same && b->is_kept && b->kept.may_collide == f.may_collide && b->kept.user == f.user &&
        is_inside(b)) {
        b->served++;
    } else {
        b->is_kept = false; // until it ends well
        TL_TRY(find_near(b, &f));
        b->is_kept = true;
        b->kept = f;
    }
    TL_TRY(select_pairs(b));
    *pairs = b->pairs;
    *npairs = (int32_t)b->npairs;
    return TALUS_OK;
}
