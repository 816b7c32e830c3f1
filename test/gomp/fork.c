// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child of a fork has the device and what is on it.
// RUN: %gcc %s -o %t
// RUN: %run %t
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static int data[4];

static void add(int value) {
#pragma omp target
  {
    HERE();
    data[0] += value;
  }
}

int main(void) {
#pragma omp target enter data map(to : data)
  add(1);
  const pid_t child = fork();
  add(child == 0 ? 10 : 100);
#pragma omp target exit data map(from : data)
  CHECK_EQ(data[0], child == 0 ? 11 : 101);
  if (child == 0)
    _exit(finish());
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  return finish();
}
