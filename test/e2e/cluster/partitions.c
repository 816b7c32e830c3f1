// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs that are split: NVIDIA's instances (MIG), of which a process sees one, and AMD's partitions (CPX), which all are
// devices. Names in the variables that hide devices, and what omp_get_uid_from_device says.

// REQUIRES: emulator-cuda || emulator-amdgpu
// RUN: %clang -shared -fPIC %inputs/fake_numa.c -o %t.fake.so -ldl
// RUN: %clang %s -I%inputs %t.fake.so %prefix/lib/libomptarget.so -o %t
// RUN: %if emulator-cuda %{ %run SIM_CUDA_MIG=2 %t 1 | %check --check-prefix=FIRST %}
// RUN: %if emulator-cuda %{ %run SIM_CUDA_MIG=2 CUDA_VISIBLE_DEVICES=MIG-a111 %t 1 | %check --check-prefix=NAMED %}
// RUN: %if emulator-cuda %{ %expect-abort SIM_CUDA_MIG=2 CUDA_VISIBLE_DEVICES=MIG-a911 %t 1 2>&1 | %check --check-prefix=NONE %}
// RUN: %if emulator-cuda %{ %run CUDA_VISIBLE_DEVICES=GPU-3031,GPU-1011 %t 2 | %check --check-prefix=TWO %}
// RUN: %if emulator-amdgpu %{ %run SIM_HSA_PARTITIONS=2 %t 8 | %check --check-prefix=ALL %}
// RUN: %if emulator-amdgpu %{ %run SIM_HSA_PARTITIONS=2 ROCR_VISIBLE_DEVICES=3,0 %t 2 | %check --check-prefix=PARTS %}
// RUN: %if emulator-amdgpu %{ %run ROCR_VISIBLE_DEVICES=GPU-0000000000000003 %t 1 | %check --check-prefix=GPU %}
// RUN: %if emulator-amdgpu %{ rm -rf %t.numa && mkdir %t.numa && %run %t describe %t.numa && %run FAKE_NUMA=%t.numa SIM_HSA_PARTITIONS=2 \
// RUN:   LIBOMPTARGET_DEFAULT_DEVICE=nearest SLURM_PROCID=1 SLURM_LOCALID=1 %t 8 7 %}
// FIRST: device 0 is MIG-a0010203-0405-0607-0809-0a0b0c0d0e0f
// NAMED: device 0 is MIG-a1111213-1415-1617-1819-1a1b1c1d1e1f
// NONE: CUDA_VISIBLE_DEVICES=MIG-a911 hides all devices but these
// TWO: device 0 is GPU-30313233-3435-3637-3839-3a3b3c3d3e3f
// TWO: device 1 is GPU-10111213-1415-1617-1819-1a1b1c1d1e1f
// ALL: device 1 is GPU-0000000000000001.1
// ALL: device 6 is GPU-0000000000000004
// PARTS: device 0 is GPU-0000000000000002
// PARTS: device 1 is GPU-0000000000000001
// GPU: device 0 is GPU-0000000000000003

#include "numa_folder.h"

const char *omp_get_uid_from_device(int);
int omp_get_device_from_uid(const char *);

/// Arguments: how many devices there are, and the default one.
int main(int count, char **arguments) {
  if (strcmp(arguments[1], "describe") == 0) {
    describe_gpus(arguments[2], 1, 3); // the kernel lists function 0 of each GPU alone; the last is near
    return failed_checks;
  }
  const int devices = atoi(arguments[1]);
  CHECK_EQ(omp_get_num_devices(), devices);
  CHECK_EQ(omp_get_default_device(), count > 2 ? atoi(arguments[2]) : 0);
  int sum = 0;
  for (int device = 0; device < devices; device++) {
#pragma omp target device(device) map(tofrom : sum)
    {
      HERE();
      sum += device + 1;
    }
    const char *uid = omp_get_uid_from_device(device);
    printf("device %d is %s\n", device, uid);
    CHECK_EQ(omp_get_device_from_uid(uid), device);
  }
  CHECK_EQ(sum, devices * (devices + 1) / 2);
  return finish();
}
