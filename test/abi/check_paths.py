#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_paths.py SOURCES: what the project's pages name is there.

Links to files and headings, paths from the top of the sources (`test/run`; `src/base/fork_gate`, whatever its ending), files and
classes by their folder in src (`base/fork_gate.h`, `base/ForkGate`), and programs by theirs in test/e2e.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\s]+)`")
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
        any((sources / "src" / head).glob(form)) for form in (rest, f"{snake(named)}.*"))


def missing_paths(sources, text):
    folders = TOP | {folder.name for folder in (sources / "src").iterdir() if folder.is_dir()}
    for path in QUOTED.findall(text):
        head, slash, rest = path.partition("/")
        if slash and head in folders and re.fullmatch(r"[\w.*/:+-]+", rest) and not is_there(sources, path):
            yield path


def main():
    sources = pathlib.Path(sys.argv[1])
    found = 0
    for page in pages(sources):
        text = page.read_text()
        for name in [*missing_links(page, text), *missing_paths(sources, text)]:
            print(f"{page.relative_to(sources)}: {name} is not there")
            found += 1
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
