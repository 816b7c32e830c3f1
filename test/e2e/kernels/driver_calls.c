// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a construct costs in calls of a GPU's driver, on the stand-in for CUDA's, which notes them: no allocation and no
// wait more than the program asked for. Calls that only choose the context are not counted.

// RUN: %clang %s -o %t -ldl
// RUN: %run %t
// REQUIRES: sim-cuda

#include "check.h"

#include <dlfcn.h>
#include <string.h>

static const char *(*record)(int);
static int scalar = 1, other = 2;
static char data[4096], mapped[4096];
static double large[1 << 20];

static void check_calls(int line, const char *wanted) {
  const char *calls = record(0);
  if (strcmp(calls, wanted) == 0)
    return;
  printf("%s:%d: the driver was called\n    %s\nwanted\n    %s\n", __FILE__, line, calls, wanted);
  failed_checks++;
}

// The construct runs twice; streams, events and memory that the first one made are there for the second, which is looked at.
#define COSTS(name, wanted, ...)                                                                                       \
  static __attribute__((noinline)) void name(void) { __VA_ARGS__ }                                                     \
  static void check_##name(void) {                                                                                     \
    name();                                                                                                            \
    record(1);                                                                                                         \
    name();                                                                                                            \
    check_calls(__LINE__, wanted);                                                                                     \
  }

#define LAUNCH "cuLaunchKernel "
#define TO "cuMemcpyHtoDAsync "
#define FROM "cuPointerGetAttribute cuMemcpyDtoHAsync " // whether the memory is pinned
#define FROM_LARGE "cuMemcpyDtoHAsync "
#define WAIT "cuStreamSynchronize "
#define EVENT "cuEventRecord " // for threads that meet data which are still on their way

COSTS(empty, LAUNCH WAIT, _Pragma("omp target") { HERE(); })
COSTS(private_scalar, LAUNCH WAIT, int x = scalar; _Pragma("omp target firstprivate(x)") { x++; })
COSTS(private_array, TO LAUNCH WAIT, char x[4096] = {1}; _Pragma("omp target firstprivate(x)") { x[1]++; })
COSTS(present_data, LAUNCH WAIT, _Pragma("omp target map(tofrom : mapped)") { mapped[0]++; })
COSTS(new_data, TO EVENT LAUNCH FROM WAIT, _Pragma("omp target map(tofrom : data)") { data[0]++; })
COSTS(large_data, TO EVENT LAUNCH FROM_LARGE WAIT, _Pragma("omp target map(tofrom : large)") { large[0]++; })
COSTS(two_of_each, TO TO EVENT LAUNCH FROM FROM WAIT, _Pragma("omp target map(tofrom : scalar, other)") { scalar += other; })
COSTS(only_on_device, LAUNCH WAIT, _Pragma("omp target map(alloc : data)") { data[0]++; })
COSTS(enter_exit_alloc, "", _Pragma("omp target enter data map(alloc : data)")
      _Pragma("omp target exit data map(release : data)"))
COSTS(enter_exit, TO EVENT WAIT FROM WAIT, _Pragma("omp target enter data map(to : data)")
      _Pragma("omp target exit data map(from : data)"))
COSTS(update, TO WAIT FROM WAIT, _Pragma("omp target update to(mapped)") _Pragma("omp target update from(mapped)"))
COSTS(host_work, "", _Pragma("omp target if(0)") { scalar++; })

int main(void) {
  int x = 0;
#pragma omp target map(tofrom : x)
  x++;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver || !(record = (const char *(*)(int))dlsym(driver, "sim_cuda_record"))) {
    printf("no stand-in\n");
    return 1;
  }
#pragma omp target enter data map(to : mapped)
  check_empty();
  check_private_scalar();
  check_private_array();
  check_present_data();
  check_new_data();
  check_large_data();
  check_two_of_each();
  check_only_on_device();
  check_enter_exit_alloc();
  check_enter_exit();
  check_update();
  check_host_work();
#pragma omp target exit data map(delete : mapped)
  return finish();
}
