// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a driver has made is given back at the end. One program maps, keeps freed memory and leaves data on the
// device. Another calls exit while a thread is in regions. The third loses its device by a kernel's fault. The
// stand-ins count what is left.

// RUN: %clang %s -o %t -lpthread -ldl
// RUN: %run SIM_LEAKS=1 %t
// RUN: %run SIM_LEAKS=1 %t thread
// RUN: %run SIM_LEAKS=1 SIM_CUDA_FAIL=cuMemcpyHtoDAsync:1:700 %t fault
// REQUIRES: emulator-cuda || emulator-amdgpu

#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static double left[4096];
static _Atomic int regions;

static void map(void) {
  double data[5000] = {0};
  int x = 0;
#pragma omp target map(tofrom : x, data)
  x += data[0] == 0.0;
  CHECK_EQ(x, 1);
  regions++;
}

static void work(void) {
  double data[5000] = {0}, sum = 0.0;
#pragma omp target nowait map(tofrom : data)
  data[1] += 1.0;
#pragma omp taskwait
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : data)
  for (int i = 0; i < 100; i++)
    sum += data[i];
  CHECK(sum == 1.0);
}

// Nothing that needs libomp's threads and tasks, which end with the process.
static void *map_for_ever(void *unused) {
  (void)unused;
  for (;;)
    map();
}

// A copy tells that a kernel has faulted: the device can do nothing any more, and the program goes on. Only CUDA's
// driver does so.
static int lose_device(void *memory) {
  int value = 1;
  const int is_lost = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL;
  for (int i = 0; i < 2; i++)
    CHECK_EQ(omp_target_memcpy(memory, &value, sizeof value, 0, 0, 0, omp_get_initial_device()) != 0, is_lost);
  return finish();
}

int main(int argc, char **argv) {
  void *kept = omp_target_alloc(1 << 20, omp_get_default_device());
  omp_target_free(kept, omp_get_default_device());
  void *lost = omp_target_alloc(100, omp_get_default_device()); // never freed
  if (argc > 1 && strcmp(argv[1], "fault") == 0)
    return lose_device(lost);
#pragma omp target enter data map(to : left)
  map();
  work();
  if (argc == 1)
    return finish();
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, map_for_ever, NULL), 0);
  while (regions < 5)
    ;
  exit(finish());
}
