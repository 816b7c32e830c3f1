# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of test/e2e and those here, compiled for a GPU and linked with LLVM's own device RTL, run by the executor behind
# the stand-in for the driver. Parameters: those of test/e2e, and driver (amdgpu), processor (gfx1100, gfx90a) and stand_in (the
# stand-in's folder). SIM_EXECUTOR_SEED and the like go on to the programs.

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
# Has the folder of tables, which exclusions need, in the path.
lit_config.load_config(config, os.path.join(here, "..", "..", "..", "e2e", "lit.cfg.py"))
sys.path.insert(0, here)
from exclusions import excluded

suite = lit_config.params["suite"]
processor = lit_config.params["processor"]
config.name = "executor.%s.%s" % (processor, config.name)
config.excludes = list(config.excludes) + list(
    excluded(suite, processor, "SIM_HSA_XNACK=1" in lit_config.params.get("variables", "")))
config.available_features |= {"sim-amdgpu", "executor"}

binaries = "/usr/lib/llvm-%s/bin" % suite
config.environment["PATH"] = binaries + ":" + os.environ["PATH"]
device = {"gfx90a": "gfx90a:sramecc+:xnack-"}.get(processor, processor)
variables = "LIBOMPTARGET_PLUGINS=amdgpu SIM_HSA_DEVICES=" + ",".join([device] * 4)
for name in ("SIM_EXECUTOR_SEED", "SIM_EXECUTOR_QUANTUM", "SIM_EXECUTOR_BLOCKS"):
    if name in os.environ:
        variables += " %s=%s" % (name, os.environ[name])
variables += " " + lit_config.params.get("variables", "")

# Clang 19 ends in its code generator for AMD GPUs below -O2.
offload = "-O1  -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
device_code = ("-O2 -fopenmp -fopenmp-targets=amdgcn-amd-amdhsa --offload-arch=%s -nogpulib "
               "-lomptarget.devicertl" % processor)
stand_in = "env LD_LIBRARY_PATH=" + lit_config.params["stand_in"] + ":"

prefix = os.path.abspath(lit_config.params["prefix"])
lookup = " -L%s/lib/omptarget/clang%s -lomptarget-indirect" % (prefix, suite)  # of programs with indirect functions


def changed(text):
    if "-fopenmp-targets=x86_64" in text and offload not in text:
        lit_config.fatal("the compiler's command is not the one that is changed here: " + text)
    text = text.replace(offload, device_code + (lookup if "/include -L" + prefix in text else ""))
    if "env LD_LIBRARY_PATH=" not in text:
        return text
    return text.replace("env LD_LIBRARY_PATH=", stand_in).replace(" OMP_TARGET_OFFLOAD", " " + variables + " OMP_TARGET_OFFLOAD", 1)


config.substitutions = [(name, changed(text)) for name, text in config.substitutions]
