# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests that do not run as device code, by what their names have, with the reason each."""

DYNAMIC = ("LLVM 19's device RTL: some warps see what the first thread of a dynamic schedule allocated and miss the "
           "barrier behind, others read it after it was cleared (defects/dynamic_schedule.c)")
LEFT_OUT = {
    "-schedule2-": DYNAMIC,
    "-schedule3-": DYNAMIC,
    "-schedule4-": DYNAMIC,
    "-nested-": "LLVM 19's device RTL: a reduction in a serialised nested region is taken for one of the outer team; "
                "on AMD GPUs the caller's stack is too small for __kmpc_parallel_51, which is said not to recurse",
}

NVPTX = {
    "-critical-": "LLVM 19's device RTL leaves the lock of critical sections undefined (defects/critical.c), LLVM 16's "
                  "excludes nobody (defects/critical.c)",
}

# Indexed by the beginning of their names.
CLANG_16 = {
    "ttl-": "clang 16 gives loop no threads to share its iterations among, for CPUs neither",
    "tpl-": "as ttl",
    "tp_f-": "LLVM 16's device RTL: the state of the team is written while other threads read it, as "
             "SIM_EXECUTOR_RACES=1 names",
    "t_p_f-": "as tp_f",
}
# Those of the compiler's own defects: the rest runs with our own device RTL.
OF_CLANG_16 = ("ttl-", "tpl-")


def is_left_out(name, suite, driver, is_ours):
    if is_ours:
        return suite == "16" and name.startswith(OF_CLANG_16)
    parts = list(LEFT_OUT) + (list(NVPTX) if driver == "cuda" else [])
    return any(part in name for part in parts) or (suite == "16" and name.startswith(tuple(CLANG_16)))
