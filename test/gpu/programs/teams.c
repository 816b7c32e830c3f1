// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main thread of a generic region, parallel regions inside of it, teams of many sizes, dynamic shared memory.

#include "check.h"

int main(void) {
  int total = 0, main_threads = 0;
#pragma omp target teams num_teams(13) thread_limit(96) map(tofrom : total, main_threads)
  {
    HERE();
    int mine = 0;
#pragma omp parallel reduction(+ : mine)
    mine += 1;
#pragma omp atomic
    total += mine;
#pragma omp atomic
    main_threads += 1;
  }
  CHECK_EQ(main_threads, 13);
  CHECK(total >= 13 && total <= 13 * 96);
  for (int size = 1; size <= 1024; size = size * 3 + 1) {
    int count = 0;
#pragma omp target teams distribute parallel for thread_limit(size) reduction(+ : count)
    for (int i = 0; i < 12345; i++)
      count++;
    CHECK_EQ(count, 12345);
  }
  return finish();
}
