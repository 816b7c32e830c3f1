// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NUMA_FOLDER_H
#define NUMA_FOLDER_H

#include "check.h"

#include <string.h>
#include <sys/stat.h>

/// A file of a folder that fake_numa.c takes for the kernel's, in its subfolder `part` ("" or "/node1"), which is made.
static void write_numa_file(const char *folder, const char *part, const char *name, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", folder, part);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s%s/%s", folder, part, name);
  FILE *file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/// A machine of NUMA domains 1 and 4 with four GPUs. The first `gpus_of_4` GPUs are near to domain 4, the others to
/// domain 1. All CPUs are those of `domain_of_cpus`.
static inline void describe_gpus(const char *folder, int domain_of_cpus, int gpus_of_4) {
  write_numa_file(folder, "", "online", "1,4\n");
  write_numa_file(folder, "/node1", "cpulist", domain_of_cpus == 1 ? "0-65000\n" : "\n");
  write_numa_file(folder, "/node4", "cpulist", domain_of_cpus == 4 ? "0-65000\n" : "\n");
  write_numa_file(folder, "/node1", "distance", "10 21\n");
  write_numa_file(folder, "/node4", "distance", "21 10\n");
  write_numa_file(folder, "/pci", "note", "");
  for (int gpu = 0; gpu < 4; gpu++) {
    char address[64];
    snprintf(address, sizeof address, "/pci/0000:%02x:00.0", gpu + 1);
    write_numa_file(folder, address, "numa_node", gpu < gpus_of_4 ? "4\n" : "1\n");
  }
}

#endif
