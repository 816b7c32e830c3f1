// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf in code for AMD's GPUs prints as the host's printf does, for every conversion, from many threads at once. All
// of it is there when the construct ends. Lines of one thread come in its order.
// REQUIRES: rtl-ours && emulator-amdgpu
// RUN: %clang %s -o %t
// RUN: %run %t host | sort > %t.expected
// RUN: %run %t | sort > %t.out
// RUN: diff %t.expected %t.out
// RUN: %run SIM_EXECUTOR_SEED=5 SIM_EXECUTOR_QUANTUM=3 %t | sort > %t.out
// RUN: diff %t.expected %t.out
// RUN: grep -c "last of 39" %t.out | grep -x 1

#include <stdio.h>
#include <string.h>

#define TEAMS 2
#define THREADS 20
#define LENGTH 3000

int main(int argc, char **argv) {
  const int on_device = argc < 2 || strcmp(argv[1], "host") != 0;
  static char text[LENGTH];
  memset(text, 'l', sizeof text - 1);
  char unended[4] = {'a', 'b', 'c', 'd'};
  long results = 0;
  printf("before\n");
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) if (on_device) map(to : text, unended)                 \
    map(tofrom : results) reduction(+ : results)
#pragma omp distribute parallel for reduction(+ : results) num_threads(THREADS)
  for (int i = 0; i < TEAMS * THREADS; i++) {
    const int n = i - 20;
    const double x = i * 1.25 - 3;
    results += printf("%d: %i %5d|%-5d|%05d|%+d|% d\n", i, n, n, n, n, n, n);
    results += printf("%d: %u %x %X %o %#x %#o\n", i, i, i + 0xab00, i + 0xab00, i, i, i);
    results += printf("%d: %hhd %hd %hhu %hu\n", i, (signed char)(i * 7), (short)(i * 7000), (unsigned char)(i * 7),
                      (unsigned short)(i * 7000));
    results += printf("%d: %ld %lld %lu %llx %zu %jd %td\n", i, n * 10000000000l, n * -20000000000ll, 30000000000ul,
                      0x123456789abcdefull, (size_t)i, (__INTMAX_TYPE__)n, (__PTRDIFF_TYPE__)n);
    results += printf("%d: %f %e %g %a %F %E %G %A\n", i, x, x, x, x, x, x, x, x);
    results += printf("%d: %.3f %10.2f %-10.1e| %+.0f %#g\n", i, x, x, x, x, x);
    results += printf("%d: %c%c %s %.2s %10s|%-10s|%s\n", i, 'A' + i % 26, 'z', "text", "text", "text", "text", "");
    results += printf("%d: %*d|%-*d|%.*f|%*.*s|%*d\n", i, 7, n, 7, n, 2, x, 8, 3, "text", -7, n);
    results += printf("%d: %.4s %p 100%% %d\n", i, unended, (void *)0x1234, 1);
    if (i % 20 == 0)
      results += printf("%d: %s %d %s end\n", i, text, n, text + LENGTH / 2);
    if (i == TEAMS * THREADS - 1)
      printf("last of %d\n", i);
  }
  printf("after, %ld\n", results);
  return 0;
}
