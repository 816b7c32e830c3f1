// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory is freed twice, and not from its begin on. With OFFLOAD_TRACK_ALLOCATION_TRACES the library tells where it was
// allocated and freed, by function, file and line, with DWARF 4 and with DWARF 5. The program goes on.

// REQUIRES: runtime-omptarget
// UNSUPPORTED: plugins-of-{{.*}}
// RUN: %clang -gdwarf-4 %s -o %t.4
// RUN: %run OFFLOAD_TRACK_ALLOCATION_TRACES=1 %t.4 2>&1 | %check
// RUN: %clang -gdwarf-5 %s -o %t.5
// RUN: %run OFFLOAD_TRACK_ALLOCATION_TRACES=1 %t.5 2>&1 | %check
// Without lines the module's file is named, and the place in it.
// RUN: %clang -g0 %s -o %t.none
// RUN: %run OFFLOAD_TRACK_ALLOCATION_TRACES=1 %t.none 2>&1 | %check --check-prefix=BARE
// Freed memory is not kept, and results are as ever.
// RUN: %run OFFLOAD_TRACK_ALLOCATION_TRACES=1 %t.5 right 2>&1 | %check --check-prefix=RIGHT --allow-empty
// RIGHT-NOT: omptarget

#include "check.h"

#include <stdlib.h>

static __attribute__((noinline)) char *make(size_t size) {
  char *const block = omp_target_alloc(size, omp_get_default_device());
  CHECK(block != 0);
  return block;
}

static volatile int dropped;

static __attribute__((noinline)) void drop(char *block) {
  omp_target_free(block, omp_get_default_device());
  dropped++; // the call is not the function's last step
}

static void free_wrongly(void) {
  // CHECK: omptarget note: [[FIRST:0x[0-9a-f]+]] is freed, where no block in use begins. It is freed by
  // CHECK-NEXT: #0 omp_target_free
  // CHECK: drop at {{.*}}wrong_free.c:[[#@LINE-7]]
  // CHECK: main at
  // CHECK-NEXT: {{^}}  [[FIRST]] is byte 0 of a block of 100000 bytes at [[FIRST]], which is free. It was freed by
  // CHECK-NEXT: #0 omp_target_free
  // CHECK: drop at {{.*}}wrong_free.c:[[#@LINE-11]]
  // CHECK: and allocated by
  // CHECK-NEXT: #0 omp_target_alloc
  // CHECK: make at {{.*}}wrong_free.c:[[#@LINE-22]]
  // CHECK: omptarget error: {{.*}} was not allocated here or is free already
  // BARE: is freed, where no block in use begins
  // BARE: drop in {{.*}}none+0x
  // CHECK: is byte 8 of a block of 50 bytes at {{.*}}, which is in use. It was allocated by
  // CHECK: omptarget error: {{.*}} was not allocated here or is free already
  // CHECK-NOT: omptarget error: plugin
  char *const first = make(100000), *const second = make(50);
  drop(first);
  drop(first);
  drop(second + 8);
  drop(second);
}

int main(int argc, char **argv) {
  if (argc == 1)
    free_wrongly();
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    int *const numbers = calloc(100000, sizeof(int));
#pragma omp target enter data map(to : numbers[0 : 100000])
#pragma omp target map(tofrom : sum)
    {
      HERE();
      numbers[7] += 2;
      sum += numbers[7];
    }
#pragma omp target exit data map(from : numbers[0 : 100000])
    CHECK_EQ(numbers[7], 2);
    free(numbers);
  }
  CHECK_EQ(sum, 6);
  return finish();
}
