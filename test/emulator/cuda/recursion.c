// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose stack no compiler knows, and one whose stack it knows.

#pragma omp declare target
static volatile int table[64];
__attribute__((noinline)) int fibonacci(int n) {
  volatile int kept[50];
  kept[n] = n;
  return kept[n] < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) + kept[n] - n;
}
#pragma omp end declare target

int recursive(void) {
  int result = 0;
#pragma omp target map(from : result)
  result = fibonacci(10);
  return result;
}

int plain(void) {
  int result = 0;
#pragma omp target map(from : result)
  result = table[7];
  return result;
}

int main(void) { return recursive() != 55 || plain() != 0; }
