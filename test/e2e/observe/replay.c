// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recorded launch is replayed to the same bytes: values, mapped and attached data, globals, a reduction, memory that
// the program has allocated, firstprivate data. A result that is changed by hand is found. The second launch is the one
// that is recorded, and what the program computes is the same.

// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run %t > %t.d/plain
// RUN: %run LIBOMPTARGET_RECORD=%t.d/r LIBOMPTARGET_RECORD_KERNEL=compute LIBOMPTARGET_RECORD_LAUNCH=2 %t > %t.d/recorded
// RUN: cmp %t.d/plain %t.d/recorded
// RUN: %prefix/bin/omptarget-replay --info %t.d/r | %FileCheck %s --check-prefix=INFO
// RUN: %run %prefix/bin/omptarget-replay --verify --repetitions=3 %t.d/r | %FileCheck %s
// RUN: %run %prefix/bin/omptarget-replay --tune --teams=1,4 --threads=1,2 %t.d/r | %FileCheck %s --check-prefix=TUNE
// RUN: %python %inputs/change_recording.py %t.d/r %t.d/wrong result
// RUN: not %run %prefix/bin/omptarget-replay --verify %t.d/wrong | %FileCheck %s --check-prefix=WRONG
// REQUIRES: libomp-loads-here
// UNSUPPORTED: runtime-llvm, sanitizer, emulated

// Files that are damaged are refused by what is wrong with them.
// RUN: %python %inputs/change_recording.py %t.d/r %t.d/byte byte
// RUN: not %prefix/bin/omptarget-replay %t.d/byte 2>&1 | %FileCheck %s --check-prefix=BYTE
// RUN: head -c 500 %t.d/r > %t.d/short
// RUN: not %prefix/bin/omptarget-replay %t.d/short 2>&1 | %FileCheck %s --check-prefix=SHORT
// RUN: not %prefix/bin/omptarget-replay %s 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: %python %inputs/change_recording.py %t.d/r %t.d/version version
// RUN: not %prefix/bin/omptarget-replay %t.d/version 2>&1 | %FileCheck %s --check-prefix=VERSION
// RUN: %python %inputs/change_recording.py %t.d/r %t.d/hostile hostile
// RUN: not %prefix/bin/omptarget-replay %t.d/hostile 2>&1 | %FileCheck %s --check-prefix=HOSTILE
// RUN: not %prefix/bin/omptarget-replay --nonsense %t.d/r 2>&1 | %FileCheck %s --check-prefix=USAGE

// A recording that cannot be written, and a launch that never comes, are reported; the program goes on.
// RUN: %if lasts %{ %inputs/limit-files 31 %run LIBOMPTARGET_RECORD=%t.d/full LIBOMPTARGET_RECORD_KERNEL=compute %t 2>&1 | %FileCheck %s --check-prefix=FULL %}
// RUN: sh -c 'test -z "$(ls -A %t.d | grep -e full -e .omptarget-)"'
// RUN: %run LIBOMPTARGET_RECORD=%t.d/never LIBOMPTARGET_RECORD_KERNEL=absent %t 2>&1 | %FileCheck %s --check-prefix=NEVER

// INFO: kernel: __omp_offloading_{{.*}}compute_l
// INFO: launch: 2
// INFO: trip count: 1000
// INFO-DAG: allocated, 8000 bytes
// INFO-DAG: table (global, 512 bytes)
// INFO: pointers in blocks: 1
// INFO: results: yes
// CHECK: time: {{.*}} median of 3
// CHECK-NEXT: verified: the memory is as recorded
// TUNE-COUNT-4: as recorded
// TUNE: fastest: teams {{[14]}}, threads {{[12]}}
// WRONG: block {{[0-9]+}}, {{.*}}: 1 bytes differ, the first at offset {{[0-9]+}}: recorded
// WRONG-NEXT: verified: the memory differs
// BYTE: byte: it is damaged: its checksum is
// SHORT: short: it is cut off: it has 500 of
// OTHER: replay.c: it is no recording of a kernel
// VERSION: version: it has format 99; this omptarget reads format 1
// HOSTILE: hostile: it is damaged: its description ends within the entries
// USAGE: --nonsense: there is no such option
// FULL: LIBOMPTARGET_RECORD: cannot write '{{.*}}full': File too large
// FULL: sum
// NEVER-DAG: sum
// NEVER-DAG: nothing is recorded: launch 1 of kernels with 'absent' in their names was wanted, and the program had 0

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 1000, kTable = 64 };
struct list {
  int count;
  long *values;
};
struct pair {
  int first, second;
};

#pragma omp declare target
int calls = 5;
long table[kTable];
#pragma omp end declare target

static long compute(struct list l, struct pair pair, const long *own) {
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : l, l.values[0 : kCount])              \
    map(always, tofrom : calls) is_device_ptr(own) firstprivate(pair)
  for (int i = 0; i < kCount; ++i) {
    l.values[i] = l.values[i] * pair.second + table[i % kTable] + own[i];
    sum += l.values[i];
    if (i == 0)
      calls += pair.first;
  }
  return sum;
}

int main(void) {
  struct list list = {kCount, malloc(kCount * sizeof(long))};
  long *own = omp_target_alloc(kCount * sizeof(long), omp_get_default_device());
  for (int i = 0; i < kCount; ++i)
    list.values[i] = i;
  for (int i = 0; i < kTable; ++i)
    table[i] = 2 * i;
#pragma omp target update to(table)
#pragma omp target is_device_ptr(own)
  for (int i = 0; i < kCount; ++i)
    own[i] = i % 7;
  struct pair pair = {3, 2};
  for (int i = 0; i < 3; ++i) {
    const long sum = compute(list, pair, own);
    printf("sum %ld calls %d\n", sum, calls);
  }
  omp_target_free(own, omp_get_default_device());
  return 0;
}
