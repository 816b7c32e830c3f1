// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_DEFAULT_DEVICE=nearest, on a machine that the library fake_numa makes up: the first two GPUs are near to domain 4,
// the other two to domain 1; the process runs on domain 1, or 4.

// REQUIRES: sim-cuda || sim-amdgpu
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

#include "check.h"

#include <string.h>
#include <sys/stat.h>

static void write_file(const char *folder, const char *part, const char *name, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", folder, part);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s%s/%s", folder, part, name);
  FILE *file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/// All CPUs are those of one domain.
static void describe(const char *folder, int domain) {
  mkdir(folder, 0700);
  write_file(folder, "", "online", "1,4\n");
  write_file(folder, "/node1", "cpulist", domain == 1 ? "0-65000\n" : "\n");
  write_file(folder, "/node4", "cpulist", domain == 4 ? "0-65000\n" : "\n");
  write_file(folder, "/node1", "distance", "10 21\n");
  write_file(folder, "/node4", "distance", "21 10\n");
  write_file(folder, "/pci", "note", "");
  for (int device = 0; device < 4; device++) {
    char address[64];
    snprintf(address, sizeof address, "/pci/0000:%02x:00.0", device + 1);
    write_file(folder, address, "numa_node", device < 2 ? "4\n" : "1\n");
  }
}

int main(int count, char **arguments) {
  if (strcmp(arguments[1], "describe") == 0) {
    describe(arguments[count - 2], atoi(arguments[count - 1]));
    return failed_checks;
  }
  CHECK_EQ(omp_get_default_device(), atoi(arguments[1]));
#pragma omp target
  HERE();
  return finish();
}
