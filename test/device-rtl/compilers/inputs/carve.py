# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# carve.py PROGRAM MACHINE OUTPUT: writes the one device image (an ELF file of that e_machine) inside of a program.

import struct
import sys

program, machine, output = open(sys.argv[1], "rb").read(), int(sys.argv[2]), sys.argv[3]
images = []
start = program.find(b"\x7fELF", 1)
while start >= 0:
    if struct.unpack_from("<H", program, start + 18)[0] == machine:
        program_headers, section_headers = struct.unpack_from("<QQ", program, start + 32)
        size, count, section_size, section_count = struct.unpack_from("<HHHH", program, start + 54)
        end = start + max(program_headers + size * count, section_headers + section_size * section_count)
        images.append(program[start:end])
    start = program.find(b"\x7fELF", start + 4)
if len(images) != 1:
    sys.exit("%s: has %d images for machine %d, expected 1" % (sys.argv[1], len(images), machine))
open(output, "wb").write(images[0])
