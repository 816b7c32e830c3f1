// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's call of a host function by its address: it gets a copy of the data. Names of devices are the host's.
// REQUIRES: rtl-ours, clang-19-or-later
// RUN: %clang %s -o %t
// RUN: %run %t 2>&1 | %FileCheck %s
// CHECK: 0x10 was called, which is no function of the host
// CHECK: ok

#include "check.h"

#if defined(__NVPTX__) || defined(__AMDGCN__)
#define OF_DEVICE
unsigned long long __llvm_omp_host_call(void *function, void *data, unsigned long size);
#else
#define OF_DEVICE __attribute__((weak)) // LLVM's libraries before 22, which the program is linked with, do not have them
static unsigned long long __llvm_omp_host_call(void *function, void *data, unsigned long size) {
  (void)size;
  return ((unsigned long long (*)(void *))function)(data);
}
#endif
OF_DEVICE const char *omp_get_uid_from_device(int device);
OF_DEVICE int omp_get_device_from_uid(const char *uid);

struct pair {
  int thread, values[600];
};

static unsigned long long add_up(void *data) {
  struct pair *pair = data;
  unsigned long long sum = 0;
  for (int i = 0; i < 600; i++)
    sum += (unsigned long long)pair->values[i];
  pair->values[0] = -1; // of the copy
  return sum + (unsigned long long)pair->thread;
}

int main(void) {
  void *function = (void *)add_up;
  int wrong = 0, changed = 0, refused = 0, named = 0;
#pragma omp target parallel for num_threads(8) map(to : function) map(tofrom : wrong, changed)                        \
    reduction(+ : wrong, changed)
  for (int i = 0; i < 8; i++) {
    struct pair pair;
    pair.thread = i;
    for (int k = 0; k < 600; k++)
      pair.values[k] = k;
    wrong += __llvm_omp_host_call(function, &pair, sizeof pair) != 179700ull + i;
    changed += pair.values[0] != 0;
  }
#pragma omp target map(from : refused, named)
  {
    HERE();
    refused = __llvm_omp_host_call((void *)16, &named, sizeof named) == ~0ull;
    named = omp_get_uid_from_device(0) != 0 || omp_get_device_from_uid("HOST") != -2;
  }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(changed, 0);
  CHECK_EQ(refused, 1);
  CHECK_EQ(named, 0);
  return finish();
}
