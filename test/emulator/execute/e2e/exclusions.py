# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of test/e2e that do not run as real device code, with the reason each."""

from tables import NOT_ABOUT_GPUS

# Defects of compilers or of LLVM's device RTL in the program.
GPUS = {
    "plugin_virtual.cpp": "its objects are mapped as p[0:1], of which no clang announces vtables: "
                          "a GPU reads the host's (docs/use/indirect.md)",
    "virtual_calls.cpp": "as plugin_virtual.cpp",
    "lambdas.cpp": "clang 16 to 23 rebind the captured references of a lambda on GPUs (programs/lambda_rebound.cpp)",
}
AMD = {
    "by_value.c": "the code generator for AMD GPUs of clang 19 to 23 ends on its types: unsupported library call",
    "private_data.c": "its private data are more than an AMD GPU's stack may have; the compiler says so",
}
NVPTX = {
    "by_value.c": "long double, which NVIDIA's GPUs do not have; the compiler says so",
    "unfit_library.cpp": "damages an image in the form that it has for CPUs; PTX stays as good as it was",
    "asynchronous_fault.c": "counts the driver's calls, and the device RTL's environment takes one more",
}
# Device code calls functions of its own image only, unless LIBOMPTARGET_CALLS_ACROSS_IMAGES is set
# (docs/use/indirect.md).
CALLS_ANOTHER_IMAGE = {
    "library.c": "a kernel calls the function of another image, for which it has no registers, stack and shared memory",
    "duplicate.c": "as library.c",
    "modules.c": "as library.c",
}
AMD_23 = {
    "tasks.c": "clang 23 passes 32-bit addresses of the stack to a task's function for private variables, which takes "
               "64-bit ones (docs/internals/emulator-tests.md)",
}
# LLVM's device RTL; with ours they run.
NVPTX_16 = {
    "tasks.c": "LLVM 16's device RTL has an array of threads' states without room for the main thread's, which a task "
               "in a region needs (docs/internals/emulator-tests.md)",
}
NVPTX_19 = {
    "reductions.c": "LLVM 19's device RTL leaves the lock of critical sections undefined (defects/critical.c)",
}
# Our device RTL by clang 16.
OURS_16 = {
    "driver_calls.c": "images by clang 16 always have host services: threads ask the driver instead of waiting",
    "same_calls.c": "as driver_calls.c",
    "deferred.c": "as driver_calls.c, and the stand-in here starts nothing before a thread waits",
}
# Regions that call functions of the host, which is what a device that is the host can.
CALLS_THE_HOST = {
    "memory_fault.c": "the region calls dlopen",
    "routines.c": "the region calls fprintf",
    "device_destructors.cpp": "its destructors call dprintf",
    "asynchronous.c": "the region calls nanosleep",
    "overlap.c": "as asynchronous.c",
}
# About the driver that the suite chooses, or text that names another.
OTHERS = {
    "documentation.test": "compares with the manual's text, which names the plugin for the CPU and other drivers",
    "linked_against_prefix.c": "the program is run without the library path that the stand-in needs",
    "rank_in_texts.c": "runs a tool without the library path that the stand-in needs",
    "tool_info.c": "as rank_in_texts.c",
    "merged_profile.test": "about a tool, which needs no device",
    "several_images.c": "its images are for CPUs",
    "ompt.c": "compares with LLVM's runtime, whose plugin has no device here",
    "tool_library.c": "as ompt.c",
    "no_tool_library.c": "as linked_against_prefix.c",
    "first_library.c": "as linked_against_prefix.c",
    "ranges.c": "about what the host tells tools, with images for CPUs as well",
}
# Unified shared memory: of a device that reaches all memory, which the suite has by SIM_HSA_XNACK=1 only.
UNIFIED = {
    "unified.c": "needs a device that reaches all memory",
    "requires_usm.c": "as unified.c",
    "unified_pointers.c": "as unified.c",
}

# Fortran programs, compiled for GPUs with our device RTL; not left out for AMD's by flang 22 and later.
FORTRAN = {
    "math.f90": "flang calls no mathematical function of a GPU for NVIDIA's, and flang 19 is not told where AMD's are",
}


def excluded(suite, driver, reaches_all, is_ours=False):
    compiler = {**GPUS, **(AMD if driver == "amdgpu" else {**NVPTX, **CALLS_ANOTHER_IMAGE})}
    if driver == "cuda" and not is_ours:
        compiler.update({"16": NVPTX_16, "19": NVPTX_19}.get(suite, {}))
    if suite == "23" and driver == "amdgpu":
        compiler.update(AMD_23)
    if is_ours and suite == "16":
        compiler.update(OURS_16)
    result = {**NOT_ABOUT_GPUS, **compiler, **CALLS_THE_HOST, **OTHERS}
    return result if reaches_all else {**result, **UNIFIED}
