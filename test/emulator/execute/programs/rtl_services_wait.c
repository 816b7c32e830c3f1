// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that waits for a device answers its kernels itself, so that they do not depend on a thread without a CPU.
// The plugin's thread may run wherever the process may, though the thread that launches is bound.
// REQUIRES: rtl-ours
// RUN: %indirect-clang -D_GNU_SOURCE %s -o %t
// RUN: %run %t | %FileCheck %s

#include "check.h"

#include "omptarget/host_call.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t is_inside, may_leave;
static int cpus_of_server;

// Keeps the thread of the plugin.
static uint64_t stay(void *data, uint64_t size) {
  cpu_set_t cpus;
  (void)data, (void)size;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
    cpus_of_server = CPU_COUNT(&cpus);
  sem_post(&is_inside);
  sem_wait(&may_leave);
  return 7;
}

static void *sleep_unbound(void *unused) {
  pause();
  return unused;
}

int main(void) {
  cpu_set_t all, one;
  pthread_t unbound;
  uint64_t answer = 0;
  int printed = 0;
  alarm(120); // where nobody serves
  sem_init(&is_inside, 0, 0);
  sem_init(&may_leave, 0, 0);
  sched_getaffinity(0, sizeof all, &all);
  CHECK_EQ(pthread_create(&unbound, NULL, sleep_unbound, NULL), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &all))
      CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);

  omptarget_register_host_function(1, stay);
#pragma omp target device(0) nowait map(tofrom : answer)
  answer = omptarget_call_host(1, NULL, 0);
  sem_wait(&is_inside);
  CHECK_EQ(cpus_of_server, CPU_COUNT(&all));

  // The thread of the plugin is in there: only this thread can answer.
#pragma omp target device(1) map(from : printed)
  printed = printf("printed\n") >= 0; // on NVIDIA's by the driver
  CHECK_EQ(printed, 1);
  sem_post(&may_leave);
#pragma omp taskwait
  CHECK_EQ(answer, 7);
  return finish();
}
// CHECK: printed
// CHECK: ok
