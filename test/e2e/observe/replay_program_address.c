// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for the CPU can read the program's memory in place, which a replay does not have. A recording tells how many
// words are addresses of the program, and the replay does before it runs. Addresses of variables and functions of the
// image are none of them.

// RUN: %clang %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run LIBOMPTARGET_RECORD=%t.d/r LIBOMPTARGET_RECORD_KERNEL=follow %t
// RUN: %prefix/bin/omptarget-replay --info %t.d/r | %FileCheck %s --check-prefix=INFO
// RUN: sh -c '%run %prefix/bin/omptarget-replay --verify %t.d/r || true' 2>&1 | %FileCheck %s --check-prefix=NOTE
// RUN: %run LIBOMPTARGET_RECORD=%t.d/n LIBOMPTARGET_RECORD_KERNEL=known %t
// RUN: %prefix/bin/omptarget-replay --info %t.d/n | %FileCheck %s --check-prefix=NONE
// RUN: %run %prefix/bin/omptarget-replay --verify %t.d/n | %FileCheck %s --check-prefix=VERIFIED
// REQUIRES: libomp-loads-here
// UNSUPPORTED: runtime-llvm, sanitizer, emulated

// INFO: addresses of the program: 2
// NOTE: note: 2 words in them are addresses of the recorded program, which is not here; a kernel that follows one fails
// NONE-NOT: addresses of the program
// VERIFIED-NOT: note:
// VERIFIED: verified: the memory is as recorded

#include "check.h"

static int numbers[4] = {3, 5, 7, 11}; // of the program alone
#pragma omp declare target
int shared[4] = {1, 2, 3, 4};
#pragma omp end declare target

struct reader {
  const int *first, *last;
  int sum;
};

static int follow(struct reader reader) {
#pragma omp target map(tofrom : reader)
  {
    HERE();
    reader.sum = *reader.first + *reader.last;
  }
  return reader.sum;
}

static int known(struct reader reader) {
#pragma omp target map(tofrom : reader)
  {
    HERE();
    reader.sum = (reader.first != reader.last) + shared[1];
  }
  return reader.sum;
}

int main(void) {
  CHECK_EQ(follow((struct reader){&numbers[0], &numbers[3], 0}), 14);
  CHECK_EQ(known((struct reader){&shared[0], &shared[3], 0}), 3);
  return finish();
}
