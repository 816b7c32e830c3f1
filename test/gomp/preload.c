// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library has regions in its constructor and destructor. It also works if libgomp.so.1 is preloaded and no library
// path leads to the libraries that it needs itself.
// RUN: %gcc -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: gcc %s %t.so -o %t
// RUN: %run %t | %check
// RUN: %run LD_LIBRARY_PATH= LD_PRELOAD=%library %t | %check
// CHECK: constructor: device
// CHECK-NEXT: main: device
// CHECK-NEXT: destructor: device
void region(const char *moment);

#ifdef LIBRARY
#include <omp.h>
#include <stdio.h>

static int data[4] = {1, 2, 3, 4};

void region(const char *moment) {
  int is_host = -1, last = 0;
#pragma omp target data map(tofrom : data)
#pragma omp target map(from : is_host, last)
  {
    is_host = omp_is_initial_device();
    last = data[3];
  }
  printf("%s: %s\n", moment, is_host == 0 && last == 4 ? "device" : "wrong");
  fflush(stdout);
}

__attribute__((constructor)) static void begin(void) { region("constructor"); }
__attribute__((destructor)) static void end(void) { region("destructor"); }
#else
int main(void) {
  region("main");
  return 0;
}
#endif
