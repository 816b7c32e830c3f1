// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in a function that calls itself, beside a region that a virtual function has: each inner one knows its level.

// RUN: %clangxx %s -o %t
// RUN: %run %t
// On the host clang 22 and later want a library for calls of virtual functions.
// REQUIRES: executor
// LLVM's device RTL gives inner regions threads of their own, and waits for lanes that do not come.
// UNSUPPORTED: rtl-llvm

#include "check.h"

#include <omp.h>

#pragma omp declare target
struct Base {
  int value;
  explicit Base(int value) : value(value) {}
  virtual long sum(int threads) = 0;
};
struct Sum : Base {
  using Base::Base;
  long sum(int threads) override {
    long result = 0;
    const int own = value;
#pragma omp parallel num_threads(threads) reduction(+ : result)
    {
      result += own;
#pragma omp barrier
    }
    return result;
  }
};

__attribute__((noinline)) long descend(int depth, int threads, const volatile int *last) {
  if (depth == 0)
    return *last;
  long result = 0;
#pragma omp parallel num_threads(threads) reduction(+ : result)
  {
    result += descend(depth - 1, threads, last) + omp_get_level();
#pragma omp barrier
#pragma omp single
    result += 1;
  }
  return result;
}
#pragma omp end declare target

int main() {
  const int counts[] = {3, 32, 45};
  for (const int threads : counts) {
    long sum = 0, levels = 0, counted = 0, usual = 0;
    int got = 0;
#pragma omp target map(from : sum, levels, counted, usual, got)
    {
      int there = 1;
      volatile int *const last = &there;
      *last = 7;
      Sum one(*last);
      Base *const all[1] = {&one};
      sum = all[0]->sum(threads);
      levels = descend(3, threads, last);
      omp_set_num_threads(5);
      usual = omp_get_max_threads();
      counted = 0;
#pragma omp parallel reduction(+ : counted)
      {
        counted += 1;
#pragma omp barrier
      }
#pragma omp parallel num_threads(threads)
      if (omp_get_thread_num() == 0)
        got = omp_get_num_threads();
    }
    const long third = 7 + 3 + 1, second = third + 2 + 1;
    CHECK_EQ(sum, got * 7L);
    CHECK_EQ(levels, got * (second + 1) + 1);
    CHECK_EQ(usual, 5);
    CHECK_EQ(counted >= 1 && counted <= 5, 1);
  }
  return finish();
}
