// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_CHECK=mapping notes updates and exits of data that are not mapped, or only in part, and what is still
// mapped at the end. A program that does none of it gets no note, and without the setting nobody does.

// RUN: %clang -g %s -o %t
// RUN: %run LIBOMPTARGET_CHECK=mapping %t faulty 2>&1 | %FileCheck %s
// RUN: %run LIBOMPTARGET_CHECK=mapping %t 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %run %t faulty 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %run LIBOMPTARGET_CHECK=everything %t 2>&1 | %FileCheck %s --check-prefix=WORD
// UNSUPPORTED: runtime-llvm
// NONE-NOT: note:
// NONE: done
// NONE-NOT: note:
// WORD: LIBOMPTARGET_CHECK: 'everything' is no check; there is 'mapping'
// CHECK: note: target update at {{.*}}check_mapping.c:[[#FIRST:]]:{{[0-9]+}} copies and releases nothing of absent{{.*}} (80 bytes), declared at {{.*}}check_mapping.c:{{[0-9]+}}:{{[0-9]+}} on device 0: it is not mapped
// CHECK-NEXT: note: target update at {{.*}}check_mapping.c:[[#FIRST+1]]:{{[0-9]+}} copies and releases nothing of partly{{.*}} (80 bytes){{.*}} on device 0: only a part of it is mapped
// CHECK-NEXT: note: target exit data (or the end of target data) at {{.*}}check_mapping.c:[[#FIRST+2]]:{{[0-9]+}} copies and releases nothing of absent{{.*}} (80 bytes){{.*}} on device 0: it is not mapped
// CHECK: note: lost{{.*}} (80 bytes), declared at {{.*}}check_mapping.c:{{[0-9]+}}:{{[0-9]+}} is still mapped when device 0 ends: it was entered 2 times more often than left
// CHECK-NOT: note:

#include <stdio.h>

static int lost[20], partly[20], absent[20], there[20];
#pragma omp declare target
int global;
#pragma omp end declare target

int main(int argc, char **argv) {
  (void)argv;
#pragma omp target enter data map(to : there)
#pragma omp target map(tofrom : there)
  there[0] = ++global;
#pragma omp target update from(there)
#pragma omp target exit data map(release : there)
  if (argc > 1) {
#pragma omp target enter data map(to : partly[0 : 10])
#pragma omp target update to(absent)
#pragma omp target update from(partly)
#pragma omp target exit data map(from : absent)
#pragma omp target exit data map(delete : partly[0 : 10])
#pragma omp target enter data map(to : lost)
#pragma omp target enter data map(to : lost)
  }
  puts("done");
  return there[0] != 1;
}
