// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `present` asks what is there on entry to the construct: an item before it that maps the same data does not help.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %expect-abort %t region 2>&1 | %check
// RUN: %expect-abort %t data 2>&1 | %check
// RUN: %expect-abort %t member 2>&1 | %check
// RUN: %expect-abort %t region-nowait 2>&1 | %check
// RUN: %expect-abort %t data-nowait 2>&1 | %check
// RUN: %run %t there
// REQUIRES: runtime-omptarget

#include "check.h"

#include <string.h>

int main(int argc, char **argv) {
  const char *const kind = argc > 1 ? argv[1] : "there";
  int x[4] = {1, 2, 3, 4};
  if (!strcmp(kind, "there")) {
#pragma omp target enter data map(to : x)
#pragma omp target map(alloc : x) map(present, alloc : x) map(tofrom : x)
    {
      HERE();
      x[1] = 20;
    }
#pragma omp target exit data map(from : x)
    CHECK_EQ(x[1], 20);
    return finish();
  }
  // CHECK: {{^}}omptarget message: device mapping required by 'present' map type modifier does not exist for host address 0x{{[0-9a-f]+}} ({{4|16}} bytes)
  // CHECK-NEXT: {{^}}omptarget error: Call to getTargetPointer returned null pointer ('present' map type modifier).
  // CHECK: {{^}}omptarget fatal error 1: failure of target construct while offloading is mandatory
  // CHECK-NOT: after
  if (!strcmp(kind, "region")) {
#pragma omp target map(alloc : x) map(present, alloc : x) map(tofrom : x)
    x[0] = 2;
  } else if (!strcmp(kind, "data")) {
#pragma omp target enter data map(to : x) map(present, alloc : x)
  } else if (!strcmp(kind, "region-nowait")) {
#pragma omp target map(alloc : x) map(present, alloc : x) map(tofrom : x) nowait
    x[0] = 2;
#pragma omp taskwait
  } else if (!strcmp(kind, "data-nowait")) {
#pragma omp target enter data map(to : x) map(present, alloc : x) nowait
#pragma omp taskwait
  } else {
#pragma omp target data map(to : x) map(present, alloc : x[1 : 1])
    x[0] = 3;
  }
  puts("after");
  return 0;
}
