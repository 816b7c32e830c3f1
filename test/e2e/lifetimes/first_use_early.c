// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first and only use of the device before the program's end is in a constructor. It is that of a library that an
// executable without device code needs; of the executable; of a library that main opens. Later uses have the device,
// and data that were put there come back.

// RUN: %clang -Wl,--no-as-needed -shared -fPIC %inputs/calls_at_end.c -o %t.end.so
// RUN: %clangxx -shared -fPIC %inputs/first_use_early.cpp %t.end.so -o %t.first.so
// RUN: %plainclang %s -ldl -Wl,--no-as-needed -Wl,--allow-shlib-undefined %t.first.so -o %t
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t 2>&1 | %check --check-prefix=%lifetime
// RUN: %plainclang %s -c -o %t.o
// RUN: %clangxx %t.o %inputs/first_use_early.cpp %t.end.so -o %t.whole
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t.whole 2>&1 | %check --check-prefix=%lifetime
// RUN: %plainclang -DOPENS %s -o %t.opens -ldl
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t.opens %t.first.so 2>&1 | %check --check-prefix=%lifetime
// UNSUPPORTED: runtime-llvm

#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
#ifdef OPENS
  if (count < 2 || !dlopen(arguments[1], RTLD_NOW)) {
    printf("%s\n", dlerror());
    return 1;
  }
#else
  (void)count, (void)arguments;
#endif
  return 0;
}

// LASTS:      constructor: device
// LASTS-NEXT: destructor: device
// LASTS-NEXT: after it was finalised: device
// LASTS-NEXT: values: 1 490

// DRIVER:      constructor: device
// DRIVER-NEXT: destructor: device
// DRIVER:      omptarget error: target: device 0 has ended, since the program ends
// DRIVER:      after it was finalised: host
// DRIVER:      omptarget error: target exit data: device 0 has ended, since the program ends
// DRIVER:      values: 1 14
