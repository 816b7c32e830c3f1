// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An offloading shared library for tests: a global, functions with regions, data that others have mapped. The option
// -DNAME=x gives every function the prefix x_, and -DSTART=n sets the global's first value.

#include <omp.h>

#ifndef NAME
#define NAME lib
#define START 100
#endif
#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define FUNCTION(name) PASTE(NAME, name)

#pragma omp declare target
int FUNCTION(global) = START;
static int twice(int x) { return 2 * x; }
int FUNCTION(device_function)(int x) { return FUNCTION(global) + twice(x); }
#pragma omp end declare target

// Returns whether regions of this library run on a device.
int FUNCTION(on_device)(void) {
  int host = 1;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  return !host;
}

// The device's global after adding n to it.
int FUNCTION(count)(int device, int n) {
  int result = -1;
#pragma omp target device(device) map(from : result)
  {
    FUNCTION(global) += n;
    result = FUNCTION(global);
  }
  return result;
}

int FUNCTION(compute)(int x) {
  int result = -1;
#pragma omp target map(from : result)
  result = FUNCTION(device_function)(x);
  return result;
}

// Works on a, which the caller may have mapped already.
void FUNCTION(add)(int *a, int n, int value) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++)
    a[i] += value;
}

void FUNCTION(enter)(int *a, int n) {
#pragma omp target enter data map(to : a[0 : n])
}

void FUNCTION(leave)(int *a, int n) {
#pragma omp target exit data map(from : a[0 : n])
}
