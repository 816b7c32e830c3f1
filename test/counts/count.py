#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count.py: how many instructions one construct takes, from the program's call to its return, as valgrind counts them.

Compiles constructs.c by one clang, runs each row under callgrind, prints a table and compares it with bounds.def: who makes
a construct more expensive sees it here, without a clock. --runtime FOLDER counts another libomptarget, without bounds;
--profile ROW prints where one row's instructions are.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", default=os.path.join(ROOT, "build", "release", "prefix", "lib"),
                        help="where omptarget's are")
    parser.add_argument("--llvm-runtimes", default=os.path.join(ROOT, "build", "llvm"))
    parser.add_argument("--clang", default="22", help="version of the compiler")
    parser.add_argument("--runtime", metavar="FOLDER", help="count this libomptarget.so instead of omptarget")
    parser.add_argument("--only", action="append", metavar="ROW")
    parser.add_argument("--profile", metavar="ROW", help="print the functions of this row")
    return parser.parse_args()


def bounds(clang):
    """What each row may take at most, in the order of the file."""
    table = {}
    with open(os.path.join(HERE, "bounds.def")) as file:
        for line in file:
            fields = line.split()
            if fields and not fields[0].startswith("#") and fields[0] == clang:
                table[fields[1]] = int(fields[2])
    return table


def compile_program(options, scratch):
    program = os.path.join(scratch, "constructs")
    folder = os.path.join(options.llvm_runtimes, options.clang)
    subprocess.run(["clang-" + options.clang, "-O2", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-isystem",
                    folder + "/include", "-L" + folder + "/omp", "-L" + folder + "/lib",
                    os.path.join(HERE, "constructs.c"), "-o", program], check=True)
    return program


def environment(options, program, scratch):
    path = [os.path.join(options.llvm_runtimes, "19", "omp"), os.path.abspath(options.libraries)]
    if options.runtime:  # under the name that the program asks for
        needed = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
        for name in re.findall(r"\[(libomptarget\.so[^\]]*)\]", needed):
            os.symlink(os.path.realpath(os.path.join(options.runtime, "libomptarget.so")), os.path.join(scratch, name))
        path = [path[0], scratch, options.runtime]
    # What the caller's environment sets for the library would be counted, too.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LIBOMPTARGET", "OMP", "KMP"))}
    return dict(clean, LD_LIBRARY_PATH=":".join(path), OMP_TARGET_OFFLOAD="MANDATORY")


def callgrind(row, program, variables, scratch):
    """Instructions inside of measured(), per construct; and the file with what callgrind saw."""
    out = os.path.join(scratch, row + ".out")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, "--toggle-collect=measured",
                           program, row], env=variables, capture_output=True, text=True, timeout=300)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected or int(collected.group(1)) == 0:
        sys.exit("%s did not run:\n%s%s" % (row, done.stdout, done.stderr))
    return int(collected.group(1)) / int(done.stdout), out


def main():
    options = arguments()
    limits = bounds(options.clang)
    if not limits:
        sys.exit("bounds.def has no row for clang " + options.clang)
    with tempfile.TemporaryDirectory() as scratch:
        program = compile_program(options, scratch)
        variables = environment(options, program, scratch)
        if options.profile:
            _, out = callgrind(options.profile, program, variables, scratch)
            return subprocess.run(["callgrind_annotate", "--auto=no", out], check=True).returncode
        failures = []
        print("instructions per construct, program by clang %s" % options.clang)
        for row, limit in limits.items():
            if options.only and row not in options.only:
                continue
            count, _ = callgrind(row, program, variables, scratch)
            print("%-16s %6.0f%s" % (row, count, "" if options.runtime else "  at most %d" % limit), flush=True)
            if count > limit and not options.runtime:
                failures.append(row)
    if failures:
        sys.exit("more than bounds.def allows: " + ", ".join(failures))
    return 0


sys.exit(main())
