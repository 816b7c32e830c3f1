// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of which two of three go, one at a time, into a section that the program guards; lanes of one wave, or warp,
// too.
#ifndef ONE_AT_A_TIME_H
#define ONE_AT_A_TIME_H

#include "check.h"

#define THREADS 96

typedef struct {
  int count, sum; ///< counts the threads that were in the section
  int inside;     ///< set while a thread is in it
  int together;   ///< how often one met another
} Visits;

static inline int goes_in(int thread) { return thread % 3 != 1; }

/// The section itself. Plain sums are right if its guard works.
static inline void visit(Visits *visits, int thread) {
  volatile int *inside = &visits->inside;
  if (*inside != 0)
    visits->together++;
  *inside = 1;
  visits->count++;
  visits->sum += thread;
  *inside = 0;
}

static inline void check_visits(const Visits *visits) {
  int count = 0, sum = 0;
  for (int thread = 0; thread < THREADS; ++thread)
    if (goes_in(thread)) {
      count++;
      sum += thread;
    }
  CHECK_EQ(visits->together, 0);
  CHECK_EQ(visits->count, count);
  CHECK_EQ(visits->sum, sum);
}

#endif
