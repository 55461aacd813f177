#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that every source includes only modules below its own, and third-party headers only where they belong.

usage: python3 scripts/check_layers.py   (run from anywhere; exit code 1 and one line per violation)
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# what a module may include besides itself, the public headers and the standard library
BELOW = {
    "kernels": set(),
    "base": {"kernels"},
    "la": {"kernels", "base"},
    "solver": {"kernels", "base", "la"},
    "multibody": {"kernels", "base", "la"},
    "geometry": {"kernels", "base", "la"},
    "patch": {"kernels", "base", "la", "geometry"},
    "scene": {"kernels", "base", "la", "multibody", "geometry", "patch"},
    "model": {"kernels", "base", "la", "multibody", "geometry", "patch", "scene"},
    "sim": {"kernels", "base", "la", "solver", "multibody", "geometry", "patch", "scene", "model"},
    "io": {"kernels", "base", "la", "solver", "multibody", "geometry", "patch", "scene", "model", "sim"},
    "cli": {"kernels", "base", "la", "solver", "multibody", "geometry", "patch", "scene", "model", "sim", "io"},
}
# a third-party header and the files that may name it
THIRD = {
    r"pthread\.h": {"base/pool.c", "la/order_metis.c"},
    r"hwloc\.h": {"base/topology.c"},
    r"cholmod\.h": {"la/backend_cholmod.c"},
    r"umfpack\.h": {"la/backend_umfpack.c"},
    r"amd\.h": {"la/order.c"},
    r"metis\.h": {"la/order_metis.c"},
    r"libxml/.*": {"scene/xml.c"},
    r"zlib\.h": {"scene/mesh_inflate.c"},
    r"assimp/.*": {"scene/mesh_assimp.c"},
    r"libqhull_r/.*": {"scene/hull.c"},
    r"cairo\.h": {"io/draw.h"},
}
# public headers by the module that implements them
PUBLIC = {"base": "base", "solver": "solver", "patch": "patch", "model": "model", "sim": "sim", "io": "io", "talus": "cli"}


def owner(root, path):
    return path.relative_to(root).parts[0]


def main():
    src, bad = ROOT / "src", []
    files = [(p, owner(src, p)) for p in src.rglob("*.[ch]") if owner(src, p) != "include"]
    files += [(p, "kernels") for p in (ROOT / "kernels").rglob("*.[ch]")]
    home = {}
    for path, module in files:
        if path.suffix == ".h":
            home.setdefault(path.name, set()).add(module)
    for path, module in files:
        if module not in BELOW:
            bad.append(f"{path}: unknown module {module}")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
            if not m:
                continue
            name = m.group(2)
            where = f"{path.relative_to(ROOT)}:{number}"
            if name.startswith("talus/"):
                at = PUBLIC.get(pathlib.PurePath(name).stem)
                if at and at != module and at not in BELOW[module]:
                    bad.append(f"{where}: {module} may not include {name}")
                continue
            if m.group(1) == '"':
                at = home.get(pathlib.PurePath(name).name, set())
                if at and module not in at and not at & BELOW[module]:
                    bad.append(f"{where}: {module} may not include {name} of {', '.join(sorted(at))}")
                continue
            for pattern, allowed in THIRD.items():
                if re.fullmatch(pattern, name) and str(path.relative_to(src)) not in allowed:
                    bad.append(f"{where}: {name} belongs in {', '.join(sorted(allowed))}")
    print("\n".join(bad) if bad else f"layers: {len(files)} files, no violation")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
