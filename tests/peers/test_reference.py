# SPDX-License-Identifier: MIT
"""Factorization counts and velocities beside the numpy specification of the iteration, on the same problems.

usage: python test_reference.py TALUS REFERENCE_DIR [--sides 2,3,4] [--h 5e-3]
Piles of n^3 spheres are dropped, settled, kicked and shaken by the specification; along the way each step's problem,
with its history, is solved by `talus solve` too. Exit code 77: no specification there.
"""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("talus")
parser.add_argument("reference")
parser.add_argument("--sides", default="2,3,4")
parser.add_argument("--h", type=float, default=5e-3)
args = parser.parse_args()
if not os.path.isdir(args.reference):
    print("no specification at", args.reference)
    sys.exit(77)
sys.path.insert(0, args.reference)
import lifting as L  # noqa: E402
import problems as pr  # noqa: E402


def write(problem, f0, path):
    trees = [{"nv": len(m), "M": m.ravel().tolist(), "v0": problem.v0[a:b].tolist(),
              "v_star": problem.v_star[a:b].tolist()}
             for m, a, b in zip(problem.M, problem.start, problem.start[1:])]
    keys = {}
    contacts = []
    for i in range(problem.nc):
        a, b = int(problem.tree_a[i]), int(problem.tree_b[i])
        c = {"trees": [a, b], "pair": keys.setdefault(problem.pair[i], len(keys)),
             "J_a": problem.J_a[i].ravel().tolist(),
             "J_b": problem.J_b[i].ravel().tolist() if b >= 0 else [],
             "delta0": problem.delta0[i], "k": problem.k[i], "d": problem.d[i], "mu": problem.mu[i]}
        if f0 is not None:
            c["f0"] = f0[i].tolist()
        contacts.append(c)
    with open(path, "w") as out:
        json.dump({"h": problem.h, "v_s": problem.v_s, "friction": problem.law, "trees": trees,
                   "contacts": contacts, "limits": []}, out)


def talus(path, **options):
    command = [args.talus, "solve", path, "--json"]
    for key, value in options.items():
        command += ["--set", f"solver.{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def velocities_agree(problem, v):
    tight = L.solve(problem, None, L.Options(tol=1e-11))[0]
    return np.abs(problem.vel(np.asarray(v) - tight)).max() / problem.v_s


def compare(problem, f, path, total):
    """`quiet` starts are not in the specification, so they are off; ours then takes the same steps."""
    if problem.nc == 0:
        return
    most = lambda res: max((o.factors for o in res), default=0)
    theirs = most(L.solve(problem, f, L.Options())[3])
    cold = most(L.solve(problem, None, L.Options())[3])
    write(problem, f, path)
    ours = talus(path, reuse="off", quiet=0)
    tight = talus(path, tol=1e-11)
    write(problem, None, path)
    ours_cold = talus(path, reuse="off", quiet=0)
    error = velocities_agree(problem, tight["v"])
    total["warm"] += [[theirs, ours["factorizations"]]]
    total["cold"] += [[cold, ours_cold["factorizations"]]]
    total["error"].append(error)


failed = False
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "p.json")
    for n in map(int, args.sides.split(",")):
        base = pr.Pile(n, args.h)
        total = {"warm": [], "cold": [], "error": []}
        for s in range(200):
            if s % 25 == 20:
                problem, keys, frames = base.problem()
                compare(problem, base.history(keys, frames), path, total)
            base.step(L.Options(tol=1e-5))
        base.keep = {}
        for s in range(10):
            base.step()
        kicked = copy.deepcopy(base)
        kicked.v[:, :3] += 0.5 * np.random.default_rng(1).standard_normal((n**3, 3))
        for s in range(12):
            problem, keys, frames = kicked.problem()
            compare(problem, kicked.history(keys, frames), path, total)
            kicked.step()
        for s in range(24):
            t = s * base.h
            base.g = np.array([10 * np.sin(8 * np.pi * t), 10 * np.cos(8 * np.pi * t), -9.81])
            if s % 2:
                problem, keys, frames = base.problem()
                compare(problem, base.history(keys, frames), path, total)
            base.step()
        warm, cold = np.array(total["warm"]), np.array(total["cold"])
        ratio = warm[:, 1].sum() / warm[:, 0].sum(), cold[:, 1].sum() / cold[:, 0].sum()
        print(f"N = {n**3}: {len(warm)} problems; factorizations a step, specification/talus: warm "
              f"{warm[:, 0].mean():.2f}/{warm[:, 1].mean():.2f}, no history {cold[:, 0].mean():.2f}/"
              f"{cold[:, 1].mean():.2f}; largest contact-velocity difference {max(total['error']):.2g} v_s", flush=True)
        if max(ratio) > 1.1 or max(total["error"]) > 1e-4:
            print(f"FAILED: ratios {ratio}, allowed 1.1; difference allowed 1e-4 v_s")
            failed = True
sys.exit(failed)
