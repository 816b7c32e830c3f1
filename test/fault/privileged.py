#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""privileged.py --clang=N --prefix=... --runtimes=...: an OpenMP program that is setuid root, started by another user
who sets what loads, writes and prints: it must compute, and do none of this. Started as it is by root, it does all of
it, so that the settings are known to work. Ends with 77 where it cannot be tried: not root, or no setuid programs on
the file system."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NOBODY = 65534
PLUGIN = """
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { puts("a stranger's plugin was loaded"); }
int __tgt_rtl_number_of_devices(void) { return 0; }
"""


def build(options, folder):
    runtimes = os.path.join(os.path.abspath(options.runtimes), options.clang)
    # The library path of a privileged process is the program's own; copies, which everybody may read.
    for library in os.listdir(options.prefix + "/lib"):
        if library.startswith("libomptarget"):
            shutil.copy(os.path.join(options.prefix, "lib", library), folder)
    shutil.copy(os.path.join(runtimes, "omp", "libomp.so.5"), folder)
    program = os.path.join(folder, "program")
    subprocess.run(["clang-" + options.clang, "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-isystem",
                    runtimes + "/include", os.path.join(HERE, "inputs", "privileged.c"), "-o", program,
                    "-L%s/omp" % runtimes, "-L%s/lib" % runtimes, "-Wl,-rpath," + folder], check=True)
    strangers = os.path.join(folder, "plugins")
    os.mkdir(strangers)
    # The required functions are those of the host plugin, so that it is worth loading.
    source = os.path.join(folder, "plugin.c")
    with open(source, "w") as file:
        file.write(PLUGIN + "".join("void __tgt_rtl_%s(void) {}\n" % name for name in (
            "is_valid_binary", "init_device", "load_binary", "data_alloc", "data_delete", "data_submit",
            "data_retrieve",
            "launch_kernel")))
    subprocess.run(["clang-" + options.clang, "-w", "-shared", "-fPIC", source, "-o",
                    strangers + "/libomptarget.rtl.stranger.so"],
                   check=True)
    os.chmod(folder, 0o755)
    return program, strangers


def run(program, strangers, written, user):
    environment = {"PATH": "/usr/bin:/bin", "LIBOMPTARGET_DEBUG": "1", "LIBOMPTARGET_INFO": "-1",
                   "LIBOMPTARGET_PLUGIN_PATH": strangers, "LIBOMPTARGET_PROFILE": written}
    done = subprocess.run([program], env=environment, user=user, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    for name in ("clang", "prefix", "runtimes"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("not tried: only root can make a program setuid")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        program, strangers = build(options, folder)
        place = os.path.join(folder, "writable")
        os.mkdir(place)
        os.chmod(place, 0o777)
        written = os.path.join(place, "profile.json")
        status, text = run(program, strangers, written, None)
        for what, is_so in (("computes", status == 0 and "computed, ordinary" in text), ("prints", "omptarget" in text),
                            ("loads a plugin", "a stranger's plugin was loaded" in text),
                            ("writes a profile", os.path.exists(written))):
            if not is_so:
                print("the ordinary program does not do what is tried: %s\nstatus %s\n%s" % (what, status, text))
                return 1
        os.remove(written)
        os.chmod(program, 0o4755)
        status, text = run(program, strangers, written, NOBODY)
        if "computed, ordinary" in text:
            print("not tried: no setuid programs on this file system")
            return 77
        if status != 0 or text != "computed, privileged\n" or os.listdir(place):
            print("the privileged program ended with %s, wrote %s and printed:\n%s" % (status, os.listdir(place), text))
            return 1
    print("an ordinary process obeys, a privileged one does not")
    return 0


if __name__ == "__main__":
    sys.exit(main())
