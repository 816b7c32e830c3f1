#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count.py: how many instructions one construct takes, from the program's call to its return, as valgrind counts them.

Compiles constructs.c by one clang, runs each row under callgrind, prints a table and compares it with bounds.def: who
makes a construct more expensive sees it here, without a clock. --driver cuda or amdgpu counts the plugin for such GPUs,
and the calls of its driver, on the drivers of test/counts/idle, which do nothing. --runtime FOLDER counts another
libomptarget, without bounds; --profile ROW prints where one row's instructions are.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MAKE_TOOLKIT = os.path.join(ROOT, "src", "emulator", "toolkit", "make-ptx-toolkit")
DRIVERS = {"cuda": "libcuda.so.1", "amdgpu": "libhsa-runtime64.so.1"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", default=os.path.join(ROOT, "build", "release", "prefix", "lib"),
                        help="where omptarget's are")
    parser.add_argument("--llvm-runtimes", default=os.path.join(ROOT, "build", "llvm"))
    parser.add_argument("--clang", help="version of the compiler; 22, or with --driver 19")
    parser.add_argument("--driver", choices=DRIVERS, help="count the plugin for GPUs of this driver")
    parser.add_argument("--idle", default=os.path.join(ROOT, "build", "release", "test", "counts", "idle"),
                        help="where the drivers that do nothing are")
    parser.add_argument("--runtime", metavar="FOLDER", help="count this libomptarget.so instead of omptarget")
    parser.add_argument("--only", action="append", metavar="ROW")
    parser.add_argument("--profile", metavar="ROW", help="print the functions of this row")
    options = parser.parse_args()
    options.clang = options.clang or ("19" if options.driver else "22")
    return options


def bounds(what):
    """The bounds of each row, in the order of the file: instructions and calls of the driver."""
    table = {}
    with open(os.path.join(HERE, "bounds.def")) as file:
        for line in file:
            fields = line.split()
            if fields and fields[0] == what:
                table[fields[1]] = (int(fields[2]), int(fields[3]) if len(fields) > 3 else 0)
    return table


def target_flags(options, scratch):
    """Rows of the device's code, linked with LLVM's own device RTL."""
    if not options.driver:
        return ["-fopenmp-targets=x86_64-pc-linux-gnu"]
    if options.driver == "amdgpu":
        return ["-DKERNELS_RUN=0", "-fopenmp-targets=amdgcn-amd-amdhsa", "--offload-arch=gfx90a", "-nogpulib",
                "-lomptarget.devicertl"]
    toolkit = os.path.join(scratch, "toolkit")
    subprocess.run([MAKE_TOOLKIT, toolkit], check=True)
    return ["-DKERNELS_RUN=0", "-fopenmp-targets=nvptx64-nvidia-cuda", "--offload-arch=sm_80", "--cuda-path=" + toolkit,
            "-Wno-unknown-cuda-version", "-foffload-lto"]


def compile_program(options, scratch):
    program = os.path.join(scratch, "constructs")
    folder = os.path.join(options.llvm_runtimes, options.clang)
    subprocess.run(["clang-" + options.clang, "-O2", "-fopenmp", "-isystem", folder + "/include",
                    "-L" + folder + "/omp",
                    "-L" + folder + "/lib", *target_flags(options, scratch), os.path.join(HERE, "constructs.c"), "-o",
                    program],
                   check=True, env=dict(os.environ, LIBRARY_PATH=folder + "/lib"))
    return program


def environment(options, program, scratch):
    path = [os.path.join(options.llvm_runtimes, "19", "omp"), os.path.abspath(options.libraries)]
    if options.runtime:  # under the name that the program asks for
        needed = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
        for name in re.findall(r"\[(libomptarget\.so[^\]]*)\]", needed):
            os.symlink(os.path.realpath(os.path.join(options.runtime, "libomptarget.so")), os.path.join(scratch, name))
        path = [path[0], scratch, options.runtime]
    if options.driver:
        path.insert(0, os.path.abspath(options.idle))
    # Settings in the caller's environment would be counted, too. libomp's helper threads are not counted.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LIBOMPTARGET", "OMP", "KMP"))}
    return dict(clean, LD_LIBRARY_PATH=":".join(path), OMP_TARGET_OFFLOAD="MANDATORY",
                LIBOMP_USE_HIDDEN_HELPER_TASK="0")


def callgrind(row, program, variables, scratch):
    """Instructions of one construct inside of measured(), how many constructs there were in all, and callgrind's
    file."""
    out = os.path.join(scratch, row + ".out")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, "--toggle-collect=measured",
                           program, row], env=variables, capture_output=True, text=True, timeout=300)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected or int(collected.group(1)) == 0:
        sys.exit("%s did not run:\n%s%s" % (row, done.stdout, done.stderr))
    measured, everything = map(int, done.stdout.split())
    return int(collected.group(1)) / measured, everything, out


def calls_into(library, constructs, path):
    """How often a construct calls each function of the library, from callgrind's file: "cob=(1) LIBRARY", "cfn=(2)
    NAME", "calls=N ...". A name comes with the first use of its number; a call into the caller's own library has no
    cob. Calls count from the program's start, so that the few that come before the constructs are rounded away."""
    names, calls = {"ob": {}, "fn": {}}, collections.Counter()
    caller = callee = function = ""
    with open(path) as file:
        for line in file:
            if found := re.match(r"c?(ob|fn)=\((\d+)\)(?: (.*))?$", line):
                kind, number, name = found.groups()
                name = names[kind].setdefault(number, name)
                if line.startswith("ob="):
                    caller = callee = name
                elif line.startswith("cob="):
                    callee = name
                elif line.startswith("cfn="):
                    function = name
            elif line.startswith("calls="):
                if callee != caller and callee.endswith("/" + library):
                    calls[function] += int(line[len("calls="):].split()[0])
                callee = caller
    rounded = {name: round(count / constructs, 1) for name, count in calls.most_common()}
    return {name: count for name, count in rounded.items() if count != 0}


def check_row(options, row, limit, program, variables, scratch):
    """Counts the row, prints it, and returns whether it keeps its bounds."""
    instructions, constructs, out = callgrind(row, program, variables, scratch)
    calls = calls_into(DRIVERS[options.driver], constructs, out) if options.driver else {}
    number = sum(calls.values())
    names = "".join(", %s%s" % (name, "" if count == 1 else " %.4g" % count) for name, count in calls.items())
    print("%-16s %6.0f%s" % (row, instructions, "" if options.runtime else "  at most %d" % limit[0]) +
          ("; calls of the driver: %.4g, at most %d%s" % (number, limit[1], names) if options.driver else ""),
          flush=True)
    return options.runtime or (instructions <= limit[0] and number <= limit[1] and (number > 0) == bool(options.driver))


def main():
    options = arguments()
    limits = bounds(options.driver or options.clang)
    if not limits:
        sys.exit("bounds.def has no row for clang " + options.clang)
    with tempfile.TemporaryDirectory() as scratch:
        program = compile_program(options, scratch)
        variables = environment(options, program, scratch)
        if options.profile:
            _, _, out = callgrind(options.profile, program, variables, scratch)
            return subprocess.run(["callgrind_annotate", "--auto=no", out], check=True).returncode
        print("instructions per construct, program by clang %s%s" %
              (options.clang, ", %s" % options.driver if options.driver else ""))
        failures = [row for row, limit in limits.items() if (not options.only or row in options.only) and
                    not check_row(options, row, limit, program, variables, scratch)]
    if failures:
        sys.exit("more than bounds.def allows: " + ", ".join(failures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
