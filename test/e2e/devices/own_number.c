// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that asks where it runs gets its device: by calls, by addresses in its data, from all of its threads. So it
// does where the image's addresses are bound at once and become read-only. LLVM's runtime answers for the initial
// device.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run LD_BIND_NOW=1 %t
// RUN: %clang -fno-plt %s -o %t.bound
// RUN: %run %t.bound
// REQUIRES: runtime-omptarget
// UNSUPPORTED: plugins-of-{{.*}}

#include "check.h"

// It calls symbols: the header has versions of its own for device code.
#pragma omp begin declare target
int device_num(void) __asm__("omp_get_device_num");
int is_initial(void) __asm__("omp_is_initial_device");
int (*const asked[])(void) = {device_num, is_initial};
#pragma omp end declare target

int main(void) {
  int devices = omp_get_num_devices();
  CHECK(devices > 1);
  for (int d = 0; d < devices; d++) {
    int number = -1, initial = -1, same = 0, by_data = -1, initial_by_data = -1, threads = 0;
#pragma omp target device(d) map(from : number, initial, by_data, initial_by_data) map(tofrom : same, threads)
    {
      HERE();
      number = device_num();
      initial = is_initial();
      by_data = asked[0]();
      initial_by_data = asked[1]();
#pragma omp parallel num_threads(4) reduction(+ : same, threads)
      {
        threads++;
        same += device_num() == number && !is_initial();
      }
    }
    CHECK_EQ(number, d);
    CHECK_EQ(initial, 0);
    CHECK_EQ(by_data, d);
    CHECK_EQ(initial_by_data, 0);
    CHECK(threads >= 1);
    CHECK_EQ(same, threads);
  }
  CHECK_EQ(device_num(), omp_get_initial_device());
  CHECK(is_initial());
  int on_host = -1;
#pragma omp target if (0) map(from : on_host)
  on_host = device_num();
  CHECK_EQ(on_host, devices);
  return finish();
}
