// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vtables that clang 22 and later register: the object's pointer to its vtable is translated by hand and called
// through.

// RUN: %indirect-clangxx -Wno-openmp-mapping %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, clang-22-or-later

#include "indirect_check.h"

#pragma omp declare target
struct Base {
  int value = 1;
  virtual int first(int x) { return value + x + side(); }
  virtual int second(int x) { return value * x + side(); }
};
struct Derived : Base {
  int second(int x) override { return value - x + side(); }
};
#pragma omp end declare target

template <typename T> static void check(int wanted_first, int wanted_second) {
  T object;
  object.value = 6;
  int results[2] = {};
#pragma omp target map(to : object) map(from : results)
  {
    HERE();
    using Virtual = int (*)(void *, int);
    Virtual *vtable = *reinterpret_cast<Virtual **>(&object);
    Virtual *translated = static_cast<Virtual *>(omptarget_translate_pointer(vtable));
    results[0] = translated[0](&object, 5);
    results[1] = translated[1](&object, 5);
  }
  CHECK_EQ(results[0], wanted_first + ON_DEVICE);
  CHECK_EQ(results[1], wanted_second + ON_DEVICE);
}

int main() {
  check<Base>(11, 30);
  check<Derived>(11, 1);
  return finish();
}
