# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# stack.py PREFIX RUNTIMES COMPILERS FOLDER NEEDS: links inputs/stack.c with the device RTL for NVIDIA's GPUs, by each
# compiler that is here. The frame of __kmpc_parallel_* must not have room for many arguments. No kernel may reach a
# function that calls itself, directly or through others. With ptxas and nvlink in the PATH, nvlink must know the stack
# of each kernel. The executor must count as nvlink does; the program NEEDS prints its stack and shared memory.

import os
import re
import shutil
import subprocess
import sys

prefix, runtimes, compilers, folder, needs = map(os.path.abspath, sys.argv[1:6])
here = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(here, "inputs", "stack.c")
KERNELS = 5
MOST_ARGUMENTS = 10  # calls in __kmpc_parallel_*: thread, bound and those of a region with few
os.environ["PATH"] += ":" + os.path.join(compilers, "bin")


def compile_program(version, level, output, more):
    """The errors and warnings of the command that users have (docs/use/device-rtl-use.md)."""
    runtime = os.path.join(runtimes, version)
    words = ["clang-" + version, "--config=%s/lib/omptarget/device/%s/nvptx.cfg" %
             (prefix, version), "--offload-arch=sm_80", level,
             PROGRAM, "-o", output, "-L%s/omp" % runtime, "-Wl,--allow-shlib-undefined", "-isystem", runtime +
             "/include"] + more
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(words), done.stderr))
    return done.stderr


def functions_of(ptx):
    """(name, whether it is a kernel, text) of each function with a body."""
    for kind, name, body in re.findall(r"^[^\n/]*\.(func|entry)\s+(?:\([^)]*\)\s*)?([\w$]+)[^{;]*?\{(.*?)^\}", ptx,
                                       re.M | re.S):
        yield name, kind == "entry", body


def reached_from(name, calls):
    """The names of the functions that a function calls, directly or through others."""
    reached, left = set(), list(calls.get(name, ()))
    while left:
        called = left.pop()
        if called not in reached:
            reached.add(called)
            left += calls.get(called, ())
    return reached


def faults_of(ptx):
    faults, kernels, calls = [], [], {}
    for name, is_kernel, body in functions_of(ptx):
        kernels += [name] if is_kernel else []
        calls[name] = set(re.findall(r"\bcall(?:\.uni)?\s+(?:\([^)]*\),\s*)?([\w$]+)\s*,", body))
        if name.startswith("__kmpc_parallel_"):
            most = max([len(one.split(","))
                        for one in re.findall(r"\.callprototype[^(]*\([^)]*\)\s*_\s*\(([^)]*)\)", body)] or [0])
            if most > MOST_ARGUMENTS:
                faults.append("%s has a call with %d arguments in its frame" % (name, most))
    if len(kernels) != KERNELS or not any(calls.values()):
        sys.exit("%d kernels, expected %d; calls of %d functions" %
                 (len(kernels), KERNELS, sum(map(bool, calls.values()))))
    reached = set().union(*(reached_from(name, calls) for name in kernels))
    return faults + ["%s calls itself" % name for name in sorted(reached) if name in reached_from(name, calls)]


def counts_of(path):
    """The executor's counts for each kernel: (stack, shared memory); a stack without end is None."""
    said = subprocess.run([needs, path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^kernel (\S+) frame \d+ stack (\w+) shared (\d+)$", said, re.M)
    return {name: (None if stack == "unknown" else int(stack), int(shared)) for name, stack, shared in found}


def differences(path, said):
    """Kernels for which nvlink reports others than the executor counts. Inlining and spilling are not counted, and
    where nvlink pads is not known; a kernel may have no more shared memory than nvlink gives it."""
    found = re.findall(r"Function properties for '([^']*)':\n([^\n]*)", said)
    if len(found) != KERNELS:
        sys.exit("nvlink reports %d kernels, expected %d:\n%s" % (len(found), KERNELS, said))
    counts = counts_of(path)
    for name, sizes in found:
        stack, shared = (int(re.search(r"(\d+) %s" % what, sizes).group(1)) for what in ("stack", "bytes smem"))
        own_stack, own_shared = counts[name]
        is_unknown = "entry function '%s' cannot be statically determined" % name in said
        if (own_stack is None) != is_unknown or (not is_unknown and not stack - 128 <= own_stack <= stack + 64):
            yield "%s: the executor counts %s bytes of stack, nvlink %s" % (
                name, own_stack, "no end" if is_unknown else stack)
        if own_shared > shared + 16:
            yield "%s: the executor counts %d bytes of shared memory, nvlink %d" % (name, own_shared, shared)


def linked_faults(path):
    """nvlink's output for kernels whose stack it does not know, or counts otherwise; nothing where there is no ptxas or
    nvlink."""
    if not shutil.which("ptxas") or not shutil.which("nvlink"):
        return []
    for words in (["ptxas", "-c", "-arch=sm_80", path, "-o", path + ".cubin"],
                  ["nvlink", "-v", "-arch=sm_80", path + ".cubin", "-o", path + ".linked"]):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit("failed: %s\n%s%s" % (" ".join(words), done.stdout, done.stderr))
    said = done.stdout + done.stderr
    return [line for line in said.splitlines()
            if "cannot be statically determined" in line] + list(differences(path, said))


def main():
    os.makedirs(folder, exist_ok=True)
    toolkit = os.path.join(folder, "toolkit")
    tools = os.path.join(here, "..", "..", "src", "emulator", "toolkit")
    subprocess.run([os.path.join(tools, "make-ptx-toolkit"), toolkit], check=True)
    checked = failed = 0
    for version in ["16", "19", "22", "23"]:
        if not shutil.which("clang-" + version) or not os.path.exists("%s/lib/omptarget/device/%s" % (prefix, version)):
            print("no clang %s or no device RTL for it: left out" % version)
            continue
        for level in ["-O0", "-O2"]:
            output = os.path.join(folder, version + level)
            compile_program(version, level, output, ["--cuda-path=" + toolkit])
            image = open(output, "rb").read()
            begin = image.index(b".version")
            with open(output + ".ptx", "wb") as file:
                file.write(image[begin:image.index(b"\0", begin)])
            faults = faults_of(open(output + ".ptx").read()) + linked_faults(output + ".ptx")
            checked += 1
            failed += bool(faults)
            print("clang %s %s: %s" % (version, level, "; ".join(faults) or "small frames, stacks of known size"))
    print("%d programs, %d with a large frame or an unknown stack" % (checked, failed))
    return 1 if failed or not checked else 0


sys.exit(main())
