#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_paths.py SOURCES: checks that all names in the project's pages exist.

- links to files and headings;
- paths from the top of the sources (`test/run`; `src/base/fork_gate`, whatever its ending), files and classes by their
  folder in src or src/libomptarget (`base/fork_gate.h`, `mapping/MappingRef`), and programs by theirs in test/e2e;
- symbols (`Device::finish`, `kAbsent`, `run_construct`) occur in some source;
- each page is in the index of its folder below docs;
- pages that sources, scripts and workflows name (docs/use/errors.md).
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\s]+)`")
SYMBOL = re.compile(r"`((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)(?:\(\))?`")
PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
# Names of compilers, runtimes, instructions and styles, which no source of ours has.
FOREIGN = re.compile(
    r"omp_target_alloc_(host|shared)|ompx_dyn_cgroup_mem|_Fortran\w+|OpenMPIRBuilder::finalize|TypeAttr::get"
    r"|Reduction(DataSize|BufferLength)|PascalCase|snake_case|K_\w+|at_quick_exit|target_map|_\w\w+|global_load_\w+"
    r"|ds_bpermute|v_div_fmas|MADV_\w+")
# The plugin ABI as it was, which names the pages of that day.
UNCHANGED = "test/loader/first_abi/"
# Sources include files by their folder in these.
ROOTS = ("src", "src/libomptarget")
TOP = {"src", "include", "plugins", "device-rtl", "test", "docs", ".ci", ".github"}


def pages(sources):
    return [*sources.glob("*.md"), *(page for folder in sorted(TOP) for page in (sources / folder).rglob("*.md"))]


def anchors(text):
    """The headings of a page, as its links write them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def missing_links(page, text):
    for link in LINK.findall(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
        path, _, anchor = link.partition("#")
        if "://" in path:
            continue
        target = page.parent / path if path else page
        if not target.exists():
            yield link
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            yield link


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def is_there(sources, path):
    head, _, rest = path.partition("/")
    if head in TOP:
        return any(any(sources.glob(form)) for form in (path.rstrip("/"), f"{path}.*"))
    named = rest.split("::")[0]
    return (sources / "test/e2e" / path).exists() or any(
        any((sources / root / head).glob(form)) for root in ROOTS for form in (rest, f"{snake(named)}.*"))


def missing_paths(sources, text):
    folders = TOP | {folder.name for root in ROOTS for folder in (sources / root).iterdir() if folder.is_dir()}
    for path in QUOTED.findall(text):
        head, slash, rest = path.partition("/")
        if slash and head in folders and re.fullmatch(r"[\w.*/:+-]+", rest) and not is_there(sources, path):
            yield path


def source_texts(sources):
    """Name and text of each file that is no page."""
    for file in (file for folder in sorted(TOP) for file in (sources / folder).rglob("*")):
        if file.is_file() and file.suffix != ".md" and "__pycache__" not in file.parts:
            yield str(file.relative_to(sources)), file.read_text(errors="replace")


def missing_symbols(words, text):
    for name in sorted(set(SYMBOL.findall(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)))):
        is_symbol = "_" in name or "::" in name or re.match(r"k[A-Z]", name)
        if is_symbol and not FOREIGN.fullmatch(name) and not words.issuperset(name.split("::")):
            yield name


def pages_without_index(sources):
    for folder in ("use", "extend", "internals"):
        index = (sources / "docs" / folder / "README.md").read_text()
        for page in (sources / "docs" / folder).glob("*.md"):
            if page.name != "README.md" and f"]({page.name})" not in index:
                yield f"docs/{folder}/README.md: {page.name} is not in the index"


def main():
    sources = pathlib.Path(sys.argv[1])
    wrong, words = list(pages_without_index(sources)), set()
    for file, text in source_texts(sources):
        words.update(re.findall(r"[A-Za-z_]\w*", text))
        if not file.startswith(UNCHANGED):
            wrong += [f"{file}: {name} is not there" for name in PAGE.findall(text) if not (sources / name).exists()]
    for page in pages(sources):
        text = page.read_text()
        names = [*missing_links(page, text), *missing_paths(sources, text), *missing_symbols(words, text)]
        wrong += [f"{page.relative_to(sources)}: {name} is not there" for name in names]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
