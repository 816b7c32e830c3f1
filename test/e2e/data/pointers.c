// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer's value on the device: captured without a map, into mapped memory, past it, null, sections of length 0.

// RUN: %clang %s -o %t
// RUN: %run %t
// The runtimes of LLVM 14 and 15 pass null for what is not mapped, as OpenMP 5.0 had it.
// XFAIL: runtime-llvm-14, runtime-llvm-15

#include "check.h"

#include <stdint.h>

int main(void) {
  int *a = malloc(100 * sizeof *a), *middle = a + 50, *unmapped = malloc(sizeof *unmapped), *null = 0;
  for (int i = 0; i < 100; i++)
    a[i] = i;
  *unmapped = 42;

  int sum = 0, still_null = 0;
  uintptr_t seen_unmapped = 0, seen_section = 0, seen_a = 0;
#pragma omp target enter data map(to : a[0 : 100])
#pragma omp target map(from : sum, still_null, seen_unmapped, seen_a)
  {
    HERE();
    sum = a[0] + middle[0] + middle[49] + middle[-50];
    middle[1] = 1051;
    still_null = null == 0;
    seen_unmapped = (uintptr_t)unmapped;
    seen_a = (uintptr_t)a;
  }
  CHECK_EQ(sum, 0 + 50 + 99 + 0);
  CHECK_EQ(still_null, 1);
  CHECK(seen_unmapped == (uintptr_t)unmapped); // as firstprivate: OpenMP 5.2, 5.8.6
  CHECK(seen_a != (uintptr_t)a);

  // A section of length 0 finds what is present, and maps nothing.
  int by_section = 0;
#pragma omp target map(from : by_section, seen_section) map(to : middle[ : 0])
  {
    HERE();
    by_section = middle[1];
    seen_section = (uintptr_t)middle;
  }
  CHECK_EQ(by_section, 1051);
  CHECK_EQ(seen_section - seen_a, 50 * sizeof(int));
#pragma omp target map(from : seen_section) map(tofrom : unmapped[ : 0])
  {
    HERE();
    seen_section = (uintptr_t)unmapped;
  }
  CHECK(!omp_target_is_present(unmapped, 0));
  CHECK(omp_target_is_present(middle, 0));

#pragma omp target exit data map(from : a[0 : 100])
  CHECK_EQ(a[51], 1051);
  CHECK(!omp_target_is_present(a, 0));
  free(a);
  free(unmapped);
  return finish();
}
