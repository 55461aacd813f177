# SPDX-License-Identifier: MIT
"""What the tests of the command share. TALUS: the program; TALUS_SHARED: folder of shared data, may be absent."""
import json
import os
import subprocess
import tempfile
import unittest

TALUS = os.environ.get("TALUS", "talus")
SHARED = os.environ.get("TALUS_SHARED", "")
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*args, code=0, **keys):
    """The finished process; its exit code must be `code` (None: any)."""
    p = subprocess.run([TALUS, *map(str, args)], capture_output=True, text=True, timeout=300, **keys)
    if code is not None and p.returncode != code:
        raise AssertionError(f"talus {' '.join(map(str, args))}: exit code {p.returncode}, wanted {code}\n"
                             f"{p.stdout[-2000:]}\n{p.stderr[-2000:]}")
    return p


def strict_json(text):
    """One JSON object, without NaN or Infinity."""
    def refuse(name):
        raise AssertionError("not JSON: " + name)
    return json.loads(text, parse_constant=refuse)


def run_json(*args, code=0):
    return strict_json(run(*args, "--json", code=code).stdout)


def shared(*parts):
    path = os.path.join(SHARED, *parts)
    if not SHARED or not os.path.exists(path):
        raise unittest.SkipTest("no shared data: " + os.path.join(*parts))
    return path


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "w") as f:
            f.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def near(self, got, want, tol, what=""):
        """|got - want| <= tol"""
        self.assertLessEqual(abs(got - want), tol, f"{what}: got {got!r}, want {want!r}")
