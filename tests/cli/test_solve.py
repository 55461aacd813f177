# SPDX-License-Identifier: MIT
"""talus solve: recorded problems checked by an independent residual, closed forms, both file formats, bad input."""
import copy
import os
import random
import unittest

import numpy as np

from common import Case, SHARED, run, run_json, shared
from problem_from_bin import convert

POINT = {"h": 0.01, "v_s": 1e-4, "friction": "quadratic",
         "trees": [{"nv": 3, "M": [2, 0, 0, 0, 2, 0, 0, 0, 2], "v0": [0.5, 0, -0.1], "v_star": [0.5, 0, -0.1981]}],
         "contacts": [{"trees": [0, -1], "J_a": [1, 0, 0, 0, 1, 0, 0, 0, 1], "J_b": [], "delta0": 0.001,
                       "k": 1e4, "d": 1.0, "mu": 0.5}]}


def force(problem, contact, vc):
    """Hunt-Crossley normal force and regularized friction, from the definition."""
    c, h = contact, problem["h"]
    fn = c["k"] * max(1 - c["d"] * vc[2], 0) * max(c["delta0"] - h * vc[2], 0) if c["delta0"] > 0 else 0.0
    s = np.hypot(vc[0], vc[1])
    x = s / problem["v_s"]
    if problem["friction"] == "linear":
        mu, slope = c["mu"] * min(x, 1), c["mu"] / problem["v_s"]
    else:
        mu, slope = c["mu"] * (x * (2 - x) if x < 1 else 1), 2 * c["mu"] / problem["v_s"]
    per_speed = mu / s if s > 1e-30 else slope
    return np.array([-per_speed * vc[0] * fn, -per_speed * vc[1] * fn, fn])


def dense(problem):
    """M, v*, and per contact the full 3 x nv Jacobian."""
    trees = problem["trees"]
    start = np.concatenate([[0], np.cumsum([t["nv"] for t in trees])])
    M = np.zeros((start[-1], start[-1]))
    for t, a, b in zip(trees, start, start[1:]):
        M[a:b, a:b] = np.reshape(t["M"], (t["nv"], t["nv"]))
    J = []
    for c in problem["contacts"]:
        Ji = np.zeros((3, start[-1]))
        for t, block in zip(c["trees"], (c["J_a"], c["J_b"])):
            if t >= 0:
                Ji[:, start[t]:start[t + 1]] += np.reshape(block, (3, trees[t]["nv"]))
        J.append(Ji)
    return M, np.concatenate([t["v_star"] for t in trees]), J


def residual(problem, v):
    """|M (v - v*) - h J' f(J v)| relative to the larger of its parts, in the norm of M^-1; and the forces."""
    M, v_star, J = dense(problem)
    f = [force(problem, c, Ji @ v) for c, Ji in zip(problem["contacts"], J)]
    impulse = problem["h"] * sum((Ji.T @ fi for Ji, fi in zip(J, f)), np.zeros(len(v)))
    inverse = np.linalg.inv(M)
    norm = lambda x: np.sqrt(x @ inverse @ x)
    return norm(M @ (v - v_star) - impulse) / max(norm(M @ v_star), norm(impulse)), np.array(f)


class Recorded(Case):
    def check(self, name):
        problem, _ = convert(shared("data", "problems", name + ".bin"))
        path = self.write("p.json", problem)
        for choice in ("lifting", "tals"):
            out = run_json("solve", path, "--set", "solver.tol=1e-10", "--set", "solver.max_iter=200",
                           "--set", f"solver.globalization={choice}")
            r, f = residual(problem, np.array(out["v"]))
            self.assertEqual(out["status"], "exact")
            self.assertLessEqual(r, 1e-9, f"{name} {choice}")
            # forces are those of the law at v, to what the residual allows
            self.assertLessEqual(abs(f - np.array(out["forces"])).max(), 1e-6 * max(1, abs(f).max()))

    def test_residual_below_1e_9(self):
        for name in ("spheres-8", "spheres-27", "spheres-64", "boxes-64", "humanoids-4"):
            with self.subTest(name):
                self.check(name)


class ClosedForm(Case):
    def solve(self, problem, *args):
        return run_json("solve", self.write("p.json", problem), "--set", "solver.tol=1e-12", *args)

    def test_normal_force_is_the_root_of_the_quadratic(self):
        p = copy.deepcopy(POINT)
        p["contacts"][0]["mu"] = 0.0
        out = self.solve(p)
        # m (y - a) = h k (1 - d y)(delta0 - h y) with y the normal velocity
        m, a, h, k, d, g = 2.0, -0.1981, 0.01, 1e4, 1.0, 0.001
        roots = np.roots([h * k * d * h, -m - h * k * (h + d * g), m * a + h * k * g])
        y = roots[(roots.real < min(1 / d, g / h)) & (roots.imag == 0)].real
        self.near(out["v"][2], y[0], 1e-12)
        self.near(out["v"][0], 0.5, 1e-15)

    def test_sliding_body_loses_mu_fn(self):
        out = self.solve(POINT)
        fn = out["forces"][0][2]
        self.near(out["v"][0], 0.5 - 0.01 * 0.5 * fn / 2, 1e-12)
        self.near(out["forces"][0][0], -0.5 * fn, 1e-12 * fn)

    def test_sticking_body_creeps_as_the_law_says(self):
        for law, slope in (("linear", lambda x: x), ("quadratic", lambda x: x * (2 - x))):
            p = copy.deepcopy(POINT)
            p["friction"], p["trees"][0]["v_star"] = law, [1e-3, 0, -0.1981]
            out = self.solve(p)
            x, fn = out["v"][0] / 1e-4, out["forces"][0][2]
            self.assertLess(x, 1)
            self.near(2 * (out["v"][0] - 1e-3), -0.01 * 0.5 * slope(x) * fn, 1e-13)

    def test_joint_limit(self):
        p = {"h": 0.01, "trees": [{"nv": 1, "M": [3], "v0": [0], "v_star": [0.2]}], "contacts": [],
             "limits": [{"tree": 0, "dof": 0, "delta0": 0.01, "k": 1000, "d": 0, "sign": -1}]}
        out = self.solve(p)
        # 3 (v - 0.2) = -h f with f = k (delta0 + h v), the upper limit pushes back
        self.near(out["v"][0], (0.6 - 0.01 * 1000 * 0.01) / (3 + 1e-4 * 1000), 1e-12)
        self.near(out["limit_forces"][0], 1000 * (0.01 + 0.01 * out["v"][0]), 1e-9)

    def test_nothing_in_contact(self):
        p = {"h": 0.01, "trees": [{"nv": 1, "M": [3], "v0": [0], "v_star": [0.25]}], "contacts": []}
        out = self.solve(p)
        self.assertEqual((out["v"], out["iterations"], out["status"]), ([0.25], 0, "exact"))
        self.assertEqual(self.solve({"h": 0.01, "trees": [], "contacts": []})["v"], [])

    def test_contact_within_one_tree(self):
        """Two bodies of one tree: the Jacobians add up."""
        tree = {"nv": 2, "M": [2, 0.5, 0.5, 3], "v0": [0, 0], "v_star": [1, -1]}
        rest = {"delta0": 0.001, "k": 1e4, "d": 1, "mu": 0.5}
        one = {"h": 0.01, "trees": [tree], "contacts": [
            {"trees": [0, 0], "J_a": [1, 0, 0, 0, 0, 1], "J_b": [0, 1, 0, 0, 0.5, 0]} | rest] * 3}
        two = {"h": 0.01, "trees": [tree], "contacts": [
            {"trees": [0, -1], "J_a": [1, 1, 0, 0, 0.5, 1], "J_b": []} | rest] * 3}
        for got, want in zip(self.solve(one)["v"], self.solve(two)["v"]):
            self.near(got, want, 1e-9)

    def test_starting_from_the_answer_changes_nothing(self):
        cold = self.solve(POINT)
        p = copy.deepcopy(POINT)
        p["contacts"][0] |= {"f0": cold["forces"][0], "pair": 3}
        warm = self.solve(p)
        self.assertLessEqual(warm["iterations"], cold["iterations"])
        self.near(warm["v"][0], cold["v"][0], 1e-12)


class Output(Case):
    FIELDS = {"status": str, "v": list, "forces": list, "iterations": int, "factorizations": int, "residual": float}

    def test_json_has_the_stable_fields(self):
        p = run("solve", self.write("p.json", POINT), "--json")
        self.assertEqual(p.stdout.count("\n"), 1)
        out = run_json("solve", self.path("p.json"))
        for name, kind in self.FIELDS.items():
            self.assertIsInstance(out[name], kind, name)
        self.assertEqual(len(out["forces"][0]), 3)

    def test_failed_status_is_exit_code_1(self):
        p = copy.deepcopy(POINT)
        out = run_json("solve", self.write("p.json", p), "--set", "solver.globalization=none", "--set",
                       "solver.max_iter=0", "--set", "solver.substeps_max=0", "--set", "solver.lagged=off",
                       "--set", "solver.tol=1e-12", code=1)
        self.assertEqual(out["status"], "failed")

    def test_hdf5_gives_the_same(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        problem = convert(shared("data", "problems", "humanoids-4.bin"))[0] if SHARED else POINT
        with h5py.File(self.path("p.h5"), "w") as f:
            f["h"], f["v_s"], f["friction"] = problem["h"], problem["v_s"], problem["friction"]
            for name in ("nv", "M", "v0", "v_star"):
                f["trees/" + name] = np.concatenate([np.ravel(t[name]) for t in problem["trees"]]).astype(
                    int if name == "nv" else float)
            contacts = problem["contacts"]
            f["contacts/trees"] = np.array([c["trees"] for c in contacts])
            for name in ("J_a", "J_b"):
                f["contacts/" + name] = np.concatenate([c[name] for c in contacts]).astype(float)
            for name in ("delta0", "k", "d", "mu"):
                f["contacts/" + name] = np.array([float(c[name]) for c in contacts])
        p = run("solve", self.path("p.h5"), "--json", code=None)
        if "without HDF5" in p.stderr:
            self.skipTest("built without HDF5")
        with open(self.path("p.h5"), "rb") as f:
            whole = f.read()
        for part in (0, 1, 7, 100, len(whole) // 2, len(whole) - 1):
            with open(self.path("cut.h5"), "wb") as f:
                f.write(whole[:part])
            self.assertIn("cut.h5", run("solve", self.path("cut.h5"), code=2).stderr, part)
        one, two = run_json("solve", self.path("p.h5")), run_json("solve", self.write("p.json", problem))
        self.assertEqual(one["v"], two["v"])
        self.assertEqual(one["forces"], two["forces"])


class BadInput(Case):
    def refused(self, path, *words, code=2, args=()):
        p = run("solve", path, "--json", *args, code=code)
        self.assertEqual(p.stdout, "")
        lines = p.stderr.strip().split("\n")
        self.assertTrue(lines[-1].startswith("talus: error: "), p.stderr)
        for word in words:
            self.assertIn(word, lines[-1])

    def test_wrong_fields_are_named(self):
        p = copy.deepcopy(POINT)
        p["contacts"][0]["mu"] = -0.1
        self.refused(self.write("a.json", p), "a.json", "contacts[0].mu", "-0.1")
        self.refused(self.write("b.json", '{"h": 0.01,\n "trees": [}'), "b.json:2")
        self.refused(self.write("c.json", "\0\1\2"), "c.json:1")
        self.refused(self.write("d.json", "[" * 100000), "d.json")
        self.refused(self.write("e.h5", "not HDF5"), "e.h5", "HDF5")

    def test_missing_file_is_3(self):
        self.refused(self.path("none.json"), "none.json", "No such file", code=3)
        self.refused(self.folder, code=3)

    def test_options_are_checked(self):
        path = self.write("p.json", POINT)
        self.refused(path, "solver.tolerance", "talus info options", args=("--set", "solver.tolerance=1"))
        self.refused(path, "solver.tol", "1e-14", args=("--set", "solver.tol=0"))
        self.refused(path, "lifting|tals|none", args=("--set", "solver.globalization=best"))
        self.refused(path, "NAME=VALUE", args=("--set", "solver.tol"))

    def test_unwritable_output_is_3(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        path = self.write("p.json", POINT)
        for args in (["--json"], []):
            with open("/dev/full", "w") as full:
                import subprocess
                from common import TALUS
                p = subprocess.run([TALUS, "solve", path, *args], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(p.returncode, 3)
            self.assertIn("No space left", p.stderr)

    def test_no_mutation_of_values_crashes(self):
        rng = random.Random(4)
        text = str(POINT).replace("'", '"')
        for _ in range(60):
            cut = rng.randrange(len(text))
            new = text[:cut] + rng.choice(["", "-", "1e300", "[", "}", '"', "null", "\xff"]) + \
                text[cut + rng.randrange(4):]
            p = run("solve", self.write("m.json", new), "--json", code=None)
            self.assertIn(p.returncode, (0, 1, 2), new)
            if p.returncode == 2:
                self.assertTrue(p.stderr.strip().split("\n")[-1].startswith("talus: error: "), p.stderr)


if __name__ == "__main__":
    unittest.main()
