// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An offloading shared library: image_main.c is linked with it, open_image.py opens it from Python.

#include <omp.h>

// How often brighten() was called; each device has a counter of its own.
#pragma omp declare target
int calls = 0;
#pragma omp end declare target

void image_brighten(unsigned char *pixels, int n, int by) {
#pragma omp target teams distribute parallel for map(tofrom : pixels[0 : n])
  for (int i = 0; i < n; i++)
    pixels[i] = pixels[i] + by > 255 ? 255 : pixels[i] + by;
#pragma omp target
  calls++;
}

int image_calls(void) {
#pragma omp target update from(calls)
  return calls;
}

int image_is_on_device(void) {
  int host = 1;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  return !host;
}
