// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unified shared memory: the device works on host memory in place. Needs a GPU that reaches pageable memory.

#include "check.h"

#pragma omp requires unified_shared_memory

static int global[1000];

int main(void) {
  int *heap = malloc(1000 * sizeof(int));
  for (int i = 0; i < 1000; i++)
    heap[i] = i;
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 1000; i++)
    heap[i] += 1;
  for (int i = 0; i < 1000; i++)
    CHECK_EQ(heap[i], i + 1);
#pragma omp target map(tofrom : global)
  {
    HERE();
    global[7] = 9;
  }
  CHECK_EQ(global[7], 9);
  free(heap);
  return finish();
}
