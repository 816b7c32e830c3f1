# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake_of_page.py PAGE FILE: writes the one block of the page that calls find_package(omptarget) to the file.

import re
import sys

page, path = sys.argv[1:]
blocks = re.findall(r"^```cmake\n(.*?)^```$", open(page, encoding="utf-8").read(), re.M | re.S)
found = [block for block in blocks if "find_package(omptarget" in block]
assert len(found) == 1, found
open(path, "w", encoding="utf-8").write(found[0])
