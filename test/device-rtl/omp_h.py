# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# omp_h.py PREFIX RUNTIMES COMPILERS: the device RTL for a generation has every function that the generation's omp.h
# declares. The exceptions are below: no device code can call them.

import glob
import os
import re
import subprocess
import sys

prefix, runtimes, compilers = map(os.path.abspath, sys.argv[1:4])
HOST_ONLY = [
    (r"omp_target_\w+|omp_get_mapped_ptr|ompx_dump_mapping_tables", "work on mappings and device memory from the host"),
    (r"omp_(get_)?interop_\w+|omp_get_num_interop_properties|omp_get_interop_\w+", "interop objects are the host's"),
    (r"omp_get_(sub)?memspace\w*|omp_get_device\w*_(memspace|allocator)\w*", "memory spaces of other devices"),
    (r"omp_get_gprivate_limit", "asked before a kernel is launched"),
    (r"omp_(set|get|display|capture)_affinity\w*|omp_display_env|omp_control_tool", "threads and tools of the host"),
    (r"omp_pause_resource\w*", "may not be called in a target region (OpenMP 5.2, 18.6)"),
    (r"omp_fulfill_event", "the clause detach is refused by name when the program is built or loaded"),
    (r"kmp_\w+|__kmpc_\w+", "extensions of LLVM's host runtime"),
]


def declared(version):
    """Names of the functions in the generation's omp.h."""
    headers = glob.glob("%s/%s/**/omp.h" % (runtimes, version), recursive=True)
    if not headers:
        return set()
    # Without comments and preprocessor lines.
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", "", open(headers[0]).read(), flags=re.S | re.M)
    return set(re.findall(r"\b(omp_\w+|ompx_\w+|kmp_\w+|llvm_omp_\w+)\s*\((?!\s*\*)", text))


def defined(version, path):
    for nm in ["%s/bin/llvm-nm-%s" % (compilers, version), "/usr/lib/llvm-22/bin/llvm-nm",
               "/usr/lib/llvm-19/bin/llvm-nm"]:
        if os.path.exists(nm):
            break
    text = subprocess.run([nm, "--defined-only", "--format=just-symbols",
                           path], check=True, capture_output=True, text=True).stdout
    return set(text.split())


def reason(name):
    return next((why for pattern, why in HOST_ONLY if re.fullmatch(pattern, name)), None)


def main():
    checked = failed = 0
    for version in ["16", "19", "22", "23"]:
        functions = declared(version)
        files = glob.glob("%s/lib/omptarget/device/%s/libomptarget-amdgpu*.bc" % (prefix, version))
        if not files:
            print("no device RTL of generation %s: left out" % version)
            continue
        if len(functions) < 80:
            sys.exit("omp.h of LLVM %s: %d functions found" % (version, len(functions)))
        wanted = {name for name in functions if not reason(name)}
        needless = {name for name in functions - wanted if name in defined(version, files[0])}
        if needless:
            sys.exit("said to be the host's, and defined: %s" % ", ".join(sorted(needless)))
        # NVIDIA's of 16 and 19 is packed into objects: of the same sources.
        archives = glob.glob("%s/lib/omptarget/device/%s/nvptx*/libompdevice.a" % (prefix, version))
        for path in [sorted(files)[0]] + archives:
            missing = wanted - defined(version, path)
            checked += 1
            failed += bool(missing)
            print("%s: %d of %d functions%s" % (os.path.relpath(path, prefix), len(wanted - missing), len(wanted),
                                                ", not " + ", ".join(sorted(missing)) if missing else ""))
    return 1 if failed or not checked else 0


sys.exit(main())
