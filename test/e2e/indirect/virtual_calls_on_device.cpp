// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual calls in device code as clang 23 makes them, by a lookup, reach the device's versions, which differ from the
// host's. The objects were mapped, or made on the device, whose vtables are in no table.

// RUN: %indirect-clangxx -Wno-openmp-mapping %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, clang-23

#include "check.h"

enum { ON_DEVICE = 1000 };

#pragma omp declare target
static int side() { return 0; }
#pragma omp begin declare variant match(device = {kind(nohost)})
static int side() { return ON_DEVICE; }
#pragma omp end declare variant

struct Shape {
  int sides = 0;
  virtual int area(int x) { return x + side(); }
  virtual int corners() { return sides + side(); }
  virtual ~Shape() {}
};
struct Square : Shape {
  Square() { sides = 4; }
  int area(int x) override { return x * x + side(); }
};
struct Triangle : Shape {
  Triangle() { sides = 3; }
  int area(int x) override { return x * x / 2 + side(); }
};
#pragma omp end declare target


template <typename T> static void check(int wanted) {
  T object;
  int result = 0;
#pragma omp target map(to : object) map(from : result)
  {
    HERE();
    Shape *volatile hidden = &object; // so that no call is known
    Shape *pointer = hidden;
    result = pointer->area(5) + pointer->corners();
  }
  CHECK_EQ(result, wanted + 2 * ON_DEVICE);
}

// Made on the device: its vptr is the device's own, which the table does not have.
static void check_made_on_device() {
  int result = 0;
#pragma omp target map(from : result)
  {
    HERE();
    Triangle triangle;
    Shape *volatile hidden = &triangle;
    Shape *pointer = hidden;
    result = pointer->area(4) + pointer->corners();
  }
  CHECK_EQ(result, 8 + 3 + 2 * ON_DEVICE);
}

int main() {
  check<Shape>(5 + 0);
  check<Square>(25 + 4);
  check<Triangle>(12 + 3);
  check_made_on_device();
  return finish();
}
