// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lambdas that capture by reference, by value and this. On the device their references name the device's variables, and
// on the host they still name the host's afterwards.

// RUN: %clangxx -std=c++17 %s -o %t
// RUN: %run %t
// UNSUPPORTED: runtime-llvm

#include "check.h"

struct Object {
  int value = 5;
  int run() {
    int result = 0;
    auto add = [&, this](int x) { result = value + x; };
#pragma omp target map(tofrom : result) map(to : this[0 : 1])
    {
      HERE();
      add(10);
    }
    int seen = result;
    result = 0;
    add(1); // on the host, with the host's references
    return seen * 100 + result;
  }
};

int main() {
  int a = 1, b = 2, array[4] = {1, 2, 3, 4};
  auto by_reference = [&] { a += b + array[3]; };
#pragma omp target map(tofrom : a, b, array)
  {
    HERE();
    by_reference();
  }
  CHECK_EQ(a, 7);
  by_reference();
  CHECK_EQ(a, 13);

  auto by_value = [b](int x) { return b + x; };
  int c = 0;
#pragma omp target map(from : c)
  {
    HERE();
    c = by_value(40);
  }
  CHECK_EQ(c, 42);

  Object object;
  CHECK_EQ(object.run(), 1506);

  // In an enclosing region, several times.
#pragma omp target data map(tofrom : a, b, array)
  for (int i = 0; i < 3; i++) {
#pragma omp target
    {
      HERE();
      by_reference();
    }
  }
  CHECK_EQ(a, 31);
  by_reference();
  CHECK_EQ(a, 37);
  return finish();
}
