# SPDX-License-Identifier: MIT
"""talus bench scaling: rows, files, fits, and lists that are not lists."""
import csv
import os
import unittest

from common import Case, run, run_json


class Bench(Case):
    def test_scaling(self):
        folder = self.path("out")
        words = ("bench", "scaling", "--families", "spheres,boxes", "--sizes", "4,8", "--cores", "1,2", "--repeat", 1,
                 "--quick", "-o", folder)
        out = run_json(*words)
        self.assertEqual(len(out["rows"]), 2 * 2 * 2 * 2)
        self.assertEqual({(r["family"], r["size"]) for r in out["rows"]},
                         {(f, n) for f in ("spheres", "boxes") for n in (4, 8)})
        for r in out["rows"]:
            self.assertGreater(r["contacts"], 0)
            self.assertGreater(r["wall_ms"], 0)
            self.assertEqual(r["unconverged"], 0)
        self.assertEqual(len(out["fits"]), 8)
        with open(os.path.join(folder, "scaling.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(len(rows), 16)
        # the phases add up to the step; a step of microseconds may lose its core outside of them
        shares = sorted(sum(float(row[k]) for k in row if k.endswith("_ms") and k not in ("wall_ms", "median_ms", "cpu_ms"))
                        / float(row["wall_ms"]) for row in rows)
        self.assertGreater(shares[len(shares) // 2], 0.9)
        self.assertLess(shares[-1], 1.01)
        # one and two threads end in the same state
        for a in rows:
            for b in rows:
                if all(a[k] == b[k] for k in ("family", "size", "state")):
                    self.assertEqual(a["state_hash"], b["state_hash"])
        # a second run starts from the states of the first
        again = run_json(*words)
        self.assertEqual([r["contacts"] for r in again["rows"]], [r["contacts"] for r in out["rows"]])

    def test_bad_lists(self):
        self.assertIn("'many' is not a number", run("bench", "scaling", "--sizes", "8,many", code=2).stderr)
        self.assertIn("expected: scaling", run("bench", "speed", code=2).stderr)
        self.assertIn("--families", run("bench", "scaling", "--families", ",", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
