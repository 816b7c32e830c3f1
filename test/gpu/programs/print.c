// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf on the device: the lines come out, whole.

#include "check.h"

int main(void) {
#pragma omp target
  {
    HERE();
    for (int i = 0; i < 4; i++)
      printf("from the device: %d %s %.2f\n", i, "text", i * 0.25);
  }
  return finish();
}
