// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of clang and GCC in one process have one table of present data and one numbering.
// REQUIRES: clang
// RUN: %gcc -shared -fPIC %inputs/library.c -o %t.gcc.so
// RUN: %clang -shared -fPIC %inputs/library.c -o %t.clang.so
// RUN: %gcc %s %t.clang.so -Wl,--allow-shlib-undefined -o %t.1
// RUN: %run %t.1
// RUN: %clang %s %t.gcc.so -Wl,--allow-shlib-undefined -o %t.2
// RUN: %run LD_PRELOAD=%library %t.2
// RUN: %run %t.2 2> %t.order || true
// RUN: %check --check-prefix=ORDER --input-file=%t.order
// ORDER: libomp.so.5 comes before omptarget's libgomp.so.1 in this process
#include "check.h"

int library_add(int *data, int value);

int main(void) {
  int data[4] = {1, 2, 3, 4};
#pragma omp target enter data map(to : data)
#pragma omp target
  {
    HERE();
    data[0] += 10;
  }
  CHECK_EQ(library_add(data, 1), 0);
  CHECK_EQ(data[0], 1);
#pragma omp target exit data map(from : data)
  CHECK_EQ(data[0], 12);
  CHECK_EQ(data[3], 5);
  CHECK_EQ(omp_get_num_devices(), 4);
  omp_set_default_device(2);
  data[0] = 0;
  CHECK_EQ(library_add(data, 5), 0);
  CHECK_EQ(data[0], 5);
  CHECK_EQ(omp_get_default_device(), 2);
#pragma omp target enter data map(to : data) device(2)
  library_add(data, 5);
  CHECK_EQ(data[0], 5); // it was there
#pragma omp target exit data map(from : data) device(2)
  CHECK_EQ(data[0], 10);
  return finish();
}
