#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open_image.py LIBRARY: a program that knows nothing of OpenMP uses an offloading shared library on its own
(RTLD_LOCAL)."""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL)
pixels = (ctypes.c_ubyte * 4)(0, 100, 200, 250)
library.image_brighten(pixels, len(pixels), 20)
print("from Python: on the %s, %s" % ("device" if library.image_is_on_device() else "host", list(pixels)))
correct = list(pixels) == [20, 120, 220, 255] and library.image_is_on_device() and library.image_calls() == 1
sys.exit(0 if correct else 1)
