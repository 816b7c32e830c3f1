// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of fork opens a library and lets it compute, while other threads of its parent were computing and opening.

// RUN: %clang -shared -fPIC %inputs/library.c -o %t.lib.so
// RUN: %clang -shared -fPIC -DNAME=other -DSTART=200 %inputs/library.c -o %t.other.so
// RUN: %clang %s -o %t -ldl -lpthread
// RUN: %run %t %t.lib.so %t.other.so
// UNSUPPORTED: runtime-llvm
// These plugins do not free their locks in the child, which hangs at times.
// UNSUPPORTED: plugins-of-llvm-16

#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int started, stop;

// A function of its own: code by clang 15 and 16 takes stack for each region that it comes by, until the function
// returns.
static __attribute__((noinline)) void compute_once(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x++;
  CHECK_EQ(x, 2);
}

static void *compute(void *unused) {
  while (!stop) {
    compute_once();
    started = 1;
  }
  return unused;
}

static int use(const char *path, const char *name, int wanted) {
  void *library = dlopen(path, RTLD_NOW);
  int (*count)(int, int) = (int (*)(int, int))dlsym(library, name);
  int is_right = count(0, 1) == wanted;
  dlclose(library);
  return is_right;
}

int main(int argc, char **argv) {
  pthread_t worker;
  CHECK(use(argv[2], "other_count", 201));
  CHECK_EQ(pthread_create(&worker, NULL, compute, NULL), 0);
  while (!started) // libomp gets to know both threads under a lock that it does not take around a fork
    usleep(1000);
  for (int round = 0; round < 20; round++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(40); // ends a child that hangs
      int x = 10;
#pragma omp target map(tofrom : x)
      {
        HERE();
        x++;
      }
      _exit(x == 11 && use(argv[1], "lib_count", 101) ? 0 : 1);
    }
    CHECK(use(argv[2], "other_count", 201));
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  stop = 1;
  pthread_join(worker, NULL);
  return finish();
}
