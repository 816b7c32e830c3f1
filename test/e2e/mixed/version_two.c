// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang 16, 17 and 18 all announce version 2; kernels of 18 have a leading parameter that those of 16 and 17 do not
// have. With 21 and 23 in one process.

// RUN: %clang-16 -shared -fPIC -DNAME=by16 -DSTART=16 %inputs/library.c -o %t.16.so
// RUN: %clang-17 -shared -fPIC -DNAME=by17 -DSTART=17 %inputs/library.c -o %t.17.so
// RUN: %clang-18 -shared -fPIC -DNAME=by18 -DSTART=18 %inputs/library.c -o %t.18.so
// RUN: %clang-21 -shared -fPIC -DNAME=by21 -DSTART=21 %inputs/library.c -o %t.21.so
// RUN: %clang-23 -shared -fPIC -DNAME=by23 -DSTART=23 %inputs/library.c -o %t.23.so
// RUN: %clang-18 %s %t.16.so %t.17.so %t.18.so %t.21.so %t.23.so -Wl,--allow-shlib-undefined -o %t
// RUN: %run %t
// RUN: %clang-16 %s %t.23.so %t.21.so %t.18.so %t.17.so %t.16.so -Wl,--allow-shlib-undefined -o %t.reverse
// RUN: %run %t.reverse
// REQUIRES: clang-17, clang-18, clang-21, clang-23
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#define EACH(f) f(16) f(17) f(18) f(21) f(23)
#include "generations.h"
