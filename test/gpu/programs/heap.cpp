// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that device code allocates, by the main thread and by all threads at once. Blocks have many sizes, are freed
// in another order, and are kept from one kernel to the next.

#include "check.h"

#include <new>
#include <stdint.h>

enum { kTeams = 4, kThreads = 128, kBlocks = kTeams * kThreads, kRounds = 5, kCells = 300 };

#pragma omp begin declare target
static int cells_of(int block, int round) { return 1 + (block * 37 + round * 101) % kCells; }

/// How many of its cells hold another value than the block's.
static int count_wrong(const int *cells, int count, int value) {
  int wrong = cells == nullptr || (uintptr_t)cells % 16 != 0;
  for (int i = 0; cells && i < count; i++)
    wrong += cells[i] != value;
  return wrong;
}

static int *filled(int *cells, int count, int value) {
  for (int i = 0; cells && i < count; i++)
    cells[i] = value;
  return cells;
}
#pragma omp end declare target

/// Blocks of all threads lie beside one another; a thread frees the first before it allocates the third.
static void by_all_threads() {
  int wrong = 0;
#pragma omp target teams distribute parallel for num_teams(kTeams) thread_limit(kThreads) reduction(+ : wrong)         \
    map(tofrom : wrong)
  for (int block = 0; block < kBlocks; block++) {
    HERE();
    for (int round = 0; round < kRounds; round++) {
      const int count = cells_of(block, round);
      int *first = filled((int *)malloc(count * sizeof(int)), count, block);
      int *second = filled(new int[count], count, -block);
      wrong += count_wrong(first, count, block);
      free(first);
      int *third = filled((int *)malloc(2 * count * sizeof(int)), 2 * count, block + 1);
      wrong += count_wrong(second, count, -block) + count_wrong(third, 2 * count, block + 1);
      delete[] second;
      free(third);
    }
  }
  CHECK_EQ(wrong, 0);
}

static void kept_between_kernels() {
  static uintptr_t blocks[kBlocks];
  int wrong = 0;
#pragma omp target data map(alloc : blocks)
  {
#pragma omp target teams distribute parallel for num_teams(kTeams) thread_limit(kThreads)
    for (int block = 0; block < kBlocks; block++) {
      const int count = cells_of(block, 1);
      blocks[block] = (uintptr_t)filled((int *)malloc(count * sizeof(int)), count, 3 * block);
    }
    // Each thread looks at another one's block and frees it.
#pragma omp target teams distribute parallel for num_teams(kTeams) thread_limit(kThreads) reduction(+ : wrong)         \
    map(tofrom : wrong)
    for (int thread = 0; thread < kBlocks; thread++) {
      const int block = (thread * 77 + 5) % kBlocks;
      wrong += count_wrong((int *)blocks[block], cells_of(block, 1), 3 * block);
      free((void *)blocks[block]);
    }
  }
  CHECK_EQ(wrong, 0);
}

/// The main thread's memory in a region of all threads.
static void by_main_threads() {
  int sums[kTeams] = {0};
#pragma omp target teams distribute num_teams(kTeams) thread_limit(kThreads) map(tofrom : sums)
  for (int team = 0; team < kTeams; team++) {
    int *cells = filled((int *)malloc(kCells * sizeof(int)), kCells, team), sum = 0;
#pragma omp parallel for
    for (int i = 0; i < kCells; i++)
      cells[i] += i;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kCells; i++)
      sum += cells[i];
    sums[team] = sum;
    free(cells);
  }
  for (int team = 0; team < kTeams; team++)
    CHECK_EQ(sums[team], kCells * (kCells - 1) / 2 + kCells * team);
}

int main() {
  by_all_threads();
  kept_between_kernels();
  by_main_threads();
  return finish();
}
