// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight host threads with launches, reductions and mappings of their own at the same time.

#include "check.h"

int main(void) {
  int errors = 0;
#pragma omp parallel num_threads(8) reduction(+ : errors)
  {
    enum { kSize = 10000 };
    int *data = malloc(kSize * sizeof(int));
    for (int round = 0; round < 100; round++) {
      long long sum = 0;
      for (int i = 0; i < kSize; i++)
        data[i] = i + round;
#pragma omp target teams distribute parallel for map(tofrom : data[0 : kSize]) reduction(+ : sum)
      for (int i = 0; i < kSize; i++) {
        sum += data[i];
        data[i] *= 2;
      }
      errors += sum != (long long)kSize * (kSize - 1) / 2 + (long long)round * kSize;
      for (int i = 0; i < kSize; i++)
        errors += data[i] != 2 * (i + round);
    }
    free(data);
  }
  CHECK_EQ(errors, 0);
  return finish();
}
