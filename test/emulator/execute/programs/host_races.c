// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host reads data while a region that was left copies them back. ThreadSanitizer names both places, if the host's
// part is compiled for it. It says nothing of the program that waits.
// RUN: %clang -gline-tables-only -fsanitize=thread -Xarch_device -fno-sanitize=thread %s -o %t
// DEFINE: %{run} = env LD_LIBRARY_PATH=%ompfolder:%ompfolder/../lib %prefix/bin/omptarget-run %t
// RUN: %{run} wait 2>&1 | %FileCheck %s --check-prefix=WAITS
// RUN: not %{run} 2>&1 | %FileCheck %s

#include "check.h"

static int values[256], more[256];

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 256; ++i)
    more[i] = 3;
#pragma omp target map(to : more) map(tofrom : values) nowait
  for (int i = 0; i < 256; ++i)
    values[i] += more[i];
  if (argc > 1) {
#pragma omp taskwait
  }
  int sum = 0;
  for (int i = 0; i < 256; ++i)
    sum += values[i]; // here
#pragma omp taskwait
  if (argc > 1)
    CHECK_EQ(sum, 768);
  return finish();
}

// WAITS-NOT: ThreadSanitizer
// WAITS: ok
// WAITS-NOT: ThreadSanitizer
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK-DAG: memcpy
// CHECK-DAG: main {{.*}}host_races.c:27
