// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads open, use and close libraries of five clangs, while others compute in the program and with one library that
// stays. Results are right, globals fresh at each opening, and nothing is left behind.

// RUN: %clang-14 -shared -fPIC -DNAME=by14 -DSTART=14 %inputs/library.c -o %t.14.so
// RUN: %clang-15 -shared -fPIC -DNAME=by15 -DSTART=15 %inputs/library.c -o %t.15.so
// RUN: %clang-16 -shared -fPIC -DNAME=by16 -DSTART=16 %inputs/library.c -o %t.16.so
// RUN: %clang-19 -shared -fPIC -DNAME=by19 -DSTART=19 %inputs/library.c -o %t.19.so
// RUN: %clang-22 -shared -fPIC -DNAME=by22 -DSTART=22 %inputs/library.c -o %t.22.so
// RUN: %clang-22 -shared -fPIC -DNAME=stays -DSTART=500 %inputs/library.c -o %t.stays.so
// RUN: %clang-22 %s %t.stays.so -Wl,--allow-shlib-undefined -ldl -lpthread -o %t.22
// RUN: %run %t.22 %t
// RUN: %clang-15 %s %t.stays.so -Wl,--allow-shlib-undefined -ldl -lpthread -o %t.15
// RUN: %run %t.15 %t
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { ROUNDS = 30, OPENERS = 5, WORKERS = 2 };
static const char *const versions[OPENERS] = {"14", "15", "16", "19", "22"};
static const char *prefix;
static int wrong[OPENERS + WORKERS];

int stays_compute(int);

static void *function(void *library, const char *version, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "by%s_%s", version, name);
  return dlsym(library, full);
}

static void *open_and_close(void *number) {
  const int i = (int)(long)number, start = atoi(versions[i]);
  char path[4096];
  snprintf(path, sizeof path, "%s.%s.so", prefix, versions[i]);
  for (int round = 0; round < ROUNDS; round++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*count)(int, int) = (int (*)(int, int))function(library, versions[i], "count");
    int (*compute)(int) = (int (*)(int))function(library, versions[i], "compute");
    void (*add)(int *, int, int) = (void (*)(int *, int, int))function(library, versions[i], "add");
    int a[8] = {0};
    wrong[i] += count(round % 4, 2) != start + 2;
    wrong[i] += count(0, 1) != start + 1 + (round % 4 == 0 ? 2 : 0);
    wrong[i] += compute(5) != start + 1 + (round % 4 == 0 ? 2 : 0) + 10;
    add(a, 8, round);
    wrong[i] += a[7] != round;
    wrong[i] += dlclose(library) != 0;
  }
  return NULL;
}

static void *work(void *number) {
  const int i = (int)(long)number;
  for (int round = 0; round < 10 * ROUNDS; round++) {
    int x = round, host = 1;
#pragma omp target map(tofrom : x) map(from : host) device(round % 4)
    {
      x++;
      host = omp_is_initial_device();
    }
    wrong[i] += host || x != round + 1 || stays_compute(1) != 502;
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[OPENERS + WORKERS];
  prefix = argv[1];
  for (long i = 0; i < OPENERS + WORKERS; i++)
    CHECK_EQ(pthread_create(&threads[i], NULL, i < OPENERS ? open_and_close : work, (void *)i), 0);
  for (int i = 0; i < OPENERS + WORKERS; i++) {
    CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(wrong[i], 0);
  }
  return finish();
}
