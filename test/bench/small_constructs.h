// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs that do next to nothing, each carried out as often as told: test/bench times them and test/counts counts
// their instructions.
#pragma once

#include <omp.h>
#include <stdlib.h>

// 0: the program is for a driver that does nothing.
#ifndef KERNELS_RUN
#define KERNELS_RUN 1
#endif

enum { kElements = 64 };

static double a[kElements], b[kElements], c[kElements], d[kElements];
static char block[64];

/// One of many ints that are mapped, in a scattered order. The including file has it.
static int *one_of_many(void);

static void empty_region(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target
    {
    }
  }
}

static void four_arrays(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : a, b, c, d)
    a[0] += b[0] + c[0] + d[0];
  }
}

static void mapped_int(int times) {
  int counter = 0;
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : counter)
    counter++;
  }
  if (KERNELS_RUN && counter != times)
    abort();
}

/// A target task and its end. libomp gives it to a helper thread unless LIBOMP_USE_HIDDEN_HELPER_TASK is 0.
static void nowait(int times) {
  int counter = 0;
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : counter) nowait
    counter++;
#pragma omp taskwait
  }
  if (KERNELS_RUN && counter != times)
    abort();
}

/// The block is present.
static void update(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target update to(block)
  }
}

static void enter_exit(int times) {
  static int small[2];
  for (int i = 0; i < times; i++) {
#pragma omp target enter data map(to : small)
#pragma omp target exit data map(release : small)
  }
}

static void hit(int times) {
  for (int i = 0; i < times; i++) {
    int *one = one_of_many();
#pragma omp target enter data map(alloc : one[0 : 1])
#pragma omp target exit data map(release : one[0 : 1])
  }
}

static void present(int times) {
  for (int i = 0; i < times; i++)
    if (!omp_target_is_present(one_of_many(), 0))
      abort();
}
