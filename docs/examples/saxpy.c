// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = a * x + y on the device: the smallest useful program.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void saxpy(float a, const float *x, float *y, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

int main(void) {
  const int n = 1000000;
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int i = 0; i < n; i++) {
    x[i] = (float)(i % 1000);
    y[i] = 1;
  }
  saxpy(2, x, y, n);
  int wrong = 0, on_host = 1;
  for (int i = 0; i < n; i++)
    wrong += y[i] != 2 * (float)(i % 1000) + 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  printf("%d devices; ran on the %s; %d of %d results are wrong\n", omp_get_num_devices(), on_host ? "host" : "device",
         wrong, n);
  free(x);
  free(y);
  return wrong != 0 || on_host;
}
