// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads on four devices, each of them with each kind of map. These are mappers, members and their pointees,
// held data, sections, device pointers, private copies, associated memory, globals and linked globals.

// RUN: %clang -fopenmp-version=51 -fopenmp-extensions %s %prefix/lib/libomptarget.so -o %t
// RUN: %run %t
// A device that starts nothing before somebody waits for it, where the suite has one.
// RUN: %run SIM_CUDA_HOLD=1 %t
// UNSUPPORTED: runtime-llvm
// The plugins of LLVM 16 let the code of every device read the linked variables of the first. LLVM 17's do so with
// images of clang 16.
// UNSUPPORTED: plugins-of-llvm-16, plugins-of-llvm-16-legacy, plugins-of-llvm-17 && clang-16

#include "check.h"

#define N 24
#define THREADS 8
#define ROUNDS 40

typedef struct {
  int n;
  int *p;
  int tail;
} List;
#pragma omp declare mapper(deep : List l) map(l.n, l.p[0 : l.n])

#pragma omp declare target
int global[THREADS];
#pragma omp end declare target
int linked[N];
#pragma omp declare target link(linked)

static int shared[N];

// Functions of their own: code by clang 15 and 16 takes stack for each region that it comes by, until the function
// returns.
#define KIND static __attribute__((noinline)) int

KIND mappers(int device) {
  int data[3][N] = {{0}}, wrong = 0;
  List lists[3] = {{1, data[0], 0}, {N, data[1], 0}, {7, data[2], 0}};
#pragma omp target enter data map(mapper(deep), to : lists) device(device)
#pragma omp target map(mapper(deep), tofrom : lists) device(device)
  {
    HERE();
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < lists[i].n; j++)
        lists[i].p[j] += i + j;
  }
  wrong += data[1][N - 1] != 0;
#pragma omp target exit data map(mapper(deep), from : lists) device(device)
  for (int i = 0; i < 3; i++)
    wrong += data[i][lists[i].n - 1] != i + lists[i].n - 1 || lists[i].p != data[i];
  return wrong + omp_target_is_present(lists, device) + omp_target_is_present(data[1], device);
}

KIND members(int device) {
  int data[N] = {0}, wrong = 0;
  List list = {N, data, 5}, *l = &list;
  // Clang 22 maps the pointer between the members only if these surround it.
#pragma omp target data map(tofrom : l->n, l->tail, l->p[0 : N]) device(device)
  {
#pragma omp target map(tofrom : l->n, l->tail, l->p[0 : N]) device(device)
    {
      HERE();
      for (int i = 0; i < l->n; i++)
        l->p[i] = i;
      l->n = 3;
    }
#pragma omp target update from(l->n, l->p[2 : 4]) device(device)
    wrong += list.n != 3 || data[1] != 0 || data[2] != 2 || data[5] != 5 || data[6] != 0;
  }
  return wrong + (data[N - 1] != N - 1) + (list.p != data) + (list.tail != 5);
}

KIND held(int device) {
  int a[N] = {0}, wrong = 0;
#pragma omp target data map(ompx_hold, tofrom : a) map(ompx_hold, to : shared) device(device)
  {
#pragma omp target enter data map(to : a) device(device)
#pragma omp target exit data map(delete : a) device(device)
    wrong += !omp_target_is_present(a, device);
#pragma omp target map(present, alloc : a) map(to : shared) device(device)
    {
      HERE();
      for (int i = 0; i < N; i++)
        a[i] = shared[i];
    }
  }
  for (int i = 0; i < N; i++)
    wrong += a[i] != i;
  return wrong;
}

KIND sections(int device) {
  int a[6][4] = {{0}}, wrong = 0;
#pragma omp target enter data map(to : a) device(device)
#pragma omp target device(device) map(alloc : a)
  {
    HERE();
    for (int i = 0; i < 24; i++)
      a[i / 4][i % 4] = i + 1;
  }
#pragma omp target update from(a[0 : 3 : 2][1 : 2]) device(device)
  for (int i = 0; i < 24; i++)
    wrong += a[i / 4][i % 4] != (i / 4 % 2 == 0 && (i % 4 == 1 || i % 4 == 2) ? i + 1 : 0);
#pragma omp target exit data map(delete : a) device(device)
  return wrong;
}

KIND device_pointers(int device) {
  int a[N] = {0}, *p = a, wrong = 0;
#pragma omp target data map(tofrom : p[0 : N]) use_device_ptr(p) device(device)
#pragma omp target is_device_ptr(p) device(device)
  {
    HERE();
    p[N - 1] = 4;
  }
  wrong += a[N - 1] != 4;
  int *there = omp_target_alloc(sizeof a, device);
  wrong += omp_target_associate_ptr(a, there, sizeof a, 0, device) != 0;
#pragma omp target map(always, tofrom : a) device(device)
  {
    HERE();
    a[0] = a[N - 1] + 1;
  }
  wrong += a[0] != 5 || omp_target_disassociate_ptr(a, device) != 0;
  omp_target_free(there, device);
  return wrong;
}

KIND private_copies(int device, int thread) {
  int small[3] = {thread, 2, 3}, sum = 0;
  double large[200];
  for (int i = 0; i < 200; i++)
    large[i] = thread;
#pragma omp target firstprivate(small, large, thread) map(tofrom : sum) device(device)
  {
    HERE();
    small[0] += 1;
    large[199] += small[0];
    sum = (int)large[199] + small[2] + thread;
  }
  return (sum != 3 * thread + 4) + (small[0] != thread) + (large[199] != thread);
}

KIND globals(int device, int thread) {
  int seen = 0;
#pragma omp target map(to : linked) map(from : seen) device(device)
  {
    HERE();
    global[thread] = thread + device;
    seen = global[thread] + linked[N - 1];
  }
  return seen != thread + device + N - 1;
}

int main(void) {
  for (int i = 0; i < N; i++)
    shared[i] = linked[i] = i;
  int wrong[7] = {0}, devices = omp_get_num_devices();
  CHECK_EQ(devices, 4);
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
  for (int round = 0; round < ROUNDS; round++) {
    int thread = omp_get_thread_num(), device = (thread + round) % devices;
    wrong[0] += mappers(device);
    wrong[1] += members(device);
    wrong[2] += held(device);
    wrong[3] += sections(device);
    wrong[4] += device_pointers(device);
    wrong[5] += private_copies(device, thread);
    wrong[6] += globals(device, thread);
  }
  for (int i = 0; i < 7; i++)
    CHECK_EQ(wrong[i] == 0 ? -1 : i, -1);
  for (int device = 0; device < devices; device++)
    CHECK(!omp_target_is_present(shared, device) && !omp_target_is_present(linked, device));
  return finish();
}
