# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_info_tool.py OMPTARGET-INFO PROGRAM FOLDER: damages a program in many ways; the tool reads it or says why not,
# and never crashes or hangs.

import os
import random
import subprocess
import sys


def variants(whole):
    for part in range(24):
        yield "cut at %d of 24" % part, whole[:len(whole) * part // 24]
    chance = random.Random(7)
    for number in range(120):
        bytes_changed = bytearray(whole)
        for _ in range(1 + number // 10):
            # Headers, where structure is, more often than the rest.
            end = len(whole) if number % 3 == 0 else min(4096, len(whole))
            start = 0 if number % 3 != 1 else max(0, len(whole) - 4096)
            bytes_changed[start +
                          chance.randrange(min(end, len(whole) - start))] = chance.choice((0, 1, 0x7f, 0x80, 0xff))
        yield "change %d" % number, bytes(bytes_changed)


def main():
    tool, program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "damaged")
    environment = dict(os.environ, LIBOMPTARGET_PLUGINS="none")
    refused = 0
    for what, contents in variants(open(program, "rb").read()):
        with open(path, "wb") as file:
            file.write(contents)
        done = subprocess.run([tool, "--json", path], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=300)
        if done.returncode not in (0, 1):
            sys.exit("%s: status %d\n%s" % (what, done.returncode, done.stderr.decode(errors="replace")))
        if done.returncode == 1:
            refused += 1
            if not done.stderr.decode(errors="replace").startswith("omptarget-info: " + path + ": "):
                sys.exit("%s: refused without a reason: %s" % (what, done.stderr))
    if refused < 20:
        sys.exit("only %d of the damaged files are refused" % refused)
    print("%d refused" % refused)


main()
