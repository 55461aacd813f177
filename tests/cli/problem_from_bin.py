#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Contact problems recorded as raw arrays -> the JSON that `talus solve` reads.

    problem_from_bin.py IN.bin OUT.json

A .bin file holds int64 nv, nc; float64 h; then column-major float64 M (nv x nv), Jn (nc x nv), Jt (2 nc x nv),
v0, tau (nv), fn0 [N], k, d, mu (nc). Trees are the connected blocks of M; where M is diagonal, six dofs each.
"""
import json
import sys

import numpy as np


def blocks(M):
    """Label of each dof: connected components of the graph of M."""
    n = len(M)
    label = -np.ones(n, int)
    for start in range(n):
        if label[start] >= 0:
            continue
        stack, name = [start], label.max() + 1
        label[start] = name
        while stack:
            i = stack.pop()
            for j in np.flatnonzero((M[i] != 0) | (M[:, i] != 0)):
                if label[j] < 0:
                    label[j] = name
                    stack.append(j)
    return np.arange(n) // 6 if label.max() + 1 == n else label


def read_bin(path):
    with open(path, "rb") as f:
        raw = f.read()
    nv, nc = (int(x) for x in np.frombuffer(raw, np.int64, 2))
    x = np.frombuffer(raw, np.float64, offset=16)
    h, x, parts = float(x[0]), x[1:], []
    for n in (nv * nv, nc * nv, 2 * nc * nv, nv, nv, nc, nc, nc, nc):
        parts.append(x[:n])
        x = x[n:]
    M, Jn, Jt = (a.reshape(-1, nv, order="F") for a in parts[:3])
    return (nv, nc, h, M, Jn, Jt, *parts[3:])


def convert(path, v_s=1e-3):
    """-> problem (dict), dofs of each tree in the file's numbering"""
    nv, nc, h, M, Jn, Jt, v0, tau, fn0, k, d, mu = read_bin(path)
    label = blocks(M)
    dofs = [np.flatnonzero(label == t) for t in range(label.max() + 1)]
    trees = []
    for s in dofs:
        B = M[np.ix_(s, s)]
        B = (B + B.T) / 2
        trees.append({"nv": len(s), "M": B.ravel().tolist(), "v0": v0[s].tolist(),
                      "v_star": (v0[s] + h * np.linalg.solve(B, tau[s])).tolist()})
    contacts = []
    for i in range(nc):
        J = np.stack([Jt[2 * i], Jt[2 * i + 1], Jn[i]])
        touch = sorted({int(label[c]) for c in np.flatnonzero(np.abs(J).sum(0))})
        a, b = touch[0], touch[1] if len(touch) > 1 else -1
        contacts.append({"trees": [a, b], "J_a": J[:, dofs[a]].ravel().tolist(),
                         "J_b": J[:, dofs[b]].ravel().tolist() if b >= 0 else [],
                         "delta0": float(fn0[i] / k[i]), "k": float(k[i]), "d": float(d[i]), "mu": float(mu[i])})
    problem = {"h": h, "v_s": v_s, "friction": "quadratic", "trees": trees, "contacts": contacts, "limits": []}
    return problem, dofs


if __name__ == "__main__":
    with open(sys.argv[2], "w") as f:
        json.dump(convert(sys.argv[1])[0], f)
