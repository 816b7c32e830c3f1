// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of omp.h in device code that LLVM's device RTLs lack: allocators and their traits, numbers of teams,
// explicit tasks. And for AMD's GPUs what a table of virtual functions names for a pure one, which is null for
// NVIDIA's.
// REQUIRES: rtl-ours
// RUN: %clangxx -fopenmp-version=51 %s -o %t
// RUN: %run %t | %FileCheck --check-prefix=OK %s
// RUN: %if emulator-amdgpu %{ %expect-abort %t pure 2>&1 | %FileCheck --check-prefix=PURE %s %}
// OK: ok
// PURE: the program ends the kernel

#include "check.h"

#include <stdint.h>

#pragma omp requires dynamic_allocators

#define SIZE 100

static void one_thread() {
  int wrong = 0;
#pragma omp target map(tofrom : wrong)
  {
    char *a = (char *)omp_calloc(10, SIZE, omp_default_mem_alloc);
    for (int i = 0; i < 10 * SIZE; ++i)
      wrong += a[i] != 0;
    for (int i = 0; i < 10 * SIZE; ++i)
      a[i] = (char)i;
    a = (char *)omp_realloc(a, 30 * SIZE, omp_null_allocator, omp_null_allocator);
    for (int i = 0; i < 10 * SIZE; ++i)
      wrong += a[i] != (char)i;
    a = (char *)omp_realloc(a, SIZE, omp_default_mem_alloc, omp_default_mem_alloc);
    for (int i = 0; i < SIZE; ++i)
      wrong += a[i] != (char)i;
    wrong += omp_realloc(a, 0, omp_null_allocator, omp_null_allocator) != nullptr;
    a = (char *)omp_realloc(nullptr, SIZE, omp_null_allocator, omp_null_allocator);
    wrong += a == nullptr;
    omp_free(a, omp_null_allocator);
    omp_free(nullptr, omp_null_allocator);
    wrong += 16 * (omp_alloc(0, omp_default_mem_alloc) != nullptr);
    wrong += 32 * (omp_alloc(SIZE_MAX - 8, omp_default_mem_alloc) != nullptr);
    wrong += 64 * (omp_calloc(SIZE_MAX / 2, 3, omp_default_mem_alloc) != nullptr);
    wrong += 128 * (omp_aligned_alloc(24, SIZE, omp_default_mem_alloc) != nullptr);
  }
  CHECK_EQ(wrong, 0);
}

static void many_threads() {
  int wrong = 0;
#pragma omp target teams distribute parallel for num_teams(3) thread_limit(64) map(tofrom : wrong)
  for (int i = 0; i < 192; ++i) {
    const uintptr_t alignment = (uintptr_t)16 << i % 6;
    char *const own = (char *)omp_aligned_alloc(alignment, SIZE + i, omp_default_mem_alloc);
    char *const zeros = (char *)omp_aligned_calloc(alignment, SIZE, 2, omp_default_mem_alloc);
    int bad =
        own == nullptr || zeros == nullptr || (uintptr_t)own % alignment != 0 || (uintptr_t)zeros % alignment != 0;
    if (!bad) {
      for (int j = 0; j < SIZE + i; ++j)
        own[j] = (char)i;
      for (int j = 0; j < 2 * SIZE; ++j)
        bad |= zeros[j] != 0;
      for (int j = 0; j < SIZE + i; ++j)
        bad |= own[j] != (char)i;
    }
    omp_free(zeros, omp_default_mem_alloc);
    omp_free(own, omp_default_mem_alloc);
    if (bad) {
#pragma omp atomic
      wrong += 1;
    }
  }
  CHECK_EQ(wrong, 0);
}

static void traits() {
  int wrong = 0;
#pragma omp target map(tofrom : wrong)
  {
    omp_alloctrait_t limited[] = {
        {omp_atk_alignment, 256}, {omp_atk_pool_size, 1000}, {omp_atk_fallback, omp_atv_null_fb}};
    const omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, limited);
    wrong += pool == omp_null_allocator;
    void *const first = omp_alloc(600, pool);
    wrong += 2 * (first == nullptr || (uintptr_t)first % 256 != 0);
    wrong += 4 * (omp_alloc(600, pool) != nullptr);
    omp_free(first, pool);
    void *const second = omp_alloc(1000, pool);
    wrong += 8 * (second == nullptr);

    omp_alloctrait_t next[] = {
        {omp_atk_pool_size, 10}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, (omp_uintptr_t)pool}};
    const omp_allocator_handle_t chain = omp_init_allocator(omp_default_mem_space, 3, next);
    wrong += 16 * (omp_alloc(100, chain) != nullptr); // the pool is used up
    omp_free(second, pool);
    void *const third = omp_alloc(100, chain);
    wrong += 32 * (third == nullptr || (uintptr_t)third % 256 != 0);
    omp_free(third, omp_null_allocator);

    omp_alloctrait_t other[] = {{omp_atk_pool_size, 10}, {omp_atk_alignment, 64}};
    const omp_allocator_handle_t falls_back = omp_init_allocator(omp_default_mem_space, 2, other);
    omp_set_default_allocator(falls_back);
    wrong += 64 * (omp_get_default_allocator() != falls_back);
    void *const fourth = omp_alloc(100, omp_null_allocator);
    wrong += 128 * (fourth == nullptr);
    omp_free(fourth, omp_null_allocator);

    omp_alloctrait_t bad[] = {{omp_atk_alignment, 48}};
    wrong += 256 * (omp_init_allocator(omp_default_mem_space, 1, bad) != omp_null_allocator);
    int inherited = 0, own = 0;
#pragma omp parallel num_threads(8) reduction(+ : inherited, own)
    {
      inherited += omp_get_default_allocator() == falls_back;
      if (omp_get_thread_num() % 2 == 1)
        omp_set_default_allocator(pool);
      own += omp_get_default_allocator() == (omp_get_thread_num() % 2 == 1 ? pool : falls_back);
    }
    wrong += 512 * (inherited != 8) + 1024 * (own != 8);
    wrong += 2048 * (omp_get_default_allocator() != falls_back);
    omp_destroy_allocator(falls_back);
    omp_destroy_allocator(chain);
    omp_destroy_allocator(pool);
    omp_destroy_allocator(omp_default_mem_alloc);
  }
  CHECK_EQ(wrong, 0);
  int unset = 0;
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(tofrom : unset)
  for (int i = 0; i < 64; ++i)
    if (omp_get_default_allocator() == omp_default_mem_alloc) {
#pragma omp atomic
      unset += 1;
    }
  CHECK_EQ(unset, 64);
}

static void teams() {
  int most = 0, limit = 0, before = 1;
#pragma omp target map(from : most, limit, before)
  {
    before = omp_get_max_teams() + omp_get_teams_thread_limit();
    omp_set_num_teams(7);
    omp_set_teams_thread_limit(33);
  }
#pragma omp target map(from : most, limit)
  {
    most = omp_get_max_teams();
    limit = omp_get_teams_thread_limit();
  }
  CHECK_EQ(before, 0);
  CHECK_EQ(most, 7);
  CHECK_EQ(limit, 33);
}

static void tasks() {
  int seen[9] = {0};
#pragma omp target map(tofrom : seen)
  {
    seen[0] = omp_in_explicit_task();
#pragma omp task shared(seen)
    {
      seen[1] = omp_in_explicit_task();
#pragma omp task shared(seen)
      seen[2] = omp_in_explicit_task();
      seen[3] = omp_in_explicit_task();
#pragma omp parallel num_threads(1) shared(seen)
      seen[4] = omp_in_explicit_task();
      seen[5] = omp_in_explicit_task();
    }
#pragma omp task shared(seen) if (0)
    seen[6] = omp_in_explicit_task();
#pragma omp taskwait
    seen[7] = omp_in_explicit_task();
#pragma omp parallel num_threads(4) shared(seen)
    {
      int inside = 0;
#pragma omp task shared(inside)
      inside = omp_in_explicit_task();
#pragma omp taskwait
#pragma omp atomic
      seen[8] += inside + 10 * omp_in_explicit_task();
    }
  }
  const int wanted[9] = {0, 1, 1, 1, 0, 1, 1, 0, 4};
  for (int i = 0; i < 9; ++i)
    CHECK_EQ(seen[i], wanted[i]);
}

#pragma omp begin declare target
struct Shape;
int size_of(Shape *shape);
struct Shape {
  Shape() { size_of(this); }
  virtual int size() = 0;
};
/// Returns the size of a shape that no compiler sees through. Where it knows that the function is a pure one, it drops
/// all that leads there.
__attribute__((noinline)) int size_of(Shape *shape) {
  Shape *volatile hidden = shape;
  return hidden->size();
}
struct Square : Shape {
  int size() override { return 4; }
};
#pragma omp end declare target

int main(int count, char **) {
  if (count > 1) {
    int size = 0;
#pragma omp target map(from : size)
    {
      Square square;
      size = square.size();
    }
    return 0;
  }
  one_thread();
  many_threads();
  traits();
  teams();
  tasks();
  return finish();
}
