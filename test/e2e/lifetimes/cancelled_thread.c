// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread is cancelled when the first region of the program makes the device ready. Another one is cancelled in a
// region that may wait for a driver. Other threads use the device afterwards, since the lock of loading is free. The
// end of the process does not wait for the cancelled threads.

// UNSUPPORTED: runtime-llvm
// RUN: %clang %s -lpthread -o %t
// RUN: %run %t 2>&1 | %check

// CHECK-NOT: have not come to an end
// CHECK: ok
// CHECK-NOT: have not come to an end

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
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, run, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(add(i), i + 7);
  }
  return finish();
}
