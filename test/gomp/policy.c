// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMP_TARGET_OFFLOAD. The host does what no device does.
// RUN: %gcc %s -o %t
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t 0
// RUN: %run OMP_TARGET_OFFLOAD=disabled %t 0
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t 4
// RUN: %run OMP_TARGET_OFFLOAD=MANDATORY %t 4
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_PLUGINS=none %t 0
// RUN: %expect-abort OMP_TARGET_OFFLOAD=MANDATORY LIBOMPTARGET_PLUGINS=none %t 0 2>&1 | %check
// RUN: %expect-abort OMP_TARGET_OFFLOAD=MANDATORY OMP_DEFAULT_DEVICE=7 %t 4 2>&1 | %check --check-prefix=RANGE
// RANGE: 7
// CHECK: omptarget error: No device is available for offloading
// CHECK: policy.c:[[# @LINE + 10]]:{{.*}}fatal error
#include "check.h"

int main(int argc, char **argv) {
  const int wanted = atoi(argv[1]);
  int x = 0, a[4] = {0};
  if (argc > 2)
    return 1;
  CHECK_EQ(omp_get_num_devices(), wanted);
  CHECK_EQ(omp_get_initial_device(), wanted);
#pragma omp target data map(tofrom : a)
  {
    a[0] = 1;
#pragma omp target map(from : x)
    {
      x = omp_is_initial_device();
      a[1] = a[0];
    }
  }
  CHECK_EQ(x, wanted == 0);
  CHECK_EQ(a[1], wanted == 0);
#pragma omp target nowait map(from : x)
  x = 5;
#pragma omp taskwait
  CHECK_EQ(x, 5);
  return failed_checks != 0;
}
