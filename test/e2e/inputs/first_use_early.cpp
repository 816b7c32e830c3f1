// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module that uses a device when it is constructed and when it is destructed. It uses the device once more after it
// was finalised, as a thread that nobody joins may. Needs calls_at_end.c.

#include <cstdio>
#include <omp.h>

extern "C" void call_at_end(void (*function)(void));

int factor = 5;
#pragma omp declare target(factor)

namespace {

int values[4] = {1, 2, 3, 4};

void multiply(const char *when) {
  int is_host = -1;
#pragma omp target map(from : is_host) map(alloc : values)
  {
    is_host = omp_is_initial_device();
    values[1] *= factor;
  }
  printf("%s: %s\n", when, is_host ? "host" : "device");
  fflush(stdout);
}

void act_late() {
  multiply("after it was finalised");
#pragma omp target exit data map(from : values)
  printf("values: %d %d\n", values[0], values[1]);
  fflush(stdout);
}

struct Object {
  Object() {
#pragma omp target enter data map(to : values)
    multiply("constructor");
    factor = 7;
#pragma omp target update to(factor)
    call_at_end(act_late);
  }
  ~Object() { multiply("destructor"); }
} object;

} // namespace
