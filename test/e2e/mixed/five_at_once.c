// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries by five clangs in one process, linked and all working on the same mapped data.

// RUN: %clang-14 -shared -fPIC -DNAME=by14 -DSTART=14 %inputs/library.c -o %t.14.so
// RUN: %clang-15 -shared -fPIC -DNAME=by15 -DSTART=15 %inputs/library.c -o %t.15.so
// RUN: %clang-16 -shared -fPIC -DNAME=by16 -DSTART=16 %inputs/library.c -o %t.16.so
// RUN: %clang-19 -shared -fPIC -DNAME=by19 -DSTART=19 %inputs/library.c -o %t.19.so
// RUN: %clang-22 -shared -fPIC -DNAME=by22 -DSTART=22 %inputs/library.c -o %t.22.so
// RUN: %clang-22 %s %t.14.so %t.15.so %t.16.so %t.19.so %t.22.so -Wl,--allow-shlib-undefined -o %t
// RUN: %run %t
// RUN: %clang-14 %s %t.22.so %t.19.so %t.16.so %t.15.so %t.14.so -Wl,--allow-shlib-undefined -o %t.reverse
// RUN: %run %t.reverse
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#define EACH(f) f(14) f(15) f(16) f(19) f(22)
#include "generations.h"
