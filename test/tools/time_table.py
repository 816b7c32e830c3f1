#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""time_table.py CTEST.xml: minutes per suite of a run, as a table, from ctest's JUnit file."""
import re
import sys
import xml.etree.ElementTree as ElementTree

# The name of a suite in the table, and its tests: the first row that fits.
SUITES = [
    ("`e2e.compare.*`", r"e2e\.compare\."),
    ("`e2e.N`, a compiler each", r"e2e\.\d+$"),
    ("`e2e.23.libomp`", r"e2e\.23\.libomp$"),
    ("`e2e.mixed`", r"e2e\.mixed$"),
    ("`e2e.asan.*`, `e2e.tsan.*`", r"e2e\.[at]san\."),
    ("`e2e.emulator.*`", r"e2e\.emulator\."),
    ("`e2e.*` else: damaged, random, failing calls", r"e2e\."),
    ("`plugin.*`, plugins and libraries of others", r"plugin\."),
    ("`unit.*`, `property.*`, `loader.*`", r"(unit|property|loader)\."),
    ("`model.*`, `stress.*`", r"(model|stress)\."),
    ("`emulator.*`, `conformance.*`", r"(emulator|conformance)\."),
    ("`executor.*`, `kit.*`", r"(executor|kit)\."),
    ("`device-rtl.*`", r"device-rtl\."),
    ("`counts.*`", r"counts\."),
    ("the others", r""),
]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: time_table.py CTEST.xml")
    found = {name: [] for name, _ in SUITES}
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        name, seconds = case.get("name"), float(case.get("time") or 0)
        suite = next(suite for suite, pattern in SUITES if re.match(pattern, name))
        found[suite].append((seconds, name))
    if not any(found.values()):
        sys.exit("%s has no test" % sys.argv[1])
    print("| suite | tests | minutes | the slowest, seconds |\n|---|---|---|---|")
    for suite, cases in found.items():
        if cases:
            seconds, name = max(cases)
            print("| %s | %d | %.1f | `%s` %.0f |" %
                  (suite, len(cases), sum(time for time, _ in cases) / 60, name, seconds))
    every = [case for cases in found.values() for case in cases]
    print("| all, one after the other | %d | %.1f | |" % (len(every), sum(time for time, _ in every) / 60))


main()
