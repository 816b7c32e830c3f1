// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// declare target link: the variable is on the device only while it is mapped.

// RUN: %clang %s -o %t
// RUN: %run %t
// The runtimes of LLVM 14 and 15 crash on such programs (they match the two entry tables by index).
// UNSUPPORTED: runtime-llvm-14, runtime-llvm-15

#include "check.h"

int linked[20];
int value = 3;
static int hidden = 40;
#pragma omp declare target link(linked, value, hidden)
#pragma omp declare target
int always_there = 6;
#pragma omp end declare target

int main(void) {
  for (int i = 0; i < 20; i++)
    linked[i] = i;
  CHECK(!omp_target_is_present(linked, 0));
  int seen = 0;
#pragma omp target map(tofrom : linked) map(to : value, hidden) map(from : seen)
  {
    HERE();
    seen = linked[19] + value + hidden + always_there;
    linked[19] = 1;
    value = 0;
  }
  CHECK_EQ(seen, 19 + 3 + 40 + 6);
  CHECK_EQ(linked[19], 1);
  CHECK_EQ(value, 3);
  CHECK(!omp_target_is_present(linked, 0));
#pragma omp target data map(tofrom : linked)
  {
    CHECK(omp_target_is_present(linked, 0));
#pragma omp target
    {
      HERE();
      linked[0] = 100;
    }
    CHECK_EQ(linked[0], 0);
  }
  CHECK_EQ(linked[0], 100);
  return finish();
}
