// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs of every kind, for tests of what the runtime tells about them.

#include <omp.h>
#include <stdlib.h>

int global_value = 5;
#pragma omp declare target(global_value)

struct Pair {
  int number;
  int *values;
} pair;

int main(void) {
  int a[10] = {0}, x = 3, y = 4, *heap = malloc(40), *nothing = 0;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(to : x)
    a[0] += x + y + global_value;
#pragma omp target update from(a)
#pragma omp target update to(a[2 : 3])
#pragma omp target map(always, tofrom : a[1 : 4])
    a[1]++;
#pragma omp target exit data map(delete : a)
  }
  pair.number = 4;
  pair.values = heap;
#pragma omp target map(tofrom : pair, pair.values[0 : 4])
  {
    pair.number++;
    pair.values[1] = 2;
  }
#pragma omp target enter data map(to : heap[0 : 10])
#pragma omp target
  heap[1] = 2;
#pragma omp target data use_device_ptr(heap)
  x = heap != 0;
#pragma omp target exit data map(from : heap[0 : 10])
#pragma omp target teams num_teams(1) firstprivate(a)
  a[1]++;
#pragma omp target map(tofrom : nothing[0 : 0])
  if (nothing)
    *nothing = 1;
#pragma omp target map(from : x) device(1)
  x = 2;
#pragma omp target data use_device_ptr(heap) // not present any more
  x *= 1;
  int host = omp_get_initial_device();
  int *device = omp_target_alloc(40, 0);
  omp_target_memcpy(device, a, 40, 0, 0, 0, host);
  omp_target_memcpy(a, device, 40, 0, 0, host, 0);
  omp_target_free(device, 0);
  free(heap);
  return x != 2;
}
