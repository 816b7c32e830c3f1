// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_PROFILE: a trace that viewers of Chrome's format read, and tables; also after exit() in a thread and after a
// fatal error.

// REQUIRES: runtime-omptarget, clang-15-or-later
// RUN: %clang -g -pthread %s -o %t
// RUN: rm -f %t.json %t.exit.json %t.fatal.json
// RUN: %run LIBOMPTARGET_PROFILE=%t.json %t
// RUN: %python %inputs/check_profile.py %t.json
// RUN: %run LIBOMPTARGET_PROFILE=%t.exit.json %t exit
// RUN: %python %inputs/check_profile.py %t.exit.json
// RUN: %expect-abort env LIBOMPTARGET_PROFILE=%t.fatal.json %t fatal
// RUN: %python %inputs/check_profile.py %t.fatal.json
// RUN: %run LIBOMPTARGET_PROFILE=- %t 2>&1 | %check
// RUN: %run LIBOMPTARGET_PROFILE=- OMP_TARGET_OFFLOAD=DISABLED %t host 2>&1 | %check --check-prefix=HOST

// CHECK: omptarget profile: {{[0-9]+}} events
// CHECK: Constructs
// CHECK: target {{ *}}profile.c:
// CHECK: Kernels
// CHECK: main, line {{[0-9]+}}
// CHECK: Copies by variable
// CHECK: data{{.*}}to device{{ *}}10{{ *}}80.00 kB
// CHECK: Copied although nothing had changed
// CHECK: data{{.*}}to device{{ *}}9{{ *}}10
// HOST: Regions that ran on the host
// HOST-NEXT: why
// HOST-NEXT: offloading is disabled (OMP_TARGET_OFFLOAD=DISABLED){{ *}}10

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static double data[1000];

static void *end_program(void *argument) { exit(0); }

int main(int argc, char **argv) {
  double sum = 0;
  for (int i = 0; i < 10; i++) {
#pragma omp target map(to : data) map(tofrom : sum)
    sum += data[i];
  }
  if (argc > 1 && strcmp(argv[1], "exit") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, end_program, NULL);
    pthread_join(thread, NULL);
  }
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) {
#pragma omp target map(to : data) device(77)
    sum = 1;
  }
  return sum != 0;
}
