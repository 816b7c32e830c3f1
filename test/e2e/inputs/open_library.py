# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Opens an offloading shared library from Python, uses it, closes it and opens it again.
import ctypes
import sys

import _ctypes

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL)
print("on device:", library.lib_on_device())
print("count:", library.lib_count(0, 1), library.lib_count(0, 2))
array = (ctypes.c_int * 3)(1, 2, 3)
library.lib_add(array, 3, 10)
print("array:", list(array))
_ctypes.dlclose(library._handle)
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL)
print("again:", library.lib_count(0, 1))
