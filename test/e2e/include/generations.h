// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program linked with inputs/library.c by several clangs, each of which has the prefix by<N>_. All work on the same
// mapped data, and each has its own globals. EACH(f) is f(N) for each of them.

#define DECLARE(n)                                                                                                    \
  int by##n##_on_device(void), by##n##_count(int, int), by##n##_compute(int);                                         \
  void by##n##_add(int *, int, int);                                                                                  \
  extern int by##n##_global;
EACH(DECLARE)

#define RUNS(n) CHECK(by##n##_on_device());
#define COUNTS(n)                                                                                                     \
  CHECK_EQ(by##n##_count(0, 1), n + 1);                                                                               \
  CHECK_EQ(by##n##_count(3, 5), n + 5);                                                                               \
  CHECK_EQ(by##n##_compute(10), n + 1 + 20);                                                                          \
  CHECK_EQ(by##n##_global, n);
#define ADDS(n) by##n##_add(a, 100, n);
#define PLUS(n) +n

int main(void) {
  int a[100] = {0};
  EACH(RUNS)
#pragma omp target data map(tofrom : a)
  {
    EACH(ADDS)
    CHECK_EQ(a[50], 0);
#pragma omp target map(tofrom : a)
    {
      HERE();
      a[50]++;
    }
  }
  CHECK_EQ(a[0], 0 EACH(PLUS));
  CHECK_EQ(a[50], 1 EACH(PLUS));
  EACH(COUNTS)
  CHECK_EQ(omp_get_num_devices(), 4);
  return finish();
}
