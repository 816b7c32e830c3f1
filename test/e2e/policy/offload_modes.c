// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_TARGET_OFFLOAD: regions run where it says, and nothing is printed.

// RUN: %clang %s -o %t
// RUN: %run OMP_TARGET_OFFLOAD=MANDATORY %t device 2>&1 | %check
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t device 2>&1 | %check
// RUN: %run env -u OMP_TARGET_OFFLOAD %t device 2>&1 | %check
// RUN: %run OMP_TARGET_OFFLOAD=disabled %t host 2>&1 | %check
// RUN: %run OMP_TARGET_OFFLOAD=nonsense %t device 2>&1 | %check --check-prefix=WARNED
// With DISABLED, LLVM 19's runtime still counts devices.
// XFAIL: runtime-llvm-19

// CHECK-NOT: {{.}}
// CHECK: ok
// CHECK-NOT: {{.}}
// WARNED: OMP_TARGET_OFFLOAD
// WARNED: ok

#include "check.h"

#include <string.h>

#pragma omp declare target
int global = 1;
#pragma omp end declare target

int main(int argc, char **argv) {
  int on_device = strcmp(argv[1], "device") == 0, a[10] = {0};
  CHECK_EQ(omp_get_num_devices(), on_device ? 4 : 0);
  CHECK_EQ(omp_get_initial_device(), on_device ? 4 : 0);
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    {
      HERE();
      a[3] = 4;
      global = 2;
    }
    CHECK_EQ(a[3], on_device ? 0 : 4);
#pragma omp target update from(a)
    CHECK_EQ(a[3], 4);
  }
  CHECK_EQ(global, on_device ? 1 : 2);
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
  CHECK_EQ(sum, 4950);
#pragma omp target map(tofrom : sum) nowait
  {
    HERE();
    sum++;
  }
#pragma omp taskwait
  CHECK_EQ(sum, 4951);
  if (!on_device) {
#pragma omp target device(99) map(tofrom : sum)
    {
      HERE();
      sum++;
    }
    CHECK_EQ(sum, 4952);
    return finish_on_host(3);
  }
  return finish();
}
