// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that needs libgomp, by programs that need it and that do not, and opened.
// RUN: %gcc -shared -fPIC %inputs/library.c -o %t.so
// RUN: %gcc %s %t.so -o %t.1
// RUN: %run %t.1
// RUN: gcc -DNO_REGION %s %t.so -o %t.2
// RUN: %run %t.2
// RUN: %gcc -DOPENED %s -o %t.3
// RUN: %run %t.3 %t.so
// RUN: gcc -DNO_REGION -DOPENED %s -o %t.4
// RUN: %run %t.4 %t.so
#include <dlfcn.h>
#include <stdio.h>

int library_add(int *data, int value);

int main(int argc, char **argv) {
  int data[4] = {1, 2, 3, 4}, bad = 0;
  int (*add)(int *, int);
#ifdef OPENED
  for (int round = 0; round < 3; ++round) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
      return puts(dlerror()), 1;
    add = (int (*)(int *, int))dlsym(library, "library_add");
#else
  for (int round = 0; round < 3; ++round) {
    add = library_add;
#endif
#ifndef NO_REGION
#pragma omp target data map(tofrom : data)
    {
#pragma omp target
      data[1] += 10;
      bad += add(data, 1);
      bad += data[0] != 1 + round || data[1] != 2 + 11 * round; // the device has the newer ones
    }
#else
    bad += add(data, 11);
#endif
    bad += data[1] != 2 + 11 * (round + 1);
#ifdef OPENED
    dlclose(library);
#endif
  }
  return bad;
}
