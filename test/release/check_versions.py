# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_versions.py archive MOST FOLDER: no file below the folder needs a version of the C library above GLIBC_<MOST>.
# None needs libstdc++ or libgcc_s of the system, apart from what clang itself loads.
# check_versions.py emulator MOST FOLDER: the same for the emulator's archive, whose drivers need libz and libzstd, too.
# check_versions.py kit MOST FOLDER: the same for a kit of test/gpu, whose programs need libomp and libomptarget, too,
# which it brings. Files below its folder programs/llvm-22 are an addition.
# check_versions.py functions MOST SOURCES FOLDER...: the object files below the folders use no function of this
# machine's C library that came after GLIBC_<MOST>. Code must look up such a function with dlsym, and do without it. No
# source in src, plugins or include of SOURCES includes a header that came later. None names what libstdc++ 10 lacks,
# which the release is built with.

import os
import re
import subprocess
import sys

# Symbols that our objects refer to although no function of ours calls them by this name.
COMPILERS_OWN = {
    "__libc_single_threaded": "headers of libstdc++ 11 and later read it",
    "stat": "inline before glibc 2.33",
    "fstat": "inline before glibc 2.33",
    "lstat": "inline before glibc 2.33",
    "fstatat": "inline before glibc 2.33",
    "__isoc23_strtol": "strtol by the headers of glibc 2.38 and later",
    "__isoc23_strtoul": "strtoul by the headers of glibc 2.38 and later",
    "__isoc23_strtoll": "strtoll by the headers of glibc 2.38 and later",
    "__isoc23_strtoull": "strtoull by the headers of glibc 2.38 and later",
    "__isoc23_sscanf": "sscanf by the headers of glibc 2.38 and later",
}
# Headers of the C library that came after glibc 2.28, and with which version.
NEWER_HEADERS = {"sys/single_threaded.h": "2.32", "sys/platform/x86.h": "2.33", "sys/rseq.h": "2.35",
                 "sys/pidfd.h": "2.36", "stdbit.h": "2.39"}
NEWER_NAMES = re.compile(r"std::(make_unique_for_overwrite|make_shared_for_overwrite|allocate_shared_for_overwrite|"
                         r"bit_cast|source_location|format|format_to|print|println|to_underlying|expected|"
                         r"unreachable|move_only_function|counting_semaphore|binary_semaphore|latch|barrier|"
                         r"byteswap|osyncstream|mdspan|flat_map|flat_set|stacktrace)\b")
# Loaded by clang, which has libstdc++ anyway.
COMPILER_PLUGINS = re.compile(r"omptarget-indirect-\d+\.so$")


def number(version):
    return tuple(int(part) for part in version.split("."))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def elf_files(folder):
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            file = os.path.join(path, name)
            if not os.path.islink(file) and open(file, "rb").read(4) == b"\x7fELF":
                yield file


def check_kit(most, folder):
    return check_archive(most, folder, r"|libomp\.so\.5|libomptarget\.so",
                         os.path.join(folder, "programs", "llvm-22") + os.sep)


# The libgomp.so.1 for programs of GCC needs the library, and by a link the system's libgomp.
FOR_GCC, NEEDED_FOR_GCC = os.path.join("gomp", "libgomp.so.1"), r"|libomptarget\.so|libgomp-system\.so\.1"


def check_archive(most, folder, brought="", left_out=None):
    failures, count, highest = [], 0, (0,)
    for file in elf_files(folder):
        if left_out and file.startswith(left_out):
            continue
        is_plugin = COMPILER_PLUGINS.search(file)
        found = re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+) ", output("readelf", "-VW", file))
        count += 1
        for family, version in found:
            if family == "GLIBC":
                highest = max(highest, number(version))
                if number(version) > number(most):
                    failures.append("%s needs GLIBC_%s; expected %s at most" % (file, version, most))
            elif not is_plugin:
                failures.append("%s needs %s_%s of a C++ or compiler library" % (file, family, version))
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", file)):
            if not re.match(r"(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\." +
                            brought + (NEEDED_FOR_GCC if file.endswith(FOR_GCC) else ""), needed) and not is_plugin:
                failures.append("%s needs %s" % (file, needed))
    if count == 0:
        failures.append("%s: no ELF file is there" % folder)
    return failures, "%d files, none needs more than GLIBC_%s" % (count, ".".join(map(str, highest)))


def functions_of_libc():
    """The oldest version of each function that the C library has."""
    oldest = {}
    for name in ("libc.so.6", "libm.so.6"):
        path = output("cc", "-print-file-name=" + name).strip()
        for symbol, version in re.findall(r"([^\s@]+)@+GLIBC_([0-9.]+)", output("readelf", "--dyn-syms", "-W", path)):
            oldest[symbol] = min(oldest.get(symbol, (99,)), number(version))
    return oldest


def object_files(folders):
    for folder in folders:
        for path, _, names in sorted(os.walk(folder)):
            yield from (os.path.join(path, name) for name in sorted(names) if name.endswith(".o"))


def check_headers(most, sources):
    files = [os.path.join(path, name) for folder in ("src", "plugins", "include")
             for path, _, names in os.walk(os.path.join(sources, folder)) for name in names
             if name.endswith((".h", ".cpp", ".c"))]
    if len(files) < 100:
        return ["only %d sources are below %s" % (len(files), sources)]
    failures = []
    for file in files:
        text = open(file).read()
        failures += ["%s includes <%s>, which came with glibc %s; expected nothing after %s" % (
                         file, header, NEWER_HEADERS[header], most)
                     for header in re.findall(r"^\s*#\s*include\s*<(.*?)>", text, re.M)
                     if number(NEWER_HEADERS.get(header, "0")) > number(most)]
        failures += ["%s names %s, which libstdc++ 10 does not have" % (file, found[0])
                     for found in NEWER_NAMES.finditer(text)]
    return failures


def check_functions(most, sources, folders):
    oldest, failures, used, file = functions_of_libc(), [], set(), ""
    for line in output("nm", "-uA", *object_files(folders)).splitlines():
        file, symbol = line.rsplit(":", 1)[0], line.split()[-1]
        if symbol not in oldest:
            continue
        used.add(symbol)
        if oldest[symbol] > number(most) and symbol not in COMPILERS_OWN:
            failures.append("%s uses %s, which came with glibc %s; expected nothing after %s" % (
                file, symbol, ".".join(map(str, oldest[symbol])), most))
    failures += check_headers(most, sources)
    if len(used) < 50:
        failures.append("only %d functions of the C library are used below %s" % (len(used), folders))
    return failures, "%d functions of the C library, none came after %s" % (len(used), most)


def main():
    what, most = sys.argv[1:3]
    if what == "archive":
        failures, text = check_archive(most, sys.argv[3])
    elif what == "emulator":
        failures, text = check_archive(most, sys.argv[3], r"|libz\.so\.1|libzstd\.so\.1")
    elif what == "kit":
        failures, text = check_kit(most, sys.argv[3])
    else:
        failures, text = check_functions(most, sys.argv[3], sys.argv[4:])
    if failures:
        sys.exit("\n".join(failures))
    print(text)


main()
