// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of fork computes on the device as its parent does.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static int region(int x) {
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  return x;
}

int main(void) {
  CHECK_EQ(region(1), 2);
  for (int i = 0; i < 3; i++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      CHECK_EQ(region(10), 11);
      _exit(failed_checks != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
    CHECK_EQ(region(5), 6);
  }
  return finish();
}
