// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library that opens_library.c opens.

#pragma omp declare target
static int calls;
#pragma omp end declare target

/// How often this was called since the library was opened, as the device counts it.
int count_calls(void) {
  int count = 0;
#pragma omp target map(from : count)
  count = ++calls;
  return count;
}

void add(int *data, int size, int what) {
#pragma omp target teams distribute parallel for map(tofrom : data[0 : size])
  for (int i = 0; i < size; i++)
    data[i] += what;
}
