// SPDX-License-Identifier: MIT
/// Contact patches of pressure fields (hydroelastic contact): two bodies in, convex polygons with pressure out. No
/// scene, no masses, no contact law beyond the stiffness and the overlap that a polygon stands for.
///
/// A compliant body has a pressure p(x) >= 0, linear in each tetrahedron of a mesh, 0 on its surface and E at its
/// deepest points. A and B meet where p_A(x) = p_B(x), or, where B is rigid, on B's surface inside A. Per polygon, with
/// area a, centroid pressure p0 and unit normal n from B into A (theory: src/README.md#patches):
///
///     gA = grad p_A . n,  gB = -grad p_B . n,  1/g = 1/gA + 1/gB     (a rigid side: infinite)
///     k = a g,  delta0 = p0 / g       one contact at the centroid; at rest its force k delta0 = a p0 along n on A
///     dp/dt = -g v_n                  v_n = n . (v_A - v_B) > 0: separating
///
/// Polygons with gA <= 0 or gB <= 0 (rims), or whose overlap p0/g is larger than the smaller body, make no contact: they
/// are kept, have k = delta0 = 0 and are counted in `left_out`.
#pragma once

#include <talus/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum talus_field_kind {
    TALUS_FIELD_COMPLIANT, ///< tetrahedra with pressure
    TALUS_FIELD_RIGID      ///< a surface
} talus_field_kind;

/// Shapes with their sizes in m, centred at the body's frame, axes along z.
typedef enum talus_field_shape {
    TALUS_FIELD_MESH,      ///< arrays of the definition, or a file
    TALUS_FIELD_SPHERE,    ///< radius
    TALUS_FIELD_ELLIPSOID, ///< three semi-axes
    TALUS_FIELD_BOX,       ///< three half sizes
    TALUS_FIELD_CYLINDER,  ///< radius, half length
    TALUS_FIELD_CAPSULE,   ///< radius, half the distance of the caps' centres
    TALUS_FIELD_HALF_SPACE ///< z < 0
} talus_field_shape;

/// Plain input of talus_field_create and talus_field_load; start from talus_field_default(). Arrays are copied.
typedef struct talus_field_def {
    uint32_t cookie;
    int32_t kind;           ///< talus_field_kind; default compliant
    int32_t shape;          ///< talus_field_shape; default mesh
    double size[3];         ///< of the shape, m
    double modulus;         ///< E of a compliant body, Pa
    double hint;            ///< edge length of the mesh made from a shape, m; boxes and half spaces need none
    double thickness;       ///< of a compliant half space, p = E depth / thickness, m
    const char* name;       ///< for messages; NULL: none
    int32_t nvert;          ///< mesh:
    int32_t nelement;       ///< tetrahedra (compliant) or triangles (rigid)
    const double* x;        ///< (nvert x 3) m
    const int32_t* element; ///< (nelement x 4) any orientation, or (nelement x 3) outward
    const double* p; ///< (nvert) pressures, Pa; NULL: E d / max d, d the distance to the boundary, 0 on it
} talus_field_def;

TALUS_API talus_field_def talus_field_default(void);

/// A compliant body or a rigid surface: immutable, any number of threads may read it.
typedef struct talus_field talus_field;

/// Mesh a shape (rules: src/patch/README.md), or take the arrays of a mesh.
/// @return OK, ERR_ARG (cookie, kind, shape), ERR_INPUT (a size, modulus or hint that is not positive, a mesh without
///         volume, pressure or area, an index out of range, a number that is not finite), ERR_NOMEM
TALUS_API talus_status talus_field_create(talus_context* ctx, const talus_field_def* def, talus_field** out);

/// The same from a file; shape, sizes and arrays of the definition are not used. Compliant: tetrahedra from VTK (.vtk,
/// .vtu) or Gmsh (.msh). Rigid: their boundary, or triangles from OBJ and, with assimp, STL, PLY, glTF and others.
/// @return also ERR_IO (cannot be opened), ERR_INPUT (names file, line or byte, and what was expected),
///         ERR_UNSUPPORTED (needs a library that this build does not have)
TALUS_API talus_status talus_field_load(talus_context* ctx, const char* path, const talus_field_def* def,
                                        talus_field** out);
TALUS_API void talus_field_destroy(talus_field* field);

/// What building a field found.
typedef struct talus_field_info {
    int32_t kind;       ///< talus_field_kind
    int32_t nv, ne;     ///< vertices; tetrahedra or triangles; 0: a half space
    int32_t degenerate; ///< elements of zero volume or area, dropped
    int32_t turned;     ///< tetrahedra whose orientation was reversed
    int32_t
        without_pressure; ///< tetrahedra whose four vertices lie on the boundary: split in four, or (with given
                          ///< pressures) kept
    double volume, area; ///< of tetrahedra, m^3; of triangles, m^2
} talus_field_info;
TALUS_API talus_field_info talus_field_get_info(const talus_field* field);

/// Where a body is: x_W = R x + p.
typedef struct talus_pose {
    double p[3]; ///< m
    double R[9]; ///< rotation matrix, row-major
} talus_pose;

typedef struct talus_patch_pair {
    const talus_field* a; ///< borrowed during the query
    const talus_field* b;
    talus_pose X_WA, X_WB;
} talus_patch_pair;

/// 0 for rigid with rigid, half space with half space, and a compliant half space with a compliant body: they have no
/// patch.
TALUS_API int32_t talus_patch_supported(const talus_field* a, const talus_field* b);

/// Plain input; start from talus_patch_default().
typedef struct talus_patch_options {
    uint32_t cookie;
    int32_t triangles; ///< 1: the triangles about each polygon's centroid instead of the polygon; same force
    int32_t vertices;  ///< 1: keep the polygons' corners
    int32_t cold;      ///< 1: no use of what the query before found; the same bits, for measurements
} talus_patch_options;
TALUS_API talus_patch_options talus_patch_default(void);

/// Results of the pairs of one query, and the memory to find them. One caller at a time.
typedef struct talus_patch_query talus_patch_query;

/// @param options  NULL: defaults; copied
TALUS_API talus_status talus_patch_query_create(talus_context* ctx, const talus_patch_options* options,
                                                talus_patch_query** out);
TALUS_API void talus_patch_query_destroy(talus_patch_query* query);

/// Find the patches of n pairs.
/// @return OK, ERR_ARG, ERR_INPUT (a pose that is not finite or not a rotation to 1e-6), ERR_UNSUPPORTED (a pair without
///         patch); each names the pair. After a failure there are no results.
/// Memory: grows to the largest query so far; a steady use allocates nothing. Threads: the context's tasks, one or more
/// pairs each; same bits for every number of threads.
TALUS_API talus_status talus_patch_query_run(talus_patch_query* query, int32_t n,
                                             const talus_patch_pair* pairs);

/// Polygons of pair i of the last query, world frame; arrays borrowed until the next query. count 0: no contact.
typedef struct talus_faces {
    int32_t count;
    const double* centroid; ///< (count x 3) m
    const double* normal;   ///< (count x 3) unit, from B into A
    const double* area;     ///< (count) m^2
    const double* pressure; ///< (count) at the centroid, Pa
    const double* k;        ///< (count) stiffness a g, N/m; 0: left out
    const double* delta0;   ///< (count) overlap p0 / g, m; 0: left out
    const int32_t*
        element_a; ///< (count) tetrahedra or triangles of A and B, in the field's own order; with `side` the
    const int32_t* element_b;      ///< identity of a face from pose to pose
    const int32_t* side;           ///< (count) of the elements that a triangle stands on, 0 for polygons
    const int32_t* nvertex;        ///< (count) corners, 0 unless kept
    const double* vertex;          ///< (sum of nvertex x 3) m, counter-clockwise about the normal
    const double* vertex_pressure; ///< (sum of nvertex) Pa
} talus_faces;
TALUS_API talus_faces talus_patch_query_faces(const talus_patch_query* query, int32_t i);

/// Sums over the polygons of a pair.
typedef struct talus_patch_sum {
    int32_t faces;          ///< all
    int32_t left_out;       ///< of them, that make no contact
    double left_out_area;   ///< m^2
    double area;            ///< of all, m^2
    double centroid[3];     ///< of all, m
    double force[3];        ///< on A, sum of a p0 n over all faces, N; -force acts on B
    double moment[3];       ///< of the same forces at the centroids, about the given point, N m
    double moment_exact[3]; ///< of the pressure integrated over the faces, N m; needs vertices
    double stiffness;       ///< sum of k, N/m
    double pressure_max;    ///< at centroids, Pa
    int64_t candidates;     ///< pairs of elements that came near
} talus_patch_sum;
/// @param about  (3) world, NULL: the origin
TALUS_API talus_patch_sum talus_patch_query_sum(const talus_patch_query* query, int32_t i,
                                                const double* about);

#ifdef __cplusplus
}
#endif
