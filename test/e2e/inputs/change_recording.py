# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""change_recording.py RECORDING RESULT CHANGE: a recording of LIBOMPTARGET_RECORD with something changed.

result: one bit of the recorded results, with the right checksum; hostile: as many entries as there can be, likewise;
byte: the last byte of the image; version: that of the format.
"""
import struct
import sys

HEADER = struct.Struct("<8sIIQQQQQQII")
MASK = (1 << 64) - 1


def checksum(data):
    value = 0xcbf29ce484222325
    for (word,) in struct.iter_unpack("<Q", data):
        value = (value ^ word) * 0x100000001b3 & MASK
    return value


def signed(data):
    """With the checksum that belongs to the bytes."""
    data[24:32] = bytes(8)
    data[24:32] = struct.pack("<Q", checksum(data))
    return data


source, result, change = sys.argv[1:]
data = bytearray(open(source, "rb").read())
fields = HEADER.unpack_from(data)
description, image, contents, changes = fields[5:9]
assert fields[0] == b"OMPTREC\n" and len(data) == fields[3] == HEADER.size + description + image + contents + changes
assert checksum(data[:24] + bytes(8) + data[32:]) == fields[4]
if change == "result":
    at = len(data) - changes  # the first block that has changes: number, then offset and size of each, then bytes
    while (count := struct.unpack_from("<Q", data, at)[0]) == 0:
        at += 8
    data[at + 8 + 16 * count] ^= 1
    signed(data)
elif change == "hostile":
    at = HEADER.size
    facts = struct.unpack_from("<I", data, at)[0]
    at += 4
    for _ in range(2 * facts):
        at += 4 + struct.unpack_from("<I", data, at)[0]
    struct.pack_into("<I", data, at + 8, 0xffffffff)
    signed(data)
elif change == "byte":
    data[HEADER.size + description + image - 9] ^= 1
else:
    struct.pack_into("<I", data, 8, 99)
open(result, "wb").write(data)
