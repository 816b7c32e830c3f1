# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of test/e2e and those here, compiled for a GPU and linked with LLVM's own device RTL. The executor runs
# them behind the stand-in for the driver. Parameters: those of test/e2e, and driver (amdgpu or cuda), processor
# (gfx1100, gfx90a; sm_80) and stand_in (the stand-in's folder); rtl=ours links our own device RTL, as installed, and
# has Fortran programs, too; some=N and seed=S run N of the programs; thorough=1 makes the feature thorough.
# SIM_EXECUTOR_SEED and the like go on to the programs.

import os
import re
import subprocess
import sys
import zlib

here = os.path.dirname(os.path.abspath(__file__))
toolkit_tools = os.path.join(here, "..", "..", "..", "..", "src", "emulator", "toolkit")
# Has the folder of tables, which exclusions need, in the path.
lit_config.load_config(config, os.path.join(here, "..", "..", "..", "e2e", "lit.cfg.py"))
sys.path.insert(0, here)
from commands import Commands
from exclusions import FORTRAN, excluded
from parameters import Parameters
from tables import NOT_COMPARED

suite = lit_config.params["suite"]
processor = lit_config.params["processor"]
driver = lit_config.params["driver"]
is_amd = driver == "amdgpu"
is_ours = lit_config.params.get("rtl") == "ours"
config.name = "executor.%s.%s" % (processor, config.name)
reaches_all = ("SIM_HSA_XNACK=1" if is_amd else "SIM_CUDA_ATS=1") in lit_config.params.get("variables", "")
config.excludes = list(config.excludes) + list(excluded(suite, driver, reaches_all, is_ours))
config.available_features |= {"emulator-" + driver, "executor", processor}
if is_ours:
    config.available_features |= {"rtl-ours"}
    config.name += ".rtl"
    config.test_exec_root += "-rtl"
    os.makedirs(config.test_exec_root, exist_ok=True)
else:
    config.available_features |= {"rtl-llvm"}

binaries = "/usr/lib/llvm-%s/bin" % suite
config.environment["PATH"] = binaries + ":" + os.environ["PATH"]
# Linking for GPUs below -O2, clang 19 ends in its code generator, or makes PTX that differs each time and that drivers
# may refuse.
config.substitutions.append((r"%low\b", "-O2" if suite == "19" else "-O1"))
if suite != "19":
    config.available_features.add("unoptimised")
if is_amd:
    device = {"gfx90a": "gfx90a:sramecc+:xnack-"}.get(processor, processor)
    variables = "LIBOMPTARGET_PLUGINS=amdgpu SIM_HSA_DEVICES=" + ",".join([device] * 4)
    device_code = "-O2 -fopenmp -fopenmp-targets=amdgcn-amd-amdhsa --offload-arch=%s -nogpulib" % processor
    if suite == "16":
        # Which has no ROCm to look for the device RTL with.
        config.environment["LIBRARY_PATH"] = os.path.join(lit_config.params["llvm_runtimes"], suite, "lib")
        device_code += " -foffload-lto"
        if not is_ours:
            device_code += " -include %s/rtl_flags.h" % here
    else:
        device_code += " -lomptarget.devicertl"
else:
    variables = "LIBOMPTARGET_PLUGINS=cuda SIM_CUDA_DEVICES=" + ",".join([processor[3:]] * 4)
    # The images are PTX: what stands for ptxas wraps it for the driver.
    toolkit = os.path.join(config.test_exec_root, "toolkit")
    subprocess.run([os.path.join(toolkit_tools, "make-ptx-toolkit"), toolkit], check=True)
    config.environment["LIBRARY_PATH"] = os.path.join(lit_config.params["llvm_runtimes"], suite, "lib")
    if lit_config.params.get("runtime") == "llvm":
        config.environment["PTX_WITH_SYMBOLS"] = "1" # LLVM's plugins read images as cubins
        config.excludes += list(NOT_COMPARED)
    device_code = ("-O2 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda --offload-arch=%s --cuda-path=%s "
                   "-Wno-unknown-cuda-version -foffload-lto" % (processor, toolkit))
if is_ours:
    # Found before LLVM's, by the names that the clang looks for.
    rtl = os.path.join(os.path.abspath(lit_config.params["prefix"]), "lib", "omptarget", "device", suite)
    triple = "amdgcn-amd-amdhsa" if is_amd else "nvptx64-nvidia-cuda"
    config.environment["LIBRARY_PATH"] = rtl
    device_code += " -L" + rtl
    if int(suite) >= 22:
        device_code = device_code.replace(" -lomptarget.devicertl", "")
        device_code += " -foffload-lto -nogpulib -Xoffload-linker %s/%s/libompdevice.a" % (rtl, triple)
if is_ours and is_amd and int(suite) >= 19:
    # The options by which code counts what it does (docs/use/device-rtl-use.md), and the reader of the counts.
    profiling = "-Xarch_device -fprofile-generate -Xarch_device -fprofile-update=atomic"
    if int(suite) >= 22:
        config.available_features.add("profiling-of-devices")
    else:
        profiling = "-fprofile-generate -Xclang -fprofile-instrument=llvm -Xclang -fprofile-update=atomic"
    if int(suite) >= 23:
        profiling += " -Xoffload-linker %s/%s/libompdevice-profile.a" % (rtl, triple)
    config.substitutions.append((r"%profiling\b", profiling))
    covering = profiling.replace("-fprofile-generate", "-fprofile-instr-generate -Xarch_device -fcoverage-mapping")
    config.substitutions.append((r"%covering\b", covering + (" -DVERSION=10" if suite == "22" else " -DVERSION=11")))
    profdata = [path for path in (os.path.join(binaries, "llvm-profdata"), os.path.join(
        os.path.dirname(
            Parameters(lit_config, os.path.join(here, "..", "..", "..", "e2e")).clang_path("clang-" + suite) or ""),
        "llvm-profdata-" + suite)) if os.path.exists(path)]
    if profdata:
        config.available_features.add("profdata")
        config.substitutions.append((r"%profdata\b", profdata[0]))
for name in ("SIM_EXECUTOR_SEED", "SIM_EXECUTOR_QUANTUM", "SIM_EXECUTOR_BLOCKS", "SIM_EXECUTOR_GLOBAL_RACES",
             "SIM_EXECUTOR_UNWRITTEN"):
    if name in os.environ:
        variables += " %s=%s" % (name, os.environ[name])
variables += " " + lit_config.params.get("variables", "")
# One core makes the same run each time. Suites of several cores say so.
config.environment["SIM_EXECUTOR_CORES"] = "1"

offload = "-O1  -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
stand_in = "env LD_LIBRARY_PATH=" + lit_config.params["stand_in"] + ":"

prefix = os.path.abspath(lit_config.params["prefix"])
# Flags for programs with indirect functions.
lookup = "%s '-L%s/lib/omptarget/clang%s -lomptarget-indirect' " % (os.path.join(here, "with-library"), prefix, suite)


def changed(text):
    if "-fopenmp-targets=x86_64" in text and offload not in text:
        lit_config.fatal("the compiler's command is not the one that is changed here: " + text)
    if offload in text:
        text = (lookup if "/include -L" + prefix in text else "") + text.replace(offload, device_code)
        if is_amd and suite == "16":
            text = os.path.join(here, "with-library") + " -lomptarget.devicertl " + text
    if "env LD_LIBRARY_PATH=" not in text:
        return text
    text = text.replace("env LD_LIBRARY_PATH=", stand_in)
    return text.replace(" OMP_TARGET_OFFLOAD", " " + variables + " OMP_TARGET_OFFLOAD", 1)



def fortran_compiler():
    """flang for the GPU with our device RTL, or None."""
    given = Parameters(lit_config, os.path.join(here, "..", "..", "..", "e2e"))
    host = Commands(given).fortran_compiler(suite)
    if not host:
        return None
    path, _, rest = host.partition(" ")
    kept = [word for word in rest.split() if word.startswith(("-I", "-L", "-fopenmp-version="))]
    # The first folder with a device RTL counts.
    flags = ["-O2 -fopenmp -fopenmp-targets=%s --offload-arch=%s -L%s" % (triple, processor, rtl)] + kept
    plugin = os.path.join(prefix, "lib", "omptarget", "omptarget-indirect-%s.so" % suite)
    if is_amd and os.path.exists(plugin):
        flags.append("-fpass-plugin=" + plugin)  # for critical sections
    if int(suite) >= 22:
        flags.append("-nogpulib -Xoffload-linker %s/%s/libompdevice.a" % (rtl, triple))
    elif is_amd:
        flags.append("-nogpulib -lomptarget.devicertl")
    return " ".join(([] if is_amd else [os.path.join(toolkit_tools, "flang-to-ptx"), toolkit]) + [path] + flags)


rocm = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"


def rocm_libraries():
    """A folder with AMD's device libraries as the compiler looks for them: Debian's are older than RDNA 3 and clang
    22."""
    folder = os.path.join(config.test_exec_root, "rocm")
    os.makedirs(folder, exist_ok=True)
    also = {"oclc_isa_version_1100.bc": "oclc_isa_version_1036.bc",
            "oclc_abi_version_600.bc": "oclc_abi_version_500.bc"}
    for name in os.listdir(rocm) + list(also):
        if not os.path.lexists(os.path.join(folder, name)):
            os.symlink(os.path.join(rocm, also.get(name, name)), os.path.join(folder, name))
    if int(suite) >= 22:  # which knows no control __oclc_daz_opt any more: beside another
        tools = lit_config.params["llvm_tools"]
        text = {name: subprocess.run([os.path.join(tools, "llvm-dis"), os.path.join(rocm, name), "-o", "-"], check=True,
                                     capture_output=True, text=True).stdout
                for name in ("oclc_finite_only_off.bc", "oclc_daz_opt_off.bc")}
        control = [line for line in text["oclc_daz_opt_off.bc"].splitlines() if line.startswith("@__oclc_daz_opt")]
        os.remove(os.path.join(folder, "oclc_finite_only_off.bc"))
        subprocess.run([os.path.join(tools, "llvm-as"), "-o", os.path.join(folder, "oclc_finite_only_off.bc")],
                       check=True, text=True,
                       input=text["oclc_finite_only_off.bc"] + "\n".join(control) + "\n")
    return folder


def with_math(command):
    """The compiler's command with the vendor's mathematical functions, which -nogpulib leaves out."""
    libraries = "--rocm-device-lib-path=" + rocm_libraries() if is_amd else ""
    command = re.sub(r" -nogpulib\b", " " + libraries, command)
    if is_amd and suite == "16":
        command += " " + libraries
    return re.sub(r"(-Xoffload-linker \S+)/libompdevice[.]a", lambda found: found[1].replace("linker ", "linker -L"),
                  command)


if is_ours and (not is_amd or os.path.exists(os.path.join(rocm, "ocml.bc"))):
    config.available_features.add("device-math")
    for name, text in list(config.substitutions):
        if name in (r"%clang\b", r"%clangxx\b"):
            config.substitutions.append((name.replace("%", "%math-"), with_math(changed(text))))
if "thorough" in lit_config.params:
    config.available_features.add("thorough")
if "some" in lit_config.params:
    # So many programs of those that are not left out, chosen by the seed.
    names = sorted({name for at, folders, names in os.walk(config.test_source_root) for name in names
                    if name.endswith((".c", ".cpp")) and not {"mixed", "inputs", "include"} &
                    set(at.split(os.sep))} - set(config.excludes))
    names.sort(key=lambda name: zlib.crc32((lit_config.params.get("seed", "") + config.name + name).encode()))
    config.excludes += names[int(lit_config.params["some"]):] + ["fortran"]
    config.suffixes = [".c", ".cpp"]
elif is_ours and fortran_compiler():
    config.available_features.add("flang")
    config.excludes.append("refusals.test")
    command = fortran_compiler()
    if is_amd and int(suite) >= 22 and "device-math" in config.available_features:
        command = with_math(command)
    else:
        config.excludes += list(FORTRAN)
    config.substitutions.append((r"%flang\b", command))
config.substitutions = [(name, changed(text)) for name, text in config.substitutions]
