# SPDX-License-Identifier: MIT
"""talus patches: cases as data against Drake's contact surfaces (shared data), closed forms, and bad input; talus run
--patches: a run's patches as VTK files that VTK itself reads."""
import base64
import json
import math
import os
import struct
import unittest
import xml.etree.ElementTree as tree

import numpy as np

from common import Case, run, run_json, shared

BALL = {"name": "ball", "A": {"type": "compliant", "shape": "sphere", "dims": [0.1], "E": 1e6, "hint": 0.01},
        "B": {"type": "rigid", "shape": "halfspace"},
        "X_WA_xyz_rpy": [0, 0, 0.09, 0, 0, 0], "X_WB_xyz_rpy": [0, 0, 0, 0, 0, 0]}
BOX = {"name": "box", "A": {"type": "compliant", "shape": "box", "dims": [0.2, 0.2, 0.1], "E": 1e7},
       "B": {"type": "rigid", "shape": "halfspace"},
       "X_WA_xyz_rpy": [0.5, 0.25, 0.049, 0, 0, 0.3], "X_WB_xyz_rpy": [0, 0, 0, 0, 0, 0]}
SEEN = ("total_area", "centroid", "force_on_M_W", "moment_about_Wo_centroid_rule", "moment_about_Wo_exact",
        "sum_stiffness_Ag")


class Patches(Case):
    def cases(self, *cases):
        return self.write("cases.json", json.dumps({"cases": cases}))

    def compare(self, name, got, want):
        faces = want.get("num_faces") or 0
        self.assertEqual(got["num_faces"], faces, name)
        if not faces:
            return
        force = np.linalg.norm(want["force_on_M_W"])
        length = max(np.linalg.norm(want["centroid"]), math.sqrt(want["total_area"]))
        scale = {"total_area": want["total_area"], "centroid": length, "force_on_M_W": force,
                 "sum_stiffness_Ag": want["sum_stiffness_Ag"]}
        for key in SEEN:
            off = np.linalg.norm(np.subtract(got[key], want[key]))
            self.assertLessEqual(off, 1e-9 * scale.get(key, force * length), f"{name}: {key}")

    def test_reference(self):
        path = shared("data", "hydro_reference.json")
        with open(path) as f:
            reference = json.load(f)["cases"]
        got = run_json("patches", "--cases", path)["cases"]
        self.assertEqual([c["name"] for c in got], [c["name"] for c in reference])
        for g, w in zip(got, reference):
            for mesh in ("mesh_A", "mesh_B"):
                self.assertEqual(g[mesh] is None, w[mesh] is None)
                for key in w[mesh] or ():
                    if key in ("volume", "area"):
                        self.near(g[mesh][key], w[mesh][key], 1e-9 * w[mesh][key])
                    else:
                        self.assertEqual(g[mesh][key], w[mesh][key], f"{w['name']}: {mesh} {key}")
            self.compare(w["name"] + ", polygons", g["polygon"], w["polygon"])
            self.compare(w["name"] + ", triangles", g["triangle"], w["triangle"])
            a, b = g["polygon"]["force_on_M_W"], g["triangle"]["force_on_M_W"]
            self.assertLessEqual(np.linalg.norm(np.subtract(a, b)), 1e-12 * np.linalg.norm(a) + 1e-300)

    def test_reference_meshes(self):
        # the reference program's own meshes as given tetrahedra and triangles, with the pressures of our rules
        with open(shared("data", "hydro_meshes.json")) as f:
            meshes = json.load(f)
        with open(shared("data", "hydro_reference.json")) as f:
            reference = json.load(f)["cases"]

        def body(spec):
            if spec["shape"] == "halfspace":
                return dict(spec)
            for m in meshes:
                same = all(m["spec"].get(k) == spec.get(k) for k in ("type", "shape", "dims"))
                # boxes have one mesh whatever the hint
                if same and (spec["shape"] == "box" or m["spec"].get("hint") == spec.get("hint")):
                    out = {"type": spec["type"], "shape": "mesh", "vertices": m["vertices"]}
                    if m["kind"] == "tri":
                        return dict(out, tris=m["tris"])
                    return dict(out, tets=m["tets"], E=spec["E"])
            return None

        pairs = [(c, body(c["A"]), body(c["B"])) for c in reference]
        pairs = [(c, a, b) for c, a, b in pairs if a and b]
        self.assertGreater(len(pairs), 4)
        path = self.cases(*[dict(c, A=a, B=b) for c, a, b in pairs])
        got = run_json("patches", "--cases", path)["cases"]
        for g, (w, _, _) in zip(got, pairs):
            self.compare(w["name"], g["polygon"], w["polygon"])

    def test_closed_forms(self):
        got = run_json("patches", "--cases", self.cases(BALL, BOX))["cases"]
        ball, box = got[0]["polygon"], got[1]["polygon"]
        self.near(ball["force_on_M_W"][2], 283.72, 0.005)  # Drake on the same mesh; 293.2153 in the limit
        self.near(box["force_on_M_W"][2], 7920.2666667, 1e-6)
        self.near(box["centroid"][0], 0.5, 1e-12)
        self.near(box["moment_about_Wo_exact"][0], 0.25 * 7920.2666667, 1e-6)

    def test_mesh_files(self):
        # surfaces and tetrahedra from files give what their arrays give in the file of cases
        v = [[x, y, z] for z in (-.1, .1) for x, y in ((-.1, -.1), (.1, -.1), (.1, .1), (-.1, .1))]
        t = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [2, 3, 7], [2, 7, 6], [1, 2, 6],
             [1, 6, 5], [0, 4, 7], [0, 7, 3]]
        rows = lambda r, head="": "".join(head + " ".join(map(str, x)) + "\n" for x in r)
        self.write("box.obj", rows(v, "v ") + rows([[i + 1 for i in f] for f in t], "f "))
        self.write("box.ply", "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
                   "property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n" +
                   rows(v) + rows([[3] + f for f in t]))
        self.write("box.stl", "solid box\n" + "".join(
            "facet normal 0 0 0\nouter loop\n" + rows([v[i] for i in f], "vertex ") + "endloop\nendfacet\n"
            for f in t) + "endsolid box\n")
        data = np.array(v, "<f4").tobytes() + np.array(t, "<u2").tobytes()
        self.write("box.gltf", json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," +
                         base64.b64encode(data).decode()}],
            "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": v[0],
                           "max": v[6]},
                          {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}]}))
        tets = [[a, c, b, 8] for a, b, c in t]
        self.write("box.vtk", "# vtk DataFile Version 3.0\nbox\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9 double\n" +
                   rows(v + [[0, 0, 0]]) + "CELLS 12 60\n" + rows([[4] + x for x in tets]) + "CELL_TYPES 12\n" +
                   "10\n" * 12)
        ball = dict(BALL["A"])
        rigid = lambda **keys: dict({"type": "rigid", "shape": "mesh"}, **keys)
        soft = lambda **keys: dict({"type": "compliant", "shape": "mesh", "E": 1e6}, **keys)
        case = lambda name, body: {"name": name, "A": ball, "B": body, "X_WA_xyz_rpy": [0.03, 0.02, 0.19, 0, 0, 0],
                                   "X_WB_xyz_rpy": [0, 0, 0, 0, 0, 0.1]}
        path = self.cases(case("inline", rigid(vertices=v, tris=t)), case("obj", rigid(file="box.obj")),
                          case("absolute", rigid(file=self.path("box.obj"))),
                          case("boundary", rigid(file="box.vtk")),
                          case("tets inline", soft(vertices=v + [[0, 0, 0]], tets=tets)),
                          case("tets", soft(file="box.vtk")))
        got = {c["name"]: c for c in run_json("patches", "--cases", path)["cases"]}
        self.assertGreater(got["inline"]["polygon"]["num_faces"], 10)
        for name, like in (("obj", "inline"), ("absolute", "inline"), ("boundary", "inline"), ("tets", "tets inline")):
            for key in SEEN:
                off = np.max(np.abs(np.subtract(got[name]["polygon"][key], got[like]["polygon"][key])))
                self.assertLessEqual(off, 1e-12 * np.max(np.abs(got[like]["polygon"][key])), f"{name} {key}")
        self.assertEqual(got["tets"]["mesh_B"]["kind"], "tet")
        self.assertEqual(got["tets"]["mesh_B"]["ne"], 12)
        # single precision, and a library that may be missing
        for name in ("box.stl", "box.ply", "box.gltf"):
            p = run("patches", "--cases", self.cases(case(name, rigid(file=name))), "--json", code=None)
            if "no assimp" in p.stderr:
                continue
            poly = json.loads(p.stdout)["cases"][0]["polygon"]
            for key in ("total_area", "force_on_M_W"):
                want = got["inline"]["polygon"][key]
                off = np.max(np.abs(np.subtract(poly[key], want)))
                self.assertLessEqual(off, 1e-5 * np.max(np.abs(want)), f"{name} {key}")
        self.write("bad.vtk", "# vtk DataFile Version 3.0\nbox\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0\n")
        for body, words, code in (
                (soft(file="box.obj"), "B: " + self.path("box.obj") + ": no tetrahedra, only 12 triangles", 2),
                (soft(file="bad.vtk"), "bad.vtk: line 7: POINTS: the file ends too early", 2),
                (soft(file="none.msh"), "none.msh: cannot be opened: No such file", 3),
                (soft(file="box.vtk", E=0), "E = 0 Pa, expected a positive", 2),
                (soft(file="box.vtk", tets=tets), "B: file and tets exclude each other", 2),
                (rigid(file=3), "B: file: the path of a mesh file is wanted", 2)):
            self.assertIn(words, run("patches", "--cases", self.cases(case("x", body)), code=code).stderr)

    def test_vtu(self):
        path = self.path("ball.vtu")
        faces = run_json("patches", "--cases", self.cases(BALL), "--vtu", path)["cases"][0]["polygon"]["num_faces"]
        piece = tree.parse(path).getroot().find("UnstructuredGrid/Piece")
        self.assertEqual(int(piece.get("NumberOfCells")), faces)
        points = int(piece.get("NumberOfPoints"))
        arrays = {a.get("Name"): (a.text or "").split() for a in piece.iter("DataArray")}
        self.assertEqual(len(arrays["connectivity"]), points)
        self.assertEqual(int(arrays["offsets"][-1]), points)
        self.assertEqual(len(arrays["normal"]), 3 * faces)
        self.assertEqual(set(arrays["types"]), {"7"})

    def test_picture(self):
        path, png = self.cases(BALL, BOX, dict(BALL, name="far", X_WA_xyz_rpy=[0, 0, 1, 0, 0, 0])), self.path("p.png")
        if "without cairo" in run("patches", "--cases", path, "--case", "far", "--picture", png, code=None).stderr:
            self.skipTest("built without cairo")
        for case, faces in (("ball", 136), ("far", 0)):
            out, = run_json("patches", "--cases", path, "--case", case, "--picture", png)["cases"]
            self.assertEqual((out["name"], out["polygon"]["num_faces"]), (case, faces))
            with open(png, "rb") as f:
                head = f.read(24)
            self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", head[16:]), (1200, 860))
        for more, words in (((), "--picture shows one case of 3; name it with --case"),
                            (("--case", "cube"), "there is no case 'cube'")):
            self.assertIn(words, run("patches", "--cases", path, "--picture", png, *more, code=2).stderr)
        self.assertIn("none/p.png: cannot be written", run("patches", "--cases", path, "--case", "ball", "--picture",
                                                           self.path("none/p.png"), code=3).stderr)

    def test_bad_input(self):
        for change, words in (({"A": dict(BALL["A"], shape="torus")}, "shape is 'torus', expected sphere"),
                              ({"A": dict(BALL["A"], type="soft")}, "type is 'soft', expected compliant or rigid"),
                              ({"A": dict(BALL["A"], dims=[0.1, 0.2])}, "an array of 1 numbers"),
                              ({"A": dict(BALL["A"], dims=[-1])}, "expected positive lengths"),
                              ({"A": dict(BALL["A"], E=-1)}, "positive hydroelastic modulus"),
                              ({"A": dict(BALL["A"], hint=0)}, "hint = 0 m"),
                              ({"A": dict(BALL["A"], type="rigid")}, "have no patch"),
                              ({"X_WA_xyz_rpy": [0, 0, "high", 0, 0, 0]}, "X_WA_xyz_rpy: value 2 is not a number"),
                              ({"B": {"type": "compliant", "shape": "halfspace", "E": 1e5}}, "thickness = 0 m")):
            p = run("patches", "--cases", self.cases(dict(BALL, **change)), code=2)
            self.assertIn(words, p.stderr)
            self.assertIn("cases.json", p.stderr) if "case 'ball'" not in p.stderr else None
        self.assertIn("--cases FILE.json is missing", run("patches", code=2).stderr)
        self.assertIn("array \"cases\"", run("patches", "--cases", self.write("x.json", "{}"), code=2).stderr)


DISC = """<mujoco><option timestep="0.001"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="disc" pos="0.2 0.1 %g"><freejoint/><geom name="disc" type="cylinder" size="0.05 0.01" mass="1"/></body>
</worldbody><custom><text name="talus.default" data="mu=0.3 d=10"/>
<text name="talus.geom.floor" data="contact=rigid"/>
<text name="talus.geom.disc" data="contact=compliant E=1e6 hint=0.01"/></custom></mujoco>"""


class Series(Case):
    """Files of a run, read by VTK."""

    def read(self, path):
        try:
            import vtk
            from vtk.util.numpy_support import vtk_to_numpy
        except ImportError:
            raise unittest.SkipTest("no VTK")
        reader = vtk.vtkXMLUnstructuredGridReader()
        errors = []
        reader.AddObserver("ErrorEvent", lambda *e: errors.append(e))
        reader.AddObserver("WarningEvent", lambda *e: errors.append(e))
        reader.SetFileName(path)
        reader.Update()
        self.assertEqual(errors, [])
        grid = reader.GetOutput()
        data = grid.GetCellData()
        out = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
        out["corners"] = [vtk_to_numpy(grid.GetCell(i).GetPoints().GetData()).copy()
                          for i in range(grid.GetNumberOfCells())]
        out["time"] = grid.GetFieldData().GetArray("TimeValue").GetValue(0)
        return out

    def files(self):
        sets = tree.parse(self.path("f.pvd")).getroot().findall("Collection/DataSet")
        return [(float(s.get("timestep")), self.path(s.get("file"))) for s in sets]

    def test_frames_and_times(self):
        scene = self.write("disc.xml", DISC % 0.0099)
        want = run_json("run", scene, "--time", 0.1)["state_hash"]
        out = run_json("run", scene, "--time", 0.1, "--patches", self.path("f_%04d.vtu"), "--rate", 40)
        self.assertEqual(out["state_hash"], want)  # looking changes nothing
        files = self.files()
        self.assertEqual([os.path.basename(f) for _, f in files], [f"f_{i:04d}.vtu" for i in range(5)])
        for (t, f), time in zip(files, (0, 0.025, 0.05, 0.075, 0.1)):
            self.near(t, time, 1e-12)
            self.assertTrue(os.path.exists(f))
        # a rate above one a step: one a step; and the last state whatever the rate
        run("run", scene, "--time", 0.005, "--patches", self.path("f_%d.vtu"), "--rate", 1e6)
        self.assertEqual(len(self.files()), 6)
        run("run", scene, "--time", 0.005, "--patches", self.path("f.%d.vtu"), "--rate", 1)
        self.assertEqual([round(1000 * t) for t, _ in self.files()], [0, 5])

    def test_weight_and_areas(self):
        scene = self.write("disc.xml", DISC % 0.0099)
        for option in ("polygon", "triangle"):
            run("run", scene, "--time", 0.5, "--patches", self.path("f%d.vtu"), "--rate", 2, "--set",
                f"contact.patch={option}")
            time, last = self.files()[-1]
            g = self.read(last)
            self.near(g["time"], time, 1e-15)
            force = (g["area"][:, None] * g["traction"]).sum(0)
            self.near(force[2], -9.81, 1e-4)  # on the floor, geom and body 0
            self.assertEqual({*g["geom_A"], *g["body_A"]}, {0})
            self.assertEqual({*g["geom_B"], *g["body_B"]}, {1})
            self.assertTrue(np.all(g["traction"][g["contact"] == 0] == 0))
            for i, x in enumerate(g["corners"]):
                # Newell: the sum of cross products is twice the area along the normal of a counter-clockwise polygon
                twice = sum(np.cross(x[k] - x[0], x[k + 1] - x[0]) for k in range(1, len(x) - 1))
                np.testing.assert_allclose(twice / 2, g["area"][i] * g["normal"][i], rtol=1e-6, atol=1e-15)

    def test_slip_and_friction(self):
        scene = self.write("disc.xml", DISC % 0.0099)
        state = self.write("s.json", {"bodies": {"disc": {"linvel": [0.5, 0, 0], "angvel": [0, 0, 20]}}})
        run("run", scene, "--time", 0, "--state", state, "--patches", self.path("f%d.vtu"))
        g = self.read(self.files()[0][1])
        middle = np.array([np.mean(x, 0) for x in g["corners"]])
        flat = g["contact"] == 1  # the rim has faces that stand upright
        self.assertGreater(flat.sum(), 20)
        three = np.array([len(x) == 3 for x in g["corners"]])
        self.assertGreater((flat & three).sum(), 10)
        arm = middle - np.array([0.2, 0.1, 0])
        slip = -np.stack([0.5 - 20 * arm[:, 1], 20 * arm[:, 0], 0 * arm[:, 0]], 1)  # of the floor past the disc
        np.testing.assert_allclose(g["slip"][flat & three], slip[flat & three], atol=1e-9)
        # far above the stiction tolerance: mu times the pressure, against the slip
        normal = -g["pressure"][flat]
        np.testing.assert_allclose(g["traction"][flat][:, 2], normal, rtol=1e-9)
        speed = np.linalg.norm(g["slip"][flat], axis=1)[:, None]
        np.testing.assert_allclose(g["traction"][flat][:, :2],
                                   (0.3 * normal[:, None] * g["slip"][flat] / speed)[:, :2], rtol=1e-9, atol=1e-6)

    def test_no_patch_yet(self):
        run("run", self.write("disc.xml", DISC % 0.5), "--time", 0.01, "--patches", self.path("f%d.vtu"))
        self.assertEqual(len(self.read(self.files()[-1][1])["corners"]), 0)

    def test_bad_patterns(self):
        scene = self.write("disc.xml", DISC % 0.0099)
        for name, words in (("f.vtu", "no place in the name"), ("f%s.vtu", "'%s' is not %d"),
                            ("f%d", "does not end in .vtu"), ("f%d_%d.vtu", "two numbers"),
                            ("%d/f.vtu", "in a folder's name"), ("f%999d.vtu", "'%999' is not %d")):
            p = run("run", scene, "--time", 0.01, "--patches", self.path(name), code=2)
            self.assertIn(words, p.stderr)
            self.assertIn("expected a pattern like run%05d.vtu", p.stderr)
        self.assertIn("none/f.pvd: cannot be written: No such file",
                      run("run", scene, "--patches", self.path("none/f%d.vtu"), code=3).stderr)
        bare = self.write("bare.xml", '<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
        self.assertIn("no pressure fields", run("run", bare, "--patches", self.path("f%d.vtu"), code=2).stderr)
        self.assertIn("--rate: '0'", run("run", scene, "--patches", self.path("f%d.vtu"), "--rate", 0, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
