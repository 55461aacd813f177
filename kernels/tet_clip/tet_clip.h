// SPDX-License-Identifier: MIT
// Faces of pressure fields, element against element (src/README.md#patches): a plane cut by a tetrahedron of A and
// one of B, or a triangle cut by a tetrahedron. No polygon is built: the boundary of the face is each side of one
// element's section, a segment (p, q), as far as it is inside the other element, and with Green's theorem
//
//     area = 1/2 sum n . (p x q),     centroid = sum (p + q) n . (p x q) / (6 area)
//
// so there are no branches and no lists, and lanes with faces of different shapes stay together. All tests are made
// at corners of the sections; where one of them is closer to zero than `tolerance` the pair is not decided and the
// caller clips it with care (src/patch/collide.c, which is also the oracle of the tests).
//
// On the plane of equal pressures a tetrahedron's side of pressure 0 is where the other's pressure is 0 too: the other,
// whose pressure is not negative, lies inside of it all along. So sides of pressure 0 cut nothing, or round-off would
// decide on every rim. Where both tetrahedra have one, both meet the plane in the same line, which is counted as A's.
//
// The fan of a face has one triangle on each segment of its boundary, with the centroid as its top: the segments are
// there when the face is measured, and a triangle is known by the side that it stands on, A's 0 to 3 or B's 4 to 7.
//
// All sets give the same bits: one source, one order of operations. Elements: corners, planes n . x + d >= 0 inside,
// and the gradient of the pressure (tetrahedron) or the outward normal (triangle, whose three planes stand on its
// sides). Everything is computed in A's axes; B is placed by x_A = R x_B + t. Results are turned to the world.
#pragma once

#include <stdint.h>

typedef struct tl_clip_element {
    double x[4][3];     // corners; of a triangle three and the last again
    double grad[4];     // pressure (grad, p0) . (x, 1); of a triangle the normal and 0
    double plane[4][4]; // side opposite corner k, unit normal inward; of a triangle three
    double base[4];     // 1 where the pressure is 0 on all of the side, else 0
    double rate[4];     // 1 over the pressure of corner k, 0 where that is 0; of a triangle 0
} tl_clip_element;

/// Axes of the results: x = R x_A + p.
typedef struct tl_clip_axes {
    double R[9], p[3];
} tl_clip_axes;

typedef struct tl_clip_placed {
    const tl_clip_element *a, *b;
    const tl_clip_axes* world;
    int32_t triangles; // 0: both are tetrahedra; 1: A's, 2: B's elements are triangles
    double R[9], t[3]; // x_A = R x_B + t
    double tolerance;  // m
    double near;       // m: no fan has a triangle on a segment that is shorter
    double turned;     // least cosine between normal and gradient, exclusive
    double across;     // cosine at which a gradient counts as across the normal
} tl_clip_placed;

/// RIM, of fans only: a face on a line where both have a side of pressure 0, which is one side for this kernel, while
/// round-off may have broken it for whoever clips corner by corner.
enum { TL_CLIP_NONE, TL_CLIP_FACE, TL_CLIP_DOUBTFUL, TL_CLIP_RIM };

/// Rows of the results, `ld` apart: all in world axes; ga, gb INFINITY for the triangle's side. Fans: those of the whole
/// face, then area, centroid and pressure of the triangle on each side.
enum {
    TL_CLIP_AREA,
    TL_CLIP_CENTROID,
    TL_CLIP_NORMAL = 4,
    TL_CLIP_GA = 7,
    TL_CLIP_GB,
    TL_CLIP_PRESSURE,
    TL_CLIP_ROWS
};
enum {
    TL_FAN_AREA,
    TL_FAN_CENTROID,
    TL_FAN_PRESSURE = 4,
    TL_FAN_ROWS,
    TL_FAN_SIDES = 8,
    TL_FAN_ALL = TL_CLIP_ROWS + TL_FAN_SIDES * TL_FAN_ROWS
};

/// @param pair (n x 2) elements   @param may (n) out: 0 where there is no face
typedef void tl_clip_meet_fn(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* may);
/// @param state (n) out   @param out (TL_CLIP_ROWS x n) out, defined where state is TL_CLIP_FACE
typedef void tl_tet_clip_fn(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* state,
                            int64_t ld, double* out);

/// The same with fans.
/// @param side (n) out, bit k: there is a triangle on side k
/// @param out (TL_FAN_ALL x n) out, of sides that are there
typedef void tl_tet_fan_fn(int32_t n, const int32_t* pair, const tl_clip_placed* w, uint8_t* state,
                           uint8_t* side, int64_t ld, double* out);

/// Sections of tetrahedra by one plane, in their own axes.
typedef struct tl_section_placed {
    const tl_clip_element* e;
    const tl_clip_axes* world;
    double plane[4];  // unit normal out of the half space, (normal, d) . (x, 1) = 0 on its boundary
    double tolerance; // m
    double near;      // m
    double turned, across;
    int32_t
        second; // 0: the tetrahedra are A's, and the normal of a face is the plane's; 1: B's, and it is opposite
} tl_section_placed;

/// @param element (n)   @param state, out as above
typedef void tl_tet_section_fn(int32_t n, const int32_t* element, const tl_section_placed* w, uint8_t* state,
                               int64_t ld, double* out);
/// @param side (n) out: A's sides 0 to 3, or B's 4 to 7   @param out (TL_FAN_ALL x n) out
typedef void tl_section_fan_fn(int32_t n, const int32_t* element, const tl_section_placed* w, uint8_t* state,
                               uint8_t* side, int64_t ld, double* out);

tl_clip_meet_fn tl_clip_meet_ref, tl_clip_meet_w2, tl_clip_meet_avx2, tl_clip_meet_avx512;
tl_tet_clip_fn tl_tet_clip_ref, tl_tet_clip_w2, tl_tet_clip_avx2, tl_tet_clip_avx512;
tl_tet_section_fn tl_tet_section_ref, tl_tet_section_w2, tl_tet_section_avx2, tl_tet_section_avx512;
tl_tet_fan_fn tl_tet_fan_ref, tl_tet_fan_w2, tl_tet_fan_avx2, tl_tet_fan_avx512;
tl_section_fan_fn tl_section_fan_ref, tl_section_fan_w2, tl_section_fan_avx2, tl_section_fan_avx512;
