// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files and lines of the processes of a parallel program can be told apart.

// RUN: %clang -fopenmp-version=51 -g %s -o %t
// RUN: rm -f %t-*
// RUN: env SLURM_PROCID=0 %run LIBOMPTARGET_PROFILE=%t-plain.json %t
// RUN: env SLURM_PROCID=3 %run LIBOMPTARGET_PROFILE=%t-plain.json %t
// RUN: env SLURM_PROCID=12 %run LIBOMPTARGET_PROFILE=%t-rank%%r.html %t
// RUN: %run LIBOMPTARGET_PROFILE=%t-rank%%r.html %t
// RUN: env SLURM_PROCID=7 %run LIBOMPTARGET_DEBUG=all LIBOMPTARGET_DEBUG_FILE=%t-%%r%%%%.trace %t
// RUN: %check --check-prefix=JSON --input-file=%t-plain.json
// RUN: %check --check-prefix=JSON --input-file=%t-plain.3.json
// RUN: %check --check-prefix=PAGE --input-file=%t-rank12.html
// RUN: %check --check-prefix=PAGE --input-file=%t-rank0.html
// RUN: %check --check-prefix=TRACE --input-file=%t-7%%.trace
// JSON: traceEvents
// PAGE: <html
// TRACE: {{^}}Libomptarget -->

// RUN: env SLURM_PROCID=5 %run LIBOMPTARGET_SHOW_RANK=true LIBOMPTARGET_INFO=-1 LIBOMPTARGET_DEBUG=kernel %t 2>&1 \
// RUN:   | %check --check-prefix=PREFIX --implicit-check-not='{{^[^\[o]}}'
// PREFIX-DAG: {{^}}[5@{{[^ ]+}}] omptarget device 0 info: Entering
// PREFIX-DAG: {{^}}[5@{{[^ ]+}}] Libomptarget -->
// PREFIX: {{^ok$}}
// RUN: env SLURM_PROCID=5 %run LIBOMPTARGET_SHOW_RANK=perhaps LIBOMPTARGET_INFO=1 %t 2>&1 | %check --check-prefix=VALUE
// VALUE: omptarget warning: LIBOMPTARGET_SHOW_RANK: 'perhaps' is no boolean

// RUN: env SLURM_PROCID=5 %expect-abort %t absent 2>&1 | %check --check-prefix=FATAL
// FATAL: omptarget error: in target at {{.*}}rank_in_texts.c
// FATAL: omptarget error: in rank 5 on {{.+}}
// FATAL: omptarget fatal error 1
// RUN: %expect-abort %t absent 2>&1 | %check --check-prefix=ALONE
// ALONE: omptarget error: in target at
// ALONE-NOT: in rank
// ALONE: omptarget fatal error 1

// RUN: env SLURM_PROCID=5 SLURM_LOCALID=5 %prefix/bin/omptarget-info | %check --check-prefix=INFO
// INFO: started by Slurm as rank 5 on {{.+}}
// INFO-NEXT: place 5 on the node (SLURM_LOCALID)
// INFO: default device of programs for plugin [[MACHINE]], with LIBOMPTARGET_DEFAULT_DEVICE=local-rank: its device 1
// INFO: plugin [[MACHINE]]: 4 device(s)
// RUN: env SLURM_PROCID=5 SLURM_LOCALID=2 %prefix/bin/omptarget-info --json | %check --check-prefix=INFO-JSON
// INFO-JSON: "process": {
// INFO-JSON-NEXT: "launcher": "Slurm",
// INFO-JSON-NEXT: "rank": 5,
// INFO-JSON-NEXT: "placeOnNode": 2
// UNSUPPORTED: runtime-llvm

#include "check.h"

int main(int count, char **arguments) {
  (void)arguments;
  int data = 1;
  if (count > 1) {
#pragma omp target map(present, tofrom : data)
    data = 2;
  }
#pragma omp target map(tofrom : data)
  {
    HERE();
    data++;
  }
  CHECK_EQ(data, 2);
  return finish();
}
