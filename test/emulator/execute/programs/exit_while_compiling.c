// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program ends while another thread's kernel is compiled for the first time. LLVM makes static objects then, and
// uses them on. They must not be destroyed. The program sees what is registered for its end, and ends after the N-th
// time; without care LLVM 19 crashes after 3, 5 and 6.
// REQUIRES: emulator-cuda
// RUN: %clang %s -rdynamic -lpthread -ldl -o %t
// DEFINE: %{run} = env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run %t
// RUN: %{run} 3 2>&1 | %FileCheck %s
// RUN: %{run} 5 2>&1 | %FileCheck %s
// RUN: %{run} 6 2>&1 | %FileCheck %s

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int left; ///< registrations until the program ends
static atomic_bool has_ended;

/// In place of the C library's.
int __cxa_atexit(void (*function)(void *), void *object, void *library) {
  typedef int (*Register)(void (*)(void *), void *, void *);
  const int result = ((Register)dlsym(RTLD_NEXT, "__cxa_atexit"))(function, object, library);
  if (atomic_fetch_sub(&left, 1) == 1)
    usleep(300000); // the process ends meanwhile
  return result;
}

static void *run(void *unused) {
  static float x[1024];
#pragma omp target teams distribute parallel for map(tofrom : x)
  for (int i = 0; i < 1024; ++i) {
    float value = (float)i;
    for (int n = 0; n < 1000; ++n)
      value = value * 0.5f + (float)n;
    x[i] = value;
  }
  atomic_store(&has_ended, 1);
  return unused;
}

int main(int argc, char **argv) {
  int found = 0;
#pragma omp target map(from : found)
  found = 1;
  CHECK_EQ(found, 1);
  pthread_t thread;
  CHECK_EQ(argc, 2);
  atomic_store(&left, atoi(argv[1]));
  CHECK_EQ(pthread_create(&thread, NULL, run, NULL), 0);
  while (atomic_load(&left) > 0 && !atomic_load(&has_ended))
    usleep(1000);
  return finish();
}

// CHECK: ok
// CHECK-NOT: {{[^[:space:]]}}
