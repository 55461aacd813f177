# SPDX-License-Identifier: MIT
"""talus run and profile: the stable JSON, state files, trajectory, captured problems, signals, outputs that fail."""
import csv
import json
import math
import os
import signal
import subprocess
import time
import unittest

from common import Case, SOURCE, TALUS, run, run_json, shared, strict_json

G = 9.81
FALL = """<mujoco>
  <option gravity="0 0 -9.81" timestep="0.01"/>
  <worldbody>
    <body name="ball" pos="0 0 10"><freejoint/><geom name="g" size="0.1" density="1000"/></body>
    <body name="arm" pos="5 0 10"><joint name="hinge" type="hinge" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" contype="0" conaffinity="0"/></body>
  </worldbody>
</mujoco>"""
REST = """<mujoco>
  <option gravity="0 0 -9.81" timestep="0.005"/>
  <default><geom friction="0.5"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 0.1"/>
    <body name="cube" pos="0 0 0.1"><freejoint/>
      <geom name="cube_g" type="box" size="0.1 0.1 0.1" mass="10"/></body>
  </worldbody>
</mujoco>"""
FIELDS = {"scene": str, "steps": int, "time": float, "dt": float, "nv": int, "threads": int, "contacts_mean": float,
          "contacts_max": int, "iterations_mean": float, "iterations_max": int, "factorizations_mean": float,
          "unconverged": int, "lagged": int, "wall_s": float, "cpu_s": float, "realtime_factor": float,
          "phases": dict, "max_penetration": float, "energy": float, "state_hash": str}
PHASES = ["geometry", "dynamics", "assemble", "symbolic", "factor", "solve", "limit", "integrate", "io"]


SOFT = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body pos="0 0 0.09"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="20"/></body></worldbody>
<custom><text name="talus.geom.floor" data="contact=rigid"/>
<text name="talus.geom.ball" data="contact=compliant E=1e5 hint=0.05 d=5"/></custom></mujoco>"""


class Result(Case):
    def test_a_run_goes_on_with_the_same_bits(self):
        for kind, n in (("clutter", 27), ("humanoids", 2), ("arms", 1)):
            scene, half = self.path(kind + ".xml"), self.path(kind + ".json")
            run("gen", kind, "-n", n, "-o", scene)
            args = ("run", scene, "--dt", 0.005, "--set", "solver.reuse=off")
            whole = run_json(*args, "--time", 0.8)
            run(*args, "--time", 0.4, "--final", half)
            rest = run_json(*args, "--time", 0.4, "--state", half)
            self.assertGreater(whole["contacts_mean"], 0)
            self.assertEqual(rest["state_hash"], whole["state_hash"], kind)
            with open(half) as f:
                state = json.load(f)
            del state["last_forces"]  # without them the same motion to the solver's tolerance, with other bits
            other = run_json(*args, "--time", 0.4, "--state", self.write("other.json", state))
            self.assertNotEqual(other["state_hash"], whole["state_hash"], kind)

    def test_last_forces_that_are_wrong_are_named(self):
        scene, file = self.path("s.xml"), self.path("s.json")
        run("gen", "spheres", "-n", 8, "-o", scene)
        run("run", scene, "--time", 0.5, "--final", file)
        with open(file) as f:
            state = json.load(f)
        good = state["last_forces"]
        for change, said in ((dict(good, contacts=[[0, 99, 0, 0, 0, 0, 1]]), "geom 99"),
                             (dict(good, contacts=[[0, 5, 0, 0, 0, 0]]), "contacts[0]"),
                             (dict(good, contacts=[[0, 5, 0.5, 0, 0, 0, 1]]), "an integer"),
                             (dict(good, contacts=[[3, 5, 0, 0, 0, 0, 1], [0, 5, 0, 0, 0, 0, 1]]), "ascending"),
                             (dict(good, limits=[1]), "48 numbers"), ([], "object")):
            bad = self.write("bad.json", dict(state, last_forces=change))
            self.assertIn(said, run("run", scene, "--time", 0.1, "--state", bad, code=2).stderr)

    def test_a_body_too_heavy_for_its_stiffness_is_noticed(self):
        text = ('<mujoco><worldbody><geom type="plane" size="9 9 1"/><body name="ball" pos="0 0 1"><freejoint/>'
                '<geom type="sphere" size="0.5" mass="%g"/></body></worldbody></mujoco>')
        light, heavy = self.write("light.xml", text % 100), self.write("heavy.xml", text % 1e4)
        self.assertNotIn("sinks", run("run", light, "--time", 0.004).stderr)
        said = run("run", heavy, "--time", 0.004).stderr
        # 98,100 N on 5e5 N/m; a hundredth of 1 m needs 9.81e6 N/m a contact, twice that a geometry
        for part in ("'ball'", "9.81e+04 N", "5e+05 N/m", "0.196 m", "0.2 of its size", "contact.k = 2e+07"):
            self.assertIn(part, said)
        self.assertNotIn("sinks", run("run", heavy, "--time", 0.004, "--set", "contact.k=2e7").stderr)

    def test_json_has_the_stable_fields(self):
        scene = self.write("rest.xml", REST)
        for command in ("run", "profile"):
            p = run(command, scene, "--time", 0.1, "--dt", 0.005, "--json")
            out = strict_json(p.stdout)
            self.assertEqual(p.stdout.count("\n"), 1)
            for name, kind in FIELDS.items():
                self.assertIsInstance(out[name], kind, name)
            self.assertEqual(list(out["phases"]), PHASES)
            self.assertEqual((out["steps"], out["dt"], out["nv"], out["unconverged"]), (20, 0.005, 6, 0))
            self.near(out["time"], 0.1, 1e-12)
            self.assertLessEqual(sum(out["phases"].values()), out["wall_s"] * 1.001)
            self.assertLessEqual(out["cpu_s"], out["threads"] * out["wall_s"] * 1.2 + 0.05)

    def test_phases_add_up_to_the_wall_time(self):
        # the best of some runs: a run of a tenth of a second may lose its core between two phases
        scene = self.path("bin.xml")
        run("gen", "bin", "-n", 64, "-o", scene)
        runs = [run_json("run", scene, "--time", 0.3, "--dt", 0.005, "--threads", 1) for _ in range(5)]
        share = max(sum(r["phases"].values()) / r["wall_s"] for r in runs)
        self.assertGreater(share, 0.95)

    def test_parts_of_the_geometry_phase(self):
        balls = "".join(f'<body pos="{0.25 * i} 0 0.09"><freejoint/><geom size="0.1" mass="2"/></body>' for i in range(9))
        scene = self.write("balls.xml", f"""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>{balls}
</worldbody><custom><text name="talus.default" data="contact=compliant E=1e5 hint=0.02 d=5"/>
<text name="talus.geom.floor" data="contact=rigid"/></custom></mujoco>""")
        for threads in (1, 2):
            out = run_json("profile", scene, "--time", 0.05, "--dt", 0.005, "--threads", threads)
            parts, whole = out["geometry_parts"], out["phases"]["geometry"]
            self.assertEqual(list(parts), ["broad", "points", "trees", "clip", "assembly"])
            for name, t in parts.items():
                self.assertGreater(t, 0, name)
            self.near(sum(parts.values()), whole, 1e-9)
            self.assertEqual(out["patches_mean"], 9)
            self.assertEqual(out["contacts_mean"], out["faces_mean"])
            self.assertGreater(out["face_candidates_mean"], out["faces_mean"] - 1)
            self.assertGreater(out["tree_boxes_mean"], 9)

    def test_refinement_study(self):
        scene = self.write("soft.xml", SOFT)
        out = run_json("profile", scene, "--time", 0.02, "--dt", 0.002, "--refine", "1,2,4", "-o", self.path("study"))
        faces = [r["faces"] for r in out["rows"]]
        self.assertEqual(len(faces), 3)
        # about four times the faces each time the edges halve
        for coarse, fine in zip(faces, faces[1:]):
            self.assertGreater(fine, 2 * coarse)
            self.assertLess(fine, 6 * coarse)
        self.assertEqual(set(out["exponents"]), {"geometry", "solver"})
        self.assertTrue(os.path.exists(self.path("study.json")))
        with open(self.path("study.csv"), newline="") as f:
            table = list(csv.DictReader(f))
        self.assertEqual([float(r["faces"]) for r in table], [float(f"{n:.9g}") for n in faces])
        self.assertEqual([float(r["refine"]) for r in table], [1, 2, 4])
        self.assertIn("--refine", run("profile", scene, "--refine", "1,x", code=2).stderr)

    def test_pairs_without_a_patch(self):
        scene = self.write("hard.xml", SOFT.replace("contact=compliant", "contact=rigid"))
        self.assertIn("have no contact patch", run("info", scene).stderr)
        said = run("info", scene, "--strict", code=2).stderr
        self.assertIn("have no contact patch between them; expected: one of them compliant", said)
        run("info", self.write("soft.xml", SOFT), "--strict")

    def test_number_of_steps(self):
        scene = self.write("fall.xml", FALL)
        for T, h, n in ((5, 0.002, 2500), (1, 0.01, 100), (0.1, 0.03, 4), (0, 0.01, 0), (1e-7, 1e-7, 1)):
            self.assertEqual(run_json("run", scene, "--time", T, "--dt", h)["steps"], n, (T, h))
        # the scene's own step length
        self.assertEqual(run_json("run", scene, "--time", 0.5)["steps"], 50)

    def test_free_fall_and_threads(self):
        scene = self.write("fall.xml", FALL)
        out = run_json("run", scene, "--time", 0.3, "--dt", 0.01, "--final", self.path("f.json"), "--threads", 1)
        k, h = 30, 0.01
        with open(self.path("f.json")) as f:
            ball = strict_json(f.read())["bodies"]["ball"]
        self.near(ball["pos"][2], 10 - G * h * h * k * (k + 1) / 2, 1e-12)
        self.near(ball["linvel"][2], -G * h * k, 1e-12)
        self.assertEqual(out["threads"], 1)
        two = run_json("run", scene, "--time", 0.3, "--dt", 0.01, "--threads", 2)
        self.assertEqual(two["state_hash"], out["state_hash"])

    def test_writing_files_changes_nothing(self):
        scene, args = self.write("clutter.xml", run("gen", "clutter", "-n", 8).stdout), ["--time", 0.5, "--dt", 0.005]
        want = run_json("run", scene, *args)["state_hash"]
        for option in ("--final", "--picture", "--out"):
            p = run("run", scene, *args, option, self.path("x"), "--json", code=None)
            if "was built without" not in p.stderr:
                self.assertEqual(strict_json(p.stdout)["state_hash"], want, option)

    def test_summary_for_people(self):
        p = run("run", self.write("rest.xml", REST), "--time", 0.05, "--picture", self.path("p.png"))
        for word in ("steps", "contacts", "iterations", "real-time factor", "geometry", "factor", "p.png"):
            self.assertIn(word, p.stdout)
        self.assertIn("talus: notice: ", p.stderr)
        self.assertEqual(run("run", self.path("rest.xml"), "--time", 0.05, "--quiet").stderr, "")


class Contacts(Case):
    def test_report_adds_up(self):
        scene = self.write("rest.xml", REST)
        run("run", scene, "--time", 1, "--dt", 0.005, "--final", self.path("f.json"))
        with open(self.path("f.json")) as f:
            final = strict_json(f.read())
        total = [0.0, 0.0, 0.0]
        for c in final["contacts"]:
            self.assertEqual(set(c["bodies"]), {"world", "cube"})
            self.assertEqual(set(c["geoms"]), {"ground", "cube_g"})
            sign = 1 if c["bodies"][0] == "cube" else -1
            self.near(sign * c["normal"][2], 1, 1e-9)  # from the second into the first
            self.assertGreater(c["depth"], 0)
            for i in range(3):
                total[i] += sign * c["force"][i]
        self.assertEqual(len(final["contacts"]), 4)
        self.near(total[2], 10 * G, 1e-4)
        self.near(math.hypot(total[0], total[1]), 0, 1e-4)
        self.assertEqual(final["patches"], [])

    def test_sleep(self):
        scene = self.write("rest.xml", REST)
        args = ("run", scene, "--time", 2, "--dt", 0.005)
        out = run_json(*args)
        self.assertEqual((out["bodies_awake_mean"], out["bodies_asleep"], out["islands_asleep"]), (1, 0, 0))
        args += ("--set", "contact.sleep=on", "--set", "contact.sleep_time=1")
        out = run_json(*args, "--final", self.path("f.json"), "--out", self.path("s.h5"))
        self.assertEqual((out["bodies_asleep"], out["islands_asleep"]), (1, 1))
        self.assertGreater(out["bodies_awake_mean"], 0.499)  # a second of two at least
        self.assertLess(out["bodies_awake_mean"], 0.75)
        self.assertEqual(out["energy_kinetic"], 0)
        with open(self.path("f.json")) as f:
            final = strict_json(f.read())
        self.assertTrue(all(v == 0 for v in final["v"]))
        self.assertTrue(all(c["asleep"] for c in final["contacts"]))
        up = sum(c["force"][2] if c["bodies"][0] == "cube" else -c["force"][2] for c in final["contacts"])
        self.near(up, 10 * G, 1e-3)
        self.assertIn("asleep", run(*args).stdout)
        # read again, it is awake
        out = run_json("run", scene, "--state", self.path("f.json"), "--time", 0.5, "--dt", 0.005, "--set",
                       "contact.sleep=on", "--set", "contact.sleep_time=1")
        self.assertEqual((out["bodies_awake_mean"], out["bodies_asleep"]), (1, 0))

    def test_patches_add_up(self):
        run("run", self.write("soft.xml", SOFT), "--time", 1, "--dt", 0.005, "--final", self.path("f.json"))
        with open(self.path("f.json")) as f:
            final = strict_json(f.read())
        patch, = final["patches"]
        contacts = final["contacts"]
        self.assertEqual((patch["bodies"], patch["geoms"]), (["world", "#1"], ["floor", "ball"]))
        self.assertEqual(patch["faces"], len(contacts))
        self.assertEqual(patch["left_out"], 0)
        self.near(patch["force"][2], -20 * G, 1e-3)  # on the floor, its first body
        moment = [0.0, 0.0, 0.0]
        for c in contacts:
            arm = [x - y for x, y in zip(c["point"], patch["centroid"])]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                moment[i] += arm[j] * c["force"][k] - arm[k] * c["force"][j]
        for i in range(3):
            self.near(sum(c["force"][i] for c in contacts), patch["force"][i], 1e-9)
            self.near(moment[i], patch["moment"][i], 1e-9)
        # pressures are between those at the rim, 0, and the greatest
        self.assertLess(20 * G, patch["pressure_max"] * patch["area"])


class States(Case):
    def finals(self, scene, *args, name="f.json"):
        run("run", scene, *args, "--final", self.path(name))
        with open(self.path(name)) as f:
            return strict_json(f.read())

    def test_two_halves_are_one_whole(self):
        scene = self.write("fall.xml", FALL)
        whole = run_json("run", scene, "--time", 0.2, "--dt", 0.01)
        run("run", scene, "--time", 0.1, "--dt", 0.01, "--final", self.path("half.json"))
        half = run_json("run", scene, "--time", 0.1, "--dt", 0.01, "--state", self.path("half.json"))
        self.near(half["time"], 0.2, 1e-12)
        self.near(half["energy"], whole["energy"], 1e-9 * abs(whole["energy"]))
        again = self.finals(scene, "--time", 0, "--state", self.path("half.json"))
        with open(self.path("half.json")) as f:
            half = strict_json(f.read())
        self.assertEqual((again["q"], again["v"], again["time"]), (half["q"], half["v"], half["time"]))

    def test_parts_are_enough(self):
        scene, c = self.write("fall.xml", FALL), math.sqrt(0.5)
        state = self.write("s.json", {"bodies": {"ball": {"pos": [1, 2, 3], "quat": [2 * c, 0, 0, 2 * c],
                                                          "angvel": [1, 0, 0.5]}}, "joints": {"hinge": [0.25, -2]}})
        out = self.finals(scene, "--time", 0, "--state", state)
        self.assertEqual(out["q"][:3], [1, 2, 3])
        for got, want in zip(out["q"][3:7], (c, 0, 0, c)):
            self.near(got, want, 1e-15)
        # a quarter turn about z: the world's x is the body's -y
        for got, want in zip(out["v"][3:6], (0, -1, 0.5)):
            self.near(got, want, 1e-15)
        self.assertEqual((out["q"][7], out["v"][6]), (0.25, -2))
        for got, want in zip(out["bodies"]["ball"]["angvel"], (1, 0, 0.5)):
            self.near(got, want, 1e-15)

    def test_misspelt_fields_are_told(self):
        scene = self.write("fall.xml", FALL)
        state = self.write("s.json", {"bodies": {"ball": {"poss": [1, 2, 3]}}})
        p = run("run", scene, "--time", 0, "--state", state, code=2)
        self.assertIn("'ball': unknown field 'poss'; expected: pos, quat, linvel, angvel", p.stderr)
        p = run("run", scene, "--time", 0, "--state", self.write("t.json", {"q": [0, 0, 7, 1, 0, 0, 0, 0], "speed": 1}))
        self.assertIn("unknown field 'speed' is ignored", p.stderr)

    def test_only_q(self):
        scene = self.write("fall.xml", FALL)
        q = [0, 0, 7, 1, 0, 0, 0, 0.5]
        self.assertEqual(self.finals(scene, "--time", 0, "--state", self.write("q.json", {"q": q}))["q"], q)

    def test_peer_states(self):
        for name in ("spheres-8", "arms-1", "chain-32", "humanoids-1"):
            with open(shared("peers", "states", name + ".json")) as f:
                want = json.load(f)
            out = self.finals(shared("peers", "scenes", name + ".xml"), "--time", 0, "--state",
                              shared("peers", "states", name + ".json"))
            for body, x in want["free"].items():
                b, q = out["bodies"][body], x[3:7]
                w, (s, u) = x[10:], (q[0], q[1:])
                cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
                t = [2 * y for y in cross(u, w)]  # the world's angular velocity: q w q*
                world = [a + s * b + c for a, b, c in zip(w, t, cross(u, t))]
                for got, wanted in zip(b["pos"] + b["linvel"] + b["angvel"], x[:3] + x[7:10] + world):
                    self.near(got, wanted, 1e-9, (name, body))
            for value in want["hinge"].values():
                self.assertIn(value[0], out["q"])
                self.assertIn(value[1], out["v"])

    def test_wrong_states_are_named(self):
        scene = self.write("fall.xml", FALL)
        for content, words in ((b'{"q": [1, 2]}', ["q", "8 numbers"]), (b'{"q": [1,', ["bad.json:1"]),
                               (b'{"bodies": {"cat": {}}}', ["cat"]), (b'{"joints": {"hinge": [1]}}', ["hinge"]),
                               (b'{"bodies": {"ball": {"quat": [0,0,0,0]}}}', ["ball", "quat", "zero"]),
                               (b'{"bodies": {"ball": {"pos": [0, 0, null]}}}', ["ball", "pos"]),
                               (b'{"free": {"arm": [1]}}', ["arm", "free joint"]), (b"[]", ["object"]),
                               (b"{}", ["none of q, v"]), (b'{"q": [0,0,0,1,0,0,0,NaN]}', ["not JSON"])):
            with open(self.path("bad.json"), "wb") as f:
                f.write(content)
            p = run("run", scene, "--state", self.path("bad.json"), code=2)
            last = p.stderr.strip().split("\n")[-1]
            self.assertTrue(last.startswith("talus: error: "), p.stderr)
            for word in ["bad.json"] + words:
                self.assertIn(word, last)
        run("run", scene, "--state", self.path("none.json"), code=3)

    def test_number_too_large_is_told_once(self):
        scene = self.write("fall.xml", FALL)
        state = self.write("far.json", {"bodies": {"ball": {"pos": [0, 0, 1e200]}}})
        p = run("run", scene, "--state", state, code=2)
        errors = [line for line in p.stderr.split("\n") if "error" in line]
        self.assertEqual(len(errors), 1, p.stderr)
        for word in ("q[2]", "1e+200", "ball", "below 1e+100"):
            self.assertIn(word, errors[0])


class Capture(Case):
    def test_captured_step_is_what_the_run_did(self):
        scene = self.write("rest.xml", REST)
        run("run", scene, "--time", 0.5, "--dt", 0.005, "--capture", 60, self.path("p.json"))
        out = run_json("solve", self.path("p.json"))
        self.assertEqual(out["status"], "exact")
        with open(self.path("p.json")) as f:
            problem = strict_json(f.read())
        self.assertEqual((problem["h"], len(problem["contacts"]), problem["friction"]), (0.005, 4, "quadratic"))
        # the forces carry the cube: its momentum changes by nothing in a step
        self.near(sum(f[2] for f in out["forces"]), 10 * G, 0.1)
        run("run", scene, "--time", 0.1, "--dt", 0.005, "--capture", 20, self.path("q.json"), code=2)

    def test_hdf5_capture_gives_the_same(self):
        scene = self.write("rest.xml", REST)
        p = run("run", scene, "--time", 0.1, "--capture", 5, self.path("p.h5"), code=None)
        if "without HDF5" in p.stderr:
            self.skipTest("built without HDF5")
        run("run", scene, "--time", 0.1, "--capture", 5, self.path("p.json"))
        self.assertEqual(run_json("solve", self.path("p.h5"))["v"], run_json("solve", self.path("p.json"))["v"])


class Trajectory(Case):
    def setUp(self):
        super().setUp()
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        self.h5py = h5py

    def test_rows_and_names(self):
        scene = self.write("fall.xml", FALL)
        p = run("run", scene, "--time", 0.3, "--dt", 0.01, "--out", self.path("t.h5"), "--final", self.path("f.json"),
                code=None)
        if "without HDF5" in p.stderr:
            self.skipTest("built without HDF5")
        with open(self.path("f.json")) as f:
            final = strict_json(f.read())
        with self.h5py.File(self.path("t.h5"), "r") as f:
            n = 31
            for name, shape in (("time", (n,)), ("q", (n, 8)), ("v", (n, 7)), ("body/pos", (n, 3, 3)),
                                ("body/quat", (n, 3, 4)), ("contacts", (n,)), ("step/iterations", (n,)), ("step/asleep", (n,)),
                                ("step/phase", (n, len(PHASES)))):
                self.assertEqual(f[name].shape, shape, name)
            self.assertEqual([x.decode() for x in f["body/name"]], ["world", "ball", "arm"])
            self.assertEqual(f.attrs["phase"].split(), PHASES)
            self.assertEqual(f["scene"][()].decode(), FALL)
            self.assertEqual(f["q"][-1].tolist(), final["q"])
            self.assertEqual(f["v"][-1].tolist(), final["v"])
            for k in range(n):
                self.near(f["time"][k], 0.01 * k, 1e-12)
                self.near(f["body/pos"][k, 1, 2], 10 - G * 1e-4 * k * (k + 1) / 2, 1e-12)

    def start_long_run(self, *args):
        scene = self.write("rest.xml", REST)
        p = subprocess.Popen([TALUS, "run", scene, "--time", "1e6", "--dt", "0.001", "--out", self.path("t.h5"), *args],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.poll() is None and p.kill(), p.stdout.close(), p.stderr.close(), p.wait()))
        return p

    def read_rows(self, **keys):
        """Number of rows, retrying while the writer has the file open."""
        for _ in range(200):
            try:
                with self.h5py.File(self.path("t.h5"), "r", **keys) as f:
                    n = f["step/phase"].shape[0]
                    if n > 1:
                        self.assertGreater(f["time"][n - 1], 0)
                        return n
            except OSError:
                pass
            time.sleep(0.05)
        self.fail("no rows to be read")

    def test_readable_while_it_grows(self):
        p = self.start_long_run()
        plain = self.read_rows()
        time.sleep(0.8)
        self.assertGreater(self.read_rows(swmr=True), plain)
        # a reader that stays does not stop the writer
        with self.h5py.File(self.path("t.h5"), "r", swmr=True) as f:
            before = f["time"].shape[0]
            for _ in range(40):
                time.sleep(0.1)
                f["time"].id.refresh()
                if f["time"].shape[0] > before:
                    break
            self.assertGreater(f["time"].shape[0], before)
        self.assertIsNone(p.poll())

    def test_killed_run_leaves_its_rows(self):
        p = self.start_long_run()
        self.read_rows()
        p.kill()
        p.wait()
        self.assertGreater(self.read_rows(), 1)

    def test_signals_end_with_complete_files(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            p = self.start_long_run("--final", self.path("f.json"), "--json", "--picture", self.path("p.png"))
            self.read_rows()
            p.send_signal(number)
            out, _ = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 0)
            result = strict_json(out)
            self.assertTrue(result["interrupted"])
            self.assertLess(result["steps"], 1e9)
            with open(self.path("f.json")) as f:
                final = strict_json(f.read())
            self.near(final["time"], result["time"], 0)
            with self.h5py.File(self.path("t.h5"), "r") as f:
                self.assertEqual(f["time"].shape[0], result["steps"] + 1)
                self.assertEqual(f["q"][-1].tolist(), final["q"])
            with open(self.path("p.png"), "rb") as f:
                self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
            os.remove(self.path("t.h5"))


class Picture(Case):
    def test_is_a_picture_of_something(self):
        p = run("run", self.write("rest.xml", REST), "--time", 0.1, "--picture", self.path("p.png"), code=None)
        if "without cairo" in p.stderr:
            self.skipTest("built without cairo")
        with open(self.path("p.png"), "rb") as f:
            data = f.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(data), 20000)
        self.assertGreater(int.from_bytes(data[16:20], "big"), 1000)


class BadOutput(Case):
    def test_unwritable_files_are_3_before_the_first_step(self):
        scene = self.write("fall.xml", FALL)
        for option in ("--final", "--picture", "--out"):
            start = time.time()
            p = run("run", scene, "--time", 1000, "--dt", 0.0001, option, self.path("none/x"), code=3)
            self.assertIn("none/x", p.stderr)
            self.assertLess(time.time() - start, 20)
        run("run", scene, "--time", 1, "--capture", 0, self.path("none/x"), code=3)

    def test_full_disk_is_3(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        scene = self.write("fall.xml", FALL)
        for option in ("--final", "--picture", "--out"):
            p = run("run", scene, "--time", 0.1, option, "/dev/full", "--quiet", code=3)
            self.assertIn("/dev/full", p.stderr)
            self.assertEqual(p.stderr.count("\n"), 1, p.stderr)
        with open("/dev/full", "w") as full:
            p = subprocess.run([TALUS, "run", scene, "--time", "0.1", "--json"], stdout=full, stderr=subprocess.PIPE,
                               text=True)
        self.assertEqual(p.returncode, 3)

    def test_disk_that_fills_up_is_3(self):
        import resource
        scene = self.write("rest.xml", REST)

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        p = run("run", scene, "--time", 100, "--dt", 0.001, "--out", self.path("t.h5"), "--quiet", code=None,
                preexec_fn=small_files)
        if "without HDF5" in p.stderr:
            self.skipTest("built without HDF5")
        self.assertEqual(p.returncode, 3, p.stderr)
        self.assertIn("t.h5: ", p.stderr)
        self.assertEqual(p.stderr.count("\n"), 1, p.stderr)

    def test_out_of_memory_is_4(self):
        import resource
        n = 300
        M = [float(i == j) for i in range(n) for j in range(n)]
        big = self.write("big.json", {"h": 0.01, "contacts": [], "trees": [
            {"nv": n, "M": M, "v0": [0] * n, "v_star": [0] * n}] * 20})

        def small_memory():
            resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))
        p = run("solve", big, "--threads", 1, code=None, preexec_fn=small_memory)
        if "error while loading" in p.stderr or "AddressSanitizer" in p.stderr:
            self.skipTest("the program itself needs more")
        self.assertEqual((p.returncode, p.stdout), (4, ""), p.stderr)
        self.assertIn("out of memory", p.stderr)

    def test_missing_scene_is_3_and_broken_scene_2(self):
        run("run", self.path("none.xml"), code=3)
        self.assertIn("b.xml:", run("run", self.write("b.xml", "<mujoco>\n<worldbody>"), code=2).stderr)
        self.assertIn("--key", run("run", self.write("fall.xml", FALL), "--key", "home", code=2).stderr)


class Failure(Case):
    def test_message_has_small_numbers_and_advice(self):
        """A step that cannot converge: no substeps, no iterations."""
        scene = self.write("rest.xml", REST.replace('pos="0 0 0.1"', 'pos="0 0 0.0999"'))
        args = ["--set", "solver.max_iter=0", "--set", "solver.max_iter_restart=0", "--set", "solver.substeps_max=0",
                "--set", "solver.lagged=off", "--set", "contact.substeps=1", "--set", "solver.tol=1e-14",
                "--set", "solver.quiet=0", "--set", "solver.sweeps=0"]
        state = self.write("s.json", {"time": 0.1543210, "bodies": {"cube": {"linvel": [0.3, 0, -1]}}})
        p = run("run", scene, "--dt", "1e-7", "--time", "1e-6", "--state", state, "--json", "--final",
                self.path("f.json"), *args, code=1)
        self.assertIn("1e-07", p.stderr)
        self.assertIn("0.154321", p.stderr)
        for word in ("--keep-going", "worst contact", "cube", "residual", "depth", "slip", "try"):
            self.assertIn(word, p.stderr)
        out = strict_json(p.stdout)
        self.assertEqual((out["unconverged"], out["steps"]), (1, 0))
        # the state before the step is kept
        with open(self.path("f.json")) as f:
            final = strict_json(f.read())
        self.assertEqual((final["time"], final["bodies"]["cube"]["linvel"]), (0.1543210, [0.3, 0, -1]))
        going = run("run", scene, "--dt", "1e-7", "--time", "1e-6", "--state", state, "--json", "--keep-going", *args,
                    code=1)
        self.assertEqual(strict_json(going.stdout)["steps"], 10)


    def test_motion_without_bound_is_told_with_its_body(self):
        """An unstable actuator: the velocity grows by 1e57 a step."""
        scene = self.write("grow.xml", """<mujoco><worldbody><body name="cart"><joint name="j" type="slide"/>
            <geom size="0.1" mass="1"/></body></worldbody>
            <actuator><general joint="j" gaintype="fixed" biastype="affine" biasprm="0 1e60 0"/></actuator></mujoco>""")
        state = self.write("s.json", {"joints": {"j": [1, 0]}})
        p = run("run", scene, "--time", 1, "--dt", 1e-3, "--state", state, code=1)
        self.assertIn("the velocity of body 'cart' grows beyond 1e+100", p.stderr)


class Shipped(Case):
    def test_bin_of_216_mixed_bodies_starts(self):
        out = run_json("run", os.path.join(SOURCE, "bench", "scenes", "bin-216.xml"), "--time", 0.2, "--dt", 0.005)
        self.assertEqual((out["nv"], out["unconverged"]), (1296, 0))


if __name__ == "__main__":
    unittest.main()
