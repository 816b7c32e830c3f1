// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library as one unit, which is linked into images that call something of it.

#include "algorithms.cpp"
#include "allocation.cpp"
#include "conversions.cpp"
#include "ctype.cpp"
#include "cxx.cpp"
#include "essentials.cpp"
#include "format.cpp"
#include "fortified.cpp"
#include "string.cpp"
#include "time.cpp"
#if defined(__NVPTX__)
#include "cxx_failures.cpp"
#include "output.cpp"
#endif
