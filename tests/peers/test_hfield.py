# SPDX-License-Identifier: MIT
"""Bodies on height fields beside MuJoCo: resting height, supporting force and the friction of a slope.

The two have different contact laws, so what is compared is what no law decides: the body's place within the compliances of
both, the weight as the sum of the forces, and the angle at which it begins to slide.

environment: TALUS: the program
"""
import json
import math
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
GEOMS = {"sphere": 'size=".15"', "capsule": 'type="capsule" size=".08 .2" euler="0 90 0"',
         "box": 'type="box" size=".2 .15 .1"'}
MASS, GRAVITY = 1.0, 9.81


def scene(elevation, geom, z, tilt=0.0, friction=1.0):
    """Elevations 0 to 1 over 2 m x 2 m, 0.2 m high; `tilt` turns gravity about y, so that the field is a slope."""
    n, m = elevation.shape
    rows = " ".join(f"{x:.17g}" for x in elevation.ravel())
    g = GRAVITY * math.sin(tilt), -GRAVITY * math.cos(tilt)
    return f"""<mujoco><option gravity="{g[0]:.17g} 0 {g[1]:.17g}" timestep="0.002" cone="elliptic" impratio="100"/>
<default><geom friction="{friction} 0 0" condim="3" solref="0.004 1"/></default><asset>
<hfield name="h" nrow="{n}" ncol="{m}" size="1 1 .2 .1" elevation="{rows}"/></asset><worldbody>
<geom type="hfield" hfield="h"/><body pos="0 0 {z}"><freejoint/><geom name="b" mass="{MASS}" {geom}/></body></worldbody></mujoco>"""


def bowl():
    """z = r^2 / 2: a paraboloid with 1 m radius of curvature at its lowest point; 0.2 m at r = 0.63, flat beyond."""
    x, y = np.meshgrid(np.linspace(-1, 1, 161), np.linspace(-1, 1, 161))
    return np.minimum(0.5 * (x * x + y * y) / 0.2, 1.0)


def flat():
    z = np.zeros((9, 9))
    z[0] = z[-1] = z[:, 0] = z[:, -1] = 1.0  # MuJoCo scales elevations to 0 to 1: walls at the border
    return z


def ball_over_bowl(r, radius):
    """Height of the centre of a ball that touches the bowl, r away from its middle."""
    u = np.linspace(r - radius, r + radius, 200001)
    return np.max(u * u / 2 + np.sqrt(radius**2 - np.minimum(np.abs(u - r), radius)**2))


class HeightFields(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ours(self, text, time):
        path, final = (os.path.join(self.folder, n) for n in ("scene.xml", "final.json"))
        with open(path, "w") as f:
            f.write(text)
        p = subprocess.run([TALUS, "run", path, "--time", str(time), "--final", final, "--json",
                            "--set", "contact.k=1e5"], capture_output=True, text=True, timeout=300)
        self.assertEqual(p.returncode, 0, p.stderr)
        told = json.loads(p.stdout)
        self.assertEqual((told["unconverged"], told["lagged"], told["missed"]), (0, 0, 0))
        with open(final) as f:
            return json.load(f)

    def peers(self, text, time):
        m = mujoco.MjModel.from_xml_string(text)
        d = mujoco.MjData(m)
        while d.time < time:
            mujoco.mj_step(m, d)
        force = np.zeros(3)
        for i in range(d.ncon):
            f = np.zeros(6)
            mujoco.mj_contactForce(m, d, i, f)
            axes = d.contact[i].frame.reshape(3, 3)
            sign = 1 if m.geom("b").id == d.contact[i].geom2 else -1
            force += sign * (axes.T @ f[:3])
        return d, force

    def test_rest(self):
        # in the bowl the capsule lies on the ends of its axis, r = 0.2 m, and the box on its corners
        in_bowl = {"sphere": ball_over_bowl(0.0, 0.15), "capsule": ball_over_bowl(0.2, 0.08), "box": (0.2**2 + 0.15**2) / 2 + 0.1}
        on_flat = {"sphere": 0.15, "capsule": 0.08, "box": 0.1}
        for field, heights in ((bowl(), in_bowl), (flat(), on_flat)):
            for name, geom in GEOMS.items():
                text = scene(field, geom, heights[name] + 1e-3)
                got = self.ours(text, 3.0)
                d, force = self.peers(text, 3.0)
                # one contact of 5e4 N/m carries the weight; cells of 12.5 mm under a curvature of 1 / m
                room = MASS * GRAVITY / 5e4 + 2e-5
                self.assertLess(abs(got["q"][2] - heights[name]), room, name)
                self.assertLess(abs(d.qpos[2] - heights[name]), 5e-4, f"{name}, MuJoCo")
                ours = np.sum([(-1 if c["bodies"][0] == "world" else 1) * np.array(c["force"]) for c in got["contacts"]], 0)
                weight = MASS * GRAVITY
                # the ball still rolls a little from cell to cell
                np.testing.assert_allclose(ours, [0, 0, weight], atol=1e-2 * weight, err_msg=name)
                self.assertLess(abs(ours[2] - weight), 1e-3 * weight, name)
                np.testing.assert_allclose(force, [0, 0, weight], atol=6e-2 * weight, err_msg=f"{name}, MuJoCo")

    def test_slope(self):
        # mu = 0.5: a box stays at tan = 0.45 and slides with g (sin - mu cos) at tan = 0.6
        for tangent in (0.45, 0.6):
            tilt = math.atan(tangent)
            text = scene(flat(), GEOMS["box"], 0.1, tilt, 0.5)
            a, t = GRAVITY * max(0.0, math.sin(tilt) - 0.5 * math.cos(tilt)), 0.5
            got, (d, _) = self.ours(text, t), self.peers(text, t)
            # MuJoCo's soft friction creeps
            for who, x, room in (("ours", got["q"][0], 1e-3), ("MuJoCo", d.qpos[0], 6e-3)):
                self.assertLess(abs(x - a * t * t / 2), room, f"tan {tangent}, {who}: {x}, {a * t * t / 2} expected")


if __name__ == "__main__":
    unittest.main()
