// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// realloc and aligned memory in regions, with a heap of the device's own and without, and the clocks. Blocks keep what
// they hold, none lies over another, and all can be freed. NVIDIA's driver has no realloc, and its blocks begin at
// multiples of 16.
// REQUIRES: rtl-ours
// RUN: %clang -D_GNU_SOURCE -O2 %s -o %t
// RUN: %run %t
// RUN: %if emulator-amdgpu %{ %run LIBOMPTARGET_HEAP_SIZE=0 %t %}
// RUN: %if emulator-amdgpu %{ %run LIBOMPTARGET_HEAP_SIZE=20000 %t %}
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 SIM_EXECUTOR_STRICT_LANES=1 %t 2>&1 | %FileCheck %s --allow-empty
// CHECK-NOT: {{.}}

#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define THREADS 40
#define BLOCKS 6

#pragma omp begin declare target
/// Returns whether all bytes are the one.
static int is_filled(const char *block, size_t size, int with) {
  for (size_t i = 0; i < size; i++)
    if (block[i] != (char)with)
      return 0;
  return 1;
}
static int aligned_blocks(int thread, int *errors) {
  char *blocks[BLOCKS];
  size_t sizes[BLOCKS];
  int wrong = 0;
  for (int i = 0; i < BLOCKS; i++) {
#ifdef __NVPTX__
    const size_t alignment = 8u << i % 2;
#else
    const size_t alignment = 8u << (i + thread) % 8;
#endif
    sizes[i] = (size_t)(1 + i * 37 + thread);
    void *block = NULL;
    if (i % 2)
      block = aligned_alloc(alignment, sizes[i]);
    else
      wrong += posix_memalign(&block, alignment, sizes[i]) != 0;
    blocks[i] = (char *)block;
    wrong += !block || (uintptr_t)block % alignment != 0;
    if (block)
      memset(block, thread * 8 + i, sizes[i]);
  }
  for (int i = 0; i < BLOCKS; i++) {
    wrong += !blocks[i] || !is_filled(blocks[i], sizes[i], thread * 8 + i);
    free(blocks[i]);
  }
  void *none = NULL;
  errors[0] = posix_memalign(&none, 24, 8);
  errors[1] = posix_memalign(&none, 4, 8);
  errno = 0;
  wrong += aligned_alloc(48, 96) != NULL;
  errors[2] = errno;
  return wrong;
}
#pragma omp end declare target

/// Lets a block grow and shrink.
#ifdef __NVPTX__
static int resized_blocks(int thread) { return 0 * thread; }
#else
static int resized_blocks(int thread) {
  int wrong = 0;
  size_t size = 5;
  char *block = (char *)realloc(NULL, size), *other = (char *)malloc(64);
  memset(block, thread, size);
  memset(other, thread + 1, 64);
  for (int i = 0; i < 12; i++) {
    const size_t changed = i < 8 ? size * 2 + (size_t)(thread % 3) : size / 3;
    block = (char *)realloc(block, changed);
    wrong +=
        !block || malloc_usable_size(block) < changed || !is_filled(block, changed < size ? changed : size, thread);
    memset(block, thread, changed);
    size = changed;
  }
  block = (char *)reallocarray(block, 10, 20);
  wrong += !is_filled(block, size < 200 ? size : 200, thread) || !is_filled(other, 64, thread + 1);
  wrong += reallocarray(block, SIZE_MAX / 2, 3) != NULL || errno != ENOMEM;
  wrong += realloc(block, 0) != NULL;
  free(other);
  return wrong;
}
#endif

static void check_memory(void) {
  int wrong = 0, errors[THREADS][3] = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(20) reduction(+ : wrong) map(tofrom : errors)
  for (int i = 0; i < THREADS; i++)
    wrong += aligned_blocks(i, errors[i]) + resized_blocks(i);
  CHECK_EQ(wrong, 0);
  for (int i = 0; i < THREADS; i++) {
    CHECK_EQ(errors[i][0], EINVAL);
    CHECK_EQ(errors[i][1], EINVAL);
    CHECK_EQ(errors[i][2], EINVAL);
  }
}

static void check_clocks(void) {
  const time_t before = time(NULL);
  time_t seconds = 0, stored = 0;
  struct timeval value = {0, 0};
  struct timespec real = {0, 0}, first = {0, 0}, second = {0, 0}, resolution = {0, 0}, bad = {7, 7};
  clock_t begin = 0, end = 0;
  double omp_begin = 0, omp_end = 0;
  int result = 0, bad_result = 0, base = 0;
#pragma omp target map(tofrom : seconds, stored, value, real, first, second, resolution, bad, begin, end, omp_begin,   \
                           omp_end, result, bad_result, base)
  {
    seconds = time(&stored);
    result = gettimeofday(&value, NULL) + clock_gettime(CLOCK_REALTIME, &real);
    omp_begin = omp_get_wtime();
    result += clock_gettime(CLOCK_MONOTONIC, &first);
    begin = clock();
    for (volatile int i = 0; i < 2000; i++) {
    }
    end = clock();
    result += clock_gettime(CLOCK_MONOTONIC, &second);
    omp_end = omp_get_wtime();
    result += clock_getres(CLOCK_MONOTONIC, &resolution);
    bad_result = clock_gettime(99, &bad);
    base = timespec_get(&real, TIME_UTC);
  }
  const time_t after = time(NULL);
  CHECK(seconds >= before && seconds <= after && stored == seconds);
  CHECK(value.tv_sec >= before && value.tv_sec <= after && value.tv_usec >= 0 && value.tv_usec < 1000000);
  CHECK(real.tv_sec >= before && real.tv_sec <= after && real.tv_nsec >= 0 && real.tv_nsec < 1000000000);
  CHECK_EQ(result, 0);
  CHECK_EQ(bad_result, -1);
  CHECK_EQ(base, TIME_UTC);
  CHECK(resolution.tv_sec == 0 && resolution.tv_nsec > 0);
  CHECK(end >= begin);
  const double by_clock = (double)(second.tv_sec - first.tv_sec) + (double)(second.tv_nsec - first.tv_nsec) * 1e-9;
  CHECK(by_clock >= 0 && by_clock <= omp_end - omp_begin + 1e-6);
  CHECK((double)(end - begin) / CLOCKS_PER_SEC <= by_clock + 2e-6);
}

int main(void) {
  check_memory();
  check_clocks();
  return failed_checks != 0;
}
