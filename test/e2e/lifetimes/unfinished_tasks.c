// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main returns, or exit is called, while regions with nowait have not finished. They finish, and the process ends with
// the status that was given.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %if clang-15-or-later %{ %run OMP_TARGET_OFFLOAD=DISABLED %t %}
// RUN: %if clang-15-or-later %{ %run LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 %t %}
// RUN: %run LIBOMP_USE_HIDDEN_HELPER_TASK=0 %t
// clang 14 makes host code that leaves the results of teams out, and its libomp divides by one helper thread less.
// LLVM's runtimes crash. A driver ends in an exit handler, with its devices.
// REQUIRES: lasts
// UNSUPPORTED: runtime-llvm, sanitizer

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { PROCESSES = 12, REGIONS = 10, N = 100, STATUS = 7 };

static int *values; // shared with the children

__attribute__((noinline)) static void first_region(void) {
#pragma omp target map(tofrom : values[0 : 1])
  values[0] = 0;
}

__attribute__((noinline)) static void leave_region(int number) {
  int *const own = values + number * N;
  if (number % 2) {
#pragma omp target nowait map(tofrom : own[0 : N])
    for (int i = 0; i < N; i++)
      own[i] = number + i;
  } else {
#pragma omp target teams distribute parallel for nowait map(tofrom : own[0 : N])
    for (int i = 0; i < N; i++)
      own[i] = number + i;
  }
}

static int live(int process) {
  alarm(60); // a hang is a failure
  const int regions = process % 4 < 2 ? REGIONS : 1;
  if (process % 3 == 0)
    first_region();
  for (int i = 0; i < regions; i++)
    leave_region(i);
  return STATUS;
}

int main(void) {
  values = mmap(NULL, REGIONS * N * sizeof *values, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < PROCESSES; i++) {
    memset(values, 0xff, REGIONS * N * sizeof *values);
    const pid_t child = fork();
    if (child == 0) {
      const int status = live(i);
      if (i % 2)
        return status;
      exit(status);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, STATUS << 8);
    const int regions = i % 4 < 2 ? REGIONS : 1;
    for (int k = 0; k < regions; k++)
      CHECK_EQ(values[k * N + N - 1], k + N - 1);
  }
  return finish();
}
