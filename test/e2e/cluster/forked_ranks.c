// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launcher that forks its ranks and execs nothing: ranks get their devices, GPUs too. If the launcher itself asked
// how many there are, the CPU's devices work as before. GPUs' drivers do not work in its children, which get an error that says so.

// REQUIRES: clang-19
// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %if emulator-cuda %{ %run %t refused 2>&1 | %check %}
// RUN: %if emulator-amdgpu %{ %run %t refused 2>&1 | %check %}
// In a child libomp starts again, and loses what its parent had.
// RUN: %if !emulator-cuda %{ %if !emulator-amdgpu %{ %run ASAN_OPTIONS=detect_leaks=0 %t ask %} %}
// CHECK: cannot be used in the child of a process that used it before fork
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kRanks = 4 };

static int run_rank(int rank) {
  int where = -1, twice = rank;
#pragma omp target device(rank) map(from : where) map(tofrom : twice)
  {
    HERE();
    where = 1;
    twice *= 2;
  }
  CHECK_EQ(where, 1);
  CHECK_EQ(twice, 2 * rank);
  CHECK_EQ(host_regions, 0);
  return failed_checks != 0;
}

int main(int count, char **arguments) {
  const int are_refused = count > 1 && strcmp(arguments[1], "refused") == 0;
  if (count > 1)
    CHECK_EQ(omp_get_num_devices(), kRanks);
  pid_t ranks[kRanks];
  for (int rank = 0; rank < kRanks; rank++) {
    ranks[rank] = fork();
    if (ranks[rank] == 0)
      exit(run_rank(rank));
  }
  for (int rank = 0; rank < kRanks; rank++) {
    int status = -1;
    waitpid(ranks[rank], &status, 0);
    if (are_refused)
      CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    else
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return failed_checks;
}
