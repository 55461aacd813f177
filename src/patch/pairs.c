// SPDX-License-Identifier: MIT
// From pairs of leaves to pairs of elements, and the list of leaves that is kept from one query to the next.
//
// A list holds more than one query needs: pairs of leaves that meet with boxes larger by a margin. It serves as long as
// nothing can have moved by more. With x_A = R x_B + t before and R' x_B + t' now, no point of B has moved farther in A's
// axes, and none of A in B's, than
//
//     |R' - R| r + max(|(R' - R) c_B + t' - t|, |R'^T (c_A - t') - R^T (c_A - t)|)     r: radius of a body about c
//
// and an axis along two edges, a_i x b_j, by which boxes lie apart, has turned by at most |R' - R|: what lies between two
// boxes along it has changed by that times their largest distance besides (far).
//
// Every query, with an old list or a new one, then tests each pair of the list with its own boxes and keeps the order of
// the leaves. So the result depends on fields and poses alone, in every bit: a list is any set of pairs that holds those
// that pass. The walk that makes it takes boxes a little larger yet (twice TL_SLACK), so that round-off in the boxes above
// two leaves loses nothing.
#include "field.h"

#define BLOCK 64
#define LAST 16.0         // a new list should last for as many queries like the last one
#define LEAST_MARGIN 0.01 // of the size of a leaf
#define MOST_MARGIN 0.2   // where bodies move faster no list is kept

/// The least and the largest of a column of pairs.
typedef struct span {
    int32_t lo, hi;
} span;

static span span_of(const int32_t (*pair)[2], int64_t n, int column)
{
    span s = {pair[0][column], pair[0][column]};
    for (int64_t i = 1; i < n; i++) {
        s.lo = TL_MIN(s.lo, pair[i][column]);
        s.hi = TL_MAX(s.hi, pair[i][column]);
    }
    return s;
}

/// One pass of a stable counting sort. @param at (hi - lo + 2) scratch
static void sort_by(const int32_t (*from)[2], int64_t n, int column, span s, int32_t* at, int32_t (*to)[2])
{
    memset(at, 0, sizeof *at * (size_t)(s.hi - s.lo + 2));
    for (int64_t i = 0; i < n; i++)
        at[from[i][column] - s.lo + 1]++;
    for (int32_t k = 1; k <= s.hi - s.lo; k++)
        at[k] += at[k - 1];
    for (int64_t i = 0; i < n; i++)
        memcpy(to[at[from[i][column] - s.lo]++], from[i], sizeof *to);
}

/// Leaves of A in rising order, and for each those of B.
static talus_status sort_leaves(talus_context* ctx, tl_leaf_list* l)
{
    if (l->n == 0)
        return TALUS_OK;
    const span a = span_of(l->pair, l->n, 0), b = span_of(l->pair, l->n, 1);
    const int64_t most = 2 + TL_MAX(a.hi - a.lo, b.hi - b.lo);
    if (l->n > l->sorted_cap)
        TL_TRY(TL_GROW(ctx, l->sorted, l->sorted_cap, 0, l->cap));
    if (most > l->at_cap)
        TL_TRY(TL_GROW(ctx, l->at, l->at_cap, 0, most));
    sort_by(l->pair, l->n, 1, b, l->at, l->sorted);
    sort_by(l->sorted, l->n, 0, a, l->at, l->pair);
    return TALUS_OK;
}

static void place_leaves(const tl_boxes_placed* B, bool own_b, double pressure, double slack,
                         tl_leaf_placed* w)
{
    *w = (tl_leaf_placed){.pressure = pressure, .slack = slack, .own = own_b};
    memcpy(w->R, B->R, sizeof w->R);
    memcpy(w->t, B->t, sizeof w->t);
    for (int i = 0; i < 3 && !own_b; i++) {
        for (int j = 0; j < 3; j++)
            w->R[3 * i + j] = B->R[3 * j + i];
        w->t[i] = -(B->R[i] * B->t[0] + B->R[3 + i] * B->t[1] + B->R[6 + i] * B->t[2]);
    }
}

static void bound_leaf(talus_context* ctx, const tl_field* f, int32_t leaf, const tl_leaf_placed* w,
                       tl_leaf_box* box)
{
    tl_context_kernels(ctx)->leaf_bounds(tl_leaf_count(f, leaf), f->clip + (int64_t)TL_LEAF * leaf, w, box);
}

talus_status tl_reserve_candidates(talus_context* ctx, tl_patch* p, int64_t more)
{
    const int64_t n = 2 * p->candidates;
    return n + 2 * more > p->cand_cap ? TL_GROW(ctx, p->cand, p->cand_cap, n, n + 2 * more) : TALUS_OK;
}

/// What the elements of a list of pairs need: boxes of the leaves of B, made once.
typedef struct bounds {
    talus_context* ctx;
    const tl_field *a, *b;
    tl_leaf_placed wa, wb;
    tl_leaf_box box; // of the leaf of A
    int32_t leaf_a;
} bounds;

static talus_status start_bounds(talus_context* ctx, const tl_field* a, const tl_field* b,
                                 const tl_boxes_placed* w, tl_leaf_list* l, bounds* s)
{
    *s = (bounds){.ctx = ctx, .a = a, .b = b, .leaf_a = -1};
    place_leaves(w, false, w->pa, w->slack, &s->wa);
    place_leaves(w, true, w->pb, w->slack, &s->wb);
    const span used = l->n ? span_of(l->pair, l->n, 1) : (span){0, 0};
    const int64_t count = used.hi - used.lo + 1;
    l->first_b = used.lo;
    if (count > l->at_cap)
        TL_TRY(TL_GROW(ctx, l->at, l->at_cap, 0, count));
    if (count > l->box_cap)
        TL_TRY(TL_GROW(ctx, l->box, l->box_cap, 0, count));
    memset(l->at, 0, sizeof *l->at * (size_t)count);
    return TALUS_OK;
}

/// Which elements of two leaves overlap; leaves of A come in runs.
static uint64_t elements_of(bounds* s, tl_leaf_list* l, const int32_t* leaf)
{
    const int32_t slot = leaf[1] - l->first_b;
    if (leaf[0] != s->leaf_a)
        bound_leaf(s->ctx, s->a, s->leaf_a = leaf[0], &s->wa, &s->box);
    if (!l->at[slot]++)
        bound_leaf(s->ctx, s->b, leaf[1], &s->wb, l->box + slot);
    return tl_context_kernels(s->ctx)->leaf_pairs(&s->box, l->box + slot);
}

static talus_status find_candidates(talus_context* ctx, const tl_field* a, const tl_field* b,
                                    const tl_boxes_placed* w, tl_patch* p)
{
    tl_leaf_list* l = &p->leaves;
    bounds s;
    TL_TRY(start_bounds(ctx, a, b, w, l, &s));
    for (int64_t i = 0; i < l->n; i++) {
        const int32_t* leaf = l->pair[i];
        TL_TRY(tl_reserve_candidates(ctx, p, TL_LEAF * TL_LEAF));
        int32_t* out = p->cand + 2 * p->candidates;
        for (uint64_t found = elements_of(&s, l, leaf); found; found &= found - 1, out += 2) {
            const int32_t bit = __builtin_ctzll(found);
            out[0] = TL_LEAF * leaf[0] + bit / TL_LEAF;
            out[1] = TL_LEAF * leaf[1] + bit % TL_LEAF;
        }
        p->candidates = (out - p->cand) / 2;
    }
    return TALUS_OK;
}

// ---- lists that are kept ----------------------------------------------------------------------------------

/// The bound at the top of this file, from the pose (R, t) to that of w.
static double motion(const tl_field* a, const tl_field* b, const double* R, const double* t,
                     const tl_boxes_placed* w)
{
    double turn = 0.0, D[9], of_b[3], of_a[3], between[3];
    for (int i = 0; i < 9; i++) {
        D[i] = w->R[i] - R[i];
        turn += D[i] * D[i];
    }
    turn = sqrt(turn); // at least the largest singular value
    for (int i = 0; i < 3; i++) {
        of_b[i] = w->t[i] - t[i];
        of_a[i] = 0.0;
        between[i] = w->t[i] - tl_field_middle(a, i);
        for (int j = 0; j < 3; j++) {
            const double c = tl_field_middle(a, j), m = tl_field_middle(b, j);
            of_b[i] += D[3 * i + j] * m;
            of_a[i] += w->R[3 * j + i] * (c - w->t[j]) - R[3 * j + i] * (c - t[j]);
            between[i] += w->R[3 * i + j] * m;
        }
    }
    const double far = norm3(between) + a->reach + b->reach;
    return fmax(norm3(of_a), norm3(of_b)) + turn * (fmax(a->reach, b->reach) + far);
}

static bool is_for(const tl_leaf_list* l, const tl_field* a, const tl_field* b)
{
    return l->of[0] == a->key && l->of[1] == b->key;
}

/// Margin of a new list: 0, for this query alone, unless the bodies have moved little since the last one.
static double choose_margin(const tl_leaf_list* l, const tl_field* a, const tl_field* b,
                            const tl_boxes_placed* w, bool cold)
{
    const double size = fmin(a->leaf_size, b->leaf_size);
    const double want = cold || !is_for(l, a, b) ? INFINITY : LAST * motion(a, b, l->R, l->t, w);
    return want <= MOST_MARGIN * size ? fmax(want, LEAST_MARGIN * size) : 0.0;
}

// with larger boxes at a higher pressure; of a list that is to last, only leaves with elements that may come together
static talus_status make_list(talus_context* ctx, const tl_field* a, const tl_field* b,
                              const tl_boxes_placed* now, double depth, double margin, tl_patch* p)
{
    tl_leaf_list* l = &p->leaves;
    tl_boxes_placed w = *now;
    l->margin = -1.0; // not whole yet
    l->slack = 2.0 * now->slack;
    l->pressure = tl_pressure_bound(a, b, depth + l->slack + 2.0 * margin);
    w.slack = l->slack + margin;
    w.pa = fmin(l->pressure, a->p_most);
    w.pb = fmin(l->pressure, b->p_most);
    TL_TRY(tl_walk_pairs(ctx, a, b, &w, p));
    TL_TRY(sort_leaves(ctx, l));
    if (l->n > l->kept_cap)
        TL_TRY(TL_GROW(ctx, l->kept, l->kept_cap, 0, l->n));
    l->nkept = 0;
    bounds s;
    if (margin > 0.0)
        TL_TRY(start_bounds(ctx, a, b, &w, l, &s));
    for (int64_t i = 0; i < l->n; i++)
        if (margin == 0.0 || elements_of(&s, l, l->pair[i]))
            memcpy(l->kept[l->nkept++], l->pair[i], sizeof *l->kept);
    memcpy(l->kept_R, w.R, sizeof w.R);
    memcpy(l->kept_t, w.t, sizeof w.t);
    l->margin = margin;
    return TALUS_OK;
}

/// The pairs of the list that overlap now.
static talus_status filter_list(talus_context* ctx, const tl_field* a, const tl_field* b,
                                const tl_boxes_placed* w, tl_patch* p)
{
    tl_leaf_list* l = &p->leaves;
    if (l->nkept > l->cap)
        TL_TRY(TL_GROW(ctx, l->pair, l->cap, 0, l->nkept));
    l->n = 0;
    for (int64_t first = 0; first < l->nkept; first += BLOCK) {
        int32_t node[BLOCK][2];
        uint8_t found[BLOCK];
        const int32_t m = (int32_t)TL_MIN(l->nkept - first, BLOCK);
        for (int32_t i = 0; i < m; i++) {
            node[i][0] = a->leaf[l->kept[first + i][0]];
            node[i][1] = b->leaf[l->kept[first + i][1]];
        }
        tl_context_kernels(ctx)->boxes_overlap(m, node[0], w, found);
        for (int32_t i = 0; i < m; i++) {
            memcpy(l->pair[l->n], l->kept[first + i], sizeof *l->pair);
            l->n += found[i] != TL_BOXES_APART;
        }
    }
    p->boxes += l->nkept;
    return TALUS_OK;
}

talus_status tl_find_pairs(talus_context* ctx, const tl_field* a, const tl_field* b, tl_placed* B, bool cold,
                           tl_patch* p)
{
    tl_leaf_list* l = &p->leaves;
    tl_boxes_placed w = {.a = a->box, .b = b->box};
    memcpy(w.R, B->R, sizeof w.R);
    memcpy(w.t, B->t, sizeof w.t);
    double size = norm3(B->t);
    for (int k = 0; k < 3; k++)
        size += fmax(fabs(a->lo[k]), fabs(a->hi[k])) + fmax(fabs(b->lo[k]), fabs(b->hi[k]));
    w.slack = TL_SLACK * size;
    const double depth = tl_fields_overlap(a, b, B);
    if (depth < -w.slack)
        return TALUS_OK;
    B->p_most = tl_pressure_bound(a, b, depth + w.slack);
    w.pa = fmin(B->p_most, a->p_most);
    w.pb = fmin(B->p_most, b->p_most);
    p->reused = !cold && is_for(l, a, b) && l->margin >= 0.0 && w.slack <= l->slack &&
                B->p_most <= l->pressure && motion(a, b, l->kept_R, l->kept_t, &w) <= l->margin;
    if (!p->reused)
        TL_TRY(make_list(ctx, a, b, &w, depth, choose_margin(l, a, b, &w, cold), p));
    l->of[0] = a->key;
    l->of[1] = b->key;
    memcpy(l->R, w.R, sizeof w.R);
    memcpy(l->t, w.t, sizeof w.t);
    TL_TRY(filter_list(ctx, a, b, &w, p));
    return find_candidates(ctx, a, b, &w, p);
}

void tl_leaf_list_free(talus_context* ctx, tl_leaf_list* l)
{
    void* const arrays[] = {l->pair, l->sorted, l->kept, l->at, l->box};
    for (int i = 0; i < TL_COUNT(arrays); i++)
        tl_free(ctx, arrays[i]);
    *l = (tl_leaf_list){0};
}
