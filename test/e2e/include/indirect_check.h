// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs with indirect functions: their device versions differ visibly from the host's.
#ifndef INDIRECT_CHECK_H
#define INDIRECT_CHECK_H

#include "check.h"
#include "omptarget/indirect.h"

enum { ON_HOST = 0, ON_DEVICE = 1000 };

// The number that every indirect function adds to its result.
static inline int side(void) { return ON_HOST; }
#pragma omp begin declare variant match(device = {kind(nohost)})
static inline int side(void) { return ON_DEVICE; }
#pragma omp end declare variant

// An entry of the form that the RFC defines (OMP_DECLARE_TARGET_FPTR, size 0), which no clang emits. The device's own
// entry has the address, there is no variable; on a GPU that entry is a global of its own.
#if __clang_major__ >= 20
#define RFC_ENTRY(function)                                                                                            \
  {.version = 1, .kind = 1, .flags = OMPTARGET_ENTRY_INDIRECT, .address = (void *)function, .symbol_name = #function}
#else
#define RFC_ENTRY(function) {.addr = (void *)function, .name = #function, .flags = OMPTARGET_ENTRY_INDIRECT}
#endif
#define RFC_CPU_ENTRY(function)                                                                                        \
  static OMPTARGET_INDIRECT_ENTRY_TYPE entry_##function                                                                \
      __attribute__((used, section(OMPTARGET_INDIRECT_ENTRY_SECTION))) = RFC_ENTRY(function);
#if defined(__NVPTX__) || defined(__AMDGCN__)
#if defined(__NVPTX__)
#define RFC_ENTRY_SYMBOL(function) "_$_offloading_$_entry_$_" #function
#else
#define RFC_ENTRY_SYMBOL(function) ".offloading.entry." #function
#endif
#define RFC_DEVICE_ENTRY(function)                                                                                     \
  extern const void *const entry_##function __asm__(RFC_ENTRY_SYMBOL(function));                                       \
  __attribute__((used, visibility("protected"))) const void *const entry_##function = (const void *)function;
#else
#define RFC_DEVICE_ENTRY(function) RFC_CPU_ENTRY(function)
#endif
#define RFC_INDIRECT(function)                                                                                         \
  OMPTARGET_INDIRECT_DEVICE_ONLY                                                                                       \
  RFC_DEVICE_ENTRY(function)                                                                                           \
  OMPTARGET_INDIRECT_DEVICE_END                                                                                        \
  OMPTARGET_INDIRECT_HOST_ONLY                                                                                         \
  RFC_CPU_ENTRY(function)                                                                                              \
  OMPTARGET_INDIRECT_HOST_END

#endif
