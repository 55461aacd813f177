// SPDX-License-Identifier: MIT
// Private to the pictures: cameras, what a ray meets (render_hit.c), and contact patches (render_patch.c).
#pragma once

#include "patch_view.h"

typedef struct tl_camera {
    double eye[3], right[3], up[3], forward[3];
    double scale; // pixels per unit of tangent (perspective) or per metre (parallel)
    bool parallel;
    int32_t width, height;
} tl_camera;

/// What a camera sees of a picture's faces, a sample each (height x width).
typedef struct tl_patch_layer {
    float* depth;    // along `forward`; FLT_MAX: nothing
    float* pressure; // Pa
    int32_t* face;   // over all patches; -1: nothing
    double top;      // largest pressure of the faces seen, Pa: 0 to top are the colours
    bool edges;      // faces are large enough for lines between them
} tl_patch_layer;

/// Surfaces in front of the faces, a sample each: their depth and body (-1: none).
typedef struct tl_cover {
    const float* depth;
    const int32_t* body;
} tl_cover;

/// Draw the faces, nearest first, pressure linear over each. Behind a surface a face is seen if that surface belongs to
/// one of the two bodies that meet in it, and hidden otherwise. @param cover  NULL: nothing is in front
void tl_patch_layer_draw(const tl_camera* camera, const tl_patch_view* view, const tl_cover* cover,
                         tl_patch_layer* layer);
/// The layer's colour at sample (x, y) over `rgb`. @param covered  a surface is in front: a little of rgb is kept
/// @return false: no face there
bool tl_patch_layer_colour(const tl_patch_layer* layer, const tl_camera* camera, int32_t x, int32_t y,
                           bool covered, double* rgb);
/// Colour of u = 0 (no pressure) to 1, with even steps to the eye and to a printer without colours.
void tl_pressure_colour(double u, double* rgb);

// ---- render_hit.c
/// Points o + t d; d need not have length 1.
typedef struct tl_ray {
    double o[3], d[3];
} tl_ray;

/// First hit t > 0 of a ray from outside with a shape, all in its frame, and the unit normal there, outward; < 0: none. Meshes
/// are their convex hulls.
double tl_hit_shape(const tl_shape* s, const tl_ray* r, double* n);

// ---- render_hfield.c
/// First hit t >= 0 of the ray o + t d with a height field, all in its frame, and the normal there; < 0: none.
double tl_hit_hfield(const tl_hfield* h, const double* o, const double* d, double* n);
