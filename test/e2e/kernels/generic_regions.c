// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of kernels in which one thread runs what is outside of regions, by any number of threads: also by some lanes
// of a warp. The regions are in functions that the kernel calls by their names or, with POINTERS, through pointers.

// RUN: %clang -DPOINTERS %s -o %t
// RUN: %run %t
// Where the kernel calls them by their names, the compiler lets all threads run everything.
// RUN: %clang %s -o %t.named
// RUN: %run %t.named
// It does not, if it is asked not to look. (Clang 16 takes minutes then.)
// RUN: %if executor && clang-19-or-later %{ %clang -mllvm -openmp-opt-disable-spmdization -Xoffload-linker \
// RUN:   -mllvm=-openmp-opt-disable-spmdization %s -o %t.generic %}
// RUN: %if executor && clang-19-or-later %{ %run %t.generic %}
// LLVM's device RTL gives inner regions threads of their own, and waits for lanes that do not come.
// UNSUPPORTED: rtl-llvm

#include "check.h"

#include <omp.h>

enum { kMost = 64, kTurns = 4 };

struct Work {
  int wanted, threads, wrong, singles, critical, sum, most, loops[100], inner[kMost], values[kMost];
};
typedef void (*Step)(struct Work *);

#pragma omp begin declare target
void barriers(struct Work *work) {
#pragma omp parallel num_threads(work->wanted)
  {
    const int number = omp_get_thread_num(), count = omp_get_num_threads();
    if (number == 0)
      work->threads = count;
    for (int turn = 1; turn <= kTurns; turn++) {
      work->values[number] = turn * 100 + number;
#pragma omp barrier
      if (work->values[(number + 1) % count] != turn * 100 + (number + 1) % count)
#pragma omp atomic
        work->wrong += 1;
#pragma omp barrier
    }
  }
}

void singles(struct Work *work) {
#pragma omp parallel num_threads(work->wanted)
  {
    for (int turn = 0; turn < kTurns; turn++) {
#pragma omp single
      work->singles++;
      if (work->singles != turn + 1)
#pragma omp atomic
        work->wrong += 1;
#pragma omp barrier
    }
#pragma omp critical
    work->critical++;
  }
}

void loops(struct Work *work) {
#pragma omp parallel num_threads(work->wanted)
  {
#pragma omp for nowait
    for (int i = 0; i < 100; i++)
      work->loops[i] += 1;
#pragma omp barrier
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 100; i++)
      work->loops[99 - i] += 10;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 100; i++)
      work->loops[i] += 100;
  }
}

void inner_regions(struct Work *work) {
#pragma omp parallel num_threads(work->wanted)
  {
    const int number = omp_get_thread_num();
#pragma omp barrier
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
      if (omp_get_thread_num() == 0)
        work->inner[number] += 10 * omp_get_level() + 1;
    }
#pragma omp barrier
    if (work->inner[(number + 1) % omp_get_num_threads()] != 21)
#pragma omp atomic
      work->wrong += 1;
  }
}

void reductions(struct Work *work) {
  int sum = 0, most = -1;
#pragma omp parallel num_threads(work->wanted) reduction(+ : sum) reduction(max : most)
  {
    sum += omp_get_thread_num();
    most = omp_get_thread_num();
  }
  work->sum += sum;
  work->most = most;
#pragma omp parallel for num_threads(work->wanted) reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
  work->sum += sum;
}

#ifdef POINTERS
Step steps[] = {barriers, singles, loops, inner_regions, reductions};
// Regions in regions by name, for AMD's GPUs by clang 16 and 19 (docs/use/indirect.md).
__attribute__((noinline)) void take(int number, struct Work *work) {
  if (number == 3)
    return inner_regions(work);
  steps[number](work);
}
#else
void take(int number, struct Work *work) {
  switch (number) {
  case 0: return barriers(work);
  case 1: return singles(work);
  case 2: return loops(work);
  case 3: return inner_regions(work);
  default: return reductions(work);
  }
}
#endif
#pragma omp end declare target

int main(void) {
  const int counts[] = {1, 3, 31, 32, 33, 40, 64};
  for (unsigned c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
    const int wanted = counts[c];
    struct Work work = {wanted};
#pragma omp target map(tofrom : work)
    for (int number = 0; number < 5; number++)
      take(number, &work);
    // A device that is the host may give fewer.
    const int threads = work.threads;
    CHECK_EQ(threads >= 1 && threads <= wanted, 1);
    CHECK_EQ(work.wrong, 0);
    CHECK_EQ(work.singles, kTurns);
    CHECK_EQ(work.critical, threads);
    for (int i = 0; i < 100; i++)
      CHECK_EQ(work.loops[i], 111);
    for (int i = 0; i < threads; i++)
      CHECK_EQ(work.inner[i], 21);
    const int sum = threads * (threads - 1) / 2;
    CHECK_EQ(work.sum, 2 * sum + 4950);
    CHECK_EQ(work.most, threads - 1);
  }
  return finish();
}
