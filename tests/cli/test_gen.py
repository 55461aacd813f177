# SPDX-License-Identifier: MIT
"""talus gen: the families of the peer benchmarks, body for body; scenes that MuJoCo loads; reproducible text."""
import glob
import math
import os
import unittest
import xml.etree.ElementTree as xml

from common import Case, SOURCE, run, shared

KINDS = {"bin": 216, "spheres": 27, "boxes": 27, "clutter": 27, "bricks": 27, "stack": 5, "arms": 2, "chain": 32,
         "humanoids": 4}


def numbers(element):
    """Everything in an element: tags, names, and attribute values as numbers where they are."""
    out = []
    for e in element.iter():
        for name, value in sorted(e.attrib.items()):
            try:
                out.append((e.tag, name, [float(x) for x in value.split()]))
            except ValueError:
                out.append((e.tag, name, value))
    return out


class Families(Case):
    def test_equal_to_the_peer_scenes(self):
        files = glob.glob(os.path.join(shared("peers", "scenes"), "*.xml"))
        self.assertGreater(len(files), 20)
        for path in files:
            kind, n = os.path.basename(path)[:-4].split("-")
            got = numbers(xml.fromstring(run("gen", kind, "-n", n).stdout))
            want = numbers(xml.parse(path).getroot())
            self.assertEqual(len(got), len(want), path)
            for g, w in zip(got, want):
                self.assertEqual(g[:2], w[:2], path)
                if isinstance(w[2], list):
                    self.assertEqual(len(g[2]), len(w[2]))
                    for x, y in zip(g[2], w[2]):
                        self.near(x, y, 1e-8, (path, *w))
                else:
                    self.assertEqual(g[2], w[2])

    def test_seed(self):
        first = run("gen", "clutter", "-n", 27).stdout
        self.assertEqual(run("gen", "clutter", "-n", 27, "--seed", 0).stdout, first)
        other = run("gen", "clutter", "-n", 27, "--seed", 5).stdout
        self.assertNotEqual(other, first)
        self.assertEqual(run("gen", "clutter", "-n", 27, "--seed", 5).stdout, other)

    def test_file_equals_standard_output(self):
        run("gen", "bin", "-n", 8, "-o", self.path("b.xml"))
        with open(self.path("b.xml")) as f:
            self.assertEqual(f.read(), run("gen", "bin", "-n", 8).stdout)

    def test_shipped_scene_is_what_gen_writes(self):
        with open(os.path.join(SOURCE, "bench", "scenes", "bin-216.xml")) as f:
            self.assertEqual(f.read(), run("gen", "bin", "-n", 216).stdout)

    def test_unwritable_is_3(self):
        self.assertIn("none/a.xml", run("gen", "stack", "-n", 3, "-o", self.path("none/a.xml"), code=3).stderr)
        if os.path.exists("/dev/full"):
            self.assertIn("No space", run("gen", "spheres", "-n", 216, "-o", "/dev/full", code=3).stderr)


class Mujoco(Case):
    def setUp(self):
        super().setUp()
        try:
            import mujoco
        except ImportError:
            self.skipTest("no mujoco")
        self.mujoco = mujoco

    def load(self, kind, n):
        return self.mujoco.MjModel.from_xml_string(run("gen", kind, "-n", n).stdout)

    def test_all_kinds_load(self):
        dofs = {"bin": lambda n: 6 * n, "spheres": lambda n: 6 * n, "boxes": lambda n: 6 * n,
                "clutter": lambda n: 6 * n, "bricks": lambda n: 6 * n, "stack": lambda n: 6 * n,
                "arms": lambda n: (7 + 72) * n, "chain": lambda n: n, "humanoids": lambda n: 24 * n}
        for kind, n in KINDS.items():
            self.assertEqual(self.load(kind, n).nv, dofs[kind](n), kind)

    def test_bin_starts_apart_and_inside(self):
        for seed_n in (8, 64, 216):
            m = self.load("bin", seed_n)
            d = self.mujoco.MjData(m)
            self.mujoco.mj_forward(m, d)
            self.assertEqual(d.ncon, 0)
            types = {int(t) for t in m.geom_type[5:]}
            self.assertEqual(len(types), 5)
            # volumes of the primitives from the sizes alone
            volume = {2: lambda s: 4 / 3 * math.pi * s[0]**3,
                      3: lambda s: math.pi * s[0]**2 * (2 * s[1] + 4 / 3 * s[0]),
                      4: lambda s: 4 / 3 * math.pi * s[0] * s[1] * s[2],
                      5: lambda s: math.pi * s[0]**2 * 2 * s[1],
                      6: lambda s: 8 * s[0] * s[1] * s[2]}
            want = sum(1000 * volume[int(t)](s) for t, s in zip(m.geom_type[5:], m.geom_size[5:]))
            self.near(m.body_mass.sum(), want, 1e-9 * want)


if __name__ == "__main__":
    unittest.main()
