# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# stack.py PREFIX RUNTIMES COMPILERS FOLDER: links inputs/stack.c with the device RTL for NVIDIA's GPUs, by each compiler that is here. No
# kernel of it may come to a function that calls itself, and __kmpc_parallel_* must not have room for many arguments in its frame.
# With a CUDA toolkit nvlink says the same of the cubin.

import os
import re
import shutil
import subprocess
import sys

prefix, runtimes, compilers, folder = map(os.path.abspath, sys.argv[1:5])
here = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(here, "inputs", "stack.c")
MOST_ARGUMENTS = 10  # of calls in __kmpc_parallel_*: thread, bound and those of a region with few
os.environ["PATH"] += ":" + os.path.join(compilers, "bin")


def compile_program(version, level, output, more):
    """The errors and warnings of the command that users have (docs/device-rtl-use.md)."""
    runtime = os.path.join(runtimes, version)
    words = ["clang-" + version, "--config=%s/lib/omptarget/device/%s/nvptx.cfg" % (prefix, version), "--offload-arch=sm_80", level,
             PROGRAM, "-o", output, "-L%s/omp" % runtime, "-Wl,--allow-shlib-undefined", "-isystem", runtime + "/include"] + more
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(words), done.stderr))
    return done.stderr


def functions_of(ptx):
    """(name, whether it is a kernel, text) of each function with a body."""
    for kind, name, body in re.findall(r"^[^\n/]*\.(func|entry)\s+(?:\([^)]*\)\s*)?([\w$]+)[^{;]*?\{(.*?)^\}", ptx, re.M | re.S):
        yield name, kind == "entry", body


def faults_of(ptx):
    calls, kernels, faults = {}, [], []
    for name, is_kernel, body in functions_of(ptx):
        calls[name] = re.findall(r"\bcall(?:\.\w+)*\s+(?:\([^)]*\)\s*,\s*)?([A-Za-z_$][\w$]*)", body)
        if is_kernel:
            kernels.append(name)
        if name.startswith("__kmpc_parallel_"):
            most = max([len(one.split(",")) for one in re.findall(r"\.callprototype[^(]*\([^)]*\)\s*_\s*\(([^)]*)\)", body)] or [0])
            if most > MOST_ARGUMENTS:
                faults.append("%s has a call with %d arguments in its frame" % (name, most))
    if len(kernels) != 4:
        sys.exit("%d kernels, expected 4" % len(kernels))
    for kernel in kernels:
        done, path = set(), []

        def visit(name):
            if name in path:
                faults.append("%s: %s calls itself" % (kernel, " -> ".join(path[path.index(name):] + [name])))
            elif name not in done:
                done.add(name)
                path.append(name)
                for called in calls.get(name, []):
                    visit(called)
                path.pop()

        visit(kernel)
    return faults


def main():
    os.makedirs(folder, exist_ok=True)
    toolkit = os.path.join(folder, "toolkit")
    subprocess.run([os.path.join(here, "..", "gpu", "make-ptx-toolkit"), toolkit], check=True)
    has_cuda = any(os.path.exists(path + "/bin/nvlink") for path in (os.environ.get("CUDA_PATH", ""), "/usr/local/cuda") if path)
    checked = failed = 0
    for version in ["16", "19", "22", "23"]:
        if not shutil.which("clang-" + version) or not os.path.exists("%s/lib/omptarget/device/%s" % (prefix, version)):
            print("no clang %s or no device RTL for it: left out" % version)
            continue
        for level in ["-O0", "-O2"]:
            output = os.path.join(folder, version + level)
            compile_program(version, level, output, ["--cuda-path=" + toolkit, "-foffload-lto"])
            image = open(output, "rb").read()
            begin = image.index(b".version")
            faults = faults_of(image[begin:image.index(b"\0", begin)].decode())
            if has_cuda:
                faults += re.findall(r"Stack size for entry function .*", compile_program(version, level, output, []))
            checked += 1
            failed += bool(faults)
            print("clang %s %s: %s" % (version, level, "; ".join(faults) or "all stacks have a size"))
    print("%d programs, %d with a stack of no known size" % (checked, failed))
    return 1 if failed or not checked else 0


sys.exit(main())
