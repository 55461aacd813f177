# SPDX-License-Identifier: MIT
"""The frame of the command: help, version, option list, exit codes, where output goes."""
import unittest

from common import Case, run, run_json

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
