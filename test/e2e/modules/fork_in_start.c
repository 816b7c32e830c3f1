// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fork does not outlast another thread's start of the host's OpenMP runtime, whose locks the child never gets. The
// child's first construct says so and ends the child; the parent goes on.

// RUN: %clang %s -o %t -pthread
// RUN: %run %t 2>&1 | %FileCheck %s
// REQUIRES: runtime-omptarget
// ThreadSanitizer ends a child that starts threads.
// UNSUPPORTED: tsan

// CHECK: the OpenMP runtime of the process cannot be used: another thread of the parent was starting it at the fork
// CHECK: ok

#include "check.h"

#include <omp-tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int will_fork, is_starting, has_forked;

// The host's runtime calls this while it starts, with its lock held.
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name) {
  (void)version, (void)name;
  atomic_store(&is_starting, 1);
  while (atomic_load(&will_fork) && !atomic_load(&has_forked))
    usleep(1000);
  return NULL;
}

static int region(int x) {
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  return x;
}

static void *first_region(void *result) {
  *(int *)result = region(1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  int result = 0;
  atomic_store(&will_fork, 1);
  pthread_create(&thread, NULL, first_region, &result);
  while (!atomic_load(&is_starting))
    usleep(1000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(region(10));
  }
  atomic_store(&has_forked, 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGABRT);
  pthread_join(thread, NULL);
  CHECK_EQ(result, 2);
  CHECK_EQ(region(5), 6);
  return finish();
}
