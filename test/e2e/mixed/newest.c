// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang 23, whose kernels take one array, with the oldest and the one before, as program and as library. LLVM 23's own
// runtime takes no kernels but those of 23.

// RUN: %clang-14 -shared -fPIC -DNAME=by14 -DSTART=14 %inputs/library.c -o %t.14.so
// RUN: %clang-22 -shared -fPIC -DNAME=by22 -DSTART=22 %inputs/library.c -o %t.22.so
// RUN: %clang-23 -shared -fPIC -DNAME=by23 -DSTART=23 %inputs/library.c -o %t.23.so
// RUN: %clang-23 %s %t.14.so %t.22.so %t.23.so -Wl,--allow-shlib-undefined -o %t
// RUN: %run %t
// RUN: %clang-14 %s %t.23.so %t.22.so %t.14.so -Wl,--allow-shlib-undefined -o %t.reverse
// RUN: %run %t.reverse
// REQUIRES: clang-23
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#define EACH(f) f(14) f(22) f(23)
#include "generations.h"
