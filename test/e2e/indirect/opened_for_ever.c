// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with many indirect functions that is opened and closed again and again. Its part of each table is freed, so
// that the process does not grow.

// RUN: %indirect-clang -shared -fPIC %inputs/many_functions.c -o %t.lib.so
// RUN: %indirect-clang %s -o %t -ldl
// RUN: %run %t %t.lib.so
// REQUIRES: runtime-omptarget
// Stand-ins for drivers never forget what there was, so that they know what is used after its end.
// The frozen plugin of the first ABI keeps each table that it is given.
// UNSUPPORTED: emulator-cuda, emulator-amdgpu, plugins-of-first-abi

#include "indirect_check.h"

#include <dlfcn.h>
#include <malloc.h>

enum { FIRST = 100, ROUNDS = 400, TABLE = 64 * 16 /* bytes */ };

static void round_trip(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    printf("%s\n", dlerror());
  CHECK(library != 0);
  int (*sum_of_some)(int) = (int (*)(int))dlsym(library, "sum_of_some");
  CHECK_EQ(sum_of_some(1), 4 + 100 + 125 + 152 + 177 + 4 * ON_DEVICE);
  CHECK_EQ(dlclose(library), 0);
}

static size_t allocated(void) {
#if __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  struct mallinfo info = mallinfo();
  return (unsigned)info.uordblks + (unsigned)info.hblkhd;
#endif
}

int main(int argc, char **argv) {
  for (int round = 0; round < FIRST; round++)
    round_trip(argv[argc - 1]);
  const size_t before = allocated();
  for (int round = 0; round < ROUNDS; round++)
    round_trip(argv[argc - 1]);
  const size_t after = allocated();
  if (after > before + ROUNDS * TABLE / 4)
    printf("grown by %zu bytes in %d rounds\n", after - before, ROUNDS);
  CHECK(after <= before + ROUNDS * TABLE / 4);
  return finish();
}
