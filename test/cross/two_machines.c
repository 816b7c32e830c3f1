// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with images for CPUs of several machines: the one for this machine runs. Without headers, as those of one
// machine are no good for the other. Ends with status 0 if the region ran on the device.

extern int omp_is_initial_device(void);

int main(void) {
  int on_host = -1, sum = 0, values[100];
  for (int i = 0; i < 100; i++)
    values[i] = i;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values)
  for (int i = 0; i < 100; i++)
    sum += values[i];
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  return sum != 4950 || on_host != 0;
}
