// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region ends when its detached tasks are complete, whichever thread begins it.

// RUN: %clang %s -o %t
// RUN: %run %t
// libomp 16 ends with an assertion where a thread of a larger team has had detached tasks before.
// RUN: %if clang-19-or-later %{ %run %t in-parallel %}
// REQUIRES: runtime-omptarget
// On a stand-in for a driver, code for the CPU runs on a thread of the stand-in, where no runtime waits for its tasks.
// Code for GPUs has no tasks with detach.
// UNSUPPORTED: emulator-cuda, emulator-amdgpu

#include "check.h"

#include <pthread.h>
#include <unistd.h>

#pragma omp begin declare target
static int *volatile place;
static omp_event_handle_t volatile event;

static void *fulfill(void *unused) {
  (void)unused;
  usleep(20000);
  *place = 7;
  omp_fulfill_event(event);
  return NULL;
}

static void fulfill_later(omp_event_handle_t which, int *value) {
  pthread_t thread;
  event = which;
  place = value;
  pthread_create(&thread, NULL, fulfill, NULL);
  pthread_detach(thread);
}
#pragma omp end declare target

static int run_region(void) {
  int value = 0;
#pragma omp target map(tofrom : value)
  {
    HERE();
    omp_event_handle_t which;
#pragma omp task detach(which)
    {}
    fulfill_later(which, &value);
  }
  return value;
}

static int run_nested(void) {
  int value = 0;
#pragma omp target map(tofrom : value)
  {
#pragma omp task shared(value)
    {
      omp_event_handle_t which;
#pragma omp task detach(which)
      {}
      fulfill_later(which, &value);
    }
  }
  return value;
}

static int run_in_parallel(void) {
  int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  value = run_region();
  return value;
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 5; i++) {
    CHECK_EQ(run_region(), 7);
    CHECK_EQ(run_nested(), 7);
    if (argc > 1)
      CHECK_EQ(run_in_parallel(), 7);
  }
  return finish();
}
