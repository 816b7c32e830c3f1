// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that the threads of a team share although one of them owns them: on a CPU each thread reads the others'
// memory.

#include <cstdio>
#include <cstdlib>

#include "libomp.h"

DEVICE_RTL void *__kmpc_alloc_shared(uint64_t size) {
  void *const memory = std::malloc(size != 0 ? size : 1);
  if (!memory) {
    std::fprintf(stderr, "omptarget device RTL: no memory for %llu bytes of shared variables\n",
                 static_cast<unsigned long long>(size));
    std::abort();
  }
  return memory;
}

DEVICE_RTL void __kmpc_free_shared(void *memory, uint64_t) { std::free(memory); }
