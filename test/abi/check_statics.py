#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_statics.py ARCHIVE...: no object has a static variable with a destructor.

libomp and programs call the library after destructors of statics have run, so that it must not own any. The compiler
registers such a destructor by __cxa_atexit; one object does so by hand, for the end of devices.
"""
import re
import subprocess
import sys

BY_HAND = {"runtime_end.cpp.o"}


def main():
    count, wrong = 0, []
    for archive in sys.argv[1:]:
        symbols = subprocess.run(["nm", "-A", archive], check=True, capture_output=True, text=True).stdout
        found = set(re.findall(r":([^:\s]+\.o):", symbols))
        count += len(found)
        for name in set(re.findall(r":([^:\s]+\.o):\s+U __cxa_atexit$", symbols, re.MULTILINE)) - BY_HAND:
            wrong.append("%s in %s has a static variable with a destructor" % (name, archive))
    print("\n".join(sorted(wrong)) or "%d objects, none has a static variable with a destructor" % count)
    sys.exit(1 if wrong or not count else 0)


main()
