// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_DEFAULT_DEVICE=nearest, on a machine that the library fake_numa makes up. The first two GPUs are near to
// domain 4, the other two to domain 1; the process runs on domain 1, or 4.

// REQUIRES: emulator-cuda || emulator-amdgpu
// RUN: %clang -shared -fPIC %inputs/fake_numa.c -o %t.fake.so -ldl
// RUN: %clang %s -I%inputs %t.fake.so -o %t
// RUN: rm -rf %t.1 %t.4 %t.no
// RUN: %run %t describe %t.1 1 && %run %t describe %t.4 4 && mkdir %t.no
// RUN: %run FAKE_NUMA=%t.1 LIBOMPTARGET_DEFAULT_DEVICE=nearest %t 2
// RUN: %run FAKE_NUMA=%t.4 LIBOMPTARGET_DEFAULT_DEVICE=nearest %t 0
// RUN: %run FAKE_NUMA=%t.1 LIBOMPTARGET_DEFAULT_DEVICE=nearest SLURM_PROCID=9 SLURM_LOCALID=5 LIBOMPTARGET_DEBUG=device %t 3 2>&1 | %check
// RUN: %run FAKE_NUMA=%t.1 LIBOMPTARGET_DEFAULT_DEVICE=nearest OMP_DEFAULT_DEVICE=1 %t 1
// RUN: %run FAKE_NUMA=%t.no LIBOMPTARGET_DEFAULT_DEVICE=nearest SLURM_PROCID=9 SLURM_LOCALID=5 %t 1
// CHECK: device 0 is in NUMA domain 4, at distance 21
// CHECK: device 3 is in NUMA domain 1, at distance 10
// CHECK: the default device is 3: distance 10, 2 of 4 device(s) are as near, place 5 on the node

#include "numa_folder.h"

int main(int count, char **arguments) {
  if (strcmp(arguments[1], "describe") == 0) {
    describe_gpus(arguments[count - 2], atoi(arguments[count - 1]), 2);
    return failed_checks;
  }
  CHECK_EQ(omp_get_default_device(), atoi(arguments[1]));
#pragma omp target
  HERE();
  return finish();
}
