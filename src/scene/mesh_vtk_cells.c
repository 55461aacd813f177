// SPDX-License-Identifier: MIT
// The cells of VTK's unstructured grids, by the numbers of vtkCellType.h.
#include "mesh_vtk_cells.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define MAX_NODES 4

const tl_cell_kind tl_vtk_kinds[] = {{1, 1, 0, "vertices"},
                                     {2, 0, 0, "poly-vertices"},
                                     {3, 2, 1, "lines"},
                                     {4, 0, 1, "poly-lines"},
                                     {5, 3, 2, "triangles"},
                                     {6, 0, 2, "triangle strips"},
                                     {7, 0, 2, "polygons"},
                                     {8, 4, 2, "pixels"},
                                     {9, 4, 2, "quadrilaterals"},
                                     {10, 4, 3, "tetrahedra"},
                                     {11, 8, 3, "voxels"},
                                     {12, 8, 3, "hexahedra"},
                                     {13, 6, 3, "wedges"},
                                     {14, 5, 3, "pyramids"},
                                     {15, 10, 3, "pentagonal prisms"},
                                     {16, 12, 3, "hexagonal prisms"},
                                     {21, 3, 1, "quadratic lines"},
                                     {22, 6, 2, "quadratic triangles"},
                                     {23, 8, 2, "quadratic quadrilaterals"},
                                     {24, 10, 3, "quadratic tetrahedra"},
                                     {25, 20, 3, "quadratic hexahedra"},
                                     {26, 15, 3, "quadratic wedges"},
                                     {27, 13, 3, "quadratic pyramids"},
                                     {28, 9, 2, "biquadratic quadrilaterals"},
                                     {29, 27, 3, "triquadratic hexahedra"},
                                     {34, 7, 2, "biquadratic triangles"},
                                     {41, 0, 3, "convex point sets"},
                                     {42, 0, 3, "polyhedra"},
                                     {68, 0, 1, "Lagrange lines"},
                                     {69, 0, 2, "Lagrange triangles"},
                                     {70, 0, 2, "Lagrange quadrilaterals"},
                                     {71, 0, 3, "Lagrange tetrahedra"},
                                     {72, 0, 3, "Lagrange hexahedra"},
                                     {73, 0, 3, "Lagrange wedges"},
                                     {74, 0, 3, "Lagrange pyramids"},
                                     {0, 0, 0, NULL}};

double tl_vtk_double(const tl_vtk_array* a, int64_t i)
{
    return tl_number_double(a->data, a->type, i, a->swap);
}

int64_t tl_vtk_int(const tl_vtk_array* a, int64_t i)
{
    return tl_number_int(a->data, a->type, i, a->swap);
}

// at number i of the array, which belongs to a cell of a counted list
static talus_status bad_at(const tl_vtk_array* a, int64_t i, int64_t cell, const char* fmt, ...)
    TL_PRINTF(4, 5);
static talus_status bad_at(const tl_vtk_array* a, int64_t i, int64_t cell, const char* fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tl_scan s = a->from;
    int32_t length;
    if (a->counted)
        i += cell + 1;
    if (a->encoded)
        return tl_scan_bad(&s, "%s", text);
    if (s.binary)
        s.p += i * (a->counted ? 4 : (int64_t)tl_number_size(a->type)); // such lists are of ints
    for (int64_t k = 0; k <= i && !s.binary; k++) {
        const char* word = tl_scan_word(&s, &length);
        if (word && k == i)
            s.p = word;
    }
    return tl_scan_bad(&s, "%s", text);
}

talus_status tl_vtk_points(const tl_vtk_array* points, double* x)
{
    for (int64_t i = 0; i < points->n; i++) {
        x[i] = tl_vtk_double(points, i);
        if (!isfinite(x[i]))
            return bad_at(points, i, 0, "point %lld is not finite", (long long)(i / 3));
    }
    return TALUS_OK;
}

talus_status tl_vtk_cells(tl_cells* c, int64_t first, int64_t nv, const tl_vtk_array* types,
                          const tl_vtk_array* ends, const tl_vtk_array* connectivity)
{
    int64_t at = 0;
    for (int64_t i = 0; i < types->n; i++) {
        const long long cell = i;
        const int64_t type = tl_vtk_int(types, i), end = tl_vtk_int(ends, i);
        const int32_t kind = tl_cell_find(c, type);
        if (kind < 0)
            return bad_at(types, i, i, "cell %lld has the unknown type %lld", cell, (long long)type);
        if (end < at || end > connectivity->n)
            return bad_at(ends, i, i, "cell %lld ends at %lld; expected: from %lld to %lld", cell,
                          (long long)end, (long long)at, (long long)connectivity->n);
        const tl_cell_kind* k = &c->kinds[kind];
        if (k->nodes && end - at != k->nodes)
            return bad_at(connectivity, at, i, "cell %lld, one of the %s, has %lld points; expected: %d",
                          cell, k->name, (long long)(end - at), k->nodes);
        int64_t node[MAX_NODES] = {0};
        for (int64_t j = 0; at < end; at++, j++) {
            const int64_t point = tl_vtk_int(connectivity, at);
            if (point < 0 || point >= nv)
                return bad_at(connectivity, at, i, "cell %lld names point %lld; expected: 0 to %lld", cell,
                              (long long)point, (long long)nv - 1);
            if (j < MAX_NODES)
                node[j] = first + point;
        }
        tl_cells_add(c, kind, node);
    }
    if (at != connectivity->n)
        return bad_at(connectivity, at, types->n, "a list of %lld points; expected: %lld, as all cells have",
                      (long long)connectivity->n, (long long)at);
    return TALUS_OK;
}
