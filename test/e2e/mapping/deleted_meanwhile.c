// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread deletes data that another thread leaves or enters meanwhile. All references go in one step. The other thread
// never takes the last one, by which it would copy the device's values back. Nor does it enter data that are about to
// go. The deleting construct copies a large array back as well, so that it takes a while.

// RUN: %clang %s -o %t
// RUN: %run %t
// LLVM's library fails, or leaves the second thread without its data.
// UNSUPPORTED: runtime-llvm

#include <unistd.h>

#include "check.h"

#define MANY 1000000
static double large[MANY];
static int shared[64];

// As many references of shared; its values are 5 on the host and 111 on the device.
static void enter(int references, int round) {
  for (int i = 0; i < 64; i++)
    shared[i] = 5;
#pragma omp target enter data map(to : shared, large)
  for (int i = 1; i < references; i++) {
#pragma omp target enter data map(to : shared)
  }
#pragma omp target map(to : shared, large)
  {
    HERE();
    for (int i = 0; i < 64; i++)
      shared[i] = 111;
    large[MANY - 1] = round;
  }
}

// With always the construct has a plan.
static void delete_shared(int has_plan) {
  if (has_plan) {
#pragma omp target exit data map(always, from : large) map(delete : shared)
  } else {
#pragma omp target exit data map(from : large) map(delete : shared)
  }
}

// Begins while the other thread deletes, most likely.
static void wait_a_little(int round) { usleep(150 * (1 + round % 4)); }

// There are two references, so that leaving does not copy shared back, whoever comes first.
static void leave_meanwhile(int round) {
  enter(2, round);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    delete_shared(round & 1);
  } else {
    wait_a_little(round);
#pragma omp target exit data map(from : shared)
  }
  CHECK_EQ(shared[0], 5);
  CHECK_EQ(shared[63], 5);
  CHECK(!omp_target_is_present(shared, omp_get_default_device()));
}

// shared is deleted afterwards, or the device has the value that the second thread has entered.
static void enter_meanwhile(int round) {
  int present = 7;
  enter(1 + (round & 2) / 2, round);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    delete_shared(round & 1);
  } else {
    wait_a_little(round);
    shared[0] = 7;
#pragma omp target enter data map(to : shared)
  }
  if (omp_target_is_present(shared, omp_get_default_device())) {
#pragma omp target map(to : shared) map(from : present)
    {
      HERE();
      present = shared[0];
    }
  }
  CHECK_EQ(present, 7);
#pragma omp target exit data map(delete : shared)
}

int main(void) {
  for (int round = 1; round <= 24; round++) {
    leave_meanwhile(round);
    CHECK_EQ(large[MANY - 1], round);
    enter_meanwhile(100 + round);
    CHECK_EQ(large[MANY - 1], 100 + round);
  }
  CHECK(!omp_target_is_present(large, omp_get_default_device()));
  return finish();
}
