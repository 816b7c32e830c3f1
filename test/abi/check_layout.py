#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_layout.py VERSION LLVM_RUNTIMES PROBE OUTPUT: compiles layout_program.c with clang VERSION and runs it on the
probe. It compares what the probe read through the public headers with what that compiler is known to emit."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from generations import GENERATIONS  # noqa: E402
LAUNCH = r"launch device=1 teams=6 threads=3 id=1 location=;.*;"
ARGUMENTS = [r"argument size=20 type=0x23", r"argument size=\d+ type=0x320"]


def wanted(version):
    """A regular expression for each line, those of entries in any order."""
    generation = GENERATIONS[version]
    entry_end = " data=0" + (" version=1 kind=1" if generation.entry == 56 else "")
    magic = {"Container": "10ff10ad", "Raw": "7f454c46"}[generation.wrapping]
    entries = [
        r"entry name=__omp_offloading_\w+_main_l\d+ address=1 size=0 flags=0" + entry_end,
        r"entry name=to_global address=1 size=12 flags=0" + entry_end,
        r"entry name=linked_decl_tgt_ref_ptr address=1 size=8 flags=1" + entry_end,
    ]
    head = [r"requires 1"] if version <= 18 else []
    head += [r"descriptor images=1 record=%d rest=0" % generation.entry,
             r"image magic=%s plausible=1 entries=1" % magic]
    if generation.block == 0:
        launch = [r"tripcount device=1 5", LAUNCH] + ARGUMENTS
    else:
        # From block 5 on the implicit parameter is an argument.
        arguments = ARGUMENTS + ([r"argument size=0 type=0x120"] if generation.block >= 5 else [])
        launch = [LAUNCH,
                  r"kernel version=%d arguments=%d tripcount=5 names=0 mappers=0" % (generation.block, len(arguments))]
        if generation.block >= 2:
            launch.append(r"kernel flags=0 teams=6,0,0 threads=3,0,0 shared=0")
        launch += arguments
    return head, entries, launch + [r"unregister images=1"]


def run_program(version, runtimes, probe, output):
    program = os.path.join(output, "layout_program_%d" % version)
    folder = os.path.join(runtimes, str(version))
    subprocess.run(["clang-%d" % version, "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu",
                    "-L" + os.path.join(folder, "omp"), "-L" + os.path.join(folder, "lib"),
                    "-Wl,--allow-shlib-undefined",
                    os.path.join(HERE, "layout_program.c"), "-o", program], check=True)
    environment = dict(os.environ, LD_LIBRARY_PATH="%s:%s/omp" % (probe, folder))
    done = subprocess.run([program], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("the program failed with status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return done.stdout.splitlines()


def main():
    version, runtimes, probe, output = int(sys.argv[1]), *sys.argv[2:]
    lines = run_program(version, runtimes, probe, output)
    head, entries, tail = wanted(version)
    found_entries = [line for line in lines if line.startswith("entry")]
    others = [line for line in lines if not line.startswith("entry")]
    matches = len(found_entries) == len(entries) and len(others) == len(head + tail)
    matches = matches and all(any(re.fullmatch(entry, line) for line in found_entries) for entry in entries)
    matches = matches and all(re.fullmatch(pattern, line) for pattern, line in zip(head + tail, others))
    if not matches:
        sys.exit("the probe saw:\n%s\nexpected:\n%s" % ("\n".join(lines), "\n".join(head + entries + tail)))


main()
