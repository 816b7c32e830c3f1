// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 256 MB there and back, whole and in sections that begin and end anywhere.

#include "check.h"

#include <stdint.h>

int main(void) {
  const size_t n = (size_t)32 << 20;
  uint64_t *data = malloc(n * sizeof(*data));
  for (size_t i = 0; i < n; i++)
    data[i] = i;
#pragma omp target data map(tofrom : data[0 : n])
  {
#pragma omp target teams distribute parallel for
    for (size_t i = 0; i < n; i++) {
      HERE();
      data[i] = 3 * data[i] + 1;
    }
    const size_t first = 1234567, count = 7654321;
#pragma omp target update from(data[first : count])
    CHECK_EQ(data[first - 1], first - 1);
    CHECK_EQ(data[first], 3 * first + 1);
    CHECK_EQ(data[first + count - 1], 3 * (first + count - 1) + 1);
    CHECK_EQ(data[first + count], first + count);
    data[first] = 7;
#pragma omp target update to(data[first : 1])
  }
  size_t wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += data[i] != (i == 1234567 ? 7 : 3 * i + 1);
  CHECK_EQ(wrong, 0);
  free(data);
  return finish();
}
