// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offloads itself, then opens the library that it is given and lets it offload.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x++;
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library || x != 2) {
    fprintf(stderr, "%s\n", library ? "wrong result" : dlerror());
    return 4;
  }
  int (*compute)(void) = (int (*)(void))dlsym(library, "compute");
  return compute();
}
