#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_results.py CTEST.xml...: prints "PASSED FAILED", the numbers of tests, and one line per failure on stderr.

Reads ctest's JUnit files. A suite of lit counts with each of its programs: its own file lies beside the ctest file, as
test/e2e/<suite>.xml.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree


def cases(path):
    """(name, "passed", "failed" or "skipped") of each test case in a JUnit file."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = case.get("name")
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            yield name, "failed"
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            yield name, "skipped"
        else:
            yield name, "passed"


def count(path):
    passed, failed = 0, []
    for name, outcome in cases(path):
        inner = os.path.join(os.path.dirname(path), "test", "e2e", name.removeprefix("e2e.") + ".xml")
        if name.startswith("e2e.") and os.path.exists(inner):
            programs = list(cases(inner))
            inner_failed = ["%s: %s" % (name, program) for program, result in programs if result == "failed"]
            passed += sum(1 for _, result in programs if result == "passed")
            failed += inner_failed
            if outcome == "failed" and not inner_failed:
                failed.append(name)
        elif outcome == "passed":
            passed += 1
        else:  # tests that could not run at all were not shown to work
            failed.append(name if outcome == "failed" else name + " (did not run)")
    return passed, failed


def main():
    total_passed, total_failed = 0, 0
    for path in sys.argv[1:]:
        passed, failed = count(path)
        total_passed += passed
        total_failed += len(failed)
        for name in failed:
            print("failed in %s: %s" % (os.path.basename(os.path.dirname(path)), name), file=sys.stderr)
    print(total_passed, total_failed)


main()
