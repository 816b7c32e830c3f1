// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Today's plugin under a host library of the days when the plugin ABI was first written down, compiled with the headers
// of that day (test/loader/first_abi). The other way round, a plugin of those days under today's library, is
// plugin.first_abi_*.

// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: %plainclang -shared -fPIC -Wl,--version-script=%first-abi/first_library.map -I%first-abi/include %first-abi/first_library.c \
// RUN:   -o %t.lib/libomptarget.so
// RUN: ln -s libomptarget.so %t.lib/libomptarget.so.15 && ln -s libomptarget.so %t.lib/libomptarget.so.16
// RUN: ln -s libomptarget.so %t.lib/libomptarget.so.17 && ln -s libomptarget.so %t.lib/libomptarget.so.18.1
// RUN: ln -s libomptarget.so %t.lib/libomptarget.so.19.1
// RUN: %clang %s -o %t
// RUN: %run LD_LIBRARY_PATH=%t.lib:%ompfolder FIRST_PLUGIN=%prefix/lib/libomptarget.rtl.%plugin-name.so %t | %check
// The library knows the entry points of these, and not that kernels of clang 18 have one more parameter.
// REQUIRES: clang-15 || clang-16 || clang-17 || clang-19
// UNSUPPORTED: runtime-llvm, sanitizer, emulated

#include "check.h"

#define N 1000

static int table[4] = {1, 2, 3, 4};
#pragma omp declare target to(table)

static void on_device(int device) {
  double a[N], b[N];
  int bonus = 5, steps[3] = {1, 10, 100};
  long sum = 0;
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = -1;
  }
#pragma omp target data map(to : a) map(from : b) device(device)
  {
#pragma omp target teams distribute parallel for firstprivate(bonus, steps) device(device)
    for (int i = 0; i < N; i++) {
      HERE();
      b[i] = 2 * a[i] + bonus + steps[i % 3] + table[i % 4];
    }
    a[7] = 1000;
#pragma omp target update to(a[7 : 1]) device(device)
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) device(device)
    for (int i = 0; i < N; i++)
      sum += (long)a[i];
    CHECK_EQ(b[3], -1);
#pragma omp target update from(b[3 : 2]) device(device)
    CHECK_EQ(b[3], 2 * 3 + 5 + 1 + 4);
    CHECK_EQ(b[5], -1);
  }
  for (int i = 0; i < N; i++)
    CHECK_EQ(b[i], 2 * i + 5 + steps[i % 3] + table[i % 4]);
  CHECK_EQ(sum, (long)N * (N - 1) / 2 - 7 + 1000);
#pragma omp target device(device)
  table[1] = 2;
}

int main(void) {
  for (int device = 0; device < 4; device++)
    on_device(device);
  // CHECK: ok
  // CHECK: first library: 12 launches
  return finish();
}
