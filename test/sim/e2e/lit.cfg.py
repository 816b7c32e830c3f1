# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of test/e2e through the CUDA plugin on the stand-in for the driver: their images for this machine are made
# to say that they are cubins. Parameters: those of test/e2e, and relabel (the tool) and sim_cuda (the stand-in's folder).

import os

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "..", "e2e", "lit.cfg.py"))
config.name = "sim.cuda." + config.name

# What is about something else than the plugin, or cannot be with images that only pretend. With the reason each.
EXCLUDED = {
    "fork.c": "CUDA does not work in the child of a process that used it; the plugin says so",
    "debug_trace.c": "about the plugin for the CPU",
    "plugin_selection.c": "about the plugin for the CPU",
    "fptr_entries.c": "entries of the RFC made by hand have no global that holds the function's address, and the driver "
                      "tells addresses of nothing else",
    "fork_library.c": "as fork.c",
    "recorded.c": "brings a plugin of its own for the CPU",
    "info.c": "compares with LLVM's plugin for the CPU, which launches one block of one thread",
    "settings.c": "looks for the name of the plugin for the CPU",
}
if lit_config.params["suite"] == "14":
    # In images for the CPU these are local symbols, which the stand-in's loader does not find.
    EXCLUDED["static_globals.c"] = "clang 14 has entries for static variables"
    EXCLUDED["global_objects.cpp"] = "clang 14 has entries for static functions that construct"
config.excludes = list(config.excludes) + list(EXCLUDED)
config.available_features.add("sim-cuda")

wrapper = " ".join([os.path.join(here, "on-stand-in"), lit_config.params["relabel"], lit_config.params["sim_cuda"]])
config.substitutions = [
    (name, text.replace("timeout 60 env", wrapper + " timeout 60 env")) for name, text in config.substitutions]
