// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forks while other threads start and end constructs with nowait. The child ends its devices, which looks through all
// constructs that are still to be done. Neither a lock of the other threads' nor their constructs may be left there. A
// child of libomp's waits at its end for helper threads that it does not have; up to 16 it fails there without them,
// too.

// RUN: %clang %s -o %t -pthread
// RUN: %run LIBOMP_USE_HIDDEN_HELPER_TASK=0 %t
// REQUIRES: runtime-omptarget, emulator-cuda || emulator-amdgpu, clang-17-or-later

#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, FORKS = 100 };

static int a[THREADS][16];
static atomic_int rounds[THREADS], stop;

static void *update(void *argument) {
  const int thread = (int)(intptr_t)argument;
  int *const own = a[thread];
  while (!atomic_load(&stop)) {
#pragma omp target update to(own[0 : 16]) nowait
#pragma omp taskwait
    atomic_fetch_add(&rounds[thread], 1);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
#pragma omp target enter data map(to : a)
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, update, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++)
    while (atomic_load(&rounds[i]) == 0)
      sched_yield();
  for (int i = 0; i < FORKS; i++) {
    const pid_t process = fork();
    if (process == 0) {
      alarm(30);
      exit(0);
    }
    int status = -1;
    waitpid(process, &status, 0);
    CHECK_EQ(status, 0);
    if (status != 0)
      break;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
#pragma omp target exit data map(delete : a)
  return finish();
}
