// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host function pointers in variables, structs and arrays, called through the header's translation.

// RUN: %indirect-clang %s -o %t
// RUN: %run %t
// Clang 19 ends in its code generator for AMD GPUs below -O2.
// RUN: %if !executor %{ %indirect-clang -O0 %s -o %t %}
// RUN: %run %t
// RUN: %indirect-clang -O2 -g %s -o %t
// RUN: %run %t
// Where data is used in place, pointers are the host's wherever they lie.
// RUN: %if emulator-cuda %{ %run SIM_CUDA_ATS=1 OMPX_APU_MAPS=1 %t %}
// RUN: %if emulator-amdgpu %{ %run SIM_HSA_XNACK=1 SIM_HSA_APU=1 %t %}
// REQUIRES: runtime-omptarget

#include "indirect_check.h"

static int twice(int x) { return 2 * x + side(); }
int thrice(int x) { return 3 * x + side(); }
static int plain(int x) { return x; }
OMPTARGET_INDIRECT(twice)
OMPTARGET_INDIRECT(thrice)

typedef int (*Function)(int);

struct Callback {
  Function function;
  int argument;
};

static void on_device(int device) {
  Function function = twice;
  Function table[3] = {thrice, twice, 0};
  struct Callback callback = {thrice, 5};
  int results[5] = {0};
#pragma omp target device(device) map(from : results) map(to : table, callback) firstprivate(function)
  {
    HERE();
    results[0] = OMPTARGET_TRANSLATE(function)(1);
    results[1] = OMPTARGET_TRANSLATE(table[0])(1);
    results[2] = OMPTARGET_TRANSLATE(table[1])(2);
    results[3] = OMPTARGET_TRANSLATE(callback.function)(callback.argument);
    results[4] = OMPTARGET_TRANSLATE(table[2]) == 0;
  }
  CHECK_EQ(results[0], 2 + ON_DEVICE);
  CHECK_EQ(results[1], 3 + ON_DEVICE);
  CHECK_EQ(results[2], 4 + ON_DEVICE);
  CHECK_EQ(results[3], 15 + ON_DEVICE);
  CHECK(results[4]);
}

static void captured_implicitly(void) {
  Function function = thrice;
  int result = 0;
#pragma omp target map(from : result)
  {
    HERE();
    result = OMPTARGET_TRANSLATE(function)(1);
  }
  CHECK_EQ(result, 3 + ON_DEVICE);
}

static void other_pointers_come_back(void) {
  const char *between = (const char *)twice + 1;
  Function unknown = plain;
  const void *far[2] = {(void *)1, (void *)-1};
  const void *results[4] = {0};
#pragma omp target map(from : results) map(to : far) firstprivate(between, unknown)
  {
    HERE();
    results[0] = omptarget_translate_pointer((void *)between);
    results[1] = (void *)OMPTARGET_TRANSLATE(unknown);
    results[2] = omptarget_translate_pointer((void *)far[0]);
    results[3] = omptarget_translate_pointer((void *)far[1]);
  }
  CHECK(results[0] == between);
  CHECK(results[1] == (const void *)plain);
  CHECK(results[2] == far[0]);
  CHECK(results[3] == far[1]);
}

static void from_threads_of_the_region(void) {
  struct Callback callbacks[64];
  int results[64] = {0};
  for (int i = 0; i < 64; i++)
    callbacks[i] = (struct Callback){i % 2 ? twice : thrice, i};
#pragma omp target teams distribute parallel for map(to : callbacks) map(from : results)
  for (int i = 0; i < 64; i++)
    results[i] = OMPTARGET_TRANSLATE(callbacks[i].function)(callbacks[i].argument);
  for (int i = 0; i < 64; i++)
    CHECK_EQ(results[i], (i % 2 ? 2 : 3) * i + ON_DEVICE);
}

int main(void) {
  CHECK_EQ(OMPTARGET_TRANSLATE(twice)(1), 2 + ON_HOST);
  on_device(0);
  captured_implicitly();
  other_pointers_come_back();
  from_threads_of_the_region();
  return finish();
}
