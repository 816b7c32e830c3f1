# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# exports.py PREFIX RUNTIMES COMPILERS: the device RTL for a generation has every function that LLVM's device RTL of
# that generation exports. Debian has no device RTL of LLVM 22 and 23: theirs is that of 19 with the names below.

import glob
import os
import re
import subprocess
import sys

prefix, runtimes, compilers = map(os.path.abspath, sys.argv[1:4])
TARGETS = {"amdgcn-amd-amdhsa": "amdgpu-gfx90a", "nvptx64-nvidia-cuda": "nvptx-sm_80"}

# Functions that LLVM 22 and 23 have and 19 does not.
LATER = {
    "22": ["__llvm_omp_host_call", "omp_get_device_from_uid", "omp_get_uid_from_device"],
    "23": ["__llvm_omp_host_call", "omp_get_device_from_uid", "omp_get_uid_from_device", "omp_get_dyn_gprivate_ptr",
           "omp_get_dyn_gprivate_nofb_ptr", "omp_get_dyn_gprivate_size"],
}
# Exports that ours need not have, by version and target.
LEFT_OUT = [
    ("..", ".*", r"_ZN4ompx.*|IsSPMDMode|__keep_alive", "LLVM's device RTL calls them itself"),
    ("..", ".*", r"__omp_rtl_device_memory_pool_tracker", "a variable: the plugin finds ours behind the pool"),
    ("..", "nvptx.*", r"__omp_rtl_device_memory_pool|malloc|free", "the driver has malloc"),
    ("1.", ".*", r"__assert_fail|__llvm_omp_vprintf|malloc|free", "in the unit of host services, which is packed"),
    ("23", ".*", r"__kmpc_nvptx_teams_reduce_nowait_v2|__kmpc_reduction_get_fixed_buffer", "clang 23 calls another"),
]


def tool(version):
    for nm in ["%s/%s/usr/lib/llvm-%s/bin/llvm-nm" % (compilers, version, version), "/usr/lib/llvm-22/bin/llvm-nm",
               "/usr/lib/llvm-19/bin/llvm-nm"]:
        if os.path.exists(nm):
            return nm
    sys.exit("no llvm-nm")


def exports(version, path):
    """Names that others may call; LLVM's RTL exports, ours hides."""
    text = subprocess.run([tool(version), "--defined-only", "--format=just-symbols", path], check=True,
                          capture_output=True, text=True).stdout
    return {line for line in text.split() if not line.endswith(":")}


def of_llvm(version, target):
    names = "%s/%s/**/libomptarget-%s.bc" % (runtimes, version, TARGETS[target])
    files = glob.glob(names, recursive=True)
    if not files:
        return set()
    text = subprocess.run([tool(version), "--defined-only", "--extern-only", "--format=posix", files[0]], check=True,
                          capture_output=True, text=True).stdout
    return {line.split()[0] for line in text.splitlines() if line.split()[1] in "TWV"}


def ours(version, target):
    archives = glob.glob("%s/lib/omptarget/device/%s/%s/libompdevice.a" % (prefix, version, target))
    plain = glob.glob("%s/lib/omptarget/device/%s/libomptarget-%s.bc" % (prefix, version, TARGETS[target]))
    return {name for path in archives or plain for name in exports(version, path)}


def reason(version, target, name):
    return next((why for of_version, of_target, pattern, why in LEFT_OUT if re.fullmatch(of_version, version) and
                 re.fullmatch(of_target, target) and re.fullmatch(pattern, name)), None)


def main():
    checked = failed = 0
    for version in ["16", "19", "22", "23"]:
        for target in TARGETS:
            theirs = of_llvm("19" if version in LATER else version, target) | set(LATER.get(version, []))
            own = ours(version, target)
            if not own or len(theirs) < 100:
                print("%s, %s: left out" % (version, target))
                continue
            missing = sorted(name for name in theirs - own if not reason(version, target, name))
            checked += 1
            failed += bool(missing)
            print("%s, %s: %d functions of LLVM's%s" % (version, target, len(theirs),
                                                       ", not " + ", ".join(missing) if missing else ""))
    return 1 if failed or not checked else 0


sys.exit(main())
