# SPDX-License-Identifier: MIT
"""talus patches: cases as data against Drake's contact surfaces (shared data), closed forms, and bad input."""
import json
import math
import unittest

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

    def test_vtu(self):
        path = self.path("ball.vtu")
        faces = run_json("patches", "--cases", self.cases(BALL), "--vtu", path)["cases"][0]["polygon"]["num_faces"]
        import xml.etree.ElementTree as tree
        piece = tree.parse(path).getroot().find("UnstructuredGrid/Piece")
        self.assertEqual(int(piece.get("NumberOfCells")), faces)
        points = int(piece.get("NumberOfPoints"))
        arrays = {a.get("Name"): (a.text or "").split() for a in piece.iter("DataArray")}
        self.assertEqual(len(arrays["connectivity"]), points)
        self.assertEqual(int(arrays["offsets"][-1]), points)
        self.assertEqual(len(arrays["normal"]), 3 * faces)
        self.assertEqual(set(arrays["types"]), {"7"})

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


if __name__ == "__main__":
    unittest.main()
