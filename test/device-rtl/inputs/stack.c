// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels without regions in regions and without recursion of their own: their stack has a size that the linker can
// know.

enum { kSize = 1000 };
static int values[kSize];

#pragma omp begin declare target
__attribute__((noinline)) static void add(int *value, int n) {
#pragma omp task firstprivate(value, n)
  *value += n;
}
#pragma omp end declare target

int main(void) {
  double sum = 0;
  int task = 0;
#pragma omp target teams distribute parallel for map(tofrom : values)
  for (int i = 0; i < kSize; i++)
    values[i] += i;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < kSize; i++)
    sum += i;
#pragma omp target teams distribute map(tofrom : values)
  for (int i = 0; i < 4; i++) {
    const int first = i;
    values[0] = 3;
#pragma omp parallel for
    for (int j = 1; j < kSize; j++)
      values[j] += first;
  }
#pragma omp target map(tofrom : task)
#pragma omp task shared(task)
  task = 4;
#pragma omp target parallel for map(tofrom : values)
  for (int i = 0; i < kSize; i++)
    add(&values[i], i);
  return sum == 0 || task == 0;
}
