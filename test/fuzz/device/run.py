#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for GPUs (generate.py), compiled for the emulator and run by omptarget-run.

run.py --prefix PREFIX --runtimes build/llvm --output FOLDER [--compilers build/compilers/bin] [--target sm_80,gfx90a]
       [--compiler 19,22] [--first 1] [--programs 4 | --minutes 30] [--seeds 5,9] [--regions 4] [--level 2]
       [--mode right | plant | compare] [--faults atomic,barrier]

Each program runs under all checks; it must print "ok", and nothing may be found. With --mode plant, or --plant, each
has one fault, and a finding must name its kernel and its line. With --mode compare, or --compare, each runs twice
without checks: once each part is compiled the first time that it runs, once nothing is compiled. Seeds take the targets
and compilers in turn; each of --seeds runs with all of them. FOLDER keeps the sources and messages of what failed.

A missing depend clause is found only if neither kernel has been waited for when the other is queued, which depends on
the host's threads. So it is planted by --faults depend alone."""

import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

from generate import Program

SAID = {"atomic": "race", "barrier": "race", "depend": "race", "beyond": "memory", "misaligned": "memory",
        "freed": "memory", "unwritten": "unwritten", "dropped": "mapping-dropped", "older": "mapping-older"}


def levels(target, clang):
    """Levels of optimisation whose code can be had: clang 19's code generator for AMD ends below -O2, clang 16's makes
    traps of reductions at -O0."""
    if target.startswith("gfx") and clang == 19:
        return ("2", "3")
    return ("1", "2", "3") if target.startswith("gfx") and clang == 16 else ("0", "0", "0", "1", "2", "3")


class Runner:
    def __init__(self, options):
        self.options, self.failed, self.count, self.told = options, 0, 0, {}

    def libraries(self, clang):
        clang = 22 if clang == 23 else clang  # whose libomp is that of this machine's C library
        folder = os.path.join(self.options.runtimes, str(clang))
        return ":".join(os.path.join(folder, one) for one in ("omp", "lib"))

    def started(self, command, timeout, **variables):
        others = ("LIBOMPTARGET", "OMP", "CUDA", "ROCM", "SIM_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout,
                                  env=dict(clean, **variables))
        except subprocess.TimeoutExpired as error:
            return 124, "", "no end after %d s\n%s" % (timeout, (error.stderr or b"").decode(errors="replace"))
        return done.returncode, done.stdout, done.stderr

    def compile(self, source, program, target, clang, level):
        device = os.path.join(self.options.prefix, "lib", "omptarget", "device", str(clang))
        path = os.environ["PATH"] + ":" + (self.options.compilers or "")
        command = [shutil.which("clang-%d" % clang, path=path), "--config=" + device + "/emulator.cfg", "-O" + level,
                   "-w", "--offload-arch=" + target, source, "-o", program, "-lm"]
        command += ["-isystem", os.path.join(self.options.runtimes, str(clang), "include")]
        if clang == 16:
            command.append("-fopenmp-version=51")
        if target.startswith("gfx") and clang in (16, 19):
            command.append("-lomptarget.devicertl")
        return self.started(command, self.options.patience, LIBRARY_PATH=self.libraries(clang))

    def run(self, program, target, clang, words, **variables):
        command = [os.path.join(self.options.prefix, "bin", "omptarget-run"), "--device=" + target, *words, program]
        # Code of -O0 has functions with large frames, of which some call themselves.
        return self.started(command, 900, LD_LIBRARY_PATH=self.libraries(clang), KMP_WARNINGS="0",
                            LIBOMPTARGET_STACK_SIZE="65536", **variables)

    def fail(self, name, what, *texts):
        self.failed += 1
        print("%s: %s" % (name, what))
        with open(os.path.join(self.options.output, name + ".txt"), "w") as file:
            file.write(what + "\n" + "\n".join(texts))

    def one(self, seed, target, clang):
        rng = random.Random("%d %s %d" % (seed, target, clang))
        level = self.options.level or rng.choice(levels(target, clang))
        name = "r%d.%s.%d.O%s" % (seed, target, clang, level)
        # OpenMP's optimiser takes more time than a program has regions.
        is_slow = level in "23" or (level == "1" and clang < 22)
        regions = max(1, self.options.regions // (2 if is_slow else 1))
        program = Program(seed, target, clang, regions)
        text, fault = program.text()
        if self.options.mode == "plant":
            wanted = set(self.options.faults.split(","))
            while not wanted & {of[0] for _, of in program.faults}:
                seed += 1000003
                program = Program(seed, target, clang, regions)
            kinds = wanted & {of[0] for _, of in program.faults}
            name = "r%d.%s.%d.O%s" % (seed, target, clang, level)
            kind = rng.choice(sorted(kinds))
            numbers = [at for at, (_, of) in enumerate(program.faults) if of[0] == kind]
            text, fault = program.text(rng.choice(numbers))
            name += "." + kind
        source, binary = (os.path.join(self.options.output, name + end) for end in (".c", ""))
        with open(source, "w") as file:
            file.write(text)
        started, failed = time.time(), self.failed
        code, _, errors = self.compile(source, binary, target, clang, level)
        if code == 124:
            print("%s: the compiler takes too long" % name)
            os.remove(source)
            return
        if code:
            self.fail(name, "does not compile", errors)
            return
        compiled = time.time()
        check = {"plant": self.planted, "compare": self.compared, "right": self.right}[self.options.mode]
        check(name, binary, target, clang, fault, seed)
        self.count += 1
        print("%s: compiled in %.1f s, run in %.1f s" % (name, compiled - started, time.time() - compiled), flush=True)
        os.remove(binary)
        if failed == self.failed:
            os.remove(source)

    def findings(self, name, binary, target, clang, seed):
        path = os.path.join(self.options.output, name + ".json")
        check = "races" if name.endswith(".depend") else "all" # the check of maps has nowait wait
        code, out, errors = self.run(binary, target, clang, ["--check=" + check, "--seed=%d" % seed, "--json=" + path])
        found = []
        if os.path.exists(path):
            with open(path) as file:
                text = file.read()
            found = json.loads(text)["findings"] if text else []
            os.remove(path)
        return code, out, errors, found

    def right(self, name, binary, target, clang, _, seed):
        code, out, errors, found = self.findings(name, binary, target, clang, seed)
        if code or out != "ok\n" or found:
            what = found[0]["message"] if found else out
            self.fail(name, "status %d, %d findings: %s" % (code, len(found), what), out, errors)

    def planted(self, name, binary, target, clang, fault, seed):
        """A finding of the right rule names the kernel, unless it is about its maps, and one of the lines. Optimisers
        leave some instructions without a line."""
        kind, function, lines = fault
        _, out, errors, found = self.findings(name, binary, target, clang, seed)
        of_rule = [one for one in found if one["rule"] == SAID[kind]]
        told = [line for line in errors.split("\n") if re.match("omptarget note|  |.* stand-in: ", line)]
        shown = {int(number) for number in re.findall(re.escape(name) + r"\.c:(\d+)", "\n".join(told))}
        shown |= {one["line"] for one in of_rule if "line" in one}
        is_of_maps = SAID[kind].startswith("mapping")
        has_kernel = any("_%s_l" % function in line for line in told)
        what = ("line" if of_rule and shown & set(lines) and (has_kernel or is_of_maps) else
                "kernel" if of_rule and has_kernel and not shown else "missed")
        tally = self.told.setdefault(kind, collections.Counter())
        tally[what] += 1
        if what == "missed":
            what = "lines %s of %s are not named; %d findings" % (lines, function, len(found))
            self.fail(name, what, json.dumps(found, indent=1), out, errors)

    def compared(self, name, binary, target, clang, _, seed):
        for words, variables in ((["--seed=%d" % seed], {"SIM_EXECUTOR_COMPILE": "1"}),
                                 (["--seed=%d" % seed, "--interpret"], {})):
            code, out, errors = self.run(binary, target, clang, words, **variables)
            if code or out != "ok\n":
                self.fail(name, "%s: status %d: %s" % (words[-1], code, out), out, errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--compilers")
    parser.add_argument("--target", default="sm_80,gfx90a")
    parser.add_argument("--compiler", default="19,22")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--faults", default=",".join(sorted(set(SAID) - {"depend"})), help="kinds for --plant")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seeds")
    parser.add_argument("--regions", type=int, default=4)
    parser.add_argument("--patience", type=float, default=400, help="seconds that a compilation may take")
    parser.add_argument("--level", choices=("0", "1", "2", "3"))
    parser.add_argument("--mode", choices=("right", "plant", "compare"), default="right")
    parser.add_argument("--plant", action="store_const", const="plant", dest="mode")
    parser.add_argument("--compare", action="store_const", const="compare", dest="mode")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    targets, clangs = options.target.split(","), [int(one) for one in options.compiler.split(",")]
    pairs = [(target, clang) for clang in clangs for target in targets if (target, clang) != ("gfx942", 16)]
    runner, end = Runner(options), time.time() + 60 * (options.minutes or 0)
    seeds = [int(one) for one in options.seeds.split(",")] if options.seeds else None
    at = 0
    while time.time() < end if options.minutes else at < (len(seeds) if seeds else options.programs):
        seed = seeds[at] if seeds else options.first + at
        for target, clang in pairs if seeds else [pairs[seed % len(pairs)]]:
            runner.one(seed, target, clang)
        at += 1
    for kind, tally in sorted(runner.told.items()):
        print("%s: %d with their line, %d with their kernel, %d missed" % (kind, tally["line"], tally["kernel"],
                                                                           tally["missed"]))
    print("%d programs, %d failed" % (runner.count, runner.failed))
    sys.exit(runner.failed != 0 or runner.count == 0)


if __name__ == "__main__":
    main()
