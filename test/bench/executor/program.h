// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the programs of this folder. Each runs its kernel once. It prints the seconds that the kernel took, by the
// clock CLOCK, and a result that all compilations must agree on. Without OpenMP it is the same work on one core.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef CLOCK
#define CLOCK CLOCK_PROCESS_CPUTIME_ID
#endif

static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static inline long size_of_work(int argc, char **argv, long otherwise) {
  return argc > 1 ? strtol(argv[1], NULL, 10) : otherwise;
}
static inline void tell(double seconds, double result) { printf("%.6f %.9g\n", seconds, result); }
