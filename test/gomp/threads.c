// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight threads with regions on the same data, and on data of their own.
// RUN: %gcc %s -o %t
// RUN: %run %t
#include "check.h"
#include <pthread.h>

enum { kThreads = 8, kRounds = 300, kCount = 64 };
static int shared_data[kThreads][kCount];

static void work(int thread) {
  int own[kCount] = {0};
  for (int round = 1; round <= kRounds; ++round) {
    int sum = 0;
#pragma omp target map(tofrom : shared_data, own) map(from : sum)
    {
      HERE();
      sum = 0;
      for (int i = 0; i < kCount; ++i) {
        shared_data[thread][i] += 1;
        own[i] += 1;
        sum += own[i];
      }
    }
    CHECK_EQ(sum, round * kCount);
#pragma omp target update to(own[0 : 1])
  }
  CHECK_EQ(own[5], kRounds);
}

static void *run(void *number) {
  work((int)(long)number);
  return NULL;
}

int main(void) {
#pragma omp target enter data map(to : shared_data)
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, run, (void *)i);
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
#pragma omp parallel num_threads(kThreads)
  work(omp_get_thread_num());
  CHECK_EQ(shared_data[3][5], 0);
#pragma omp target exit data map(from : shared_data)
  for (int i = 0; i < kThreads; ++i)
    CHECK_EQ(shared_data[i][i], 2 * kRounds);
  return finish();
}
