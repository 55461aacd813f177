#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the cube of tests/scene/test_mesh_tets.c in every format that is read, with the programs that users have.

usage: python3 make.py   (needs meshio 5.3 and vtk 9 from PyPI; writes beside this file)
"""
import pathlib

import meshio
import numpy as np
import vtk

HERE = pathlib.Path(__file__).resolve().parent
POINTS = np.array([[0, 0, 0], [.1, 0, 0], [.1, .1, 0], [0, .1, 0], [0, 0, .1], [.1, 0, .1], [.1, .1, .1],
                   [0, .1, .1], [.05, .05, .05]])
SIDES = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [2, 3, 7], [2, 7, 6], [1, 2, 6],
         [1, 6, 5], [0, 4, 7], [0, 7, 3]]
TETS = np.array([[a, c, b, 8] for a, b, c in SIDES])

mesh = meshio.Mesh(POINTS, [("tetra", TETS)])
for name, keys in {"vtk42-ascii.vtk": dict(file_format="vtk42", binary=False),
                   "vtk42-binary.vtk": dict(file_format="vtk42", binary=True),
                   "vtk51-ascii.vtk": dict(file_format="vtk", binary=False),
                   "vtk51-binary.vtk": dict(file_format="vtk", binary=True),
                   "base64.vtu": dict(binary=True, compression=None),
                   "zlib.vtu": dict(binary=True, compression="zlib"),
                   "gmsh22-ascii.msh": dict(file_format="gmsh22", binary=False),
                   "gmsh22-binary.msh": dict(file_format="gmsh22", binary=True),
                   "gmsh41-ascii.msh": dict(file_format="gmsh", binary=False),
                   "gmsh41-binary.msh": dict(file_format="gmsh", binary=True)}.items():
    mesh.write(HERE / name, **keys)

grid, points = vtk.vtkUnstructuredGrid(), vtk.vtkPoints()
points.SetDataTypeToDouble()
for x in POINTS:
    points.InsertNextPoint(x)
grid.SetPoints(points)
for tet in TETS:
    grid.InsertNextCell(vtk.VTK_TETRA, 4, tet.tolist())
for name, mode, compress, base64, big in (("ascii.vtu", vtk.vtkXMLWriter.Ascii, False, False, False),
                                          ("raw.vtu", vtk.vtkXMLWriter.Appended, False, False, False),
                                          ("raw-big-endian.vtu", vtk.vtkXMLWriter.Appended, False, False, True),
                                          ("appended-base64.vtu", vtk.vtkXMLWriter.Appended, False, True, False),
                                          ("raw-zlib.vtu", vtk.vtkXMLWriter.Appended, True, False, False)):
    w = vtk.vtkXMLUnstructuredGridWriter()
    w.SetFileName(str(HERE / name))
    w.SetInputData(grid)
    w.SetDataMode(mode)
    w.SetEncodeAppendedData(base64)
    w.SetCompressorTypeToZLib() if compress else w.SetCompressorTypeToNone()
    w.SetBlockSize(1024)
    w.SetByteOrderToBigEndian() if big else w.SetByteOrderToLittleEndian()
    w.Write()
