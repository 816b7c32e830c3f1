// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's libomptarget in the same process: both would serve one program, so ours says so.

// RUN: %clang %s -o %t -ldl
// RUN: %run %t %llvm-libomptarget 2>&1 | %check
// REQUIRES: runtime-omptarget, llvm-loads-here

// CHECK: {{^}}omptarget {{.*}}second{{.*}}libomptarget
// CHECK: region: 2

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *other = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!other)
    return printf("%s\n", dlerror()), 1;
  int x = 1;
#pragma omp target map(tofrom : x)
  x++;
  printf("region: %d\n", x);
  return 0;
}
