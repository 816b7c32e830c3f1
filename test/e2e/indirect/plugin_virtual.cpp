// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual calls through the compiler plugin on objects that the host has made. Clang 22 registers the vtables. Under
// clang 19, on the host device, the vtable is the host's and its functions are translated. Its members have to be
// indirect, and defined outside of the class.

// RUN: %indirect-clangxx %indirect-plugin -Wno-openmp-mapping %s -o %t
// RUN: %run %t
// RUN: %indirect-clangxx %indirect-plugin -Wno-openmp-mapping -O0 -g %s -o %t
// RUN: %run %t
// RUN: %indirect-clangxx %indirect-plugin -Wno-openmp-mapping -O2 %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, indirect-plugin, clang-19-or-later

#include "indirect_check.h"

#pragma omp begin declare target indirect
struct Shape {
  int width = 3;
  virtual int area(int x) const;
  virtual int name(int x);
  int both(int x) { return area(x) + name(x); }
};
struct Square : Shape {
  int area(int x) const override;
};
struct Circle : Shape {
  int radius = 7;
  int area(int x) const override;
  int name(int x) override;
};
int Shape::area(int x) const { return x + width + side(); }
int Shape::name(int) { return 1 + side(); }
int Square::area(int x) const { return x * width + side(); }
int Circle::area(int x) const { return x * radius + side(); }
int Circle::name(int) { return 2 + side(); }
#pragma omp end declare target

static int call(Shape &object, int x) { return object.area(x) + 10 * object.name(x); }

template <typename T> static void check(int area, int name) {
  T object;
  T *pointer = &object;
  int (Shape::*member)(int) const = &Shape::area;
  int results[4] = {};
#pragma omp target map(from : results) map(to : pointer[0 : 1], member)
  {
    HERE();
    Shape &base = *pointer;
    results[0] = base.area(5);
    results[1] = call(base, 5);
    results[2] = base.both(5);
    results[3] = (base.*member)(5);
  }
  CHECK_EQ(results[0], area + ON_DEVICE);
  CHECK_EQ(results[1], area + 10 * name + 11 * ON_DEVICE);
  CHECK_EQ(results[2], area + name + 2 * ON_DEVICE);
  CHECK_EQ(results[3], area + ON_DEVICE);
  CHECK_EQ(call(object, 5), area + 10 * name + 11 * ON_HOST);
}

static void objects_of_the_device() {
  int result = 0;
#pragma omp target map(from : result)
  {
    HERE();
    Circle circle;
    Shape *base = &circle;
    result = call(*base, 5);
  }
  CHECK_EQ(result, 35 + 20 + 11 * ON_DEVICE);
}

int main() {
  check<Shape>(8, 1);
  check<Square>(15, 1);
  check<Circle>(35, 2);
  objects_of_the_device();
  return finish();
}
