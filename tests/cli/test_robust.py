# SPDX-License-Identifier: MIT
"""scripts/robust: no step of small generated piles fails, and a run that does fail is seen."""
import pathlib
import subprocess
import sys
import unittest

from common import TALUS, Case

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "robust"


def sweep(*args):
    done = subprocess.run([sys.executable, SCRIPT, "--talus", TALUS, *args], capture_output=True, text=True, timeout=500)
    last = done.stdout.strip().splitlines()[-1]
    return done.returncode, {part.rsplit(" ", 1)[0]: int(part.rsplit(" ", 1)[1]) for part in last.split(", ")}


class Robust(Case):
    def test_no_failure(self):
        code, total = sweep("--quick")
        self.assertEqual(code, 0, total)
        self.assertEqual((total["unconverged"], total["lagged"], total["runs broken off"]), (0, 0, 0))
        self.assertEqual(total["steps"], 6 * 2 * (100 + 50))

    def test_failures_are_seen(self):
        code, total = sweep("--scenes", "spheres:8", "--steps", "0", "--time", "0.1")
        self.assertEqual((code, total["runs broken off"]), (1, 2))


if __name__ == "__main__":
    unittest.main()
