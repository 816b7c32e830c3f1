// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four ranks of MPI, each on a device of its own. Two threads of each relax a row of cells and exchange their borders
// from device pointers, while a nowait region works on the inner cells. The result is that of one process. The
// stand-ins for GPUs' drivers count: each rank has a context, or code, on one device.

// REQUIRES: clang-19 || clang-23
// RUN: %if openmpi %{ %clang %s %openmpi-flags -o %t.openmpi -ldl %}
// RUN: %if openmpi %{ %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank LIBOMPTARGET_DEBUG=device \
// RUN:   LIBOMPTARGET_DEBUG_FILE=%t.openmpi-trace.%%r %mpirun-openmpi -np 4 %t.openmpi | %check %}
// RUN: %if openmpi %{ cat %t.openmpi-trace.2 | %check --check-prefix=TRACE %}
// RUN: %if mpich %{ %clang %s %mpich-flags -o %t.mpich -ldl %}
// RUN: %if mpich %{ %run LIBOMPTARGET_DEFAULT_DEVICE=local-rank LIBOMPTARGET_DEBUG=device \
// RUN:   LIBOMPTARGET_DEBUG_FILE=%t.mpich-trace.%%r %mpirun-mpich -np 4 %t.mpich | %check %}
// RUN: %if mpich %{ cat %t.mpich-trace.2 | %check --check-prefix=TRACE %}
// UNSUPPORTED: runtime-llvm

// CHECK: devices 0 1 2 3
// CHECK: ok
// TRACE-NOT: initialising device {{[013]}}
// TRACE: initialising device 2
// TRACE-NOT: initialising device {{[013]}}

#include "check.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

enum { kRanks = 4, kCells = 64, kSteps = 20, kThreads = 2 };

static double first_value(int thread, int cell) { return cell * (thread + 1) % 7; }

/// Cells 1 to count are the rank's own, 0 and count + 1 its neighbours'.
static void relax(double *cells, double *next, MPI_Comm all, int rank) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < kRanks - 1 ? rank + 1 : MPI_PROC_NULL;
#pragma omp target data map(tofrom : cells[0 : kCells + 2]) map(alloc : next[0 : kCells + 2])
  for (int step = 0; step < kSteps; step++) {
#pragma omp target nowait
    {
      HERE();
      for (int i = 2; i < kCells; i++)
        next[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;
    }
#pragma omp target data use_device_ptr(cells)
    {
      MPI_Sendrecv(cells + 1, 1, MPI_DOUBLE, left, 0, cells + kCells + 1, 1, MPI_DOUBLE, right, 0, all,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(cells + kCells, 1, MPI_DOUBLE, right, 1, cells, 1, MPI_DOUBLE, left, 1, all, MPI_STATUS_IGNORE);
    }
#pragma omp taskwait
#pragma omp target
    {
      HERE();
      next[1] = (cells[0] + cells[1] + cells[2]) / 3;
      next[kCells] = (cells[kCells - 1] + cells[kCells] + cells[kCells + 1]) / 3;
      for (int i = 1; i <= kCells; i++)
        cells[i] = next[i];
    }
  }
}

/// The same by one process on the host.
static void relax_all(double *cells, double *next) {
  for (int step = 0; step < kSteps; step++) {
    for (int i = 1; i <= kRanks * kCells; i++)
      next[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;
    memcpy(cells + 1, next + 1, sizeof(double) * kRanks * kCells);
  }
}

static void check_thread(int thread, MPI_Comm all, int rank) {
  double cells[kCells + 2] = {0}, next[kCells + 2];
  for (int i = 1; i <= kCells; i++)
    cells[i] = first_value(thread, rank * kCells + i);
  relax(cells, next, all, rank);
  double result[kRanks * kCells];
  MPI_Gather(cells + 1, kCells, MPI_DOUBLE, result, kCells, MPI_DOUBLE, 0, all);
  if (rank != 0)
    return;
  double whole[kRanks * kCells + 2] = {0}, other[kRanks * kCells + 2];
  for (int i = 1; i <= kRanks * kCells; i++)
    whole[i] = first_value(thread, i);
  relax_all(whole, other);
  CHECK(memcmp(result, whole + 1, sizeof result) == 0);
}

/// How often a stand-in for a driver was called by that name; -1 without it.
static long calls(const char *library, const char *counter, const char *name) {
  void *driver = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  return driver ? (long)((uint64_t (*)(const char *))dlsym(driver, counter))(name) : -1;
}

int main(int count, char **arguments) {
  int provided, rank, size, device, devices[kRanks];
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK_EQ(size, kRanks);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  device = omp_get_default_device();
  MPI_Gather(&device, 1, MPI_INT, devices, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("devices %d %d %d %d\n", devices[0], devices[1], devices[2], devices[3]);
  MPI_Comm comms[kThreads];
  for (int i = 0; i < kThreads; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
#pragma omp parallel num_threads(kThreads)
  check_thread(omp_get_thread_num(), comms[omp_get_thread_num()], rank);

  // Memory of the device's own goes over the wire, too.
  double *memory = omp_target_alloc(sizeof(double), device), value = rank, sum = 0;
  CHECK_EQ(omp_target_memcpy(memory, &value, sizeof value, 0, 0, device, omp_get_initial_device()), 0);
  MPI_Reduce(memory, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    CHECK_EQ(sum, kRanks * (kRanks - 1) / 2);
  omp_target_free(memory, device);
  const long contexts = calls("libcuda.so.1", "sim_cuda_count", "cuDevicePrimaryCtxRetain");
  const long codes = calls("libhsa-runtime64.so.1", "sim_hsa_count", "hsa_executable_load_agent_code_object");
  CHECK(contexts == -1 || contexts == 1);
  CHECK(codes == -1 || codes == 1);
  int all_failed = 0;
  CHECK_EQ(host_regions, 0);
  MPI_Reduce(&failed_checks, &all_failed, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && all_failed == 0)
    printf("ok\n");
  return failed_checks != 0;
}
