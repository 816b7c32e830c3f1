// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fork while another thread is in the middle of a copy, to the device or from it. That thread is not in the child:
// nobody waits for it there, and what it had not finished is not present.

// RUN: %clang %s -o %t -pthread
// RUN: %run %t
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// REQUIRES: runtime-omptarget
// A sanitizer has a memcpy of its own; a GPU's driver does not work in a child.
// UNSUPPORTED: sanitizer, emulator-cuda, emulator-amdgpu

#include "check.h"
#include "held_copy.h"

#include <pthread.h>
#include <sys/wait.h>

#define N 512

static long a[N], b[N];

static void *enter(void *unused) {
#pragma omp target enter data map(to : a)
  return unused;
}
static void *leave(void *unused) {
#pragma omp target exit data map(from : a)
  return unused;
}

// In the child: both arrays are absent, so that they come and go with the region.
static int child(void) {
  alarm(30);
  for (int i = 0; i < HELD_COPIES; i++)
    atomic_store(&held_copies[i].state, COPY_UNKNOWN);
  const long old = a[1];
#pragma omp target map(tofrom : a, b)
  {
    HERE();
    a[1] += 1;
    b[1] += 1;
  }
  return a[1] == old + 1 && b[1] == 1 && !omp_target_is_present(a, omp_get_default_device()) ? 0 : 1;
}

static void fork_during(void *(*construct)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, construct, NULL);
  CHECK(is_copy_held(0, 20000));
  const pid_t process = fork();
  if (process == 0)
    _exit(child());
  int status = -1;
  waitpid(process, &status, 0);
  CHECK_EQ(status, 0);
  let_copy_go_on(0);
  pthread_join(thread, NULL);
}

int main(void) {
  patience = 60000;
#pragma omp target map(tofrom : b)
  b[0] = 1;
  hold_copy(0, NULL, a, sizeof a);
  fork_during(enter);
  CHECK(omp_target_is_present(a, omp_get_default_device()));
#pragma omp target
  a[0] = 5;
  hold_copy(0, a, NULL, sizeof a);
  fork_during(leave);
  CHECK_EQ(a[0], 5);
  return finish();
}
