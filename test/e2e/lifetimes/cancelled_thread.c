// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread is cancelled when the first region of the program makes the device ready. Other threads use the device
// afterwards: the lock of loading is free.

// UNSUPPORTED: runtime-llvm
// RUN: %clang %s -lpthread -o %t
// RUN: %run %t | %check

// CHECK: ok

#include "check.h"

#include <pthread.h>

static int add(int value) {
#pragma omp target map(tofrom : value)
  {
    HERE();
    value += 7;
  }
  return value;
}

static void *run(void *unused) {
  pthread_cancel(pthread_self()); // takes effect at the thread's next cancellation point
  add(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, run, NULL), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);
  CHECK_EQ(add(1), 8);
  return finish();
}
