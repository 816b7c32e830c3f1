// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU device keeps freed memory for the next construct: no page faults in the steady state, whatever the size. It
// gives the memory back after the idle time, though nothing is mapped any more. So does the child of a fork that has
// mapped something. Memory that is kept makes no allocation fail.

// REQUIRES: runtime-omptarget, lasts
// UNSUPPORTED: sanitizer, emulated, plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16, plugins-of-llvm-16-legacy
// UNSUPPORTED: plugins-of-llvm-17, plugins-of-llvm-18, plugins-of-llvm-19
// RUN: %clang %s -o %t
// RUN: %run %t faults
// RUN: not %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 %t faults
// RUN: not %run LIBOMPTARGET_MEMORY_MANAGER_LIMIT=1000 %t faults
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_IDLE=1 %t idle
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_IDLE=1 %t fork
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_LIMIT=100000000000 %t limit
// RUN: %run LIBOMPTARGET_HOST_DEVICES=numa %t faults
// RUN: %run LIBOMPTARGET_HOST_DEVICES=numa LIBOMPTARGET_MEMORY_MANAGER_IDLE=1 %t idle

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t kMega = 1 << 20;

static long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

static size_t resident(void) {
  size_t size = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%zu %zu", &size, &pages) != 2)
    pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void map_two(size_t size) {
  static char *volatile arrays[2];
  for (int i = 0; i < 2; ++i)
    arrays[i] = memset(malloc(size), 1, size);
  char *first = arrays[0], *second = arrays[1];
  long least = 1000000000;
  for (int round = 0; round < 6; ++round) {
    const long before = faults();
#pragma omp target map(tofrom : first[0 : size], second[0 : size])
    {
      first[size - 1]++;
      second[size - 1] = first[0];
    }
    const long own = faults() - before;
    least = own < least ? own : least;
  }
  CHECK_EQ(first[size - 1], 7);
  CHECK_EQ(second[size - 1], 1);
  if (least > 8)
    printf("%zu bytes: %ld faults\n", size, least);
  CHECK(least <= 8);
  free(first);
  free(second);
}

static void wait_for_level(size_t before) {
  for (int i = 0; i < 600 && resident() > before + 4 * kMega; ++i)
    usleep(100000);
  CHECK(resident() <= before + 4 * kMega);
}

static void map_and_wait(void) {
  map_two(65536);
  const size_t before = resident();
  map_two(48 * kMega);
  CHECK(resident() > before + 64 * kMega);
  wait_for_level(before);
  map_two(kMega);
}

/// Nearly all of the address space is kept; then another size is wanted, small blocks too.
static void fill_limit(void) {
  map_two(kMega);
  size_t size = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK_EQ(fscanf(file, "%zu", &size), 1);
  fclose(file);
  struct rlimit limit = {size * (size_t)sysconf(_SC_PAGESIZE) + 300 * kMega, RLIM_INFINITY};
  CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  for (int i = 0; i < 20; ++i) {
    const size_t bytes = (size_t)(100 + 9 * i) * kMega;
    void *const memory = omp_target_alloc(bytes, 0);
    CHECK(memory != NULL);
    omp_target_free(memory, 0);
  }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "faults") == 0)
    for (size_t size = 65536; size <= 64 * kMega; size *= 4)
      map_two(size);
  if (strcmp(what, "idle") == 0)
    map_and_wait();
  if (strcmp(what, "limit") == 0)
    fill_limit();
  if (strcmp(what, "fork") == 0) {
    map_two(65536);
    const size_t before = resident();
    map_two(48 * kMega);
    const pid_t child = fork();
    if (child == 0) {
      map_two(kMega);
      wait_for_level(before);
      _exit(finish());
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  return finish();
}
