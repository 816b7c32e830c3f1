// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global objects with constructors on the device.

#include "check.h"

#pragma omp begin declare target
static volatile int seed = 5;
struct Counter {
  int value;
  Counter() : value(seed * 8 + 2) {}
};
Counter counter;
#pragma omp end declare target

int main() {
  int value = 0;
#pragma omp target map(from : value)
  {
    HERE();
    value = counter.value++;
  }
  CHECK_EQ(value, 42);
#pragma omp target map(from : value)
  value = counter.value;
  CHECK_EQ(value, 43);
  return finish();
}
