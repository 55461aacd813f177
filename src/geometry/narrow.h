// SPDX-License-Identifier: MIT
// Private to module geometry: a shape placed in space, candidate points, and the stages of the narrow phase.
//
//   collide.c   order the pair, closed forms with spheres, capsule against capsule, dispatch, back to world
//   coordinates plane.c     plane against everything distance.c  signed distance of a point, and of a
//   segment, to a solid axis.c      the direction of least overlap of two solids (min over unit n of hA(n) +
//   hB(n) - c.n) manifold.c  contact points for a given direction: faces, edges, points
//
// Every shape but a hull is centrally symmetric, so its support function is even: h(n) = h(-n). All coordinates are
// relative to the second shape's centre with the world's axes, which keeps full precision far from the
// world's origin.
#pragma once

#include "geometry.h"
#include "vec3.h"

typedef struct tl_solid {
    int32_t type;
    double s[3];         // sizes, as tl_shape
    double p[3];         // centre
    double ax[3][3];     // ax[k]: shape axis k
    double length;       // half of the largest dimension, for tolerances
    const tl_hull* hull; // TL_SHAPE_MESH
} tl_solid;

/// Candidate points of one pair, normal from B into A. More than TL_MANIFOLD_MAX are thinned out at the end.
#define TL_CANDIDATES 48
typedef struct tl_manifold {
    tl_contact_point pt[TL_CANDIDATES];
    int32_t n;
    double margin;
} tl_manifold;

/// Add a point unless it lies at or above the margin. depth = (pb - pa) . n.
static inline void tl_add_point(tl_manifold* m, const double* pa, const double* pb, const double* n,
                                int32_t feature)
{
    double d[3];
    sub3(d, pb, pa);
    const double depth = dot3(d, n);
    if (m->n == TL_CANDIDATES || !(depth > -m->margin))
        return;
    tl_contact_point* pt = &m->pt[m->n++];
    copy3(pt->pa, pa);
    copy3(pt->pb, pb);
    copy3(pt->normal, n);
    pt->depth = depth;
    pt->feature = feature;
}

// ---- distance.c
// ----------------------------------------------------------------------------------------------
/// Signed distance of a point to the surface (negative inside) and the outward unit gradient n, both exact at
/// any depth.
double tl_point_distance(const tl_solid* g, const double* x, double* n);
/// Least signed distance over the segment c + s u, |s| <= l. @return it, *s_out and n where it is taken
double tl_segment_distance(const tl_solid* g, const double* c, const double* u, double l, double* s_out,
                           double* n);

/// Farthest point of the solid in direction d (unit), without a preferred choice on flat faces.
void tl_support(const tl_solid* g, const double* d, double* x);

// ---- gjk.c
// ---------------------------------------------------------------------------------------------------
typedef struct tl_convex_pair {
    double pa[3], pb[3], n[3]; // witnesses, and the unit direction from B into A
    double distance;           // < 0: overlap
} tl_convex_pair;
/// Distance of any two bounded solids. @return false: `far` or more apart
bool tl_convex_distance(const tl_solid* a, const tl_solid* b, double far, tl_convex_pair* out);
double tl_core_radius(const tl_solid* g);
void tl_to_local(const tl_solid* g, const double* d, double* local); // a direction
void tl_to_world(const tl_solid* g, const double* local, double* x); // a point

// ---- hull_contact.c
// ------------------------------------------------------------------------------------------
/// b is a convex hull, a anything but a plane.
void tl_hull_points(const tl_solid* a, const tl_solid* b, tl_manifold* m);

// ---- collide.c
/// Candidate points of two solids in the order of their types, not thinned; neither is a height field.
void tl_candidate_points(const tl_solid* a, const tl_solid* b, tl_manifold* m);

// ---- hfield_contact.c
/// The field is b, a anything but a plane or another field; all in the field's frame. @param lo, hi box of a
void tl_hfield_points(const tl_solid* a, const double* lo, const double* hi, const tl_hfield* h,
                      tl_manifold* m);

// ---- axis.c
// --------------------------------------------------------------------------------------------------
/// Unit n (from B into A) of least overlap, for capsule, ellipsoid, cylinder and box.
/// @return the overlap (> 0) or minus the distance; any value < -margin when the shapes are farther apart
/// than that
double tl_least_overlap(const tl_solid* a, const tl_solid* b, double margin, double* n);

// ---- plane.c
// -------------------------------------------------------------------------------------------------
/// a is the plane.
void tl_plane_points(const tl_solid* a, const tl_solid* b, tl_manifold* m);

/// Points of a cylinder that can be the first to touch in direction d: [0], [1] of the ends +z and -z on the
/// side of d, then six that are fixed in the body, on the end that looks along d. Feature numbers 0..15.
#define TL_RIM 6
#define TL_CYLINDER_POINTS (2 + TL_RIM)
void tl_cylinder_points(const tl_solid* g, const double* d, double x[TL_CYLINDER_POINTS][3],
                        int32_t feature[TL_CYLINDER_POINTS]);
/// Fixed rim point i of the end `end` (+1, -1) at radius r.
void tl_rim_point(const tl_solid* g, int end, int i, double r, double* x);

// ---- manifold.c
// ----------------------------------------------------------------------------------------------
/// Sine of the angle under which two edges count as side by side and get two points.
#define TL_PARALLEL 3e-3
/// Points for direction n (from B into A) of least overlap.
void tl_build_manifold(const tl_solid* a, const tl_solid* b, const double* n, tl_manifold* m);
/// Keep at most TL_MANIFOLD_MAX points: the deepest, and those that span the patch.
void tl_thin_manifold(tl_manifold* m);

// feature numbers: what the point is, then the ids on A and on B
enum { TL_ON_A, TL_ON_B, TL_CROSS, TL_LINE, TL_SINGLE };
#define TL_FEATURE(kind, ia, ib) ((int32_t)(((kind) << 16) | ((ia) << 8) | (ib)))
