#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_layers.py SOURCE: sources include files of their own folder and of folders below it only.

The folders of the library and their order are those of the list in src/libomptarget/README.md. The rows here have the
other folders of src/, and those of plugins/.
"""
import pathlib
import re
import sys

# These folders know nothing of OpenMP or of devices. From the top.
SHARED = ["generations", "base"]
# The tools read files and devices by the library's folders from this one down.
FIRST_OF_TOOLS = "jit"
PLUGINS = {
    "cuda": ["gpu", "common"] + SHARED,
    "amdgpu": ["gpu", "common"] + SHARED,
    "gpu": ["common"] + SHARED,
    "host": ["common"] + SHARED,
    "common": SHARED,
    "kit": ["plugin"] + SHARED,
    "null": [],
    "package": [],
}
# Installed headers; and the library of LLVM that every folder may use.
EVERYBODYS = {"omptarget", "llvm"}


def folders_of_library(readme):
    """The folders of the library from the top, as its page lists them."""
    return re.findall(r"^- \*\*(\w+)/\*\*", readme.read_text(), re.MULTILINE)


def roots_of(source):
    """Each folder of folders, with what each of its folders may use."""
    library = folders_of_library(source / "src" / "libomptarget" / "README.md")
    order = library + SHARED
    below = {folder: order[place + 1:] for place, folder in enumerate(order)}
    products = {"libomptarget": order, "emulator": SHARED, "gomp": SHARED, "tools": order[order.index(FIRST_OF_TOOLS):],
                "packaging": []}
    products.update((folder, below[folder]) for folder in SHARED)
    yield source / "src" / "libomptarget", {folder: below[folder] for folder in library}, order
    yield source / "src", products, order
    yield source / "plugins", PLUGINS, order


def includes_of(file):
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+[<"](\w+)/', line)
        if found:
            yield number, found.group(1)


def check(root, allowed, library):
    """The lines that include what they must not, and how many includes were looked at."""
    wrong, count = [], 0
    known = set(library) | set(allowed)
    present = {path.name for path in root.iterdir() if path.is_dir()}
    wrong += [f"{root}/{folder}: stands in no list" for folder in sorted(present - set(allowed))]
    wrong += [f"{root}/{folder}: is listed, but not there" for folder in sorted(set(allowed) - present)]
    for folder in sorted(present & set(allowed) - {"libomptarget"}):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".c", ".def", ".in"):
                continue
            for number, used in includes_of(file):
                count += 1
                if used in known and used != folder and used not in allowed[folder]:
                    wrong.append(f"{file}:{number}: {folder}/ includes {used}/, which is not below it")
                elif used not in known and used not in EVERYBODYS and (root / used).is_dir():
                    wrong.append(f"{file}:{number}: includes {used}/, which stands in no list")
    return wrong, count


def main(source):
    source = pathlib.Path(source)
    wrong, total = [], 0
    for root, allowed, library in roots_of(source):
        lines, count = check(root, allowed, library)
        if count < 100:
            lines.append(f"{root}: only {count} includes of folders were found")
        wrong += lines
        total += count
    print("\n".join(wrong) if wrong else f"{total} includes, each of the own folder or of one below it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
