# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The results of each flang for the programs of test/e2e/fortran, which lit runs where they compile and are right. Those
# of test/e2e/inputs/fortran no flang compiles correctly. Their comments say the rest:
#   ! flang 19, 22: refused: TEXT     the compiler ends with this text
#   ! flang 19: crashes: TEXT         the same, of a crash
#   ! flang 19: wrong: WHY            compiled, and the program fails each time
#   ! flang 19: not run: WHY          compiled wrongly, and what the program does then is chance
#
# fortran_programs.py check VERSION OUTPUT COMPILER RUN: sees that refusals, crashes and wrong programs of that flang still are.
# fortran_programs.py table: prints all of them as a table.

import glob
import os
import re
import subprocess
import sys

FLANGS = ["19", "22", "23"]
FOLDER = os.path.dirname(os.path.abspath(__file__))
CLAUSES = ("private firstprivate lastprivate defaultmap has_device_addr use_device_addr use_device_ptr is_device_ptr "
           "depend nowait reduction collapse schedule dist_schedule num_teams num_threads thread_limit device if "
           "simdlen copyprivate").split()
PARTS = ("teams distribute parallel loop simd atomic critical single masked sections barrier task ordered").split()
MODIFIERS = "always present close mapper".split()
MAP_TYPES = "to from tofrom alloc release delete".split()
DECLARATIONS = ["declare target", "declare mapper", "declare reduction", "target data", "target enter data",
                "target exit data",
                "target update"]


class Program:
    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.text = open(path).read()
        self.known = {}  # version: kind and text
        for versions, kind, text in re.findall(r"^! flang ([\d, ]+): (refused|crashes|wrong|not run): (.*)$", self.text,
                                               re.M):
            for version in versions.split(", "):
                self.known[version] = (kind, text)
        options = re.search(r"^! RUN: %flang (-\S+) ", self.text, re.M)
        self.options = [options[1]] if options else []

    def clauses(self):
        """As written in directives, in the order of the lists above."""
        directives = re.findall(r"^\s*!\$omp&? (?!end)(.*)$", self.text, re.M)
        joined = " ; ".join(directives)
        found = ["`%s`" % word for word in DECLARATIONS if re.search(r"\b%s\b" % word, joined)]
        maps = " ".join(re.findall(r"\bmap\(([^:()]*(?:\([^()]*\))?[^:()]*):", joined))
        words = [word for word in MAP_TYPES + MODIFIERS if re.search(r"\b%s\b" % word, maps)]
        found += ["map " + ", ".join(words)] if words else []
        if "do concurrent" in self.text:
            found.append("`do concurrent`")
        parts = [word for word in PARTS if re.search(r"(?<!\()\b%s\b(?!:)" % word, joined)]
        if re.search(r"\bdo\b", joined):
            parts.append("do")
        return "; ".join(found + parts +
                         [word for word in CLAUSES if re.search(r"\b%s\(|\bnowait\b" % word if word == "nowait"
                                                                                 else r"\b%s\(" % word, joined)])


def programs():
    here = sorted(glob.glob(os.path.join(FOLDER, "..", "fortran", "*.f90")))
    none_right = sorted(glob.glob(os.path.join(FOLDER, "fortran", "*.f90")))
    if not here or not none_right:
        sys.exit("no programs beside " + FOLDER)
    return [Program(path) for path in here + none_right]


def table():
    print("| program | directives and clauses | %s |" % " | ".join(FLANGS))
    print("|---|---|%s" % ("---|" * len(FLANGS)))
    for program in programs():
        cells = []
        for version in FLANGS:
            kind, text = program.known.get(version, ("passes", ""))
            cells.append("passes" if kind == "passes" else "%s: %s" % ("wrong" if kind == "not run" else kind, text))
        print("| `%s` | %s | %s |" % (program.name, program.clauses() or "map implicit", " | ".join(cells)))


def mistake(program, kind, text, output, compiler, run):
    """The facts of a program: what is otherwise, or None."""
    binary = os.path.join(output, program.name)
    done = subprocess.run(compiler + program.options + [program.path, "-o", binary], capture_output=True, text=True,
                          cwd=output)
    if kind in ("refused", "crashes"):
        if done.returncode == 0:
            return "it compiles now"
        return None if text in done.stderr else "another message: " + done.stderr
    if done.returncode:
        return "it does not compile: " + done.stderr
    if kind == "wrong":
        done = subprocess.run(run + [binary], capture_output=True, text=True, cwd=output)
        if done.returncode == 0 or "failed: " not in done.stdout:
            return "it does not fail: exit status %d\n%s%s" % (done.returncode, done.stdout, done.stderr)
    return None


def check(version, output, compiler, run):
    os.makedirs(output, exist_ok=True)
    checked = failed = 0
    for program in programs():
        if version not in program.known:
            continue
        kind, text = program.known[version]
        problem = mistake(program, kind, text, output, compiler.split(), run.split())
        checked += 1
        if problem:
            failed += 1
            print("%s by flang %s, known as %s (%s): %s" % (program.name, version, kind, text, problem))
    print("%d programs that flang %s refuses or compiles wrongly, %d of them otherwise" % (checked, version, failed))
    return 1 if failed or not checked else 0


if sys.argv[1:] == ["table"]:
    table()
elif len(sys.argv) == 6 and sys.argv[1] == "check" and sys.argv[2] in FLANGS:
    sys.exit(check(*sys.argv[2:]))
else:
    sys.exit("fortran_programs.py check %s OUTPUT COMPILER RUN, or table" % "|".join(FLANGS))
