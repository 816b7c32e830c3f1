#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""patch_image.py WHAT INPUT OUTPUT: copies an offloading program and changes the device images inside it.

machine=N sets the machine number (21: ppc64le) of each image's ELF header, machine=N:first only of the first one's;
magic breaks the ELF magic; truncated sets the offset of the section headers past the end; container breaks the version
of the container around the image, where there is one. symbol=PATTERN changes the last letter of each name in the images
whose end the regular expression matches.
"""
import re
import struct
import sys

CONTAINER_MAGIC = b"\x10\xff\x10\xad"


def occurrences(data, pattern, start):
    at = data.find(pattern, start)
    while at >= 0:
        yield at
        at = data.find(pattern, at + 1)


def images(data):
    """Offsets of the ELF images inside the program; the program's own header is at 0."""
    found = [(at, *struct.unpack_from("<HH", data, at + 16)) for at in occurrences(data, b"\x7fELF\x02\x01\x01", 1)]
    return [at for at, kind, machine in found if kind == 3 or machine == 190]


def patch(data, what):
    found = images(data)
    if what.startswith("machine="):
        number, _, which = what.removeprefix("machine=").partition(":")
        for at in found[:1] if which == "first" else found:
            struct.pack_into("<H", data, at + 18, int(number))
    elif what == "magic":
        for at in found:
            data[at : at + 4] = b"\x7fNOT"
    elif what == "truncated":
        for at in found:
            struct.pack_into("<Q", data, at + 40, 1 << 40)
            struct.pack_into("<Q", data, at + 32, 1 << 40)
    elif what.startswith("symbol="):
        name = re.compile(rb"(?:%s)(?=\0)" % what.removeprefix("symbol=").encode())
        ends = [at + struct.unpack_from("<Q", data, at + 40)[0] for at in found]    # where sections' headers end
        found = [match.end() - 1 for at, end in zip(found, ends) for match in name.finditer(data, at, end)]
        for at in found:
            data[at] ^= 1
    elif what == "container":
        found = list(occurrences(data, CONTAINER_MAGIC, 0))
        for at in found:
            struct.pack_into("<I", data, at + 4, 77)
    else:
        sys.exit("patch_image.py: %s: expected machine=N, magic, truncated, symbol=PATTERN or container" % what)
    if not found:
        sys.exit("patch_image.py: %s: nothing found" % what)


def main():
    what, source, target = sys.argv[1:]
    with open(source, "rb") as file:
        data = bytearray(file.read())
    patch(data, what)
    with open(target, "wb") as file:
        file.write(data)


main()
