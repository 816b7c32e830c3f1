// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says whether the process is privileged, and whether a region computed on a device.

#include <omp.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void) {
  int sum = 0, on_host = 1;
#pragma omp target map(tofrom : sum) map(from : on_host)
  {
    on_host = omp_is_initial_device();
    for (int i = 0; i < 10; i++)
      sum += i;
  }
  printf("%s, %s\n", sum == 45 && !on_host ? "computed" : "did not compute",
         getauxval(AT_SECURE) ? "privileged" : "ordinary");
  return sum != 45;
}
