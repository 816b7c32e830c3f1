// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fork waits while another thread's first region starts the host's OpenMP runtime: a child would never get its locks.
// If the start outlasts the fork, the child's first construct says so and ends the child; the parent goes on.

// RUN: %clang %s -o %t -pthread
// Earlier C libraries hold the lock of fork's handlers while these wait, and the runtime's start takes it.
// RUN: %if glibc-2.36-or-later %{ %run %t %}
// RUN: %clang -DOUTLASTS=1 %s -o %t.outlasts -pthread
// RUN: %run %t.outlasts 2>&1 | %FileCheck %s
// CHECK: the OpenMP runtime of the process cannot be used: another thread of the parent was starting it at the fork
// CHECK: ok
// REQUIRES: runtime-omptarget
// ThreadSanitizer ends a child that starts threads.
// UNSUPPORTED: tsan

#include "check.h"

#include <omp-tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef OUTLASTS
#define OUTLASTS 0
#endif

static atomic_int will_fork, is_starting, is_forking, has_forked;

// The host's runtime calls this while it starts, with its lock held: a slow start, which ends once a fork has not
// waited for it. With OUTLASTS it ends behind the fork only.
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name) {
  (void)version, (void)name;
  atomic_store(&is_starting, 1);
  while (atomic_load(&will_fork) && !atomic_load(OUTLASTS ? &has_forked : &is_forking))
    usleep(1000);
  for (int i = 0; i < 500 && atomic_load(&is_forking) && !atomic_load(&has_forked); i++)
    usleep(1000);
  return NULL;
}

static void before_fork(void) { atomic_store(&is_forking, 1); }
static void after_fork(void) { atomic_store(&has_forked, 1); }

static int region(int x) {
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  return x;
}

// Not a part of main, which would start the host's runtime at its beginning.
__attribute__((noinline)) static int team(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads;
}

static void *first_region(void *result) {
  *(int *)result = region(1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  int result = 0;
  pthread_atfork(before_fork, after_fork, NULL); // after the runtime's own: the handler runs before theirs
  atomic_store(&will_fork, 1);
  pthread_create(&thread, NULL, first_region, &result);
  while (!atomic_load(&is_starting))
    usleep(1000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    CHECK_EQ(region(10), 11);
    CHECK_EQ(team(), 2);
    _exit(failed_checks != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, OUTLASTS ? SIGABRT : 0);
  CHECK_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : 0, 0);
  pthread_join(thread, NULL);
  CHECK_EQ(result, 2);
  CHECK_EQ(region(5), 6);
  return finish();
}
