# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs of GCC on the installed libgomp.so.1. Parameters: prefix (omptarget's installation), llvm_runtimes (LLVM's
# own), output, llvm_tools. The feature clang: clang 19 and its runtime are there, for programs of both.

import os
import shutil
import sys

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
programs = os.path.join(here, "..", "e2e")
given = lit_config.params
prefix, output = os.path.abspath(given["prefix"]), os.path.abspath(given["output"])
tools, runtimes = given["llvm_tools"], os.path.abspath(given["llvm_runtimes"])

config.name = "gomp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".f90", ".test"]
config.excludes = ["inputs"]
config.test_source_root = here
config.test_exec_root = output

flags = " -g -O1 -fopenmp -I%s/include" % programs
libomp = os.path.join(runtimes, "19")
if shutil.which("clang-19") and os.path.exists(os.path.join(libomp, "complete")):
    config.available_features.add("clang")
if shutil.which("gfortran"):
    config.available_features.add("gfortran")

run = "timeout 300 env LD_LIBRARY_PATH=%s/lib/gomp:%s/lib:%s/omp OMP_TARGET_OFFLOAD=MANDATORY" % (
    prefix, prefix, libomp)
config.substitutions += [
    (r"%gcc\b", "gcc" + flags),
    (r"%gxx\b", "g++" + flags),
    (r"%gfortran\b", "gfortran -g -O1 -fopenmp"),
    (r"%clang\b", "clang-19 -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -isystem %s/include -I%s/include "
     "-L%s/omp -L%s/lib" % (libomp, programs, libomp, libomp)),
    (r"%expect-abort\b", os.path.join(programs, "inputs", "expect-abort") + " " + run),
    (r"%run\b", run),
    (r"%FileCheck\b", os.path.join(tools, "FileCheck")),
    (r"%check\b", os.path.join(tools, "FileCheck") + " %s"),
    (r"%python\b", sys.executable),
    (r"%programs\b", programs),
    (r"%inputs\b", os.path.join(here, "inputs")),
    (r"%system-libgomp\b", os.path.join(prefix, "lib", "gomp", "libgomp-system.so.1")),
    (r"%library\b", os.path.join(prefix, "lib", "gomp", "libgomp.so.1")),
    (r"%prefix\b", prefix),
]
config.environment.update(PATH=os.environ["PATH"], OMP_NUM_THREADS="2")
