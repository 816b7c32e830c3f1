// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On a device that queues its work a kernel's fault is reported by a later call of the driver's. It is reported as that
// kernel's, at its source line, whichever call tells it, and not as a failed copy of whatever variable came next.

// REQUIRES: emulator-cuda
// RUN: %clang -g %s -o %t
// RUN: %expect-abort SIM_CUDA_FAIL=cuStreamSynchronize:1:700 %t 2>&1 | %check --implicit-check-not="Copying data"
// RUN: %expect-abort SIM_CUDA_FAIL=cuMemcpyDtoHAsync:1:700 %t 2>&1 | %check --implicit-check-not="Copying data" --implicit-check-not="in the mapping"
// RUN: %expect-abort SIM_CUDA_FAIL=cuLaunchKernel:1:700 %t 2>&1 | %check --implicit-check-not="Copying data"
// RUN: %expect-abort SIM_CUDA_FAIL=cuStreamQuery:1:700,cuStreamSynchronize:1:700 %t nowait 2>&1 | %FileCheck %s --check-prefix=NOWAIT
// RUN: %expect-abort LIBOMPTARGET_PROFILE=%t.json SIM_CUDA_FAIL=cuMemcpyDtoHAsync:1:700 %t 2>&1 | %check --implicit-check-not="in the mapping"
// RUN: %python %inputs/check_profile.py %t.json
// The GPU is shared with a program that has had a fault.
// RUN: %expect-abort SIM_CUDA_FAIL=cuStreamSynchronize:1:810 %t 2>&1 | %FileCheck %s --check-prefix=MPS
// A copy that fails before the kernel, or after one that did not, is still a copy's failure.
// RUN: %expect-abort SIM_CUDA_FAIL=cuMemcpyHtoDAsync:1:1 %t 2>&1 | %FileCheck %s --check-prefix=COPY --implicit-check-not="cannot be run"
// RUN: %expect-abort SIM_CUDA_FAIL=cuMemcpyDtoHAsync:1:1 %t 2>&1 | %FileCheck %s --check-prefix=BACK --implicit-check-not="cannot be run"

// CHECK: omptarget error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS{{.*}}
// CHECK: omptarget error: kernel __omp_offloading_{{.*}}_main_l[[# @LINE + 25]] cannot be run on device 0
// CHECK: omptarget error: in target at {{.*}}asynchronous_fault.c:[[# @LINE + 24]]:1
// CHECK: asynchronous_fault.c:[[# @LINE + 23]]:1: omptarget fatal error 1
// MPS: omptarget error: {{.*}}CUDA_ERROR_MPS_CLIENT_TERMINATED (810){{.*}}; NVIDIA's Multi-Process Service has ended this process's work
// MPS: omptarget error: kernel __omp_offloading_{{.*}}_main_l[[# @LINE + 21]] cannot be run on device 0
// NOWAIT: CUDA_ERROR_ILLEGAL_ADDRESS
// NOWAIT: omptarget error: kernel __omp_offloading_{{.*}}_main_l[[# @LINE + 15]] cannot be run on device 0
// NOWAIT: omptarget error: in target at {{.*}}asynchronous_fault.c:[[# @LINE + 14]]
// COPY: omptarget error: Copying data to device failed: 80 bytes
// COPY-NEXT: omptarget error: Call to targetDataBegin failed, abort target.
// COPY-NEXT: omptarget error: Failed to process data before launching the kernel.
// COPY: omptarget error: in the mapping of values (80 bytes) at {{.*}}asynchronous_fault.c:[[# @LINE + 4]]:15
// BACK: omptarget error: Copying data from device failed: 80 bytes
// BACK: omptarget error: in the mapping of values (80 bytes) at {{.*}}asynchronous_fault.c:[[# @LINE + 2]]:15

static double values[10];

int main(int argc, char **argv) {
  if (argc > 1) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp target map(tofrom : values) nowait
    values[0] += 1;
    return 0;
  }
#pragma omp target map(tofrom : values)
  values[0] += 1;
  return values[0] != 1;
}
