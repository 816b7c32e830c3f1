// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has a region, so that its module is registered, but never runs it: what linking the runtime costs a program. With an
// argument it prints its resident memory in kB.

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc > 2) {
#pragma omp target
    {
    }
  }
  if (argc > 1) {
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
      if (strncmp(line, "VmRSS:", 6) == 0)
        fputs(line + 6, stdout);
  }
  return 0;
}
