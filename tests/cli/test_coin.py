# SPDX-License-Identifier: MIT
"""scripts/coin: the motion of a sliding coin converges with first order in time and second in the grid."""
import csv
import math
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from common import TALUS, Case

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "coin"


class Coin(Case):
    def test_orders(self):
        base = self.path("coin")
        subprocess.run([sys.executable, SCRIPT, "--talus", TALUS, "--output", base], check=True, stdout=subprocess.DEVNULL)
        with open(f"{base}.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        xml.etree.ElementTree.parse(f"{base}.svg")
        for study, want, within in (("time step", 1.0, 0.15), ("grid", 2.0, 0.25)):
            x, y = zip(*((math.log(float(r["size"])), math.log(float(r["error"]))) for r in rows if r["study"] == study))
            mx, my = sum(x) / len(x), sum(y) / len(y)
            order = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx)**2 for a in x)
            self.assertAlmostEqual(order, want, delta=within, msg=study)


if __name__ == "__main__":
    unittest.main()
