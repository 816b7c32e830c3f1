// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_DEFAULT_DEVICE: the launcher's variables decide a process's default device, for all threads.

// RUN: %clang %s -o %t -pthread
// RUN: %run %t 0
// RUN: %run OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_LOCAL_RANK=1 %t 0
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_LOCAL_RANK=1 %t 1
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank PMI_RANK=7 MPI_LOCALRANKID=3 MPI_LOCALNRANKS=4 %t 3
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank SLURM_PROCID=12 SLURM_LOCALID=6 %t 2
// mpirun in a batch job of Slurm: the inner launcher is believed.
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank SLURM_PROCID=0 SLURM_LOCALID=0 OMPI_COMM_WORLD_RANK=3 \
// RUN:   OMPI_COMM_WORLD_LOCAL_RANK=3 %t 3
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank FLUX_TASK_RANK=5 FLUX_TASK_LOCAL_ID=1 OMP_DEFAULT_DEVICE=2 %t 2
// Nothing told, nothing changed.
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank %t 0
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank SLURM_LOCALID=-1 PALS_LOCAL_RANKID=x %t 0
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank PMIX_RANK=2 %t 0 2>&1 | %check --check-prefix=PMIX
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=closest SLURM_PROCID=1 SLURM_LOCALID=1 %t 0 2>&1 | %check --check-prefix=VALUE
// RUN: %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank LIBOMPTARGET_DEBUG=device SLURM_PROCID=17 SLURM_LOCALID=5 %t 1 2>&1 \
// RUN:   | %check --check-prefix=TRACE
// UNSUPPORTED: runtime-llvm

// PMIX: omptarget warning: LIBOMPTARGET_DEFAULT_DEVICE: PMIx tells this process its rank (PMIX_RANK), but not its place
// VALUE: omptarget warning: LIBOMPTARGET_DEFAULT_DEVICE: 'closest' is not known: the values are local-rank and nearest
// TRACE: the default device is 1: place 5 on the node by Slurm (SLURM_LOCALID), 4 device(s)
// TRACE-NOT: initialising device {{[023]}}
// TRACE: initialising device 1
// TRACE-NOT: initialising device {{[023]}}

#include "check.h"

#include <pthread.h>

static int expected;

/// A construct without a device clause works on the expected device.
static void check_thread(void) {
  int data = 1;
  CHECK_EQ(omp_get_default_device(), expected);
#pragma omp target enter data map(to : data)
  CHECK(omp_target_is_present(&data, expected));
#pragma omp target map(tofrom : data)
  {
    HERE();
    data++;
  }
#pragma omp target exit data map(from : data)
  CHECK_EQ(data, 2);
}

static void *run_thread(void *unused) {
  check_thread();
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  expected = atoi(arguments[1]);
  check_thread();
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    check_thread();
  }
  pthread_t thread;
  pthread_create(&thread, 0, run_thread, 0);
  pthread_join(thread, 0);
  return finish();
}
