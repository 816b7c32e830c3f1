/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program whose image real compilers make for AMD GPUs.
 */
#pragma omp begin declare target
int counter = 7;
#pragma omp end declare target

int scale(int *p, int n, int f) {
  int s = 0;
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n]) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    p[i] *= f + counter;
    s += p[i];
  }
  return s;
}

int increment(int *p) {
#pragma omp target map(tofrom : p[0 : 1])
  {
    p[0] += 1;
#pragma omp parallel
    p[0] += 2;
  }
  return p[0];
}
