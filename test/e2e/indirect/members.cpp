// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++: member functions, static members, overloads, instances of templates, functions of namespaces and headers.

// RUN: %indirect-clangxx -std=c++11 %s -o %t
// RUN: %run %t
// Clang 19 ends in its code generator for AMD GPUs below -O2.
// RUN: %if !executor %{ %indirect-clangxx -O0 -std=c++17 %s -o %t %}
// RUN: %run %t
// REQUIRES: runtime-omptarget

#include "indirect_check.h"

namespace shapes {

template <typename T> static T add(T a, T b) { return a + b + side(); }
inline int subtract(int a, int b) { return a - b + side(); }
static int overloaded(int a) { return a + 1 + side(); }
static int overloaded(int a, int b) { return a + b + 2 + side(); }

struct Base {
  int first;
  int get(int x) const { return first + x + side(); }
};
struct Shape : Base {
  int width;
  int area(int height) const { return width * height + side(); }
  int outside(int x);
  static int fixed(int x) { return x + 100 + side(); }
};
int Shape::outside(int x) { return width - x + side(); }

} // namespace shapes
using namespace shapes;

OMPTARGET_INDIRECT_AS(add_int, &add<int>)
OMPTARGET_INDIRECT_AS(add_long, &add<long>)
OMPTARGET_INDIRECT_SHARED(subtract, subtract)
OMPTARGET_INDIRECT_AS(overloaded_1, static_cast<int (*)(int)>(overloaded))
OMPTARGET_INDIRECT_AS(overloaded_2, static_cast<int (*)(int, int)>(overloaded))
OMPTARGET_INDIRECT_AS(shape_fixed, &Shape::fixed)
OMPTARGET_INDIRECT_MEMBER(base_get, &Base::get)
OMPTARGET_INDIRECT_MEMBER(shape_area, &Shape::area)
OMPTARGET_INDIRECT_MEMBER(shape_outside, &Shape::outside)

static void functions() {
  int (*two[3])(int, int) = {add<int>, subtract, overloaded};
  int (*one[2])(int) = {overloaded, Shape::fixed};
  long (*wide)(long, long) = add<long>;
  int results[6] = {};
#pragma omp target map(from : results) map(to : two, one) firstprivate(wide)
  {
    HERE();
    for (int i = 0; i < 3; i++)
      results[i] = OMPTARGET_TRANSLATE(two[i])(5, 3);
    for (int i = 0; i < 2; i++)
      results[3 + i] = OMPTARGET_TRANSLATE(one[i])(7);
    results[5] = OMPTARGET_TRANSLATE(wide)(20, 30);
  }
  const int wanted[6] = {8, 2, 10, 8, 107, 50};
  for (int i = 0; i < 6; i++)
    CHECK_EQ(results[i], wanted[i] + ON_DEVICE);
}

static void member_functions() {
  Shape shape;
  shape.first = 1;
  shape.width = 4;
  int (Shape::*area)(int) const = &Shape::area;
  int (Shape::*inherited)(int) const = &Base::get;
  int (Shape::*outside)(int) = &Shape::outside;
  int results[3] = {};
#pragma omp target map(from : results) map(to : shape, area, inherited, outside)
  {
    HERE();
    results[0] = (shape.*OMPTARGET_TRANSLATE_MEMBER(area))(5);
    results[1] = (shape.*OMPTARGET_TRANSLATE_MEMBER(inherited))(5);
    results[2] = (shape.*OMPTARGET_TRANSLATE_MEMBER(outside))(5);
  }
  CHECK_EQ(results[0], 20 + ON_DEVICE);
  CHECK_EQ(results[1], 6 + ON_DEVICE);
  CHECK_EQ(results[2], -1 + ON_DEVICE);
  CHECK_EQ((shape.*OMPTARGET_TRANSLATE_MEMBER(area))(5), 20 + ON_HOST);
}

int main() {
  functions();
  member_functions();
  return finish();
}
