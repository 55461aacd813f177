// SPDX-License-Identifier: MIT
// Private to module patch: the arrays of a field, and the tree of boxes over its elements.
//
// Element e stands in clip[e] as the kernel tet_clip reads it, in the body's axes: a tetrahedron's corners, planes
// and linear pressure, or a triangle's corners, planes on its sides and outward normal.
//
// The tree is stored depth first: the left child of node i is i + 1, `right` is the other one or, negative, ~leaf.
// Leaf k has the elements from TL_LEAF k on. Boxes hold what has at most a given pressure (trees.c).
#pragma once

#include "kernels.h"
#include "patch.h"
#include "vec3.h"

#define TL_SLACK 1e-12 // of sizes and distances: boxes of touching elements overlap

/// Where B is, in A's axes, and what a query knows before it looks at elements.
typedef struct tl_placed {
    double R[9], t[3]; // x_A = R x_B + t
    double size;       // of the smaller body, m
    double p_most;     // no face has a higher pressure
} tl_placed;

struct talus_field {
    talus_context* ctx; // that it was made with
    tl_field_kind kind;
    tl_field_info info;
    double slope;          // half space: E / thickness; else the largest pressure gradient
    double p_surface;      // largest pressure on the surface
    double p_most;         // largest pressure, 0: rigid
    double lo[3], hi[3];   // of all elements
    double* x;             // (nv x 3)
    int32_t* element;      // (ne x 4) or (ne x 3)
    double* p;             // (nv), NULL: rigid
    tl_clip_element* clip; // (ne) corners, planes, gradient
    tl_box* box;           // (2 leaves - 1) nodes of the tree
    int32_t* right;        // (2 leaves - 1)
    int32_t* leaf;         // (leaves) their nodes
    double leaf_size;      // mean half diagonal of the leaves' boxes
    double reach;          // no box has a point farther from the middle of lo, hi
    uint64_t key;          // of the elements: equal fields have the same
};

static inline double tl_field_middle(const tl_field* f, int k)
{
    return 0.5 * (f->lo[k] + f->hi[k]);
}

/// Elements of a leaf.
static inline int32_t tl_leaf_count(const tl_field* f, int32_t leaf)
{
    const int32_t left = f->info.ne - TL_LEAF * leaf;
    return left < TL_LEAF ? left : TL_LEAF;
}

/// Elements are given (corners a row), orientation is corrected, degenerate ones dropped; then planes,
/// gradients, boxes. Arrays are copied. p = NULL: rigid triangles.
talus_status tl_field_make(talus_context* ctx, int32_t nv, const double* x, int32_t ne,
                           const int32_t* element, const double* p, const char* name, tl_field** out);
/// boxes.c: build f->box, f->right, f->lo, f->hi from f->element, f->p and f->p_most, and put the elements in the
/// order of the leaves. @return OK or ERR_NOMEM
talus_status tl_field_boxes(talus_context* ctx, tl_field* f);

/// trees.c: the overlap of the bodies along the line of the middles, or along a side of the two bodies' boxes where it is
/// less there.
double tl_fields_overlap(const tl_field* a, const tl_field* b, const tl_placed* B);
/// trees.c: how far f reaches below the plane, in its axes.
double tl_field_below(const tl_field* f, const double* plane);
/// trees.c: no face has more pressure.
double tl_pressure_bound(const tl_field* a, const tl_field* b, double overlap);
/// trees.c: pairs of leaves whose boxes overlap, to p->leaves, in no order.
talus_status tl_walk_pairs(talus_context* ctx, const tl_field* a, const tl_field* b, const tl_boxes_placed* w,
                           tl_patch* p);
/// pairs.c: pairs of elements that may have a face, in rising order, to p->cand.
talus_status tl_find_pairs(talus_context* ctx, const tl_field* a, const tl_field* b, tl_placed* B, bool cold,
                           tl_patch* p);
talus_status tl_reserve_candidates(talus_context* ctx, tl_patch* p, int64_t more);
/// trees.c: elements of f, one by one in p->cand, that may have a face on the plane (compliant f) or that reach below
/// it (rigid f).
talus_status tl_find_below(talus_context* ctx, const tl_field* f, const double* plane, tl_patch* p);
void tl_leaf_list_free(talus_context* ctx, tl_leaf_list* l);

/// A mesh under construction.
typedef struct tl_tet_mesh {
    talus_context* ctx;
    int32_t nv, ne;
    int64_t vcap, ecap, pcap;
    double* x;
    double* p;
    int32_t* tet;
} tl_tet_mesh;
/// shapes.c: the volume mesh of a primitive by the rules of the module's README, pressure included.
talus_status tl_mesh_shape(tl_tet_mesh* m, const tl_shape* shape, double modulus, double hint);
void tl_mesh_free(tl_tet_mesh* m);
