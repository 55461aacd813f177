// SPDX-License-Identifier: MIT
// Private to the height-field files of module geometry: the grid as cells, triangles, edges and vertices, all in the
// field's frame.
//
//        v01 ______ v11      triangle 0: v00 v10 v11        edges that belong to vertex v00:
//           |    /|          triangle 1: v00 v11 v01          0: to v10   1: to v01   2: to v11
//        1  |  /  |  0
//           |/____|
//        v00       v10       row r along y, column c along x
#pragma once

#include "narrow.h"

/// Folds flatter than this (rad) are no edges and no tops.
#define TL_FLAT_FOLD 1e-6
/// Cells of a block along each axis, for skipping what lies below.
#define TL_HFIELD_BLOCK 8

/// Cells whose columns meet the box and whose top reaches up to it, row by row.
typedef struct tl_cells {
    const tl_hfield* h;
    int32_t r0, r1, c0, c1; // first and last
    double bottom;
    int32_t r, c; // the cell
} tl_cells;
tl_cells tl_hfield_cells(const tl_hfield* h, const double* lo, const double* hi);
bool tl_hfield_next(tl_cells* w);

void tl_hfield_vertex(const tl_hfield* h, int32_t r, int32_t c, double* x);
/// Corners, counter-clockwise from above, and the unit normal of triangle k of a cell.
void tl_hfield_triangle(const tl_hfield* h, int32_t r, int32_t c, int k, double v[3][3], double* n);
/// True when (x, y) is in triangle k of the cell, or closer than `slack` (m) to it.
bool tl_hfield_covers(const tl_hfield* h, int32_t r, int32_t c, int k, const double* xy, double slack);

/// A convex edge. Directions n out of the ground that belong to it have n . t[i] <= 0.
typedef struct tl_ridge {
    double v[2][3], d[3]; // ends, unit direction
    double t[2][3];       // unit, along each face away from the edge; straight down where the grid ends
} tl_ridge;
/// Edge `kind` of vertex (r, c). @return false: there is none, or it is flat or concave
bool tl_hfield_ridge(const tl_hfield* h, int32_t r, int32_t c, int kind, tl_ridge* e);
/// True when a ridge meets the vertex: on flat ground it is nothing of its own.
bool tl_hfield_is_sharp(const tl_hfield* h, int32_t r, int32_t c);
/// True when no neighbour of the vertex is higher in direction u (unit), so that u belongs to it. A neighbour in
/// direction d counts as higher from `tight + loose |axis . d|` (sines), with axis NULL from `tight + loose`.
bool tl_hfield_is_top(const tl_hfield* h, int32_t r, int32_t c, const double* u, double tight, double loose,
                      const double* axis);

// ---- hfield_feet.c
/// A place x of the surface next to a point p: n out of the ground, p - x = s n; s < 0: p is in the ground.
typedef struct tl_foot {
    double x[3], n[3], s;
} tl_foot;
#define TL_FEET 32
/// Places at which the distance to p has a local minimum below `reach`; for a p in the ground the nearest place and
/// those that p still is above. @param sharp edges and vertices too, else faces only
int32_t tl_hfield_feet(const tl_hfield* h, const double* p, double reach, bool sharp, tl_foot* out);
/// Nearest place of the surface or sides to a point in the ground. @return false: p is not in the ground
bool tl_hfield_nearest(const tl_hfield* h, const double* p, tl_foot* out);

// ---- hfield_contact.c, hfield_sharp.c
#define TL_LOOSE 1e-2 // sine by which a flat face or a straight line of A may miss a feature's normals
// what a point of the pair is: bits 28, 29 of its feature
enum { TL_FEATURE_A = 0, TL_FEATURE_TOP = 1 << 28, TL_FEATURE_RIDGE = 2 << 28 };
/// One pair: the field h and the solid a, in the field's frame.
typedef struct tl_hfield_job {
    const tl_solid* a;
    const tl_hfield* h;
    double lo[3], hi[3]; // box of A, wider by the margin
    double near;         // points closer than this are one
    bool unresolved;     // a ridge is in A and no direction was found
    bool last_resort;
    tl_manifold* m;
} tl_hfield_job;
/// Add a point unless it is beyond the margin or there already.
void tl_hfield_add(tl_hfield_job* j, const tl_contact_point* p, int32_t feature);
/// Points of vertices and edges under A's box.
void tl_hfield_add_sharp(tl_hfield_job* j);
