# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of test/e2e through the plugin for a GPU on the stand-in for its driver. Their images for this machine
# are relabelled for such a GPU. Parameters: those of test/e2e, and driver (cuda or amdgpu), relabel (the tool),
# stand_in (the stand-in's folder) and, for amdgpu, note (an object that gives images room for their metadata).

import os
import shlex

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config,
                       os.path.join(here, "..", "..", "e2e", "lit.cfg.py"))  # has the folder of tables in the path
from tables import NOT_ABOUT_GPUS

driver = lit_config.params["driver"]
suite = lit_config.params["suite"]
config.name = "emulator.%s.%s" % (driver, config.name)

# Programs that cannot run with images that only pretend. With the reason each.
EXCLUDED_CUDA = {
    "fptr_entries.c": "entries of the RFC made by hand have no global that holds the function's address, and the "
                      "driver tells addresses of nothing else",
}
excluded = dict(NOT_ABOUT_GPUS)
excluded["other_image.c"] = ("plugins for GPUs give each image a table of its own, for which code for the CPU does not "
                             "ask; the executor has it")
if driver == "cuda":
    excluded.update(EXCLUDED_CUDA)
    images = "8 80"
    variables = "LIBOMPTARGET_PLUGINS=cuda SIM_CUDA_DEVICES=80,80,80,80"
else:
    # The version of code objects that this clang makes, and with the newest of them a generic target.
    version, target, device = {"15": (4, "gfx908", "gfx908:sramecc+:xnack-"),
                               "16": (4, "gfx90a", "gfx90a:sramecc+:xnack-"),
                               "17": (4, "gfx90a", "gfx90a:sramecc+:xnack-"),
                               "18": (5, "gfx1030", "gfx1030"),
                               "19": (5, "gfx1100", "gfx1100"),
                               "21": (6, "gfx1100", "gfx1100"),
                               "23": (6, "gfx1100", "gfx1100"),
                               "22": (6, "gfx9-4-generic", "gfx942:sramecc+:xnack-")}[suite]
    images = "%d %s" % (version, target)
    variables = "LIBOMPTARGET_PLUGINS=amdgpu SIM_HSA_DEVICES=" + ",".join([device] * 4)
if suite == "23":
    variables += " SIM_KERNELS_TAKE_CELLS=1"
variables += " " + lit_config.params.get("variables", "")
if driver == "cuda" and suite == "14":
    # In images for the CPU these are local symbols, which the stand-in's loader does not find.
    excluded["static_globals.c"] = "clang 14 has entries for static variables"
    excluded["global_objects.cpp"] = "clang 14 has entries for static functions that construct"
    excluded["device_destructors.cpp"] = "as global_objects.cpp"
config.excludes = list(config.excludes) + list(excluded)
config.available_features.add("emulator-" + driver)

wrapper = shlex.join([os.path.join(here, "on-stand-in"),
                      "%s --embedded FILE %s" % (lit_config.params["relabel"], images),
                      lit_config.params["stand_in"], variables])
offload = "-fopenmp-targets=x86_64-pc-linux-gnu"
with_note = offload + " -Xoffload-linker " + lit_config.params["note"] if "note" in lit_config.params else offload
config.substitutions = [(name,
                         text.replace("timeout 300 env", wrapper + " timeout 300 env").replace(offload, with_note))
                        for name, text in config.substitutions]
