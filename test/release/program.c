// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offloads a sum, and prints the file of the libomptarget that is mapped.
#include <stdio.h>
#include <string.h>

int main(void) {
  int values[1000], sum = 0;
  for (int i = 0; i < 1000; ++i)
    values[i] = i;
#pragma omp target teams distribute parallel for map(to : values) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i)
    sum += values[i];
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, " r-xp ") && strstr(line, "/libomptarget.so"))
      fputs(strchr(line, '/'), stdout);
  return sum != 499500;
}
