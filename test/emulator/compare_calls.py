#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_calls.py --driver cuda|hsa --stand-in FOLDER --libomp FOLDER --programs FOLDER BEFORE AFTER

Runs compiled programs of test/e2e on two installations, which are folders with the library and its plugins. Tells which
calls of the driver they make another number of times. For work by hand: what a change of a plugin means for the driver.
The programs are those that a suite e2e.emulator.* has left in its output folder. Each runs as it is, without
arguments."""

import argparse
import collections
import os
import subprocess
import sys
import tempfile

DEVICES = {"cuda": {"SIM_CUDA_DEVICES": "80,80,80,80", "LIBOMPTARGET_PLUGINS": "cuda"},
           "hsa": {"SIM_HSA_DEVICES": ",".join(4 * ["gfx1100"]), "LIBOMPTARGET_PLUGINS": "amdgpu"}}
# How often somebody looks whether work is done depends on time.
POLLS = {"cuStreamQuery", "cuEventQuery", "hsa_signal_wait_scacquire", "hsa_signal_load_scacquire",
         "hsa_queue_load_read_index_scacquire", "hsa_queue_load_write_index_relaxed", "active wait", "blocked wait"}


def calls(program, library, arguments):
    """How the program ended, and how often it made each call."""
    folders = [arguments.stand_in, library, arguments.libomp, os.path.dirname(program)]
    with tempfile.TemporaryDirectory() as record, tempfile.TemporaryDirectory() as place:
        environment = dict(os.environ, LD_LIBRARY_PATH=":".join(folders), OMP_TARGET_OFFLOAD="MANDATORY",
                           KMP_BLOCKTIME="0",
                           **DEVICES[arguments.driver])
        environment["SIM_%s_RECORD" % arguments.driver.upper()] = record
        try:
            status = subprocess.run(
                [program], env=environment, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, timeout=300).returncode
        except subprocess.TimeoutExpired:
            status = "does not end"
        counts = collections.Counter()
        for name in os.listdir(record):
            with open(os.path.join(record, name)) as lines:
                counts.update(line for line in lines.read().splitlines() if line and line not in POLLS)
    return status, counts


def programs(folder):
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(place, name)
            if ".so" in name or not os.access(path, os.X_OK):
                continue
            with open(path, "rb") as start:
                if start.read(4) == b"\x7fELF":
                    yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True, choices=DEVICES)
    for name in ("--stand-in", "--libomp", "--programs"):
        parser.add_argument(name, required=True, type=os.path.abspath)
    parser.add_argument("before", type=os.path.abspath)
    parser.add_argument("after", type=os.path.abspath)
    arguments = parser.parse_args()
    kinds = collections.Counter()
    totals = {}
    for program in programs(arguments.programs):
        runs = [calls(program, library, arguments) for library in 2 * [arguments.before, arguments.after]]
        if not any(counts for _, counts in runs):
            kinds["make no call"] += 1
            continue
        name = os.path.relpath(program, arguments.programs)
        if len({str(status) for status, _ in runs}) > 1:
            kinds["end in another way"] += 1
            print("%s: ends with %s, then %s" % (name, runs[0][0], runs[1][0]))
            continue
        every = set().union(*(counts for _, counts in runs))
        varies = {call for call in every if runs[0][1][call] != runs[2][1][call] or
                  runs[1][1][call] != runs[3][1][call]}
        differs = {call for call in every - varies if runs[0][1][call] != runs[1][1][call]}
        kinds["differ" if differs else "differ from run to run only" if varies else "make the same calls"] += 1
        for call in differs:
            total = totals.setdefault(call, [0, 0, 0, name])
            for i, count in enumerate((runs[0][1][call], runs[1][1][call], 1)):
                total[i] += count
    for call, (before, after, count, first) in sorted(totals.items()):
        print("%-45s %7d -> %7d in %d programs, first %s" % (call, before, after, count, first))
    print(", ".join("%d %s" % (count, kind) for kind, count in kinds.items()) or "no programs")
    return 0 if kinds else 2


if __name__ == "__main__":
    sys.exit(main())
