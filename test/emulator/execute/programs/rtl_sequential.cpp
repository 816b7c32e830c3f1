// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap, locks and printf in the sequential part of a region, which one thread runs, before parallel regions. The kernel
// must stay generic. LLVM's OpenMPOpt sees what the device RTL does for these calls and could have all threads of the
// block do it. Each kernel is in an image of its own, as OpenMPOpt leaves alone functions that several kernels share.
// The option -DKIND is the call, -DSHAPE the construct. The level %low is the lowest level that the compiler can do.
// REQUIRES: rtl-ours
// RUN: %clangxx %low -DKIND=0 -DSHAPE=0 %s -o %t.0
// RUN: %run LIBOMPTARGET_INFO=16 %t.0 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -DKIND=1 -DSHAPE=1 %s -o %t.1
// RUN: %run LIBOMPTARGET_INFO=16 %t.1 2>&1 | %FileCheck %s
// RUN: %clangxx -O3 -DKIND=2 -DSHAPE=2 %s -o %t.2
// RUN: %run LIBOMPTARGET_INFO=16 %t.2 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -DKIND=3 -DSHAPE=2 %s -o %t.3
// RUN: %run LIBOMPTARGET_INFO=16 %t.3 2>&1 | %FileCheck %s
// RUN: %clangxx -O3 -DKIND=4 -DSHAPE=0 %s -o %t.4
// RUN: %run LIBOMPTARGET_INFO=16 %t.4 2>&1 | %FileCheck %s
// RUN: %clangxx %low -DKIND=5 -DSHAPE=1 %s -o %t.5
// RUN: %run LIBOMPTARGET_INFO=16 %t.5 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -DKIND=6 -DSHAPE=0 %s -o %t.6
// RUN: %run LIBOMPTARGET_INFO=16 %t.6 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -DKIND=7 -DSHAPE=1 %s -o %t.7
// RUN: %run LIBOMPTARGET_INFO=16 %t.7 2>&1 | %FileCheck %s --check-prefixes=CHECK,TEXT
// All calls in all constructs at all levels:
// RUN: %if thorough %{ bash -e -c 'for kind in 0 1 2 3 4 5 6 7; do for shape in 0 1 2; do for level in %low -O2 -O3; do \
// RUN:   %clangxx $level -DKIND=$kind -DSHAPE=$shape %s -o %t; %run LIBOMPTARGET_INFO=16 %t 2>&1 | %FileCheck %s; done; done; done' %}
// CHECK: in Generic mode
// TEXT: heard once: 0
// TEXT-NOT: heard once
// CHECK: {{^ok}}

#include "check.h"

#include <new>

enum { kCount = 200, kTeams = 3, kParts = 8 };

// BEGIN leaves zeros in base, or something else where the call did wrong.
#define CLEAR                                                                                                          \
  for (int k = 0; k < kCount; k++)                                                                                     \
    base[k] = 0;
#if KIND == 0
#define BEGIN                                                                                                          \
  int *base = (int *)malloc(kCount * sizeof(int));                                                                     \
  CLEAR
#define END free(base);
#elif KIND == 1
#define BEGIN                                                                                                          \
  int *base = new int[kCount];                                                                                         \
  CLEAR
#define END delete[] base;
#elif KIND == 2
#define BEGIN                                                                                                          \
  int *base = (int *)omp_alloc(kCount * sizeof(int), omp_default_mem_alloc);                                           \
  CLEAR
#define END omp_free(base, omp_default_mem_alloc);
#elif KIND == 3
#define BEGIN                                                                                                          \
  int base[kCount];                                                                                                    \
  omp_lock_t lock;                                                                                                     \
  omp_init_lock(&lock);                                                                                                \
  omp_set_lock(&lock);                                                                                                 \
  CLEAR                                                                                                                \
  omp_unset_lock(&lock);
#define END omp_destroy_lock(&lock);
#elif KIND == 4
#define BEGIN                                                                                                          \
  int base[kCount];                                                                                                    \
  omp_lock_t lock;                                                                                                     \
  omp_init_lock(&lock);                                                                                                \
  CLEAR                                                                                                                \
  base[0] = omp_test_lock(&lock) - 1;                                                                                  \
  base[1] = omp_test_lock(&lock);
#define END                                                                                                            \
  omp_unset_lock(&lock);                                                                                               \
  omp_destroy_lock(&lock);
#elif KIND == 5
#define BEGIN                                                                                                          \
  int base[kCount];                                                                                                    \
  omp_nest_lock_t lock;                                                                                                \
  omp_init_nest_lock(&lock);                                                                                           \
  omp_set_nest_lock(&lock);                                                                                            \
  omp_set_nest_lock(&lock);                                                                                            \
  CLEAR                                                                                                                \
  omp_unset_nest_lock(&lock);                                                                                          \
  omp_unset_nest_lock(&lock);
#define END omp_destroy_nest_lock(&lock);
#elif KIND == 6
#define BEGIN                                                                                                          \
  int base[kCount];                                                                                                    \
  omp_nest_lock_t lock;                                                                                                \
  omp_init_nest_lock(&lock);                                                                                           \
  CLEAR                                                                                                                \
  base[0] = omp_test_nest_lock(&lock) - 1;                                                                             \
  base[1] = omp_test_nest_lock(&lock) - 2;
#define END                                                                                                            \
  omp_unset_nest_lock(&lock);                                                                                          \
  omp_unset_nest_lock(&lock);                                                                                          \
  omp_destroy_nest_lock(&lock);
#else
#define BEGIN                                                                                                          \
  int base[kCount];                                                                                                    \
  CLEAR                                                                                                                \
  printf("heard once: %d\n", base[3]);
#define END
#endif

#if SHAPE == 0
static void before_one_region() {
  int out[kCount] = {0};
#pragma omp target map(tofrom : out)
  {
    BEGIN
#pragma omp parallel for
    for (int i = 0; i < kCount; i++)
      out[i] += i + base[i];
    END
  }
  for (int i = 0; i < kCount; i++)
    CHECK_EQ(out[i], i);
}
#elif SHAPE == 1
static void before_two_regions() {
  int out[kCount] = {0};
#pragma omp target map(tofrom : out)
  {
    BEGIN
#pragma omp parallel for
    for (int i = 0; i < kCount; i++)
      out[i] += i + base[i];
    base[0]++;
#pragma omp parallel for
    for (int i = 0; i < kCount; i++)
      out[i] += i + base[0];
    END
  }
  for (int i = 0; i < kCount; i++)
    CHECK_EQ(out[i], 2 * i + 1);
}
#else
static void in_distribute() {
  int out[kParts][kCount] = {{0}};
#pragma omp target teams distribute num_teams(kTeams) map(tofrom : out)
  for (int part = 0; part < kParts; part++) {
    BEGIN
#pragma omp parallel for
    for (int i = 0; i < kCount; i++)
      out[part][i] += i + part + base[i];
    END
  }
  for (int part = 0; part < kParts; part++)
    for (int i = 0; i < kCount; i++)
      CHECK_EQ(out[part][i], i + part);
}
#endif

int main() {
#if SHAPE == 0
  before_one_region();
#elif SHAPE == 1
  before_two_regions();
#else
  in_distribute();
#endif
  return finish();
}
