# SPDX-License-Identifier: MIT
"""The frame of the command: help, version, option list, exit codes, where output goes."""
import os
import subprocess
import unittest

from common import TALUS, Case, run, run_json

COMMANDS = ("run", "profile", "gen", "info", "dynamics", "solve")


class Help(Case):
    def test_top_level(self):
        text = run("--help").stdout
        for name in COMMANDS:
            self.assertIn("\n  " + name, text)
        self.assertIn("Exit codes", text)
        self.assertEqual(run("help").stdout, text)

    def test_each_command_teaches_with_an_example(self):
        for name in COMMANDS:
            text = run(name, "--help").stdout
            self.assertIn("Example", text, name)
            self.assertIn("talus " + name, text)
            self.assertEqual(run("help", name).stdout, text)
            self.assertLessEqual(max(map(len, text.split("\n"))), 100)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^talus \d+\.\d+\.\d+\n$")

    def test_wrong_usage_is_2_and_prints_nothing(self):
        for args in ([], ["fly"], ["run"], ["run", "a", "b"], ["run", "a", "--nonsense"], ["run", "a", "--dt", "0"],
                     ["run", "a", "--dt", "-1"], ["run", "a", "--dt", "nan"], ["run", "a", "--time", "x"],
                     ["run", "a", "--threads", "0"], ["run", "a", "--capture", "3"], ["gen", "spheres", "-n", "0"],
                     ["gen", "spheres"], ["gen", "cows", "-n", "3"], ["solve", "a", "--picture", "p.png"]):
            p = run(*args, code=2)
            self.assertEqual(p.stdout, "", args)
            self.assertNotEqual(p.stderr, "", args)


class Files(Case):
    def setUp(self):
        super().setUp()
        self.scene = self.path("scene.xml")
        run("gen", "spheres", "-n", 8, "-o", self.scene)

    def test_a_full_device_is_an_io_error_said_once(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for args in (["--help"], ["help", "run"], ["--version"], ["gen", "--help"], ["info", "options"],
                     ["gen", "spheres", "-n", 8], ["gen", "spheres", "-n", 216], ["info", self.scene],
                     ["info", self.scene, "--json"], ["dynamics", self.scene, "--json"],
                     ["run", self.scene, "--time", 0.01, "--quiet"]):
            with open("/dev/full", "w") as full:
                p = subprocess.run([TALUS, *map(str, args)], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(p.returncode, 3, args)
            self.assertEqual(len(p.stderr.strip().split("\n")), 1, p.stderr)
            self.assertIn("standard output", p.stderr)

    def refused(self, *args):
        p = run("run", self.scene, "--time", 0.01, "--quiet", *args, code=2)
        self.assertEqual(p.stdout, "")
        return p.stderr

    def test_outputs_over_inputs_are_refused(self):
        with open(self.scene) as f:
            before = f.read()
        link, hard = self.path("link.xml"), self.path("hard.xml")
        os.symlink("scene.xml", link)
        os.link(self.scene, hard)
        for option in ("--final", "--out", "--picture"):
            for file in (self.scene, link, hard, os.path.join(self.folder, ".", "scene.xml")):
                self.assertIn(option + " " + file, self.refused(option, file))
        self.assertIn("--capture", self.refused("--capture", 0, self.scene))
        with open(self.scene) as f:
            self.assertEqual(f.read(), before)

    def test_one_file_for_two_outputs_is_refused(self):
        new, other = self.path("new"), os.path.join(self.folder, ".", "new")
        for file in (new, other):
            text = self.refused("--out", new, "--final", file)
            self.assertIn("--out", text)
            self.assertIn("--final", text)
            self.assertFalse(os.path.exists(new))
        run("run", self.scene, "--time", 0.01, "--final", "/dev/null", "--out", self.path("a.h5"))

    def test_a_state_may_be_continued_in_place(self):
        state = self.path("state.json")
        run("run", self.scene, "--time", 0.01, "--final", state)
        run("run", self.scene, "--time", 0.01, "--state", state, "--final", state)
        whole = run_json("run", self.scene, "--time", 0.02, "--final", self.path("whole.json"))
        self.assertEqual(run_json("run", self.scene, "--time", 0, "--state", state)["state_hash"], whole["state_hash"])
        self.assertIn("--state", self.refused("--state", state, "--picture", state))
        with open(self.scene) as f: # a word that is no file
            text = f.read()
        os.chdir(self.folder)
        for _ in range(2):
            run("gen", "spheres", "-n", 8, "-o", "spheres")
        with open("spheres") as f:
            self.assertEqual(f.read(), text)


class Options(Case):
    def test_every_option_is_described(self):
        text, options = run("info", "options").stdout, run_json("info", "options")["options"]
        self.assertGreater(len(options), 20)
        for o in options:
            self.assertIn(o["name"], text)
            self.assertTrue(o["help"] and o["unit"], o)
            if o["kind"] == "choice":
                self.assertIn(o["default"], o["choices"].split("|"))
            elif o["default"] != -1:
                self.assertTrue(o["min"] <= o["default"] <= o["max"], o)

    def test_the_issue_names_are_there(self):
        names = {o["name"]: o for o in run_json("info", "options")["options"]}
        for name in ("contact.k", "contact.d", "contact.mu", "contact.v_s", "contact.friction", "solver.tol",
                     "solver.globalization", "solver.coupling"):
            self.assertIn(name, names)
        self.assertEqual(names["solver.globalization"]["choices"], "lifting|tals|none")
        self.assertEqual(names["solver.globalization"]["default"], "lifting")
        self.assertEqual(names["contact.friction"]["default"], "quadratic")
        self.assertEqual(names["contact.v_s"]["default"], 1e-4)


if __name__ == "__main__":
    unittest.main()
