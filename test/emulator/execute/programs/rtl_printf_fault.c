// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program shows what a kernel printed before it failed, whatever call finds the failure. One call waits for the
// kernel, one asks whether it has ended, and one of another thread's has nothing to do with it.
// REQUIRES: rtl-ours
// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %FileCheck %s
// RUN: %expect-abort %t nowait 2>&1 | %FileCheck %s
// RUN: %expect-abort %t alloc 2>&1 | %FileCheck %s
// CHECK: the kernel's last words

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma omp begin declare target
static void end(void) {
  printf("the kernel's last words\n");
  __builtin_trap();
}
#pragma omp end declare target

static void *run(void *unused) {
#pragma omp target
  end();
  return unused;
}

static void run_later(void) {
#pragma omp target nowait
  end();
#pragma omp taskwait
}

int main(int argc, char **argv) {
  if (argc < 2)
    run(NULL);
  if (strcmp(argv[1], "nowait") == 0)
    run_later();
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0)
    return 1;
  for (;;) {
    void *const more = omp_target_alloc(1 << 20, 0);
    if (!more)
      break;
    omp_target_free(more, 0);
  }
  pause(); // the other thread ends the process
  return 1;
}
