// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first use of a device is after main has ended and the executable was finalised, as a thread that nobody joins may
// have it. Nothing was used before, or devices were counted, or another device was used. A device that lasts serves. No
// driver is started that late: the host does the work, also where offloading is mandatory.

// RUN: %clang -Wl,--no-as-needed -shared -fPIC %inputs/calls_at_end.c -o %t.end.so
// RUN: %clang %s %t.end.so -o %t -pthread
// RUN: %run %t 2>&1 | %check --check-prefix=%lifetime
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t 2>&1 | %check --check-prefix=%lifetime
// RUN: %run %t counted 2>&1 | %check --check-prefix=%lifetime
// RUN: %run %t other 2>&1 | %check --check-prefix=%lifetime
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t other 2>&1 | %check --check-prefix=%lifetime
// UNSUPPORTED: runtime-llvm

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

void call_at_end(void (*function)(void));

static int value = 5;
#pragma omp declare target(value)
static int device;
static int values[4] = {1, 2, 3, 4};

static void region(const char *when) {
  int is_host = -1, x = 0;
#pragma omp target data map(tofrom : values) device(device)
#pragma omp target map(from : is_host, x) device(device)
  {
    is_host = omp_is_initial_device();
    x = value;
    values[1] *= 7;
  }
  printf("%s: %s %d %d\n", when, is_host ? "host" : "device", x, values[1]);
  fflush(stdout);
}

static void *use(void *when) {
  region(when);
  return NULL;
}

static void act(void) {
  pthread_t thread;
  use("late");
  pthread_create(&thread, NULL, use, "late, by a thread");
  pthread_join(thread, NULL);
}

int main(int count, char **arguments) {
  call_at_end(act);
  if (count > 1 && strcmp(arguments[1], "counted") == 0 && omp_get_num_devices() < 1)
    return 1;
  if (count > 1 && strcmp(arguments[1], "other") == 0) {
    region("main");
    values[1] = 2;
    device = 1;
  }
  return 0;
}

// LASTS-NOT: error
// LASTS: late: device 5 14
// LASTS: late, by a thread: device 5 98
// LASTS-NOT: error

// DRIVER-NOT: error
// DRIVER: late: host 5 14
// DRIVER: late, by a thread: host 5 98
// DRIVER-NOT: error
