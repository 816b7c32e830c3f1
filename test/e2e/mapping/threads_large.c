// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads enter and leave the same large data, under a limit of memory in which they fit once.

// RUN: %clang %s -o %t
// RUN: %run %t
// The stand-ins fill each new block.
// UNSUPPORTED: runtime-llvm, sanitizer, emulator-cuda, emulator-amdgpu

#include "check.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { kThreads = 4, kRounds = 200 };
static const size_t kBytes = (size_t)600 << 20;
static char *data;

static size_t used_addresses(void) {
  unsigned long pages = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  CHECK_EQ(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return pages * 4096;
}

static void *enter_and_leave(void *unused) {
  for (int i = 0; i < kRounds; ++i) {
#pragma omp target enter data map(alloc : data[0 : kBytes])
    if (i % 2 == 0) {
#pragma omp target exit data map(release : data[0 : kBytes])
    } else {
#pragma omp target exit data map(delete : data[0 : kBytes])
    }
  }
  return unused;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1); // others reserve addresses
  data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#pragma omp target
  HERE();
  pthread_t threads[kThreads];
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = used_addresses() + kBytes + kBytes / 6 * 5; // with room for threads' stacks and heaps
  CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  for (int i = 0; i < kThreads; ++i)
    CHECK_EQ(pthread_create(&threads[i], NULL, enter_and_leave, NULL), 0);
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
  CHECK(!omp_target_is_present(data, omp_get_default_device()));
  return finish();
}
