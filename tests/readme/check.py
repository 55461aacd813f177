#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README.md against the program: options, links, names of results, and examples of the promised length.

usage: check.py TALUS [--write]   (--write makes the table anew; exit code 1: it differs)
"""
import json
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
BEGIN, END = "<!-- options: made by tests/readme/check.py --write -->\n", "<!-- /options -->"


def table(talus):
    text = subprocess.run([talus, "info", "options", "--json"], check=True, capture_output=True).stdout
    rows = ["| option | default | range | unit | meaning |", "|---|---|---|---|---|"]
    for o in json.loads(text)["options"]:
        if o["choices"]:
            default, span = o["default"], ", ".join(f"`{c}`" for c in o["choices"].split("|"))
        else:
            default, span = f"{o['default']:g}", f"{o['min']:g} .. {o['max']:g}"
        rows.append(f"| `{o['name']}` | {default} | {span} | {o['unit'].replace('|', 'or')} | {o['help']} |")
    return "\n".join(rows) + "\n"


def main():
    text = README.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    want = table(sys.argv[1])
    if "--write" in sys.argv:
        README.write_text(text[:begin] + want + text[end:])
        return 0
    bad = []
    if text[begin:end] != want:
        bad.append("the table of options is not what `talus info options` says: run check.py with --write")
    for link in re.findall(r"\]\(([^)#]+)", text):
        if not (README.parent / link).exists():
            bad.append(f"link to {link}, which is not there")
    # examples stay short, and each is named
    for example in sorted((README.parent / "tests/examples").glob("*.c")):
        most = 40 if example.name == "load_and_step.c" else 80
        if len(example.read_text().splitlines()) >= most:
            bad.append(f"{example.name} has {most} lines or more")
        if f"(tests/examples/{example.name})" not in text:
            bad.append(f"no link to {example.name}")
    # the JSON of a run has every name that the README promises
    promised = re.search(r"`talus run --json`: `([^`]*)`", text).group(1).split()
    scene = README.parent / "tests/examples/blocks.xml"
    run = json.loads(subprocess.run([sys.argv[1], "run", scene, "--time", "0.02", "--json", "--quiet"], check=True,
                                    capture_output=True).stdout)
    bad += [f"`talus run --json` has no {name}" for name in promised if name not in run]
    print("\n".join(bad) if bad else "README: options, links, examples and names of results agree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
