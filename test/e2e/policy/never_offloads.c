// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that never offloads loads no plugin and starts no thread.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run LIBOMPTARGET_DEBUG=all %t 2>&1 | %check
// REQUIRES: runtime-omptarget

// CHECK: registering {{.*}}never_offloads.c.tmp
// CHECK-NOT: libomptarget.rtl

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_lines_with(const char *path, const char *text) {
  char line[1024];
  int count = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    count += strstr(line, text) != 0;
  fclose(file);
  return count;
}

int main(int argc, char **argv) {
  if (argc > 5) {
#pragma omp target
    {
    }
  }
  int plugins = count_lines_with("/proc/self/maps", "libomptarget.rtl");
  int llvm = count_lines_with("/proc/self/maps", "libLLVM");
  int ours = count_lines_with("/proc/self/maps", "/libomptarget.so");
  // An emulator has threads of its own.
  int one_thread = getenv("QEMU_LD_PREFIX") || count_lines_with("/proc/self/status", "Threads:\t1\n");
  printf("%d %d %d %d\n", plugins, llvm, ours > 0, one_thread);
  return plugins || llvm || !ours || !one_thread;
}
