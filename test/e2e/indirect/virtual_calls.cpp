// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang 23 calls a lookup for every virtual call in a region for the CPU, too. None of LLVM 23's libraries has it, so
// that such a program does not link with them; it links with this library, and runs. Nothing here is translated by
// hand.

// RUN: not %clangxx -Wno-openmp-mapping %s -o %t.llvm 2>&1 | %check --check-prefix=LLVM
// RUN: %indirect-clangxx -Wno-openmp-mapping %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, clang-23

// LLVM: undefined {{.*}}__llvm_omp_indirect_call_lookup

#include "check.h"

#pragma omp declare target
struct Shape {
  int side = 2;
  virtual ~Shape() {}
  virtual int corners() const { return 0; }
  virtual int area(int scale) const { return scale; }
};
struct Square : Shape {
  int corners() const override { return 4; }
  int area(int scale) const override { return side * side * scale; }
};
struct Triangle : Shape {
  int corners() const override { return 3; }
};
#pragma omp end declare target

// The compiler does not know the class here.
__attribute__((noinline)) static int on_device(Shape *shape, int bytes, int scale) {
  int corners = -1, area = -1;
  char *object = reinterpret_cast<char *>(shape);
#pragma omp target map(to : object[0 : bytes]) map(from : corners, area)
  {
    HERE();
    const Shape *here = reinterpret_cast<const Shape *>(object);
    corners = here->corners();
    area = here->area(scale);
  }
  return 1000 * corners + area;
}

int main() {
  Square square;
  Triangle triangle;
  Shape shape;
  square.side = 5;
  CHECK_EQ(on_device(&square, sizeof square, 3), 4075);
  CHECK_EQ(on_device(&triangle, sizeof triangle, 7), 3007);
  CHECK_EQ(on_device(&shape, sizeof shape, 9), 9);
  return finish();
}
