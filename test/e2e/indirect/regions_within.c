// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parallel region in a function that device code calls through a pointer, from within a region and from outside of
// one. No compiler sees there that regions nest. With CLAUSE the pointer comes from the host.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %if clang-19-or-later && runtime-omptarget %{ %indirect-clang -DCLAUSE %s -o %t.clause %}
// For AMD's GPUs the workers of the second kernel run another region's body there (docs/use/indirect.md).
// RUN: %if clang-19-or-later && runtime-omptarget && !executor %{ %run %t.clause %}
// RUN: %if clang-19-or-later && executor && emulator-cuda %{ %run %t.clause %}
// LLVM's device RTL gives threads of their own to such regions, and waits for lanes that do not come.
// UNSUPPORTED: rtl-llvm

#include "check.h"

#include <omp.h>
#ifdef CLAUSE
#include "omptarget/indirect.h"
#endif

typedef int (*Function)(int);

#ifdef CLAUSE
#pragma omp begin declare target indirect
#else
#pragma omp begin declare target
#endif
// 100 for each thread of the region, 10 for its level, and the sum of the threads' numbers.
int within(int x) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += 100 + 10 * omp_get_level() + omp_get_thread_num() + x;
  return sum;
}
int without(int x) { return 10 * omp_get_level() + omp_get_thread_num() + x; }
#pragma omp end declare target

#pragma omp begin declare target
#ifdef CLAUSE
Function choose(int which, Function first, Function second) { return OMPTARGET_TRANSLATE(which ? first : second); }
#else
Function choose(int which, Function first, Function second) { return which ? within : without; }
#endif
#pragma omp end declare target

enum { N = 64 };

int main(void) {
  int results[N] = {0}, outside = 0, yes = 1;
  Function first = within, second = without;
#pragma omp target teams distribute parallel for map(tofrom : results) firstprivate(first, second)
  for (int i = 0; i < N; i++)
    results[i] = choose(i % 2 == 0, first, second)(1000 * i) - (i % 2 == 0 ? 0 : omp_get_thread_num());
  for (int i = 0; i < N; i++)
    CHECK_EQ(results[i], i % 2 == 0 ? 1000 * i + 120 : 1000 * i + 10);

#pragma omp target map(from : outside) map(tofrom : results) firstprivate(first, second, yes)
  {
    outside = choose(yes, first, second)(0);
#pragma omp parallel num_threads(4)
    results[omp_get_thread_num()] = choose(yes, first, second)(7);
  }
  const int threads = outside / 110;
  CHECK_EQ(threads >= 1 && threads <= 4, 1);
  CHECK_EQ(outside, 110 * threads + threads * (threads - 1) / 2);
  CHECK_EQ(results[0], 127);
  return finish();
}
