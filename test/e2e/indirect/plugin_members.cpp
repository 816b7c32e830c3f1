// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ through the compiler plugin: member functions, and callables that hide a function pointer as std::function does.

// RUN: %indirect-clangxx %indirect-plugin -Wno-openmp-mapping %s -o %t
// RUN: %run %t
// Clang 19 ends in its code generator for AMD GPUs below -O2.
// RUN: %if !executor %{ %indirect-clangxx %indirect-plugin -Wno-openmp-mapping -O0 -g %s -o %t %}
// RUN: %run %t
// RUN: %indirect-clangxx %indirect-plugin -Wno-openmp-mapping -O2 %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, indirect-plugin

#include "indirect_check.h"

struct Shape {
  int width;
  int area(int height) const { return width * height + side(); }
  int outside(int x);
};
int Shape::outside(int x) { return width - x + side(); }
OMPTARGET_INDIRECT_MEMBER(shape_area, &Shape::area)
OMPTARGET_INDIRECT_MEMBER(shape_outside, &Shape::outside)

// A callable with its state inside and a pointer to the code that knows its type.
template <typename Result, typename Argument> class Callable {
public:
  template <typename Function> explicit Callable(Function function) {
    static_assert(sizeof(Function) <= sizeof state_, "state fits");
    __builtin_memcpy(state_, &function, sizeof function);
    invoke_ = &invoke<Function>;
  }
  Result operator()(Argument argument) { return invoke_(state_, argument); }
  template <typename Function> static Result invoke(void *state, Argument argument) {
    return (*static_cast<Function *>(state))(argument);
  }

private:
  alignas(8) char state_[16];
  Result (*invoke_)(void *, Argument);
};
struct Add {
  int amount;
  int operator()(int x) const { return x + amount + side(); }
};
struct Scale {
  int factor;
  int operator()(int x) const { return x * factor + side(); }
};
using Operation = Callable<int, int>;
OMPTARGET_INDIRECT_AS(invoke_add, &Operation::invoke<Add>)
OMPTARGET_INDIRECT_AS(invoke_scale, &Operation::invoke<Scale>)

static void member_functions() {
  Shape shape{4};
  int (Shape::*area)(int) const = &Shape::area;
  int (Shape::*outside)(int) = &Shape::outside;
  int results[2] = {};
#pragma omp target map(from : results) map(to : shape, area, outside)
  {
    HERE();
    results[0] = (shape.*area)(5);
    results[1] = (shape.*outside)(5);
  }
  CHECK_EQ(results[0], 20 + ON_DEVICE);
  CHECK_EQ(results[1], -1 + ON_DEVICE);
}

static void callables() {
  Operation operations[2] = {Operation(Add{3}), Operation(Scale{4})};
  int results[2] = {};
#pragma omp target map(from : results) map(to : operations)
  {
    HERE();
    for (int i = 0; i < 2; i++)
      results[i] = operations[i](10);
  }
  CHECK_EQ(results[0], 13 + ON_DEVICE);
  CHECK_EQ(results[1], 40 + ON_DEVICE);
  CHECK_EQ(operations[1](10), 40 + ON_HOST);
}

int main() {
  member_functions();
  callables();
  return finish();
}
