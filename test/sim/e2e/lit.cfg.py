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
    "duplicate.c": "the image pretends: the program's function takes the place of its own of that name",
    "python.test": "the images are in a library that another program opens: the wrapper does not find it",
    "fork_library.c": "as fork.c",
    "recorded.c": "brings a plugin of its own for the CPU",
    "dlopen_threads.c": "hangs at times: closing a library holds the dynamic loader's lock while it waits for the stand-in's "
                        "threads, and a kernel's first call of a function may want that lock there (suspected, not shown)",
    "threads.c": "not passed yet: a thread that leaves a region gives up its data before its kernel is complete, and "
                 "another thread frees them",
}
# Of observe, what is about devices that queue their work.
EXCLUDED.update((name, "about the plugin for the CPU, whose output is compared")
                for name in os.listdir(os.path.join(config.test_source_root, "observe"))
                if not name.startswith("asynchronous"))
config.excludes = list(config.excludes) + list(EXCLUDED)
config.available_features.add("sim-cuda")

wrapper = " ".join([os.path.join(here, "on-stand-in"), lit_config.params["relabel"], lit_config.params["sim_cuda"]])
config.substitutions = [
    (name, text.replace("timeout 60 env", wrapper + " timeout 60 env")) for name, text in config.substitutions]
