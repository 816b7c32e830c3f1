// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// soak ROUNDS: 16 threads map, compute, update and unmap their own and common data on 4 devices, ROUNDS times each.
// Results must be right, nothing may be left present, and memory must not grow from the first half of the rounds to the
// second.

#include <malloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 16, DEVICES = 4, N = 64 };
struct list {
  int n, *values, tail[6];
};
static int common[N];

static int fail(const char *what) {
  printf("failed: %s\n", what);
  return 1;
}

static int use(int thread, int round, unsigned *state) {
  const int device = (int)(rand_r(state) % DEVICES), size = 1 + (int)(rand_r(state) % N);
  int *data = malloc((size_t)size * sizeof *data), sum = 0;
  struct list list = {size, data, {0}};
  for (int i = 0; i < size; i++)
    data[i] = thread + round + i;
#pragma omp target enter data device(device) map(to : common, data[0 : size])
#pragma omp target data device(device) map(tofrom : list) map(tofrom : list.values[0 : size])
  {
#pragma omp target device(device) map(tofrom : sum)
    for (int i = 0; i < size; i++) {
      sum += list.values[i] - thread - round - i + common[i] - i;
      list.values[i]++;
      list.tail[5] = i;
    }
#pragma omp target update device(device) from(data[0 : size])
  }
#pragma omp target exit data device(device) map(from : data[0 : size]) map(release : common)
  int wrong = sum != 0 || list.values != data || list.tail[5] != size - 1;
  for (int i = 0; i < size; i++)
    wrong |= data[i] != thread + round + i + 1;
  void *memory = omp_target_alloc((size_t)size * sizeof *data, device);
  wrong |= !memory || omp_target_memcpy(memory, data, sizeof *data, 0, 0, device, omp_get_initial_device());
  omp_target_free(memory, device);
  wrong |= omp_target_is_present(data, device);
  free(data);
  return wrong;
}

static long resident_kilobytes(void) {
  long all, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2)
    resident = 0;
  if (file)
    fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int run(int first, int end) {
  int wrong = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
  {
    unsigned state = (unsigned)(omp_get_thread_num() + first * 31 + 1);
    for (int round = first; round < end; round++)
      wrong += use(omp_get_thread_num(), round, &state);
  }
  malloc_trim(0);
  return wrong;
}

int main(int count, char **arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 1000;
  for (int i = 0; i < N; i++)
    common[i] = i;
  if (omp_get_num_devices() != DEVICES)
    return fail("four devices are needed");
  if (run(0, rounds / 2))
    return fail("results of the first half");
  const long heap = (long)mallinfo2().uordblks / 1024, resident = resident_kilobytes();
  if (run(rounds / 2, rounds))
    return fail("results of the second half");
  const long more_heap = (long)mallinfo2().uordblks / 1024 - heap, more_resident = resident_kilobytes() - resident;
  printf("%d threads, %d devices, %d rounds each: %ld kB resident, %+ld kB in the second half; heap %+ld kB\n", THREADS,
         DEVICES, rounds, resident, more_resident, more_heap);
  for (int device = 0; device < DEVICES; device++)
    if (omp_target_is_present(common, device))
      return fail("common data are left present");
  return more_heap > 256 || more_resident > 8192 ? fail("memory grows") : 0;
}
