#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage_plugin.py INPUT OUTPUT: copies a shared object, and has its dynamic section name a table of strings far
away."""
import struct
import sys

PT_DYNAMIC, DT_STRTAB = 2, 5

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
programs, = struct.unpack_from("<Q", data, 32)
count, = struct.unpack_from("<H", data, 56)
for i in range(count):
    kind, _, offset, _, _, size, _, _ = struct.unpack_from("<IIQQQQQQ", data, programs + 56 * i)
    if kind != PT_DYNAMIC:
        continue
    for at in range(offset, offset + size, 16):
        if struct.unpack_from("<Q", data, at)[0] == DT_STRTAB:
            struct.pack_into("<Q", data, at + 8, 1 << 40)
with open(sys.argv[2], "wb") as file:
    file.write(data)
