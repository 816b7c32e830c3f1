// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled by each clang and run on the probe. check_layout.py knows what it must print.

#pragma omp declare target
int to_global[3] = {1, 2, 3};
#pragma omp end declare target
double linked;
#pragma omp declare target link(linked)

int main(void) {
  int array[5] = {0}, value = 2;
#pragma omp target teams distribute parallel for device(1) map(tofrom : array) num_teams(6) thread_limit(3)
  for (int i = 0; i < 5; i++)
    array[i] = value + to_global[0];
  return array[0] == 3 ? 0 : 1;
}
