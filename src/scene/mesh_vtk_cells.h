// SPDX-License-Identifier: MIT
// Private to the two VTK readers: cells by number of VTK, from arrays of types, ends and points.
#pragma once

#include "mesh_file.h"

/// Numbers of an array, wherever they came from.
typedef struct tl_vtk_array {
    int64_t n;
    tl_number type;
    bool swap;
    const char* data;
    // for messages
    tl_scan from; // where it begins
    bool encoded; // its numbers do not stand there one by one
    bool counted; // a list of cells: each one's number of points stands before them
} tl_vtk_array;

double tl_vtk_double(const tl_vtk_array* a, int64_t i);
int64_t tl_vtk_int(const tl_vtk_array* a, int64_t i);

/// Points of one piece, to x. @return ERR_INPUT: a coordinate that is not finite
talus_status tl_vtk_points(const tl_vtk_array* points, double* x);
/// Cells of one piece, to c: cell i has the points connectivity[ends[i - 1] .. ends[i]), counted from `first`.
/// @param nv  points of the piece
talus_status tl_vtk_cells(tl_cells* c, int64_t first, int64_t nv, const tl_vtk_array* types,
                          const tl_vtk_array* ends, const tl_vtk_array* connectivity);
extern const tl_cell_kind tl_vtk_kinds[];
