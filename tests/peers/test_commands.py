# SPDX-License-Identifier: MIT
"""`talus info` and `talus dynamics` as a script sees them, beside MuJoCo.

environment: TALUS: the program; TALUS_SHARED: folder of shared scenes and states (absent: only the scene below)
"""
import json
import os
import subprocess
import tempfile
import unittest

try:
    import mujoco
    import numpy as np
except ImportError as e:
    raise unittest.SkipTest(str(e))

TALUS = os.environ.get("TALUS", "talus")
SHARED = os.environ.get("TALUS_SHARED", "")

SCENE = """<mujoco><option gravity="0 1 -9"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="base" pos="1 2 3" euler="10 20 30"><freejoint name="root"/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
<body name="arm" pos="0 0 .3"><joint name="elbow" axis="0 1 0" range="-90 90"/><geom type="capsule" size=".05"
 fromto="0 0 0 .4 0 0"/></body></body></worldbody><tendon><fixed><joint joint="elbow" coef="1"/></fixed></tendon>
<keyframe><key name="bent" qpos="0 0 1 1 0 0 0 0.5"/></keyframe></mujoco>"""


def run(*args, code=0):
    p = subprocess.run([TALUS, *map(str, args)], capture_output=True, text=True, timeout=300)
    if p.returncode != code:
        raise AssertionError(f"exit code {p.returncode}, wanted {code}\n{p.stdout[-1000:]}\n{p.stderr[-1000:]}")
    return p


def run_json(*args):
    return json.loads(run(*args, "--json").stdout)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scene = self.write(folder.name, "scene.xml", SCENE)
        self.folder = folder.name

    def write(self, folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def check_dynamics(self, scene, result, q, v):
        m = mujoco.MjModel.from_xml_path(scene)
        d = mujoco.MjData(m)
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        M, bias = np.zeros((m.nv, m.nv)), np.zeros(m.nv)
        mujoco.mj_fullM(m, d, M)
        mujoco.mj_rne(m, d, 0, bias)
        np.testing.assert_allclose(np.reshape(result["M"], (m.nv, m.nv)), M, rtol=0, atol=1e-9 * np.abs(M).max())
        np.testing.assert_allclose(result["bias"], bias, rtol=0, atol=1e-9 * np.abs(bias).max())
        np.testing.assert_allclose(np.reshape(result["xpos"], (-1, 3)), d.xpos, rtol=0, atol=1e-9)
        for b in range(1, m.nbody):
            if m.body(b).name:
                np.testing.assert_allclose(result["bodies"][m.body(b).name]["pos"], d.xpos[b], rtol=0, atol=1e-9)

    def test_info_has_sizes_masses_and_what_is_not_used(self):
        m = mujoco.MjModel.from_xml_path(self.scene)
        x = run_json("info", self.scene)
        for name in "nq nv nbody ntree ngeom nu nkey".split():
            self.assertEqual(x[name], getattr(m, name), name)
        self.assertAlmostEqual(x["total_mass"], m.body_mass.sum(), delta=1e-12)
        self.assertEqual([b["name"] for b in x["bodies"]], ["world", "base", "arm"])
        np.testing.assert_allclose([b["mass"] for b in x["bodies"]], m.body_mass, rtol=1e-12)
        self.assertEqual(x["keyframes"], ["bent"])
        self.assertEqual(len(x["notices"]), 1)
        self.assertIn("scene.xml:4: not used: tendons", x["notices"][0])
        text = run("info", self.scene).stdout
        self.assertIn("not used: tendons", text)
        self.assertIn("elbow", text)

    def test_info_strict_refuses(self):
        p = run("info", self.scene, "--strict", code=2)
        self.assertIn("scene.xml:4: not supported: tendons", p.stderr)
        self.assertEqual(p.stdout, "")

    def test_info_of_a_bad_file(self):
        self.assertIn("cannot read", run("info", os.path.join(self.folder, "nowhere.xml"), code=3).stderr)
        bad = self.write(self.folder, "bad.xml", "<mujoco>\n<oops/></mujoco>")
        self.assertIn("bad.xml:2: unknown element 'oops'", run("info", bad, code=2).stderr)

    def test_dynamics_at_a_state_and_a_keyframe(self):
        q, v = [1, 2, 3, .5, .5, -.5, .5, .3], [1, 2, 3, 4, 5, 6, 7]
        state = self.write(self.folder, "state.json", json.dumps({"q": q, "v": v}))
        self.check_dynamics(self.scene, run_json("dynamics", self.scene, "--state", state), q, v)
        self.check_dynamics(self.scene, run_json("dynamics", self.scene, "--key", "bent"), [0, 0, 1, 1, 0, 0, 0, .5], [0] * 7)
        self.assertIn("elbow", run("dynamics", self.scene).stdout)

    @unittest.skipUnless(os.path.exists(os.path.join(SHARED, "peers/states/arms-1.json")), "no shared states")
    def test_dynamics_at_a_settled_state_of_the_benchmarks(self):
        scene = os.path.join(SHARED, "peers/scenes/arms-1.xml")
        x = run_json("dynamics", scene, "--state", os.path.join(SHARED, "peers/states/arms-1.json"))
        self.check_dynamics(scene, x, x["q"], x["v"])


if __name__ == "__main__":
    unittest.main()
