# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# OpenMP programs through real compilers. Parameters: suite (14 to 19, 21 to 23: the clang; or mixed: programs of
# several), prefix (omptarget's installation), llvm_runtimes (LLVM's own), output, llvm_tools; and runtime=llvm runs the
# programs on LLVM's own runtime instead of ours, which checks the tests themselves. plugin_folder=FOLDER uses the
# plugins there (LLVM's under our library, or ours under LLVM's), of them plugins=NAMES; plugins_of=NAME makes the
# feature plugins-of-NAME. sysroot=FOLDER runs programs with the dynamic linker and the libraries there, for plugins
# that need newer ones than this machine has; libomp_folder=FOLDER: and with the libomp there. sanitizer=address or
# thread: the installation was built with it, and so are the programs, host and device code, where the compiler can;
# sanitizer_library is its runtime. watch=ompt or watch=info compares, beside, what each program tells with what it
# tells on LLVM's runtime; watch=events looks at OMPT's events on ours only. versions=14,15,...: the compilers of mixed;
# sample=N and seed=S run one program in N, others by S + 1. machine=aarch64, machine_root=FOLDER: programs of that
# machine, compiled against the packages in the folder; the kernel starts them under qemu (test/cross/run);
# pass_plugins=FOLDER has the compiler plugins of the machine that compiles. lit/ has the tables and the commands that
# this file takes; README.md and docs/internals/testing.md say more.

import os
import shutil
import sys
import zlib

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "lit"))
from commands import Commands
from parameters import Parameters
from tables import NOT_WATCHED, VERSIONS

given = Parameters(lit_config, here)
commands = Commands(given)
inputs = os.path.join(here, "inputs")
if not given.on_llvm and not os.path.exists(os.path.join(given.prefix, "lib", "libomptarget.so")):
    lit_config.fatal("no libomptarget.so in %s/lib: install first" % given.prefix)

config.name = ".".join(filter(None, ["e2e", given.sanitizer and given.sanitizer[0] + "san", given.suite]))
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".f90", ".test"]
config.test_source_root = here
config.test_exec_root = given.output

config.excludes = ["include", "inputs"]
config.excludes += ["mixed"] if not given.is_mixed else [
    name for name in os.listdir(here) if name not in ("mixed", "inputs")]
if given.sample > 1:
    lit_config.note("1 of %d programs, chosen by seed %s" % (given.sample, given.seed))
    config.excludes += [name for _, _, names in os.walk(here) for name in names
                        if (zlib.crc32(name.encode()) + int(given.seed)) % given.sample]
if given.watch:
    config.excludes += NOT_WATCHED[given.watch]

features = config.available_features
features.add("runtime-llvm-" + given.suite if given.on_llvm else "runtime-omptarget")
if given.on_llvm:
    features.add("runtime-llvm")
if given.is_mixed or not (os.path.exists(os.path.join(given.runtimes, given.suite, "sysroot")) or
                          given.machine_root and given.suite != "19"):
    features.add("llvm-loads-here")
if not given.libomp_folder:
    features.add("libomp-loads-here")
if given.sanitizer:
    features |= {"sanitizer", given.sanitizer[0] + "san"}
if given.plugins_of:
    features.add("plugins-of-" + given.plugins_of)
# Devices serve until the process is gone, or they end before the driver's exit handlers
# (docs/internals/architecture.md).
lasts = not given.driver and not given.plugins_of.startswith(("llvm", "first"))
if lasts:
    features.add("lasts")
if tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2])) >= (2, 36):
    features.add("glibc-2.36-or-later")
for tool in ("gdb", "perf", "valgrind"):
    if shutil.which(tool):
        features.add(tool)
if shutil.which("chromium"):
    features.add("chromium")
features |= {"clang-" + version for version in given.versions}
features.add("machine-" + given.machine)
if given.machine_root:
    features.add("emulated")
    config.environment.update(QEMU_LD_PREFIX=given.machine_root, CROSS_SYSROOT=given.machine_root,
                              COMPILER_PATH=os.path.join(here, "..", "cross"))

if not given.is_mixed:
    features |= {"clang-%s-or-later" % version for version in VERSIONS if int(version) <= int(given.suite)}
    # The compiler plugin and the device library are built for the compilers that are there at build time.
    folder = os.path.join(given.prefix, "lib", "omptarget")
    plugin = os.path.join(given.get("pass_plugins", folder), "omptarget-indirect-%s.so" % given.suite)
    if os.path.exists(plugin):
        features.add("indirect-plugin")
        config.substitutions.append((r"%indirect-plugin\b", "-fpass-plugin=" + plugin))
    config.substitutions.append((r"%indirect-library\b", "-L%s/clang%s -lomptarget-indirect" % (folder, given.suite)))

if given.suite in ("19", "23") and not (given.on_llvm or given.sanitizer or given.plugin_folder or
                                         given.machine_root or given.libomp_folder):
    for name in ("openmpi", "mpich"):
        mpi = commands.mpi(name)
        if mpi:
            features.add(name)
            config.substitutions += [(r"%%%s-flags\b" % name, mpi[1]), (r"%%mpirun-%s\b" % name, mpi[0])]

# flang's code for the CPU is linked with our device RTL, and only our plugin for the CPU counts its teams.
if not (given.is_mixed or given.on_llvm or given.sanitizer or given.plugin_folder or given.driver or given.watch or
        given.machine_root):
    fortran = commands.fortran_compiler(given.suite)
    if fortran:
        features.add("flang")
        config.substitutions += [(r"%flang\b", fortran), (r"%suite\b", given.suite)]

for version in given.versions:
    at = "-" + version if given.is_mixed else ""
    config.substitutions += [("%indirect-clang" + at + r"\b", commands.indirect_compiler(version, "c")),
                             ("%indirect-clangxx" + at + r"\b", commands.indirect_compiler(version, "c++")),
                             ("%clang" + at + r"\b", commands.compiler(version, "c")),
                             ("%clangxx" + at + r"\b", commands.compiler(version, "c++"))]
run = commands.run(given.libomp)
config.substitutions += [
    (r"%expect-abort\b", os.path.join(inputs, "expect-abort") + " " + run),
    (r"%expect-killed\b", os.path.join(inputs, "expect-killed") + " " + run),
    (r"%run\b", run),
    (r"%plainclang\b", commands.plain_compiler(given.libomp)),
    (r"%FileCheck\b", os.path.join(given.tools, "FileCheck") + " -DMACHINE=" + given.machine),
    (r"%check\b", os.path.join(given.tools, "FileCheck") + " -DMACHINE=" + given.machine + " %s"),
    (r"%machine\b", given.machine),
    (r"%strip\b", os.path.join(given.tools, "llvm-strip --keep-section=.comment") if given.machine_root else "strip"),
    (r"%target\b", commands.target),
    (r"%python\b", "python3"),
    (r"%examples\b", os.path.join(here, "..", "..", "docs", "examples")),
    (r"%inputs\b", inputs),
    (r"%first-abi\b", os.path.join(here, "..", "loader", "first_abi")),
    (r"%ompfolder\b", os.path.join(given.runtimes, given.libomp, "omp")),
    (r"%llvmfolder\b", os.path.join(given.runtimes, given.libomp)),
    (r"%prefix\b", given.prefix),
    (r"%plugin-name\b", given.driver or given.machine),
    (r"%lifetime\b", "LASTS" if lasts else "DRIVER"),
    (r"%llvm-libomptarget\b", os.path.join(given.runtimes, given.libomp, "lib", "libomptarget.so")),
]
