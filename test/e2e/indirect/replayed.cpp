// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The replay of a recorded launch finds the functions of the image by the host addresses of the recorded program.
// These are in mapped data, in an argument, and in vtables of objects that the host made. The vtables of clang 19 are
// in no table.

// RUN: %indirect-clangxx %indirect-plugin -Wno-openmp-mapping %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run %t > %t.d/plain
// RUN: %run LIBOMPTARGET_RECORD=%t.d/pointers LIBOMPTARGET_RECORD_KERNEL=pointers %t > %t.d/recorded
// RUN: cmp %t.d/plain %t.d/recorded
// RUN: %run %prefix/bin/omptarget-replay --verify --repetitions=2 %t.d/pointers | %FileCheck %s
// RUN: %if clang-22-or-later %{ %run LIBOMPTARGET_RECORD=%t.d/objects LIBOMPTARGET_RECORD_KERNEL=objects %t > %t.d/recorded %}
// RUN: cmp %t.d/plain %t.d/recorded
// RUN: %if clang-22-or-later %{ %run %prefix/bin/omptarget-replay --verify --repetitions=2 %t.d/objects | %FileCheck %s %}
// REQUIRES: runtime-omptarget, indirect-plugin, clang-19-or-later, libomp-loads-here
// UNSUPPORTED: sanitizer, emulated

// CHECK: kernel: __omp_offloading_
// CHECK-NOT: note:
// CHECK: verified: the memory is as recorded

#include "indirect_check.h"

#include <cstdio>

typedef int (*Function)(int);

#pragma omp begin declare target indirect
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }
struct Shape {
  int side = 2;
  virtual int area(int x) const;
};
struct Square : Shape {
  int area(int x) const override;
};
int Shape::area(int x) const { return side + x; }
int Square::area(int x) const { return side * side * x; }
#pragma omp end declare target

__attribute__((noinline)) static int pointers(Function *functions, Function argument, int *results) {
#pragma omp target map(to : functions[0 : 2]) map(tofrom : results[0 : 4]) firstprivate(argument)
  {
    HERE();
    for (int i = 0; i < 2; i++)
      results[i] += functions[i](10 + i);
    results[2] += argument(100);
  }
  return results[0] + results[1] + results[2];
}

#if __clang_major__ >= 22
template <typename T> __attribute__((noinline)) static int objects(T &object) {
  int area = 0;
#pragma omp target map(to : object) map(tofrom : area)
  {
    HERE();
    Shape &base = object;
    area += base.area(7);
  }
  return area;
}
#endif

int main(int argc, char **) {
  Function functions[2] = {twice, thrice};
  int results[4] = {1, 2, 3, 4};
  std::printf("%d\n", pointers(functions, argc > 5 ? twice : thrice, results));
  CHECK_EQ(results[2], 303);
#if __clang_major__ >= 22
  Shape shape;
  Square square;
  square.side = 5;
  const int second = objects(square), first = objects(shape);
  std::printf("%d %d\n", first, second);
  CHECK_EQ(first, 9);
  CHECK_EQ(second, 175);
#endif
  return finish();
}
