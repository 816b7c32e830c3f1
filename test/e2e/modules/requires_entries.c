// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two files of one program say different things about `requires`. The records in its table of entries are made by hand,
// since no clang has a record for files that require nothing.

// RUN: %indirect-clang -DFIRST=1 -DSECOND=1 %s -o %t.same
// RUN: %run %t.same 2>&1 | %check --check-prefix=SAME
// RUN: %indirect-clang -DFIRST=1 -DSECOND=16 %s -o %t.own
// RUN: %run %t.own 2>&1 | %check --check-prefix=SAME
// RUN: %indirect-clang -DFIRST=1 -DSECOND=2 %s -o %t.reverse
// RUN: %expect-abort %t.reverse 2>&1 | %check -DCLAUSE=reverse_offload
// RUN: %indirect-clang -DFIRST=12 -DSECOND=8 %s -o %t.address
// RUN: %expect-abort %t.address 2>&1 | %check -DCLAUSE=unified_address
// RUN: %indirect-clang -DFIRST=8 -DSECOND=1 %s -o %t.memory
// RUN: %expect-abort %t.memory 2>&1 | %check -DCLAUSE=unified_shared_memory
// REQUIRES: runtime-omptarget
// Code of older clangs registers a mask of its own.
// REQUIRES: clang-17-or-later

// SAME-NOT: omptarget
// SAME: {{^}}main 1
// CHECK-NOT: main 1
// CHECK: {{^}}omptarget error: one part of {{.*}}requires_entries.c{{.*}} requires [[CLAUSE]], another does not
// CHECK: {{^}}omptarget fatal error 1: '#pragma omp requires [[CLAUSE]]' not used consistently!
// CHECK-NOT: main 1

#include <stdio.h>

#include "omptarget/indirect.h"

#if __clang_major__ >= 20
#define RECORD(mask) {.version = 1, .kind = 1, .flags = OMPTARGET_ENTRY_REQUIRES, .symbol_name = "", .data = mask}
#else
#define RECORD(mask) {.name = "", .flags = OMPTARGET_ENTRY_REQUIRES, .reserved = mask}
#endif
OMPTARGET_INDIRECT_HOST_ONLY
static OMPTARGET_INDIRECT_ENTRY_TYPE records[2]
    __attribute__((used, section(OMPTARGET_INDIRECT_ENTRY_SECTION))) = {RECORD(FIRST), RECORD(SECOND)};
OMPTARGET_INDIRECT_HOST_END

int main(void) {
  int y = 0;
#pragma omp target map(tofrom : y)
  y++;
  printf("main %d\n", y);
  return 0;
}
