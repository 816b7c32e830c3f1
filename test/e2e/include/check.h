// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks for the programs of this suite. A program that tests that target regions run on a device calls HERE() in each
// of them. HERE() counts in the host version of a region only, and finish() then requires a count of zero.
#ifndef CHECK_H
#define CHECK_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int failed_checks;
static int host_regions;

#if defined(__clang__)
static inline void HERE(void) {}
#pragma omp begin declare variant match(device = {kind(host)})
static inline void HERE(void) { host_regions++; }
#pragma omp end declare variant
#else // GCC: the device runs the host's code
static inline void HERE(void) {
  if (omp_is_initial_device())
    host_regions++;
}
#endif

static inline void failed_check(const char *file, int line, const char *what, long long is, long long wanted) {
  if (failed_checks++ < 20)
    printf("%s:%d: failed: %s: is %lld, wanted %lld\n", file, line, what, is, wanted);
}

#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition))                                                                                                 \
      failed_check(__FILE__, __LINE__, #condition, 0, 1);                                                             \
  } while (0)

#define CHECK_EQ(value, wanted)                                                                                       \
  do {                                                                                                                \
    long long check_value = (long long)(value), check_wanted = (long long)(wanted);                                   \
    if (check_value != check_wanted)                                                                                  \
      failed_check(__FILE__, __LINE__, #value, check_value, check_wanted);                                            \
  } while (0)

// The exit status of a program whose regions must all have run on devices.
static inline int finish(void) {
  CHECK_EQ(host_regions, 0);
  if (failed_checks == 0)
    printf("ok\n");
  return failed_checks != 0;
}

// The exit status of a program whose regions must all have run on the host.
static inline int finish_on_host(int regions) {
  CHECK_EQ(host_regions, regions);
  host_regions = 0;
  return finish();
}

#endif
