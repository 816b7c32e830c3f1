// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory that cannot be written: compilers map constant tables to the device and back, and they lie in read-only
// pages. Copies back leave out what the device has not changed. If it has changed such memory, an error tells it.

// RUN: %clang -g %s -o %t
// RUN: %run %t
// RUN: %expect-abort %t changed 2>&1 | %check
// RUN: %expect-abort %t updated 2>&1 | %check --check-prefix=UPDATE
// REQUIRES: runtime-omptarget

#include "check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kCount = 3000 };
static const int table[kCount] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const struct {
  const int *numbers;
  int count;
} described = {table, 10};

static int *pages(size_t count) {
  return mmap(NULL, count * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int sum_of_table(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  {
    HERE();
    for (int i = 0; i < kCount; ++i)
      sum += table[i];
  }
  return sum;
}

int main(int argc, char **argv) {
  const long page = sysconf(_SC_PAGESIZE);
  const int in_page = (int)(page / (long)sizeof(int));
  int *const p = pages(4);
  for (int i = 0; i < 4 * in_page; ++i)
    p[i] = i;
  mprotect(p, (size_t)page, PROT_READ);
  if (argc > 1 && !strcmp(argv[1], "changed")) {
    // CHECK: {{^}}omptarget error: host address 0x{{[0-9a-f]+}}14 cannot be written, and the device holds another value of it
    // CHECK-NEXT: {{^}}omptarget error: Copying data from device failed: {{[0-9]+}} bytes of host address 0x{{[0-9a-f]+}}
    // CHECK: {{^}}omptarget error: in the mapping of p[{{.*}}]
    // CHECK: {{^}}omptarget error: in target{{( at .*read_only.c|, called in main)}}
    // CHECK: omptarget fatal error 1
#pragma omp target map(tofrom : p[0 : in_page])
    p[5] = 50;
  }
  if (argc > 1 && !strcmp(argv[1], "updated")) {
#pragma omp target enter data map(to : p[0 : in_page])
#pragma omp target map(to : p[0 : in_page])
    p[5] = 50;
    // UPDATE: {{^}}omptarget error: host address 0x{{[0-9a-f]+}}14 cannot be written, and the device holds another value of it
    // UPDATE: {{^}}omptarget error: in target update{{( at .*read_only.c|, called in main)}}
    // UPDATE: omptarget fatal error 1
#pragma omp target update from(p[0 : in_page])
  }
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(sum_of_table(), 55);
  int first = 0, count = 0;
#pragma omp target map(from : first, count)
  {
    HERE();
    first = table[0];
    count = described.count;
  }
  CHECK_EQ(first + count, 11);
#pragma omp target data map(tofrom : table)
  {
    CHECK_EQ(sum_of_table(), 55);
#pragma omp target update from(table)
  }
#if __clang_major__ < 23 // which refuses this
#pragma omp target enter data map(to : table)
#pragma omp target exit data map(from : table)
#endif
  // In one clause clang 23 would map both without a copy back.
#pragma omp target map(tofrom : table) map(tofrom : count) nowait
  count += table[2];
#pragma omp taskwait
  CHECK_EQ(count, 13);
  // The first page cannot be written and stays as it is; the others are written where the device has changed them.
#pragma omp target map(tofrom : p[0 : 4 * in_page])
  {
    HERE();
    p[2 * in_page + 1] = 77;
    p[4 * in_page - 1] = 78;
  }
  CHECK_EQ(p[2 * in_page + 1], 77);
  CHECK_EQ(p[4 * in_page - 1], 78);
  CHECK_EQ(p[in_page], in_page);
  mprotect(p + 3 * in_page, (size_t)page, PROT_READ);
#pragma omp target map(tofrom : p[in_page : 3 * in_page])
  {
    HERE();
    p[2 * in_page + 1] = 79;
  }
  CHECK_EQ(p[2 * in_page + 1], 79);
  int *const there = omp_target_alloc((size_t)page, omp_get_default_device());
  CHECK_EQ(omp_target_memcpy(there, p, (size_t)page, 0, 0, omp_get_default_device(), omp_get_initial_device()), 0);
  CHECK_EQ(omp_target_memcpy(p, there, (size_t)page, 0, 0, omp_get_initial_device(), omp_get_default_device()), 0);
  int other = 5;
  CHECK_EQ(omp_target_memcpy(there, &other, 4, 0, 0, omp_get_default_device(), omp_get_initial_device()), 0);
  mprotect(p, (size_t)page, PROT_READ | PROT_WRITE);
  mprotect(p, (size_t)page, PROT_READ);
  omp_target_free(there, omp_get_default_device());
  return finish();
}
