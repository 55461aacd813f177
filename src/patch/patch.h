// SPDX-License-Identifier: MIT
// Pressure-field (hydroelastic) contact patches (theory: src/README.md#patches): two bodies' fields in, convex
// polygons with pressure out. No masses, no materials beyond the hydroelastic modulus, no contact law.
#pragma once

#include <talus/patch.h>
#include "geometry.h"

typedef enum tl_field_kind {
    TL_FIELD_COMPLIANT,      // tetrahedra with a pressure at each vertex, linear inside
    TL_FIELD_RIGID,          // triangles, outward
    TL_FIELD_HALF_COMPLIANT, // z < 0, pressure -E z / thickness, not meshed
    TL_FIELD_HALF_RIGID      // z < 0
} tl_field_kind;

/// One body's side of a patch: built once, then read by any number of threads. Opaque: patch/field.h. What building
/// one found: counts for reports; what is refused fails with a message that names it.
typedef talus_field tl_field;
typedef talus_field_info tl_field_info;

typedef struct tl_field_spec {
    int32_t kind;     // TL_FIELD_COMPLIANT or TL_FIELD_RIGID; a plane gives the half space of that kind
    double modulus;   // E, pressure at the deepest points                                           Pa
    double hint;      // resolution hint: edge length of the mesh                                    m
    double thickness; // of a compliant half space                                                   m
} tl_field_spec;

/// Mesh a primitive by the rules of src/patch/README.md; meshes and height fields are refused.
/// @param name for messages
talus_status tl_field_from_shape(talus_context* ctx, const tl_shape* shape, const tl_field_spec* spec,
                                 const char* name, tl_field** out);
/// Tetrahedra of a file. All arrays are copied.
/// @param x (nv x 3) m   @param tet (ne x 4)   @param p (nv) Pa, or NULL: E times the distance to the surface
/// over the largest such distance
talus_status tl_field_from_tets(talus_context* ctx, int32_t nv, const double* x, int32_t ne,
                                const int32_t* tet, const double* p, double modulus, const char* name,
                                tl_field** out);
/// A closed convex surface: tetrahedra from its faces to its centroid, pressure E there and 0 on the surface.
talus_status tl_field_from_convex(talus_context* ctx, int32_t nv, const double* x, int32_t nt,
                                  const int32_t* tri, double modulus, const char* name, tl_field** out);
/// Any triangle mesh as a rigid surface, open ones too. @param x (nv x 3) m   @param tri (nt x 3), outward
talus_status tl_field_from_triangles(talus_context* ctx, int32_t nv, const double* x, int32_t nt,
                                     const int32_t* tri, const char* name, tl_field** out);
/// Triangles of the surface of tetrahedra, outward whichever way these are turned; flat ones are passed over.
/// @param tri (3 x *nt) out, allocated with tl_alloc
talus_status tl_surface_of(talus_context* ctx, int32_t ne, const int32_t* tet, const double* x, int32_t** tri,
                           int32_t* nt);
void tl_field_destroy(talus_context* ctx, tl_field* f);
tl_field_kind tl_field_get_kind(const tl_field* f);
const tl_field_info* tl_field_get_info(const tl_field* f);
/// Vertices (nv x 3), elements (ne x 4 or ne x 3) in an order of the field's own, and pressures (nv; NULL for
/// rigid), borrowed.
void tl_field_get_mesh(const tl_field* f, const double** x, const int32_t** element, const double** p);

/// False for rigid with rigid, half space with half space, compliant half space with compliant mesh.
bool tl_patch_supported(const tl_field* a, const tl_field* b);

typedef struct tl_patch_options {
    bool triangles; // the fan about each polygon's centroid instead of the polygon
    bool vertices;  // keep the polygons' vertices, for pictures and files
    bool cold;      // look for pairs of elements anew: the same result, for measurements
    bool rims;      // faces that make no contact get the steepest gradients of their elements, and make one
} tl_patch_options;

#define TL_POLYGON_MAX 8 // vertices: a section of a tetrahedron (4) cut by four planes

/// Pairs of leaves of two trees, kept for the next query (pairs.c): no result depends on what is kept. Memory: 24 bytes
/// for each pair of leaves that may meet, 768 for each leaf of B among these or between them.
typedef struct tl_leaf_list {
    int64_t n, nkept;
    int32_t (*pair)[2];      // leaf of A, leaf of B: those of this query, in rising order
    int32_t (*sorted)[2];    // scratch
    int32_t (*kept)[2];      // those that may be needed as long as nothing moves by more than the margin
    int32_t* at;             // scratch
    struct tl_leaf_box* box; // of the elements of B, from leaf first_b on
    int32_t first_b;
    uint64_t of[2];                                       // keys of the fields
    double R[9], t[3];                                    // of the last query
    double kept_R[9], kept_t[3], margin, pressure, slack; // of the list; margin < 0: none
    int64_t cap, sorted_cap, kept_cap, at_cap, box_cap;
} tl_leaf_list;

/// Faces of one pair of bodies, one array per field. Zero it before the first use; grown by tl_patch_collide
/// through ctx, so warm steps allocate nothing.
typedef struct tl_patch {
    int32_t n;
    double* centroid;       // (n x 3) world                                                      m
    double* normal;         // (n x 3) unit, from B into A
    double* area;           // (n)                                                                m^2
    double* pressure;       // (n) at the centroid                                                Pa
    double *ga, *gb;        // (n) pressure gradients along the normal, INFINITY for a rigid side Pa/m
    int32_t *ea, *eb;       // (n) elements of A and B, 0 for half spaces; with `side` the face's identity
    int32_t* side;          // (n) fans: the side, A's 0 to 3 or B's 4 to 7, under a triangle; else 0
    double* vertex;         // (sum of nvertex x 3) world, counter-clockwise about the normal     m
    double* vertex_p;       // (sum of nvertex) pressure                                          Pa
    int32_t* nvertex;       // (n) 0 unless vertices are kept
    bool reused;            // the list of leaves of an earlier query was good for this one
    int64_t boxes;          // pairs of boxes compared
    double t_trees, t_clip; // s
    int64_t candidates;     // pairs of elements whose boxes overlap
    int64_t met;            // of those, clipped; 0 with half spaces
    int64_t careful;        // of those, clipped corner by corner: in special position
    int32_t left_out;       // faces that make no contact: see tl_patch_is_contact
    double left_out_area;
    double size;  // of the smaller body, m
    void* memory; // owns the arrays
    int64_t cap, vertex_cap, cand_cap;
    int32_t* cand; // pairs of elements whose boxes overlap; with half spaces single elements
    tl_leaf_list leaves;
} tl_patch;

/// Faces of A against B: the pressure of both is equal there (or the compliant side's at a rigid surface).
/// All that pass the angle tests, however small; the order is a function of the two fields and poses only.
talus_status tl_patch_collide(talus_context* ctx, const tl_field* a, const tl_pose* Xa, const tl_field* b,
                              const tl_pose* Xb, const tl_patch_options* options, tl_patch* out);
void tl_patch_free(talus_context* ctx, tl_patch* p);

/// Overlap of the two bodies along the least of some directions, m; negative where one of these separates them. It is no
/// less than the depth of any face.
double tl_patch_overlap(const tl_field* a, const tl_pose* Xa, const tl_field* b, const tl_pose* Xb);
/// Depth at which a field has its highest pressure, going down its steepest slope, m; INFINITY: rigid.
double tl_field_depth(const tl_field* f);

/// Faces of one pair of fields come in an order of their elements: -1, 0 or 1 as face i of p comes before face j of q,
/// has the same elements, or comes after it.
int tl_patch_compare(const tl_patch* p, int32_t i, const tl_patch* q, int32_t j);

/// True when face i makes a contact: both gradients along the normal are positive, and the overlap p/g that they
/// stand for is no larger than the body.
static inline bool tl_patch_is_contact(const tl_patch* p, int32_t i)
{
    return p->ga[i] > 0.0 && p->gb[i] > 0.0 && p->pressure[i] * (1.0 / p->ga[i] + 1.0 / p->gb[i]) <= p->size;
}

/// The contact that face i is, if it makes one: stiffness k = a g, N/m, and overlap p0 / g, m.
static inline void tl_patch_contact(const tl_patch* p, int32_t i, double* k, double* delta0)
{
    const double g = 1.0 / (1.0 / p->ga[i] + 1.0 / p->gb[i]);
    *k = p->area[i] * g;
    *delta0 = p->pressure[i] / g;
}

/// Sums over the faces; moments about `about`.
typedef talus_patch_sum tl_patch_sum;
void tl_patch_total(const tl_patch* p, const double* about, tl_patch_sum* out);
/// public.c: cookie and kind of a definition. @return OK, ERR_ARG
talus_status tl_field_check_def(talus_context* ctx, const talus_field_def* def);
/// public.c: patch i of a query, for files and pictures; borrowed until the next query.
const tl_patch* tl_patch_query_get(const talus_patch_query* query, int32_t i);
