# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# OpenMP programs through real compilers. Parameters: suite (14, 15, 16, 19, 22: the clang; or mixed: programs of
# several), prefix (omptarget's installation), llvm_runtimes (LLVM's own), output, llvm_tools; and runtime=llvm runs the
# programs on LLVM's own runtime instead of ours, which checks the tests themselves. plugin_folder=FOLDER uses the plugins
# there (LLVM's under our library, or ours under LLVM's), of them plugins=NAMES; plugins_of=NAME makes the feature
# plugins-of-NAME. sysroot=FOLDER runs programs with the dynamic linker and the libraries there, for plugins that need newer
# ones than this machine has. docs/testing.md says more.

import os
import shutil

import lit.formats
import lit.util

VERSIONS = ["14", "15", "16", "19", "22"]


def param(name, default=None):
    value = lit_config.params.get(name, default)
    if value is None:
        lit_config.fatal("parameter %s is missing: lit --param %s=..." % (name, name))
    return value


def compiler(version, language, first=""):
    """Command of a clang that offloads to the host device, linked against LLVM's own libraries of that version, or
    against those in the folder first."""
    name = {"c": "clang", "c++": "clang++"}[language] + "-" + version
    path = shutil.which(name) or lit_config.fatal("%s is not installed" % name)
    folder = os.path.join(runtimes, version)
    if not os.path.exists(os.path.join(folder, "complete")):
        lit_config.fatal("no OpenMP runtime of LLVM %s in %s: run test/tools/unpack-llvm-runtimes" % (version, folder))
    if sysroot:
        first += " -Wl,--dynamic-linker=%s/ld-linux-x86-64.so.2" % sysroot
    return "%s -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -isystem %s/include -I%s/include %s -L%s/omp -L%s/lib" % (
        path, folder, config.test_source_root, first, folder, folder)


def indirect_compiler(version, language):
    """The same for programs with indirect functions: our header, and our lookups for device code."""
    return compiler(version, language, "-I%s/include -L%s/lib" % (prefix, prefix))


def library_path(version):
    if on_llvm:
        path = "%s/%s/omp:%s/%s/lib" % (runtimes, version, runtimes, version)
        return plugin_folder + ":" + path if plugin_folder else path
    path = "%s/lib:%s/%s/omp" % (prefix, runtimes, version)
    return path + ":" + sysroot if sysroot else path


def run(version):
    """Variables may follow: %run OMP_TARGET_OFFLOAD=DISABLED program."""
    command = "timeout 60 env LD_LIBRARY_PATH=%s OMP_TARGET_OFFLOAD=MANDATORY KMP_BLOCKTIME=0" % library_path(version)
    if plugin_folder:
        # LLVM 16 would take its own newer plugin first.
        command += " LIBOMPTARGET_NEXTGEN_PLUGINS=false" if on_llvm else " LIBOMPTARGET_PLUGIN_PATH=" + plugin_folder
    if param("plugins", ""):
        command += " LIBOMPTARGET_PLUGINS=" + param("plugins")
    return command


suite = param("suite")
prefix = os.path.abspath(param("prefix"))
runtimes = os.path.abspath(param("llvm_runtimes"))
tools = param("llvm_tools")
on_llvm = param("runtime", "omptarget") == "llvm"
plugin_folder = param("plugin_folder", "")
sysroot = param("sysroot", "")
own = VERSIONS if suite == "mixed" else [suite]
# Two different libomp in one process end it; LLVM 19's serves the modules of every compiler.
libomp = "19" if suite == "mixed" else suite

config.name = "e2e." + suite
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".test"]
config.excludes = ["include", "inputs"]
config.test_source_root = os.path.join(os.path.dirname(os.path.abspath(__file__)))
config.test_exec_root = os.path.abspath(param("output"))
if suite not in VERSIONS + ["mixed"]:
    lit_config.fatal("suite %s: expected one of %s, mixed" % (suite, ", ".join(VERSIONS)))
config.excludes += ["mixed"] if suite != "mixed" else [
    name for name in os.listdir(config.test_source_root) if name not in ("mixed", "inputs")]
if not on_llvm and not os.path.exists(os.path.join(prefix, "lib", "libomptarget.so")):
    lit_config.fatal("no libomptarget.so in %s/lib: install first" % prefix)

if param("plugins_of", ""):
    config.available_features.add("plugins-of-" + param("plugins_of"))
config.available_features.add("runtime-llvm-" + suite if on_llvm else "runtime-omptarget")
if on_llvm:
    config.available_features.add("runtime-llvm")
if suite != "mixed":
    config.available_features.add("clang-" + suite)
    for version in VERSIONS:
        if int(version) <= int(suite):
            config.available_features.add("clang-%s-or-later" % version)
    # The compiler plugin and the device library are built for the compilers that are there at build time.
    plugin = os.path.join(prefix, "lib", "omptarget", "omptarget-indirect-%s.so" % suite)
    if os.path.exists(plugin):
        config.available_features.add("indirect-plugin")
        config.substitutions.append((r"%indirect-plugin\b", "-fpass-plugin=" + plugin))
    config.substitutions.append((r"%indirect-library\b", "-L%s/lib/omptarget/clang%s -lomptarget-indirect" % (
        prefix, suite)))

for version in own:
    at = "" if suite != "mixed" else "-" + version
    config.substitutions += [("%indirect-clang" + at + r"\b", indirect_compiler(version, "c")),
                             ("%indirect-clangxx" + at + r"\b", indirect_compiler(version, "c++"))]
    config.substitutions += [("%clang" + at + r"\b", compiler(version, "c")),
                             (r"%clangxx" + at + r"\b", compiler(version, "c++"))]
config.substitutions += [
    (r"%expect-abort\b", os.path.join(config.test_source_root, "inputs", "expect-abort") + " " + run(libomp)),
    (r"%run\b", run(libomp)),
    # A compiler without OpenMP that finds its headers: for libraries that tests load.
    (r"%plainclang\b", "clang-%s -isystem %s/include" % (libomp, os.path.join(runtimes, libomp))),
    (r"%FileCheck\b", os.path.join(tools, "FileCheck")),
    (r"%check\b", os.path.join(tools, "FileCheck") + " %s"),
    (r"%python\b", "python3"),
    (r"%examples\b", os.path.join(config.test_source_root, "..", "..", "docs", "examples")),
    (r"%inputs\b", os.path.join(config.test_source_root, "inputs")),
    (r"%ompfolder\b", os.path.join(runtimes, libomp, "omp")),
    (r"%llvmfolder\b", os.path.join(runtimes, libomp)),
    (r"%prefix\b", prefix),
    (r"%llvm-libomptarget\b", os.path.join(runtimes, libomp, "lib", "libomptarget.so")),
]
