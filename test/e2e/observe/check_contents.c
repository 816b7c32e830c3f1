// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_CHECK=mapping notes results that are dropped, and regions that use an older copy than the host's data.
// It notes nothing in programs that copy them, nor attached pointers, nor data that are allocated only.

// RUN: %clang -g %s -o %t
// RUN: rm -f %t.json
// RUN: %run LIBOMPTARGET_CHECK=mapping LIBOMPTARGET_CHECK_FILE=%t.json %t faulty 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: %run LIBOMPTARGET_CHECK=mapping LIBOMPTARGET_CHECK_FILE=%t.json/no %t faulty 2>&1 | %FileCheck %s --check-prefix=FILE
// RUN: %run LIBOMPTARGET_CHECK=mapping %t 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %run %t faulty 2>&1 | %FileCheck %s --check-prefix=NONE
// UNSUPPORTED: runtime-llvm
// NONE-NOT: note:
// NONE: done
// NONE-NOT: note:
// FILE: LIBOMPTARGET_CHECK_FILE: '{{.*}}.json/no' cannot be written: Not a directory
// CHECK-NOT: note:
// CHECK: note: the target region at {{.*}}check_contents.c:[[#FIRST:]]:{{[0-9]+}} drops what device 0 wrote to bytes 8 to 11 of dropped{{.*}} (80 bytes){{.*}}: nothing has copied that back. 'map(tofrom: dropped
// CHECK-NEXT: note: the target region at {{.*}}check_contents.c:[[#FIRST+5]]:{{[0-9]+}} uses an older copy of bytes 4 to 7 of changed{{.*}} (80 bytes){{.*}} on device 0: the host has changed that since. 'target update to(changed
// CHECK-NEXT: note: target exit data (or the end of target data) at {{.*}}check_contents.c:[[#FIRST+7]]:{{[0-9]+}} drops what device 0 wrote to bytes 12 to 15 of changed
// CHECK-NEXT: note: the target region at {{.*}}check_contents.c:[[#FIRST+10]]:{{[0-9]+}} uses an older copy of bytes 0 to 3 of
// CHECK-NOT: note:
// JSON: {"level":"note","rule":"mapping-dropped","message":"the target region at {{[^"]*}}","device":0,"file":"{{.*}}check_contents.c","line":[[#FIRST:]],"column":{{[0-9]+}}}
// JSON-NEXT: "rule":"mapping-older"{{.*}}"line":[[#FIRST+5]],

#include <stdio.h>
#include <stdlib.h>

struct node {
  int *values;
  int count;
};
static int dropped[20], changed[20], scratch[20];

static void faulty(int *pointed) {
#pragma omp target map(to : dropped)
  dropped[2] = 0x01020304;
#pragma omp target enter data map(to : changed)
  changed[1] = 0x05060708;
  // The device's copy does not have it.
#pragma omp target map(tofrom : changed)
  changed[3] = 0x01010101 + changed[1] * 0;
#pragma omp target exit data map(release : changed)
#pragma omp target enter data map(to : pointed[0 : 20])
  pointed[0] = 0x01020304;
#pragma omp target
  pointed[1] = 0;
#pragma omp target exit data map(delete : pointed[0 : 20])
}

static void correct(int *pointed) {
  struct node node = {pointed, 20};
#pragma omp target enter data map(to : node) map(to : node.values[0 : 20])
  pointed[0] = 1;
#pragma omp target update to(node.values[0 : 20])
#pragma omp target
  node.values[1] = node.values[0] + node.count;
#pragma omp target update from(node.values[0 : 20])
  // The pointer keeps its value, on both sides.
#pragma omp target update from(node)
#pragma omp target map(tofrom : node)
  node.values[1] += node.count - 20;
#pragma omp target update from(node.values[0 : 20])
#pragma omp target exit data map(release : node.values[0 : 20]) map(release : node)
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : pointed[0 : 20]) map(alloc : scratch)
  for (int i = 0; i < 20; ++i) {
    scratch[i] = pointed[i];
    sum += scratch[i];
  }
  // The host frees the data before they are released.
  int *const freed = calloc(1 << 20, 1);
#pragma omp target enter data map(to : freed[0 : 1000])
#pragma omp target
  freed[0] = 1;
  free(freed);
#pragma omp target exit data map(delete : freed[0 : 1000])
  if (pointed[1] != 21 || sum != 22)
    puts("wrong");
}

int main(int argc, char **argv) {
  (void)argv;
  int *const pointed = calloc(20, sizeof *pointed);
  if (argc > 1)
    faulty(pointed);
  pointed[1] = 0;
  correct(pointed);
  free(pointed);
  puts("done");
}
