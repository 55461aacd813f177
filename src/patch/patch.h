// SPDX-License-Identifier: MIT
// Pressure-field (hydroelastic) contact patches (theory: src/README.md#patches): two bodies' fields in, convex
// polygons with pressure out. No masses, no materials beyond the hydroelastic modulus, no contact law.
#pragma once

#include "geometry.h"

typedef enum tl_field_kind {
    TL_FIELD_COMPLIANT,       // tetrahedra with a pressure at each vertex, linear inside
    TL_FIELD_RIGID,           // triangles, outward
    TL_FIELD_HALF_COMPLIANT,  // z < 0, pressure E depth / thickness, not meshed
    TL_FIELD_HALF_RIGID       // z < 0
} tl_field_kind;

/// One body's side of a patch: built once, then read by any number of threads. Opaque: patch/field.h.
typedef struct tl_field tl_field;

typedef struct tl_field_spec {
    int32_t kind;       // TL_FIELD_COMPLIANT or TL_FIELD_RIGID; a plane gives the half space of that kind
    double modulus;     // E, pressure at the deepest points                                   Pa
    double hint;        // resolution hint: edge length of the mesh                            m
    double thickness;   // of a compliant half space                                           m
} tl_field_spec;

/// What building a field found: counts for reports; what is refused fails with a message that names it.
typedef struct tl_field_info {
    int32_t nv, ne;            // vertices; tetrahedra or triangles
    int32_t degenerate;        // elements of zero volume or area, dropped
    int32_t turned;            // elements whose orientation was reversed
    int32_t without_pressure;  // tetrahedra whose four vertices are on the surface: refined, see README
    double volume, area;       // m^3 (compliant) | m^2 (rigid: the surface)
} tl_field_info;

/// Mesh a primitive by the rules of src/patch/README.md. @param shape not mesh or height field
talus_status tl_field_from_shape(talus_context* ctx, const tl_shape* shape, const tl_field_spec* spec,
                                 const char* name, tl_field** out);
/// Tetrahedra of a file. @param x (nv x 3) m  @param tet (ne x 4)  @param p (nv) Pa, or NULL: E times the
/// distance to the surface over the largest such distance. All arrays are copied. @param name for messages
talus_status tl_field_from_tets(talus_context* ctx, int32_t nv, const double* x, int32_t ne,
                                const int32_t* tet, const double* p, double modulus, const char* name,
                                tl_field** out);
/// A closed convex surface: tetrahedra from its faces to its centroid, pressure E there and 0 on the surface.
talus_status tl_field_from_convex(talus_context* ctx, int32_t nv, const double* x, int32_t nt,
                                  const int32_t* tri, double modulus, const char* name, tl_field** out);
/// Any triangle mesh as a rigid surface, open ones too. @param x (nv x 3) m  @param tri (nt x 3), outward
talus_status tl_field_from_triangles(talus_context* ctx, int32_t nv, const double* x, int32_t nt,
                                     const int32_t* tri, const char* name, tl_field** out);
void tl_field_destroy(talus_context* ctx, tl_field* f);
tl_field_kind tl_field_kind_of(const tl_field* f);
const tl_field_info* tl_field_get_info(const tl_field* f);
/// Vertices (nv x 3), elements (ne x 4 or ne x 3) and pressures (nv; NULL for rigid), borrowed.
void tl_field_get_mesh(const tl_field* f, const double** x, const int32_t** element, const double** p);

/// False for rigid-rigid, half space with half space, compliant half space with compliant mesh.
bool tl_patch_supported(const tl_field* a, const tl_field* b);

/// Polygons of one pair, one array per field. Grown by tl_patch_collide through ctx, never inside warm steps.
typedef struct tl_patch {
    int32_t n, cap;
    double* centroid;    // (n x 3) world                                                      m
    double* normal;      // (n x 3) unit, from B into A
    double* area;        // (n)                                                                m^2
    double* pressure;    // (n) at the centroid                                                Pa
    double *ga, *gb;     // (n) pressure gradients along the normal, INFINITY for a rigid side Pa/m
    int32_t *ea, *eb;    // (n) elements of A and B: the polygon's identity (half space: 0)
    int32_t* corner;     // (n) triangle of the fan, 0 for polygons
    int32_t* first;      // (n + 1) first vertex of each polygon, when vertices are wanted
    double* vertex;      // (first[n] x 3) world, counter-clockwise about the normal          m
    double* vertex_p;    // (first[n]) pressure                                                Pa
    int64_t pairs, tested, clipped; // boxes of the trees compared, element pairs clipped, polygons kept
    int32_t left_out;    // of them with ga <= 0 or gb <= 0: no contact is made from these
    double left_out_area;
    void* memory;        // owns all of the above
} tl_patch;

typedef struct tl_patch_options {
    bool triangles; // the fan about each polygon's centroid instead of the polygon
    bool vertices;  // keep the polygons' vertices, for pictures and files
} tl_patch_options;

/// Polygons of A against B, sorted by (ea, eb): deterministic whatever the trees' order. Every polygon that
/// passes the angle tests is kept here, those that make no contact are counted in left_out.
/// @param scratch an arena for candidates, marked and released
talus_status tl_patch_collide(talus_context* ctx, tl_arena* scratch, const tl_field* a, const tl_pose* Xa,
                              const tl_field* b, const tl_pose* Xb, const tl_patch_options* options,
                              tl_patch* out);
void tl_patch_free(talus_context* ctx, tl_patch* p);

/// Sums over a patch by the centroid rule: force on A, moment about `about`, area, area-weighted centroid.
typedef struct tl_patch_sum {
    double force[3], moment[3], area, centroid[3], pressure_max;
    double moment_exact[3]; // pressure integrated over the polygons; needs vertices
} tl_patch_sum;
void tl_patch_total(const tl_patch* p, const double* about, tl_patch_sum* out);
