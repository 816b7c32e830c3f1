# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random OpenMP programs by one clang, on omptarget, on LLVM's runtime of the same version, and on a model of the
specification.

run.py --clang 19 --prefix PREFIX --runtimes build/llvm --output FOLDER [--seed 1] [--programs 100] [--first 0]
       [--jobs 1]

A program that differs from the model on omptarget fails the run, as does a difference of LLVM's that
known_differences.txt does not explain. FOLDER keeps the sources of files with differences. LLVM's runtime may need
libraries that this machine does not have. Then programs run on it with the dynamic linker and the libraries that were
unpacked beside it."""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
PER_FILE = 25


def foreign_libraries(options):
    """The folder of the dynamic linker and libraries of another release that LLVM's runtime of that version needs, or
    None."""
    folder = os.path.join(options.runtimes, options.clang, "sysroot")
    return folder if os.path.exists(folder) else None


def compile_file(options, name, text):
    source = os.path.join(options.output, name + ".c")
    program = os.path.join(options.output, name)
    with open(source, "w") as file:
        file.write(text)
    folder = os.path.join(options.runtimes, options.clang)
    name = "clang-" + options.clang
    command = [shutil.which(name) or shutil.which(name, path=options.compilers), "-O1", "-w", "-fopenmp",
               "-fopenmp-extensions",
               "-fopenmp-version=%d" % (52 if int(options.clang) >= 16 else 51), "-fopenmp-targets=x86_64-pc-linux-gnu",
               "-isystem", folder + "/include", source, "-o", program, "-L%s/omp" % folder, "-L%s/lib" % folder]
    if foreign_libraries(options):
        command.append("-Wl,--allow-shlib-undefined")
    if int(options.clang) < 16:
        command.append("-DNO_MAPPED_PTR")
    subprocess.run(command, check=True)
    return source, program


def run_programs(options, runtime, program, first, count):
    """Number -> lines. A program that ends the process gets the line "died"."""
    folder = os.path.join(options.runtimes, options.clang)
    path, start = "%s/lib:%s/omp" % (options.prefix if runtime == "omptarget" else folder, folder), []
    libraries = foreign_libraries(options)
    if libraries and runtime != "omptarget":
        path, start = "%s/lib:%s" % (folder, libraries), [libraries + "/ld-linux-x86-64.so.2"]
    environment = dict(os.environ, LD_LIBRARY_PATH=path, OMP_TARGET_OFFLOAD="MANDATORY", KMP_BLOCKTIME="0")
    lines, next_program = collections.defaultdict(list), first
    while next_program < first + count:
        try:
            done = subprocess.run([*start, program, str(next_program), str(first + count - 1)], env=environment,
                                  capture_output=True,
                                  timeout=300)
            status, output, errors = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status, output, errors = "no end", late.stdout or b"", late.stderr or b""
        latest = next_program
        for line in output.decode(errors="replace").splitlines():
            match = re.match(r"[SV] (\d+) ", line)
            if match:
                latest = int(match.group(1))
                lines[latest].append(line)
        if status == 0 and output.rstrip().endswith(b"end"):
            break
        if status == 0 or not isinstance(status, int):
            status = "no end"
        # The program that did not end is the one after a complete one, or the one whose lines stop.
        lines[latest].append("died: %s: %s" %
                             (status, errors.decode(errors="replace").strip().replace("\n", " / ")[:300]))
        next_program = latest + 1
    return lines


def difference(expected, lines):
    """The first line that the model does not tell, as (tag, what, expected, found), or None."""
    for i, (tag, wanted) in enumerate(expected):
        found = lines[i] if i < len(lines) else "nothing"
        if found.startswith(("died", "nothing")):
            return tag, "died", wanted, found
        what = compare(wanted, found)
        if what:
            return tag, what, wanted, found
    if len(lines) > len(expected):
        return "end", "died", "nothing", lines[len(expected)]
    return None


def compare(wanted, found):
    if wanted[0] == "V":
        return "" if wanted == found else "result"
    one, other = wanted.split(), found.split()
    if len(one) != len(other):
        return "form"
    kinds, side = [], "host"
    for w, f in zip(one, other):
        if w == "|":
            side = "device"
        if w != f and w != "?" and not (w != "." and f != "." and "?" in w):
            if "." in (w, f) or "half" in (w, f):
                kinds.append("presence")
            elif re.match(r"[hxd]", w) and re.match(r"[hxd]|0", f):
                kinds.append(side + "-pointer")
            else:
                kinds.append(side)
    return "+".join(sorted(set(kinds)))


def known_differences(path):
    """Lines: runtime versions | tag and what, a pattern | reason."""
    known = []
    with open(path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                versions, pattern, reason = (part.strip() for part in line.split(" | ", 2))
                known.append((versions.split(), re.compile(pattern), reason))
    return known


def explain(known, version, tag, what):
    for versions, pattern, reason in known:
        if version in versions and pattern.search("%s: %s" % (tag, what)):
            return reason
    return None


def run_file(options, first, count):
    name = "programs_%s_%d_%d" % (options.clang, options.seed, first)
    text, expected = generate.source_file(options.seed, first, count, int(options.clang))
    source, program = compile_file(options, name, text)
    results = []
    for runtime in options.on:
        lines = run_programs(options, runtime, program, first, count)
        for number in range(first, first + count):
            different = difference(expected[number], lines[number])
            if different:
                results.append((runtime, number, *different))
    os.remove(program)
    if not results:
        os.remove(source)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--on", default="omptarget,llvm", type=lambda text: text.split(","))
    parser.add_argument("--compilers", help="folder of clangs that are not in PATH")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    known = known_differences(os.path.join(HERE, "known_differences.txt"))
    starts = range(options.first, options.first + options.programs, PER_FILE)
    count = min(PER_FILE, options.programs)
    reasons, unexplained, different = collections.Counter(), [], collections.defaultdict(set)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for results in pool.map(lambda start: run_file(options, start, count), starts):
            for runtime, number, tag, what, wanted, found in results:
                different[runtime].add(number)
                version = "omptarget" if runtime == "omptarget" else "llvm-" + options.clang
                reason = explain(known, version, tag, what)
                if reason:
                    reasons[version + ": " + reason] += 1
                else:
                    unexplained.append((version, number, tag, what, wanted, found))
    for version, number, tag, what, wanted, found in unexplained:
        print("%s, program %d.%d by clang %s: [%s: %s]\n  model: %s\n  found: %s" %
              (version, options.seed, number, options.clang, tag, what, wanted, found))
    for reason, times in reasons.most_common():
        print("%5d  %s" % (times, reason))
    print("clang %s: %d programs with seed %d; different from the model: %s; unexplained: %d" %
          (options.clang, options.programs, options.seed,
           ", ".join("%s %d" % (runtime, len(different[runtime])) for runtime in options.on), len(unexplained)))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
