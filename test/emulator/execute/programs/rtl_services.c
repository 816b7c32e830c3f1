// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of device code to the host beside text: memory beyond the heap, the end of the program. A refused request is
// reported with its place, while the kernel goes on.
// REQUIRES: rtl-ours
// RUN: %indirect-clang %s -o %t
// RUN: %if emulator-amdgpu %{ %run LIBOMPTARGET_HEAP_SIZE=4096 %t memory | %FileCheck %s --check-prefix=MEMORY %}
// RUN: %if emulator-amdgpu %{ %run LIBOMPTARGET_HEAP_SIZE=0 SIM_EXECUTOR_SEED=3 SIM_EXECUTOR_QUANTUM=2 %t memory | %FileCheck %s --check-prefix=MEMORY %}
// RUN: %if emulator-amdgpu %{ %run %t refused 2>&1 | %FileCheck %s --check-prefix=REFUSED %}
// RUN: %expect-abort %t abort 2>&1 | %FileCheck %s --check-prefix=ABORT
// RUN: bash -c '%run %t exit 2>&1; test $? = 7' | %FileCheck %s --check-prefix=EXIT
// RUN: %run %t function | %FileCheck %s --check-prefix=FUNCTION

#include "check.h"

#include "omptarget/host_call.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 48

// Computes the sum of the data, and doubles each.
static uint64_t add_up(void *data, uint64_t size) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < size / sizeof(int); i++) {
    sum += ((int *)data)[i];
    ((int *)data)[i] *= 2;
  }
  return sum;
}

static void function(void) {
  enum { MANY = 700 };
  uint64_t wrong = 0, missing = 0, host = 0;
  int values[2] = {20, 22};
  omptarget_register_host_function(5, add_up);
#pragma omp target parallel for num_threads(THREADS) map(tofrom : wrong, missing) reduction(+ : wrong, missing)
  for (int i = 0; i < THREADS; i++) {
    int data[MANY];
    for (int k = 0; k < MANY; k++)
      data[k] = i + k;
    const int count = i % 3 == 0 ? MANY : i; // 2,800 bytes are three packets each way
    wrong += omptarget_call_host(5, data, count * sizeof(int)) != (uint64_t)(count * i + count * (count - 1) / 2);
    for (int k = 0; k < MANY; k++)
      wrong += data[k] != (i + k) * (k < count ? 2 : 1);
    if (i == 7)
      missing = omptarget_call_host(6, data, sizeof data) == ~0ull;
  }
  host = omptarget_call_host(5, values, sizeof values);
  CHECK_EQ(wrong, 0);
  CHECK_EQ(missing, 1);
  CHECK_EQ(host, 42);
  CHECK_EQ(values[1], 44);
  // FUNCTION: functions are right
  printf("functions are right\n");
}

static void handler(void) { printf("the handler runs\n"); }

static void memory(void) {
  int wrong = 0, missing = 0;
#pragma omp target parallel for num_threads(THREADS) map(tofrom : wrong, missing) reduction(+ : wrong, missing)
  for (int i = 0; i < THREADS; i++) {
    volatile int *blocks[3];
    for (int k = 0; k < 3; k++) {
      blocks[k] = malloc(1000 * sizeof(int));
      missing += !blocks[k];
      for (int j = 0; blocks[k] && j < 1000; j += 37)
        blocks[k][j] = i * 3000 + k * 1000 + j;
    }
    for (int k = 0; k < 3; k++) {
      for (int j = 0; blocks[k] && j < 1000; j += 37)
        wrong += blocks[k][j] != i * 3000 + k * 1000 + j;
      free((void *)blocks[k]);
    }
  }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(missing, 0);
  // MEMORY-NOT: omptarget
  // MEMORY: memory is right
  printf("memory is right\n");
}

static void refused(void) {
  int results[4];
  char bytes[16];
#pragma omp target map(from : results) map(to : bytes)
  {
    int count = 0;
    results[0] = printf("a%n\n", &count);
    results[1] = printf("%d %y\n", 1);
    results[2] = printf("%d and\n", 5);
    free(bytes);
    results[3] = printf("%100000d\n", 5);
  }
  // REFUSED-DAG: omptarget error: device 0, kernel __omp_offloading_{{.*}} in refused, line {{[0-9]+}} (1 blocks, {{[0-9]+}} threads), block 0, thread {{[0-9]+}}: %n, which writes to memory, is not for device code
  // REFUSED-DAG: %y is no conversion that printf in device code has
  // REFUSED-DAG: 0x{{[0-9a-f]+}} was freed, which malloc did not return or was freed before
  // REFUSED-DAG: a width of 100000, the most is 65536
  CHECK_EQ(results[0], -1);
  CHECK_EQ(results[1], -1);
  CHECK_EQ(results[2], 6);
  CHECK_EQ(results[3], -1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int status = 7;
  atexit(handler);
  if (strcmp(what, "memory") == 0)
    memory();
  if (strcmp(what, "refused") == 0)
    refused();
  if (strcmp(what, "function") == 0)
    function();
  // ABORT: printed before
  // ABORT: omptarget error: device code called abort: device 0, kernel __omp_offloading_{{.*}} in main, line [[#@LINE+2]] (1 blocks, {{[0-9]+}} threads), block 0, thread {{[0-9]+}}
  if (strcmp(what, "abort") == 0) {
#pragma omp target
    {
      printf("printed before\n");
      abort();
    }
  }
  // EXIT: printed before
  // EXIT-NOT: {{.}}
  if (strcmp(what, "exit") == 0) {
#pragma omp target parallel num_threads(THREADS) firstprivate(status)
    if (omp_get_thread_num() == 40) {
      printf("printed before\n");
      exit(status);
    }
    printf("not reached\n");
  }
  return finish();
}
