// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that nobody joins begin regions while main returns, the first of their own or one after the other. The
// regions may be cut off, but the process ends with the status of main.

// RUN: %clang %s -o %t -pthread
// RUN: %run %t teams once
// RUN: %run %t teams again
// RUN: %run %t plain again
// RUN: %run %t nowait once
// RUN: %run %t nowait again
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t teams once
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t teams again
// LLVM's runtimes crash. So do libomp's threads under a sanitizer. A driver ends in an exit handler, with its devices.
// REQUIRES: lasts
// UNSUPPORTED: runtime-llvm, sanitizer

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 3, PROCESSES = 12, N = 1000, STATUS = 7 };

static int teams, nowait, again;

// Not in the loop: constructs there take more of the stack with each round by clang 15 and 16.
__attribute__((noinline)) static void region(int *values) {
  if (teams) {
#pragma omp target teams distribute parallel for map(tofrom : values[0 : N])
    for (int i = 0; i < N; i++)
      values[i] += i;
  } else if (nowait) {
#pragma omp target teams distribute parallel for nowait map(tofrom : values[0 : N / 2])
    for (int i = 0; i < N / 2; i++)
      values[i] += i;
#pragma omp target nowait map(tofrom : values[N / 2 : N / 2])
    for (int i = N / 2; i < N; i++)
      values[i] += i;
#pragma omp taskwait
  } else {
#pragma omp target map(tofrom : values[0 : N])
    for (int i = 0; i < N; i++)
      values[i] += i;
  }
}

static void *left_behind(void *unused) {
  static _Thread_local int values[N];
  usleep(200);
  do
    region(values);
  while (again);
  if (nowait) // a thread that ends takes libomp's helper threads with it, which others still need
    pause();
  return unused;
}

static int live(int microseconds) {
  static int values[N];
  alarm(60); // a hang is a failure
  region(values);
  for (int i = 0; i < THREADS; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, left_behind, NULL);
    pthread_detach(thread);
  }
  usleep((unsigned)microseconds);
  return values[N - 1] == N - 1 ? STATUS : 1;
}

int main(int count, char **words) {
  teams = strcmp(words[1], "teams") == 0;
  nowait = strcmp(words[1], "nowait") == 0;
  again = strcmp(words[2], "again") == 0;
  if (count > 3)
    return live(atoi(words[3]));
  static const char *const delays[] = {"0", "50", "100", "200", "300", "500"};
  for (int i = 0; i < PROCESSES * 6; i++) {
    const pid_t child = fork();
    if (child == 0) {
      execl(words[0], words[0], words[1], words[2], delays[i % 6], (char *)NULL);
      _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, STATUS << 8);
  }
  return finish();
}
