#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of compilers, src/generations/clang.def, for tests: GENERATIONS[version] has its columns by their names.
As a program: generations.py COLUMN [VERSION...] prints that column, of all versions unless some are given."""
import collections
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "generations", "clang.def")


def read_table():
    with open(TABLE) as file:
        text = file.read()
    columns = re.search(r"^// OMPTARGET_CLANG\((.*)\)$", text, re.M).group(1).split(", ")
    Generation = collections.namedtuple("Generation", columns)
    rows = re.findall(r"^OMPTARGET_CLANG\((.*)\)$", text, re.M)
    generations = [Generation(*(eval_cell(cell) for cell in row.split(", "))) for row in rows]
    return {generation.version: generation for generation in generations}


def eval_cell(cell):
    return int(cell) if cell.isdigit() else cell.strip('"')


GENERATIONS = read_table()
# Every name that a program may ask for.
LIBRARY_NAMES = ["libomptarget.so" + generation.library for generation in GENERATIONS.values()]

if __name__ == "__main__":
    wanted = [int(version) for version in sys.argv[2:]] or list(GENERATIONS)
    for version in wanted:
        print(getattr(GENERATIONS[version], sys.argv[1]))
