// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_INFO names the copies that the program did not ask for by a variable of their own. The device's copy of
// a pointer is named by the pointer, which an update does not write. Addresses of indirect functions are read with
// their entries' names.

// REQUIRES: clang-19-or-later, runtime-omptarget
// RUN: %clang -g %s -o %t
// RUN: %run LIBOMPTARGET_INFO=32 %t 2>&1 | %check --implicit-check-not=unknown

#include "check.h"

#pragma omp begin declare target
int *values;
#pragma omp end declare target
#pragma omp begin declare target indirect
int twice(int x) { return 2 * x; }
#pragma omp end declare target

int main(void) {
  int two = 2;
  values = &two;
// The image is loaded.
// CHECK: omptarget device 0 info: Copying data from device to host, TgtPtr=0x{{[0-9a-f]+}}, HstPtr=0x{{[0-9a-f]+}}, Size=8, Name={{.*twice.*}}
// CHECK-NOT: Name=values
// The data, then the pointer that leads to them.
#pragma omp target enter data map(to : values[0 : 1])
// CHECK: Copying data from host to device, {{.*}}, Size=4, Name=values[0:1]
#pragma omp target map(tofrom : values[0 : 1])
  values[0]++;
// CHECK: Copying data from host to device, HstPtr={{.*}}, TgtPtr=0x{{[0-9a-f]+}}, Size=8, Name=values{{$}}
#pragma omp target update to(values)
// CHECK-NOT: Copying data from host to device
#pragma omp target exit data map(from : values[0 : 1])
// CHECK: Copying data from device to host, {{.*}}, Size=4, Name=
  CHECK_EQ(two, 3);
  return finish();
}
