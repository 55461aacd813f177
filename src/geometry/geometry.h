// SPDX-License-Identifier: MIT
// Contact geometry: shapes, broad phase, narrow phase with multi-point manifolds. No masses, no materials.
#pragma once

#include "base.h"

/// Sizes as MuJoCo's: sphere (r); capsule (r, half length of the axis, z); ellipsoid (semi-axes); cylinder
/// (r, half length, z); box (half sizes); plane: z = 0, outward +z, sizes are only for drawing.
typedef enum tl_shape_type {
    TL_SHAPE_PLANE,
    TL_SHAPE_SPHERE,
    TL_SHAPE_CAPSULE,
    TL_SHAPE_ELLIPSOID,
    TL_SHAPE_CYLINDER,
    TL_SHAPE_BOX,
    TL_SHAPE_MESH,   // a convex hull
    TL_SHAPE_HFIELD, // ground over a grid
    TL_SHAPE_COUNT
} tl_shape_type;

/// A convex polyhedron: immutable, shared by shapes. Faces are whole polygons: triangles in one plane are one face.
typedef struct tl_hull {
    int32_t nv, nf;
    const double* x;             // (nv x 3) shape frame
    const double (*plane)[4];    // (nf) outward unit normal, and n . x on the face
    const int32_t *first, *loop; // (nf + 1): corners of face f, counter-clockwise, are loop[first[f]] ..
    const int32_t *near, *adj;   // (nv + 1): vertices joined to vertex i by an edge are adj[near[i]] ..
    double center[3], length;    // mean of the vertices; half of the longest side of its box
} tl_hull;

/// From the triangles of a convex surface, outward; vertices that no triangle names are left out. One block of
/// memory, freed by tl_free(ctx, *out). @param x (nv x 3)  @param tri (nt x 3)
talus_status tl_hull_create(talus_context* ctx, int32_t nv, const double* x, int32_t nt, const int32_t* tri,
                            const char* name, tl_hull** out);

/// Ground given by its height over a grid: immutable, shared by shapes. The grid fills |x| <= half[0], |y| <= half[1]
/// of the shape's frame; row r lies at y = r dy - half[1], column c at x = c dx - half[0]. Each cell is two triangles
/// that share the diagonal (r, c) - (r + 1, c + 1); below them the ground is solid down to z = -base.
typedef struct tl_hfield {
    int32_t nrow, ncol;
    double half[2], base, dx, dy; // m
    double low, high;  // of all heights                                                            m
    const double* z;   // (nrow x ncol) heights                                                     m
    const double* top; // (block_rows x block_cols) highest point of every block of cells           m
    int32_t block_cols;
} tl_hfield;

/// One block of memory, freed by tl_free(ctx, *out). @param half (2), base  > 0 m
/// @param z (nrow x ncol) finite, m; nrow, ncol >= 2; copied
talus_status tl_hfield_create(talus_context* ctx, int32_t nrow, int32_t ncol, const double* half, double base,
                              const double* z, tl_hfield** out);
/// Height over (x, y) of the shape's frame; outside the grid: of the nearest place on its border.
double tl_hfield_height(const tl_hfield* h, double x, double y);

typedef struct tl_shape {
    int32_t type; // tl_shape_type
    double size[3];
    const tl_hull* hull;     // TL_SHAPE_MESH; NULL: no contact
    const tl_hfield* hfield; // TL_SHAPE_HFIELD; NULL: no contact
} tl_shape;

typedef struct tl_pose {
    double p[3];
    double R[9]; // row-major R_WG
} tl_pose;

#define TL_MANIFOLD_MAX 8

/// One contact point of a pair (A, B).
typedef struct tl_contact_point {
    double pa[3];     // witness on A's surface (deepest inside B), world
    double pb[3];     // witness on B's surface; (pb - pa) . normal = depth
    double normal[3]; // unit, from B into A
    double depth;     // > 0 overlapping
    int32_t feature;  // same feature in the next step, same number: the warm start's key within the pair
} tl_contact_point;

/// Contact points of A against B with depth > -margin, at most TL_MANIFOLD_MAX; deterministic, and symmetric:
/// swapping A and B gives the same points with pa, pb swapped and the normal reversed. Pairs without a method
/// (two of planes and height fields) give 0.
/// @return number of points
int32_t tl_collide(const tl_shape* a, const tl_pose* Xa, const tl_shape* b, const tl_pose* Xb, double margin,
                   tl_contact_point* out);
/// True when tl_collide has a method for this pair of types.
bool tl_collide_supported(int32_t type_a, int32_t type_b);

/// World bounding box; planes are unbounded (+-inf).
void tl_shape_aabb(const tl_shape* s, const tl_pose* X, double* lo, double* hi);
/// Volume [m^3], centre of mass and inertia about it (ixx iyy izz, shape axes) for density 1. Planes, meshes,
/// height fields: 0.
void tl_shape_inertia(const tl_shape* s, double* volume, double* inertia);

typedef struct tl_pair {
    int32_t a, b; // a < b
} tl_pair;

/// Broad phase over n shapes. Cost near-linear; static shapes cost nothing while they stay. Keeps its
/// structures between updates; allocates only when the number of pairs grows.
typedef struct tl_broad tl_broad;
talus_status tl_broad_create(talus_context* ctx, int32_t n, tl_broad** out);
void tl_broad_destroy(tl_broad* b);
/// All pairs (a < b) whose boxes overlap and for which may_collide(user, a, b) is true (always the same for a pair:
/// answers are kept), sorted by (a, b).
/// @param moving (n) 0: the shape's pose is the same as in the last call (its box is not compared with other
///               non-moving ones); NULL: all move
/// @param lo, hi (n x 3) boxes   @param pairs out: borrowed until the next call
/// The result is identical to testing all pairs.
talus_status tl_broad_update(tl_broad* b, const double* lo, const double* hi, const uint8_t* moving,
                             bool (*may_collide)(const void* user, int32_t a, int32_t b), const void* user,
                             const tl_pair** pairs, int32_t* npairs);
