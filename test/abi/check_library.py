#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_library.py PREFIX CHECK: checks an installed omptarget as the dynamic linker sees it.

CHECK is exports, dependencies, size, names or hardening.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from generations import LIBRARY_NAMES  # noqa: E402

# Functions that every process has, or that a plugin of ours calls by design.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1"}
MAX_BYTES = 4 * 1000 * 1000


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names_in(file):
    with open(os.path.join(HERE, file)) as lines:
        return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def exported(path):
    """(name, version or None) of each dynamic symbol that the file defines, without the version nodes themselves."""
    for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", path).splitlines():
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@")
        if kind != "A":
            yield name, version.strip("@") or None


def check_exports(lib):
    symbols = list(exported(os.path.join(lib, "libomptarget.so")))
    names = {name for name, _ in symbols}
    required, own = names_in("exports.txt"), names_in("own_exports.txt")
    yield from ("%s is not exported" % name for name in sorted(required - names))
    yield from ("%s is exported, but should not be" % name for name in sorted(names - required - own))
    yield from ("%s has version %s instead of VERS1.0" % symbol for symbol in symbols if symbol[1] != "VERS1.0")
    for plugin in glob.glob(os.path.join(lib, "libomptarget.rtl.*.so")):
        for name, _ in exported(plugin):
            if not name.startswith("__tgt_rtl_"):
                yield "%s: %s is exported, but should not be" % (os.path.basename(plugin), name)


def check_dependencies(lib):
    for path in glob.glob(os.path.join(lib, "*.so")):
        dynamic = output("readelf", "-dW", path)
        name = os.path.basename(path)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        allowed = SYSTEM | ({"libffi.so.8"} if name in ("libomptarget.rtl.x86_64.so", "libomptarget.rtl.aarch64.so")
                            else set())
        yield from ("%s needs %s" % (name, library) for library in sorted(needed - allowed))
        if "RPATH" in dynamic or "RUNPATH" in dynamic:
            yield "%s has a search path of its own" % name
        if "TEXTREL" in dynamic:
            yield "%s has relocations in its code" % name
    drivers = glob.glob(os.path.join(lib, "omptarget", "executor", "*", "*.so.1"))
    for path in glob.glob(os.path.join(lib, "*.so")) + drivers:
        if "__cxa_thread_atexit" in output("nm", "-D", "--undefined-only", path):
            yield ("%s has a thread_local object with a destructor, which waits for dlopen of other threads: "
                   "base/thread_object.h does not" % os.path.basename(path))
    dynamic = output("readelf", "-dW", os.path.join(lib, "libomptarget.so"))
    if re.findall(r"\(SONAME\).*\[(.*)\]", dynamic) != ["libomptarget.so"]:
        yield "the SONAME of libomptarget.so is not libomptarget.so"
    if "NODELETE" not in dynamic:
        yield "libomptarget.so could be unloaded: it is not linked with -z nodelete"


def check_size(lib):
    for path in glob.glob(os.path.join(lib, "*.so")):
        size = os.path.getsize(path)
        if size >= MAX_BYTES:
            yield "%s has %d bytes: expected fewer than %d" % (os.path.basename(path), size, MAX_BYTES)


def check_names(lib):
    for name in LIBRARY_NAMES:
        path = os.path.join(lib, name)
        if not os.path.exists(path):
            yield "%s is missing" % name
        elif not os.path.samefile(path, os.path.join(lib, LIBRARY_NAMES[0])):
            yield "%s is another file than %s" % (name, LIBRARY_NAMES[0])


def check_hardening(lib):
    """Each file of ours that is loaded or run, against what Debian builds packages with."""
    files = glob.glob(os.path.join(lib, "*.so")) + glob.glob(os.path.join(lib, "omptarget", "*.so"))
    files += glob.glob(os.path.join(os.path.dirname(lib), "bin", "*"))
    for path in sorted(files):
        name = os.path.basename(path)
        with open(path, "rb") as file:
            if file.read(2) == b"#!":
                continue
        programs, dynamic = output("readelf", "-lW", path), output("readelf", "-dW", path)
        undefined = set(re.findall(r" U (\w+)", output("nm", "-D", "--undefined-only", path)))
        stack = re.search(r"GNU_STACK.*0x\w+ (R?W?E?) ", programs)
        if "GNU_RELRO" not in programs or not re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic):
            yield "%s: relocations stay writable: it lacks -z relro or -z now" % name
        if not stack or "E" in stack.group(1):
            yield "%s: its stack is executable" % name
        if "Elf file type is DYN" not in programs:
            yield "%s: it is not position independent" % name
        if "__stack_chk_fail" not in undefined:
            yield "%s: nothing in it checks the stack: it lacks -fstack-protector-strong" % name
        # The passes for clang, and the heap's, call no C function that has a checked form.
        if not (name.startswith(("omptarget-indirect-", "libomptarget-heap")) or
                any(re.fullmatch(r"__\w+_chk", s) for s in undefined)):
            yield "%s: no C function in it is checked: it lacks -D_FORTIFY_SOURCE=2" % name


def main():
    checks = {"exports": check_exports, "dependencies": check_dependencies, "size": check_size, "names": check_names,
              "hardening": check_hardening}
    prefix, check = sys.argv[1:]
    lib = os.path.join(prefix, "lib")
    if not os.path.exists(os.path.join(lib, "libomptarget.so")):
        sys.exit("no libomptarget.so in " + lib)
    defects = list(checks[check](lib))
    print("\n".join(defects))
    sys.exit(1 if defects else 0)


main()
