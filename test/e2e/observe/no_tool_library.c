// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool is connected although nothing is called libomp.so: only libomp.so.5 is there, as in an installation for users.

// REQUIRES: clang-19, runtime-omptarget
// The sanitizer's own tool has to be there.
// UNSUPPORTED: tsan
// RUN: %clang %inputs/observed.c -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: rm -rf %t.lib && mkdir %t.lib && ln -s %ompfolder/libomp.so.5 %t.lib/libomp.so.5
// RUN: env LD_LIBRARY_PATH=%prefix/lib:%t.lib OMP_TOOL_LIBRARIES=%t.tool %t 2>&1 | %check

// CHECK: ompt: target kind=2 endpoint=1
// CHECK: ompt: end, 0 problems
