// Programs that are shaped for GPUs: the threads of a team exchange data through an array of the team, and wait for one
// another at barriers. They take thread_limit for the number of threads, and omp_get_team_num() for their block. On the
// CPU device a team has as many threads as the construct asks for, however few processors there are.
// RUN: %clang -g %s -lm -o %t
// RUN: %run %t | %check
// RUN: %run OMP_NUM_THREADS=1 %t | %check
// RUN: %run OMP_NUM_THREADS=256 KMP_TEAMS_THREAD_LIMIT=1024 %t | %check
// RUN: %clang -O0 %s -lm -o %t && %run %t | %check
// RUN: %clang -O3 -fno-plt %s -lm -o %t && %run %t | %check
// RUN: %clang -DUNREADABLE -fno-asynchronous-unwind-tables %s -lm -o %t && %run %t | %check
// CHECK-NOT: warning
// CHECK: ok
// About the plugin for the CPU.
// UNSUPPORTED: runtime-llvm, plugins-of-{{.*}}, emulator-cuda, emulator-amdgpu
#include "check.h"
#include <fenv.h>

enum { kBlock = 256, kBlocks = 5, kCount = kBlock * kBlocks };

// A block reverses its part.
static void reverse(int blocks) {
  int data[kCount];
  for (int i = 0; i < kCount; i++)
    data[i] = i;
#pragma omp target teams num_teams(blocks) thread_limit(kBlock) map(tofrom : data)
  {
    int tile[kBlock];
    HERE();
#pragma omp parallel
    {
      const int thread = omp_get_thread_num(), at = omp_get_team_num() * kBlock + thread;
      tile[thread] = data[at];
#pragma omp barrier
      data[at] = tile[kBlock - 1 - thread];
    }
  }
  for (int i = 0; i < kCount; i++)
    CHECK_EQ(data[i], i / kBlock < blocks ? i / kBlock * kBlock + kBlock - 1 - i % kBlock : i);
}

// Sums of all elements before: up and down a tree (Blelloch), with barriers between the steps.
static void scan(void) {
  int data[kCount];
  for (int i = 0; i < kCount; i++)
    data[i] = i % 7;
#pragma omp target teams distribute num_teams(3) thread_limit(kBlock / 2) map(tofrom : data)
  for (int block = 0; block < kBlocks; block++) {
    int tree[kBlock];
    HERE();
#pragma omp parallel num_threads(kBlock / 2)
    {
      const int thread = omp_get_thread_num();
      int stride = 1;
      tree[2 * thread] = data[block * kBlock + 2 * thread];
      tree[2 * thread + 1] = data[block * kBlock + 2 * thread + 1];
      for (int active = kBlock / 2; active > 0; active /= 2, stride *= 2) {
#pragma omp barrier
        if (thread < active)
          tree[stride * (2 * thread + 2) - 1] += tree[stride * (2 * thread + 1) - 1];
      }
      if (thread == 0)
        tree[kBlock - 1] = 0;
      for (int active = 1; active < kBlock; active *= 2) {
        stride /= 2;
#pragma omp barrier
        if (thread < active) {
          const int low = stride * (2 * thread + 1) - 1, high = stride * (2 * thread + 2) - 1, kept = tree[low];
          tree[low] = tree[high];
          tree[high] += kept;
        }
      }
#pragma omp barrier
      data[block * kBlock + 2 * thread] = tree[2 * thread];
      data[block * kBlock + 2 * thread + 1] = tree[2 * thread + 1];
    }
  }
  for (int i = 0, sum = 0; i < kCount; sum = (i + 1) % kBlock ? sum + i % 7 : 0, i++)
    CHECK_EQ(data[i], sum);
}

// Kept out of the region, and exported: the linker calls it by way of a table.
#pragma omp declare target
__attribute__((noinline)) int rotate_in_block(int *tile, int value, int size) {
  tile[omp_get_thread_num()] = value;
#pragma omp barrier
  return tile[(omp_get_thread_num() + 1) % size];
}
#pragma omp end declare target

// The number of threads is a clause of the parallel region only.
static void rotate(void) {
  int data[64], threads = 0, usual = 0, teams = 0;
#pragma omp target teams map(from : data, threads, usual, teams)
  {
    int tile[64];
    HERE();
    teams = omp_get_num_teams();
#pragma omp parallel num_threads(64)
    {
      data[omp_get_thread_num()] = rotate_in_block(tile, omp_get_thread_num(), 64);
      if (omp_get_thread_num() == 0)
        threads = omp_get_num_threads();
    }
#pragma omp parallel if (teams != 1)
    threads += omp_get_num_threads() - 1;
#pragma omp parallel
    if (omp_get_thread_num() == 0)
      usual = omp_get_num_threads();
  }
  CHECK_EQ(threads, 64);
  CHECK_EQ(usual, omp_get_max_threads());
  CHECK_EQ(teams, 1);
  for (int i = 0; i < 64; i++)
    CHECK_EQ(data[i], (i + 1) % 64);
}

// What the specification says of teams holds: numbers, limits, levels, reductions.
static void numbers(int host_thread) {
  int counts[7] = {0}, sum = 0, wrong = 0;
#pragma omp target teams num_teams(7) thread_limit(33) reduction(+ : sum, wrong) map(tofrom : counts)
  {
    const int team = omp_get_team_num();
    HERE();
    wrong += omp_get_num_teams() != 7 || omp_get_thread_limit() != 33 || omp_get_max_threads() != 33;
    wrong += omp_get_level() != 0 || omp_in_parallel() || omp_get_num_threads() != 1 || omp_get_thread_num() != 0;
    sum += team;
#pragma omp parallel num_threads(100)
    {
#pragma omp atomic
      counts[team] += omp_get_num_teams() == 7 && omp_get_team_num() == team && omp_get_num_threads() == 33;
#pragma omp barrier
#pragma omp single
      counts[team] += 1000;
    }
  }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(sum, 21 + 0 * host_thread);
  for (int i = 0; i < 7; i++)
    CHECK_EQ(counts[i], 1033);
}

// Each way in which `distribute` divides iterations, up and down, with types of all kinds.
#define SHARES(type, from, until, by, clause)                                                                          \
  do {                                                                                                                 \
    int times[64] = {0}, owners = 0;                                                                                   \
    _Pragma("omp target teams num_teams(5) thread_limit(48) map(tofrom : times, owners)") {                            \
      int flags[48], count = 0;                                                                                        \
      _Pragma("omp parallel") {                                                                                        \
        flags[omp_get_thread_num()] = 1;                                                                               \
        _Pragma("omp barrier") if (omp_get_thread_num() == 0) for (int i = 0; i < 48; i++) count += flags[i];          \
      }                                                                                                                \
      owners += count == 48;                                                                                           \
      _Pragma(clause) for (type i = from; until; i += by) times[(int)i]++;                                             \
    }                                                                                                                  \
    CHECK_EQ(owners, 5);                                                                                               \
    for (type i = from; until; i += by)                                                                                \
      times[(int)i]--;                                                                                                 \
    for (int i = 0; i < 64; i++)                                                                                       \
      CHECK_EQ(times[i], 0);                                                                                           \
  } while (0)

static void shares(void) {
  SHARES(int, 0, i < 64, 1, "omp distribute");
  SHARES(int, 60, i > 2, -3, "omp distribute");
  SHARES(unsigned, 1, i < 64, 2, "omp distribute dist_schedule(static, 3)");
  SHARES(long, 63, i >= 0, -1, "omp distribute dist_schedule(static, 2)");
  SHARES(unsigned long, 3, i < 6, 1, "omp distribute");
  SHARES(long, 5, i < 5, 1, "omp distribute");
  SHARES(int, 0, i < 64, 1, "omp distribute parallel for");
  SHARES(long, 0, i < 64, 1, "omp distribute parallel for dist_schedule(static, 7)");
}

// The limit of a team is that of all its threads, also where a parallel region is inside of another one.
static void nested(void) {
  int outer = 0, inner = 0, most = 0;
#pragma omp target teams num_teams(2) thread_limit(kBlock) map(tofrom : outer, inner, most)
  {
    HERE();
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(64)
    {
#pragma omp barrier
#pragma omp single
      outer = omp_get_num_threads();
#pragma omp parallel num_threads(100)
#pragma omp parallel
      {
#pragma omp atomic
        inner++;
        if (omp_get_ancestor_thread_num(1) == 0 && omp_get_ancestor_thread_num(2) == 0)
          most = omp_get_num_threads();
      }
    }
    omp_set_max_active_levels(1);
  }
  CHECK_EQ(outer, 64);
  CHECK_EQ(inner, 2 * kBlock);
  CHECK_EQ(most, 1);
}

// Computes as the thread that has launched it.
static void rounding(void) {
  float one = 1, three = 3;
  float results[4];
  int failed = 0;
  for (int i = 0; i < 2; i++) {
    failed += fesetround(i == 0 ? FE_UPWARD : FE_DOWNWARD);
#pragma omp target teams num_teams(1) thread_limit(48) map(from : results[2 * i : 2])
    {
      results[2 * i] = one / three;
#pragma omp parallel
      {
#pragma omp barrier
        if (omp_get_thread_num() == 47)
          results[2 * i + 1] = one / three;
      }
    }
  }
  failed += fesetround(FE_TONEAREST);
  CHECK_EQ(failed, 0);
  CHECK(results[0] > results[2]);
  CHECK(results[1] > results[3]);
}

// Regions that need no such team have the team that libomp makes: loops, also with barriers between them.
static void plain(void) {
  int data[kBlock], most = 0, barriers = 0;
#pragma omp target teams distribute parallel for thread_limit(kBlock) map(from : data) reduction(max : most)
  for (int i = 0; i < kBlock; i++) {
    data[i] = i;
    most = omp_get_num_threads() > most ? omp_get_num_threads() : most;
  }
#pragma omp target teams num_teams(1) thread_limit(kBlock) map(tofrom : data, barriers)
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < kBlock; i++)
      data[i]++;
#pragma omp single
    barriers = omp_get_num_threads();
  }
#ifndef UNREADABLE // then the plugin cannot tell these from the others
  CHECK(most <= omp_get_num_procs() || most <= omp_get_max_threads());
  CHECK(barriers <= omp_get_num_procs() || barriers <= omp_get_max_threads());
#endif
  for (int i = 0; i < kBlock; i++)
    CHECK_EQ(data[i], i + 1);
}

// First of all: libomp up to version 16 ends a program whose first nowait comes after a smaller team than before.
static void deferred(void) {
  int threads = 0;
#pragma omp target teams num_teams(1) thread_limit(40) nowait map(from : threads)
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
      threads = omp_get_num_threads();
#pragma omp barrier
  }
#pragma omp taskwait
  CHECK_EQ(threads, 40);
}

int main(void) {
  deferred();
  reverse(1);
  reverse(kBlocks);
  scan();
  rotate();
  numbers(0);
  shares();
  nested();
  rounding();
  plain();
#pragma omp parallel num_threads(3)
  numbers(omp_get_thread_num());
  return finish();
}
