// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global objects with constructors and destructors in declare target: each device has its own, made before use.

// RUN: %clangxx %s -o %t
// RUN: %run %t
// The runtimes of LLVM 14 and 15 crash: they match entries by index.
// UNSUPPORTED: runtime-llvm-14, runtime-llvm-15

#include "check.h"

#pragma omp declare target
struct Counter {
  int value;
  Counter(int start) : value(start * 2) {}
  ~Counter() { value = -1; }
  int next() { return ++value; }
};
static int first() { return 41; }
Counter counter(21);
int computed = first() + 1;
#pragma omp end declare target

int main() {
  CHECK_EQ(counter.value, 42);
  for (int device = 0; device < 4; device++) {
    int seen = 0, by_function = 0;
#pragma omp target device(device) map(from : seen, by_function)
    {
      HERE();
      by_function = computed;
      seen = counter.next();
    }
    CHECK_EQ(by_function, 42);
    CHECK_EQ(seen, 43);
  }
  CHECK_EQ(counter.value, 42);
  return finish();
}
