// SPDX-License-Identifier: MIT
// Private to module patch: faces of single pairs of elements, corner by corner. The oracle of the kernels tet_clip and
// tet_fan, and what clips the pairs that they do not decide; corners in A's axes, against a half space in those of
// the other body.
#pragma once

#include "field.h"

#define TL_NEAR 1e-12   // of the smaller body: corners closer than this are one
#define TL_DOUBT 1e-9   // of the smaller body: corners nearer to a side are looked at with care
#define TL_ACROSS 1e-10 // cosine at which a gradient counts as across a normal
#define TL_COS_TURNED (-0.38268343236508977) // cos(5 pi / 8): faces turned farther belong to another side

typedef struct tl_polygon {
    int32_t n;
    double x[TL_POLYGON_MAX][3];
    int8_t side[TL_POLYGON_MAX]; // that the edge from corner i to the next lies on: A's 0 to 3, B's 4 to 7
    double normal[3];            // from B into A
} tl_polygon;

/// What one candidate gives: the polygon and the pressure on it, (grad, p0) . (x, 1).
typedef struct tl_face {
    tl_polygon q;
    double p[4];
    double ga, gb;
} tl_face;

/// A half space and the other body, which is B if `second`; `plane` is the boundary in that body's axes, normal outward.
typedef struct tl_half_space {
    const tl_field* mesh;
    double plane[4], slope;
    bool second;
} tl_half_space;

/// A function (n, d) . (x, 1) of B's coordinates as one of A's.
static inline void tl_place_plane(const tl_placed* B, const double* plane, double* out)
{
    turn3(out, B->R, plane);
    out[3] = plane[3] - dot3(out, B->t);
}

/// @return false: there is no face
bool tl_face_of_pair(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb,
                     tl_face* f);
bool tl_face_at_half_space(const tl_half_space* h, int32_t e, tl_face* f);
/// Two tetrahedra whose sides of pressure 0 meet their face in one line, but for round-off: whether tl_face_of_pair
/// finds these two lines to cross, so that one side of the face is two. True also where that is not certain.
bool tl_rim_is_broken(const tl_field* a, const tl_field* b, const tl_placed* B, int32_t ea, int32_t eb);
/// Area and centroid, by triangles from the first corner.
double tl_polygon_measure(const tl_polygon* q, double* centroid);
bool tl_polygon_is_counter_clockwise(const tl_polygon* q);
