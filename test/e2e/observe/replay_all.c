// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_RECORD=1 records one launch of each kernel and shape to a folder, as LLVM's runtime does. Each file is
// replayed alone. The report names them in their order, and counts all launches. Three threads launch at once, and the
// program computes the same.

// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %run %t > plain
// RUN: %run LIBOMPTARGET_RECORD=1 LIBOMPTARGET_RECORD_DIR=a/b LIBOMPTARGET_RECORD_REPORT_FILENAME=report.txt %t > recorded
// RUN: cmp plain recorded
// RUN: sh -c 'ls a/b' | %FileCheck %s --check-prefix=FILES --match-full-lines
// RUN: %FileCheck %s --check-prefix=REPORT --match-full-lines < a/b/report.txt
// RUN: sh -c 'for i in a/b/*.rec; do %run %prefix/bin/omptarget-replay --verify $i || exit 1; done' | %FileCheck %s --check-prefix=REPLAY
// REQUIRES: libomp-loads-here
// UNSUPPORTED: runtime-llvm, sanitizer, emulated, emulator-cuda, emulator-amdgpu

// Without a folder the files are in the current one. The words for yes and no are those of other settings.
// RUN: mkdir c && cd c
// RUN: %run LIBOMPTARGET_RECORD=Yes LIBOMPTARGET_RECORD_REPORT=true LIBOMPTARGET_RECORD_KERNEL=scale LIBOMPTARGET_RECORD_LAUNCH=2 %t 2>&1 | %FileCheck %s --check-prefix=SECOND
// RUN: sh -c 'ls -A' | %FileCheck %s --check-prefix=ONE --match-full-lines
// RUN: %prefix/bin/omptarget-replay --info scale_l*.1.rec | %FileCheck %s --check-prefix=INFO
// RUN: mkdir d && cd d
// RUN: %run LIBOMPTARGET_RECORD=off LIBOMPTARGET_RECORD_REPORT=1 %t 2>&1 | %FileCheck %s --check-prefix=NOTHING
// RUN: %run LIBOMPTARGET_RECORD=0 %t 2>&1 | %FileCheck %s --check-prefix=NOTHING
// RUN: sh -c 'ls -A' | %FileCheck %s --check-prefix=EMPTY --allow-empty

// The device, the size and the results are limits in both modes. Ranks share a folder.
// RUN: %run LIBOMPTARGET_RECORD=1 LIBOMPTARGET_RECORD_DEVICE=1 LIBOMPTARGET_RECORD_DIR=e LIBOMPTARGET_RECORD_OUTPUT=no %t
// RUN: sh -c 'ls -A e' | %FileCheck %s --check-prefix=DEVICE --match-full-lines
// RUN: %prefix/bin/omptarget-replay --info e/add_l*.1.rec | %FileCheck %s --check-prefix=NO-RESULT
// RUN: %run LIBOMPTARGET_RECORD=1 LIBOMPTARGET_RECORD_MEMSIZE=1000 LIBOMPTARGET_RECORD_DIR=f LIBOMPTARGET_RECORD_REPORT=1 %t 2>&1 | %FileCheck %s --check-prefix=SIZE
// RUN: %run OMPI_COMM_WORLD_RANK=3 LIBOMPTARGET_RECORD=1 LIBOMPTARGET_RECORD_KERNEL=add LIBOMPTARGET_RECORD_DIR=g LIBOMPTARGET_RECORD_REPORT_FILENAME=r.txt %t
// RUN: sh -c 'ls -A g' | %FileCheck %s --check-prefix=RANK --match-full-lines

// The library reports a folder that cannot be written at once.
// RUN: %run LIBOMPTARGET_RECORD=1 LIBOMPTARGET_RECORD_DIR=%s/x %t 2>&1 | %FileCheck %s --check-prefix=FOLDER
// RUN: %run LIBOMPTARGET_RECORD=1 LIBOMPTARGET_RECORD_DEVICE=3 LIBOMPTARGET_RECORD_DIR=h %t 2>&1 | %FileCheck %s --check-prefix=NEVER

// FILES: add_l{{[0-9]+}}.[[#]].rec
// FILES-NEXT: add_l{{[0-9]+}}.[[#]].rec
// FILES-NEXT: main_l{{[0-9]+}}.[[#]].rec
// FILES-NEXT: report.txt
// FILES-NEXT: scale_l{{[0-9]+}}.1.rec
// FILES-NEXT: scale_l{{[0-9]+}}.2.rec
// FILES-NOT: {{.}}
// REPORT: file, kernel, device, teams, threads, shared memory, launches, result
// REPORT-NEXT: scale_l[[L:[0-9]+]].1.rec, __omp_offloading_{{.*}}_scale_l[[L]], 0, 2, {{.*}}, 0, 3, recorded
// REPORT-NEXT: scale_l[[L]].2.rec, __omp_offloading_{{.*}}_scale_l[[L]], 0, 3, {{.*}}, 0, 1, recorded
// REPORT-DAG: add_l[[A:[0-9]+]].[[#]].rec, __omp_offloading_{{.*}}_add_l[[A]], 0, {{.*}}, 2, recorded
// REPORT-DAG: add_l[[A]].[[#]].rec, __omp_offloading_{{.*}}_add_l[[A]], 1, {{.*}}, 1, recorded
// REPORT-DAG: main_l{{[0-9]+}}.[[#]].rec, __omp_offloading_{{.*}}_main_l{{[0-9]+}}, 0, {{.*}}, 1, recorded
// REPORT-NOT: {{.}}
// REPLAY-COUNT-5: verified: the memory is as recorded
// SECOND: omptarget recordings in {{.*}}/c
// SECOND-NEXT: file, kernel,
// SECOND-NEXT: scale_l{{[0-9]+}}.1.rec, {{.*}}, 0, 2, {{.*}}, 0, 3, recorded
// SECOND-NOT: .rec
// ONE: scale_l{{[0-9]+}}.1.rec
// ONE-NOT: {{.}}
// INFO: launch: 2
// NOTHING-NOT: omptarget
// EMPTY-NOT: {{.}}
// DEVICE: add_l{{[0-9]+}}.1.rec
// DEVICE-NOT: {{.}}
// NO-RESULT: results: no
// SIZE-DAG: omptarget warning: LIBOMPTARGET_RECORD: it reaches 8{{[0-9]+}} bytes or more, and LIBOMPTARGET_RECORD_MEMSIZE is 1000
// SIZE-DAG: scale_l{{[0-9]+}}.1.rec, {{.*}}, it reaches 8{{[0-9]+}} bytes or more, and LIBOMPTARGET_RECORD_MEMSIZE is 1000
// RANK: add_l{{[0-9]+}}.1.3.rec
// RANK-NEXT: add_l{{[0-9]+}}.2.3.rec
// RANK-NEXT: r.3.txt
// RANK-NOT: {{.}}
// FOLDER: omptarget warning: LIBOMPTARGET_RECORD: nothing is recorded: the folder '{{.*}}replay_all.c/x' cannot be made or written: Not a directory
// NEVER: nothing is recorded: launch 1 was wanted, and the program had 0 on device 3

#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { kCount = 1000 };
static double values[kCount];
static int sums[3];

static void scale(int teams, double factor) {
#pragma omp target teams distribute parallel for num_teams(teams) map(tofrom : values)
  for (int i = 0; i < kCount; ++i)
    values[i] = values[i] * factor + i;
}

static void *add(void *number) {
  const int at = *(const int *)number;
  int sum = 0;
#pragma omp target map(tofrom : sum) device(at % 2)
  for (int i = 0; i <= 10 * at; ++i)
    sum += i;
  sums[at] = sum;
  return NULL;
}

int main(void) {
  scale(2, 2);
  scale(2, 3);
  scale(3, 1);
  scale(2, 0.5);
  pthread_t threads[3];
  int numbers[] = {0, 1, 2};
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, add, &numbers[i]);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  int last = 0;
#pragma omp target map(tofrom : last)
  last += 1;
  printf("%g %d %d %d %d\n", values[kCount - 1], sums[0], sums[1], sums[2], last);
  return 0;
}
