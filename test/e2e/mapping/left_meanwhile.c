// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A construct leaves data, and goes on copying others for a while. Another thread leaves the same data, which nobody
// references any more. For this thread they are gone, and what it enters then is on the device.

// RUN: %clang %s -o %t
// RUN: %run %t
// LLVM's library finds the old data there.
// UNSUPPORTED: runtime-llvm

#include <unistd.h>

#include "check.h"

#define MANY 1000000
static int large[MANY];
static int plain[64];
static int *pointed; // with clang 14 to 19 its sections are mapped together with the pointer

static void wait_a_little(int round) { usleep(200 * (round % 6)); }

// The second thread has left data that have count references, the first thread or itself was the last: it enters them.
static void enter_again(int *data) {
  CHECK(!omp_target_is_present(data, omp_get_default_device()));
  data[0] = 7;
#pragma omp target enter data map(to : data[0 : 1])
}

// data are absent, since the first thread has left them afterwards, or they are what the second has entered.
static void check_entered(int *data) {
  int present = 7;
  if (omp_target_is_present(data, omp_get_default_device())) {
#pragma omp target map(to : data[0 : 1]) map(from : present)
    {
      HERE();
      present = data[0];
    }
  }
  CHECK_EQ(present, 7);
#pragma omp target exit data map(delete : data[0 : 1])
}

// Both release the only reference, or the second deletes.
static void release(int references, int round) {
  plain[0] = 5;
#pragma omp target enter data map(to : plain, large)
  for (int i = 1; i < references; i++) {
#pragma omp target enter data map(to : plain)
  }
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp target exit data map(always, from : large) map(release : plain)
  } else {
    wait_a_little(round);
    if (references > 1 || (round & 1)) {
#pragma omp target exit data map(delete : plain)
    } else {
#pragma omp target exit data map(release : plain)
    }
    enter_again(plain);
  }
  check_entered(plain);
}

// The first thread deletes what the second releases, or the other way round.
static void delete_pointed(int round) {
  pointed[0] = 5;
#pragma omp target enter data map(to : pointed[0 : 64], large)
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    if (round & 1) {
#pragma omp target exit data map(always, from : large) map(delete : pointed[0 : 64])
    } else {
#pragma omp target exit data map(always, from : large) map(release : pointed[0 : 64])
    }
  } else {
    wait_a_little(round);
    if (round & 1) {
#pragma omp target exit data map(release : pointed[0 : 64])
    } else {
#pragma omp target exit data map(delete : pointed[0 : 64])
    }
    enter_again(pointed);
  }
  check_entered(pointed);
}

// The first thread copies back all but the last element, always or with the last reference.
static void copy_back(int references, int round) {
  int *last = &large[MANY - 1];
  *last = 5;
#pragma omp target enter data map(to : large)
  for (int i = 1; i < references; i++) {
#pragma omp target enter data map(to : large)
  }
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    if (references > 1) {
#pragma omp target exit data map(always, from : large[0 : MANY - 1])
    } else {
#pragma omp target exit data map(from : large[0 : MANY - 1])
    }
  } else {
    wait_a_little(round);
#pragma omp target exit data map(delete : last[0 : 1])
    enter_again(last);
  }
  check_entered(last);
}

int main(void) {
  pointed = calloc(64, sizeof *pointed);
  for (int round = 0; round < 12; round++) {
    release(1, round);
    release(2, round);
    delete_pointed(round);
    copy_back(1, round);
    copy_back(2, round);
  }
  free(pointed);
  return finish();
}
