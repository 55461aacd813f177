# SPDX-License-Identifier: MIT
"""Tetrahedral meshes as meshio (PyPI) writes them, in every format and encoding it has, read back: the same arrays.

environment: TALUS_DUMP_MESH: the program dump_mesh
"""
import json
import os
import subprocess
import tempfile
import unittest

try:
    import meshio
    import numpy as np
except ImportError as e:
    raise unittest.SkipTest(str(e))

DUMP = os.environ.get("TALUS_DUMP_MESH", "dump_mesh")

# what meshio.write takes: name of the file, keywords
WRITERS = {
    "vtk 4.2 ascii": ("m.vtk", dict(file_format="vtk42", binary=False)),
    "vtk 4.2 binary": ("m.vtk", dict(file_format="vtk42", binary=True)),
    "vtk 5.1 ascii": ("m.vtk", dict(file_format="vtk", binary=False)),
    "vtk 5.1 binary": ("m.vtk", dict(file_format="vtk", binary=True)),
    "vtu ascii": ("m.vtu", dict(binary=False)),
    "vtu base64": ("m.vtu", dict(binary=True, compression=None)),
    "vtu base64, 64-bit header": ("m.vtu", dict(binary=True, compression=None, header_type="UInt64")),
    "vtu zlib": ("m.vtu", dict(binary=True, compression="zlib")),
    "vtu zlib, 64-bit header": ("m.vtu", dict(binary=True, compression="zlib", header_type="UInt64")),
    "gmsh 2.2 ascii": ("m.msh", dict(file_format="gmsh22", binary=False)),
    "gmsh 2.2 binary": ("m.msh", dict(file_format="gmsh22", binary=True)),
    "gmsh 4.1 ascii": ("m.msh", dict(file_format="gmsh", binary=False)),
    "gmsh 4.1 binary": ("m.msh", dict(file_format="gmsh", binary=True)),
}


def brick(n, rng):
    """n x n x n cubes of six tetrahedra each (Kuhn), vertices moved a little and in any order."""
    grid = np.stack(np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij"), -1).reshape(-1, 3)
    index = {tuple(p): i for i, p in enumerate(grid)}
    tets = []
    for cell in np.ndindex(n, n, n):
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
            p = np.array(cell)
            row = [index[tuple(p)]]
            for k in order:
                p[k] += 1
                row.append(index[tuple(p)])
            tets.append(row)
    points = 0.1 * grid + rng.uniform(-0.01, 0.01, grid.shape)
    shuffle = rng.permutation(len(points))
    back = np.argsort(shuffle)
    return points[shuffle], back[np.array(tets)]


def read(path):
    p = subprocess.run([DUMP, path], capture_output=True, text=True, timeout=60)
    if "this build has no zlib" in p.stderr:
        raise unittest.SkipTest(p.stderr)
    if p.returncode:
        raise AssertionError(p.stderr)
    out = json.loads(p.stdout)
    return (np.array(out["vert"]).reshape(-1, 3), np.array(out["tet"], int).reshape(-1, 4),
            np.array(out["face"], int).reshape(-1, 3), out["unused"])


def six_volumes(points, tets):
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)


class Meshio(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, cells, points, name, keys):
        path = os.path.join(self.folder, name)
        data, cell_data = {}, {}
        if keys.get("file_format") == "gmsh" and len({kind for kind, _ in cells}) > 1:
            data = {"gmsh:dim_tags": np.tile([3, 1], (len(points), 1))}  # wanted by this writer
            numbers = [np.full(len(rows), i + 1) for i, (_, rows) in enumerate(cells)]
            cell_data = {"gmsh:geometrical": numbers, "gmsh:physical": numbers}
        meshio.Mesh(points, cells, point_data=data, cell_data=cell_data).write(path, **keys)
        return path

    def same_points(self, what, got, want):
        # to the last bit, but for the one writer that rounds to 12 digits
        self.assertEqual(got.shape, want.shape, what)
        tol = 1e-11 * np.abs(want).max() if what == "vtu ascii" else 0
        self.assertLessEqual(np.abs(got - want).max(), tol, what)

    def test_every_writer(self):
        rng = np.random.default_rng(1)
        points, tets = brick(3, rng)
        marks = [("vertex", np.array([[0], [5]])), ("line", np.array([[0, 1], [1, 2]])),
                 ("triangle", tets[:7, :3]), ("tetra", tets[:50]), ("tetra", tets[50:])]
        for what, (name, keys) in WRITERS.items():
            with self.subTest(what):
                if "64-bit" in what and "header_type" not in meshio.vtu._vtu.write.__code__.co_varnames:
                    self.skipTest("this meshio has one header type")
                vert, tet, face, unused = read(self.write(marks, points, name, keys))
                self.same_points(what, vert, points)
                self.assertTrue(np.array_equal(tet, tets), what)
                self.assertEqual(unused, 0)
                # the surface is closed and outward: its volume is that of the tetrahedra
                a, b, c = (vert[face[:, k]] for k in range(3))
                enclosed = np.einsum("ij,ij->i", np.cross(a, b), c).sum()
                self.assertAlmostEqual(enclosed, np.abs(six_volumes(points, tets)).sum(), delta=1e-12)

    def test_single_precision_and_64_bit_indices(self):
        points, tets = brick(1, np.random.default_rng(2))
        points = points.astype(np.float32)
        for what in ("vtk 4.2 binary", "vtk 5.1 binary", "vtu ascii", "vtu base64", "vtu zlib"):
            for kind in (np.int32, np.int64):
                with self.subTest(f"{what} {kind}"):
                    name, keys = WRITERS[what]
                    vert, tet, _, _ = read(self.write([("tetra", tets.astype(kind))], points, name, keys))
                    self.assertTrue(np.array_equal(vert.astype(np.float32), points))
                    self.assertTrue(np.array_equal(tet, tets))

    def test_unused_points_are_dropped(self):
        points, tets = brick(1, np.random.default_rng(3))
        more = np.concatenate([[[9, 9, 9]], points, [[8, 8, 8]]])
        for what, (name, keys) in WRITERS.items():
            if "64-bit" in what:
                continue
            with self.subTest(what):
                vert, tet, _, unused = read(self.write([("tetra", tets + 1)], more, name, keys))
                self.assertEqual(unused, 2)
                self.same_points(what, vert, points)
                self.assertTrue(np.array_equal(tet, tets))

    def test_other_solids_are_counted(self):
        points, tets = brick(1, np.random.default_rng(4))
        for what, (name, keys) in WRITERS.items():
            if "64-bit" in what:
                continue
            with self.subTest(what):
                path = self.write([("tetra", tets), ("hexahedron", np.arange(8)[None]),
                                   ("wedge", np.arange(6)[None])], points, name, keys)
                with self.assertRaisesRegex(AssertionError, r"1 hexahedra, 1 (wedges|prisms); expected: tetrahedra"):
                    read(path)

    def test_surfaces_of_triangles(self):
        points, tets = brick(1, np.random.default_rng(5))
        for what, (name, keys) in WRITERS.items():
            if "64-bit" in what:
                continue
            with self.subTest(what):
                vert, tet, face, _ = read(self.write([("triangle", tets[:, :3])], points, name, keys))
                self.assertEqual(len(tet), 0)
                self.assertTrue(np.array_equal(face, tets[:, :3]))
                self.same_points(what, vert, points)


if __name__ == "__main__":
    unittest.main()
