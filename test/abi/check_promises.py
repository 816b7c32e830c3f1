#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_promises.py ROOT: each promise of docs/internals/threads.md is on its section's page, and its tests exist."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
PAGES = {
    "architecture.md": "docs/internals/architecture.md",
    "constructs.md": "docs/internals/constructs.md",
    "lifetimes.md": "docs/internals/lifetimes.md",
    "mapping.md": "docs/use/mapping.md",
    "cpu-regions.md": "docs/use/cpu-regions.md",
    "src/libomptarget/README.md": "src/libomptarget/README.md",
}


def words(text):
    return " ".join(text.split())


def one_line(text):
    return words(text).lower()


tests = set()
for folder in ("unit", "stress"):
    for path in (root / "test" / folder).rglob("*.cpp"):
        tests.update(".".join(names)
                     for names in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.M))
tests.update(str(path.relative_to(root / "test/e2e")) for path in (root / "test/e2e").rglob("*.c*"))
for folder in ("src", "plugins", "device-rtl"):
    for path in (root / folder).rglob("*"):
        if path.suffix in (".h", ".cpp"):
            names = re.findall(r'OMPTARGET_(?:PLANTED|ORDER)\("(\w+_\w+)"', path.read_text())
            tests.update("model.planted." + name for name in names)
tests.update("model." + path.stem for path in (root / "test/model").glob("*.cpp"))
tests.update(re.findall(r"NAME ((?:abi|stress)\.[\w.]+)", "".join(
    (root / "test" / folder / "CMakeLists.txt").read_text() for folder in ("abi", "stress"))))
faults = set(re.findall(r'^    "([a-z-]+)": ', (root / "test/stress/plant").read_text(), re.M))

page, seen, wrong = None, 0, []
for line in (root / "docs/internals/threads.md").read_text().splitlines():
    if line.startswith("## "):
        page = one_line((root / PAGES[line[3:]]).read_text())
    if page is None or not line.startswith("| ") or line.startswith("| promise "):
        continue
    promise, named = line.strip("| ").rsplit(" | ", 1)
    seen += 1
    if one_line(promise) not in page:
        wrong.append("not on the page: " + promise)
    names = re.findall(r"`([^`]+)`(?: ([a-z]+(?:-[a-z]+)+))?", named)
    if not names:
        wrong.append("no test: " + promise)
    for name, fault in names:
        if name not in tests and name != "tsan":
            wrong.append("no such test: " + name)
        if fault and fault not in faults:
            wrong.append("no such fault: " + fault)

print("\n".join(wrong) if wrong else "%d promises, each with its tests" % seen)
sys.exit(1 if wrong or not seen else 0)
