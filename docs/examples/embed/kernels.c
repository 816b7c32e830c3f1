// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device image for the CPU, which program.c launches. A kernel takes its arguments as values of 8 bytes.

#include <stdint.h>

void scale(double *values, uint64_t count, uint64_t factor) {
  for (uint64_t i = 0; i < count; i++)
    values[i] *= (double)factor;
}
