// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread with a default device of its own keeps it while the process ends, until somebody joins it. That is a
// destructor of a global object, after an opened library has been finalised. Or it is the destructor of a needed
// library, after the program's own module has been finalised.

// RUN: %clang -shared -fPIC %inputs/library.c -o %t.opened.so
// RUN: %clangxx -shared -fPIC -DLIBRARY %s -o %t.needed.so -pthread
// RUN: %clangxx %s -o %t %t.needed.so -pthread -ldl
// RUN: %run %t %t.opened.so object
// RUN: %run %t %t.opened.so library
// Other devices end before, and data with them.
// REQUIRES: lasts
// UNSUPPORTED: runtime-llvm, sanitizer

#include <atomic>
#include <pthread.h>
#include <unistd.h>

/// A thread that counts in data of its own, on a device of its own.
struct Counter {
  std::atomic<bool> is_over{false};
  std::atomic<int> rounds{0};
  int result = -1;
  pthread_t thread;
  bool is_started = false;
  void start();
  void stop() {
    usleep(20000); // for rounds after what was finalised before
    is_over = true;
    pthread_join(thread, nullptr);
  }
};

#ifdef LIBRARY

#include <omp.h>
#include <stdio.h>

// Apart: clang 15 and 16 take stack for each region of a loop.
__attribute__((noinline)) static void add_one(int *value) {
#pragma omp target map(alloc : value[0 : 1])
  value[0]++;
}

static void *count(void *argument) {
  Counter &counter = *static_cast<Counter *>(argument);
  omp_set_default_device(2);
  int value[1] = {0};
#pragma omp target enter data map(to : value)
  while (!counter.is_over) {
    add_one(value);
    counter.rounds++;
  }
#pragma omp target exit data map(from : value)
  counter.result = value[0];
  return nullptr;
}

void Counter::start() {
  is_started = true;
  pthread_create(&thread, nullptr, count, this);
  while (rounds < 20)
    usleep(100);
}

Counter counter_of_library;

__attribute__((destructor)) static void end() {
  if (!counter_of_library.is_started)
    return;
  counter_of_library.stop();
  if (counter_of_library.result == counter_of_library.rounds)
    return;
  printf("the library's: %d rounds, result %d\n", counter_of_library.rounds.load(), counter_of_library.result);
  fflush(stdout);
  _exit(1);
}

#else

#include "check.h"

#include <dlfcn.h>
#include <string.h>

extern Counter counter_of_library;

static struct Holder {
  Counter counter;
  ~Holder() {
    if (!counter.is_started)
      return;
    counter.stop();
    CHECK_EQ(counter.result, counter.rounds);
    if (finish())
      _exit(1);
  }
} holder;

int main(int, char **argv) {
  CHECK(dlopen(argv[1], RTLD_NOW) != nullptr);
  int here = 0;
#pragma omp target map(tofrom : here)
  here = 1;
  CHECK_EQ(here, 1);
  (strcmp(argv[2], "object") == 0 ? holder.counter : counter_of_library).start();
  return 0;
}

#endif
