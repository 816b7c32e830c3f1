// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of a parallel program record to files of their own. Rank 0 takes the name that is given. Others add their rank,
// unless the name has %r or %p. LIBOMPTARGET_RECORD_RANK chooses one rank, and the others write nothing and say
// nothing. Without a launcher the process is rank 0. A recording tells whose it is.

// RUN: %clang %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run OMPI_COMM_WORLD_RANK=0 LIBOMPTARGET_RECORD=%t.d/a.rec %t
// RUN: %run OMPI_COMM_WORLD_RANK=3 LIBOMPTARGET_RECORD=%t.d/a.rec %t
// RUN: %run PMI_RANK=4 LIBOMPTARGET_RECORD=%t.d/a.rec %t
// RUN: %run SLURM_PROCID=12 LIBOMPTARGET_RECORD=%t.d/b-%%r.rec %t
// RUN: %run LIBOMPTARGET_RECORD=%t.d/b-%%r.rec %t
// RUN: %run PMIX_RANK=5 LIBOMPTARGET_RECORD=%t.d/c LIBOMPTARGET_RECORD_RANK=5 %t
// RUN: %run PMIX_RANK=6 LIBOMPTARGET_RECORD=%t.d/c LIBOMPTARGET_RECORD_RANK=5 %t 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: %run LIBOMPTARGET_RECORD=%t.d/c LIBOMPTARGET_RECORD_RANK=5 %t 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: %run LIBOMPTARGET_RECORD=%t.d/d LIBOMPTARGET_RECORD_RANK=0 %t
// RUN: %run OMPI_COMM_WORLD_RANK=1 LIBOMPTARGET_RECORD=%t.d/e LIBOMPTARGET_RECORD_RANK=one %t 2>&1 | %FileCheck %s --check-prefix=NONSENSE
// RUN: sh -c 'ls %t.d' | %FileCheck %s --check-prefix=FILES --match-full-lines --strict-whitespace
// RUN: %prefix/bin/omptarget-replay --info %t.d/a.3.rec | %FileCheck %s --check-prefix=INFO
// RUN: %run %prefix/bin/omptarget-replay --verify %t.d/b-12.rec | %FileCheck %s --check-prefix=REPLAY
// REQUIRES: libomp-loads-here
// UNSUPPORTED: runtime-llvm, sanitizer, emulated

//      FILES:a.3.rec
// FILES-NEXT:a.4.rec
// FILES-NEXT:a.rec
// FILES-NEXT:b-0.rec
// FILES-NEXT:b-12.rec
// FILES-NEXT:c.5
// FILES-NEXT:d
// FILES-NEXT:e.1
// FILES-NOT:{{.}}
// OTHER-NOT: omptarget
// OTHER: x 1
// NONSENSE: LIBOMPTARGET_RECORD_RANK: {{.*}}one
// INFO: process: rank 3 on
// REPLAY: verified: the memory is as recorded

#include <stdio.h>

int main(void) {
  int x = 0;
#pragma omp target map(tofrom : x)
  x++;
  printf("x %d\n", x);
  return 0;
}
