// SPDX-License-Identifier: MIT
// Which leaves of two trees may have a face: the trees against each other, with boxes of nothing but what has a low
// enough pressure.
//
// No face can have more pressure than p_most: with n any direction, s(n) = max n . x over a body, L its largest
// pressure gradient and p0 its largest pressure on the surface, a point x of A is no farther than s_A(n) - n . x
// from leaving A along n, so p_A(x) <= p0_A + L_A (s_A(n) - n . x); likewise p_B(x) <= p0_B + L_B (s_B(-n) + n . x).
// Where both are equal, with D = s_A(n) + s_B(-n) the overlap along n,
//
//     p <= (p0_A/L_A + p0_B/L_B + D) / (1/L_A + 1/L_B)        rigid: p0/L = 1/L = 0
//
// Elements are often needles from the surface to the middle of the body; up to p_most only their ends count, and
// these lie apart. Without the bound the candidates of a face grow as the mesh gets finer.
//
// The traversal works in blocks: the last pairs of a stack are tested by one call of the kernel, those that overlap
// are replaced by the children of the larger box, down to pairs of leaves, which pairs.c turns into pairs of elements.
#include "field.h"

#define BLOCK 64 // pairs tested at once
#define DEPTH 64 // two trees halved at medians: at most 31 levels each
#define STACK 4096

static double box_top(const tl_field* f, int32_t i, const double* n)
{
    const tl_box* x = f->box + i;
    double top = 0.0;
    for (int k = 0; k < 3; k++)
        top += n[k] * (x->c[k] + f->p_most * x->cp[k]) + fabs(n[k]) * (x->h[k] + f->p_most * x->hp[k]);
    return top;
}

/// Largest n . x of the elements, down the tree along the higher boxes.
static double support(const tl_field* f, const double* n)
{
    double best = -INFINITY, top[DEPTH];
    int32_t stack[DEPTH], count = 1;
    stack[0] = 0;
    top[0] = INFINITY;
    while (count > 0) {
        const int32_t i = stack[--count];
        if (top[count] <= best)
            continue;
        const int32_t right = f->right[i];
        if (right < 0) {
            const int32_t count_of = tl_leaf_count(f, ~right);
            const tl_clip_element* e = f->clip + (int64_t)TL_LEAF * ~right;
            for (int32_t j = 0; j < 4 * count_of; j++) {
                const double height = dot3(n, e[j / 4].x[j % 4]);
                best = height > best ? height : best;
            }
            continue;
        }
        const double left_top = box_top(f, i + 1, n), right_top = box_top(f, right, n);
        const bool left_first = left_top >= right_top;
        TL_ASSERT(count + 2 <= DEPTH);
        stack[count] = left_first ? right : i + 1;
        top[count++] = left_first ? right_top : left_top;
        stack[count] = left_first ? i + 1 : right;
        top[count++] = left_first ? left_top : right_top;
    }
    return best;
}

/// Overlap along n, from B into A's far side: s_A(n) + s_B(-n), n in A's axes.
static double overlap_along(const tl_field* a, const tl_field* b, const tl_placed* B, const double* n)
{
    double back[3];
    for (int k = 0; k < 3; k++)
        back[k] = -(B->R[k] * n[0] + B->R[3 + k] * n[1] + B->R[6 + k] * n[2]);
    return support(a, n) + support(b, back) - dot3(n, B->t);
}

double tl_fields_overlap(const tl_field* a, const tl_field* b, const tl_placed* B)
{
    double d[3], least = INFINITY;
    for (int i = 0; i < 3; i++)
        d[i] = B->R[3 * i] * tl_field_middle(b, 0) + B->R[3 * i + 1] * tl_field_middle(b, 1) +
               B->R[3 * i + 2] * tl_field_middle(b, 2) + B->t[i] - tl_field_middle(a, i);
    for (int k = 0; k < 6; k++) {
        double n[3] = {0}, reach = 0.0;
        for (int i = 0; i < 3; i++)
            n[i] = k < 3 ? i == k : B->R[3 * i + k - 3];
        for (int i = 0; i < 3; i++) {
            const double m = B->R[i] * n[0] + B->R[3 + i] * n[1] + B->R[6 + i] * n[2];
            reach += 0.5 * (fabs(n[i]) * (a->hi[i] - a->lo[i]) + fabs(m) * (b->hi[i] - b->lo[i]));
        }
        least = fmin(least, reach - fabs(dot3(n, d)));
    }
    double n[3];
    copy3(n, d);
    if (least >= 0.0 && normalize3(n) > 0.0)
        least = fmin(least, overlap_along(a, b, B, n));
    return least;
}

double tl_pressure_bound(const tl_field* a, const tl_field* b, double overlap)
{
    const bool soft_a = a->kind == TL_FIELD_COMPLIANT, soft_b = b->kind == TL_FIELD_COMPLIANT;
    const double most = fmin(soft_a ? a->p_most : INFINITY, soft_b ? b->p_most : INFINITY);
    double way = overlap, compliance = 0.0;
    for (int i = 0; i < 2; i++) {
        const tl_field* f = i ? b : a;
        if (f->kind == TL_FIELD_COMPLIANT && f->slope > 0.0) {
            way += f->p_surface / f->slope;
            compliance += 1.0 / f->slope;
        }
    }
    const double p = way / compliance;
    return p < most ? p : most; // not a number: no bound
}

static talus_status add_leaves(talus_context* ctx, tl_leaf_list* l, int32_t a, int32_t b)
{
    if (l->n == l->cap)
        TL_TRY(TL_GROW(ctx, l->pair, l->cap, l->n, l->n + 1));
    l->pair[l->n][0] = a;
    l->pair[l->n++][1] = b;
    return TALUS_OK;
}

talus_status tl_walk_pairs(talus_context* ctx, const tl_field* a, const tl_field* b, const tl_boxes_placed* w,
                           tl_patch* p)
{
    tl_boxes_overlap_fn* const overlap = tl_context_kernels(ctx)->boxes_overlap;
    int32_t stack[STACK][2], n = 1;
    uint8_t found[BLOCK];
    stack[0][0] = stack[0][1] = 0;
    p->leaves.n = 0;
    while (n > 0) {
        int32_t block[BLOCK][2];
        // one by one when space gets short: then three a level is all it takes
        const int32_t m = n + 4 * BLOCK + 4 * DEPTH > STACK ? 1 : TL_MIN(n, BLOCK);
        n -= m;
        memcpy(block, stack + n, sizeof *block * (size_t)m);
        overlap(m, block[0], w, found);
        p->boxes += m;
        int32_t hits = 0; // no branch: whether boxes overlap is anyone's guess
        for (int32_t k = 0; k < m; k++) {
            block[hits][0] = block[k][0];
            block[hits][1] = block[k][1];
            found[hits] = found[k];
            hits += found[k] != TL_BOXES_APART;
        }
        for (int32_t k = 0; k < hits; k++) {
            const int32_t i = block[k][0], j = block[k][1], ri = a->right[i], rj = b->right[j];
            if (ri < 0 && rj < 0) {
                TL_TRY(add_leaves(ctx, &p->leaves, ~ri, ~rj));
                continue;
            }
            const bool open_a = ri >= 0 && (rj < 0 || found[k] != TL_BOXES_OPEN_B),
                       open_b = rj >= 0 && (ri < 0 || found[k] != TL_BOXES_OPEN_A);
            TL_ASSERT(n + 4 <= STACK);
            for (int c = 0; c < 4; c++)
                if ((open_a || c < 2) && (open_b || c % 2 == 0)) {
                    stack[n][0] = !open_a ? i : c < 2 ? ri : i + 1;
                    stack[n++][1] = !open_b ? j : c % 2 == 0 ? rj : j + 1;
                }
        }
    }
    return TALUS_OK;
}

double tl_field_below(const tl_field* f, const double* plane)
{
    const double down[3] = {-plane[0], -plane[1], -plane[2]};
    return support(f, down) - plane[3];
}

talus_status tl_find_below(talus_context* ctx, const tl_field* f, const double* plane, tl_patch* p)
{
    const bool crossing = f->kind == TL_FIELD_COMPLIANT;
    const double depth = tl_field_below(f, plane);
    double size = fabs(plane[3]);
    for (int k = 0; k < 3; k++)
        size += fmax(fabs(f->lo[k]), fabs(f->hi[k]));
    const double slack = TL_SLACK * size;
    if (depth < -slack)
        return TALUS_OK;
    const double most = crossing ? fmin(f->p_most, f->p_surface + f->slope * (depth + slack)) : 0.0;
    int32_t stack[DEPTH], n = 1;
    stack[0] = 0;
    while (n > 0) {
        const int32_t i = stack[--n], right = f->right[i];
        const tl_box* x = f->box + i;
        double height = plane[3], reach = slack;
        for (int k = 0; k < 3; k++) {
            height += plane[k] * (x->c[k] + most * x->cp[k]);
            reach += fabs(plane[k]) * (x->h[k] + most * x->hp[k]);
        }
        p->boxes++;
        if (height > reach || (crossing && height < -reach))
            continue;
        if (right < 0) {
            TL_TRY(tl_reserve_candidates(ctx, p, TL_LEAF));
            for (int32_t k = 0, count = tl_leaf_count(f, ~right); k < count; k++)
                p->cand[p->candidates++] = TL_LEAF * ~right + k;
            continue;
        }
        TL_ASSERT(n + 2 <= DEPTH);
        stack[n++] = right;
        stack[n++] = i + 1;
    }
    return TALUS_OK;
}
