#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""e2e_programs.py PROGRAMS OUTPUT NUMBER/COUNT COMMAND...: the programs of test/e2e that GCC compiles, by GCC.

Of the programs that are compiled and run by plain commands each COUNT-th is taken, from NUMBER on. COMMAND is what runs
a program. Ends with 1 if one fails.
"""
import os
import re
import subprocess
import sys

FOLDERS = ["cxx", "data", "devices", "fortran", "kernels", "lifetimes", "mapping", "modules"]
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}

# Programs that cannot be right here, and why.
NOT_RIGHT = {
    "declare target variables exist once": [
        "global_objects.cpp", "static_globals.c", "four_devices.c", "selection.c", "link.c",
        "declare_target_variable.f90", "module_arrays.f90"],
    "GCC 12 attaches no pointer in an array of pointers": ["nested_pointers.c"],
    "outside of a parallel region libgomp runs regions with nowait at once, and these wait for one another": [
        "nowait_teams.c"],
    "gfortran 12 maps the frame around an array of which internal procedures know": ["release_delete.f90"],
    "gfortran 12 compiles it wrongly, for the host, too": ["procedure_pointers.f90", "target_private.f90"],
}


def command_of(program):
    """The flags of its compilation and the arguments of its first run; None if these are no plain commands."""
    with open(program) as file:
        lines = re.findall(r"^(?://|!) RUN: (.*)$", file.read(), re.MULTILINE)
    compilations = [line for line in lines if re.fullmatch(r"%(?:clang|clangxx|flang)( -\S+)* %s( -\S+)* -o %t", line)]
    runs = [line for line in lines if re.fullmatch(r"%run( KMP_TEAMS_THREAD_LIMIT=64)? %t( [a-z0-9]+)*", line)]
    if not compilations or not runs:
        return None
    flags = [word for word in compilations[0].split() if re.match(r"-(D|l|pthread|std=|g)", word)]
    return flags, runs[0].split("%t")[1].split()


def try_program(programs, path, output, run):
    """What went wrong, None if nothing, or "" if GCC does not take it."""
    command = command_of(path)
    if command is None:
        return ""
    executable = os.path.join(output, os.path.basename(path) + ".exe")
    compiler = COMPILERS[os.path.splitext(path)[1]]
    modules = ["-J", output] if compiler == "gfortran" else []
    includes = ["-I", programs, "-I", os.path.join(programs, "include"), *modules]
    flags = ["-g", "-O1", "-w", "-fopenmp", *includes, path, "-o", executable, "-lm", *command[0]]
    compiled = subprocess.run([compiler, *flags],
                              capture_output=True, text=True)
    if compiled.returncode:
        return ""
    ran = subprocess.run(run + [executable] + command[1], capture_output=True, text=True, errors="replace")
    os.remove(executable)
    return f"ended with {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}" if ran.returncode else None


def main():
    programs, output, part, *run = sys.argv[1:]
    number, count = map(int, part.split("/"))
    left_out = {name for names in NOT_RIGHT.values() for name in names}
    paths = sorted(os.path.join(folder, name) for top in FOLDERS
                   for folder, _, names in os.walk(os.path.join(programs, top)) for name in names
                   if os.path.splitext(name)[1] in COMPILERS and name not in left_out)
    os.makedirs(output, exist_ok=True)
    right = wrong = 0
    for path in paths[number::count]:
        failure = try_program(programs, path, output, run)
        if failure:
            print(f"{os.path.relpath(path, programs)}: {failure}")
        wrong += bool(failure)
        right += failure is None
    print(f"{right} programs are right, {wrong} are wrong")
    sys.exit(1 if wrong or right == 0 else 0)


if __name__ == "__main__":
    main()
