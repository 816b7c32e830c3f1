# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compare_with_llvm.py OUR-LIBRARY-PATH LLVM-LIBRARY-PATH KIND PROGRAM: runs the program on both runtimes and compares what
# they print to stderr. Addresses are masked; the order of lines inside of a construct is free. KIND info or ompt: which
# lines are compared and which deliberate differences (docs/observing.md) are taken out first.

import os
import re
import subprocess
import sys


def lines_of(program, library_path):
    environment = dict(os.environ, LD_LIBRARY_PATH=library_path)
    done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit("%s on %s: status %d\n%s" % (program, library_path, done.returncode, done.stderr))
    return done.stderr.splitlines()


def constructs(lines, is_begin):
    """Sorted lines of each construct, so that their order inside of it does not count."""
    groups = [[]]
    for line in lines:
        if is_begin(line):
            groups.append([])
        groups[-1].append(line)
    return [sorted(group) for group in groups]


def info_groups(lines):
    chosen = [re.sub(r"0x[0-9a-f]{16}", "ADDRESS", line) for line in lines if " info: " in line]
    # LLVM names copies without a mapping after whatever lies next to them.
    firstprivate = [re.sub(r"(Copying data from .*Size=40, Name=)(?!a$|heap\[0:10\]$).*", r"\1unknown", line)
                    for line in chosen]
    return constructs(firstprivate, lambda line: re.search(r"info: (Entering|Exiting|Updating) ", line)
                )


def ompt_groups(lines):
    chosen = []
    for line in lines:
        if not line.startswith("ompt: "):
            continue
        # LLVM initialises all devices at program start, omptarget those that are used; LLVM reports no unloading.
        if re.search(r"device_(initialize|finalize|unload)", line):
            continue
        # The plain form: omptarget reports an allocation when it is done, so that its address is known.
        if "endpoint" not in line:
            line = re.sub(r"(data_op type=1 .*destination=)(null|set)", r"\1ADDRESS", line)
        # Private variables of a construct share one allocation that belongs to no host memory.
        line = re.sub(r"(data_op type=1 .*source=)(null|set)", r"\1ADDRESS", line)
        # Outside of constructs LLVM passes a word that belongs to no region, omptarget none.
        if "WRONG: target_data == open_region" in line or line.startswith("ompt: end"):
            continue
        line = re.sub(r"region=(-1|0)$", "region=none", line)
        chosen.append(re.sub(r"module=\d+", "module", line))
    return constructs(chosen, lambda line: re.search(r"target kind=\d endpoint=1", line))


def main():
    ours, theirs, kind, program = sys.argv[1:]
    groups = {"info": info_groups, "ompt": ompt_groups}[kind]
    mine = groups(lines_of(program, ours))
    other = groups(lines_of(program, theirs))
    if len(other) < 5:
        sys.exit("LLVM's runtime told of %d constructs only: nothing to compare with" % len(other))
    failed = len(mine) != len(other)
    for left, right in zip(mine, other):
        for line in left:
            if left.count(line) != right.count(line):
                failed = True
                print("only omptarget:", line)
        for line in right:
            if left.count(line) != right.count(line):
                failed = True
                print("only LLVM:     ", line)
    print("%d and %d constructs" % (len(mine), len(other)))
    print("different" if failed else "the same")
    sys.exit(failed)


main()
