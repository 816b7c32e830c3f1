#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_layers.py SOURCE: sources include files of their own folder and of folders below it only.

The folders of src/ and their order are those of the list in src/README.md, those of plugins/ the rows here.
"""
import pathlib
import re
import sys

# Below the parts of plugins, of src/: what knows nothing of OpenMP or of devices.
PARTS_OF_SRC = ["base", "generations"]
# Folders of src/ that no folder uses, and those that they may use; tools/ may use more.
BESIDE_THE_LIBRARY = {"tools": [], "emulator": PARTS_OF_SRC, "packaging": []}
PLUGINS = {
    "cuda": ["gpu", "common"] + PARTS_OF_SRC,
    "amdgpu": ["gpu", "common"] + PARTS_OF_SRC,
    "gpu": ["common"] + PARTS_OF_SRC,
    "host": ["common"] + PARTS_OF_SRC,
    "common": PARTS_OF_SRC,
    "kit": ["plugin"] + PARTS_OF_SRC,
    "null": [],
    "package": [],
}
# Installed headers; and the library of LLVM that every folder may use.
EVERYBODYS = {"omptarget", "llvm"}


def folders_from_the_top(readme):
    """The folders of src/ in the order in which its page lists them, each with the folders that it may use."""
    listed = re.findall(r"^- \*\*(\w+)/\*\*", readme.read_text(), re.MULTILINE)
    library = [folder for folder in listed if folder not in BESIDE_THE_LIBRARY]
    allowed = {folder: library[place + 1:] for place, folder in enumerate(library)}
    allowed.update((folder, uses) for folder, uses in BESIDE_THE_LIBRARY.items() if folder in listed)
    allowed["tools"] = library[library.index("jit"):]
    return allowed


def includes_of(file):
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+[<"](\w+)/', line)
        if found:
            yield number, found.group(1)


def check(root, allowed):
    """The lines that include what they must not, and how many includes were looked at."""
    wrong, count = [], 0
    known = {folder for folders in allowed.values() for folder in folders} | set(allowed)
    present = {path.name for path in root.iterdir() if path.is_dir()}
    wrong += [f"{root}/{folder}: stands in no list" for folder in sorted(present - set(allowed))]
    wrong += [f"{root}/{folder}: is listed, but not there" for folder in sorted(set(allowed) - present)]
    for folder in sorted(present & set(allowed)):
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
    for root, allowed in ((source / "src", folders_from_the_top(source / "src" / "README.md")),
                          (source / "plugins", PLUGINS)):
        lines, count = check(root, allowed)
        if count < 100:
            lines.append(f"{root}: only {count} includes of folders were found")
        wrong += lines
        total += count
    print("\n".join(wrong) if wrong else f"{total} includes, each of the own folder or of one below it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
