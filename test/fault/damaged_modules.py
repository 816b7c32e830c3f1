#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged_modules.py --clang=N --prefix=... --runtimes=... --output=...

Compiles a program and a library by one clang, damages copies of them in one place each, and runs them on the installed
library. Each must end on its own, with a right result computed by the host, or by SIGABRT, never by another signal or a
timeout. Before SIGABRT a message names the module and the defect.
"""
import argparse
import os
import random
import re
import signal
import subprocess
import sys

from offload_binary import OffloadBinary

HERE = os.path.dirname(os.path.abspath(__file__))
FAR = 0x7F0000000000
SECONDS = 300  # until a run counts as hanging

# Some cases say what the host does. A refused descriptor is reported at once, whatever the policy. A refused image is
# reported when devices are first needed. An image that no plugin takes is no error unless offloading is mandatory.
DESCRIPTOR, IMAGE, UNTAKEN = "descriptor", "image", "untaken"


def set_count(value):
    return lambda b: b.set("i", b.descriptor, value)


def set_descriptor(offset, value):
    return lambda b: b.set_pointer(b.descriptor + offset, value(b))


def set_image(offset, value):
    return lambda b: b.set_pointer(b.images + offset, value(b))


def set_entry(field, value, number=0):
    def change(b):
        size = b.entry_size()
        offset = {"address": (0, 16), "name": (8, 24), "size": (16, 32)}[field][size == 56]
        set_to = b.set_pointer if field != "size" else lambda at, v: b.set("Q", at, v)
        set_to(b.entries + number * size + offset, value)
    return change


def set_elf(kind, offset, value):
    return lambda b: b.set(kind, b.elf() + offset, value)


def set_container(kind, offset, value):
    return lambda b: b.set(kind, b.image_begin() + offset, value)


CASES = [
    # what, change, how it ends, text
    ("count-negative", set_count(-1), DESCRIPTOR, "the descriptor claims -1 device images"),
    ("count-huge", set_count(0x7FFFFFFF), DESCRIPTOR, "the descriptor claims 2147483647 device images"),
    ("count-large", set_count(60000), DESCRIPTOR,
     r"the table of device images at 0x\w+ \(1920000 bytes\) lies outside"),
    ("images-null", set_descriptor(8, lambda b: 0), DESCRIPTOR,
     "the table of device images at .* lies outside of the module"),
    ("images-far", set_descriptor(8, lambda b: FAR), DESCRIPTOR,
     "the table of device images at 0x.* lies outside of the module"),
    ("entries-null", set_descriptor(16, lambda b: 0), DESCRIPTOR, "the entry table at .* lies outside of the module"),
    ("entries-far", set_descriptor(24, lambda b: FAR), DESCRIPTOR,
     "the entry table at 0x.* lies outside of the module"),
    ("entries-backward", set_descriptor(24, lambda b: b.entries - 8), DESCRIPTOR,
     "the entry table ends .* before it begins"),
    ("entries-cut", set_descriptor(24, lambda b: b.entries_end - 1), DESCRIPTOR,
     "the entry table has .* no multiple of 32 or 56"),
    ("name-far", set_entry("name", FAR), DESCRIPTOR, "the name of entry 0 lies outside of the module"),
    ("name-null", set_entry("name", 0), DESCRIPTOR, "the name of entry 0 lies outside of the module"),
    ("name-of-another", set_entry("name", FAR, 1), DESCRIPTOR, "the name of entry 1 lies outside of the module"),
    ("address-far", set_entry("address", FAR, 1), DESCRIPTOR,
     r"entry 1 \(\S+\) is at 0x\w+ .* where no module has them"),
    ("address-null", set_entry("address", 0, 1), DESCRIPTOR, r"entry 1 \(\S+\) has no address"),
    ("size-huge", set_entry("size", 1 << 63, 1), DESCRIPTOR, r"entry 1 \(\S+\) claims 9223372036854775808 bytes"),
    ("size-large", set_entry("size", 1 << 40, 1), DESCRIPTOR, r"entry 1 \(\S+\) is at 0x\w+ \(1099511627776 bytes\)"),
    ("image-null", set_image(0, lambda b: 0), IMAGE,
     r"image 0 of \S+ is damaged: the image at .* lies outside of the module"),
    ("image-far", set_image(8, lambda b: FAR), IMAGE, r"image 0 of \S+ is damaged: the image at 0x.* lies outside"),
    ("image-backward", set_image(8, lambda b: b.image_begin() - 1), IMAGE,
     r"image 0 of \S+ is damaged: the image ends .* before it begins"),
    ("image-empty", set_image(8, lambda b: b.image_begin()), IMAGE, r"image 0 of \S+ is damaged: the image is empty"),
    ("part-far", set_image(24, lambda b: FAR), IMAGE, r"image 0 of \S+ is damaged: the entry table at .* lies outside"),
    ("part-crooked", set_image(16, lambda b: b.entries + 8), IMAGE,
     r"image 0 of \S+ is damaged: its entries do not begin or end at an entry"),
    ("part-elsewhere", set_image(16, lambda b: b.images), IMAGE, r"image 0 of \S+ is damaged: its entries lie outside"),
    ("elf-magic", set_elf("I", 0, 0x544F4E7F), UNTAKEN, r"image 0 of \S+: unknown"),
    ("elf-class", set_elf("B", 4, 1), UNTAKEN, r"image 0 of \S+: ELF of another class"),
    ("elf-machine", set_elf("H", 18, 183), UNTAKEN, r"image 0 of \S+: aarch64"),
]
NEWER_CASES = [
    ("entry-version", lambda b: b.set("H", b.entries + 8, 7), DESCRIPTOR,
     "entry 0 has version 7; 1 is the only one known"),
    ("entry-version-2", lambda b: b.set("H", b.entries + 56 + 8, 7), DESCRIPTOR, "entry 1 has version 7"),
    ("entry-kind", lambda b: b.set("H", b.entries + 10, 3), DESCRIPTOR, "the entry table begins like no known layout"),
    ("entry-reserved", lambda b: b.set("Q", b.entries, 9), DESCRIPTOR, "does not begin like one"),
]
CONTAINER_CASES = [
    ("container-version", set_container("I", 4, 77), IMAGE, "the container has version 77; 1 and 2 are known"),
    ("container-size", set_container("Q", 8, 1 << 40), IMAGE, "the container claims 1099511627776 bytes"),
    ("container-entry", set_container("Q", 16, 1 << 63), IMAGE,
     r"the container's entry \(0x8000000000000000\) lies outside"),
    ("container-entry-size", set_container("Q", 24, 1), IMAGE, "the container's entry has 1 bytes, expected 40"),
    ("container-strings", set_container("Q", 40, 1 << 62), IMAGE,
     r"the container's string table \(0x4000000000000000\) lies outside"),
    ("container-string-count", set_container("Q", 48, 1 << 60), IMAGE,
     "the container claims 1152921504606846976 strings"),
    ("container-image", set_container("Q", 56, 1 << 40), IMAGE,
     r"the container's image \(0x10000000000\) lies outside"),
    ("container-image-size", set_container("Q", 64, (1 << 64) - 1), IMAGE, "the container's image .* lies outside"),
    ("container-key", set_container("Q", 72, 1 << 50), IMAGE,
     r"the container's string key \(0x4000000000000\) lies outside"),
]


class Suite:
    def __init__(self, options):
        self.options = options
        self.failures = 0
        self.runs = 0
        os.makedirs(options.output, exist_ok=True)
        self.program = self.compile("program", [])
        self.library = self.compile("program", ["-DLIBRARY", "-shared", "-fPIC"], "library.so")
        self.opener = self.compile("opener", ["-ldl"])

    def path(self, name):
        return os.path.join(self.options.output, name)

    def compile(self, source, flags, output=None):
        folder = os.path.join(self.options.runtimes, self.options.clang)
        output = self.path(output or source)
        subprocess.run(
            ["clang-" + self.options.clang, "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-isystem",
             folder + "/include", "-L%s/omp" % folder, "-L%s/lib" % folder, "-Wl,--allow-shlib-undefined",
             os.path.join(HERE, "inputs", source + ".c"), "-o", output] + flags, check=True)
        return output

    def run(self, command, policy):
        """Exit status (negative: signal; None: it hangs) and output."""
        environment = dict(
            os.environ, OMP_TARGET_OFFLOAD=policy, OMP_NUM_THREADS="2", KMP_BLOCKTIME="0",
            LD_LIBRARY_PATH="%s/lib:%s/%s/omp" % (self.options.prefix, self.options.runtimes, self.options.clang))
        self.runs += 1
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=SECONDS, text=True, errors="replace", preexec_fn=no_core)
        except subprocess.TimeoutExpired as expired:
            return None, str(expired.output)
        return done.returncode, done.stdout

    def fail(self, what, status, text):
        self.failures += 1
        print("FAILED: clang %s, %s: status %s\n%s" % (self.options.clang, what, status, text.rstrip()))

    def check(self, what, condition, status, text):
        if not condition:
            self.fail(what, status, text)

    def damage(self, source, change, name):
        binary = OffloadBinary(source)
        change(binary)
        target = self.path(name)
        binary.write(target)
        os.chmod(target, 0o755)
        return target

    def run_case(self, what, change, end, text):
        program = self.damage(self.program, change, "damaged")
        status, output = self.run([program], "DEFAULT")
        told = re.search(text, output) and (end == IMAGE or program in output)
        self.check(what + ", host fallback", status == 0 and "ran on the host, 0 wrong" in output, status, output)
        if end != UNTAKEN:
            self.check(what + ", message", told, status, output)
        status, output = self.run([program], "MANDATORY")
        self.check(what + ", mandatory", status == -signal.SIGABRT and "omptarget fatal error" in output and
                   re.search(text, output) and program in output, status, output)
        status, output = self.run([program], "DISABLED")
        self.check(what + ", disabled", status == 0 and "ran on the host, 0 wrong" in output, status, output)

    def run_library_case(self, what, change, end, text):
        """The program has devices, so that the library's region has nowhere to go, or is run by the host."""
        library = self.damage(self.library, change, "damaged.so")
        status, output = self.run([self.opener, library], "DEFAULT")
        if end == DESCRIPTOR:
            self.check(what + " of a library",
                       status == -signal.SIGABRT and re.search(text, output) and library in output and
                       "no registered module has a kernel of that address" in output, status, output)
        else:
            self.check(what + " of a library", status == 0 and "ran on the host, 0 wrong" in output, status, output)

    def run_truncated(self):
        """The first image ends early: anywhere in its headers, and after each eighth of it."""
        whole = OffloadBinary(self.program)
        size = whole.image_end() - whole.image_begin()
        for length in sorted(set(list(range(1, 200, 13)) + [size * i // 8 for i in range(1, 8)] + [size - 1])):
            what = "image truncated to %d of %d bytes" % (length, size)
            program = self.damage(self.program, set_image(8, lambda b: b.image_begin() + length), "truncated")
            status, output = self.run([program], "DEFAULT")
            self.check(what, self.ended_well(status, output), status, output)
            status, output = self.run([program], "MANDATORY")
            self.check(what + ", mandatory", self.ended_well(status, output) and
                       (status == 0 or program in output), status, output)

    def run_random(self, places, count):
        """Random bytes in random places of the tables. The test does not foresee what they mean, only how a run may
        end."""
        choose = random.Random(7)
        for number in range(count):
            changes = []

            def change(b):
                begin, size = choose.choice(places(b))
                for _ in range(choose.choice((1, 1, 2, 8))):
                    at = begin + choose.randrange(size)
                    value = choose.choice((0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256)))
                    changes.append("0x%x=0x%x" % (at, value))
                    field = at - (at - begin) % 8
                    if field in b.relocations:  # the byte that counts is in the relocation
                        struct_at = b.relocations[field] + 16 + (at - field)
                        b.data[struct_at] = value
                    else:
                        b.set("B", at, value)
            program = self.damage(self.program, change, "random")
            for policy in ("DEFAULT", "MANDATORY"):
                status, output = self.run([program], policy)
                self.check("random bytes %d (%s), %s" % (number, " ".join(changes), policy),
                           self.ended_well(status, output) or status == 3, status, output)

    def ended_well(self, status, output):
        return status == 0 or status == -signal.SIGABRT and "omptarget fatal error" in output

    def all(self):
        status, output = self.run([self.program], "MANDATORY")
        self.check("undamaged", status == 0 and "ran on the device, 0 wrong" in output, status, output)
        status, output = self.run([self.opener, self.library], "MANDATORY")
        self.check("undamaged library", status == 0 and "ran on the device, 0 wrong" in output, status, output)
        whole = OffloadBinary(self.program)
        cases = list(CASES)
        cases += NEWER_CASES if whole.entry_size() == 56 else []
        cases += CONTAINER_CASES if whole.is_container() else []
        for case in cases:
            self.run_case(*case)
            self.run_library_case(*case)
        self.run_truncated()
        self.run_random(table_places, 60)
        self.run_random(image_places, 60)
        print("clang %s: %d runs, %d failures" % (self.options.clang, self.runs, self.failures))
        return self.failures == 0


def table_places(b):
    return [(b.descriptor, 32), (b.images, 32), (b.entries, b.entries_end - b.entries)]


def image_places(b):
    """Headers of the container and of the ELF file inside, with its program headers."""
    begin = b.image_begin()
    return [(b.elf(), 64), (b.elf(), 64 + 56 * b.get("H", b.elf() + 56))] + (
        [(begin, b.elf() - begin)] if b.is_container() else [])


def no_core():
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main():
    parser = argparse.ArgumentParser()
    for name in ("clang", "prefix", "runtimes", "output"):
        parser.add_argument("--" + name, required=True)
    sys.exit(0 if Suite(parser.parse_args()).all() else 1)


main()
